// splitmix64: a generator whose whole state is one number, so that it forks and saves with the simulation.
#pragma once

#include <cstdint>

#include "archive.hpp"

namespace schedlab {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  void archive(Archive& archive) { archive(state_); }

  /// One of 0 .. n-1.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32U) * n) >> 32U); }

 private:
  std::uint64_t state_;
};

}  // namespace schedlab
