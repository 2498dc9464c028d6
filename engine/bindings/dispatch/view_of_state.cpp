// The state of a simulation as policies see it, with reservations and plans.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bindings/dispatch/views.hpp"
#include "execution/network/ranks/application_runs.hpp"

namespace schedlab::bindings {

namespace {

/// By the allocator, in a scheduler's call; else by what is free.
bool would_start(CallScope& scope, Slot slot, NodeLimit* limit) {
  if (scope.dispatch != nullptr) return scope.dispatch->would_start(slot, limit);
  return fits_now(scope.get(), slot, limit);
}

/// The reservation of a blocked job, which the engine protects for the rest of the call.
struct ReservationView {
  ScopePointer scope;
  std::uint64_t call;
  std::shared_ptr<Reservation> held;

  [[nodiscard]] const State& state() const {
    if (scope->state == nullptr || scope->call != call || scope->reservation != held) {
      throw SimulationError("a reservation was used after the call or the reservation that it was made for");
    }
    return *scope->state;
  }
};

bool allows(const ReservationView& view, const JobView& job) {
  const State& state = view.state();
  const Job& candidate = job.in(view.scope).job();
  Reservation& reservation = *view.held;
  const bool ends_before = later(state.now(), candidate.planned_length()) <= reservation.start();
  if (candidate.state != JobState::queued) return false;
  if (!ends_before && candidate.processors > reservation.spare_processors()) return false;
  if (!fits_now(state, job.slot, nullptr)) return false;
  return would_start(*view.scope, job.slot, ends_before ? nullptr : reservation.consider(state, job.slot));
}

ReservationView reserve(const StateView& view, const JobView& job) {
  position_of(view.scope->get(), job.in(view.scope), "reserve for");
  view.scope->reserve(job.slot);
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

std::vector<double> carried_by_links(const StateView& view) {
  const State& state = view.scope->get();
  return state.applications() == nullptr ? std::vector<double>() : state.applications()->carried(state.now());
}

}  // namespace

StateView::StateView(const ScopePointer& in)
    : scope(in), queue(queue_view(in)), running(running_view(in)), machine(machine_view(in)) {}

void bind_views(nb::module_& module) {
  using namespace nb::literals;
  bind_queue_view(module);
  bind_machine_view(module);
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
      .def("carried", &carried_by_links,
           "Bytes that each link of the network carried up to now, in the order of the topology; empty where jobs run "
           "no applications.")
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
