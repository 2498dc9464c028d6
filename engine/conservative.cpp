// Conservative backfilling with kept reservations (Mu'alem and Feitelson 2001; the variant of PySS).
//
// Every waiting job holds a reservation; a new one takes its earliest hole. When a job ends, each waiting job in queue
// order is taken out and put back at its earliest hole. Reservations move back only when a running job outlasts its
// estimate: then all are laid again in queue order, each where it was if it still can.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "profile.hpp"
#include "scheduler.hpp"

namespace schedlab {

namespace {

struct Reserved {
  Time start;
  WaitingJob job;
  bool operator<(const Reserved& other) const { return start != other.start ? start < other.start : job < other.job; }
};
struct NoSummary {
  void add(const Reserved&) {}
  [[nodiscard]] bool remove(const Reserved&) const { return true; }
};

class Conservative final : public Scheduler {
 public:
  explicit Conservative(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] bool plain_requests_only() const override { return true; }
  void queued(const WaitingJob& job) override {
    fresh_.push_back(job);
    if (job.slot >= starts_.size()) starts_.resize(job.slot + 1, never);
    starts_[job.slot] = never;
  }

  void ended(const RunningJob& job) override { ended_.push_back(job); }

  void dispatch(Dispatch& dispatch) override {
    now_ = dispatch.now();
    if (!laid_) profile_ = Profile(now_, dispatch.machine().processors());
    laid_ = true;
    profile_.advance(now_);
    const bool any_ended = !ended_.empty();
    release_ended();
    if (extend_overdue(dispatch) || (!by_start_.empty() && by_start_.front().start < now_)) lay_again(dispatch);
    if (any_ended) compress(dispatch.queue());
    reserve_new(dispatch.queue());
    start_due(dispatch);
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Conservative>(*this); }

 private:
  static Time length_of(const WaitingJob& job) { return std::max(job.estimate, second); }

  void release_ended() {
    for (const RunningJob& job : ended_) {
      profile_.add(now_, ends_[job.slot], job.processors);
      gained_until_ = std::max(gained_until_, ends_[job.slot]);
    }
    ended_.clear();
  }

  /// Plans running jobs past their estimate until a second from now; true where that takes reserved processors.
  bool extend_overdue(const Dispatch& dispatch) {
    const Time soonest = later(now_, second);
    const RunningJobs& running = dispatch.running();
    bool extended = false;
    for (std::size_t block = 0; block < running.blocks(); ++block) {
      for (const RunningJob& job : running.entries(block)) {
        if (job.estimated_end >= soonest) return extended && profile_.least_free(now_, soonest) < 0;
        if (ends_[job.slot] >= soonest) continue;
        profile_.add(std::max(now_, ends_[job.slot]), soonest, -static_cast<std::int64_t>(job.processors));
        ends_[job.slot] = soonest;
        extended = true;
      }
    }
    return extended && profile_.least_free(now_, soonest) < 0;
  }

  void lay_again(const Dispatch& dispatch) {
    profile_ = Profile(now_, dispatch.machine().processors());
    by_start_ = {};
    const RunningJobs& running = dispatch.running();
    for (std::size_t block = 0; block < running.blocks(); ++block) {
      for (const RunningJob& job : running.entries(block)) {
        profile_.add(now_, ends_[job.slot], -static_cast<std::int64_t>(job.processors));
      }
    }
    const WaitingQueue& queue = dispatch.queue();
    for (std::size_t block = 0; block < queue.blocks(); ++block) {
      for (const WaitingJob& job : queue.entries(block)) {
        const Time start = starts_[job.slot];
        if (start == never) continue;
        const bool keeps = start >= now_ && profile_.least_free(start, later(start, length_of(job))) >= job.processors;
        reserve(job, keeps ? start : profile_.earliest(now_, length_of(job), job.processors));
      }
    }
    gained_until_ = never;  // whoever moved may have made room for others
  }

  void reserve(const WaitingJob& job, Time start) {
    profile_.add(start, later(start, length_of(job)), -static_cast<std::int64_t>(job.processors));
    starts_[job.slot] = start;
    by_start_.insert({start, job});
  }

  /// Moves each waiting job, in queue order, to its earliest hole. A job that was at its earliest can only move into
  /// room that was gained since, so it must start before `gained_until_`, at a time when its processors are free.
  void compress(const WaitingQueue& queue) {
    Time gained = std::exchange(gained_until_, 0);
    if (gained <= now_) return;
    std::int64_t most_free = profile_.most_free(now_, gained);
    for (std::size_t block = 0; block < queue.blocks(); ++block) {
      if (queue.summary(block).smallest > most_free) continue;
      for (const WaitingJob& job : queue.entries(block)) {
        const Time old = starts_[job.slot];
        if (job.processors > most_free || old == never) continue;
        const Time length = length_of(job);
        const Time start = profile_.earliest_before(now_, length, job.processors, std::min(old, gained), old);
        if (start == never) continue;
        by_start_.remove({old, job});
        profile_.add(old, later(old, length), job.processors);
        reserve(job, start);
        gained_until_ = std::max(gained_until_, later(old, length));  // for the jobs before it, at the next end
        gained = std::max(gained, gained_until_);
        most_free = profile_.most_free(now_, gained);
      }
    }
  }

  void reserve_new(const WaitingQueue& queue) {
    if (depth_ == no_depth_limit) {
      std::sort(fresh_.begin(), fresh_.end());
      for (const WaitingJob& job : fresh_) reserve(job, profile_.earliest(now_, length_of(job), job.processors));
    } else {
      std::size_t left = depth_;
      for (std::size_t block = 0; block < queue.blocks() && left > 0; ++block) {
        for (const WaitingJob& job : queue.entries(block).first(std::min(left, queue.entries(block).size()))) {
          if (starts_[job.slot] == never) reserve(job, profile_.earliest(now_, length_of(job), job.processors));
        }
        left -= std::min(left, queue.entries(block).size());
      }
    }
    fresh_.clear();
  }

  void start_due(Dispatch& dispatch) {
    while (!by_start_.empty() && by_start_.front().start == now_) {
      const WaitingJob job = by_start_.front().job;
      by_start_.erase({0, 0});
      WaitingQueue::Position where = dispatch.queue().find(job);
      if (!dispatch.try_start(where))
        throw std::logic_error("conservative: a job whose reservation is due does not fit");
      if (job.slot >= ends_.size()) ends_.resize(job.slot + 1);
      ends_[job.slot] = later(now_, length_of(job));
    }
  }

  std::size_t depth_;
  Time now_ = 0;
  Profile profile_;           // of running and reserved jobs
  bool laid_ = false;         // at the first call
  Time gained_until_ = 0;     // room may have been gained before this time since the last compression
  std::vector<Time> starts_;  // by slot: when the waiting job there is to start; `never` without a reservation
  std::vector<Time> ends_;    // by slot: until when the running job there is planned
  SortedBlocks<Reserved, NoSummary> by_start_;
  std::vector<WaitingJob> fresh_;  // joined the queue since the last call
  std::vector<RunningJob> ended_;  // since the last call
};

}  // namespace

std::unique_ptr<Scheduler> make_conservative(std::size_t depth) { return std::make_unique<Conservative>(depth); }

}  // namespace schedlab
