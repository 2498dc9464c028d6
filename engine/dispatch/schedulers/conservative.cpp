// Conservative backfilling with kept reservations (Mu'alem and Feitelson 2001; the variant of PySS).
//
// Every waiting job holds a reservation; a new one takes its earliest place. When a job ends, each waiting job in queue
// order is taken out and put back at its earliest place. Where a running job outlasts its estimate, or the allocator
// refuses a job that is due, reservations cannot be kept: those that are due, in queue order, take the earliest place
// that leaves all others alone.
//
// What is reserved, processors or nodes, is the plan's business. It must offer
//   begin(state), advance(state)          begins anew with what runs; moves on to now
//   ended(job), release_ended()           what is left of the planned time of jobs that ended becomes free
//   extend(state, running job, until)     plans a running job until then; whether that is longer than it was
//   overfull(until)                       whether more is planned than there is before then
//   reserve(state, job, from)             takes the earliest place from then on; its start, or `never`
//   release(state, job, start)            gives such a place back
//   Moves(plan, state)                    moves jobs to earlier places, of those that may have gained something
//   limit_of_start(state, job)            what a job that is due must leave alone; then comes one of the next two
//   started(state, job), refused(state, job)
#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "dispatch/schedulers/next_starts.hpp"
#include "dispatch/schedulers/plans/reserved_counts.hpp"
#include "dispatch/schedulers/plans/reserved_nodes.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

