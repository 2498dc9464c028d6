// Schedulers that are written in Python.
#pragma once

#include <memory>
#include <utility>

#include "bindings/dispatch/python_policy.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab::bindings {

class PythonScheduler final : public Scheduler {
 public:
  [[nodiscard]] const nb::object& object() const { return policy_.object(); }
  /// What it holds of Python: the policy, and methods bound to it.
  template <class Visit>
  void visit_objects(Visit visit) const {
    visit(policy_.object());
    visit(schedule_);
  }

  explicit PythonScheduler(nb::object policy) : policy_(std::move(policy)), schedule_(policy_.method("schedule")) {}
  PythonScheduler(const PythonScheduler& other)
      : Scheduler(other), policy_(other.policy_), schedule_(policy_.method("schedule")) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] bool changes_nodes() const override { return true; }
  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<PythonScheduler>(*this); }
  void archive(Archive& archive) override { policy_.archive(archive); }

  /// Decisions are applied one by one as they come: a generator sees what its last one led to.
  void dispatch(Dispatch& dispatch) override {
    const OpenScope open(policy_.scope(), dispatch, nullptr, &dispatch);
    const nb::object decisions = policy_.call(schedule_, "schedule", dispatch, policy_.view());
    const nb::object iterator =
        policy_.take(schedule_, "schedule", dispatch, {}, [&] { return iterator_over(decisions); });
    while (PyObject* item = PyIter_Next(iterator.ptr())) {
      const nb::object decision = nb::steal(item);
      policy_.take(schedule_, "schedule", dispatch, iterator, [&] { apply(dispatch, decision); });
    }
    if (PyErr_Occurred() == nullptr) return;
    nb::python_error error;
    say_where(error, policy_.place("schedule", dispatch));
    throw std::move(error);
  }

 private:
  static nb::object iterator_over(const nb::object& decisions) {
    nb::object iterator = nb::steal(PyObject_GetIter(decisions.ptr()));
    if (iterator.is_valid()) return iterator;
    PyErr_Clear();
    // Most likely it forgot to yield: without this, all jobs would just keep waiting.
    throw SimulationError(decisions.is_none()
                              ? "returned None; write `yield job` for each job that is to start now, or "
                                "return a list of them, [] for none"
                              : "must return or yield decisions, not " + shown(decisions));
  }

  void apply(Dispatch& dispatch, nb::handle decision) {
    if (nb::isinstance<JobView>(decision)) {
      start(dispatch, nb::cast<const JobView&>(decision));
      return;
    }
    const nb::object kind = nb::getattr(decision, "kind", nb::none());
    if (nb::isinstance<nb::str>(kind)) {
      const auto name = nb::cast<std::string>(kind);
      if (name == "wake") {
        const Time time = time_from(decision.attr("time"), "wake at");
        if (time > dispatch.now()) {
          dispatch.wake_at(time);
          return;
        }
        throw SimulationError(policy_.place("schedule", dispatch) + "asks to be called at " +
                              std::to_string(in_seconds(time)) + " s, which is not in the future");
      }
      if (name == "clock" || name == "power down" || name == "power up") {
        change_nodes(dispatch, name, decision);
        return;
      }
      const nb::object job = decision.attr("job");
      const bool ends = name == "requeue" || name == "cancel";
      if ((name == "start" || name == "reject" || ends) && nb::isinstance<JobView>(job)) {
        const auto& view = nb::cast<const JobView&>(job);
        if (ends) {
          end_early(dispatch, view, name);
        } else if (name == "reject") {
          WaitingQueue::Position where = position_of(dispatch, view, "reject");
          CallScope& scope = policy_.scope();
          if (scope.reserved == view.slot) scope.reservation.reset();
          scope.unplan(view.slot);
          dispatch.reject(where);
        } else if (decision.attr("nodes").is_none()) {
          start(dispatch, view);
        } else {
          start_on(dispatch, view, decision.attr("nodes"));
        }
        return;
      }
    }
    throw SimulationError(policy_.place("schedule", dispatch) +
                          "a decision is a waiting job, StartJob(job, nodes), RejectJob(job), RequeueJob(job), "
                          "CancelJob(job), WakeAt(time), SetClock, PowerDown or PowerUp, not " +
                          shown(decision));
  }

  /// Requeues or cancels a running job; what is protected for the rest of the call hears of it.
  void end_early(Dispatch& dispatch, const JobView& view, const std::string& wanted) {
    const auto refuse = [&](const std::string& why) {
      throw SimulationError(policy_.place("schedule", dispatch) + "cannot " + wanted + " job " +
                            std::to_string(view.id) + ": " + why);
    };
    if (&view.state() != static_cast<const State*>(&dispatch)) refuse("its view is of another simulation");
    const Job& job = view.job();
    if (!dispatch.may_interrupt()) {
      refuse(
          "the simulation was begun with a scheduler that ends no running jobs; write interrupts_jobs = True in "
          "its class");
    }
    if (job.state == JobState::queued) {
      refuse("it is queued, not running" + std::string(wanted == "cancel" ? "; RejectJob takes waiting jobs" : ""));
    }
    if (job.state != JobState::running) refuse("it is " + std::string(view.state_name()) + ", not running");
    if (wanted == "requeue") {
      dispatch.requeue(view.slot);
    } else {
      dispatch.cancel(view.slot);
    }
    policy_.scope().renew();
  }

  void change_nodes(Dispatch& dispatch, const std::string& kind, nb::handle decision) {
    const auto refuse = [&](const std::string& why) {
      throw SimulationError(policy_.place("schedule", dispatch) + why + ": " + shown(decision));
    };
    if (dispatch.platform() == nullptr) refuse("the system has no node types, so nodes have no clocks and states");
    std::uint32_t step = 0;
    bool sleeping = false;
    if (kind == "clock" && !nb::try_cast(decision.attr("step"), step)) refuse("step must be a whole number from 0 up");
    if (kind == "power down") {
      const nb::object to = decision.attr("to");
      sleeping = to.equal(nb::str("sleeping"));
      if (!sleeping && !to.equal(nb::str("off"))) refuse("nodes are switched to \"off\" or \"sleeping\"");
    }
    const nb::object nodes = decision.attr("nodes");
    if (PyIter_Check(nodes.ptr()) == 0 && PyObject_HasAttrString(nodes.ptr(), "__iter__") == 0) {
      refuse("nodes must be a list of numbers");
    }
    for (const nb::handle item : nodes) {
      std::uint32_t node = 0;
      if (!nb::try_cast(item, node) || node >= dispatch.machine().nodes()) refuse("there is no node " + shown(item));
      if (kind == "clock") {
        dispatch.set_step(node, step);
      } else if (kind == "power up") {
        dispatch.wake(node);
      } else if (!dispatch.rest(node, sleeping)) {
        refuse("node " + std::to_string(node) + " is not idle and on, or its type has no such state");
      }
    }
  }

  void start(Dispatch& dispatch, const JobView& view) {
    WaitingQueue::Position where = position_of(dispatch, view, "start");
    NodeLimit* limit = limit_for(policy_.scope(), dispatch, view.slot);
    if (!dispatch.try_start(where, limit)) {
      const Job& job = dispatch.jobs()[view.slot];
      const bool has_room = dispatch.machine().node_sets().any(
          job, [&] { return dispatch.machine().has_room(job, dispatch.jobs().amounts(view.slot)); });
      if (has_room && dispatch.may_refuse() && leaves_alone(dispatch, view.slot, limit)) return;  // it keeps waiting
      throw SimulationError(policy_.place("schedule", dispatch) + "cannot start job " + std::to_string(view.id) +
                            ", which " + request_text(dispatch, view.slot) + "; free are " + free_text(dispatch) +
                            (has_room && limit != nullptr ? "; it would delay what was reserved: ask allows(job) first"
                             : has_room                   ? "; a window or the allocator keeps it from nodes with room"
                                                          : "; ask machine.fits(job) first"));
    }
    note_start(dispatch, view.slot);
  }

  /// Whether the job has a place that leaves alone what is reserved: then a start was refused for something else.
  static bool leaves_alone(Dispatch& dispatch, Slot slot, NodeLimit* limit) {
    return limit == nullptr || fits_now(dispatch, slot, limit) || dispatch.would_start(slot, limit);
  }

  void start_on(Dispatch& dispatch, const JobView& view, nb::handle nodes) {
    WaitingQueue::Position where = position_of(dispatch, view, "start");
    const Placement placement = placement_in_any(nodes, dispatch, view.slot);
    NodeLimit* limit = limit_for(policy_.scope(), dispatch, view.slot);
    if (limit != nullptr) limit->begin();
    for (const NodeRun& run : placement) {
      for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
        check_node(dispatch, view, node, run.tasks, limit);
      }
    }
    if (!dispatch.start_on(where, placement)) {  // a power cap refused it: it keeps waiting
      dispatch.machine().node_sets().put_into_first(dispatch.jobs()[view.slot]);
      return;
    }
    note_start(dispatch, view.slot);
  }

  void check_node(const Dispatch& dispatch, const JobView& view, std::uint32_t node, std::uint32_t tasks,
                  NodeLimit* limit) const {
    const Job& job = dispatch.jobs()[view.slot];
    const Time now = dispatch.now();
    const bool open =
        dispatch.windows().empty() || dispatch.windows().open(node, job, now, later(now, job.planned_length()));
    const bool allowed = limit == nullptr || limit->at_most(node, tasks) >= tasks;
    if (open && allowed) {
      if (limit != nullptr) limit->take(node, tasks);
      return;
    }
    throw SimulationError(policy_.place("schedule", dispatch) + "cannot start job " + std::to_string(view.id) +
                          " on node " + std::to_string(node) +
                          (open ? ": it would delay what was reserved; ask allows(job) first"
                                : ": a window begins there before the job ends, by its estimate"));
  }

  /// What is protected for the rest of the call must know of the job.
  void note_start(const Dispatch& dispatch, Slot slot) {
    CallScope& scope = policy_.scope();
    const Job& job = dispatch.jobs()[slot];
    const Time end = later(dispatch.now(), job.planned_length());
    if (scope.plan) {
      scope.plan->take(job.placement, job, dispatch.jobs().amounts(slot), dispatch.now(), end);
    } else if (scope.reservation && scope.reserved == slot) {
      scope.reservation.reset();
    } else if (scope.reservation && end > scope.reservation->start()) {
      scope.reservation->keep();
    } else if (scope.reservation) {
      scope.reservation->gives_back(dispatch, slot);
    }
  }

  PythonPolicy policy_;
  nb::object schedule_;
};

}  // namespace schedlab::bindings
