#include "workload/swf_text.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "base/digits.hpp"
#include "base/errors.hpp"

namespace schedlab {

namespace {

constexpr double exact = 9007199254740992.0;  // 2^53: whole numbers up to here are distinct

void append(std::string& text, double value) {
  if (value == std::trunc(value) && std::abs(value) < exact) {
    std::array<char, 24> digits{};
    text.append(digits.data(), put_signed(digits.data(), static_cast<std::int64_t>(value)));
    return;
  }
  if (!std::isfinite(value)) throw InputError("a number that is not finite: SWF cannot hold it");
  std::array<char, 340> digits{};  // the largest double has 309 of them, and nine after the point
  const char* end = digits.data() + std::snprintf(digits.data(), digits.size(), "%.9f", value);
  while (end[-1] == '0') --end;
  if (end[-1] == '.') --end;
  text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

}  // namespace

std::string swf_text(const std::vector<SwfColumn>& columns, std::size_t rows) {
  std::string text;
  text.reserve(rows * columns.size() * 5);
  for (std::size_t row = 0; row < rows; ++row) {
    for (const SwfColumn& column : columns) {
      if (column.texts.empty()) {
        append(text, column.numbers[row]);
      } else {
        text += column.texts[row];
      }
      text += ' ';
    }
    text.back() = '\n';
  }
  return text;
}

}  // namespace schedlab
