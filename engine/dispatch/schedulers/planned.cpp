// Backfilling around several reservations, all made anew in every call: EASY with more than one.
//
// What is reserved, processors or nodes, is the plan's business. It must offer
//   begin(dispatch)                 with what runs, and no reservations
//   start(dispatch, job, where)     starts the job there where that leaves what is reserved alone, which moves `where`
//   on,
//                                   and returns true; or does nothing
//   reserve(dispatch, job)          the earliest place, for the rest of the call
//   finish(dispatch)                after the last job
//   ended(job), windows_changed(), machine_changed()   what happened since the last call
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "dispatch/schedulers/pinned_plan.hpp"
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

  // It is made anew, whatever happened.
  static void finish(const Dispatch&) {}
  static void ended(const RunningJob&) {}
  static void windows_changed() {}
  static void machine_changed() {}

 private:
  Time now_ = 0;
  Profile profile_;
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
    plan_.finish(dispatch);
  }
  void ended(const RunningJob& job) override { plan_.ended(job); }
  void windows_changed() override { plan_.windows_changed(); }
  void machine_changed() override { plan_.machine_changed(); }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Planned>(*this); }

 private:
  std::size_t depth_;
  std::size_t reservations_;
  Plan plan_;  // of one call; what it keeps from call to call only makes it faster
};

}  // namespace

std::unique_ptr<Scheduler> make_planned(std::size_t depth, std::size_t reservations) {
  return std::make_unique<Planned<CountedPlan>>(depth, reservations);
}

}  // namespace schedlab
