// Jobs: what a source says of one, its life, and the table of those in flight.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "jobs/rejections.hpp"

namespace schedlab {

using Amount = std::int64_t;
using Slot = std::uint32_t;

inline constexpr Slot no_slot = static_cast<Slot>(-1);

/// `tasks` tasks on each of `count` nodes from `first` on.
struct NodeRun {
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t tasks;

  void archive(Archive& archive) { archive(first, count, tasks); }
};
using Placement = std::vector<NodeRun>;  // ascending, no two runs that could be one

/// Throws InputError for a placement of a saved state that is not on nodes of a machine of that many.
void check_saved(const Placement& placement, std::uint32_t nodes);

/// A job as a source hands it over.
struct JobSpec {
  std::int64_t id = 0;
  std::int64_t user = -1;
  Time submit = 0;
  Time run = 0;
  Time limit = never;  // requested time; `never` where none was given
  Time estimate = 0;   // what dispatchers see as `requested`: the limit, or what stands in for it
  std::uint32_t tasks = 1;
  std::uint32_t tasks_per_node = 0;  // at most N on one node; 0: no such limit
  bool whole_nodes = false;
  std::vector<Amount> amounts;  // per task and resource type; empty: one processor of the machine (a plain request)
  std::vector<std::int64_t> predecessors;
  Time think = 0;  // between the last predecessor's end and the release
  std::vector<double>
      attributes;  // in the order of JobSource::attribute_names; what is missing at the end is not given

  void archive(Archive& archive) {
    archive(id, user, submit, run, limit, estimate, tasks, tasks_per_node, whole_nodes, amounts, predecessors, think,
            attributes);
  }
};

enum class JobState : std::uint8_t { loaded, held, queued, running, completed, killed, failed, rejected };
inline constexpr std::size_t job_states = 8;

/// The name of a state, in a text of at least `longest_state_name` bytes.
std::string_view name_of(JobState state);
inline constexpr std::size_t longest_state_name = 9;

/// Whether a job may go from one state to the other: the one table of a job's life.
constexpr bool legal(JobState from, JobState to) {
  using enum JobState;
  switch (from) {
    case loaded:
      return to == held || to == queued || to == rejected;
    case held:
      return to == queued || to == rejected;
    case queued:
      return to == running || to == rejected;
    case running:
      return to == completed || to == killed || to == failed;
    case failed:
      return to == queued;  // again, after an attempt that ended early
    default:
      return false;
  }
}

struct Job {
  std::int64_t id = 0;
  std::int64_t user = 0;
  Time submit = 0;
  Time run = 0;
  Time limit = never;
  Time estimate = 0;
  Time start = 0;
  Time end = 0;
  std::uint64_t sequence = 0;  // in which jobs joined the queue; before that, in which they arrived
  double key = 0.0;            // of the order, while it waits
  double speed = 1.0;          // of execution; work is measured in nanoseconds at speed 1
  double work_left = 0.0;      // at `worked_until`
  Time worked_until = 0;
  Time think = 0;
  Time release = 0;              // of a held job, as far as known
  std::uint64_t admissions = 0;  // bit i: the rule i of windows admits it
  std::uint32_t tasks = 0;
  std::uint32_t tasks_per_node = 0;
  mutable std::uint32_t node_set = 0;  // of the machine: the only nodes that it may use; 0: all
  std::uint32_t processors = 0;   // that must be free before it can start: a bound from below, exact for plain requests
  std::uint32_t end_version = 0;  // an end event of another version is stale
  std::uint32_t unfinished_predecessors = 0;
  JobState state = JobState::loaded;
  Rejection rejection = Rejection::too_large;  // why, where it is rejected
  std::uint16_t rank = 0;                      // of its queue; least first
  std::uint16_t choices = 0;          // of sets of nodes, if it may use any one of several: see NodeSets; 0: it has one
  std::uint16_t preemption = 0;       // the rule by which it takes room from running jobs; 0: it takes none
  mutable std::uint32_t request = 0;  // where the machine last kept the rooms for it; a hint
  mutable std::uint32_t known_room = 0;  // for its tasks, where it was refused: the machine has no more; a hint
  mutable std::uint64_t refused_at = 0;  // how far that looked at what nodes got back; 0: nothing is known
  mutable Time not_before = 0;           // while it waits, windows leave it no room before then; a hint
  bool plain = true;                     // asks for processors of the machine and nothing else
  bool whole_nodes = false;
  bool outage = false;              // no job: it holds a node that is down
  bool cancelled = false;           // the scheduler ended it while it ran
  std::uint32_t licenses = 0;       // of the machine: what it takes of these; 0: nothing
  std::uint32_t application = 0;    // that it runs; 0: it takes its recorded time
  std::uint16_t interruptions = 0;  // attempts that ended early,
  std::uint16_t requeues = 0;       // and those of them that the scheduler ended, not a failure of a node
  Time work = 0;                    // where attempts may end early: work that is left without that of checkpoints,
  Time kept = 0;                    // work that checkpoints keep,
  Time lost = 0;                    // and time of attempts that was in vain
  double kept_node_seconds = 0.0;
  Placement placement;

