#include "bindings/dispatch/policies.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bindings/dispatch/python_policy.hpp"
#include "bindings/dispatch/python_scheduler.hpp"
#include "bindings/dispatch/views.hpp"

namespace schedlab::bindings {

namespace {

class PythonAllocator final : public Allocator {
 public:
  [[nodiscard]] const nb::object& object() const { return policy_.object(); }
  /// What it holds of Python: the policy, and methods bound to it.
  template <class Visit>
  void visit_objects(Visit visit) const {
    visit(policy_.object());
    visit(place_);
  }

  explicit PythonAllocator(nb::object policy) : policy_(std::move(policy)), place_(policy_.method("place")) {}
  PythonAllocator(const PythonAllocator& other)
      : Allocator(other), policy_(other.policy_), place_(policy_.method("place")) {}

  [[nodiscard]] std::unique_ptr<Allocator> clone() const override { return std::make_unique<PythonAllocator>(*this); }
  void archive(Archive& archive) override { policy_.archive(archive); }

  [[nodiscard]] bool refusals_last() const override { return false; }

  bool place(const PlacementRequest& request, Placement& placement) override {
    const auto& [state, machine, slot, job, amounts, limit, taken] = request;
    placement.clear();
    if (!machine.might_hold(job, amounts)) return false;
    const OpenScope open(policy_.scope(), state, limit);
    if (limit != nullptr) limit->begin();
    const nb::object nodes =
        policy_.call(place_, "place", state, policy_.job(slot), nb::cast<const StateView&>(policy_.view()).machine);
    if (nodes.is_none()) return false;
    Placement wanted = policy_.take(place_, "place", state, nodes, [&, to_take = taken, of = slot] {
      return placement_from(nodes, request.state, of, to_take);
    });
    if (limit !=
        nullptr) {  // a choice that reservations or windows forbid is not an error: the allocator need not know them
      limit->begin();
      for (const NodeRun& run : wanted) {
        for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
          if (limit->at_most(node, run.tasks) < run.tasks) return false;
          limit->take(node, run.tasks);
        }
      }
    }
    placement = std::move(wanted);
    return true;
  }

 private:
  PythonPolicy policy_;
  nb::object place_;
};

class PythonEstimator final : public Estimator {
 public:
  [[nodiscard]] const nb::object& object() const { return policy_.object(); }
  /// What it holds of Python: the policy, and methods bound to it.
  template <class Visit>
  void visit_objects(Visit visit) const {
    visit(policy_.object());
    visit(estimate_);
    visit(ended_);
  }

  explicit PythonEstimator(nb::object policy) : policy_(std::move(policy)) { find_methods(); }
  PythonEstimator(const PythonEstimator& other) : Estimator(other), policy_(other.policy_) { find_methods(); }

  [[nodiscard]] std::unique_ptr<Estimator> clone() const override { return std::make_unique<PythonEstimator>(*this); }
  void archive(Archive& archive) override { policy_.archive(archive); }

  [[nodiscard]] Time estimate(const JobSpec&, const State& state, Slot slot) override {
    const OpenScope open(policy_.scope(), state);
    const nb::object given = policy_.call(estimate_, "estimate", state, policy_.job(slot));
    return policy_.take(estimate_, "estimate", state, {}, [&] {
      const double seconds = number_from(given, policy_.place("estimate", state));
      if (!(seconds >= 0.0 && seconds <= static_cast<double>(longest_input_seconds))) {
        throw SimulationError("the estimate of job " + std::to_string(state.jobs()[slot].id) + " is " +
                              std::to_string(seconds) + " s; it must be from 0 to 126 years");
      }
      return static_cast<Time>(std::llround(seconds * 1e9));
    });
  }

  void ended(const State& state, Slot slot) override {
    if (!follows_ends_) return;
    const OpenScope open(policy_.scope(), state);
    policy_.call(ended_, "ended", state, policy_.job(slot));
  }

 private:
  void find_methods() {
    estimate_ = policy_.method("estimate");
    ended_ = policy_.method("ended");
    follows_ends_ = nb::cast<bool>(policy_.method("_overrides")("ended"));
  }

  PythonPolicy policy_;
  nb::object estimate_;
  nb::object ended_;
  bool follows_ends_ = false;
};

class PythonOrder final : public JobOrder {
 public:
  PythonOrder(nb::object function, bool changes)
      : JobOrder(changes), function_(std::move(function)), scope_(std::make_shared<CallScope>()) {}
  PythonOrder(const PythonOrder& other)
      : JobOrder(other), function_(other.function_), scope_(std::make_shared<CallScope>()) {}

