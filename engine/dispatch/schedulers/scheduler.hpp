// Schedulers: which waiting jobs start now. A scheduler is an order of the queue and a discipline that walks it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/state.hpp"
#include "jobs/job.hpp"
#include "machine/machine.hpp"

namespace schedlab {

class JobOrder;

inline constexpr std::size_t no_depth_limit = std::numeric_limits<std::size_t>::max();

/// What a scheduler sees during a call, and what it can do.
class Dispatch : public State {
 public:
  /// Starts the job there if it fits: it leaves the queue, and `where` becomes the position after it. A limit given
  /// here must respect the windows; without one they are respected anyway.
  virtual bool try_start(WaitingQueue::Position& where, NodeLimit* limit = nullptr) = 0;

  /// Whether the allocator would start the job now under this limit; without one the windows are respected anyway.
  virtual bool would_start(Slot slot, NodeLimit* limit = nullptr) = 0;

  /// Whether a job that could not be started cannot be started either while no job ends.
  [[nodiscard]] virtual bool refusals_last() const = 0;

  /// Whether a start may be refused though there is room: for its power, or by an allocator that wants more than room.
  [[nodiscard]] virtual bool may_refuse() const = 0;

  /// Starts the job there on these nodes, which have room for it; false where a power cap forbids it.
  virtual bool start_on(WaitingQueue::Position& where, const Placement& nodes) = 0;

  /// Rejects the job there; `where` becomes the position after it.
  virtual void reject(WaitingQueue::Position& where) = 0;

  /// The order of the queue; null: that in which jobs join it.
  [[nodiscard]] virtual JobOrder* order() const = 0;

  /// Whether running jobs may be ended: only where the scheduler said so when the simulation was made.
  [[nodiscard]] virtual bool may_interrupt() const = 0;
  /// Ends the attempt of a running job, which joins the queue again, from its start or its last checkpoint. It may give
  /// way to a job that starts now; then jobs are not started and requeued for ever.
  virtual void requeue(Slot slot, bool gives_way = false) = 0;
  /// Ends a running job for good.
  virtual void cancel(Slot slot) = 0;
  /// Keeps of these running jobs, which give way in this order, those without which the waiting job would start now;
  /// none where it would in any case. False where it would not without all of them.
  virtual bool choose_victims(Slot slot, std::vector<Slot>& running) = 0;

  /// What a policy may ask of a node of a platform: no faster than a step; to rest (false where it cannot); to wake.
  virtual void set_step(std::uint32_t node, std::uint32_t step) = 0;
  virtual bool rest(std::uint32_t node, bool sleeping) = 0;
  virtual void wake(std::uint32_t node) = 0;

  /// Asks for a call at that time even if nothing happens.
  virtual void wake_at(Time time) = 0;

  /// Throws because the allocator found no nodes for a job that has room by the plan.
  [[noreturn]] void refuse_due(Slot slot) const;
};

class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = default;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  virtual void dispatch(Dispatch& dispatch) = 0;

  /// What decides in the end, where a scheduler is around another one.
  [[nodiscard]] virtual const Scheduler& policy() const { return *this; }
  /// Whether `Dispatch::running()` must be kept.
  [[nodiscard]] virtual bool needs_running() const { return false; }
  /// Whether a call does nothing while no waiting job has enough free processors.
  [[nodiscard]] virtual bool only_starts() const { return false; }
  /// Whether it may ask nodes to rest, or to go slower.
  [[nodiscard]] virtual bool changes_nodes() const { return false; }
  /// How many jobs had reservations at once, where no depth limits that.
  [[nodiscard]] virtual std::size_t most_reserved() const { return 0; }
  /// What takes its place where requests are not for processors alone or there are windows; null where it can do that
  /// itself.
  [[nodiscard]] virtual std::unique_ptr<Scheduler> for_nodes() const { return nullptr; }
  /// What takes its place where the order of the queue changes with the time alone; null where it wants a sorted queue.
  [[nodiscard]] virtual std::unique_ptr<Scheduler> for_changing_order() const { return nullptr; }
  /// Whether it is such a one: it finds the order of the jobs itself.
  [[nodiscard]] virtual bool ranks_jobs() const { return false; }

  /// Called for every job that joins the queue, and for every one that ran and ended; when a window began or ended.
  virtual void queued(const WaitingJob&) {}
  virtual void ended(const RunningJob&) {}
  virtual void windows_changed() {}
  /// Called when nodes failed or were repaired: what it planned may not be possible any more.
  virtual void machine_changed() {}