  [[nodiscard]] Time estimated_end() const { return later(start, estimate); }
  /// For how long a plan holds nodes for it.
  [[nodiscard]] Time planned_length() const { return std::max(estimate, second); }
  void archive(Archive& archive) {
    archive(id, user, submit, run, limit, estimate, start, end, sequence, key, speed, work_left, worked_until, think,
            release, admissions, tasks, tasks_per_node, node_set, choices, licenses, processors, rank, preemption,
            end_version, unfinished_predecessors, state, plain, whole_nodes, outage, cancelled, application,
            interruptions, requeues, work, kept, lost, kept_node_seconds, placement);
  }
  /// What its owner asked for, as far as it is known.
  [[nodiscard]] Time requested_time() const { return limit == never ? estimate : limit; }
};

static_assert(sizeof(Job) == 256);  // so that a slot is found by a shift: each job is looked up dozens of times

/// The jobs in flight, in slots that are used again.
class JobTable {
 public:
  explicit JobTable(std::size_t resource_types) : types_(resource_types) {}

  Slot add() {
    if (spare_.empty()) return grow();
    const Slot slot = spare_.back();
    spare_.pop_back();
    Job& job = jobs_[slot];
    job.state = JobState::loaded;
    job.outage = false;
    job.cancelled = false;
    job.interruptions = 0;
    job.requeues = 0;
    return slot;
  }
  void recycle(Slot slot);
  [[nodiscard]] Job& operator[](Slot slot) { return jobs_[slot]; }
  [[nodiscard]] const Job& operator[](Slot slot) const { return jobs_[slot]; }
  [[nodiscard]] Amount* amounts(Slot slot) { return amounts_.data() + slot * types_; }
  [[nodiscard]] const Amount* amounts(Slot slot) const { return amounts_.data() + slot * types_; }
  [[nodiscard]] std::size_t slots() const { return jobs_.size(); }

  /// Attributes beyond the fields of Job; not a number where a job has none of that name.
  [[nodiscard]] const std::vector<std::string>& attribute_names() const { return attribute_names_; }
  [[nodiscard]] double attribute(Slot slot, std::size_t index) const {
    return attributes_[slot * attribute_names_.size() + index];
  }
  [[nodiscard]] double attribute(Slot slot, std::string_view name) const;
  /// Names may be added after those there are.
  void set_attribute_names(const std::vector<std::string>& names);
  void set_attributes(Slot slot, std::span<const double> values);

  void archive(Archive& archive) { archive(jobs_, amounts_, spare_, attribute_names_, attributes_); }
  /// Throws InputError where what was read does not fit together, or names nodes that a machine of that many lacks.
  void check_saved(std::uint32_t nodes) const;

  /// Changes the job's state; throws SimulationError with job, states and time where the table forbids it.
  void move(Slot slot, JobState to, Time now) {
    Job& job = jobs_[slot];
    if (!legal(job.state, to)) refuse(job, to, now);
    job.state = to;
  }

 private:
  Slot grow();
  [[noreturn]] void refuse(const Job& job, JobState to, Time now) const;

  std::size_t types_;
  std::vector<Job> jobs_;
  std::vector<Amount> amounts_;
  std::vector<Slot> spare_;
  std::vector<std::string> attribute_names_;
  std::vector<double> attributes_;  // [slot * names + index]
};

}  // namespace schedlab
