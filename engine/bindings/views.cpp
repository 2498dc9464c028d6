#include "views.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace schedlab::bindings {

namespace {

/// Amounts by the names of the resource types.
template <class Value>
nb::dict by_type(const Machine& machine, Value value) {
  nb::dict result;
  for (std::size_t type = 0; type < machine.types(); ++type) result[machine.spec().types[type].c_str()] = value(type);
  return result;
}

std::string amounts_text(const Machine& machine, auto amount) {
  std::string text;
  for (std::size_t type = 0; type < machine.types(); ++type) {
    if (amount(type) < 0) continue;
    text += (text.empty() ? "" : ", ") + machine.spec().types[type] + " " + std::to_string(amount(type));
  }
  return text;
}

// ---------------------------------------------------------------------------------------------------- jobs

nb::object attribute_of(const JobView& view, const std::string& name) {
  const double value = view.state().jobs().attribute(view.slot, name);
  if (std::isnan(value)) {
    throw nb::key_error(("job " + std::to_string(view.id) + " has no attribute \"" + name + "\"").c_str());
  }
  if (value == std::floor(value) && std::abs(value) < 9e15) return nb::int_(static_cast<std::int64_t>(value));
  return nb::float_(value);
}

nb::dict nodes_of(const JobView& view) {
  nb::dict result;
  for (const NodeRun& run : view.job().placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) result[nb::int_(node)] = run.tasks;
  }
  return result;
}

void bind_jobs_of(nb::module_& module) {
  using namespace nb::literals;
  const auto seconds = [](Time (*value)(const JobView&)) {
    return [value](const JobView& view) { return seconds_of(value(view)); };
  };
  nb::class_<JobView>(module, "JobView", "A job as a policy sees it, valid during the call.")
      .def_prop_ro("id", [](const JobView& view) { return view.id; })
      .def_prop_ro("user", [](const JobView& view) { return view.job().user; })
      .def_prop_ro(
          "processors", [](const JobView& view) { return view.job().tasks; }, "Number of tasks.")
      .def_prop_ro("submit", seconds([](const JobView& view) { return view.job().submit; }),
                   nb::for_getter(nb::sig("def submit(self) -> float")))
      .def_prop_ro("wait", seconds([](const JobView& view) {
                     const Job& job = view.job();
                     return (job.state == JobState::running ? job.start : view.state().now()) - job.submit;
                   }),
                   nb::for_getter(nb::sig("def wait(self) -> float")),
                   "Time since it was submitted, of a running job until it started.")
      .def_prop_ro("estimate", seconds([](const JobView& view) { return view.job().estimate; }),
                   nb::for_getter(nb::sig("def estimate(self) -> float")), "What is known of its run time.")
      .def_prop_ro("requested_time", seconds([](const JobView& view) { return view.job().requested_time(); }),
                   nb::for_getter(nb::sig("def requested_time(self) -> float")))
      .def_prop_ro("tasks_per_node",
                   [](const JobView& view) -> std::optional<std::uint32_t> {
                     const std::uint32_t most = view.job().tasks_per_node;
                     return most == 0 ? std::nullopt : std::optional(most);
                   })
      .def_prop_ro("whole_nodes", [](const JobView& view) { return view.job().whole_nodes; })
      .def_prop_ro(
          "resources",
          [](const JobView& view) {
            return by_type(view.state().machine(), [&](std::size_t type) { return view.amounts()[type]; });
          },
          nb::for_getter(nb::sig("def resources(self) -> dict[str, int]")), "What each task asks for.")
      .def_prop_ro("state", [](const JobView& view) { return std::string(view.state_name()); })
      .def_prop_ro(
          "start",
          [](const JobView& view) -> nb::object {
            return view.job().state == JobState::running ? seconds_of(view.job().start) : nb::none();
          },
          nb::for_getter(nb::sig("def start(self) -> float | None")), "When it started; None while it waits.")
      .def_prop_ro("elapsed", seconds([](const JobView& view) {
                     return view.job().state == JobState::running ? view.state().now() - view.job().start : Time{0};
                   }),
                   nb::for_getter(nb::sig("def elapsed(self) -> float")), "For how long it has been running.")
      .def_prop_ro("expected_end", seconds([](const JobView& view) {
                     const Time now = view.state().now();
                     const Job& job = view.job();
                     if (job.state != JobState::running) return later(now, job.planned_length());
                     return std::max(job.estimated_end(), later(now, second));
                   }),
                   nb::for_getter(nb::sig("def expected_end(self) -> float")),
                   "By the estimate; of a waiting job if it started now.")
      .def_prop_ro("nodes", &nodes_of, nb::for_getter(nb::sig("def nodes(self) -> dict[int, int]")),
                   "Tasks on each node of a running job.")
      .def("__getitem__", &attribute_of, "name"_a, nb::sig("def __getitem__(self, name: str) -> float"),
           "An attribute beyond these, such as queue or what a job factory added.")
      .def("__eq__",
           [](const JobView& view, nb::handle other) {
             return nb::isinstance<JobView>(other) && nb::cast<const JobView&>(other).id == view.id;
           })
      .def("__hash__", [](const JobView& view) { return static_cast<Py_hash_t>(view.id); })
      .def("__repr__", [](const JobView& view) { return "<job " + std::to_string(view.id) + ">"; });
}

