// Expressions over a job, the queue, the machine and additional data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/state.hpp"
#include "expression/program.hpp"
#include "workload/source.hpp"

namespace schedlab {

class JobExpression {
 public:
  /// Throws InputError, which names the expression, where it is wrong. Names that are not known may be attributes of
  /// jobs if `open`.
  JobExpression(std::string text, const std::vector<std::string>& resource_types, const DataBoard& data,
                const std::vector<std::string>& attributes, bool open);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Whether the value can change while a job waits.
  [[nodiscard]] bool changes() const { return changes_; }

  static constexpr std::size_t batch = Expression::batch;
  /// The values for at most `batch` jobs; throws where a job lacks an attribute or a value is not a number.
  void evaluate(const State& state, std::span<const Slot> jobs, double* values) const;

  /// Whether the value of a waiting job changes with the time, and with nothing else.
  [[nodiscard]] bool changes_with_time() const { return changes_with_time_; }
  /// For at most `batch` jobs a line that the value does not fall below from now until then: what it is at both ends;
  /// not numbers where none is known, or there may be no value. Only where it changes with nothing but the time.
  void lower_lines(const State& state, std::span<const Slot> jobs, Time until, double* now, double* then) const;

  /// Which of at most `batch` jobs have the value of the one before them at any time: it is computed of the same
  /// numbers.
  void find_alike(const State& state, std::span<const Slot> jobs, bool* alike) const;

  /// Every name that expressions may use, but attributes of jobs.
  static std::vector<std::string> known_names(const std::vector<std::string>& resource_types);

 private:
  void fill(const State& state, Time at, std::uint32_t variable, std::span<const Slot> jobs, double* column) const;

  std::string text_;
  ExpressionNames names_;
  std::size_t types_ = 0;
  std::size_t data_numbers_ = 0;
  bool changes_ = false;
  bool changes_with_time_ = false;
  Expression expression_;
  mutable std::vector<const double*> columns_;  // of the last evaluation, kept for their memory
  mutable std::vector<double> filled_;
  mutable std::vector<const double*> later_columns_;  // of the last bounds
};

/// What expressions of a simulation may refer to.
struct ExpressionScope {
  const std::vector<std::string>& resource_types;
  const DataBoard& data;
  const JobSource& source;

  [[nodiscard]] JobExpression parse(std::string text) const {
    return JobExpression(std::move(text), resource_types, data, source.attribute_names(), source.may_add_attributes());
  }
};

}  // namespace schedlab
