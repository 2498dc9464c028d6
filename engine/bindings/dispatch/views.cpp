// What views and decisions of policies have in common.
#include "bindings/dispatch/views.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dispatch/schedulers/plans/counted_reservation.hpp"

namespace schedlab::bindings {

namespace {

std::string amounts_text(const Machine& machine, auto amount) {
  std::string text;
  for (std::size_t type = 0; type < machine.types(); ++type) {
    if (amount(type) < 0) continue;
    text += (text.empty() ? "" : ", ") + machine.spec().types[type] + " " + std::to_string(amount(type));
  }
  return text;
}

/// Such as "matlab 2 (of 1 free)".
std::string licenses_text(const Machine& machine, const Job& job) {
  const Licenses& licenses = machine.licenses();
  std::string text;
  for (std::size_t kind = 0; kind < licenses.kinds(); ++kind) {
    const Amount wanted = licenses.amounts(job.licenses)[kind];
    if (wanted == 0) continue;
    text += (text.empty() ? "" : ", ") + licenses.all()[kind].name + " " + std::to_string(wanted) + " (of " +
            std::to_string(licenses.free(kind)) + " free)";
  }
  return text;
}

/// The same runs, node by node in the order in which they were named.
Placement in_order_of(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& named, const Placement& placement) {
  std::unordered_map<std::uint32_t, std::uint32_t> tasks;
  for (const NodeRun& run : placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) tasks[node] = run.tasks;
  }
  Placement runs;
  for (const auto& [node, count] : named) {
    const auto found = tasks.find(node);
    if (found == tasks.end()) continue;  // named before
    runs.push_back({node, 1, found->second});
    tasks.erase(found);
  }
  return runs;
}

/// Likewise of the set of nodes that the job is in.
bool fits_in_set(const State& state, Slot slot, NodeLimit* limit) {
  const Job& job = state.jobs()[slot];
  const Amount* amounts = state.jobs().amounts(slot);
  const Machine& machine = state.machine();
  if (limit == nullptr && state.windows().empty()) return machine.has_room(job, amounts);
  if (!machine.might_hold(job, amounts)) return false;
  const Time end = later(state.now(), job.planned_length());
  const Rooms rooms = machine.rooms(job, amounts);
  if (rooms.total < job.tasks) return false;
  std::uint32_t left = job.tasks;
  if (limit != nullptr) limit->begin();
  for (std::size_t node = rooms.open->next(0); node < machine.nodes() && left > 0; node = rooms.open->next(node + 1)) {
    const auto index = static_cast<std::uint32_t>(node);
    std::uint32_t tasks = std::min(left, rooms.on[index]);
    if (limit != nullptr) {
      tasks = limit->at_most(index, tasks);
      if (tasks > 0) limit->take(index, tasks);
    } else if (!state.windows().open(index, job, state.now(), end)) {
      tasks = 0;
    }
    left -= tasks;
  }
  if (limit != nullptr) limit->begin();
  return left == 0;
}

}  // namespace

void CallScope::reserve(Slot slot) {
  plan.reset();
  planned.clear();
  reserved = slot;
  if (get().plans_on_counts()) {
    reservation = std::make_shared<CountedReservation>();
  } else {
    reservation.reset();
    // It has something of every node, which is kept for the next call unless a view still holds it.
    if (!head || head.use_count() > 1) head = std::make_shared<HeadReservation>();
    reservation = head;
  }
  reservation->make(get(), slot);
}

void CallScope::renew() {
  if (reservation) reservation->make(get(), reserved);
  if (!plan) return;
  plan->clear(get());
  plan->add_running(get());
  for (const Planned& one : planned) {
    const Job& job = get().jobs()[one.slot];
    plan->take(one.nodes, job, get().jobs().amounts(one.slot), one.start, later(one.start, job.planned_length()));
  }
}

void CallScope::unplan(Slot slot) {
  const auto found = std::find_if(planned.begin(), planned.end(), [&](const Planned& one) { return one.slot == slot; });
  if (found == planned.end()) return;
  const Job& job = get().jobs()[slot];
  plan->put_back(found->nodes, job, get().jobs().amounts(slot), found->start,
                 later(found->start, job.planned_length()));
  planned.erase(found);
}

