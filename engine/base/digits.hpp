// Numbers as text, written at a place that has room for them; each function returns where it stopped.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/time.hpp"

namespace schedlab {

/// Not that of <cctype>, which asks the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The four digits of every number below 10,000.
inline constexpr std::array<std::array<char, 4>, 10'000> four_digits = [] {
  std::array<std::array<char, 4>, 10'000> table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    table[i] = {static_cast<char>('0' + i / 1000), static_cast<char>('0' + i / 100 % 10),
                static_cast<char>('0' + i / 10 % 10), static_cast<char>('0' + i % 10)};
  }
  return table;
}();

inline char* put_four(char* at, std::uint64_t value) {
  std::memcpy(at, four_digits[value].data(), 4);
  return at + 4;
}

/// A value below 10,000; up to three bytes after it may be overwritten.
inline char* put_small(char* at, std::uint64_t value) {
  const unsigned digits = 1U + (value > 9 ? 1U : 0U) + (value > 99 ? 1U : 0U) + (value > 999 ? 1U : 0U);
  std::uint32_t text = 0;
  std::memcpy(&text, four_digits[value].data(), 4);
  if constexpr (std::endian::native == std::endian::little) {
    text >>= 8U * (4U - digits);
  } else {
    text <<= 8U * (4U - digits);
  }
  std::memcpy(at, &text, 4);
  return at + digits;
}

/// Any value; up to three bytes after it may be overwritten.
inline char* put(char* at, std::uint64_t value) {
  if (value < 10'000) return put_small(at, value);
  const std::uint64_t upper = value / 10'000;
  if (upper < 10'000) return put_four(put_small(at, upper), value % 10'000);
  const std::uint64_t top = upper / 10'000;
  at = top < 10'000 ? put_small(at, top) : put(at, top);
  return put_four(put_four(at, upper % 10'000), value % 10'000);
}

inline char* put_signed(char* at, std::int64_t value) {
  if (value < 0) *at++ = '-';
  return put(at, value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value));
}

/// A decimal fraction of four times `fours` digits, without trailing zeros.
inline char* put_fraction(char* at, std::uint64_t value, std::size_t fours) {
  *at++ = '.';
  for (std::size_t i = fours; i-- > 0; value /= 10'000) std::memcpy(at + 4 * i, four_digits[value % 10'000].data(), 4);
  at += 4 * fours;
  while (at[-1] == '0') --at;
  return at;
}

/// Seconds, with a fraction only where there is one.
inline char* put_time(char* at, Time time) {
  if (time < 0) *at++ = '-';
  const auto size = static_cast<std::uint64_t>(time < 0 ? -time : time);
  at = put(at, size / second);
  const std::uint64_t fraction = size % second;
  return fraction == 0 ? at : put_fraction(at, fraction * 1000, 3);
}

/// Six decimals at most.
inline char* put_ratio(char* at, double value) {
  if (value == 1.0) {
    *at = '1';
    return at + 1;
  }
  if (value >= 1e12) return at + std::snprintf(at, 32, "%.6g", value);
  const auto millionths = static_cast<std::uint64_t>(value * 1e6 + 0.5);  // NOLINT(bugprone-incorrect-roundings): >= 0
  at = put(at, millionths / 1'000'000);
  const std::uint64_t fraction = millionths % 1'000'000;
  return fraction == 0 ? at : put_fraction(at, fraction * 100, 2);
}

inline char* put_text(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

}  // namespace schedlab
