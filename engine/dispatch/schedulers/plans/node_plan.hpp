// What will be free on each node when, by the estimates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/schedulers/plans/alike_nodes.hpp"
#include "dispatch/schedulers/plans/start_search.hpp"
#include "dispatch/state.hpp"
#include "machine/closed_nodes.hpp"
#include "machine/machine.hpp"

namespace schedlab {

/// Running jobs and reservations, each on definite nodes. As a limit, it lets a job that is to start have what stays
/// free as long as it runs.
class NodePlan final : public NodeLimit {
 public:
  /// Begins anew, with all nodes free.
  void clear(const State& state);

  /// Says where things are in this call of the scheduler, and forgets what lies before now.
  void advance(const State& state);

  void archive(Archive& archive) { archive(now_, nodes_, licenses_); }
  void check_saved(const Machine& machine) const {
    nodes_.check_saved(machine.nodes(), machine.types());
    licenses_.check_saved(1, machine.licenses().kinds());
  }

  /// The running jobs, each until its expected end.
  void add_running(const State& state);

  /// Takes what the tasks on these nodes hold out of [from, to), and the job's licenses, or puts it back.
  void take(const Placement& nodes, const Job& job, const Amount* amounts, Time from, Time to) {
    change(nodes, job, amounts, from, to, -1);
  }
  void put_back(const Placement& nodes, const Job& job, const Amount* amounts, Time from, Time to) {
    change(nodes, job, amounts, from, to, 1);
  }

  /// The earliest time from `from` on, which is not before now, and no later than `latest`, at which all tasks have
  /// room as long as the job is planned for, and its licenses are free; `never` if there is none.
  [[nodiscard]] Time earliest(const Job& job, const Amount* amounts, Time from, Time latest = never) {
    if (job.choices == 0) return earliest_in_set(job, amounts, from, latest);
    const std::uint32_t present = job.node_set;
    const Time start = earliest_choice(job, amounts, from, latest);
    NodeSets::put(job, present);
    return start;
  }
  [[nodiscard]] Time earliest(const Job& job, const Amount* amounts) { return earliest(job, amounts, now_); }

  /// The first nodes by number with room for all tasks from `start` on, in the first of the job's sets that has
  /// enough; one of them must.
  void pin(const Job& job, const Amount* amounts, Time start, Placement& nodes) {
    const std::uint32_t present = job.node_set;
    if (job.choices != 0) static_cast<void>(earliest_choice(job, amounts, start, start));
    pin_in_set(job, amounts, start, nodes);
    if (job.choices != 0) NodeSets::put(job, present);
  }

  /// What was found by the last search for the earliest time, of those before.
  [[nodiscard]] const std::vector<StartSearch::Bound>& tried() const { return search_.tried(); }

  /// The starts at which tasks of a job have room on some nodes, by themselves.
  struct Use {
    Time first = never;
    Time last = 0;           // or before
    std::int64_t tasks = 0;  // or fewer
  };
  /// Adds those in [from, latest] for which a task has room on one of these nodes as long as the job is planned for,
  /// windows apart.
  void add_use(const NodeRange& nodes, const Job& job, const Amount* amounts, Time from, Time latest, Use& use) const;

  /// Whether these nodes have room for their tasks of the job from `start` on.
  [[nodiscard]] bool holds(const NodeRun& nodes, const Job& job, const Amount* amounts, Time start) const;
  /// Whether the job's licenses are free from `start` on.
  [[nodiscard]] bool licensed(const Job& job, Time start) const {
    return job.licenses == Licenses::none || first_licensed(job, start, start) == start;
  }

  /// Whether more is planned than there is, at any time from now on before `until`.
  [[nodiscard]] bool overfull(Time until) const;

  /// The job that is about to be placed now.
  void consider(const Job& job, const Amount* amounts);
  [[nodiscard]] bool closed(std::uint32_t node) const override;
  std::uint32_t at_most(std::uint32_t node, std::uint32_t tasks) override;
  using NodeLimit::take;  // nothing is noted: a job that started is taken with its nodes

 private:
  [[nodiscard]] Time earliest_in_set(const Job& job, const Amount* amounts, Time from, Time latest);
  [[nodiscard]] Time earliest_choice(const Job& job, const Amount* amounts, Time from, Time latest);
  void pin_in_set(const Job& job, const Amount* amounts, Time start, Placement& nodes);
  void change(const Placement& nodes, const Job& job, const Amount* amounts, Time from, Time to, int sign);
  [[nodiscard]] std::uint32_t room(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to) const;
  [[nodiscard]] Time first_licensed(const Job& job, Time from, Time latest) const;

  Time now_ = 0;
  AlikeNodes nodes_;
  AlikeNodes licenses_;  // as if they were what one node has
  const Machine* machine_ = nullptr;
  const Windows* windows_ = nullptr;
  const Job* job_ = nullptr;
  const Amount* amounts_ = nullptr;
  bool licensed_ = true;  // the job considered

  // Kept for their memory.
  StartSearch search_;
  ClosedNodes closed_nodes_;  // to the job considered,
  ClosedNodes closed_to_pinned_;
  ClosedParts closed_parts_;
};

}  // namespace schedlab