// ---------------------------------------------------------------------------------------------------- queue

struct QueueView {
  ScopePointer scope;
};

/// Walks the queue; jobs may leave it meanwhile.
struct QueueIterator {
  ScopePointer scope;
  std::uint64_t call;
  WaitingJob last{};
  bool begun = false;
  bool fitting = false;                 // only jobs that have room, by now
  std::optional<std::uint32_t> most{};  // only jobs that need no more free processors
  WaitingQueue::Position where{0, 0};
  std::size_t size = 0;  // of the queue when `where` was right

  std::optional<JobView> next() {
    if (scope->state == nullptr || scope->call != call) {
      throw SimulationError("a walk through the queue was continued after the call in which it began");
    }
    const WaitingQueue& queue = scope->state->queue();
    if (begun && queue.size() != size) {
      where = queue.after(last);
    } else if (begun) {
      ++where.index;
    }
    begun = true;
    size = queue.size();
    while (where.block < queue.blocks()) {
      const auto jobs = queue.entries(where.block);
      const std::int64_t bound = limit();
      if (where.index >= jobs.size() || (where.index == 0 && queue.summary(where.block).smallest > bound)) {
        where = {where.block + 1, 0};
        continue;
      }
      const WaitingJob& job = jobs[where.index];
      if (job.processors <= bound && (!fitting || fits_now(*scope->state, job.slot, nullptr))) {
        last = job;
        return JobView(scope, job.slot);
      }
      ++where.index;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::int64_t limit() const {
    std::int64_t bound = std::numeric_limits<std::int64_t>::max();
    if (fitting) bound = scope->state->machine().free_processors();
    return most ? std::min<std::int64_t>(bound, *most) : bound;
  }
};

JobView queue_item(const QueueView& view, std::int64_t index) {
  const WaitingQueue& queue = view.scope->get().queue();
  const auto size = static_cast<std::int64_t>(queue.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) throw nb::index_error("no job of the queue has this number");
  std::size_t block = 0;
  auto left = static_cast<std::size_t>(index);
  while (left >= queue.entries(block).size()) left -= queue.entries(block++).size();
  return {view.scope, queue.entries(block)[left].slot};
}

QueueIterator queue_fitting(const QueueView& view, std::optional<std::uint32_t> processors, const JobView* behind) {
  QueueIterator walk{view.scope, view.scope->call};
  walk.fitting = !processors;
  walk.most = processors;
  if (behind != nullptr) {
    walk.last = waiting_entry(behind->in(view.scope).job(), behind->slot);
    walk.begun = true;
    walk.size = view.scope->get().queue().size() + 1;  // so that it looks for the place
  }
  return walk;
}

void bind_queue(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<QueueIterator>(module, "QueueIterator")
      .def(
          "__iter__", [](nb::handle self) { return self; }, nb::sig("def __iter__(self) -> QueueIterator"))
      .def(
          "__next__",
          [](QueueIterator& self) {
            auto job = self.next();
            if (!job) throw nb::stop_iteration();
            return std::move(*job);
          },
          nb::rv_policy::move);
  nb::class_<QueueView>(module, "QueueView", "The waiting jobs, in order.")
      .def("__len__", [](const QueueView& view) { return view.scope->get().queue().size(); })
      .def("__getitem__", &queue_item, "index"_a)
      .def(
          "__getitem__",
          [](const QueueView& view, const nb::slice& slice) {
            nb::list jobs;
            const auto [start, stop, step, length] = slice.compute(view.scope->get().queue().size());
            for (std::size_t i = 0; i < length; ++i)
              jobs.append(queue_item(view, start + static_cast<std::int64_t>(i) * step));
            return jobs;
          },
          "index"_a, nb::sig("def __getitem__(self, index: slice) -> list[JobView]"))
      .def("__iter__", [](const QueueView& view) { return QueueIterator{view.scope, view.scope->call}; })
      .def("fitting", &queue_fitting, "processors"_a.none() = nb::none(), nb::kw_only(), "behind"_a.none() = nb::none(),
           "The jobs, in order, that have room on the machine as it is when each is reached; or, given a number, those "
           "that could do with so many free processors. Blocks of the queue that have none are skipped.");
}

// ---------------------------------------------------------------------------------------------------- running jobs

struct RunningView {
  ScopePointer scope;
};

nb::list running_list(const RunningView& view) {
  nb::list result;
  const RunningJobs& running = view.scope->get().running();
  for (std::size_t block = 0; block < running.blocks(); ++block) {
    for (const RunningJob& job : running.entries(block)) result.append(JobView(view.scope, job.slot));
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------- machine

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
      .def("__len__", [](const RunningView& view) { return view.scope->get().running().size(); })
      .def(
          "__iter__", [](const RunningView& view) { return nb::iter(running_list(view)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[JobView]"));
  nb::class_<MachineView>(module, "MachineView", "The machine as it is now.")
      .def_prop_ro(
          "nodes", [](const MachineView& view) { return view.get().nodes(); }, "Number of nodes.")
      .def_prop_ro("processors", [](const MachineView& view) { return view.get().processors(); })
      .def_prop_ro("free_processors", [](const MachineView& view) { return view.get().free_processors(); })
      .def_prop_ro(
          "capacity",
          [](const MachineView& view) {
            return by_type(view.get(), [&](std::size_t type) { return view.get().capacity(type); });
          },
          nb::for_getter(nb::sig("def capacity(self) -> dict[str, int]")))
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

// ---------------------------------------------------------------------------------------------------- planning

/// By the allocator, in a scheduler's call; else by what is free.
bool would_start(CallScope& scope, Slot slot, NodeLimit* limit) {
  if (scope.dispatch != nullptr) return scope.dispatch->would_start(slot, limit);
  return fits_now(scope.get(), slot, limit);
}

/// The reservation of a blocked job, which the engine protects for the rest of the call.
struct ReservationView {
  ScopePointer scope;
  std::uint64_t call;
  std::shared_ptr<HeadReservation> held;

  [[nodiscard]] const State& state() const {
    if (scope->state == nullptr || scope->call != call || scope->reservation != held) {
      throw SimulationError("a reservation was used after the call or the reservation that it was made for");
    }
    return *scope->state;
  }
};

bool allows(const ReservationView& view, const JobView& job) {
  const State& state = view.state();
  job.in(view.scope);
  if (job.job().state != JobState::queued || !fits_now(state, job.slot, nullptr)) return false;
  NodeLimit* limit = nullptr;
  if (later(state.now(), job.job().planned_length()) > view.held->start()) {
    view.held->consider(state, job.slot);
    limit = view.held.get();
  }
  return would_start(*view.scope, job.slot, limit);
}

ReservationView reserve(const StateView& view, const JobView& job) {
  position_of(view.scope->get(), job.in(view.scope), "reserve for");
  view.scope->plan.reset();
  view.scope->planned.clear();
  view.scope->reservation = std::make_shared<HeadReservation>();
  view.scope->reserved = job.slot;
  view.scope->reservation->make(job.state(), job.slot);
  return {view.scope, view.scope->call, view.scope->reservation};
}

/// Running jobs and reservations on definite nodes, from now on.
struct PlanView {
  ScopePointer scope;
  std::uint64_t call;
  std::shared_ptr<NodePlan> plan;

  NodePlan& get() const {
    if (scope->state == nullptr || scope->call != call || scope->plan != plan) {
      throw SimulationError("a plan was used after the call it was made for, or after another plan or reservation");
    }
    return *plan;
  }
};

PlanView make_plan(const StateView& view) {
  const State& state = view.scope->get();
  view.scope->reservation.reset();
  view.scope->planned.clear();
  view.scope->plan = std::make_shared<NodePlan>();
  view.scope->plan->clear(state.machine(), state.now());
  view.scope->plan->add_running(state);
  return {view.scope, view.scope->call, view.scope->plan};
}

nb::object start_time(Time time) { return time == never ? nb::none() : seconds_of(time); }

void bind_planning(nb::module_& module) {
  using namespace nb::literals;
  const auto optional_time = nb::for_getter(nb::sig("def start(self) -> float | None"));
  nb::class_<ReservationView>(module, "Reservation", "A blocked job's reservation, kept for the rest of the call.")
      .def_prop_ro(
          "start", [](const ReservationView& view) { return start_time(view.held->start()); }, optional_time,
          "When the job can start by the estimates; None if never.")
      .def("allows", &allows, "job"_a, "Whether the job has room now and does not delay the reserved one.");
  nb::class_<PlanView>(module, "Plan", "What is free on which node when, by the estimates.")
      .def(
          "earliest",
          [](const PlanView& view, const JobView& job) {
            return start_time(view.get().earliest(job.in(view.scope).job(), job.amounts()));
          },
          "job"_a, nb::sig("def earliest(self, job: JobView) -> float | None"),
          "The earliest time at which the job can start and stay for its estimate.")
      .def(
          "reserve",
          [](const PlanView& view, const JobView& job) {
            NodePlan& plan = view.get();
            position_of(view.scope->get(), job.in(view.scope), "reserve for");
            view.scope->unplan(job.slot);
            const Time start = plan.earliest(job.job(), job.amounts());
            if (start == never) return start_time(start);
            CallScope::Planned& planned = view.scope->planned.emplace_back(CallScope::Planned{job.slot, start, {}});
            plan.pin(job.job(), job.amounts(), start, planned.nodes);
            plan.take(planned.nodes, job.job(), job.amounts(), start, later(start, job.job().planned_length()));
            return start_time(start);
          },
          "job"_a, nb::sig("def reserve(self, job: JobView) -> float | None"),
          "Keeps nodes for the job from its earliest time on, and returns that time.")
      .def(
          "allows",
          [](const PlanView& view, const JobView& job) {
            NodePlan& plan = view.get();
            if (job.in(view.scope).job().state != JobState::queued || !fits_now(job.state(), job.slot, nullptr)) {
              return false;
            }
            plan.consider(job.job(), job.amounts());
            return would_start(*view.scope, job.slot, &plan);
          },
          "job"_a, "Whether the job can start now without touching a reservation.");
}

nb::object data_item(const StateView& view, const std::string& name) {
  const DataBoard& data = view.scope->get().data();
  for (std::size_t i = 0; i < data.number_names().size(); ++i) {
    if (data.number_names()[i] == name) return nb::float_(data.number(i));
  }
  for (std::size_t i = 0; i < data.table_names().size(); ++i) {
    if (data.table_names()[i] != name) continue;
    nb::dict table;
    for (const auto& [key, value] : data.table(i)) table[nb::int_(key)] = value;
    return table;
  }
  throw nb::key_error(("no additional data publishes \"" + name + "\"").c_str());
}

}  // namespace

StateView::StateView(const ScopePointer& in)
    : scope(in),
      queue(nb::cast(QueueView{in})),
      running(nb::cast(RunningView{in})),
      machine(nb::cast(MachineView{in})) {}

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

NodeLimit* limit_for(CallScope& scope, const Dispatch& dispatch, Slot slot) {
  const Job& job = dispatch.jobs()[slot];
  if (scope.plan) {
    scope.unplan(slot);
    scope.plan->consider(job, dispatch.jobs().amounts(slot));
    return scope.plan.get();
  }
  if (!scope.reservation || scope.reserved == slot) return nullptr;
  if (later(dispatch.now(), job.planned_length()) <= scope.reservation->start()) return nullptr;
  scope.reservation->consider(dispatch, slot);
  return scope.reservation.get();
}

std::string request_text(const State& state, Slot slot) {
  const Job& job = state.jobs()[slot];
  const Amount* amounts = state.jobs().amounts(slot);
  const std::string each =
      amounts_text(state.machine(), [&](std::size_t type) { return amounts[type] > 0 ? amounts[type] : -1; });
  return "asks for " + std::to_string(job.tasks) + (job.tasks == 1 ? " task" : " tasks") + " of " + each +
         (job.whole_nodes ? " on whole nodes" : "") +
         (job.tasks_per_node > 0 ? ", at most " + std::to_string(job.tasks_per_node) + " on a node" : "");
}

std::string free_text(const State& state) {
  return amounts_text(state.machine(), [&](std::size_t type) { return state.machine().free(type); });
}

std::string node_text(const State& state, std::uint32_t node) {
  return "node " + std::to_string(node) + " has free " +
         amounts_text(state.machine(), [&](std::size_t type) { return state.machine().free(node, type); });
}

Placement placement_from(nb::handle nodes, const State& state, Slot slot) {
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
  if (all != job.tasks) throw invalid(std::to_string(all) + " tasks were placed");
  return placement;
}

void bind_views(nb::module_& module) {
  using namespace nb::literals;
  bind_jobs_of(module);
  bind_queue(module);
  bind_machine(module);
  bind_planning(module);
  nb::class_<StateView>(module, "State", "Everything a policy sees, valid during the call.")
      .def_prop_ro(
          "now", [](const StateView& view) { return seconds_of(view.scope->get().now()); },
          nb::for_getter(nb::sig("def now(self) -> float")), "The time, in the workload's own clock.")
      .def_prop_ro(
          "queue", [](const StateView& view) { return view.queue; },
          nb::for_getter(nb::sig("def queue(self) -> QueueView")), "The waiting jobs, in order.")
      .def_prop_ro(
          "running", [](const StateView& view) { return view.running; },
          nb::for_getter(nb::sig("def running(self) -> RunningView")), "The running jobs, by expected end.")
      .def_prop_ro(
          "machine", [](const StateView& view) { return view.machine; },
          nb::for_getter(nb::sig("def machine(self) -> MachineView")), "The machine.")
      .def("data", &data_item, "name"_a, nb::sig("def data(self, name: str) -> typing.Any"),
           "What additional data published under this name: a number, or a dict.")
      .def(
          "reserve", &reserve, "job"_a,
          "Finds the earliest time at which a waiting job can start by the estimates, and protects it: for the rest of "
          "the call, other jobs are put only where they leave it enough room.")
      .def("plan", &make_plan,
           "A plan of all nodes from now on, with the running jobs in it. For the rest of the call, jobs that are "
           "started "
           "leave its reservations alone.");
}

}  // namespace schedlab::bindings
