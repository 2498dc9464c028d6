#include "expression/tree.hpp"

#include <algorithm>
#include <cmath>

namespace schedlab {

namespace {

/// CPython's float_floor_div, except for a divisor of zero: floor(a / b) would be off by one where a / b rounds up.
double floor_divide(double a, double b) {
  if (b == 0.0) return a / b;
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0.0 && (b < 0.0) != (rest < 0.0)) quotient -= 1.0;
  if (quotient == 0.0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

/// CPython's float_rem.
double remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0.0) return std::copysign(0.0, b);
  return (b < 0.0) != (rest < 0.0) ? rest + b : rest;
}

double truth(bool value) { return value ? 1.0 : 0.0; }

/// `result` never overlaps an operand, which lets the simple loops be vectorized.
template <class Function, class... Operands>
void each(std::size_t rows, double* __restrict result, Function function, const Operands*... operands) {
  for (std::size_t row = 0; row < rows; ++row) result[row] = function(operands[row]...);
}

}  // namespace

void apply(Operation operation, std::size_t rows, const std::array<const double*, 3>& operands, double* result) {
  const auto unary = [&](auto function) { each(rows, result, function, operands[0]); };
  const auto binary = [&](auto function) { each(rows, result, function, operands[0], operands[1]); };
  switch (operation) {
    case Operation::constant:
    case Operation::variable:
    case Operation::lookup:
      return;  // not here
    case Operation::negate:
      return unary([](double a) { return -a; });
    case Operation::logical_not:
      return unary([](double a) { return truth(a == 0.0); });
    case Operation::square:
      return unary([](double a) { return a * a; });
    case Operation::cube:
      return unary([](double a) { return a * a * a; });
    case Operation::fourth_power:
      return unary([](double a) { return a * a * a * a; });
    case Operation::log:
      return unary([](double a) { return std::log(a); });
    case Operation::log2:
      return unary([](double a) { return std::log2(a); });
    case Operation::log10:
      return unary([](double a) { return std::log10(a); });
    case Operation::sqrt:
      return unary([](double a) { return std::sqrt(a); });
    case Operation::exp:
      return unary([](double a) { return std::exp(a); });
    case Operation::abs:
      return unary([](double a) { return std::abs(a); });
    case Operation::floor:
      return unary([](double a) { return std::floor(a); });
    case Operation::ceil:
      return unary([](double a) { return std::ceil(a); });
    case Operation::add:
      return binary([](double a, double b) { return a + b; });
    case Operation::subtract:
      return binary([](double a, double b) { return a - b; });
    case Operation::multiply:
      return binary([](double a, double b) { return a * b; });
    case Operation::divide:
      return binary([](double a, double b) { return a / b; });
    case Operation::floor_divide:
      return binary([](double a, double b) { return floor_divide(a, b); });
    case Operation::remainder:
      return binary([](double a, double b) { return remainder(a, b); });
    case Operation::power:
      return binary([](double a, double b) { return std::pow(a, b); });
    case Operation::less:
      return binary([](double a, double b) { return truth(a < b); });
    case Operation::less_equal:
      return binary([](double a, double b) { return truth(a <= b); });
    case Operation::greater:
      return binary([](double a, double b) { return truth(a > b); });
    case Operation::greater_equal:
      return binary([](double a, double b) { return truth(a >= b); });
    case Operation::equal:
      return binary([](double a, double b) { return truth(a == b); });
    case Operation::not_equal:
      return binary([](double a, double b) { return truth(a != b); });
    case Operation::logical_and:
      return binary([](double a, double b) { return truth((a != 0.0) & (b != 0.0)); });
    case Operation::logical_or:
      return binary([](double a, double b) { return truth((a != 0.0) | (b != 0.0)); });
    case Operation::min:
      return binary([](double a, double b) { return b < a || b != b ? b : a; });
    case Operation::max:
      return binary([](double a, double b) { return b > a || b != b ? b : a; });
    case Operation::choose:
      return each(
          rows, result, [](double c, double a, double b) { return c != 0.0 ? a : b; }, operands[0], operands[1],
          operands[2]);
  }
}

std::uint32_t ExpressionTree::append(const ExpressionNode& node) {
  nodes.push_back(node);
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t ExpressionTree::constant(double value) {
  ExpressionNode node;
  node.value = value;
  return append(node);
}

std::uint32_t ExpressionTree::variable(std::uint32_t index) {
  ExpressionNode node;
  node.operation = Operation::variable;
  node.index = index;
  return append(node);
}

std::uint32_t ExpressionTree::lookup(std::uint32_t table, std::uint32_t key) {
  ++operations;
  return append({Operation::lookup, 1, {key}, table});
}

std::uint32_t ExpressionTree::operation(Operation operation, std::initializer_list<std::uint32_t> operands) {
  ExpressionNode node;
  node.operation = operation;
  node.operand_count = static_cast<std::uint8_t>(operands.size());
  std::copy(operands.begin(), operands.end(), node.operands.begin());
  const auto is_constant = [this](std::uint32_t operand) { return nodes[operand].operation == Operation::constant; };
  if (std::all_of(operands.begin(), operands.end(), is_constant)) {
    std::array<const double*, 3> values{};
    for (std::size_t i = 0; i < node.operand_count; ++i) values[i] = &nodes[node.operands[i]].value;
    double value = 0.0;
    apply(operation, 1, values, &value);
    return constant(value);
  }
  ++operations;
  return append(node);
}

std::uint32_t ExpressionTree::power(std::uint32_t base, std::uint32_t exponent) {
  if (nodes[exponent].operation == Operation::constant) {
    if (nodes[exponent].value == 2.0) return operation(Operation::square, {base});
    if (nodes[exponent].value == 3.0) return operation(Operation::cube, {base});
    if (nodes[exponent].value == 4.0) return operation(Operation::fourth_power, {base});
  }
  return operation(Operation::power, {base, exponent});
}

}  // namespace schedlab
