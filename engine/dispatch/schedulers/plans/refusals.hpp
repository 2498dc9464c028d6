// What searches for holes in one and the same profile have shown not to exist.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

namespace schedlab {

/// A request that cannot start before some time says the same of every request that is no smaller and no shorter. So
/// of thousands of waiting jobs only a few dozen are really searched for.
class Refusals {
 public:
  /// For requests of at most that many processors.
  explicit Refusals(std::int64_t largest)
      : used_(std::min(classes_.size(), class_below(static_cast<std::uint64_t>(largest)) + 1)) {}

  /// The time before which it is known that a request cannot start.
  [[nodiscard]] Time known_until(std::uint32_t processors, Time length) const {
    Time until = 0;
    for (const Refusal& refusal : classes_[class_below(processors)]) {
      if (refusal.length <= length) until = std::max(until, refusal.until);
    }
    return until;
  }

  /// Notes that a request cannot start before `until`.
  void note(std::uint32_t processors, Time length, Time until) {
    for (std::size_t i = class_above(processors); i < used_; ++i) keep(classes_[i], {length, until});
  }

  /// Processors became free from `from` on: what would have been too long to end before may now fit.
  void freed(Time from) {
    for (std::size_t i = 0; i < used_; ++i) {
      for (Refusal& refusal : classes_[i]) {
        if (refusal.length != never) refusal.until = std::min(refusal.until, from - refusal.length);
      }
    }
  }

 private:
  struct Refusal {
    Time length = never;
    Time until = 0;
  };
  using Refused = std::array<Refusal, 4>;

  /// Replaces one that says no more than the new one, else the one that reaches least far.
  static void keep(Refused& refused, const Refusal& fresh) {
    Refusal* weakest = refused.data();
    for (Refusal& refusal : refused) {
      if (refusal.length <= fresh.length && refusal.until >= fresh.until) return;
      if (fresh.length <= refusal.length && fresh.until >= refusal.until) {
        refusal = fresh;
        return;
      }
      if (refusal.until < weakest->until) weakest = &refusal;
    }
    if (weakest->until < fresh.until) *weakest = fresh;
  }

  // Class i holds what is true of all requests of 2^i processors and more.
  static std::size_t class_below(std::uint64_t processors) {
    return static_cast<std::size_t>(std::bit_width(processors)) - 1;
  }
  static std::size_t class_above(std::uint32_t processors) {
    return static_cast<std::size_t>(std::bit_width(processors - 1));
  }

  std::array<Refused, 33> classes_{};
  std::size_t used_;
};

}  // namespace schedlab
