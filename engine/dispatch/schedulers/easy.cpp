// EASY backfilling (Lifka 1995; Mu'alem and Feitelson 2001) over processor counts.
#include <algorithm>
#include <vector>

#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

namespace {

/// The first blocked job's reservation: when it can start at the latest by the estimates, and how many processors it
/// leaves over then.
struct Reservation {
  Time shadow;
  std::int64_t extra;
};

/// A running job is expected to end at its estimate, or a second from now if it is past it. The clamp keeps the order
/// of the jobs by estimated end, so one walk finds the shadow time; everything released by then counts as extra.
Reservation reserve(const RunningJobs& running, Time now, std::int64_t free, std::int64_t wanted) {
  const Time soonest = later(now, second);
  std::size_t block = 0;
  while (block < running.blocks() && free + running.summary(block).processors < wanted) {
    free += running.summary(block++).processors;
  }
  Time shadow = never;
  for (; block < running.blocks(); ++block) {
    if (shadow != never && running.entries(block).back().estimated_end <= shadow) {
      free += running.summary(block).processors;
      continue;
    }
    for (const RunningJob& job : running.entries(block)) {
      if (shadow == never) {
        free += job.processors;
        if (free >= wanted) shadow = std::max(job.estimated_end, soonest);
      } else if (job.estimated_end <= shadow) {
        free += job.processors;
      } else {
        return {shadow, free - wanted};
      }
    }
  }
  return {shadow, free - wanted};
}

class Easy final : public Scheduler {
 public:
  explicit Easy(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] bool only_starts() const override { return true; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_nodes() const override { return make_easy_on_nodes(depth_); }
  void queued(const WaitingJob& job) override { fresh_.push_back(job); }
  void ended(const RunningJob&) override { ended_ = true; }
  void machine_changed() override { ended_ = true; }

  void dispatch(Dispatch& dispatch) override {
    const WaitingQueue& queue = dispatch.queue();
    WaitingQueue::Position where{0, 0};
    while (!queue.empty() && dispatch.try_start(where)) where = {0, 0};
    if (!queue.empty()) backfill(dispatch);
    fresh_.clear();
    ended_ = false;
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Easy>(*this); }

 private:
  void backfill(Dispatch& dispatch) {
    now_ = dispatch.now();
    free_ = dispatch.machine().free_processors();
    const WaitingJob head = dispatch.queue().front();
    const Reservation previous = reservation_;
    reservation_ = reserve(dispatch.running(), now_, free_, head.processors);
    // Without an end since the last pass fewer processors are free than then; where the same head waits for a time no
    // later with no more left over, a job that was passed over would be passed over again.
    const bool only_fresh = !ended_ && dispatch.refusals_last() && depth_ == no_depth_limit &&
                            head.sequence == blocked_sequence_ && reservation_.shadow <= previous.shadow &&
                            reservation_.extra <= previous.extra;
    blocked_sequence_ = head.sequence;
    if (only_fresh) {
      backfill_fresh(dispatch);
    } else {
      backfill_queue(dispatch);
    }
  }

  [[nodiscard]] bool may_start(Time estimate, std::int64_t processors) const {
    return processors <= free_ && (later(now_, estimate) <= reservation_.shadow || processors <= reservation_.extra);
  }

  /// Whether one of the summarized jobs may start.
  [[nodiscard]] bool may_have_one(const WaitingSummary& jobs) const {
    return jobs.smallest <= free_ &&
           (jobs.smallest <= reservation_.extra || later(now_, jobs.shortest_within(free_)) <= reservation_.shadow);
  }

  /// Starts the job there, unless the allocator will not.
  bool start(Dispatch& dispatch, const WaitingJob& job, WaitingQueue::Position& where) {
    if (!dispatch.try_start(where)) return false;
    if (later(now_, job.estimate) > reservation_.shadow) reservation_.extra -= job.processors;
    free_ -= job.processors;
    return true;
  }

  void backfill_fresh(Dispatch& dispatch) {
    for (WaitingJob& job : fresh_) job.key = dispatch.jobs()[job.slot].key;
    std::sort(fresh_.begin(), fresh_.end());
    for (const WaitingJob& job : fresh_) {
      if (!may_start(job.estimate, job.processors)) continue;
      WaitingQueue::Position where = dispatch.queue().find(job);
      if (where.block < dispatch.queue().blocks()) start(dispatch, job, where);
    }
  }

  void backfill_queue(Dispatch& dispatch) {
    walk_behind_head(
        dispatch.queue(), depth_, [&] { return free_ > 0; },
        [&](const WaitingSummary& jobs) { return may_have_one(jobs); },
        [&](const WaitingJob& job, WaitingQueue::Position& where) {
          return may_start(job.estimate, job.processors) && start(dispatch, job, where);
        });
  }

  std::size_t depth_;
  Reservation reservation_{never, 0};
  std::uint64_t blocked_sequence_ = 0;
  std::vector<WaitingJob> fresh_;  // joined the queue since the last call
  bool ended_ = false;
  Time now_ = 0;  // of the pass
  std::int64_t free_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_easy(std::size_t depth) { return std::make_unique<Easy>(depth); }

}  // namespace schedlab
