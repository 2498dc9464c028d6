// What a score can be while time passes: below which line it does not fall, and above which one it does not rise.
//
// A line is its values at the two ends of a stretch of time. Where an operation bends it, a chord or a tangent takes
// its place; where none is known, a constant. The lines hold for what `apply` computes, rounding included: each is
// moved outwards by more than an operation, or a function of the C library, is wrong.
#pragma once

#include <array>
#include <cstddef>

#include "expression/tree.hpp"

namespace schedlab {

/// Columns of two lines each. Where they are not numbers nothing is known of the value, which may not be one either.
struct LineColumns {
  const double* low_start = nullptr;
  const double* low_end = nullptr;
  const double* high_start = nullptr;
  const double* high_end = nullptr;
};

/// Lines of an operation (neither a leaf nor a lookup) for N rows, into columns `batch` apart in the order of
/// LineColumns; operands that it does not have are not read.
void apply_to_lines(Operation operation, std::size_t rows, const std::array<LineColumns, 3>& operands, double* results,
                    std::size_t apart);

/// The lines of a value that goes straight from one value to another, as numbers are rounded.
void straight_lines(std::size_t rows, const double* start, const double* end, double* results, std::size_t apart);

}  // namespace schedlab
