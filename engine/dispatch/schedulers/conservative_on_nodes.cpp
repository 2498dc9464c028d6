// Conservative backfilling for any requests: every waiting job holds definite nodes from a definite time on.
//
// The steps are those of conservative.cpp. A reservation there is a number of processors, which any will do; here it
// must be tied to nodes, or two of them could rely on the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/schedulers/plans/node_plan.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

namespace {

class ConservativeOnNodes final : public Scheduler {
 public:
  explicit ConservativeOnNodes(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool needs_running() const override { return true; }

  void queued(const WaitingJob& job) override { held(job.slot) = {}; }

  void ended(const RunningJob& job) override {
    any_ended_ = true;
    Held& held = this->held(job.slot);
    if (laid_) ended_.push_back(held);
    held = {};
  }

  void windows_changed() override { any_ended_ = true; }
  void machine_changed() override { laid_ = false; }

  void dispatch(Dispatch& dispatch) override {
    now_ = dispatch.now();
    if (!laid_) {
      // At the first call, and after nodes failed or were repaired, everything is planned anew.
      plan_.clear(dispatch.machine(), now_);
      gains_.assign(dispatch.machine().nodes(), {});
      gained_nodes_.clear();
      ended_.clear();
      for (Held& held : held_) held = {};
    }
    plan_.advance(dispatch.machine(), dispatch.windows(), now_);
    release_ended();
    const bool late = plan_running(dispatch);
    if (late || reserved_before_now(dispatch.queue())) put_back_due(dispatch);
    if (any_ended_) compress(dispatch);
    any_ended_ = false;
    reserve_new(dispatch);
    start_due(dispatch);
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override {
    return std::make_unique<ConservativeOnNodes>(*this);
  }
  void archive(Archive& archive) override {
    archive(now_, laid_, any_ended_, delayed_, plan_, held_, ended_, gains_, gained_nodes_);
  }
  void check_saved(const State& state) const override {
    if (!laid_) return;  // everything is planned anew
    const Machine& machine = state.machine();
    plan_.check_saved(machine);
    Archive::require(held_.size() <= state.jobs().slots(), "plans for jobs that are not there");
    Archive::require(gains_.size() == machine.nodes(), "a plan is of another machine");
    for (const std::uint32_t node : gained_nodes_) Archive::require(node < machine.nodes(), "a node is not there");
    for (const Held& held : held_) schedlab::check_saved(held.nodes, machine.nodes());
    for (const Held& held : ended_) {
      schedlab::check_saved(held.nodes, machine.nodes());
      Archive::require(held.nodes.empty() || held.amounts.size() == machine.types(), "amounts of a plan are missing");
    }
  }

 private:
  /// What a job has of the plan: a waiting one from `start` on, a running one until `end`.
  struct Held {
    Time start = never;
    Time end = never;
    Placement nodes;
    std::vector<Amount> amounts;  // per task; of an ended job nobody else knows them
    Job request;
    void archive(Archive& archive) { archive(start, end, nodes, amounts, request); }
  };

  Held& held(Slot slot) {
    if (slot >= held_.size()) held_.resize(slot + 1);
    return held_[slot];
  }

  void release_ended() {
    for (const Held& held : ended_) {
      plan_.put_back(held.nodes, held.request, held.amounts.data(), now_, held.end);
      note_gain(held.nodes, now_, held.end);
    }
    ended_.clear();
  }

  /// More became free on these nodes in [from, to).
  void note_gain(const Placement& nodes, Time from, Time to) {
    from = std::max(from, now_);
    if (from >= to) return;
    for (const NodeRun& run : nodes) {
      for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
        Gain& gain = gains_[node];
        if (gain.to == 0) gained_nodes_.push_back(node);
        gain = {gain.to == 0 ? from : std::min(gain.from, from), std::max(gain.to, to)};
      }
    }
  }

  void forget_gains() {
    for (const std::uint32_t node : gained_nodes_) gains_[node] = {};
    gained_nodes_.clear();
  }

  /// Whether something that was gained is of use to a waiting job. If not, it is at its earliest place as it is.
  [[nodiscard]] bool may_gain(const Dispatch& dispatch, Slot slot) const {
    const Job& job = dispatch.jobs()[slot];
    const Amount* amounts = dispatch.jobs().amounts(slot);
    const Held& held = held_[slot];
    const Time end = later(held.start, job.planned_length());
    return std::any_of(gained_nodes_.begin(), gained_nodes_.end(), [&](std::uint32_t node) {
      const Gain& gain = gains_[node];
      const Time from = std::max({gain.from, now_, job.not_before});
      if (from >= std::min(gain.to, end)) return false;
      for (const NodeRun& run : held.nodes) {
        if (node - run.first < run.count) return true;  // its own
      }
      return plan_.room_at_all(node, job, amounts, from, std::min(gain.to, end));
    });
  }

  /// Plans running jobs past their estimate until a second from now, and at the first call all of them; true where that
  /// takes what others have reserved.
  bool plan_running(const Dispatch& dispatch) {
    const Time soonest = later(now_, second);
    bool changed = false;
    const RunningJobs& running = dispatch.running();
    for (std::size_t block = 0; block < running.blocks(); ++block) {
      for (const RunningJob& entry : running.entries(block)) {
        const bool late = laid_ && entry.estimated_end >= soonest;
        if (late && !delayed_) return changed && plan_.overfull(soonest);
        const Job& job = dispatch.jobs()[entry.slot];
        const Amount* amounts = dispatch.jobs().amounts(entry.slot);
        Held& held = this->held(entry.slot);
        if (!laid_) note_running(dispatch, entry.slot, now_);
        const Time end = late ? soonest : std::max(entry.estimated_end, soonest);
        if (held.end >= end) continue;
        plan_.take(job.placement, job, amounts, std::max(now_, held.end), end);
        held.end = end;
        changed = true;
      }
    }
    const bool collides = laid_ && changed && plan_.overfull(soonest);
    laid_ = true;
    return collides;
  }

  void note_running(const Dispatch& dispatch, Slot slot, Time end) {
    const Job& job = dispatch.jobs()[slot];
    const Amount* amounts = dispatch.jobs().amounts(slot);
    Held& held = this->held(slot);
    held.start = never;
    held.end = end;
    held.nodes = job.placement;
    held.amounts.assign(amounts, amounts + dispatch.machine().types());
    held.request.whole_nodes = job.whole_nodes;
  }

  [[nodiscard]] bool reserved_before_now(const WaitingQueue& queue) const {
    bool before = false;
    for_each(queue, [&](const WaitingJob& job) { before = before || starts_at(job.slot) < now_; });
    return before;
  }

  /// Those that are due make room for each other, and for everybody.
  void put_back_due(const Dispatch& dispatch) {
    std::vector<Slot> due;
    for_each(dispatch.queue(), [&](const WaitingJob& job) {
      if (starts_at(job.slot) < later(now_, second)) due.push_back(job.slot);
    });
    for (const Slot slot : due) {
      note_gain(held_[slot].nodes, held_[slot].start, later(held_[slot].start, dispatch.jobs()[slot].planned_length()));
      release(dispatch, slot);
    }
    for (const Slot slot : due) reserve(dispatch, slot);
  }

  /// Each job that may move, in queue order. What is gained by a move is of use to those before it the next time.
  void compress(const Dispatch& dispatch) {
    std::vector<Moved> moves;
    for_each(dispatch.queue(), [&](const WaitingJob& job) {
      if (starts_at(job.slot) == never || !may_gain(dispatch, job.slot)) return;
      const Held before = held_[job.slot];
      const Time end = later(before.start, dispatch.jobs()[job.slot].planned_length());
      release(dispatch, job.slot);
      reserve(dispatch, job.slot, before.start);
      if (held_[job.slot].start == before.start && same(held_[job.slot].nodes, before.nodes)) return;
      note_gain(before.nodes, before.start, end);
      moves.push_back({before.nodes, before.start, end});
    });
    forget_gains();
    for (const Moved& move : moves) note_gain(move.nodes, move.start, move.end);
  }

  static bool same(const Placement& a, const Placement& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const NodeRun& x, const NodeRun& y) {
      return x.first == y.first && x.count == y.count && x.tasks == y.tasks;
    });
  }

