#include "dispatch/schedulers/plans/reserved_nodes.hpp"

#include <algorithm>

namespace schedlab {

namespace {

bool same_nodes(const Placement& a, const Placement& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const NodeRun& x, const NodeRun& y) {
    return x.first == y.first && x.count == y.count && x.tasks == y.tasks;
  });
}

}  // namespace

void ReservedNodes::begin(const State& state) {
  now_ = state.now();
  plan_.clear(state.machine(), now_);
  plan_.add_running(state);
  gains_.assign(state.machine().nodes(), {});
  gained_nodes_.clear();
  ended_.clear();
  for (Held& held : held_) held = {};
  for (std::size_t block = 0; block < state.running().blocks(); ++block) {
    for (const RunningJob& entry : state.running().entries(block)) {
      note_running(state, entry.slot, std::max(entry.estimated_end, later(now_, second)));
    }
  }
}

void ReservedNodes::advance(const State& state) {
  now_ = state.now();
  plan_.advance(state.machine(), state.windows(), now_);
}

void ReservedNodes::ended(const RunningJob& job) {
  ended_.push_back(std::move(held(job.slot)));
  held(job.slot) = {};
}

void ReservedNodes::release_ended() {
  for (const Held& held : ended_) {
    plan_.put_back(held.nodes, held.request, held.amounts.data(), now_, held.end);
    note_gain(held.nodes, now_, held.end);
  }
  ended_.clear();
}

bool ReservedNodes::extend(const State& state, const RunningJob& entry, Time until) {
  Held& held = this->held(entry.slot);
  if (held.end >= until) return false;
  const Job& job = state.jobs()[entry.slot];
  plan_.take(job.placement, job, state.jobs().amounts(entry.slot), std::max(now_, held.end), until);
  held.end = until;
  return true;
}

/// Where the plan reaches beyond the largest time there is, the job has no reservation for now.
Time ReservedNodes::reserve(const State& state, const WaitingJob& entry, Time from, Time latest) {
  const Job& job = state.jobs()[entry.slot];
  const Amount* amounts = state.jobs().amounts(entry.slot);
  Held& held = this->held(entry.slot);
  const Time start = plan_.earliest(job, amounts, from, latest);
  if (start == never || later(start, job.planned_length()) == never) return never;
  plan_.pin(job, amounts, start, held.nodes);
  plan_.take(held.nodes, job, amounts, start, later(start, job.planned_length()));
  return start;
}

void ReservedNodes::put_back(const State& state, Slot slot, Time start) {
  const Job& job = state.jobs()[slot];
  const Time end = later(start, job.planned_length());
  plan_.put_back(held_[slot].nodes, job, state.jobs().amounts(slot), start, end);
}

void ReservedNodes::release(const State& state, const WaitingJob& entry, Time start) {
  put_back(state, entry.slot, start);
  note_gain(held_[entry.slot].nodes, start, later(start, state.jobs()[entry.slot].planned_length()));
}

void ReservedNodes::note_running(const State& state, Slot slot, Time end) {
  const Job& job = state.jobs()[slot];
  const Amount* amounts = state.jobs().amounts(slot);
  Held& held = this->held(slot);
  held.end = end;
  held.nodes = job.placement;
  held.amounts.assign(amounts, amounts + state.machine().types());
  held.request.whole_nodes = job.whole_nodes;
}

/// More became free on these nodes in [from, to).
void ReservedNodes::note_gain(const Placement& nodes, Time from, Time to) {
  from = std::max(from, now_);
  if (from >= to) return;
  for (const NodeRun& run : nodes) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      Gain& gain = gains_[node];
      if (gain.to == 0) gained_nodes_.push_back(node);
      gain = {gain.to == 0 ? from : std::min(gain.from, from), std::max(gain.to, to)};
    }
  }
}

/// Whether something that was gained is of use to a waiting job. If not, it is at its earliest place as it is.
bool ReservedNodes::may_gain(const State& state, Slot slot, Time start) const {
  const Job& job = state.jobs()[slot];
  const Amount* amounts = state.jobs().amounts(slot);
  const Placement& own = held_[slot].nodes;
  const Time end = later(start, job.planned_length());
  return std::any_of(gained_nodes_.begin(), gained_nodes_.end(), [&](std::uint32_t node) {
    const Gain& gain = gains_[node];
    const Time from = std::max({gain.from, now_, job.not_before});
    if (from >= std::min(gain.to, end)) return false;
    for (const NodeRun& run : own) {
      if (node - run.first < run.count) return true;
    }
    return plan_.room_at_all(node, job, amounts, from, std::min(gain.to, end));
  });
}

Time ReservedNodes::Moves::move(const WaitingJob& entry, Time old) {
  if (!plan_.may_gain(state_, entry.slot, old)) return old;
  const Placement nodes = plan_.held_[entry.slot].nodes;
  plan_.put_back(state_, entry.slot, old);
  const Time start = plan_.reserve(state_, entry, plan_.now_, old);
  if (start == old && same_nodes(plan_.held_[entry.slot].nodes, nodes)) return old;
  const Time end = later(old, state_.jobs()[entry.slot].planned_length());
  plan_.note_gain(nodes, old, end);
  left_.push_back({nodes, old, end});
  return start;
}

void ReservedNodes::Moves::finish() {
  for (const std::uint32_t node : plan_.gained_nodes_) plan_.gains_[node] = {};
  plan_.gained_nodes_.clear();
  for (const Left& left : left_) plan_.note_gain(left.nodes, left.from, left.to);
}

NodeLimit* ReservedNodes::limit_of_start(const State& state, const WaitingJob& entry) {
  release(state, entry, now_);
  plan_.consider(state.jobs()[entry.slot], state.jobs().amounts(entry.slot));
  return &plan_;
}

void ReservedNodes::started(const State& state, const WaitingJob& entry) {
  const Job& job = state.jobs()[entry.slot];
  const Time end = later(now_, job.planned_length());
  plan_.take(job.placement, job, state.jobs().amounts(entry.slot), now_, end);
  note_running(state, entry.slot, end);
}

void ReservedNodes::check_saved(const State& state) const {
  const Machine& machine = state.machine();
  plan_.check_saved(machine);
  Archive::require(held_.size() <= state.jobs().slots(), "plans for jobs that are not there");
  Archive::require(gains_.size() == machine.nodes(), "a plan is of another machine");
  for (const std::uint32_t node : gained_nodes_) Archive::require(node < machine.nodes(), "a node is not there");
  for (const Held& held : held_) schedlab::check_saved(held.nodes, machine.nodes());
  for (const Held& held : ended_) {
    schedlab::check_saved(held.nodes, machine.nodes());
    Archive::require(held.nodes.empty() || held.amounts.size() == machine.types(), "amounts of a plan are missing");
  }
}

}  // namespace schedlab
