// The machine and the running jobs as policies see them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bindings/dispatch/views.hpp"
#include "execution/platform/platform.hpp"

namespace schedlab::bindings {

namespace {

struct RunningView {
  ScopePointer scope;
};

nb::list running_list(const RunningView& view) {
  nb::list result;
  const RunningJobs& running = view.scope->get().running();
  for (std::size_t block = 0; block < running.blocks(); ++block) {
    for (const RunningJob& job : running.entries(block)) {
      if (!view.scope->get().jobs()[job.slot].outage) result.append(JobView(view.scope, job.slot));
    }
  }
  return result;
}

/// Without the outages that hold nodes.
std::size_t running_length(const RunningView& view) {
  const State& state = view.scope->get();
  return state.running().empty() ? 0 : state.running().size() - state.nodes_down();
}

struct MachineView {
  ScopePointer scope;

  [[nodiscard]] const Machine& get() const { return scope->get().machine(); }
  [[nodiscard]] std::uint32_t node(std::int64_t number) const {
    if (number < 0 || number >= static_cast<std::int64_t>(get().nodes())) {
      throw nb::index_error(("the machine has nodes 0 to " + std::to_string(get().nodes() - 1)).c_str());
    }
    return static_cast<std::uint32_t>(number);
  }
};

/// What is below the nodes; throws where that is not known.
const Platform& platform_of(const MachineView& view, const char* name, bool (*known)(const Platform&)) {
  const Platform* platform = view.scope->get().platform();
  if (platform != nullptr && known(*platform)) return *platform;
  throw SimulationError("machine." + std::string(name) +
                        "(node) is not known: the system does not give it for its processor types");
}

const Thermal& thermal_of(const MachineView& view, const char* name) {
  const Platform* platform = view.scope->get().platform();
  if (platform != nullptr && platform->thermal().exists()) return platform->thermal();
  throw SimulationError("machine." + std::string(name) + "(node) is not known: the run's conditions have no [thermal]");
}

std::uint32_t room_on(const MachineView& view, std::int64_t node, const JobView& job) {
  const std::uint32_t number = view.node(node);
  job.in(view.scope);
  const std::uint32_t room = std::min(job.job().tasks, view.get().room(number, job.job(), job.amounts()));
  if (room > 0 && view.scope->limit != nullptr) return view.scope->limit->at_most(number, room);
  const Windows& windows = view.scope->get().windows();
  const Time now = view.scope->get().now();
  const bool open = windows.empty() || windows.open(number, job.job(), now, later(now, job.job().planned_length()));
  return open ? room : 0;
}

double added_power(const MachineView& view, std::int64_t node, const JobView& job, std::int64_t tasks) {
  const auto known = [](const Platform& platform) { return platform.spec().power; };
  const Platform& platform = platform_of(view, "added_power", known);
  const std::uint32_t number = view.node(node);
  job.in(view.scope);
  const std::int64_t room = view.get().room(number, job.job(), job.amounts());
  if (tasks < 0 || tasks > room) {
    throw SimulationError("machine.added_power(node, job, tasks): node " + std::to_string(node) + " has room for " +
                          std::to_string(room) + " tasks of job " + std::to_string(job.job().id) + ", not " +
                          std::to_string(tasks));
  }
  if (tasks == 0) return platform.added_watts(number, 0);
  const auto some = static_cast<std::uint32_t>(tasks);
  return platform.added_watts(number, platform.cores(number, job.job(), job.amounts(), some));
}

std::optional<nb::dict> fill(const MachineView& view, const JobView& job, nb::handle nodes) {
  NodeLimit* limit = view.scope->limit;
  nb::dict placement;
  std::uint32_t left = job.in(view.scope).job().tasks;
  if (limit != nullptr) limit->begin();
  for (const nb::handle item : nodes) {
    std::int64_t number = 0;
    if (!nb::try_cast(item, number)) throw SimulationError("a node is a whole number, not " + shown(item));
    const std::uint32_t node = view.node(number);
    if (placement.contains(nb::int_(node))) continue;
    const std::uint32_t tasks = std::min(left, room_on(view, number, job));
    if (tasks == 0) continue;
    if (limit != nullptr) limit->take(node, tasks);
    placement[nb::int_(node)] = tasks;
    left -= tasks;
    if (left == 0) break;
  }
  if (limit != nullptr) limit->begin();
  return left == 0 ? std::optional(placement) : std::nullopt;
}

void bind_machine(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<RunningView>(module, "RunningView", "The running jobs, by expected end.")
      .def("__len__", &running_length)
      .def(
          "__iter__", [](const RunningView& view) { return nb::iter(running_list(view)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[JobView]"));
  nb::class_<MachineView>(module, "MachineView", "The machine as it is now.")
      .def_prop_ro(
          "nodes", [](const MachineView& view) { return view.get().nodes(); }, "Number of nodes.")
      .def_prop_ro("processors", [](const MachineView& view) { return view.get().processors(); })
      .def_prop_ro(
          "nodes_down", [](const MachineView& view) { return view.scope->get().nodes_down(); },
          "How many nodes failed and are not repaired yet; nothing is free on them.")
      .def_prop_ro("free_processors", [](const MachineView& view) { return view.get().free_processors(); })
      .def_prop_ro(
          "capacity",
          [](const MachineView& view) {
            return by_type(view.get(), [&](std::size_t type) { return view.get().capacity(type); });
          },
          nb::for_getter(nb::sig("def capacity(self) -> dict[str, int]")))
      .def_prop_ro(
          "free_licenses",
          [](const MachineView& view) {
            return by_license(view.get(), [&](std::size_t kind) { return view.get().licenses().free(kind); });
          },
          nb::for_getter(nb::sig("def free_licenses(self) -> dict[str, int]")), "How many of each license are free.")
      .def_prop_ro(
          "free",
          [](const MachineView& view) {
            return by_type(view.get(), [&](std::size_t type) { return view.get().free(type); });
          },
          nb::for_getter(nb::sig("def free(self) -> dict[str, int]")))
      .def(
          "node_capacity",
          [](const MachineView& view, std::int64_t node) {
            return by_type(view.get(),
                           [&](std::size_t type) { return view.get().node_capacity(view.node(node), type); });
          },
          "node"_a, nb::sig("def node_capacity(self, node: int) -> dict[str, int]"))
      .def(
          "node_free",
          [](const MachineView& view, std::int64_t node) {
            return by_type(view.get(), [&](std::size_t type) { return view.get().free(view.node(node), type); });
          },
          "node"_a, nb::sig("def node_free(self, node: int) -> dict[str, int]"))
      .def(
          "power",
          [](const MachineView& view, std::int64_t node) {
            const auto known = [](const Platform& platform) { return platform.spec().power; };
            return platform_of(view, "power", known).node_watts(view.node(node));
          },
          "node"_a, "W that the node draws now.")
      .def("added_power", &added_power, "node"_a, "job"_a, "tasks"_a = 1,
           "W by which the node's power grows if N of the job's tasks start there; a node at rest wakes for them.")
      .def(
          "state",
          [](const MachineView& view, std::int64_t node) {
            const State& state = view.scope->get();
            const std::uint32_t number = view.node(node);
            if (state.up_since(number) == never) return std::string(name_of(NodeState::down));
            const Platform* platform = state.platform();
            return std::string(name_of(platform == nullptr ? NodeState::on : platform->states().state(number)));
          },
          "node"_a, "\"on\", \"stopping\", \"sleeping\", \"off\", \"booting\", or \"down\" while it is broken.")
      .def(
          "up_since",
          [](const MachineView& view, std::int64_t node) -> nb::object {
            const Time since = view.scope->get().up_since(view.node(node));
            return since == never ? nb::none() : seconds_of(since);
          },
          "node"_a, nb::sig("def up_since(self, node: int) -> float | None"),
          "When the node was repaired last, or the simulation began; None while it is down.")
      .def(
          "temperature",
          [](const MachineView& view, std::int64_t node) {
            return thermal_of(view, "temperature").node(view.node(node)).degrees;
          },
          "node"_a, "Degrees Celsius of the node at the last update.")
      .def(
          "throttled",
          [](const MachineView& view, std::int64_t node) {
            return thermal_of(view, "throttled").node(view.node(node)).throttled;
          },
          "node"_a, "Whether the node is slowed down because it was too hot.")
      .def(
          "gflops",
          [](const MachineView& view, std::int64_t node) {
            return platform_of(view, "gflops", [](const Platform&) { return true; }).node_gflops(view.node(node));
          },
          "node"_a,
          "10^9 operations per second of a core, at the clock and the mean speed factor of its socket: of the best "
          "socket with a free core, 0 where none has one.")
      .def(
          "bandwidth",
          [](const MachineView& view, std::int64_t node) {
            const auto known = [](const Platform& platform) { return platform.has_bandwidth(); };
            return platform_of(view, "bandwidth", known).free_bandwidth(view.node(node));
          },
          "node"_a,
          "MB/s of memory traffic that what runs leaves over: of the best socket with a free core, minus infinity "
          "where none has one.")
      .def(
          "fits",
          [](const MachineView& view, const JobView& job) {
            return fits_now(job.in(view.scope).state(), job.slot, view.scope->limit);
          },
          "job"_a, "Whether the job has room now.")
      .def("fill", &fill, "job"_a, "nodes"_a,
           nb::sig("def fill(self, job: JobView, nodes: collections.abc.Iterable[int]) -> dict[int, int] | None"),
           "Puts as many tasks as may go there on each of these nodes, one after the other, until all have a place; "
           "None where they do not suffice. What reservations and windows forbid is left out.")
      .def("room", &room_on, "node"_a, "job"_a, "How many of the job's tasks may be put on the node now.")
      .def(
          "nodes_with_room",
          [](const MachineView& view, const JobView& job) {
            nb::list nodes;
            const Bitset open = *view.get().rooms(job.in(view.scope).job(), job.amounts()).open;
            for (std::size_t node = open.next(0); node < view.get().nodes(); node = open.next(node + 1)) {
              if (room_on(view, static_cast<std::int64_t>(node), job) > 0) nodes.append(node);
            }
            return nodes;
          },
          "job"_a, nb::sig("def nodes_with_room(self, job: JobView) -> list[int]"),
          "The nodes that may take a task of the job now, by number.");
}

}  // namespace

nb::object running_view(const ScopePointer& scope) { return nb::cast(RunningView{scope}); }
nb::object machine_view(const ScopePointer& scope) { return nb::cast(MachineView{scope}); }

void bind_machine_view(nb::module_& module) { bind_machine(module); }

}  // namespace schedlab::bindings
