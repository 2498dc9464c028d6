// Backfilling around several reservations, all made anew in every call: EASY with more than one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "dispatch/schedulers/plans/node_plan.hpp"
#include "dispatch/schedulers/plans/profile.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

namespace {

/// Walks the queue: starts what may start, and lets the first few that may not hold a reservation. `Plan` says what may
/// start and finds the reservations.
template <class Plan>
void walk(Dispatch& dispatch, Plan& plan, std::size_t depth, std::size_t reservations) {
  const WaitingQueue& queue = dispatch.queue();
  std::size_t reserved = 0;
  WaitingQueue::Position where{0, 0};
  while (where.block < queue.blocks() && depth > 0) {
    const std::size_t size = queue.entries(where.block).size();
    const bool all_too_large = where.index == 0 && reserved == reservations &&
                               queue.summary(where.block).smallest > dispatch.machine().free_processors();
    if (where.index == size || all_too_large) {
      depth -= reserved > 0 ? std::min(depth, size - where.index) : 0;
      where = {where.block + 1, 0};
      continue;
    }
    if (reserved > 0) --depth;
    const WaitingJob job = queue.at(where);
    if (plan.start(dispatch, job, where)) continue;
    if (reserved < reservations) {
      plan.reserve(dispatch, job);
      ++reserved;
    }
    ++where.index;
  }
}

/// On counts of processors.
class CountedPlan {
 public:
  void begin(const Dispatch& dispatch) {
    now_ = dispatch.now();
    profile_ = Profile(now_, dispatch.machine().free_processors());
    const Time soonest = later(now_, second);
    for (std::size_t block = 0; block < dispatch.running().blocks(); ++block) {
      for (const RunningJob& job : dispatch.running().entries(block)) {
        profile_.add(std::max(job.estimated_end, soonest), never, job.processors);
      }
    }
  }

  bool start(Dispatch& dispatch, const WaitingJob& job, WaitingQueue::Position& where) {
    if (job.processors > dispatch.machine().free_processors()) return false;
    const Time end = later(now_, std::max(job.estimate, second));
    if (profile_.least_free(now_, end) < job.processors || !dispatch.try_start(where)) return false;
    profile_.add(now_, end, -static_cast<std::int64_t>(job.processors));
    return true;
  }

  void reserve(const Dispatch&, const WaitingJob& job) {
    const Time length = std::max(job.estimate, second);
    const Time start = profile_.earliest(now_, length, job.processors);
    if (start == never) return;  // beyond all time
    profile_.add(start, later(start, length), -static_cast<std::int64_t>(job.processors));
  }

 private:
  Time now_ = 0;
  Profile profile_;
};

/// On nodes: every reservation holds definite ones.
class PinnedPlan {
 public:
  void begin(const Dispatch& dispatch) {
    now_ = dispatch.now();
    plan_.clear(dispatch.machine(), now_);
    plan_.add_running(dispatch);
  }

  bool start(Dispatch& dispatch, const WaitingJob& entry, WaitingQueue::Position& where) {
    if (entry.processors > dispatch.machine().free_processors()) return false;
    const Job& job = dispatch.jobs()[entry.slot];
    const Amount* amounts = dispatch.jobs().amounts(entry.slot);
    plan_.consider(job, amounts);
    if (!dispatch.try_start(where, &plan_)) return false;
    plan_.take(job.placement, job, amounts, now_, later(now_, job.planned_length()));
    return true;
  }

  void reserve(const Dispatch& dispatch, const WaitingJob& entry) {
    const Job& job = dispatch.jobs()[entry.slot];
    const Amount* amounts = dispatch.jobs().amounts(entry.slot);
    const Time start = plan_.earliest(job, amounts);
    if (start == never) return;
    plan_.pin(job, amounts, start, pinned_);
    plan_.take(pinned_, job, amounts, start, later(start, job.planned_length()));
  }

 private:
  Time now_ = 0;
  NodePlan plan_;
  Placement pinned_;
};

template <class Plan>
class Planned final : public Scheduler {
 public:
  Planned(std::size_t depth, std::size_t reservations) : depth_(depth), reservations_(reservations) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] bool only_starts() const override { return true; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_nodes() const override {
    if constexpr (std::is_same_v<Plan, PinnedPlan>) {
      return nullptr;
    } else {
      return std::make_unique<Planned<PinnedPlan>>(depth_, reservations_);
    }
  }

  void dispatch(Dispatch& dispatch) override {
    plan_.begin(dispatch);
    walk(dispatch, plan_, depth_, reservations_);
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Planned>(*this); }

 private:
  std::size_t depth_;
  std::size_t reservations_;
  Plan plan_;  // of one call, kept for its memory
};

}  // namespace

std::unique_ptr<Scheduler> make_planned(std::size_t depth, std::size_t reservations) {
  return std::make_unique<Planned<CountedPlan>>(depth, reservations);
}

}  // namespace schedlab
