// Simulated time: whole nanoseconds in the trace's own clock.
//
// 64 bits of nanoseconds reach 292 years, keep whole-second traces exact, and give contention models fractions without
// drift. A model that needs finer steps (a network) keeps its residue below a nanosecond to itself.
#pragma once

#include <cstdint>
#include <limits>

namespace schedlab {

using Time = std::int64_t;

inline constexpr Time second = 1'000'000'000;
inline constexpr Time never = std::numeric_limits<Time>::max();

/// Largest time an input may hold, in seconds (126 years): two of them still add up without overflow.
inline constexpr std::int64_t longest_input_seconds = 4'000'000'000;

/// Whether an input may say so early a time; saved states are not to be trusted.
constexpr bool is_time(Time time) { return time >= -longest_input_seconds * second; }

/// Sum of a time and a non-negative length, or `never` where it would overflow.
constexpr Time later(Time time, Time length) { return length >= never - (time > 0 ? time : 0) ? never : time + length; }

constexpr double in_seconds(Time time) { return static_cast<double>(time) / static_cast<double>(second); }

/// The floating-point number nearest to whole + nanos / 10^9, both of one sign.
double nearest_decimal(std::int64_t whole, std::int32_t nanos);

}  // namespace schedlab
