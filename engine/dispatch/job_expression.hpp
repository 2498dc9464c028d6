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

  /// Every name that expressions may use, but attributes of jobs.
  static std::vector<std::string> known_names(const std::vector<std::string>& resource_types);

 private:
  void fill(const State& state, std::uint32_t variable, std::span<const Slot> jobs, double* column) const;

  std::string text_;
  ExpressionNames names_;
  std::size_t types_ = 0;
  std::size_t data_numbers_ = 0;
  bool changes_ = false;
  Expression expression_;
  mutable std::vector<const double*> columns_;  // of the last evaluation, kept for their memory
  mutable std::vector<double> filled_;
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
