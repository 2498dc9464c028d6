// Kept reservations of definite nodes, for any requests: two that are not tied to nodes could rely on the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/schedulers/plans/node_plan.hpp"
#include "dispatch/state.hpp"

namespace schedlab {

/// A plan for conservative.cpp, which says what it must do; and what pinned_plan.hpp is made of.
class ReservedNodes {
 public:
  void begin(const State& state);
  void advance(const State& state);
  void ended(const RunningJob& job);
  void release_ended();
  bool extend(const State& state, const RunningJob& entry, Time until);
  [[nodiscard]] bool overfull(Time until) const { return plan_.overfull(until); }

  Time reserve(const State& state, const WaitingJob& entry, Time from, Time latest = never);
  void release(const State& state, const WaitingJob& entry, Time start);

  /// Takes a job's place out of the plan for a while, or puts it in again; nothing counts as gained.
  void set_aside(const State& state, Slot slot, Time start);
  void put_in_place(const State& state, Slot slot, Time start);
  /// Whether a place that was set aside is still free.
  [[nodiscard]] bool still_free(const State& state, Slot slot, Time start) const;
  /// What the place of a job gives is gained by others; it is out of the plan.
  void give_up(const State& state, Slot slot, Time start);

  /// Where more may be free than when jobs were last moved.
  struct Gain {
    std::uint32_t first;  // of the nodes
    std::uint32_t count;
    Time from;
    Time to;
    std::uint32_t licenses;  // that whoever gave them gave with them
    void archive(Archive& archive) { archive(first, count, from, to, licenses); }
  };
  [[nodiscard]] const std::vector<Gain>& gains() const { return gains_; }
  void forget_gains() { gains_.clear(); }
  /// The starts, no later than its present one, at which a waiting job may use what was gained. If there are
  /// none, it is at its earliest place as it is. Its place must be set aside, or what was gained on its nodes is not
  /// seen.
  [[nodiscard]] NodePlan::Use use_of_gains(const State& state, Slot slot, Time start) const;
  /// A waiting job whose place was set aside, and is still free, gets it again or a better one; its start.
  Time reserve_again(const State& state, const WaitingJob& entry, Time old);

  /// What is gained by a move is of use to the jobs before it the next time.
  class Moves {
   public:
    Moves(ReservedNodes& plan, const State& state) : plan_(plan), state_(state) {}

    [[nodiscard]] bool none() const { return plan_.gains_.empty(); }
    [[nodiscard]] static bool none_of(const WaitingSummary&) { return false; }
    Time move(const WaitingJob& entry, Time old);
    void finish() { plan_.gains_ = std::move(left_); }

   private:
    ReservedNodes& plan_;
    const State& state_;
    std::vector<Gain> left_;  // by those that moved
  };

  /// What stays free as long as the job runs.
  NodeLimit* limit(const State& state, Slot slot);
  /// The job need not run where it was reserved: it may have whatever stays free.
  NodeLimit* limit_of_start(const State& state, const WaitingJob& entry) {
    release(state, entry, now_);
    return limit(state, entry.slot);
  }
  void started(const State& state, const WaitingJob& entry);
  void refused(const State& state, const WaitingJob& entry);

  void archive(Archive& archive) { archive(now_, plan_, held_, ended_, gains_); }
  [[nodiscard]] bool knows(Slot slot) const { return slot < held_.size(); }
  void check_saved(const State& state) const;

 private:
  /// What a job has of the plan: a waiting one from its start on, a running one until `end`.
  struct Held {
    Time end = never;
    Placement nodes;
    std::vector<Amount> amounts;  // per task; of an ended job nothing else knows them
    Job request;
    std::vector<StartSearch::Bound> bounds;  // of a waiting job: for starts before its own; they only save searches
    void archive(Archive& archive) { archive(end, nodes, amounts, request); }
  };

  Held& held(Slot slot) {
    if (slot >= held_.size()) held_.resize(slot + 1);
    return held_[slot];
  }
  Time search_again(const State& state, Slot slot, Time old, const NodePlan::Use& use);
  void note_bounds(std::vector<StartSearch::Bound>& bounds, Time from, Time to, Time end, std::int64_t unknown) const;
  void note_running(const State& state, Slot slot, Time end);
  void note_gain(const Placement& nodes, std::uint32_t licenses, Time from, Time to);
  [[nodiscard]] bool may_gain(const State& state, Slot slot, Time start) const;

  Time now_ = 0;
  NodePlan plan_;
  std::vector<Held> held_;   // by slot
  std::vector<Held> ended_;  // since the last call
  std::vector<Gain> gains_;
  Placement nodes_before_;  // kept for its memory
};

}  // namespace schedlab
