// Orders of the queue: one table of those that have a name, scores, and what an order is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "dispatch/job_expression.hpp"
#include "dispatch/state.hpp"

namespace schedlab {

/// Gives each waiting job a key; jobs of one key go by the sequence in which they joined the queue.
class JobOrder {
 public:
  using Number = double (*)(const Job&);

  explicit JobOrder(bool changes, Number number = nullptr) : changes_(changes), number_(number) {}
  JobOrder(const JobOrder&) = default;
  JobOrder& operator=(const JobOrder&) = delete;
  virtual ~JobOrder() = default;

  /// Whether keys change while jobs wait.
  [[nodiscard]] bool changes() const { return changes_; }
  /// The keys of at most `JobExpression::batch` jobs, least first.
  virtual void keys(const State& state, std::span<const Slot> jobs, double* keys) = 0;
  /// The key of one job; quickly, where it is a number of the job alone.
  double key(const State& state, Slot slot) {
    if (number_ != nullptr) return number_(state.jobs()[slot]);
    double key = 0.0;
    keys(state, {&slot, 1}, &key);
    return key;
  }
  /// Whether keys change with the time alone, so that lines are known which they do not fall below.
  [[nodiscard]] virtual bool has_lines() const { return false; }
  /// Such lines of at most `JobExpression::batch` jobs: what they are now, and then; not numbers where none is known,
  /// or a job may come to have no key.
  virtual void lower_lines(const State&, std::span<const Slot>, Time, double*, double*) {}
  /// Which of these jobs always have the key of the one before them.
  virtual void find_alike(const State&, std::span<const Slot>, bool*) {}
  [[nodiscard]] virtual std::unique_ptr<JobOrder> clone() const = 0;

 private:
  bool changes_;
  Number number_;
};

/// A row of the table: what else lists orders (names in Python, the documentation) is made of it, or compared with it.
struct NamedOrder {
  std::string_view name;
  std::string_view other_names;  // with blanks between them
  std::string_view first;        // which job is first: the one with ...
  std::string_view reads;        // the attribute of jobs that it goes by, if that is not among their fields
  std::string_view score;        // the expression that it is, if it is one
  std::unique_ptr<JobOrder> (*make)(const NamedOrder&, const ExpressionScope&, std::uint64_t seed);  // null: all alike
};
std::span<const NamedOrder> named_orders();

/// The order of that name, or "score:EXPRESSION"; null for the order in which jobs join the queue. Throws InputError
/// where the text is wrong, or no job of the source can have what the order goes by.
std::unique_ptr<JobOrder> make_order(std::string_view text, const ExpressionScope& scope, std::uint64_t seed);

}  // namespace schedlab