namespace {

template <class Plan>
class Conservative final : public Scheduler {
 public:
  explicit Conservative(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_nodes() const override {
    if constexpr (std::is_same_v<Plan, ReservedNodes>) {
      return nullptr;
    } else {
      return std::make_unique<Conservative<ReservedNodes>>(depth_);
    }
  }
  void queued(const WaitingJob& job) override {
    unreserved_.push_back(job);
    if (job.slot >= starts_.size()) starts_.resize(job.slot + 1, never);
    starts_[job.slot] = never;
  }
  void ended(const RunningJob& job) override {
    if (!begun_) return;
    plan_.ended(job);
    gained_ = true;
  }
  void windows_changed() override { gained_ = true; }
  void machine_changed() override { begun_ = false; }
  [[nodiscard]] std::size_t most_reserved() const override { return depth_ == no_depth_limit ? most_waited_ : 0; }

  void dispatch(Dispatch& dispatch) override {
    now_ = dispatch.now();
    most_waited_ = std::max(most_waited_, dispatch.queue().size());
    if (begun_) {
      plan_.advance(dispatch);
    } else {
      begin(dispatch);
    }
    plan_.release_ended();
    const bool refused = std::exchange(refused_, false);
    const bool late = extend_overdue(dispatch) && plan_.overfull(later(now_, second));
    if (late || refused || any_before(now_, dispatch)) put_back_due(dispatch);
    if (std::exchange(gained_, false)) move_earlier(dispatch);
    reserve_new(dispatch);
    start_due(dispatch);
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Conservative>(*this); }
  void archive(Archive& archive) override {
    archive(now_, plan_, begun_, gained_, refused_, delayed_, most_waited_, starts_, unreserved_);
    if (archive.reading()) next_.clear();
  }
  void check_saved(const State& state) const override {
    Archive::require(starts_.size() <= state.jobs().slots(), "plans for jobs that are not there");
    if (begun_) plan_.check_saved(state);
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
    for (std::size_t block = 0; block < state.queue().blocks(); ++block) {
      for (const WaitingJob& job : state.queue().entries(block)) {
        Archive::require(job.slot < starts_.size(), "a job that waits is not planned");
        if (starts_[job.slot] == never) continue;
        planned[job.slot] = true;
        Archive::require(begun_ && plan_.knows(job.slot), "a job has a time but no place in the plan");
        Archive::require(is_time(starts_[job.slot]), "a job is planned before all time");
      }
    }
    for (const WaitingJob& job : unreserved_) check(job);
  }

 private:
  /// At the first call, and after nodes failed or were repaired: all reservations are made anew, in queue order.
  void begin(const Dispatch& dispatch) {
    begun_ = true;
    gained_ = refused_ = false;
    next_.clear();
    unreserved_.clear();
    for (std::size_t block = 0; block < dispatch.queue().blocks(); ++block) {
      for (const WaitingJob& job : dispatch.queue().entries(block)) queued(job);
    }
    plan_.begin(dispatch);
  }

  /// Plans running jobs past their estimate until a second from now; true where there are any.
  bool extend_overdue(const Dispatch& dispatch) {
    const Time soonest = later(now_, second);
    const RunningJobs& running = dispatch.running();
    bool extended = false;
    for (std::size_t block = 0; block < running.blocks(); ++block) {
      for (const RunningJob& job : running.entries(block)) {
        if (job.estimated_end >= soonest && !delayed_) return extended;
        extended = plan_.extend(dispatch, job, soonest) || extended;
      }
    }
    return extended;
  }

  bool any_before(Time time, const Dispatch& dispatch) { return next_.any_before(time, dispatch.queue(), starts_); }

  /// Takes out the jobs whose reservation lies before a time, in queue order.
  std::vector<WaitingJob> take_out_before(Time time, const Dispatch& dispatch) {
    std::vector<WaitingJob> due;
    while (any_before(time, dispatch)) due.push_back(next_.take_first());
    sort(due, dispatch.jobs());
    return due;
  }

  static void sort(std::vector<WaitingJob>& waiting, const JobTable& jobs) {
    for (WaitingJob& job : waiting) job.key = jobs[job.slot].key;
    std::sort(waiting.begin(), waiting.end());
  }

  /// Those that are due make room for each other, and for all jobs.
  void put_back_due(const Dispatch& dispatch) {
    const std::vector<WaitingJob> due = take_out_before(later(now_, second), dispatch);
    for (const WaitingJob& job : due) plan_.release(dispatch, job, starts_[job.slot]);
    for (const WaitingJob& job : due) reserve(dispatch, job, now_);
  }

  void reserve(const Dispatch& dispatch, const WaitingJob& job, Time from) {
    hold(job, plan_.reserve(dispatch, job, from));
  }

  void hold(const WaitingJob& job, Time start) {
    starts_[job.slot] = start;
    if (start == never) {
      unreserved_.push_back(job);
    } else {
      next_.insert(start, job);
    }
  }

  /// Each waiting job, in queue order, to its earliest place.
  void move_earlier(const Dispatch& dispatch) {
    typename Plan::Moves moves(plan_, dispatch);
    if (moves.none()) return;
    const WaitingQueue& queue = dispatch.queue();
    for (std::size_t block = 0; block < queue.blocks(); ++block) {
      if (moves.none_of(queue.summary(block))) continue;
      for (const WaitingJob& job : queue.entries(block)) {
        const Time old = starts_[job.slot];
        if (old == never) continue;
        const Time start = moves.move(job, old);
        if (start == old) continue;
        next_.remove(old, job);
        hold(job, start);
      }
    }
    moves.finish();
  }

  void reserve_new(const Dispatch& dispatch) {
    std::vector<WaitingJob> jobs;
    jobs.swap(unreserved_);  // those that cannot be planned yet come back into it
    if (depth_ == no_depth_limit) {
      sort(jobs, dispatch.jobs());
      for (const WaitingJob& job : jobs) reserve(dispatch, job, now_);
      return;
    }
    const WaitingQueue& queue = dispatch.queue();
    std::size_t left = depth_;
    for (std::size_t block = 0; block < queue.blocks() && left > 0; ++block) {
      for (const WaitingJob& job : queue.entries(block).first(std::min(left, queue.entries(block).size()))) {
        if (starts_[job.slot] == never) reserve(dispatch, job, now_);
      }
      left -= std::min(left, queue.entries(block).size());
    }
  }

  /// A job that is refused keeps its place in the plan: it is due again from the next second on, as early as others
  /// allow, and at the next call.
  void start_due(Dispatch& dispatch) {
    if (!any_before(now_ + 1, dispatch)) return;
    for (const WaitingJob& job : take_out_before(now_ + 1, dispatch)) {
      NodeLimit* limit = plan_.limit_of_start(dispatch, job);
      WaitingQueue::Position where = dispatch.queue().find(job);
      if (dispatch.try_start(where, limit)) {
        plan_.started(dispatch, job);
        delayed_ = delayed_ || dispatch.jobs()[job.slot].start > now_;
      } else {
        if (!dispatch.may_refuse()) dispatch.refuse_due(job.slot);
        plan_.refused(dispatch, job);
        reserve(dispatch, job, later(now_, second));
        refused_ = true;
      }
    }
  }

  std::size_t depth_;
  std::size_t most_waited_ = 0;  // at one call
  Time now_ = 0;
  Plan plan_;                 // of running and reserved jobs
  bool begun_ = false;        // the plan, at the first call
  bool gained_ = false;       // a job ended or a window changed since the last call
  bool refused_ = false;      // the allocator refused a job that was due at the last call
  bool delayed_ = false;      // some job began later than planned, because its nodes had to wake
  std::vector<Time> starts_;  // by slot: when the waiting job there is to start; `never` without a reservation
  NextStarts next_;           // of these; built again from them where a state was saved
  std::vector<WaitingJob> unreserved_;  // to be given a reservation; with a depth limit the queue is looked through
};

}  // namespace

std::unique_ptr<Scheduler> make_conservative(std::size_t depth) {
  return std::make_unique<Conservative<ReservedCounts>>(depth);
}

}  // namespace schedlab
