#include "dispatch/schedulers/scheduler.hpp"

#include <string>
#include <type_traits>

#include "base/errors.hpp"
#include "dispatch/schedulers/ranked_jobs.hpp"

namespace schedlab {

namespace {

/// Starts jobs in order and stops at the first that does not fit.
template <class Jobs>
class Blocking final : public Scheduler {
 public:
  [[nodiscard]] bool only_starts() const override { return true; }
  [[nodiscard]] bool ranks_jobs() const override { return std::is_same_v<Jobs, RankedJobs>; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_changing_order() const override {
    return ranks_jobs() ? nullptr : std::make_unique<Blocking<RankedJobs>>();
  }
  void queued(const WaitingJob& job) override { jobs_.queued(job); }

  void dispatch(Dispatch& dispatch) override {
    jobs_.begin(dispatch);
    WaitingQueue::Position head = jobs_.first(dispatch);
    while (!dispatch.queue().empty() && jobs_.try_start(dispatch, head)) head = jobs_.first(dispatch);
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Blocking>(*this); }

 private:
  [[no_unique_address]] Jobs jobs_;
};

/// Starts every job that fits, in order.
template <class Jobs>
class Greedy final : public Scheduler {
 public:
  explicit Greedy(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool only_starts() const override { return true; }
  [[nodiscard]] bool ranks_jobs() const override { return std::is_same_v<Jobs, RankedJobs>; }
  [[nodiscard]] std::unique_ptr<Scheduler> for_changing_order() const override {
    return ranks_jobs() ? nullptr : std::make_unique<Greedy<RankedJobs>>(depth_);
  }
  void queued(const WaitingJob& job) override { jobs_.queued(job); }

  void dispatch(Dispatch& dispatch) override {
    const auto free = [&] { return dispatch.machine().free_processors(); };
    jobs_.begin(dispatch);
    jobs_.walk(
        dispatch, depth_, [] { return true; }, [&](const WaitingSummary& jobs) { return jobs.smallest <= free(); },
        [&](const WaitingJob& job) { return job.processors <= free(); },
        [&](const WaitingJob&, WaitingQueue::Position& where) { return jobs_.try_start(dispatch, where); });
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Greedy>(*this); }

 private:
  std::size_t depth_;
  [[no_unique_address]] Jobs jobs_;
};

class RejectAll final : public Scheduler {
 public:
  void dispatch(Dispatch& dispatch) override {
    WaitingQueue::Position head{0, 0};
    while (!dispatch.queue().empty()) dispatch.reject(head);
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<RejectAll>(*this); }
};

}  // namespace

void Dispatch::refuse_due(Slot slot) const {
  throw SimulationError("the reservation of job " + std::to_string(jobs()[slot].id) + " is due at " +
                        std::to_string(in_seconds(now())) +
                        " s and there is room for it, but the allocator found no nodes; conservative backfilling "
                        "needs an allocator that places every job that has room");
}

std::unique_ptr<Scheduler> make_scheduler(const Discipline& discipline) {
  const auto& [name, depth, reservations] = discipline;
  if (name == "blocking") return std::make_unique<Blocking<QueueInOrder>>();
  if (name == "greedy") return std::make_unique<Greedy<QueueInOrder>>(depth);
  if (name == "easy") return reservations == 1 ? make_easy(depth) : make_planned(depth, reservations);
  if (name == "conservative") return make_conservative(depth);
  if (name == "reject") return std::make_unique<RejectAll>();
  throw InputError("unknown discipline \"" + name + "\"");
}

}  // namespace schedlab