std::string shown(nb::handle object) {
  const nb::object text = nb::steal(PyObject_Repr(object.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  const bool cut = PyUnicode_GetLength(text.ptr()) > 100;
  const nb::object part = nb::steal(PyUnicode_Substring(text.ptr(), 0, cut ? 97 : 100));
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(part.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return std::string(PyBytes_AsString(bytes.ptr())) + (cut ? "..." : "");
}

WaitingQueue::Position position_of(const State& state, const JobView& view, const char* wanted) {
  if (&view.state() != &state) {
    throw SimulationError("cannot " + std::string(wanted) + " job " + std::to_string(view.id) +
                          ": its view is of another simulation");
  }
  const Job& job = view.job();
  if (job.state != JobState::queued) {
    throw SimulationError("cannot " + std::string(wanted) + " job " + std::to_string(view.id) + " at " +
                          std::to_string(in_seconds(state.now())) + " s: it is " + std::string(view.state_name()) +
                          ", not queued");
  }
  return state.queue().find(waiting_entry(job, view.slot));
}

bool fits_now(const State& state, Slot slot, NodeLimit* limit) {
  return state.machine().node_sets().any(state.jobs()[slot], [&] { return fits_in_set(state, slot, limit); });
}

NodeLimit* limit_for(CallScope& scope, const Dispatch& dispatch, Slot slot) {
  const Job& job = dispatch.jobs()[slot];
  if (scope.plan) {
    scope.unplan(slot);
    scope.plan->consider(job, dispatch.jobs().amounts(slot));
    return scope.plan.get();
  }
  if (!scope.reservation || scope.reserved == slot) return nullptr;
  if (later(dispatch.now(), job.planned_length()) <= scope.reservation->start()) return nullptr;
  return scope.reservation->consider(dispatch, slot);
}

std::string request_text(const State& state, Slot slot) {
  const Job& job = state.jobs()[slot];
  const Amount* amounts = state.jobs().amounts(slot);
  const std::string each =
      amounts_text(state.machine(), [&](std::size_t type) { return amounts[type] > 0 ? amounts[type] : -1; });
  return "asks for " + std::to_string(job.tasks) + (job.tasks == 1 ? " task" : " tasks") + " of " + each +
         (job.whole_nodes ? " on whole nodes" : "") +
         (job.tasks_per_node > 0 ? ", at most " + std::to_string(job.tasks_per_node) + " on a node" : "") +
         (job.node_set == NodeSets::all ? "" : ", on the nodes of its partition that have what it needs") +
         (job.licenses == Licenses::none ? "" : ", with licenses " + licenses_text(state.machine(), job));
}

std::string free_text(const State& state) {
  return amounts_text(state.machine(), [&](std::size_t type) { return state.machine().free(type); });
}

std::string node_text(const State& state, std::uint32_t node) {
  return "node " + std::to_string(node) + " has free " +
         amounts_text(state.machine(), [&](std::size_t type) { return state.machine().free(node, type); });
}

Placement placement_from(nb::handle nodes, const State& state, Slot slot, Placement* taken) {
  const Job& job = state.jobs()[slot];
  const auto invalid = [&](const std::string& what) {
    return SimulationError("invalid nodes for job " + std::to_string(job.id) + " at " +
                           std::to_string(in_seconds(state.now())) + " s, which " + request_text(state, slot) + ": " +
                           what);
  };
  std::vector<std::pair<std::uint32_t, std::uint64_t>> tasks;
  const auto add = [&](nb::handle node, std::int64_t count) {
    std::int64_t number = -1;
    if (!nb::try_cast(node, number) || number < 0 || number >= static_cast<std::int64_t>(state.machine().nodes())) {
      throw invalid("there is no node " + shown(node) + "; the machine has nodes 0 to " +
                    std::to_string(state.machine().nodes() - 1));
    }
    if (count < 1) throw invalid("node " + std::to_string(number) + " would get " + std::to_string(count) + " tasks");
    tasks.emplace_back(static_cast<std::uint32_t>(number), static_cast<std::uint64_t>(count));
  };
  if (PyMapping_Check(nodes.ptr()) != 0 && nb::hasattr(nodes, "keys")) {
    const nb::dict copy = nb::cast<nb::dict>(nb::handle(reinterpret_cast<PyObject*>(&PyDict_Type))(nodes));
    for (const auto& [node, count] : copy) {
      std::int64_t number = 0;
      if (!nb::try_cast(count, number)) throw invalid("tasks on a node must be a whole number");
      add(node, number);
    }
  } else {
    nb::object items = nb::steal(PyObject_GetIter(nodes.ptr()));
    if (!items.is_valid()) {
      PyErr_Clear();
      throw invalid("give a list of nodes, one for each task, or a dict of nodes and tasks, not " + shown(nodes));
    }
    while (PyObject* item = PyIter_Next(items.ptr())) {
      const nb::object node = nb::steal(item);
      add(node, 1);
      if (tasks.size() > std::size_t{job.tasks} + 1) break;
    }
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  }
  const auto named = taken == nullptr ? decltype(tasks)() : tasks;
  std::sort(tasks.begin(), tasks.end());
  Placement placement;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < tasks.size();) {
    const std::uint32_t node = tasks[i].first;
    std::uint64_t here = 0;
    for (; i < tasks.size() && tasks[i].first == node; ++i) here += tasks[i].second;
    all += here;
    const std::uint32_t room = state.machine().room(node, job, state.jobs().amounts(slot));
    if (here > room) {
      throw invalid(std::to_string(here) + (here == 1 ? " task" : " tasks") + " on node " + std::to_string(node) +
                    ", which has room for " + std::to_string(room) + ": " + node_text(state, node));
    }
    const auto count = static_cast<std::uint32_t>(here);
    if (!placement.empty() && placement.back().first + placement.back().count == node &&
        placement.back().tasks == count) {
      ++placement.back().count;
    } else {
      placement.push_back({node, 1, count});
    }
  }
  if (!state.machine().licenses().free_for(job.licenses)) throw invalid("its licenses are not free");
  if (all != job.tasks) throw invalid(std::to_string(all) + " tasks were placed");
  if (taken != nullptr) *taken = in_order_of(named, placement);
  return placement;
}

Placement placement_in_any(nb::handle nodes, const State& state, Slot slot) {
  const Job& job = state.jobs()[slot];
  if (job.choices == 0) return placement_from(nodes, state, slot);
  const bool counts = PyMapping_Check(nodes.ptr()) != 0;
  const nb::object named = counts ? nb::borrow(nodes) : nb::object(nb::list(nodes));  // to be gone through again
  Placement placement;
  const bool found = state.machine().node_sets().choose(job, [&] {
    try {
      placement = placement_from(named, state, slot);
      return true;
    } catch (const SimulationError&) {
      return false;
    }
  });
  return found ? placement : placement_from(named, state, slot);
}

}  // namespace schedlab::bindings
