// Rows of the Standard Workload Format as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace schedlab {

/// A field of all rows: numbers, or texts as they are.
struct SwfColumn {
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

/// Lines of `rows` rows. Whole numbers are written as such, others with nine decimals at most. Throws InputError where
/// a number is not finite.
std::string swf_text(const std::vector<SwfColumn>& columns, std::size_t rows);

}  // namespace schedlab
