#include "dispatch/schedulers/scheduler.hpp"

#include <string>

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// Starts jobs in order and stops at the first that does not fit.
class Blocking final : public Scheduler {
 public:
  [[nodiscard]] bool only_starts() const override { return true; }

  void dispatch(Dispatch& dispatch) override {
    WaitingQueue::Position head{0, 0};
    while (!dispatch.queue().empty() && dispatch.try_start(head)) head = {0, 0};
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Blocking>(*this); }
};

/// Starts every job that fits, in order.
class Greedy final : public Scheduler {
 public:
  explicit Greedy(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool only_starts() const override { return true; }

  void dispatch(Dispatch& dispatch) override {
    const WaitingQueue& queue = dispatch.queue();
    std::size_t looked_at = 0;
    WaitingQueue::Position where{0, 0};
    while (where.block < queue.blocks() && looked_at < depth_) {
      const std::size_t size = queue.entries(where.block).size();
      const bool all_too_large = dispatch.machine().free_processors() < queue.summary(where.block).smallest;
      if (where.index == size || (where.index == 0 && all_too_large)) {
        looked_at += size - where.index;
        where = {where.block + 1, 0};
        continue;
      }
      ++looked_at;
      const WaitingJob& job = queue.at(where);
      if (job.processors > dispatch.machine().free_processors() || !dispatch.try_start(where)) ++where.index;
    }
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Greedy>(*this); }

 private:
  std::size_t depth_;
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
  if (name == "blocking") return std::make_unique<Blocking>();
  if (name == "greedy") return std::make_unique<Greedy>(depth);
  if (name == "easy") return reservations == 1 ? make_easy(depth) : make_planned(depth, reservations);
  if (name == "conservative") return make_conservative(depth);
  if (name == "reject") return std::make_unique<RejectAll>();
  throw InputError("unknown discipline \"" + name + "\"");
}

}  // namespace schedlab
