// How jobs run: the one interface of what says when they end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/data_board.hpp"
#include "base/time.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// When a model wants to be called: an event of kind `execution`, void once the place has another version.
struct ExecutionDue {
  Time time;
  std::uint32_t place;  // in the model, such as a socket
  std::uint32_t version;
  bool replaces;  // an earlier one that is still to come
};

/// A model of execution. A job that has its nodes is carried by one model, or by two together: an application on
/// sockets. Jobs come and go by `hold`, `begin`, `stop` and `forget`, in this order; a job may be stopped before it
/// begins, and the same one may be held again.
class Execution {
 public:
  Execution() = default;
  Execution(const Execution&) = default;
  Execution& operator=(const Execution&) = default;
  virtual ~Execution() = default;

  /// The job has its nodes. Returns when it can begin there.
  virtual Time hold(Slot /*slot*/, const JobTable& /*jobs*/, Time now) { return now; }
  /// It begins. Returns when it will end by itself; `never` where the model says so only when it is there.
  virtual Time begin(Slot slot, JobTable& jobs, Time now) = 0;
  /// The job leaves its nodes. Returns how: completed, killed where work was left, or failed.
  virtual JobState stop(Slot slot, JobTable& jobs, Time now) = 0;
  /// How much of the job's run time is done at its end, before it is stopped.
  [[nodiscard]] virtual Time work_done(Slot slot, const JobTable& jobs, Time now) const = 0;
  /// The slot will be another job's.
  virtual void forget(Slot /*slot*/) {}

  /// When something happens in the model that matters to jobs that wait, and was not returned by `settle`.
  [[nodiscard]] virtual Time next_time() const { return never; }
  /// Works up to `until`, but no further than to the first time at which jobs end by themselves: these are appended to
  /// `ended`. Returns the time that was reached, or none where `budget` (in steps of the model) was used up before.
  virtual std::optional<Time> advance(Time until, std::uint64_t& /*budget*/, std::vector<Slot>& /*ended*/) {
    return until;
  }
  /// What was due at a place happens; jobs that end by that are appended to `ended`.
  virtual void handle(std::uint32_t /*place*/, Time /*now*/, std::vector<Slot>& /*ended*/) {}
  [[nodiscard]] virtual bool is_void(std::uint32_t /*place*/, std::uint32_t /*version*/) const { return true; }
  /// Works out everything that changed at this time. Returns what is due next, valid until the next call.
  virtual std::span<const ExecutionDue> settle(Time /*now*/) { return {}; }
  /// Puts its values on the board, from the first place on.
  virtual void publish(Time /*now*/, DataBoard& /*board*/) const {}

  virtual void archive(Archive& archive) = 0;
  /// Throws std::logic_error where a count is wrong.
  virtual void validate() const {}
};

}  // namespace schedlab