  [[nodiscard]] std::unique_ptr<JobOrder> clone() const override { return std::make_unique<PythonOrder>(*this); }

  void keys(const State& state, std::span<const Slot> jobs, double* keys) override {
    const OpenScope open(*scope_, state);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const nb::object value = call(state, jobs[i]);
      try {
        keys[i] = PyFloat_CheckExact(value.ptr()) != 0 ? PyFloat_AsDouble(value.ptr())
                                                       : number_from(value, place(state, jobs[i]));
        if (std::isnan(keys[i])) throw SimulationError(place(state, jobs[i]) + "must give a number, not nan");
      } catch (const SimulationError& error) {
        throw SimulationError(error.what() + line_of("of_function", function_));
      }
    }
  }

 private:
  nb::object call(const State& state, Slot slot) {
    try {
      return function_(JobView(scope_, slot));
    } catch (nb::python_error& error) {
      say_where(error, place(state, slot));
      throw;
    }
  }

  static std::string place(const State& state, Slot slot) {
    return "the order's function, for job " + std::to_string(state.jobs()[slot].id) + " at " +
           std::to_string(in_seconds(state.now())) + " s: ";
  }

  nb::object function_;
  ScopePointer scope_;
};

class PythonData final : public AdditionalData {
 public:
  [[nodiscard]] const nb::object& object() const { return policy_.object(); }
  /// What it holds of Python: the policy, and methods bound to it.
  template <class Visit>
  void visit_objects(Visit visit) const {
    visit(policy_.object());
    visit(update_);
    for (const Hook& hook : hooks_) visit(hook.method);
  }

  PythonData(nb::object policy, std::vector<std::size_t> numbers, std::vector<std::size_t> tables)
      : policy_(std::move(policy)), numbers_(std::move(numbers)), tables_(std::move(tables)) {
    prepare();
  }
  PythonData(const PythonData& other)
      : AdditionalData(other), policy_(other.policy_), numbers_(other.numbers_), tables_(other.tables_) {
    prepare();
  }

  [[nodiscard]] std::unique_ptr<AdditionalData> clone() const override { return std::make_unique<PythonData>(*this); }
  void archive(Archive& archive) override {
    policy_.archive(archive);
    if (archive.reading()) prepare();  // how often it is updated may be part of its state
  }
  [[nodiscard]] Time every() const override { return every_; }
  [[nodiscard]] bool after_decision() const override { return after_; }
  [[nodiscard]] bool follows_jobs() const override { return hooks_[start].wanted || hooks_[end].wanted; }
  [[nodiscard]] bool follows_submissions() const override { return hooks_[before].wanted || hooks_[after].wanted; }

  void update(const State& state, DataBoard& data) override {
    const OpenScope open(policy_.scope(), state);
    publish_all(update_, "update", state, data, policy_.call(update_, "update", state, policy_.view()));
  }

  void before_submission(const State& state, Slot slot, DataBoard& data) override {
    call(before, state, [&] { return policy_.job(slot); }, &data);
  }
  void after_submission(const State& state, Slot slot, DataBoard& data) override {
    call(after, state, [&] { return policy_.job(slot); }, &data);
  }
  void started(const State& state, Slot slot) override {
    call(start, state, [&] { return policy_.job(slot); });
  }
  void ended(const State& state, Slot slot) override {
    call(end, state, [&] { return policy_.job(slot); });
  }
  void stop(const State& state) override {
    call(stopped, state, [&] { return policy_.view(); });
  }

 private:
  /// A method that is called where a class defines it.
  struct Hook {
    const char* name;
    nb::object method;
    bool wanted = false;
  };
  enum { before, after, start, end, stopped };

  /// Calls a hook; what it returns is published, where there is a board, unless it is None.
  template <class Argument>
  void call(std::size_t which, const State& state, Argument argument, DataBoard* data = nullptr) const {
    const Hook& hook = hooks_[which];
    if (!hook.wanted) return;
    const OpenScope open(policy_.scope(), state);
    const nb::object values = policy_.call(hook.method, hook.name, state, argument());
    if (data != nullptr && !values.is_none()) publish_all(hook.method, hook.name, state, *data, values);
  }

  void publish_all(const nb::object& method, const char* method_name, const State& state, DataBoard& data,
                   const nb::object& values) const {
    policy_.take(method, method_name, state, {}, [&] {
      const std::string place = policy_.place(method_name, state);
      if (!nb::isinstance<nb::dict>(values)) throw SimulationError(place + "must return a dict, not " + shown(values));
      const nb::object copy = nb::steal(PyDict_Copy(values.ptr()));
      for (const auto& [name, value] : nb::cast<nb::dict>(copy)) publish(data, name, value, place);
    });
  }

