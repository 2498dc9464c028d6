#include "expression/lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace schedlab {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

struct Bounds {
  double low;
  double high;

  [[nodiscard]] bool known() const { return low == low; }
  [[nodiscard]] bool exact() const { return low == high; }
  [[nodiscard]] bool may_be_zero() const { return low <= 0.0 && high >= 0.0; }
  [[nodiscard]] bool may_be_infinite() const { return low == -infinite || high == infinite; }
  [[nodiscard]] bool is_finite() const { return known() && !may_be_infinite(); }
};

constexpr Bounds unknown{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
constexpr Bounds anything{-infinite, infinite};

/// More than four units in the last place away: the C library's functions are that exact, but not sure to rise with
/// their argument. (Sums, products, quotients and square roots are: they are rounded correctly.)
double below(double value) {
  if (std::isinf(value)) return std::min(value, largest);
  return value - std::abs(value) * 0x1p-50 - 0x1p-1060;
}
double above(double value) { return -below(-value); }

/// Whether a value counts as true; what is not known may count as either.
struct Truth {
  bool may_hold;
  bool may_fail;

  explicit Truth(Bounds value)
      : may_hold(!value.known() || value.low != 0.0 || value.high != 0.0),
        may_fail(!value.known() || value.may_be_zero()) {}
  Truth(bool holds, bool fails) : may_hold(holds), may_fail(fails) {}
  [[nodiscard]] Bounds bounds() const { return {may_fail ? 0.0 : 1.0, may_hold ? 1.0 : 0.0}; }
};

Bounds hull(Bounds a, Bounds b) {
  if (!a.known() || !b.known()) return unknown;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Of a function of two operands that rises or falls with each of them.
template <class Function>
Bounds of_corners(Function function, Bounds a, Bounds b) {
  const std::array<double, 4> corners = {function(a.low, b.low), function(a.low, b.high), function(a.high, b.low),
                                         function(a.high, b.high)};
  const auto [least, most] = std::minmax_element(corners.begin(), corners.end());
  return {*least, *most};
}

Bounds negate(Bounds a) { return {-a.high, -a.low}; }

Bounds add(Bounds a, Bounds b) {
  if ((a.high == infinite && b.low == -infinite) || (a.low == -infinite && b.high == infinite)) return unknown;
  return {a.low + b.low, a.high + b.high};  // not a number where an operand is not
}

Bounds multiply(Bounds a, Bounds b) {
  if (!a.known() || !b.known()) return unknown;
  if ((a.may_be_zero() && b.may_be_infinite()) || (b.may_be_zero() && a.may_be_infinite())) return unknown;
  return of_corners([](double x, double y) { return x * y; }, a, b);
}

Bounds divide(Bounds a, Bounds b) {
  if (!a.known() || !b.known() || (a.may_be_infinite() && b.may_be_infinite())) return unknown;
  if (b.may_be_zero()) return a.may_be_zero() ? unknown : anything;
  return of_corners([](double x, double y) { return x / y; }, a, b);
}

/// Of a function that falls up to zero and rises from there.
template <class Function>
Bounds of_distance_from_zero(Function function, Bounds a) {
  if (!a.known()) return unknown;
  const double left = function(a.low);
  const double right = function(a.high);
  return {a.may_be_zero() ? 0.0 : std::min(left, right), std::max(left, right)};
}

/// Of a function of the C library that rises with its argument, from `least` on.
template <class Function>
Bounds of_rising(Function function, Bounds a, double least) {
  if (!a.known() || a.low < least) return unknown;
  return {below(function(a.low)), above(function(a.high))};
}

/// Of a power whose base is not negative.
Bounds power(Bounds a, Bounds b) {
  if (!a.known() || !b.known() || a.low < 0.0 || (a.low == 0.0 && b.low < 0.0)) return unknown;
  const Bounds exact = of_corners([](double x, double y) { return std::pow(x, y); }, a, b);
  return {below(exact.low), above(exact.high)};
}

Bounds compare(Bounds a, Bounds b, bool holds, bool fails) {
  if (!a.known() || !b.known()) return {0.0, 1.0};
  return Truth(!fails, !holds).bounds();
}

Bounds bounds_of(Operation operation, Bounds a, Bounds b, Bounds c) {
  switch (operation) {
    case Operation::constant:
    case Operation::variable:
    case Operation::lookup:
      return unknown;  // not here
    case Operation::negate:
      return negate(a);
    case Operation::logical_not:
      return Truth(Truth(a).may_fail, Truth(a).may_hold).bounds();
    case Operation::square:
      return of_distance_from_zero([](double x) { return x * x; }, a);
    case Operation::cube:
      return {a.low * a.low * a.low, a.high * a.high * a.high};
    case Operation::fourth_power:
      return of_distance_from_zero([](double x) { return x * x * x * x; }, a);
    case Operation::log:
      return of_rising([](double x) { return std::log(x); }, a, 0.0);
    case Operation::log2:
      return of_rising([](double x) { return std::log2(x); }, a, 0.0);
    case Operation::log10:
      return of_rising([](double x) { return std::log10(x); }, a, 0.0);
    case Operation::sqrt:
      return of_rising([](double x) { return std::sqrt(x); }, a, 0.0);
    case Operation::exp:
      return of_rising([](double x) { return std::exp(x); }, a, -infinite);
    case Operation::abs:
      return of_distance_from_zero([](double x) { return std::abs(x); }, a);
    case Operation::floor:
      return {std::floor(a.low), std::floor(a.high)};
    case Operation::ceil:
      return {std::ceil(a.low), std::ceil(a.high)};
    case Operation::add:
      return add(a, b);
    case Operation::subtract:
      return add(a, negate(b));
    case Operation::multiply:
      return multiply(a, b);
    case Operation::divide:
      return divide(a, b);
    case Operation::floor_divide:
      if (!a.is_finite() || !b.is_finite() || !b.exact() || b.low <= 0.0) return unknown;
      return {std::floor(below(a.low / b.low)) - 1.0, std::floor(above(a.high / b.low)) + 1.0};
    case Operation::remainder:
      if (!a.is_finite() || !b.is_finite() || !b.exact() || b.low <= 0.0) return unknown;
      return {0.0, b.low};
    case Operation::power:
      return power(a, b);
    case Operation::less:
      return compare(a, b, a.high < b.low, a.low >= b.high);
    case Operation::less_equal:
      return compare(a, b, a.high <= b.low, a.low > b.high);
    case Operation::greater:
      return compare(a, b, a.low > b.high, a.high <= b.low);
    case Operation::greater_equal:
      return compare(a, b, a.low >= b.high, a.high < b.low);
    case Operation::equal:
      return compare(a, b, false, a.high < b.low || a.low > b.high);
    case Operation::not_equal:
      return compare(a, b, a.high < b.low || a.low > b.high, false);
    case Operation::logical_and:
      return Truth(Truth(a).may_hold && Truth(b).may_hold, Truth(a).may_fail || Truth(b).may_fail).bounds();
    case Operation::logical_or:
      return Truth(Truth(a).may_hold || Truth(b).may_hold, Truth(a).may_fail && Truth(b).may_fail).bounds();
    case Operation::min:
      if (!a.known() || !b.known()) return unknown;
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Operation::max:
      if (!a.known() || !b.known()) return unknown;
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Operation::choose: {
      const Truth condition(a);
      if (!condition.may_fail) return b;
      return condition.may_hold ? hull(b, c) : c;
    }
  }
  return unknown;
}

struct Lines {
  Bounds start;
  Bounds end;

  [[nodiscard]] Bounds all() const { return {std::min(start.low, end.low), std::max(start.high, end.high)}; }
  [[nodiscard]] bool known() const { return start.known() && end.known(); }
  /// Of one value, whose sign is known: bounds are blind to that of a zero.
  [[nodiscard]] bool exact() const {
    return start.low == start.high && end.low == start.low && end.high == start.low && start.low != 0.0;
  }
};

Lines constant(Bounds bounds) { return {bounds, bounds}; }
Lines negate(Lines a) { return {negate(a.start), negate(a.end)}; }

/// Moved outwards by more than rounding can move values of that size.
Lines widened(Lines lines) {
  const Bounds all = lines.all();
  const double slack = std::max(std::abs(all.low), std::abs(all.high)) * 0x1p-48 + 0x1p-1060;
  return {{lines.start.low - slack, lines.start.high + slack}, {lines.end.low - slack, lines.end.high + slack}};
}

/// Of a function that rises with its argument and bends upwards: its chord lies above it, a tangent below.
template <class Function, class Slope>
Lines of_convex(Function function, Slope slope, Lines a) {
  const double middle = (a.start.low + a.end.low) / 2;
  const double height = function(middle);
  const double steepness = slope(middle);
  return {{height + steepness * (a.start.low - middle), function(a.start.high)},
          {height + steepness * (a.end.low - middle), function(a.end.high)}};
}
/// Of one that bends downwards.
template <class Function, class Slope>
Lines of_concave(Function function, Slope slope, Lines a) {
  const double middle = (a.start.high + a.end.high) / 2;
  const double height = function(middle);
  const double steepness = slope(middle);
  return {{function(a.start.low), height + steepness * (a.start.high - middle)},
          {function(a.end.low), height + steepness * (a.end.high - middle)}};
}

Lines times(Lines a, double factor) {
  const Lines scaled{{a.start.low * factor, a.start.high * factor}, {a.end.low * factor, a.end.high * factor}};
  return factor < 0.0 ? Lines{{scaled.start.high, scaled.start.low}, {scaled.end.high, scaled.end.low}} : scaled;
}
Lines over(Lines a, double divisor) {
  const Lines scaled{{a.start.low / divisor, a.start.high / divisor}, {a.end.low / divisor, a.end.high / divisor}};
  return divisor < 0.0 ? Lines{{scaled.start.high, scaled.start.low}, {scaled.end.high, scaled.end.low}} : scaled;
}

/// Of a power with a whole exponent.
template <class Function, class Slope>
Lines of_power(Function function, Slope slope, bool odd, Lines a, Lines otherwise) {
  if (a.all().low >= 0.0) return of_convex(function, slope, a);
  if (a.all().high > 0.0) return otherwise;
  const Lines mirrored = of_convex(function, slope, negate(a));
  return odd ? negate(mirrored) : mirrored;
}

/// Lines that are not constant, where some are known of the operation; else `otherwise`, which bounds it.
Lines bent(Operation operation, Lines a, Lines b, Lines otherwise) {
  const Bounds all = a.all();
  switch (operation) {
    case Operation::negate:
      return negate(a);
    case Operation::add:
      return {add(a.start, b.start), add(a.end, b.end)};
    case Operation::subtract:
      return {add(a.start, negate(b.start)), add(a.end, negate(b.end))};
    case Operation::multiply:
      if (b.exact()) return times(a, b.start.low);
      return a.exact() ? times(b, a.start.low) : otherwise;
    case Operation::divide:
      return b.exact() ? over(a, b.start.low) : otherwise;
    case Operation::square:
      return of_power([](double x) { return x * x; }, [](double x) { return 2 * x; }, false, a, otherwise);
    case Operation::cube:
      return of_power([](double x) { return x * x * x; }, [](double x) { return 3 * x * x; }, true, a, otherwise);
    case Operation::fourth_power:
      return of_power([](double x) { return x * x * x * x; }, [](double x) { return 4 * x * x * x; }, false, a,
                      otherwise);
    case Operation::exp:
      return of_convex([](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }, a);
    case Operation::log:
      if (all.low <= 0.0) return otherwise;
      return of_concave([](double x) { return std::log(x); }, [](double x) { return 1 / x; }, a);
    case Operation::log2:
      if (all.low <= 0.0) return otherwise;
      return of_concave([](double x) { return std::log2(x); }, [](double x) { return 1 / (x * std::log(2.0)); }, a);
    case Operation::log10:
      if (all.low <= 0.0) return otherwise;
      return of_concave([](double x) { return std::log10(x); }, [](double x) { return 1 / (x * std::log(10.0)); }, a);
    case Operation::sqrt:
      if (all.low <= 0.0) return otherwise;
      return of_concave([](double x) { return std::sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); }, a);
    case Operation::power: {
      const double exponent = b.start.low;
      if (!b.exact() || all.low <= 0.0 || exponent < 0.0) return otherwise;
      const auto function = [&](double x) { return std::pow(x, exponent); };
      const auto slope = [&](double x) { return exponent * std::pow(x, exponent - 1); };
      return exponent < 1.0 ? of_concave(function, slope, a) : of_convex(function, slope, a);
    }
    case Operation::abs:
      if (all.low >= 0.0) return a;
      return all.high <= 0.0 ? negate(a) : otherwise;
    case Operation::min:
      if (all.high <= b.all().low) return a;
      return b.all().high <= all.low ? b : otherwise;
    case Operation::max:
      if (all.low >= b.all().high) return a;
      return b.all().low >= all.high ? b : otherwise;
    default:
      return otherwise;
  }
}

Lines lines_of(Operation operation, Lines a, Lines b, Lines c) {
  if (a.exact() && b.exact() && c.exact()) {
    double value = 0.0;
    apply(operation, 1, {&a.start.low, &b.start.low, &c.start.low}, &value);
    return constant({value, value});
  }
  if (operation == Operation::choose) {
    const Truth condition(a.known() ? a.all() : unknown);
    if (!condition.may_fail) return b;
    if (!condition.may_hold) return c;
  }
  const auto all_of = [](Lines lines) { return lines.known() ? lines.all() : unknown; };
  const Lines otherwise = constant(bounds_of(operation, all_of(a), all_of(b), all_of(c)));
  if (!otherwise.start.is_finite()) return otherwise;
  const Lines lines = widened(bent(operation, a, b, otherwise));
  return lines.start.is_finite() && lines.end.is_finite() ? lines : otherwise;
}

}  // namespace

void apply_to_lines(Operation operation, std::size_t rows, const std::array<LineColumns, 3>& operands, double* results,
                    std::size_t apart) {
  const auto operand = [&](std::size_t which, std::size_t row) -> Lines {
    const LineColumns& columns = operands[which];
    if (columns.low_start == nullptr) return constant({1.0, 1.0});
    return {{columns.low_start[row], columns.high_start[row]}, {columns.low_end[row], columns.high_end[row]}};
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const Lines lines = lines_of(operation, operand(0, row), operand(1, row), operand(2, row));
    results[row] = lines.start.low;
    results[apart + row] = lines.end.low;
    results[2 * apart + row] = lines.start.high;
    results[3 * apart + row] = lines.end.high;
  }
}

void straight_lines(std::size_t rows, const double* start, const double* end, double* results, std::size_t apart) {
  for (std::size_t row = 0; row < rows; ++row) {
    const Lines exact{{start[row], start[row]}, {end[row], end[row]}};
    const Lines lines = start[row] == end[row] ? exact : widened(exact);
    results[row] = lines.start.low;
    results[apart + row] = lines.end.low;
    results[2 * apart + row] = lines.start.high;
    results[3 * apart + row] = lines.end.high;
  }
}

}  // namespace schedlab
