// Nodes that are down: what a simulation keeps of them, and what failures cost.
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
  double useful = 0.0;      // held by jobs that ended, and by the parts of failed attempts that checkpoints kept
  double checkpoint = 0.0;  // writing checkpoints, and going on from them
  double lost = 0.0;        // held by attempts that a failure ended, beyond what was kept
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

/// What an attempt that a failure ended leaves: work that need not be done again, and time that was in vain.
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
        holder(nodes, no_slot),
        up_since(nodes),
        amounts(types) {}

  FailureClock clock;
  CheckpointRule rule;
  std::uint32_t attempts;       // after which a job is given up; 0: never
  std::vector<Slot> holder;     // per node: the outage that holds it
  std::vector<Time> up_since;   // per node: its last repair, or the beginning; `never` while it is down
  std::uint32_t down = 0;       // nodes
  std::vector<Amount> amounts;  // of the nodes that are down, per type
  NodeSeconds seconds;
  FailureCounts counts;
  double down_seconds = 0.0;  // of all nodes, until `counted_until`
  Time counted_until = 0;

  void begin(Time first_submit);
  /// Node-seconds of nodes that were down until now.
  double count_down(Time now);
  /// A job arrives that has this work to do. Returns how long its first attempt takes.
  Time begin_attempts(Job& job, Time work) const;
  /// An attempt ended by itself, or at its limit, with this much of its length done on these nodes.
  void account_end(const Job& job, double nodes, Time done, Time now);
  /// An attempt was ended by a failure after this time.
  InterruptedAttempt account_interruption(Job& job, double nodes, Time time, Time done, Time now);
  /// The next attempt does what checkpoints did not keep.
  void resume_later(Job& job) const;
  /// What the job had kept is lost with it.
  void give_up(Job& job);

  void archive(Archive& archive) {
    const std::size_t nodes = holder.size();
    const std::size_t types = amounts.size();
    archive(clock, holder, up_since, down, amounts, seconds, counts, down_seconds, counted_until);
    const bool same = holder.size() == nodes && up_since.size() == nodes && amounts.size() == types;
    Archive::require(same, "outages are of another machine");
  }
};

}  // namespace schedlab
