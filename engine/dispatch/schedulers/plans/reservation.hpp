// A blocked job's reservation, as something that starts must leave alone.
#pragma once

#include <cstdint>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/state.hpp"

namespace schedlab {

/// As a limit, it lets a job that ends after `start()` have what leaves the reserved job enough room.
class Reservation : public NodeLimit {
 public:
  /// Finds the earliest time at which the job can start by the estimates; `start()` is `never` if there is none.
  virtual void make(const State& state, Slot blocked) = 0;
  [[nodiscard]] virtual Time start() const = 0;
  /// No job that ends after `start()` and needs more processors than this can be let in.
  [[nodiscard]] virtual std::int64_t spare_processors() const = 0;
  /// The job that is about to be placed, and ends after `start()`. Returns what it must leave alone; null where that is
  /// nothing.
  virtual NodeLimit* consider(const State& state, Slot candidate) = 0;
  /// The job considered was started with the last placement.
  virtual void keep() = 0;
  /// A job was started that ends by `start()`.
  virtual void gives_back(const State& state, Slot started) = 0;
};

}  // namespace schedlab