  void reserve_new(const Dispatch& dispatch) {
    std::size_t left = depth_;
    for_each(dispatch.queue(), [&](const WaitingJob& job) {
      if (left == 0) return;
      --left;
      if (starts_at(job.slot) == never) reserve(dispatch, job.slot);
    });
  }

  void start_due(Dispatch& dispatch) {
    std::vector<WaitingJob> due;
    for_each(dispatch.queue(), [&](const WaitingJob& job) {
      if (starts_at(job.slot) == now_) due.push_back(job);
    });
    for (const WaitingJob& entry : due) {
      const Job& job = dispatch.jobs()[entry.slot];
      const Amount* amounts = dispatch.jobs().amounts(entry.slot);
      note_gain(held_[entry.slot].nodes, now_, later(now_, job.planned_length()));  // it may get other nodes
      release(dispatch, entry.slot);
      plan_.consider(job, amounts);
      WaitingQueue::Position where = dispatch.queue().find(entry);
      if (!dispatch.try_start(where, &plan_)) {
        if (!dispatch.may_refuse()) dispatch.refuse_due(entry.slot);
        continue;  // without a reservation, until the next call
      }
      const Time end = later(now_, job.planned_length());
      plan_.take(job.placement, job, amounts, now_, end);
      note_running(dispatch, entry.slot, end);
      delayed_ = delayed_ || job.start > now_;
    }
  }

