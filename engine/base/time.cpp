#include "base/time.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace schedlab {

double nearest_decimal(std::int64_t whole, std::int32_t nanos) {
  // As a sum of two roundings it may be the neighbour of what the decimal text stands for.
  constexpr std::int64_t exact = (std::int64_t{1} << 53U) / second;  // up to here nanoseconds fit a double
  if (nanos == 0) return static_cast<double>(whole);
  if (whole > -exact && whole < exact) {
    return static_cast<double>(whole * second + nanos) / static_cast<double>(second);
  }
  std::array<char, 40> text{};
  const int size = std::snprintf(text.data(), text.size(), "%lld.%09d", static_cast<long long>(whole), std::abs(nanos));
  double value = 0.0;
  std::from_chars(text.data(), text.data() + size, value);
  return value;
}

}  // namespace schedlab
