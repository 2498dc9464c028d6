#include "expression/program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "expression/lines.hpp"
#include "expression/tree.hpp"

namespace schedlab {

namespace {

/// With the operand computed first that needs most registers, 1,093 instructions are the fewest that need a fourteenth.
constexpr std::uint32_t registers = 16;

void sort_unique(std::vector<std::uint32_t>& indices) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
}

double look_up(const ExpressionTables& tables, std::uint32_t table, double key) {
  constexpr double beyond = 0x1p63;
  const bool whole = key >= -beyond && key < beyond && key == std::floor(key);
  return whole ? tables.at(table, static_cast<std::int64_t>(key)) : 0.0;
}

}  // namespace

class Expression::Compiler {
 public:
  Compiler(const ExpressionTree& tree, Expression& expression) : tree_(tree), expression_(expression) {}

  void compile() {
    for (const ExpressionNode& node : tree_.nodes) needs_.push_back(registers_of(node));
    expression_.result_ = emit(tree_.root);
    sort_unique(expression_.variables_);
    sort_unique(expression_.tables_);
  }

 private:
  using Order = std::array<std::uint8_t, 3>;

  /// Operands by falling need (Sethi and Ullman, 1970).
  [[nodiscard]] Order order_of(const ExpressionNode& node) const {
    Order order{0, 1, 2};
    std::stable_sort(order.begin(), order.begin() + node.operand_count, [&](std::uint8_t left, std::uint8_t right) {
      return needs_[node.operands[left]] > needs_[node.operands[right]];
    });
    return order;
  }

  /// Registers in use at once while the node is computed; none for a leaf.
  [[nodiscard]] std::uint32_t registers_of(const ExpressionNode& node) const {
    if (node.operand_count == 0) return 0;
    const Order order = order_of(node);
    std::uint32_t held = 0;
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < node.operand_count; ++i) {
      const std::uint32_t need = needs_[node.operands[order[i]]];
      most = std::max(most, held + need);
      if (need > 0) ++held;
    }
    return std::max(most, held + 1);
  }

  // Recursion is bounded by the limit on operations.
  Operand emit(std::uint32_t index) {
    const ExpressionNode& node = tree_.nodes[index];
    if (node.operation == Operation::constant) return {Source::constant, constant(node.value)};
    if (node.operation == Operation::variable) {
      expression_.variables_.push_back(node.index);
      return {Source::variable, node.index};
    }
    Instruction instruction{node.operation, node.operand_count, 0, node.index, {}};
    const Order order = order_of(node);
    for (std::size_t i = 0; i < node.operand_count; ++i) {
      instruction.operands[order[i]] = emit(node.operands[order[i]]);
    }
    instruction.result = take_register();
    for (std::size_t i = 0; i < node.operand_count; ++i) release(instruction.operands[i]);
    if (node.operation == Operation::lookup) expression_.tables_.push_back(node.index);
    expression_.program_.push_back(instruction);
    return {Source::scratch, instruction.result};
  }

  std::uint32_t constant(double value) {
    std::vector<double>& constants = expression_.constants_;
    const auto bits = std::bit_cast<std::uint64_t>(value);  // 0 is not -0, and a NaN is itself
    std::size_t first = 0;
    while (first < constants.size() && std::bit_cast<std::uint64_t>(constants[first]) != bits) first += batch;
    if (first == constants.size()) constants.insert(constants.end(), batch, value);
    return static_cast<std::uint32_t>(first);
  }

  std::uint32_t take_register() {
    const auto taken = static_cast<std::uint32_t>(std::countr_one(taken_));
    if (taken >= registers) throw InputError("position 1: the expression is too large");
    taken_ |= 1U << taken;
    return taken;
  }

  void release(Operand operand) {
    if (operand.source == Source::scratch) taken_ &= ~(1U << operand.index);
  }

  const ExpressionTree& tree_;
  Expression& expression_;
  std::vector<std::uint32_t> needs_;
  std::uint32_t taken_ = 0;
};

Expression Expression::parse(std::string_view text, ExpressionNames& names, bool open) {
  ExpressionNames extended = names;
  Expression expression;
  Compiler(parse_expression(text, extended, open), expression).compile();
  names = std::move(extended);
  return expression;
}

void Expression::evaluate(std::size_t rows, std::span<const double* const> columns, const ExpressionTables& tables,
                          double* results) const {
  std::array<double, registers * batch> scratch;  // every register is written before it is read
  const auto column = [&](Operand operand) -> const double* {
    switch (operand.source) {
      case Source::constant:
        return constants_.data() + operand.index;
      case Source::variable:
        return columns[operand.index];
      case Source::scratch:
        break;
    }
    return scratch.data() + operand.index * batch;
  };
  for (const Instruction& instruction : program_) {
    double* result = scratch.data() + instruction.result * batch;
    const auto& operands = instruction.operands;
    if (instruction.operation == Operation::lookup) {
      const double* keys = column(operands[0]);
      for (std::size_t row = 0; row < rows; ++row) result[row] = look_up(tables, instruction.table, keys[row]);
    } else {
      apply(instruction.operation, rows, {column(operands[0]), column(operands[1]), column(operands[2])}, result);
    }
  }
  std::copy_n(column(result_), rows, results);
}

void Expression::lower_lines(std::size_t rows, std::span<const double* const> start, std::span<const double* const> end,
                             double* least_at_start, double* least_at_end) const {
  constexpr std::size_t lines = 4 * batch;
  std::array<double, registers * lines> scratch;  // every register is written before it is read
  std::array<double, 3 * lines> of_variables;
  const auto columns_at = [](const double* lines_at) -> LineColumns {
    return {lines_at, lines_at + batch, lines_at + 2 * batch, lines_at + 3 * batch};
  };
  const auto column = [&](Operand operand, std::size_t which) -> LineColumns {
    if (operand.source == Source::constant) {
      const double* value = constants_.data() + operand.index;
      return {value, value, value, value};
    }
    if (operand.source == Source::scratch) return columns_at(scratch.data() + operand.index * lines);
    double* variable = of_variables.data() + which * lines;
    straight_lines(rows, start[operand.index], end[operand.index], variable, batch);
    return columns_at(variable);
  };
  for (const Instruction& instruction : program_) {
    double* result = scratch.data() + instruction.result * lines;
    if (instruction.operation == Operation::lookup) {
      std::fill_n(result, lines, std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    std::array<LineColumns, 3> operands;
    for (std::size_t i = 0; i < instruction.operand_count; ++i) operands[i] = column(instruction.operands[i], i);
    apply_to_lines(instruction.operation, rows, operands, result, batch);
  }
  const LineColumns result = column(result_, 0);
  std::copy_n(result.low_start, rows, least_at_start);
  std::copy_n(result.low_end, rows, least_at_end);
}

}  // namespace schedlab
