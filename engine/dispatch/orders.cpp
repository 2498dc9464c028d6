#include "dispatch/orders.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/errors.hpp"
#include "base/random.hpp"

namespace schedlab {

namespace {

constexpr std::size_t no_type = std::numeric_limits<std::size_t>::max();

std::size_t type_named(std::string_view name, const std::vector<std::string>& types) {
  const auto found = std::find(types.begin(), types.end(), name);
  return found == types.end() ? no_type : static_cast<std::size_t>(found - types.begin());
}

/// The attribute of the job; 0 where its row has none. (SWF writes -1 for what is not known.)
double attribute_or_zero(const JobTable& jobs, Slot slot, std::string_view attribute) {
  const double value = jobs.attribute(slot, attribute);
  return value > 0.0 ? value : 0.0;
}

/// An order by a number that a job has from the start.
template <class Key>
class FixedOrder final : public JobOrder {
 public:
  explicit FixedOrder(Key key, Number number = nullptr) : JobOrder(false, number), key_(key) {}

  void keys(const State& state, std::span<const Slot> jobs, double* keys) override {
    for (std::size_t i = 0; i < jobs.size(); ++i) keys[i] = key_(state, jobs[i]);
  }
  [[nodiscard]] std::unique_ptr<JobOrder> clone() const override { return std::make_unique<FixedOrder>(*this); }

 private:
  Key key_;
};

template <class Key>
std::unique_ptr<JobOrder> fixed_order(Key key) {
  return std::make_unique<FixedOrder<Key>>(key);
}

/// By a number of the job alone.
template <JobOrder::Number Number>
std::unique_ptr<JobOrder> by_number(const NamedOrder&, const ExpressionScope&, std::uint64_t) {
  const auto key = [](const State& state, Slot slot) { return Number(state.jobs()[slot]); };
  return std::make_unique<FixedOrder<std::decay_t<decltype(key)>>>(key, Number);
}

double smallest_estimate(const Job& job) { return static_cast<double>(job.estimate); }
double largest_estimate(const Job& job) { return -static_cast<double>(job.estimate); }
double fewest_tasks(const Job& job) { return static_cast<double>(job.tasks); }
double most_tasks(const Job& job) { return -static_cast<double>(job.tasks); }

/// The n-th job that joins the queue draws the n-th number, so that there is nothing to save: a fork and a loaded state
/// draw the same. Numbers are from 0 to below 1.
std::unique_ptr<JobOrder> by_chance(const NamedOrder&, const ExpressionScope&, std::uint64_t seed) {
  // A stream of its own: with the allocator's, which has the same seed, the order of jobs would be tied to their nodes.
  const std::uint64_t stream = Random(seed ^ 0x6F72646572ULL).next();
  return fixed_order([stream](const State& state, Slot slot) {
    return static_cast<double>(Random::nth(stream, state.jobs()[slot].sequence) >> 11U) * 0x1p-53;
  });
}

/// Cores of all tasks; tasks where machines know no cores.
struct Cores {
  std::size_t core_type;
  double operator()(const State& state, Slot slot) const {
    const double tasks = state.jobs()[slot].tasks;
    return core_type == no_type ? tasks : tasks * static_cast<double>(state.jobs().amounts(slot)[core_type]);
  }
};

/// Nodes of the empty machine that its tasks fill, the last one perhaps in part: the size of a job as PPT has it
/// (Obaida and Liu 2017).
struct Nodes {
  double operator()(const State& state, Slot slot) const {
    return state.machine().fewest_nodes(state.jobs()[slot], state.jobs().amounts(slot));
  }
};

Cores cores_of(const ExpressionScope& scope) { return {type_named("core", scope.resource_types)}; }

std::unique_ptr<JobOrder> by_cores(const NamedOrder&, const ExpressionScope& scope, std::uint64_t) {
  return fixed_order(cores_of(scope));
}

/// A size of the job times its estimate; the largest first where the sign is -1.
template <class Size>
std::unique_ptr<JobOrder> by_hours(Size size, double sign) {
  return fixed_order([size, sign](const State& state, Slot slot) {
    return sign * (size(state, slot) * static_cast<double>(state.jobs()[slot].estimate));
  });
}
template <int Sign>
std::unique_ptr<JobOrder> by_node_hours(const NamedOrder&, const ExpressionScope&, std::uint64_t) {
  return by_hours(Nodes{}, Sign);
}
template <int Sign>
std::unique_ptr<JobOrder> by_core_hours(const NamedOrder&, const ExpressionScope& scope, std::uint64_t) {
  return by_hours(cores_of(scope), Sign);
}

/// Memory of the whole job: what its tasks take of the machine's, or else by what it says for each processor.
struct MemoryKey {
  std::size_t memory_type;
  Cores cores;
  double operator()(const State& state, Slot slot) const {
    const JobTable& jobs = state.jobs();
    const Amount taken = memory_type == no_type ? 0 : jobs.amounts(slot)[memory_type];
    if (taken > 0) return static_cast<double>(taken) * jobs[slot].tasks;
    const Amount of_processor = cores.core_type == no_type ? 0 : state.machine().spec().processor[cores.core_type];
    const double processors = cores(state, slot) / static_cast<double>(std::max<Amount>(1, of_processor));
    return attribute_or_zero(jobs, slot, "requested_memory") * processors;
  }
};

/// Memory traffic of the whole job over the time it asks for.
struct BandwidthKey {
  Cores cores;
  double operator()(const State& state, Slot slot) const {
    const double volume = attribute_or_zero(state.jobs(), slot, "memory_volume") * cores(state, slot);
    return volume > 0.0 ? volume / in_seconds(state.jobs()[slot].requested_time()) : 0.0;
  }
};

/// Throws where no job can have the attribute that the order reads.
void require_attribute(const NamedOrder& order, const JobSource& source, const std::string& advice) {
  const auto& names = source.attribute_names();
  if (source.may_add_attributes() || std::find(names.begin(), names.end(), order.reads) != names.end()) return;
  throw InputError("order \"" + std::string(order.name) + "\": the workload has no \"" + std::string(order.reads) +
                   "\"; " + advice);
}

std::unique_ptr<JobOrder> by_memory(const NamedOrder& order, const ExpressionScope& scope, std::uint64_t) {
  const std::size_t memory_type = type_named("mem", scope.resource_types);
  if (memory_type == no_type || !scope.source.may_ask_beyond_processors()) {
    require_attribute(order, scope.source,
                      "read it with keep=requested_memory, or let jobs ask for \"mem\" of the system");
  }
  return fixed_order(MemoryKey{memory_type, cores_of(scope)});
}

std::unique_ptr<JobOrder> by_bandwidth(const NamedOrder& order, const ExpressionScope& scope, std::uint64_t) {
  require_attribute(
      order, scope.source,
      "that is MB of memory traffic of what runs on one core: workloads of IRMaSim have it, and a job factory can "
      "add it");
  return fixed_order(BandwidthKey{cores_of(scope)});
}

class ScoreOrder final : public JobOrder {
 public:
  explicit ScoreOrder(JobExpression expression) : JobOrder(expression.changes()), expression_(std::move(expression)) {}

