// splitmix64: a generator whose whole state is one number, so that it forks and saves with the simulation.
#pragma once

#include <cstdint>

#include "base/archive.hpp"

namespace schedlab {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += step);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  /// The n-th number, from 1, of the sequence that belongs to a seed.
  static std::uint64_t nth(std::uint64_t seed, std::uint64_t n) { return Random(seed + (n - 1) * step).next(); }

  void archive(Archive& archive) { archive(state_); }

  /// One of 0 .. n-1.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32U) * n) >> 32U); }

 private:
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;

  std::uint64_t state_;
};

}  // namespace schedlab
