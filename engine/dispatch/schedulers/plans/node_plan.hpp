// What will be free on each node when, by the estimates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/state.hpp"
#include "machine/closed_nodes.hpp"
#include "machine/machine.hpp"

namespace schedlab {

/// Running jobs and reservations, each on definite nodes. As a limit, it lets a job that is to start have what stays
/// free as long as it runs.
class NodePlan final : public NodeLimit {
 public:
  /// Begins anew, with all nodes free.
  void clear(const Machine& machine, Time now);

  /// Says where things are in this call of the scheduler, and forgets what lies before `now`.
  void advance(const Machine& machine, const Windows& windows, Time now);

  void archive(Archive& archive) { archive(types_, now_, nodes_); }
  void check_saved(const Machine& machine) const;

  /// The running jobs, each until its expected end.
  void add_running(const State& state);

  /// Takes what the tasks on these nodes hold out of [from, to), or puts it back.
  void take(const Placement& nodes, const Job& job, const Amount* amounts, Time from, Time to) {
    change(nodes, job, amounts, from, to, -1);
  }
  void put_back(const Placement& nodes, const Job& job, const Amount* amounts, Time from, Time to) {
    change(nodes, job, amounts, from, to, 1);
  }

  /// The earliest time from `from` on, which is not before now, and no later than `latest`, at which all tasks have
  /// room as long as the job is planned for; `never` if there is none.
  [[nodiscard]] Time earliest(const Job& job, const Amount* amounts, Time from, Time latest = never);
  [[nodiscard]] Time earliest(const Job& job, const Amount* amounts) { return earliest(job, amounts, now_); }

  /// The first nodes by number with room for all tasks from `start` on; there must be enough.
  void pin(const Job& job, const Amount* amounts, Time start, Placement& nodes);

  /// Whether a task of the job has room on the node at any time in [from, to), by itself.
  [[nodiscard]] bool room_at_all(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to) const;

  /// Whether more is planned than there is, at any time from now on before `until`.
  [[nodiscard]] bool overfull(Time until) const;

  /// The job that is about to be placed now.
  void consider(const Job& job, const Amount* amounts);
  [[nodiscard]] bool closed(std::uint32_t node) const override;
  std::uint32_t at_most(std::uint32_t node, std::uint32_t tasks) override;
  using NodeLimit::take;  // nothing is noted: a job that started is taken with its nodes

 private:
  /// What is free from `from` on until the next step; the first step reaches back for ever, the last one on.
  struct Steps {
    std::vector<Time> from;
    std::vector<Amount> free;  // [step * types + type]
    void archive(Archive& archive) { archive(from, free); }
  };
  struct Change {
    Time time;
    bool loses;  // after the time, not at it
    std::int64_t room;
  };

  void change(const Placement& nodes, const Job& job, const Amount* amounts, Time from, Time to, int sign);
  [[nodiscard]] std::size_t cut(Steps& steps, Time time) const;
  void join(Steps& steps, std::size_t step) const;
  [[nodiscard]] std::uint32_t room(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to) const;
  [[nodiscard]] Time earliest_between(const Job& job, const Amount* amounts, Time from, Time to);
  [[nodiscard]] Time last_change() const;
  void find_closed_times(const Job& job, Time from, Time to);
  void find_scarce_times(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to);
  void add_changes(std::uint32_t node, const Job& job, Time from, Time to);

  std::size_t types_ = 0;
  Time now_ = 0;
  std::vector<Steps> nodes_;
  const Machine* machine_ = nullptr;
  const Windows* windows_ = nullptr;
  const Job* job_ = nullptr;
  const Amount* amounts_ = nullptr;

  // Kept for their memory.
  /// A time with less than full room. A list of them goes up, none of them overlaps another.
  struct Stretch {
    Time from;
    Time to;
    std::uint32_t room;
  };
  std::vector<Stretch> scarce_;               // of a node, by what is planned
  std::vector<std::vector<Stretch>> closed_;  // per part of the machine, by windows; one empty list without them
  std::vector<Change> changes_;
  ClosedNodes closed_nodes_;  // to the job considered,
  ClosedNodes closed_to_pinned_;
  ClosedParts closed_parts_;
};

}  // namespace schedlab
