#include "dispatch/job_expression.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

namespace {

// The variables, in this order; then free and capacity of each resource type, then what tasks ask of each, then
// published numbers, then attributes.
enum Variable : std::uint8_t {
  id,
  submit,
  estimate,
  requested_time,
  processors,
  tasks_per_node,
  fewest_nodes,
  user,
  wait,  // from here on they change
  now,
  queue_length,
  queue_processors,
  running_jobs,
  machine_nodes,
  machine_processors,
  machine_free_processors,
  variables
};
constexpr std::array<std::string_view, variables> variable_names = {"id",
                                                                    "submit",
                                                                    "estimate",
                                                                    "requested_time",
                                                                    "processors",
                                                                    "tasks_per_node",
                                                                    "fewest_nodes",
                                                                    "user",
                                                                    "wait",
                                                                    "now",
                                                                    "queue.length",
                                                                    "queue.processors",
                                                                    "running.length",
                                                                    "machine.nodes",
                                                                    "machine.processors",
                                                                    "machine.free_processors"};

class BoardTables final : public ExpressionTables {
 public:
  explicit BoardTables(const DataBoard& data) : data_(data) {}
  [[nodiscard]] double at(std::uint32_t table, std::int64_t key) const override { return data_.at(table, key); }

 private:
  const DataBoard& data_;
};

Expression parse(const std::string& text, ExpressionNames& names, bool open) {
  try {
    return Expression::parse(text, names, open);
  } catch (const InputError& error) {
    throw InputError("expression \"" + text + "\": " + error.what());
  }
}

}  // namespace

std::vector<std::string> JobExpression::known_names(const std::vector<std::string>& resource_types) {
  std::vector<std::string> names(variable_names.begin(), variable_names.end());
  for (const char* prefix : {"machine.free_", "machine.capacity_", "request."}) {
    for (const std::string& type : resource_types) names.push_back(prefix + type);
  }
  return names;
}

JobExpression::JobExpression(std::string text, const std::vector<std::string>& resource_types, const DataBoard& data,
                             const std::vector<std::string>& attributes, bool open)
    : text_(std::move(text)),
      names_{known_names(resource_types), {}},
      types_(resource_types.size()),
      data_numbers_(data.number_names().size()),
      expression_((
          [&] {
            for (const std::string& name : data.number_names()) names_.variables.push_back("data." + name);
            for (const std::string& name : data.table_names()) names_.tables.push_back("data." + name);
            names_.variables.insert(names_.variables.end(), attributes.begin(), attributes.end());
          }(),
          parse(text_, names_, open))) {
  const std::uint32_t requests = variables + 2 * static_cast<std::uint32_t>(types_);
  const std::uint32_t numbers = requests + static_cast<std::uint32_t>(types_);
  const std::uint32_t first_attribute = numbers + static_cast<std::uint32_t>(data_numbers_);
  changes_ = !expression_.tables().empty();
  changes_with_time_ = expression_.tables().empty();
  for (const std::uint32_t used : expression_.variables()) {
    const bool fixed = used < wait || used >= first_attribute || (used >= requests && used < numbers);
    const bool of_empty_machine =
        used == machine_nodes || used == machine_processors || (used >= variables + types_ && used < requests);
    changes_ = changes_ || !fixed;
    changes_with_time_ = changes_with_time_ && (fixed || used == wait || used == now || of_empty_machine);
  }
  changes_with_time_ = changes_with_time_ && changes_;
}

void JobExpression::evaluate(const State& state, std::span<const Slot> jobs, double* values) const {
  columns_.resize(names_.variables.size());
  filled_.resize(expression_.variables().size() * batch);
  double* column = filled_.data();
  for (const std::uint32_t variable : expression_.variables()) {
    fill(state, state.now(), variable, jobs, column);
    columns_[variable] = column;
    column += batch;
  }
  expression_.evaluate(jobs.size(), columns_, BoardTables(state.data()), values);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!std::isnan(values[i])) continue;
    throw SimulationError("expression \"" + text_ + "\": has no value (0/0 or the like) for job " +
                          std::to_string(state.jobs()[jobs[i]].id) + " at " + std::to_string(in_seconds(state.now())) +
                          " s; guard it, as in wait / max(requested_time, 1)");
  }
}