  struct Gain {
    Time from = 0;
    Time to = 0;  // 0: none
    void archive(Archive& archive) { archive(from, to); }
  };
  struct Moved {
    Placement nodes;
    Time start;
    Time end;
  };

  [[nodiscard]] Time starts_at(Slot slot) const { return slot < held_.size() ? held_[slot].start : never; }

  void release(const Dispatch& dispatch, Slot slot) {
    const Job& job = dispatch.jobs()[slot];
    Held& held = this->held(slot);
    plan_.put_back(held.nodes, job, dispatch.jobs().amounts(slot), held.start, later(held.start, job.planned_length()));
    held.start = never;
  }

  /// Where the plan reaches beyond the largest time there is, the job has no reservation for now.
  void reserve(const Dispatch& dispatch, Slot slot, Time latest = never) {
    const Job& job = dispatch.jobs()[slot];
    const Amount* amounts = dispatch.jobs().amounts(slot);
    const Time start = plan_.earliest(job, amounts, latest);
    if (start == never || later(start, job.planned_length()) == never) return;
    Held& held = this->held(slot);
    held.start = start;
    plan_.pin(job, amounts, start, held.nodes);
    plan_.take(held.nodes, job, amounts, start, later(start, job.planned_length()));
  }

  template <class Visit>
  static void for_each(const WaitingQueue& queue, Visit visit) {
    for (std::size_t block = 0; block < queue.blocks(); ++block) {
      for (const WaitingJob& job : queue.entries(block)) visit(job);
    }
  }

  std::size_t depth_;
  Time now_ = 0;
  bool laid_ = false;  // at the first call
  bool any_ended_ = false;
  bool delayed_ = false;  // some job began later than planned, because its nodes had to wake
  NodePlan plan_;
  std::vector<Held> held_;   // by slot
  std::vector<Held> ended_;  // since the last call
  std::vector<Gain> gains_;  // per node: where more may be free than when jobs were last moved
  std::vector<std::uint32_t> gained_nodes_;
};

}  // namespace

std::unique_ptr<Scheduler> make_conservative_on_nodes(std::size_t depth) {
  return std::make_unique<ConservativeOnNodes>(depth);
}

}  // namespace schedlab