  void keys(const State& state, std::span<const Slot> jobs, double* keys) override {
    expression_.evaluate(state, jobs, keys);
  }
  [[nodiscard]] bool has_lines() const override { return expression_.changes_with_time(); }
  void lower_lines(const State& state, std::span<const Slot> jobs, Time until, double* now, double* then) override {
    expression_.lower_lines(state, jobs, until, now, then);
  }
  void find_alike(const State& state, std::span<const Slot> jobs, bool* alike) override {
    expression_.find_alike(state, jobs, alike);
  }
  [[nodiscard]] std::unique_ptr<JobOrder> clone() const override { return std::make_unique<ScoreOrder>(*this); }

 private:
  JobExpression expression_;
};

std::unique_ptr<JobOrder> by_score(const NamedOrder& order, const ExpressionScope& scope, std::uint64_t) {
  return std::make_unique<ScoreOrder>(scope.parse(std::string(order.score)));
}

constexpr std::string_view lowest_formula =
    "the lowest value of that [formula](expressions.md#formulas-from-the-literature)";

constexpr std::array<NamedOrder, 19> order_table = {{
    {"submit", "fifo fcfs first", "the earliest place in the queue", "", "", nullptr},
    {"shortest", "sjf", "the smallest estimate", "", "", by_number<smallest_estimate>},
    {"longest", "ljf", "the largest estimate", "", "", by_number<largest_estimate>},
    {"smallest", "", "the fewest tasks", "", "", by_number<fewest_tasks>},
    {"largest", "", "the most tasks", "", "", by_number<most_tasks>},
    {"fewest-node-hours", "", "the smallest estimate x nodes", "", "", by_node_hours<1>},
    {"most-node-hours", "", "the largest estimate x nodes", "", "", by_node_hours<-1>},
    {"fewest-core-hours", "", "the smallest estimate x cores in all its tasks", "", "", by_core_hours<1>},
    {"most-core-hours", "", "the largest estimate x cores in all its tasks", "", "", by_core_hours<-1>},
    {"random", "", "the smallest of numbers drawn when jobs join the queue, by the option `seed`", "", "", by_chance},
    {"fewest-cores", "", "the fewest cores in all its tasks", "", "", by_cores},
    {"low-mem", "", "the least requested memory", "requested_memory", "", by_memory},
    {"low-mem-bw", "", "the least requested memory bandwidth", "memory_volume", "", by_bandwidth},
    // Tang et al. 2009 (WFP3, UNICEF); the wait is now - submit, unlike in RLScheduler's code.
    {"wfp3", "", lowest_formula, "", "-(wait / if(requested_time > 0, requested_time, 0.1))**3 * processors", by_score},
    {"unicep", "", lowest_formula, "",
     "-(wait + 1e-15) / (log2(processors + 1e-15) * if(requested_time > 0, requested_time, 0.1))", by_score},
    // Carastan-Santos and de Camargo, SC'17.
    {"f1", "", lowest_formula, "",
     "log10(if(requested_time > 0, requested_time, 0.1)) * processors + 870 * log10(if(submit > 0, submit, 0.1))",
     by_score},
    {"f2", "", lowest_formula, "",
     "sqrt(if(requested_time > 0, requested_time, 0.1)) * processors + 25600 * log10(if(submit > 0, submit, 0.1))",
     by_score},
    {"f3", "", lowest_formula, "",
     "if(requested_time > 0, requested_time, 0.1) * processors + 6.86e6 * log10(if(submit > 0, submit, 0.1))",
     by_score},
    {"f4", "", lowest_formula, "",
     "if(requested_time > 0, requested_time, 0.1) * sqrt(processors) + 5.3e5 * log10(if(submit > 0, submit, 0.1))",
     by_score},
}};

}  // namespace

std::span<const NamedOrder> named_orders() { return order_table; }

std::unique_ptr<JobOrder> make_order(std::string_view text, const ExpressionScope& scope, std::uint64_t seed) {
  constexpr std::string_view score = "score:";
  if (text.starts_with(score)) return std::make_unique<ScoreOrder>(scope.parse(std::string(text.substr(score.size()))));
  for (const NamedOrder& order : order_table) {
    if (order.name == text) return order.make == nullptr ? nullptr : order.make(order, scope, seed);
  }
  throw InputError("unknown order \"" + std::string(text) + "\"");
}

}  // namespace schedlab
