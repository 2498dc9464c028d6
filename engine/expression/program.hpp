// Score expressions: text that is parsed once and then computed for many rows (jobs) without any Python.
//
// The language, every value a double:
//   values       1  2.5  .5  1e-15 · names, dotted or not: wait, queue.length · tables: data.usage[user] · (a)
//   operators    as in Python, tightest first: **  + - (signs)  * / // %  + -  < <= > >= == !=  not  and  or
//                a if c else b. Comparisons are not chained.
//   functions    min(a, ...)  max(a, ...)  log  log2  log10  sqrt  exp  abs  floor  ceil  pow(a, b)  if(c, a, b)
// Spaces and line breaks separate. Truth is 1 and falsehood 0, also from and, or, not; everything but 0 is true, NaN
// too. Every part is computed; nothing fails: 1/0 is inf, 0/0 and sqrt(-1) are NaN, log(0) is -inf, exp(1000) is inf.
//   a // b, a % b  Python's result, with the sign of b for %; with b = 0 it is a / b and NaN.
//   a ** b         pow(a, b) of the C library; a constant whole b from 2 to 4 is multiplied out from the left instead,
//                  ((a * a) * a) * a, which may differ in the last bit. The function pow does the same.
//   min, max       NaN if any argument is; of equal ones (0 and -0) the first.
//   table[key]     0 where the table has no such key, and where the key is not a whole number of 64 bits.
// Limits: 10,000 bytes, 1,000 operations that are left after constants are folded, 100 levels of nesting (brackets,
// signs, not, right sides of **, else branches).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schedlab {

/// The names an expression may use; a variable or table is known by its index afterwards.
struct ExpressionNames {
  std::vector<std::string> variables;
  std::vector<std::string> tables;
};

/// What the tables of an expression hold while it is evaluated.
class ExpressionTables {
 public:
  ExpressionTables() = default;
  ExpressionTables(const ExpressionTables&) = default;
  ExpressionTables& operator=(const ExpressionTables&) = delete;
  virtual ~ExpressionTables() = default;

  /// The value at `key`; 0 where there is none.
  [[nodiscard]] virtual double at(std::uint32_t table, std::int64_t key) const = 0;
};

enum class Operation : std::uint8_t;

/// A program over registers of `batch` rows each; copies are independent.
class Expression {
 public:
  static constexpr std::size_t batch = 64;

  /// Throws InputError, "position 14: ...", counted from 1. With `open`, unknown names without a dot become variables:
  /// they are appended to `names` if the whole text is accepted.
  static Expression parse(std::string_view text, ExpressionNames& names, bool open = false);

  /// Indices of the variables in use, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& variables() const { return variables_; }
  /// Indices of the tables in use, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& tables() const { return tables_; }

  /// Computes `rows` results, at most `batch`; columns[v] points to as many values of each variable v in use.
  void evaluate(std::size_t rows, std::span<const double* const> columns, const ExpressionTables& tables,
                double* results) const;
  /// Lines below `rows` results while each variable goes straight from its value in `start` to that in `end`: two
  /// values each. Not numbers where nothing is known of a result, or it may not be a number; nothing is known of
  /// tables.
  void lower_lines(std::size_t rows, std::span<const double* const> start, std::span<const double* const> end,
                   double* least_at_start, double* least_at_end) const;

 private:
  enum class Source : std::uint8_t { scratch, constant, variable };
  struct Operand {
    Source source = Source::scratch;
    std::uint32_t index = 0;
  };
  struct Instruction {
    Operation operation;
    std::uint8_t operand_count;
    std::uint32_t result;  // a register that none of the operands is in
    std::uint32_t table;
    std::array<Operand, 3> operands;
  };
  class Compiler;

  Expression() = default;

  std::vector<Instruction> program_;
  std::vector<double> constants_;  // each repeated `batch` times, so that every operand is a column
  std::vector<std::uint32_t> variables_;
  std::vector<std::uint32_t> tables_;
  Operand result_;
};

}  // namespace schedlab
