// Nodes that are down, and attempts of jobs that end early: what a simulation keeps of both, and what they cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "execution/failures/failures.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// Where the time of the nodes went, in node-seconds: a job that holds half of a node for two seconds uses one.
struct NodeSeconds {
  double useful = 0.0;      // held by jobs that ended, and by the parts of attempts ended early that checkpoints kept
  double checkpoint = 0.0;  // writing checkpoints, and going on from them
  double lost = 0.0;        // held by attempts that ended early, beyond what was kept
  double down = 0.0;        // until the last end of a job

  void archive(Archive& archive) { archive(useful, checkpoint, lost, down); }
};

struct FailureCounts {
  std::uint64_t node_failures = 0;
  std::uint64_t interruptions = 0;
  std::uint64_t interrupted_jobs = 0;
  std::uint64_t given_up = 0;

  void archive(Archive& archive) { archive(node_failures, interruptions, interrupted_jobs, given_up); }
};

/// What the scheduler did to running jobs.
struct PreemptionCounts {
  std::uint64_t requeued = 0;
  std::uint64_t requeued_jobs = 0;
  std::uint64_t cancelled = 0;

  void archive(Archive& archive) { archive(requeued, requeued_jobs, cancelled); }
};

/// Who ends an attempt early.
enum class EndedBy : std::uint8_t { failure, requeue, cancel };

/// What an attempt that ended early leaves: work that need not be done again, and time that was in vain.
struct InterruptedAttempt {
  Time kept;
  Time lost;
};

/// A node that is down is held by an outage: a running job without an owner, in whole_nodes, that is expected to end
/// with the repair. So every discipline plans around it as around any job.
struct Outages {
  Outages(const FailureSpec& spec, std::uint32_t nodes, std::size_t types)
      : clock(spec, nodes),
        rule(spec.checkpoints),
        attempts(spec.attempts),
        nodes_fail(spec.nodes_fail()),
        by_scheduler(spec.by_scheduler),
        holder(nodes, no_slot),
        up_since(nodes),
        amounts(types) {}

  FailureClock clock;
  CheckpointRule rule;
  std::uint32_t attempts;       // that failures end, after which a job is given up; 0: never
  bool nodes_fail;              // else the scheduler alone ends attempts early
  bool by_scheduler;            // it may do so
  std::vector<Slot> holder;     // per node: the outage that holds it
  std::vector<Time> up_since;   // per node: its last repair, or the beginning; `never` while it is down
  std::uint32_t down = 0;       // nodes
  std::vector<Amount> amounts;  // of the nodes that are down, per type
  NodeSeconds seconds;
  FailureCounts counts;
  PreemptionCounts preemptions;
  std::uint32_t in_vain = 0;  // attempts that were requeued at `in_vain_at`, at which they had started
  Time in_vain_at = 0;
  double down_seconds = 0.0;  // of all nodes, until `counted_until`
  Time counted_until = 0;

  void begin(Time first_submit);
  /// Node-seconds of nodes that were down until now.
  double count_down(Time now);
  /// A job arrives that has this work to do. Returns how long its first attempt takes.
  Time begin_attempts(Job& job, Time work) const;
  /// An attempt ended by itself, or at its limit, with this much of its length done on these nodes.
  void account_end(const Job& job, double nodes, Time done, Time now);
  /// An attempt was ended early after this time.
  InterruptedAttempt account_interruption(Job& job, double nodes, Time time, Time done, EndedBy by, Time now);
  /// The next attempt does what checkpoints did not keep.
  void resume_later(Job& job) const;
  [[nodiscard]] bool any_ended_early() const { return counts.interruptions + preemptions.requeued > 0; }
  /// Whether failures ended as many attempts of the job as it may have.
  [[nodiscard]] bool gives_up(const Job& job) const {
    return attempts > 0 && static_cast<std::uint32_t>(job.interruptions - job.requeues) >= attempts;
  }
  /// The job is not tried again: what it had kept is lost with it.
  void lose_kept(Job& job);
  /// Throws SimulationError where jobs are started and requeued at one time, again and again.
  void refuse_vain_requeue(const Job& job, Time now);

  void archive(Archive& archive) {
    const std::size_t nodes = holder.size();
    const std::size_t types = amounts.size();
    archive(clock, holder, up_since, down, amounts, seconds, counts, preemptions, in_vain, in_vain_at, down_seconds,
            counted_until);
    const bool same = holder.size() == nodes && up_since.size() == nodes && amounts.size() == types;
    Archive::require(same, "outages are of another machine");
  }
};

}  // namespace schedlab
