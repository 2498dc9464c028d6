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

/// A plan for conservative.cpp, which says what it must do.
class ReservedNodes {
 public:
  void begin(const State& state);
  void advance(const State& state);
  void ended(const RunningJob& job);
  void release_ended();
  bool extend(const State& state, const RunningJob& entry, Time until);
  [[nodiscard]] bool overfull(Time until) const { return plan_.overfull(until); }

  Time reserve(const State& state, const WaitingJob& entry, Time from) { return reserve(state, entry, from, never); }
  void release(const State& state, const WaitingJob& entry, Time start);

  /// What is gained by a move is of use to the jobs before it the next time.
  class Moves {
   public:
    Moves(ReservedNodes& plan, const State& state) : plan_(plan), state_(state) {}

    [[nodiscard]] static bool none() { return false; }
    [[nodiscard]] static bool none_of(const WaitingSummary&) { return false; }
    Time move(const WaitingJob& entry, Time old);
    void finish();

   private:
    struct Left {
      Placement nodes;
      Time from;
      Time to;
    };
    ReservedNodes& plan_;
    const State& state_;
    std::vector<Left> left_;  // by those that moved
  };

  /// The job need not run where it was reserved: it may have whatever stays free for as long as it is planned.
  NodeLimit* limit_of_start(const State& state, const WaitingJob& entry);
  void started(const State& state, const WaitingJob& entry);
  static void refused(const State&, const WaitingJob&) {}  // it was taken out of the plan before

  void archive(Archive& archive) { archive(now_, plan_, held_, ended_, gains_, gained_nodes_); }
  [[nodiscard]] bool knows(Slot slot) const { return slot < held_.size(); }
  void check_saved(const State& state) const;

 private:
  /// What a job has of the plan: a waiting one from its start on, a running one until `end`.
  struct Held {
    Time end = never;
    Placement nodes;
    std::vector<Amount> amounts;  // per task; of an ended job nothing else knows them
    Job request;
    void archive(Archive& archive) { archive(end, nodes, amounts, request); }
  };
  /// Where more may be free on a node than when jobs were last moved.
  struct Gain {
    Time from = 0;
    Time to = 0;  // 0: nowhere
    void archive(Archive& archive) { archive(from, to); }
  };

  Held& held(Slot slot) {
    if (slot >= held_.size()) held_.resize(slot + 1);
    return held_[slot];
  }
  Time reserve(const State& state, const WaitingJob& entry, Time from, Time latest);
  void put_back(const State& state, Slot slot, Time start);
  void note_running(const State& state, Slot slot, Time end);
  void note_gain(const Placement& nodes, Time from, Time to);
  [[nodiscard]] bool may_gain(const State& state, Slot slot, Time start) const;

  Time now_ = 0;
  NodePlan plan_;
  std::vector<Held> held_;   // by slot
  std::vector<Held> ended_;  // since the last call
  std::vector<Gain> gains_;  // per node
  std::vector<std::uint32_t> gained_nodes_;
};

}  // namespace schedlab