void JobExpression::lower_lines(const State& state, std::span<const Slot> jobs, Time until, double* least_now,
                                double* least_then) const {
  columns_.resize(names_.variables.size());
  later_columns_.resize(names_.variables.size());
  filled_.resize((expression_.variables().size() + 2) * batch);
  double* column = filled_.data();
  for (const std::uint32_t variable : expression_.variables()) {
    fill(state, state.now(), variable, jobs, column);
    columns_[variable] = column;
    later_columns_[variable] = column;
    column += batch;
    if (variable != wait && variable != now) continue;
    fill(state, until, variable, jobs, column);
    later_columns_[variable] = column;
    column += batch;
  }
  expression_.lower_lines(jobs.size(), columns_, later_columns_, least_now, least_then);
}

void JobExpression::find_alike(const State& state, std::span<const Slot> jobs, bool* alike) const {
  std::fill_n(alike, jobs.size(), true);
  if (!jobs.empty()) alike[0] = false;
  filled_.resize(std::max(filled_.size(), batch));
  for (const std::uint32_t variable : expression_.variables()) {
    fill(state, state.now(), variable, jobs, filled_.data());
    for (std::size_t i = 1; i < jobs.size(); ++i) {  // 0 is not -0
      alike[i] = alike[i] && std::bit_cast<std::uint64_t>(filled_[i]) == std::bit_cast<std::uint64_t>(filled_[i - 1]);
    }
  }
}

void JobExpression::fill(const State& state, Time at, std::uint32_t variable, std::span<const Slot> jobs,
                         double* column) const {
  const JobTable& table = state.jobs();
  const auto each = [&](auto value) {
    for (std::size_t i = 0; i < jobs.size(); ++i) column[i] = static_cast<double>(value(table[jobs[i]]));
  };
  const auto same = [&](auto value) { std::fill_n(column, jobs.size(), static_cast<double>(value)); };
  const Machine& machine = state.machine();
  switch (variable) {
    case id:
      return each([](const Job& job) { return job.id; });
    case submit:
      return each([](const Job& job) { return in_seconds(job.submit); });
    case estimate:
      return each([](const Job& job) { return in_seconds(job.estimate); });
    case requested_time:
      return each([](const Job& job) { return in_seconds(job.requested_time()); });
    case processors:
      return each([](const Job& job) { return job.tasks; });
    case tasks_per_node:
      return each([](const Job& job) { return job.tasks_per_node; });
    case fewest_nodes:
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        column[i] = machine.fewest_nodes(table[jobs[i]], table.amounts(jobs[i]));
      }
      return;
    case user:
      return each([](const Job& job) { return job.user; });
    case wait:
      return each([&](const Job& job) { return in_seconds(at - job.submit); });
    case now:
      return same(in_seconds(at));
    case queue_length:
      return same(state.queue().size());
    case queue_processors:
      return same(state.queued_tasks());
    case running_jobs:
      return same(state.running_jobs());
    case machine_nodes:
      return same(machine.nodes());
    case machine_processors:
      return same(machine.processors());
    case machine_free_processors:
      return same(machine.free_processors());
    default:
      break;
  }
  std::size_t rest = variable - variables;
  if (rest < types_) return same(machine.free(rest));
  if (rest < 2 * types_) return same(machine.capacity(rest - types_));
  if (rest < 3 * types_) {
    const std::size_t type = rest - 2 * types_;
    for (std::size_t i = 0; i < jobs.size(); ++i) column[i] = static_cast<double>(table.amounts(jobs[i])[type]);
    return;
  }
  rest -= 3 * types_;
  if (rest < data_numbers_) return same(state.data().number(rest));
  const std::string& name = names_.variables[variable];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    column[i] = table.attribute(jobs[i], name);
    if (!std::isnan(column[i])) continue;
    throw InputError("expression \"" + text_ + "\": job " + std::to_string(table[jobs[i]].id) + " has no attribute \"" +
                     name + "\", and no such name is known otherwise");
  }
}

}  // namespace schedlab
