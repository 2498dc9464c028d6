// Expressions over a job, the queue, the machine and additional data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dispatch/state.hpp"
#include "expression/program.hpp"

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

/// Sorts the queue by something else than the built-in orders.
class JobOrder {
 public:
  JobOrder() = default;
  JobOrder(const JobOrder&) = default;
  JobOrder& operator=(const JobOrder&) = delete;
  virtual ~JobOrder() = default;

  /// Whether keys change while jobs wait.
  [[nodiscard]] virtual bool changes() const = 0;
  /// The keys of at most `JobExpression::batch` jobs, least first.
  virtual void keys(const State& state, std::span<const Slot> jobs, double* keys) = 0;
  [[nodiscard]] virtual std::unique_ptr<JobOrder> clone() const = 0;
};

class ScoreOrder final : public JobOrder {
 public:
  explicit ScoreOrder(JobExpression expression) : expression_(std::move(expression)) {}

  [[nodiscard]] bool changes() const override { return expression_.changes(); }
  void keys(const State& state, std::span<const Slot> jobs, double* keys) override {
    expression_.evaluate(state, jobs, keys);
  }
  [[nodiscard]] std::unique_ptr<JobOrder> clone() const override { return std::make_unique<ScoreOrder>(*this); }

 private:
  JobExpression expression_;
};

}  // namespace schedlab
