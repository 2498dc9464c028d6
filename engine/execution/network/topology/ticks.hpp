// Time on a network: whole picoseconds, counted from an epoch that moves along with the simulation.
#pragma once

#include <cstdint>
#include <limits>

namespace schedlab {

/// 64 bits of picoseconds reach 106 days; `Traffic` moves the epoch long before. Whole numbers, because sums of
/// them do not depend on their order: two packets that are due at one time are due at one time.
using Tick = std::int64_t;

inline constexpr Tick never_tick = std::numeric_limits<Tick>::max();
inline constexpr Tick ticks_per_nanosecond = 1000;
inline constexpr double ticks_per_second = 1e12;

}  // namespace schedlab