  [[nodiscard]] virtual std::unique_ptr<Scheduler> clone() const = 0;
  /// What it must know to resume as before; not what it only keeps to be faster.
  virtual void archive(Archive&) {}
  /// Throws InputError where what was read does not go with the rest of the state.
  virtual void check_saved(const State&) const {}
};

/// What disciplines ask of the queue, where it is in order itself.
class QueueInOrder {
 public:
  static void queued(const WaitingJob&) {}
  /// A call begins.
  static void begin(Dispatch&) {}
  /// Where the first job is.
  static WaitingQueue::Position first(Dispatch&) { return WaitingQueue::first(); }
  static bool try_start(Dispatch& dispatch, WaitingQueue::Position& where, NodeLimit* limit = nullptr) {
    return dispatch.try_start(where, limit);
  }
  /// Where a job is that waited at the last call; past the end where it does not any more.
  static WaitingQueue::Position find(const Dispatch& dispatch, const WaitingJob& job) {
    return dispatch.queue().find(job);
  }
  /// Brings some jobs of the queue into its order.
  static void sort(const Dispatch& dispatch, std::vector<WaitingJob>& jobs) {
    for (WaitingJob& job : jobs) job.key = dispatch.jobs()[job.slot].key;
    std::sort(jobs.begin(), jobs.end());
  }

  /// Tries the jobs in order, at most `depth` of them; blocks of the queue for which `may_have_one` says no are
  /// skipped, and jobs for which `may_start` does. `start(job, where)` starts the job there, which moves `where` on,
  /// and returns true; or does nothing. The walk ends early once `goes_on` says no.
  template <class GoesOn, class MayHaveOne, class MayStart, class Start>
  static void walk(Dispatch& dispatch, std::size_t depth, GoesOn goes_on, MayHaveOne may_have_one, MayStart may_start,
                   Start start) {
    go_through(dispatch.queue(), {0, 0}, depth, goes_on, may_have_one, may_start, start);
  }
  /// The same with the jobs after the first one.
  template <class GoesOn, class MayHaveOne, class MayStart, class Start>
  static void walk_after_first(Dispatch& dispatch, std::size_t depth, GoesOn goes_on, MayHaveOne may_have_one,
                               MayStart may_start, Start start) {
    go_through(dispatch.queue(), {0, 1}, depth, goes_on, may_have_one, may_start, start);
  }

 private:
  template <class GoesOn, class MayHaveOne, class MayStart, class Start>
  static void go_through(const WaitingQueue& queue, WaitingQueue::Position where, std::size_t depth, GoesOn goes_on,
                         MayHaveOne may_have_one, MayStart may_start, Start start) {
    while (where.block < queue.blocks() && depth > 0 && goes_on()) {
      if (where.index == 0 && where.block % WaitingQueue::blocks_per_group == 0 && depth == no_depth_limit &&
          !may_have_one(queue.group_summary(where.block / WaitingQueue::blocks_per_group))) {
        where.block += WaitingQueue::blocks_per_group;
        continue;
      }
      const auto jobs = queue.entries(where.block);
      if (where.index == jobs.size() || (where.index == 0 && !may_have_one(queue.summary(where.block)))) {
        if (depth != no_depth_limit) depth -= std::min(depth, jobs.size() - where.index);
        where = {where.block + 1, 0};
        continue;
      }
      if (depth != no_depth_limit) --depth;
      const WaitingJob job = jobs[where.index];
      if (!may_start(job) || !start(job, where)) ++where.index;
    }
  }
};

struct Discipline {
  std::string name;                    // "blocking", "greedy", "easy", "conservative" or "reject"
  std::size_t depth = no_depth_limit;  // how many jobs the middle three look at
  std::size_t reservations = 1;        // how many waiting jobs hold one under "easy"
};
std::unique_ptr<Scheduler> make_scheduler(const Discipline& discipline);

// These plan on counts of processors; `for_nodes` makes the same on nodes, for any requests and windows.
std::unique_ptr<Scheduler> make_easy(std::size_t depth);
std::unique_ptr<Scheduler> make_planned(std::size_t depth, std::size_t reservations);
std::unique_ptr<Scheduler> make_conservative(std::size_t depth);

}  // namespace schedlab
