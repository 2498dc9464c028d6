// Conservative backfilling with kept reservations (Mu'alem and Feitelson 2001; the variant of PySS).
//
// Every waiting job holds a reservation; a new one takes its earliest hole. When a job ends, each waiting job in queue
// order is taken out and put back at its earliest hole. Where a running job outlasts its estimate, the reservations
// that were due cannot be kept: these, in queue order, take the earliest hole that leaves all others alone.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch/schedulers/plans/profile.hpp"
#include "dispatch/schedulers/plans/refusals.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

namespace {

struct Reserved {
  Time start;
  WaitingJob job;
  void archive(Archive& archive) { archive(start, job); }
  bool operator<(const Reserved& other) const {  // not by the job's key, which may change while it waits
    return start != other.start ? start < other.start : job.sequence < other.job.sequence;
  }
};
struct NoSummary {
  void add(const Reserved&) {}
  [[nodiscard]] bool remove(const Reserved&) const { return true; }
};

class Conservative final : public Scheduler {
 public:
  explicit Conservative(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_nodes() const override { return make_conservative_on_nodes(depth_); }
  void queued(const WaitingJob& job) override {
    unreserved_.push_back(job);
    if (job.slot >= starts_.size()) starts_.resize(job.slot + 1, never);
    starts_[job.slot] = never;
  }

  void ended(const RunningJob& job) override { ended_.push_back(job); }
  void machine_changed() override { laid_ = false; }

  void dispatch(Dispatch& dispatch) override {
    now_ = dispatch.now();
    if (laid_) {
      profile_.advance(now_);
    } else {
      lay_plan(dispatch);
    }
    const bool any_ended = !ended_.empty();
    release_ended();
    if (extend_overdue(dispatch) || (!by_start_.empty() && by_start_.front().start < now_)) put_back_due(dispatch);
    if (any_ended) compress(dispatch.queue());
    reserve_new(dispatch);
    start_due(dispatch);
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Conservative>(*this); }
  void archive(Archive& archive) override {
    archive(now_, profile_, laid_, gained_until_, starts_, ends_, by_start_, unreserved_, ended_, delayed_);
  }
  void check_saved(const State& state) const override {
    const std::size_t slots = state.jobs().slots();
    Archive::require(starts_.size() <= slots && ends_.size() <= slots, "plans for jobs that are not there");
    if (laid_) profile_.check_saved();
    std::vector<bool> planned(starts_.size());
    const auto check = [&](const WaitingJob& job) {
      Archive::require(job.slot < starts_.size() && !planned[job.slot], "a job is planned twice");
      const Job& known = state.jobs()[job.slot];
      const WaitingJob own = waiting_entry(known, job.slot);
      const bool same = job.estimate == own.estimate && job.rank == own.rank && job.sequence == own.sequence &&
                        job.processors == own.processors;  // its key may have changed since
      Archive::require(same && known.state == JobState::queued, "a job is planned that does not wait");
      planned[job.slot] = true;
    };
    for (std::size_t block = 0; block < by_start_.blocks(); ++block) {
      for (const Reserved& due : by_start_.entries(block)) {
        check(due.job);
        Archive::require(starts_[due.job.slot] == due.start, "a job is planned at two times");
      }
    }
    for (std::size_t block = 0; block < state.queue().blocks(); ++block) {
      for (const WaitingJob& job : state.queue().entries(block)) {
        Archive::require(job.slot < starts_.size(), "a job that waits is not planned");
      }
    }
    for (const WaitingJob& job : unreserved_) check(job);
    for (const RunningJob& job : ended_) Archive::require(job.slot < ends_.size(), "a job ended that was not planned");
    if (!laid_) return;
    for (std::size_t block = 0; block < state.running().blocks(); ++block) {
      for (const RunningJob& job : state.running().entries(block)) {
        Archive::require(job.slot < ends_.size(), "a job runs that is not planned");
      }
    }
  }

 private:
  static Time length_of(const WaitingJob& job) { return std::max(job.estimate, second); }

  /// What runs at the first call, if the scheduler takes over from another one; or after nodes failed or were repaired,
  /// when all reservations are made anew, in queue order.
  void lay_plan(const Dispatch& dispatch) {
    laid_ = true;
    ended_.clear();
    by_start_ = {};
    unreserved_.clear();
    for (std::size_t block = 0; block < dispatch.queue().blocks(); ++block) {
      for (const WaitingJob& job : dispatch.queue().entries(block)) queued(job);
    }
    profile_ = Profile(now_, dispatch.machine().processors());
    for (std::size_t block = 0; block < dispatch.running().blocks(); ++block) {
      for (const RunningJob& job : dispatch.running().entries(block)) {
        if (job.slot >= ends_.size()) ends_.resize(job.slot + 1);
        ends_[job.slot] = std::max(job.estimated_end, later(now_, second));
        profile_.add(now_, ends_[job.slot], -static_cast<std::int64_t>(job.processors));
      }
    }
  }

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
        if (job.estimated_end >= soonest && !delayed_) return extended && profile_.least_free(now_, soonest) < 0;
        if (ends_[job.slot] >= soonest) continue;
        profile_.add(std::max(now_, ends_[job.slot]), soonest, -static_cast<std::int64_t>(job.processors));
        ends_[job.slot] = soonest;
        extended = true;
      }
    }
    return extended && profile_.least_free(now_, soonest) < 0;
  }

  /// Takes out the jobs whose reservation lies before a time, in queue order.
  std::vector<WaitingJob> take_out_before(Time time, const Dispatch& dispatch) {
    std::vector<WaitingJob> due;
    while (!by_start_.empty() && by_start_.front().start < time) {
      due.push_back(by_start_.front().job);
      by_start_.erase(by_start_.first());
    }
    sort(due, dispatch.jobs());
    return due;
  }

  static void sort(std::vector<WaitingJob>& waiting, const JobTable& jobs) {
    for (WaitingJob& job : waiting) job.key = jobs[job.slot].key;
    std::sort(waiting.begin(), waiting.end());
  }

  void put_back_due(const Dispatch& dispatch) {
    const std::vector<WaitingJob> due = take_out_before(later(now_, second), dispatch);
    for (const WaitingJob& job : due) release(job, starts_[job.slot]);
    for (const WaitingJob& job : due) reserve(job, profile_.earliest(now_, length_of(job), job.processors));
  }

  /// Gives back what the job had reserved from `start` on; whoever waits may use it.
  void release(const WaitingJob& job, Time start) {
    const Time end = later(start, length_of(job));
    profile_.add(std::max(now_, start), end, job.processors);
    gained_until_ = std::max(gained_until_, end);
  }

  /// Where the plan reaches beyond the largest time there is, the job has no reservation for now.
  void reserve(const WaitingJob& job, Time start) {
    const Time end = later(start, length_of(job));
    if (end == never) {
      starts_[job.slot] = never;
      unreserved_.push_back(job);
      return;
    }
    profile_.add(start, end, -static_cast<std::int64_t>(job.processors));
    starts_[job.slot] = start;
    by_start_.insert({start, job});
  }

  /// Moves each waiting job, in queue order, to its earliest hole. A job that was at its earliest can only move into
  /// room that was gained since, so it must start before `gained_until_`, at a time when its processors are free.
  void compress(const WaitingQueue& queue) {
    Time gained = std::exchange(gained_until_, 0);
    if (gained <= now_) return;
    std::int64_t most_free = profile_.most_free(now_, gained);
    Refusals refusals;
    for (std::size_t block = 0; block < queue.blocks(); ++block) {
      if (queue.summary(block).smallest > most_free) continue;
      for (const WaitingJob& job : queue.entries(block)) {
        const Time old = starts_[job.slot];
        if (job.processors > most_free || old == never) continue;
        const Time start = earlier_start(job, old, std::min(old, gained), refusals);
        if (start == never) continue;
        by_start_.remove({old, job});
        release(job, old);  // for the jobs before it, at the next end
        reserve(job, start);
        refusals.freed(old);
        gained = std::max(gained, gained_until_);
        most_free = std::max(most_free, profile_.most_free(old, later(old, length_of(job))));
      }
    }
  }

  /// The earliest time before `limit` at which a job reserved at `old` could start instead; `never` if there is none.
  Time earlier_start(const WaitingJob& job, Time old, Time limit, Refusals& refusals) const {
    const Time length = length_of(job);
    // Where it would end before `old`, it needs a hole like any other job of its size.
    const Time clear = std::min(limit, old - length);
    const Time from = std::max(now_, refusals.known_until(job.processors, length));
    if (from < clear) {
      const Time start = profile_.earliest(from, length, job.processors, clear);
      refusals.note(job.processors, length, std::min(start, clear));
      if (start != never) return start;
    }
    // Nearer to `old` it needs room only up to there, because behind it has its own.
    const Time start = profile_.free_since(old, job.processors, std::max(now_, old - length));
    return start < limit ? start : never;
  }

  void reserve_new(const Dispatch& dispatch) {
    const WaitingQueue& queue = dispatch.queue();
    std::vector<WaitingJob> jobs;
    jobs.swap(unreserved_);  // those that cannot be planned yet come back into it
    if (depth_ == no_depth_limit) {
      sort(jobs, dispatch.jobs());
      for (const WaitingJob& job : jobs) reserve(job, profile_.earliest(now_, length_of(job), job.processors));
    } else {
      unreserved_.clear();
      std::size_t left = depth_;
      for (std::size_t block = 0; block < queue.blocks() && left > 0; ++block) {
        for (const WaitingJob& job : queue.entries(block).first(std::min(left, queue.entries(block).size()))) {
          if (starts_[job.slot] == never) reserve(job, profile_.earliest(now_, length_of(job), job.processors));
        }
        left -= std::min(left, queue.entries(block).size());
      }
    }
  }

  void start_due(Dispatch& dispatch) {
    if (by_start_.empty() || by_start_.front().start > now_) return;
    for (const WaitingJob& job : take_out_before(now_ + 1, dispatch)) {
      WaitingQueue::Position where = dispatch.queue().find(job);
      if (!dispatch.try_start(where)) {
        if (!dispatch.may_refuse()) dispatch.refuse_due(job.slot);
        release(job, starts_[job.slot]);  // it is due again from the next second on
        reserve(job, profile_.earliest(later(now_, second), length_of(job), job.processors));
        continue;
      }
      delayed_ = delayed_ || dispatch.jobs()[job.slot].start > now_;
      if (job.slot >= ends_.size()) ends_.resize(job.slot + 1);
      ends_[job.slot] = later(now_, length_of(job));
    }
  }

  std::size_t depth_;
  Time now_ = 0;
  Profile profile_;           // of running and reserved jobs
  bool laid_ = false;         // at the first call
  bool delayed_ = false;      // some job began later than planned, because its nodes had to wake
  Time gained_until_ = 0;     // room may have been gained before this time since the last compression
  std::vector<Time> starts_;  // by slot: when the waiting job there is to start; `never` without a reservation
  std::vector<Time> ends_;    // by slot: until when the running job there is planned
  SortedBlocks<Reserved, NoSummary> by_start_;
  std::vector<WaitingJob> unreserved_;  // to be given a reservation; with a depth limit the queue is looked through
  std::vector<RunningJob> ended_;       // since the last call
};

}  // namespace

std::unique_ptr<Scheduler> make_conservative(std::size_t depth) { return std::make_unique<Conservative>(depth); }

}  // namespace schedlab
