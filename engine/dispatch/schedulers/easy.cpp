// EASY backfilling (Lifka 1995; Mu'alem and Feitelson 2001).
//
// The first job that cannot start holds a reservation, made anew in each call; jobs after it start where they leave it
// alone. What is reserved, processors or room on nodes, is the plan's business. It must offer
//   hold(state, head, free, same,            reserves for the head; whether jobs that were passed over at the last call
//        refusals_last)                      would be passed over again. `same`: the head is, and no job ended since
//   overtaken()                              a job started from the front of the queue
//   shadow(), spare()                        the reserved start; how many processors a job that ends after it may have
//   any_fits(free)                           whether a job may fit while N processors are free
//   may_fit(state, job, ends_before)         a quick look, before the allocator is asked
//   limit_of_start(state, job, ends_before)  what the job must leave alone; then comes one of the next two
//   started(state, job, free, ends_before)   the processors that are free now
//   refused(state, job, ends_before)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "dispatch/schedulers/plans/head_on_counts.hpp"
#include "dispatch/schedulers/plans/head_on_nodes.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

namespace {

template <class Plan>
class Easy final : public Scheduler {
 public:
  explicit Easy(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] bool only_starts() const override { return true; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_nodes() const override {
    if constexpr (std::is_same_v<Plan, HeadOnNodes>) {
      return nullptr;
    } else {
      return std::make_unique<Easy<HeadOnNodes>>(depth_);
    }
  }
  void queued(const WaitingJob& job) override { fresh_.push_back(job); }
  void ended(const RunningJob&) override { changed_ = true; }
  void windows_changed() override { changed_ = true; }
  void machine_changed() override { changed_ = true; }

  void dispatch(Dispatch& dispatch) override {
    const WaitingQueue& queue = dispatch.queue();
    WaitingQueue::Position where{0, 0};
    while (!queue.empty() && dispatch.try_start(where)) {
      where = {0, 0};
      plan_.overtaken();
    }
    if (!queue.empty()) backfill(dispatch);
    fresh_.clear();
    changed_ = false;
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Easy>(*this); }

 private:
  void backfill(Dispatch& dispatch) {
    now_ = dispatch.now();
    free_ = dispatch.machine().free_processors();
    const WaitingJob head = dispatch.queue().front();
    const bool same = !changed_ && head.sequence == blocked_sequence_;
    blocked_sequence_ = head.sequence;
    // With a depth limit a start lets the walk go farther than the last one.
    if (plan_.hold(dispatch, head, free_, same && depth_ == no_depth_limit, [&] { return dispatch.refusals_last(); })) {
      backfill_fresh(dispatch);
    } else {
      backfill_queue(dispatch);
    }
  }

  [[nodiscard]] bool ends_before(const WaitingJob& job) const { return later(now_, job.estimate) <= plan_.shadow(); }

  /// Whether one of the summarized jobs may start.
  [[nodiscard]] bool may_have_one(const WaitingSummary& jobs) const {
    return jobs.smallest <= free_ &&
           (jobs.smallest <= plan_.spare() || later(now_, jobs.shortest_within(free_)) <= plan_.shadow());
  }

  /// Starts the job there if it fits and leaves the head alone; else `where` is as before.
  bool start(Dispatch& dispatch, const WaitingJob& job, WaitingQueue::Position& where, bool ends_before) {
    if (!plan_.may_fit(dispatch, job, ends_before)) return false;
    if (!dispatch.try_start(where, plan_.limit_of_start(dispatch, job, ends_before))) {
      plan_.refused(dispatch, job, ends_before);
      return false;
    }
    free_ = plan_.started(dispatch, job, free_, ends_before);
    return true;
  }

  void backfill_fresh(Dispatch& dispatch) {
    for (WaitingJob& job : fresh_) job.key = dispatch.jobs()[job.slot].key;
    std::sort(fresh_.begin(), fresh_.end());
    for (const WaitingJob& job : fresh_) {
      if (job.processors > free_) continue;
      const bool before = ends_before(job);
      if (!before && job.processors > plan_.spare()) continue;
      WaitingQueue::Position where = dispatch.queue().find(job);
      if (where.block < dispatch.queue().blocks()) start(dispatch, job, where, before);
    }
  }

  void backfill_queue(Dispatch& dispatch) {
    walk_after_head(
        dispatch.queue(), depth_, [&] { return Plan::any_fits(free_); },
        [&](const WaitingSummary& jobs) { return may_have_one(jobs); },
        [&](const WaitingJob& job, WaitingQueue::Position& where) {
          if (job.processors > free_) return false;
          const bool before = ends_before(job);
          return (before || job.processors <= plan_.spare()) && start(dispatch, job, where, before);
        });
  }

  std::size_t depth_;
  Plan plan_;
  std::uint64_t blocked_sequence_ = 0;
  std::vector<WaitingJob> fresh_;  // joined the queue since the last call
  bool changed_ = false;           // a job ended, a window began or ended, or nodes came or went since the last call
  Time now_ = 0;                   // of the pass
  std::int64_t free_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_easy(std::size_t depth) { return std::make_unique<Easy<HeadOnCounts>>(depth); }

}  // namespace schedlab