  void prepare() {
    update_ = policy_.method("update");
    const nb::object overrides = policy_.method("_overrides");
    for (Hook& hook : hooks_) {
      hook.method = policy_.method(hook.name);
      hook.wanted = nb::cast<bool>(overrides(hook.name));
    }
    const nb::object every = policy_.method("every");
    every_ = every.is_none() ? 0 : time_from(every, "every");
    after_ = nb::cast<std::string>(policy_.method("when")) == "after";
  }

  void publish(DataBoard& data, nb::handle name, nb::handle value, const std::string& place) const {
    const auto text = nb::cast<std::string>(nb::str(name));
    for (const std::size_t index : numbers_) {
      if (data.number_names()[index] != text) continue;
      data.set_number(index, number_from(value, place + text + " "));
      return;
    }
    for (const std::size_t index : tables_) {
      if (data.table_names()[index] != text) continue;
      if (!nb::isinstance<nb::dict>(value))
        throw SimulationError(place + text + " must be a dict, not " + shown(value));
      DataBoard::Table& table = data.change_table(index);
      table.clear();
      const nb::object copy = nb::steal(PyDict_Copy(value.ptr()));
      for (const auto& [key, number] : nb::cast<nb::dict>(copy)) {
        std::int64_t whole = 0;
        if (!nb::try_cast(key, whole)) throw SimulationError(place + text + ": keys must be whole numbers");
        table[whole] = number_from(number, place + text + " ");
      }
      return;
    }
    throw SimulationError(place + "\"" + text + "\" is not one of the names that it publishes");
  }

  PythonPolicy policy_;
  std::vector<std::size_t> numbers_;
  std::vector<std::size_t> tables_;
  nb::object update_;
  std::array<Hook, 5> hooks_{
      {{"before_submission", {}}, {"after_submission", {}}, {"started", {}}, {"ended", {}}, {"stop", {}}}};
  Time every_ = 0;
  bool after_ = false;
};

}  // namespace

namespace {

/// Calls `visit` with each policy that is a Python object, and with null for each that is not.
template <class Visit>
void for_each_policy(const Simulation& simulation, Visit visit) {
  visit(dynamic_cast<const PythonScheduler*>(&simulation.scheduler()));
  visit(dynamic_cast<const PythonAllocator*>(&simulation.allocator()));
  visit(dynamic_cast<const PythonEstimator*>(&simulation.estimator()));
  for (const auto& data : simulation.additional_data()) visit(dynamic_cast<const PythonData*>(&*data));
}

int traverse(PyObject* self, visitproc visit, void* arg) {  // names that Py_VISIT expects
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  int result = 0;
  for_each_policy(*nb::inst_ptr<Simulation>(self), [&](const auto* policy) {
    if (policy != nullptr && result == 0) {
      policy->visit_objects([&](const nb::object& object) {
        if (object.is_valid() && result == 0) result = visit(object.ptr(), arg);
      });
    }
  });
  return result;
}

/// Without its policies a simulation can do nothing any more, and nothing can reach it.
int clear(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  auto* simulation = nb::inst_ptr<Simulation>(self);
  simulation->abandon();
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(modernize-avoid-c-arrays): what Python asks for
PyType_Slot simulation_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

nb::list python_policies(const Simulation& simulation) {
  nb::list policies;
  for_each_policy(simulation,
                  [&](const auto* policy) { policies.append(policy == nullptr ? nb::none() : policy->object()); });
  return policies;
}

nb::object seen_by(const nb::object& function, const State& state) {
  const auto scope = std::make_shared<CallScope>();
  const OpenScope open(*scope, state);
  return function(StateView(scope));
}

std::unique_ptr<Scheduler> python_scheduler(nb::object policy) {
  return std::make_unique<PythonScheduler>(std::move(policy));
}
std::unique_ptr<Allocator> python_allocator(nb::object policy) {
  return std::make_unique<PythonAllocator>(std::move(policy));
}
std::unique_ptr<Estimator> python_estimator(nb::object policy) {
  return std::make_unique<PythonEstimator>(std::move(policy));
}
std::unique_ptr<AdditionalData> python_data(nb::object policy, std::vector<std::size_t> numbers,
                                            std::vector<std::size_t> tables) {
  return std::make_unique<PythonData>(std::move(policy), std::move(numbers), std::move(tables));
}
std::unique_ptr<JobOrder> python_order(nb::object function, bool changes) {
  return std::make_unique<PythonOrder>(std::move(function), changes);
}

}  // namespace schedlab::bindings
