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
#include "dispatch/schedulers/ranked_jobs.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

namespace {

template <class Plan, class Jobs>
class Easy final : public Scheduler {
 public:
  explicit Easy(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] bool only_starts() const override { return true; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_nodes() const override {
    if constexpr (std::is_same_v<Plan, HeadOnNodes>) {
      return nullptr;
    } else {
      return std::make_unique<Easy<HeadOnNodes, Jobs>>(depth_);
    }
  }
  [[nodiscard]] bool ranks_jobs() const override { return std::is_same_v<Jobs, RankedJobs>; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_changing_order() const override {
    return ranks_jobs() ? nullptr : std::make_unique<Easy<Plan, RankedJobs>>(depth_);
  }
  void queued(const WaitingJob& job) override {
    fresh_.push_back(job);
    jobs_.queued(job);
  }
  void ended(const RunningJob&) override { changed_ = true; }
  void windows_changed() override { changed_ = true; }
  void machine_changed() override { changed_ = true; }

  void dispatch(Dispatch& dispatch) override {
    const WaitingQueue& queue = dispatch.queue();
    jobs_.begin(dispatch);
    WaitingQueue::Position first = jobs_.first(dispatch);
    while (!queue.empty() && jobs_.try_start(dispatch, first)) {
      first = jobs_.first(dispatch);
      plan_.overtaken();
    }
    if (!queue.empty()) backfill(dispatch, queue.at(first));
    fresh_.clear();
    changed_ = false;
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Easy>(*this); }

 private:
  void backfill(Dispatch& dispatch, const WaitingJob head) {
    now_ = dispatch.now();
    free_ = dispatch.machine().free_processors();
    const bool same = !changed_ && head.sequence == blocked_sequence_;
    blocked_sequence_ = head.sequence;
    // With a depth limit a start lets the walk go farther than the last one.
    if (plan_.hold(dispatch, head, free_, same && depth_ == no_depth_limit, [&] { return dispatch.refusals_last(); })) {
      backfill_fresh(dispatch);
    } else {
      backfill_queue(dispatch);
    }
  }

  [[nodiscard]] bool may_start(const WaitingJob& job) const {
    return job.processors <= free_ && (later(now_, job.estimate) <= plan_.shadow() || job.processors <= plan_.spare());
  }

  /// Whether one of the summarized jobs may start.
  [[nodiscard]] bool may_have_one(const WaitingSummary& jobs) const {
    return jobs.smallest <= free_ &&
           (jobs.smallest <= plan_.spare() || later(now_, jobs.shortest_within(free_)) <= plan_.shadow());
  }

  /// Starts the job there if it fits and leaves the head alone; else `where` is as before.
  bool start(Dispatch& dispatch, const WaitingJob& job, WaitingQueue::Position& where) {
    const bool ends_before = later(now_, job.estimate) <= plan_.shadow();
    if (!plan_.may_fit(dispatch, job, ends_before)) return false;
    if (!jobs_.try_start(dispatch, where, plan_.limit_of_start(dispatch, job, ends_before))) {
      plan_.refused(dispatch, job, ends_before);
      return false;
    }
    free_ = plan_.started(dispatch, job, free_, ends_before);
    return true;
  }

  void backfill_fresh(Dispatch& dispatch) {
    jobs_.sort(dispatch, fresh_);
    for (const WaitingJob& job : fresh_) {
      if (!may_start(job)) continue;
      WaitingQueue::Position where = jobs_.find(dispatch, job);
      if (where.block < dispatch.queue().blocks()) start(dispatch, job, where);
    }
  }

  void backfill_queue(Dispatch& dispatch) {
    jobs_.walk_after_first(
        dispatch, depth_, [&] { return Plan::any_fits(free_); },
        [&](const WaitingSummary& jobs) { return may_have_one(jobs); },
        [&](const WaitingJob& job) { return may_start(job); },
        [&](const WaitingJob& job, WaitingQueue::Position& where) { return start(dispatch, job, where); });
  }

  std::size_t depth_;
  [[no_unique_address]] Jobs jobs_;
  Plan plan_;
  std::uint64_t blocked_sequence_ = 0;
  std::vector<WaitingJob> fresh_;  // joined the queue since the last call
  bool changed_ = false;           // a job ended, a window began or ended, or nodes came or went since the last call
  Time now_ = 0;                   // of the pass
  std::int64_t free_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_easy(std::size_t depth) {
  return std::make_unique<Easy<HeadOnCounts, QueueInOrder>>(depth);
}

}  // namespace schedlab
