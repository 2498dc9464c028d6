// What Python policies see: read-only views that are valid during one call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "dispatch/schedulers/plans/head_reservation.hpp"
#include "dispatch/schedulers/plans/node_plan.hpp"
#include "dispatch/schedulers/plans/reservation.hpp"
#include "dispatch/schedulers/scheduler.hpp"
#include "dispatch/state.hpp"

namespace schedlab::bindings {

/// The call that a policy is in, shared by all views made during it. Outside a call there is no state to look at.
struct CallScope {
  const State* state = nullptr;
  Dispatch* dispatch = nullptr;  // in a scheduler's call
  NodeLimit* limit = nullptr;    // of the placement under way, if any
  std::uint64_t call = 0;        // a view of another call is not valid any more

  // What the scheduler asked the engine to protect in this call.
  std::shared_ptr<Reservation> reservation;
  std::shared_ptr<HeadReservation> head;  // kept for its memory
  Slot reserved = no_slot;
  std::shared_ptr<NodePlan> plan;
  struct Planned {
    Slot slot;
    Time start;
    Placement nodes;
  };
  std::vector<Planned> planned;  // reservations in the plan

  /// Makes a reservation for the job, in place of all that is protected.
  void reserve(Slot slot);
  /// What is protected is worked out anew: a running job left its nodes. Times that were reserved in a plan stay.
  void renew();
  /// Takes the job's reservation out of the plan, if it has one.
  void unplan(Slot slot);

  [[nodiscard]] const State& get() const {
    if (state == nullptr) {
      throw SimulationError("a view was used outside the call it was made for; keep numbers such as job.id instead");
    }
    return *state;
  }
};
using ScopePointer = std::shared_ptr<CallScope>;

/// Opens a scope for the length of a call; calls may nest (a scheduler's start asks an allocator).
class OpenScope {
 public:
  OpenScope(CallScope& scope, const State& state, NodeLimit* limit = nullptr, Dispatch* dispatch = nullptr)
      : scope_(scope), state_(scope.state), limit_(scope.limit), dispatch_(scope.dispatch) {
    scope.state = &state;
    scope.limit = limit;
    scope.dispatch = dispatch;
  }
  ~OpenScope() {
    scope_.state = state_;
    scope_.limit = limit_;
    scope_.dispatch = dispatch_;
    if (state_ == nullptr) {
      ++scope_.call;
      scope_.reservation.reset();
      scope_.plan.reset();
      scope_.planned.clear();
    }
  }
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;

 private:
  CallScope& scope_;
  const State* state_;
  NodeLimit* limit_;
  Dispatch* dispatch_;
};

struct JobView {
  ScopePointer scope;
  std::uint64_t call;
  std::int64_t id;
  Slot slot;

  JobView(ScopePointer in, Slot of)
      : scope(std::move(in)), call(scope->call), id(scope->get().jobs()[of].id), slot(of) {}

  [[nodiscard]] const State& state() const {
    if (scope->state == nullptr || scope->call != call) {
      throw SimulationError("the view of job " + std::to_string(id) +
                            " was used after the call it was made for; keep job.id instead");
    }
    return *scope->state;
  }
  /// Throws where the view is one of another simulation or policy than the one that asks.
  const JobView& in(const ScopePointer& asking) const {
    if (&state() != &asking->get()) {
      throw SimulationError("the view of job " + std::to_string(id) + " is of another simulation");
    }
    return *this;
  }
  [[nodiscard]] const Job& job() const { return state().jobs()[slot]; }
  [[nodiscard]] std::string_view state_name() const { return name_of(job().state); }
  [[nodiscard]] const Amount* amounts() const { return state().jobs().amounts(slot); }
};

// The parts of it.
nb::object queue_view(const ScopePointer& scope);
nb::object running_view(const ScopePointer& scope);
nb::object machine_view(const ScopePointer& scope);
void bind_queue_view(nb::module_& module);
void bind_machine_view(nb::module_& module);

/// Amounts by the names of the resource types.
template <class Value>
nb::dict by_type(const Machine& machine, Value value) {
  nb::dict result;
  for (std::size_t type = 0; type < machine.types(); ++type) result[machine.spec().types[type].c_str()] = value(type);
  return result;
}

/// An amount of each license, by name.
template <class Value>
nb::dict by_license(const Machine& machine, Value value) {
  nb::dict result;
  const std::vector<License>& all = machine.licenses().all();
  for (std::size_t kind = 0; kind < all.size(); ++kind) result[all[kind].name.c_str()] = value(kind);
  return result;
}

/// Everything a policy sees, made once for each policy.
struct StateView {
  explicit StateView(const ScopePointer& scope);

  ScopePointer scope;
  nb::object queue;
  nb::object running;
  nb::object machine;
};

/// Where a waiting job is; throws SimulationError where it does not wait, saying what it was to do.
WaitingQueue::Position position_of(const State& state, const JobView& view, const char* wanted);

/// Whether the job has room now, on nodes that no window closes to it before it ends.
bool fits_now(const State& state, Slot slot, NodeLimit* limit);

/// Which limit a start under the scope's reservation or plan must respect; null for none.
NodeLimit* limit_for(CallScope& scope, const Dispatch& dispatch, Slot slot);

/// What is asked for and what is free, in words.
std::string request_text(const State& state, Slot slot);
std::string free_text(const State& state);
std::string node_text(const State& state, std::uint32_t node);

/// A node number and tasks from a Python list of nodes (one for each task) or mapping of nodes to tasks. `taken`, where
/// it is not null, gets them in the order given, a node where it comes first.
Placement placement_from(nb::handle nodes, const State& state, Slot slot, Placement* taken = nullptr);
/// The same in the first of the job's sets of nodes that has them all, into which it is put.
Placement placement_in_any(nb::handle nodes, const State& state, Slot slot);

}  // namespace schedlab::bindings
