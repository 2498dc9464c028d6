#include "simulation/simulation.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/dispatch/policies.hpp"
#include "bindings/execution/failures/failures.hpp"
#include "bindings/execution/network/ranks/application_runs.hpp"
#include "bindings/execution/network/topology/topology.hpp"
#include "bindings/execution/platform/platform_reports.hpp"
#include "bindings/simulation/simulation_reports.hpp"
#include "bindings/simulation/texts_of_jobs.hpp"
#include "dispatch/orders.hpp"
#include "results/csv.hpp"
#include "results/job_rows.hpp"

namespace schedlab::bindings {

namespace {

using AnyDict = nb::typed<nb::dict, nb::str, nb::any>;
using GroupTuple = std::tuple<std::string, std::uint32_t, std::vector<Amount>>;
using WindowTuple = std::tuple<nb::object, nb::object, std::uint32_t, std::optional<std::uint32_t>>;
using PartitionTuple = std::tuple<std::string, double, RangePairs, nb::object, std::optional<std::uint32_t>,
                                  std::optional<std::uint32_t>, bool, std::uint16_t>;
using QueueTuple = std::tuple<std::uint16_t, std::optional<std::string>, std::optional<double>, std::uint16_t>;
using PreemptionTuple = std::tuple<std::uint32_t, bool, nb::object, nb::object>;

/// A built-in allocator of that name; `placement` holds what it takes beside sockets.
AllocatorSpec allocator_spec(const nb::object& name, std::uint64_t seed, const nb::dict& placement) {
  AllocatorSpec spec{nb::cast<std::string>(name), seed};
  for (const auto& [key, value] : placement) {
    const auto field = nb::cast<std::string>(key);
    if (field == "order" && nb::isinstance<nb::str>(value)) {
      spec.order.name = nb::cast<std::string>(value);
    } else if (field == "order") {
      spec.order.nodes = nb::cast<std::vector<std::uint32_t>>(value);
    } else if (field == "partitions") {
      spec.partitions = nb::cast<std::uint32_t>(value);
    } else if (field == "threshold") {
      spec.threshold = time_from(value, "threshold");
    } else if (field == "fit") {
      spec.fit = nb::cast<std::string>(value);
    } else {
      throw InputError("allocator \"" + spec.name + "\" takes no " + field);
    }
  }
  return spec;
}

Dispatcher dispatcher_from(const nb::dict& given, const ExpressionScope& scope) {
  Dispatcher dispatcher;
  dispatcher.discipline.name = nb::cast<std::string>(given["discipline"]);
  const auto limit = [&](const char* name) {
    return nb::cast<std::optional<std::size_t>>(given[name]).value_or(no_depth_limit);
  };
  dispatcher.discipline.depth = limit("depth");
  dispatcher.discipline.reservations = limit("reservations");
  const auto seed = nb::cast<std::uint64_t>(given["seed"]);
  const nb::object order = given["order"];
  if (nb::isinstance<nb::str>(order)) {
    dispatcher.order = make_order(nb::cast<std::string>(order), scope, seed);
  } else {
    dispatcher.order = python_order(order, nb::cast<bool>(given["order_changes"]));
  }
  if (!given["scheduler"].is_none()) dispatcher.scheduler = python_scheduler(given["scheduler"]);
  const nb::object allocator = given["allocator"];
  if (nb::isinstance<nb::str>(allocator)) {
    dispatcher.allocator = make_allocator(allocator_spec(allocator, seed, nb::cast<nb::dict>(given["placement"])));
  } else {
    dispatcher.allocator = python_allocator(allocator);
  }
  if (const auto sockets = nb::cast<std::optional<std::string>>(given["sockets"])) {
    dispatcher.sockets = socket_order_named(*sockets);
  }
  return dispatcher;
}

/// Gives every name that is published its place on the board.
void add_data(SimulationOptions& options, const std::vector<nb::object>& data, const std::vector<License>& licenses) {
  std::vector<std::string> numbers;
  if (options.platform) numbers = platform_numbers(*options.platform, options.power);
  std::vector<std::string> tables = platform_tables(options.power);
  const auto take_names = [](nb::handle names, std::vector<std::string>& all) {
    std::vector<std::size_t> places;
    for (const nb::handle name : names) {
      places.push_back(all.size());
      all.push_back(nb::cast<std::string>(name));
    }
    return places;
  };
  for (const nb::object& policy : data) {
    auto own_numbers = take_names(policy.attr("publishes"), numbers);
    auto own_tables = take_names(policy.attr("publishes_tables"), tables);
    options.additional_data.emplace_back(python_data(policy, std::move(own_numbers), std::move(own_tables)));
  }
  if (options.failures && options.failures->nodes_fail()) {
    options.nodes_down_number = numbers.size();
    numbers.emplace_back("nodes_down");
  }
  options.license_numbers = numbers.size();
  for (const License& license : licenses) numbers.push_back("license_" + license.name);
  options.data = DataBoard(std::move(numbers), std::move(tables));
}

Partitions partitions_from(const std::vector<PartitionTuple>& given) {
  std::vector<Partition> partitions;
  for (const auto& [name, number, nodes, longest, most_nodes, most_tasks, is_default, preemption] : given) {
    partitions.push_back({name, number, ranges_from(nodes), longest.is_none() ? never : time_from(longest, "max_time"),
                          most_nodes.value_or(Partition::any), most_tasks.value_or(Partition::any), is_default,
                          preemption});
  }
  return Partitions(std::move(partitions));
}

PreemptionRules preemption_from(const std::vector<PreemptionTuple>& given) {
  std::vector<PreemptionRule> rules;
  for (const auto& [priority, cancels, grace, exempt] : given) {
    rules.push_back({priority, cancels, time_from(grace, "grace"), time_from(exempt, "exempt")});
  }
  return PreemptionRules(std::move(rules));
}

void construct(Simulation* self, std::vector<std::string> types, std::vector<GroupTuple> groups,
               std::vector<Amount> processor, SourceHandle& source, const AnyDict& dispatcher,
               const nb::object& estimate, const std::vector<nb::object>& data, bool enforce_limits,
               bool event_by_event, bool dependencies, bool refuse_impossible, std::vector<WindowTuple> windows,
               const std::vector<RangePairs>& window_nodes, std::vector<std::string> window_rules,
               std::vector<QueueTuple> queues, const std::optional<std::string>& queue_field,
               const std::vector<PartitionTuple>& partitions, const nb::object& partition_lists,
               const std::vector<PreemptionTuple>& preemption, const nb::object& needs,
               const std::vector<std::pair<std::string, Amount>>& licenses, const nb::object& asked_licenses,
               const std::optional<AnyDict>& platform, const std::optional<AnyDict>& conditions,
               const std::optional<AnyDict>& network) {
  MachineSpec spec{std::move(types), {}, std::move(processor), {}};
  for (auto& [name, nodes, resources] : groups) spec.groups.push_back({name, nodes, std::move(resources)});
  for (const auto& [name, amount] : licenses) spec.licenses.push_back({name, amount});
  SimulationOptions options;
  options.enforce_limits = enforce_limits;
  options.event_by_event = event_by_event;
  options.dependencies = dependencies;
  options.refuse_impossible = refuse_impossible;
  if (platform) options.platform = platform_from(*platform);
  if (conditions) {
    options.power = power_conditions_from(*conditions);
    const nb::object failures = (*conditions)["failures"];
    if (!failures.is_none()) {
      options.failures = failures_from(nb::cast<nb::dict>(failures), nb::cast<std::uint64_t>((*conditions)["seed"]));
    }
  }
  if (network) {
    const nb::object wires = (*network)["network"];  // None: jobs that run applications take their recorded times
    if (!wires.is_none()) options.topology = topology_from(nb::cast<nb::dict>(wires));
    const auto fidelity = nb::cast<std::string>((*network)["fidelity"]);
    options.ignore_applications = fidelity == "none";
    if (fidelity != "none") options.applications = application_runs_from(*network, options.topology);
    options.mapping = mapping_from((*network)["mapping"]);
  }
  if (!asked_licenses.is_none()) options.licenses = std::make_unique<PythonLicenses>(asked_licenses);
  add_data(options, data, spec.licenses);
  const ExpressionScope scope{spec.types, options.data, *source.source};
  std::vector<Window> all;
  all.reserve(windows.size());
  for (const auto& [start, end, nodes, rule] : windows) {
    all.push_back({time_from(start, "start"), time_from(end, "end"), nodes, rule.value_or(Window::no_rule)});
  }
  std::vector<NodeRanges> node_sets;
  for (const RangePairs& pairs : window_nodes) node_sets.push_back(ranges_from(pairs));
  options.windows = Windows(std::move(all), std::move(node_sets));
  for (std::string& rule : window_rules) options.window_rules.push_back(scope.parse(std::move(rule)));
  std::vector<QueueRule> rules;
  for (auto& [rank, when, number, preemption] : queues) {
    rules.push_back({rank, std::nullopt, number, preemption});
    if (when) rules.back().when = scope.parse(*when);
  }
  options.queues = QueueRules(std::move(rules), queue_field);
  options.partitions = partitions_from(partitions);
  options.preemption = preemption_from(preemption);
  if (!partitions.empty()) options.partition_lists = std::make_unique<PythonPartitionLists>(partition_lists);
  if (!needs.is_none()) options.needs = std::make_unique<PythonNeeds>(needs);
  Dispatcher parts = dispatcher_from(dispatcher, scope);
  std::unique_ptr<Estimator> estimator =
      nb::isinstance<nb::str>(estimate) ? make_estimator(nb::cast<std::string>(estimate)) : python_estimator(estimate);
  new (self)
      Simulation(std::move(spec), std::move(source.source), std::move(parts), std::move(estimator), std::move(options));
}

void set_dispatcher(Simulation& self, const AnyDict& dispatcher) {
  self.set_dispatcher(dispatcher_from(dispatcher, {self.machine().spec().types, self.data(), self.source()}));
}

/// A time up to which to go; None, and what lies beyond all simulated time, is not a bound.
Time until_from(nb::handle until) {
  if (until.is_none()) return never;
  if (PyFloat_Check(until.ptr()) != 0 && PyFloat_AsDouble(until.ptr()) > static_cast<double>(longest_input_seconds)) {
    return never;
  }
  return time_from(until, "until");
}

}  // namespace

void bind_simulation(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Simulation>(module, "Simulation", nb::type_slots(simulation_slots),
                         "Clock, jobs, machine and the event loop.")
      .def("__init__", &construct, nb::kw_only(), "types"_a, "groups"_a, "processor"_a, "source"_a, "dispatcher"_a,
           "estimate"_a, "data"_a, "enforce_limits"_a, "event_by_event"_a, "dependencies"_a, "refuse_impossible"_a,
           "windows"_a, "window_nodes"_a, "window_rules"_a, "queues"_a, "queue_field"_a.none(), "partitions"_a,
           "partition_lists"_a, "preemption"_a, "needs"_a.none(), "licenses"_a, "asked_licenses"_a.none(),
           "platform"_a.none() = nb::none(), "conditions"_a.none() = nb::none(), "network"_a.none() = nb::none())
      .def(
          "record_jobs",
          [](Simulation& self, std::shared_ptr<CsvJobs> recorder) { self.record_jobs(std::move(recorder)); },
          "recorder"_a)
      .def(
          "record_timeline",
          [](Simulation& self, std::shared_ptr<CsvTimeline> recorder) { self.record_timeline(std::move(recorder)); },
          "recorder"_a)
      .def(
          "record_states",
          [](Simulation& self, std::shared_ptr<CsvStates> recorder) { self.record_states(std::move(recorder)); },
          "recorder"_a)
      .def(
          "record_interruptions",
          [](Simulation& self, std::shared_ptr<CsvInterruptions> recorder) {
            self.record_interruptions(std::move(recorder));
          },
          "recorder"_a)
      .def("record_open_states", &Simulation::record_open_states,
           "Records the states in which nodes still are, up to now: the last thing that is done with a run.")
      .def("step", &Simulation::step, "Handles the next time point; False when nothing is left to happen.")
      .def("stop", &Simulation::conclude, "Ends it where it is: stop() of additional data is called, unless it was.")
      .def("return_soon", &Simulation::return_soon,
           "Lets `advance` return after the time point that is being handled; for code that it calls.")
      .def(
          "advance",
          [](Simulation& self, std::uint64_t time_points, nb::object until, bool to_decision) {
            return self.advance(time_points, until_from(until), to_decision) != Progress::done;
          },
          "time_points"_a, "until"_a.none() = nb::none(), "to_decision"_a = false,
          "Handles at most N time points, none after `until`, or up to where the scheduler must decide; False when it "
          "stopped before.")
      .def_prop_ro("at_decision", &Simulation::at_decision, "Whether it stands where the scheduler must decide.")
      .def(
          "decide",
          [](Simulation& self, nb::object scheduler) {
            if (scheduler.is_none()) return self.decide();
            self.decide(python_scheduler(std::move(scheduler)).get());
          },
          "scheduler"_a.none() = nb::none(),
          "Lets the scheduler decide, or another one instead, and continues to the next decision of this time, or its "
          "end.")
      .def(
          "look",
          [](Simulation& self, nb::object function) {
            return self.look([&](const State& state) { return seen_by(function, state); });
          },
          "function"_a, nb::sig("def look(self, function: typing.Any) -> typing.Any"),
          "What the function returns, given the state as policies see it.")
      .def(
          "decide_all",
          [](Simulation& self) {
            std::uint64_t decisions = 0;
            constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();
            while (self.advance(any_number, never, true) == Progress::decision) {
              self.decide();
              ++decisions;
            }
            return decisions;
          },
          "Continues to the end, stopping at every decision: how many they were. To measure what that costs.")
      .def(
          "next_time",
          [](Simulation& self) -> nb::object {
            const Time next = self.next_time();
            return next == never ? nb::none() : seconds_of(next);
          },
          nb::sig("def next_time(self) -> float | None"),
          "When the next time point will be; None when nothing is left to happen.")
      .def("fork", &Simulation::fork, "A second simulation that continues from this moment, without recorders.")
      .def("policies", &python_policies, nb::sig("def policies(self) -> list[typing.Any]"),
           "Scheduler, allocator, estimator and additional data, as far as they are Python objects; else None.")
      .def(
          "save",
          [](Simulation& self) {
            Archive archive;
            self.archive(archive);
            return nb::bytes(archive.bytes().data(), archive.bytes().size());
          },
          "Everything that changes while it runs.")
      .def(
          "load",
          [](Simulation& self, const nb::bytes& state) {
            Archive archive(std::string(state.c_str(), state.size()));
            self.archive(archive);
          },
          "state"_a, "Continues from where a simulation of the same parts was saved.")
      .def(
          "replace_order",
          [](Simulation& self, nb::object function, bool changes) {
            self.replace_order(python_order(std::move(function), changes));
          },
          "function"_a, "changes"_a, "Sorts the queue by the same function of another object.")
      .def("set_dispatcher", &set_dispatcher, "dispatcher"_a, "Lets other policies decide from now on.")
      .def("set_speed", &Simulation::set_speed, "job_id"_a, "speed"_a)
      .def("jobs_in", &jobs_in, "state"_a)
      .def(
          "jobs_in_flight",
          [](Simulation& self, std::size_t most_queued) {
            self.sort_queue_to_look();
            return jobs_in_flight(self.state(), most_queued);
          },
          "most_queued"_a, "The running jobs, then the first of the queue in its order, as rows of jobs.csv.")
      .def(
          "used",
          [](const Simulation& self) {
            const Machine& machine = self.machine();
            std::vector<Amount> used;
            for (std::size_t type = 0; type < machine.types(); ++type) {
              used.push_back(self.used(type));
            }
            return used;
          },
          "What is in use of each resource type.")
      .def("nodes", &nodes_of, nb::sig("def nodes(self) -> list[tuple[float, ...]]"),
           "Of a platform, per node: number, joules, those of its idle time, seconds of active cores, and seconds on, "
           "off, "
           "sleeping, in transitions, down.")
      .def("temperatures", &temperatures_of, nb::sig("def temperatures(self) -> list[tuple[float, ...]]"),
           "Per node, where there is a thermal model: number, degrees Celsius at the last update, the most ever, the "
           "mean over time, and seconds that it was throttled.")
      .def_prop_ro(
          "published", [](const Simulation& self) { return self.data().number_names(); },
          "Names of the numbers on the board, which the timeline has columns for.")
      .def_prop_ro("rank_ends", &rank_ends_of,
                   "Picoseconds from the start to the end of each rank of the application that ended last.")
      .def_prop_ro(
          "rank_nodes",
          [](const Simulation& self) {
            const Applications* jobs = self.application_jobs();
            return jobs == nullptr ? std::vector<std::uint32_t>() : jobs->rank_nodes();
          },
          "The node of each rank of the application that started last.")
      .def_prop_ro(
          "application_events",
          [](const Simulation& self) { return self.applications() == nullptr ? 0 : self.applications()->events(); })
      .def_prop_ro("application_errors",
                   [](const Simulation& self) {
                     const Applications* jobs = self.application_jobs();
                     return jobs == nullptr ? std::vector<std::string>() : jobs->errors();
                   })
      .def("carried", &carried_of, "Bytes that each link of the network carried.")
      .def("counts", &counts_of, nb::sig("def counts(self) -> dict[str, int]"))
      .def("rejections", &rejections_of, nb::sig("def rejections(self) -> dict[str, dict[str, typing.Any]]"),
           "By reason: how many jobs, the first of them, and what that one lacked.")
      .def("metrics", &metrics_of, nb::sig("def metrics(self) -> dict[str, typing.Any]"))
      .def("workload_report", &workload_report, nb::sig("def workload_report(self) -> dict[str, typing.Any]"))
      .def("found_in_rows", &found_in_rows, nb::sig("def found_in_rows(self) -> dict[str, int] | None"))
      .def("unheeded_predecessors", &unheeded_predecessors_of,
           nb::sig("def unheeded_predecessors(self) -> dict[str, tuple[int, int, int]]"),
           "By why: how many predecessors jobs were not held for, the first such job, and whom it named.")
      .def_prop_ro(
          "now", [](const Simulation& self) { return seconds_of(self.now()); },
          nb::for_getter(nb::sig("def now(self) -> float")))
      .def_prop_ro("bytes_read", [](const Simulation& self) { return self.source().bytes_read(); })
      .def_prop_ro("broken", &Simulation::broken, "Whether an error left it in the middle of something.")
      .def_prop_ro("time_points", &Simulation::time_points)
      .def_prop_ro(
          "most_reserved", [](const Simulation& self) { return self.scheduler().most_reserved(); },
          "How many jobs had reservations at once, where no depth limits that.")
      .def_prop_ro("dispatch_seconds",
                   [](const Simulation& self) { return static_cast<double>(self.dispatch_nanoseconds()) / 1e9; })
      .def_prop_ro(
          "first_submit",
          [](const Simulation& self) -> nb::object {
            return self.first_submit() == never ? nb::none() : seconds_of(self.first_submit());
          },
          nb::for_getter(nb::sig("def first_submit(self) -> float | None")))
      .def_prop_ro(
          "last_end",
          [](const Simulation& self) -> nb::object {
            return ended_jobs(self) == 0 ? nb::none() : seconds_of(self.last_end());
          },
          nb::for_getter(nb::sig("def last_end(self) -> float | None")));
}

}  // namespace schedlab::bindings
