// Schedulers: which waiting jobs start now. A scheduler is an order of the queue and a discipline that walks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "job.hpp"
#include "machine.hpp"
#include "waiting.hpp"

namespace schedlab {

inline constexpr std::size_t no_depth_limit = std::numeric_limits<std::size_t>::max();

/// What a scheduler sees during a call, and the two things it can do.
class Dispatch {
 public:
  Dispatch() = default;
  Dispatch(const Dispatch&) = default;
  Dispatch& operator=(const Dispatch&) = delete;
  virtual ~Dispatch() = default;

  [[nodiscard]] virtual Time now() const = 0;
  [[nodiscard]] virtual const Machine& machine() const = 0;
  [[nodiscard]] virtual const WaitingQueue& queue() const = 0;
  [[nodiscard]] virtual const RunningJobs& running() const = 0;

  /// Starts the job there if it fits: it leaves the queue, and `where` becomes the position after it.
  virtual bool try_start(WaitingQueue::Position& where) = 0;

  /// Rejects the job there; `where` becomes the position after it.
  virtual void reject(WaitingQueue::Position& where) = 0;
};

class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = default;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  virtual void dispatch(Dispatch& dispatch) = 0;

  /// Whether `Dispatch::running()` must be kept.
  [[nodiscard]] virtual bool needs_running() const { return false; }
  /// Whether it can only reason about requests for processors.
  [[nodiscard]] virtual bool plain_requests_only() const { return false; }

  /// Told of every job that joins the queue, and of every one that ran and ended.
  virtual void queued(const WaitingJob&) {}
  virtual void ended(const RunningJob&) {}

  [[nodiscard]] virtual std::unique_ptr<Scheduler> clone() const = 0;
};

enum class Order : std::uint8_t { submit, shortest, longest, smallest, largest, fewest_node_hours, most_node_hours };

/// The job's place in the order, least first; jobs of one key go by the sequence in which they joined the queue.
double order_key(Order order, const Job& job);

/// Throws InputError for an unknown name.
Order order_named(std::string_view name);

/// "blocking", "greedy", "easy", "conservative" or "reject"; `depth` limits how many jobs the middle three look at.
std::unique_ptr<Scheduler> make_scheduler(std::string_view discipline, std::size_t depth);

std::unique_ptr<Scheduler> make_easy(std::size_t depth);
std::unique_ptr<Scheduler> make_conservative(std::size_t depth);

}  // namespace schedlab
