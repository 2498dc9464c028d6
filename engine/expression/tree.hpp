// What the parser of score expressions hands to their compiler. Only the files expression*.cpp need it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "expression/program.hpp"

namespace schedlab {

enum class Operation : std::uint8_t {
  constant,
  variable,
  lookup,
  negate,
  logical_not,
  square,
  cube,
  fourth_power,
  log,
  log2,
  log10,
  sqrt,
  exp,
  abs,
  floor,
  ceil,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  remainder,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  min,
  max,
  choose,  // condition, value if true, value if false
};

/// Computes an operation on values (neither a leaf nor a lookup) for N rows; operands it does not have are not
/// read.
void apply(Operation operation, std::size_t rows, const std::array<const double*, 3>& operands, double* result);

struct ExpressionNode {
  Operation operation = Operation::constant;
  std::uint8_t operand_count = 0;
  std::array<std::uint32_t, 3> operands{};
  std::uint32_t index = 0;  // of the variable or table
  double value = 0.0;       // of a constant
};

/// Operands stand before what uses them.
struct ExpressionTree {
  std::vector<ExpressionNode> nodes;
  std::uint32_t root = 0;
  std::size_t operations = 0;

  std::uint32_t constant(double value);
  std::uint32_t variable(std::uint32_t index);
  std::uint32_t lookup(std::uint32_t table, std::uint32_t key);
  /// A constant if all operands are.
  std::uint32_t operation(Operation operation, std::initializer_list<std::uint32_t> operands);
  /// Multiplied out where the language says so.
  std::uint32_t power(std::uint32_t base, std::uint32_t exponent);

 private:
  std::uint32_t append(const ExpressionNode& node);
};

/// Names are added as Expression::parse says, but also where it throws.
ExpressionTree parse_expression(std::string_view text, ExpressionNames& names, bool open);

}  // namespace schedlab
