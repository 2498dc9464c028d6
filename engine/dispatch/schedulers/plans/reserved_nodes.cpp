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
  plan_.clear(state);
  plan_.add_running(state);
  gains_.clear();
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
  plan_.advance(state);
  std::erase_if(gains_, [&](const Gain& gain) { return gain.to <= now_; });
}

void ReservedNodes::ended(const RunningJob& job) {
  ended_.push_back(std::move(held(job.slot)));
  held(job.slot) = {};
}

void ReservedNodes::release_ended() {
  for (const Held& held : ended_) {
    plan_.put_back(held.nodes, held.request, held.amounts.data(), now_, held.end);
    note_gain(held.nodes, held.request.licenses, now_, held.end);
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
  held.bounds = plan_.tried();
  plan_.pin(job, amounts, start, held.nodes);
  put_in_place(state, entry.slot, start);
  return start;
}

void ReservedNodes::set_aside(const State& state, Slot slot, Time start) {
  const Job& job = state.jobs()[slot];
  plan_.put_back(held_[slot].nodes, job, state.jobs().amounts(slot), start, later(start, job.planned_length()));
}

void ReservedNodes::put_in_place(const State& state, Slot slot, Time start) {
  const Job& job = state.jobs()[slot];
  plan_.take(held_[slot].nodes, job, state.jobs().amounts(slot), start, later(start, job.planned_length()));
}

bool ReservedNodes::still_free(const State& state, Slot slot, Time start) const {
  const Placement& nodes = held_[slot].nodes;
  const Job& job = state.jobs()[slot];
  return plan_.licensed(job, start) && state.machine().node_sets().any(job, [&] {
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](const NodeRun& run) { return plan_.holds(run, job, state.jobs().amounts(slot), start); });
  });
}

void ReservedNodes::give_up(const State& state, Slot slot, Time start) {
  const Job& job = state.jobs()[slot];
  note_gain(held_[slot].nodes, job.licenses, start, later(start, job.planned_length()));
}

void ReservedNodes::release(const State& state, const WaitingJob& entry, Time start) {
  set_aside(state, entry.slot, start);
  give_up(state, entry.slot, start);
}

void ReservedNodes::note_running(const State& state, Slot slot, Time end) {
  const Job& job = state.jobs()[slot];
  const Amount* amounts = state.jobs().amounts(slot);
  Held& held = this->held(slot);
  held.end = end;
  held.nodes = job.placement;
  held.amounts.assign(amounts, amounts + state.machine().types());
  held.request.whole_nodes = job.whole_nodes;
  held.request.licenses = job.licenses;
}

/// More became free on these nodes in [from, to), and of these licenses.
void ReservedNodes::note_gain(const Placement& nodes, std::uint32_t licenses, Time from, Time to) {
  from = std::max(from, now_);
  if (from >= to) return;
  for (const NodeRun& run : nodes) gains_.push_back({run.first, run.count, from, to, licenses});
}

NodePlan::Use ReservedNodes::use_of_gains(const State& state, Slot slot, Time start) const {
  const Job& job = state.jobs()[slot];
  NodePlan::Use use;
  for (const Gain& gain : gains_) {
    const Time from = std::max({now_, job.not_before, std::max(gain.from, now_) - job.planned_length() + 1});
    const Time latest = std::min(start, gain.to - 1);
    if (from > latest) continue;
    state.machine().node_sets().any(job, [&] {
      plan_.add_use({gain.first, gain.count}, job, state.jobs().amounts(slot), from, latest, use);
      return false;
    });
    if (job.licenses == Licenses::none || !state.machine().licenses().share(job.licenses, gain.licenses)) continue;
    use.first = std::min(use.first, from);
    use.last = std::max(use.last, latest);
  }
  return use;
}

/// The same by a look that is cheaper, since the job keeps its place, and may say yes where there is nothing.
bool ReservedNodes::may_gain(const State& state, Slot slot, Time start) const {
  const Placement& own = held_[slot].nodes;
  const Time end = later(start, state.jobs()[slot].planned_length());
  const bool on_own_nodes = std::any_of(gains_.begin(), gains_.end(), [&](const Gain& gain) {
    return std::max(gain.from, now_) < std::min(gain.to, end) && std::any_of(
                                                                     own.begin(), own.end(),
                                                                     [&](const NodeRun& run) {
                                                                       return run.first < gain.first + gain.count &&
                                                                              gain.first < run.first + run.count;
                                                                     });
  });
  return on_own_nodes || use_of_gains(state, slot, start).first != never;
}

Time ReservedNodes::reserve_again(const State& state, const WaitingJob& entry, Time old) {
  const Slot slot = entry.slot;
  const NodePlan::Use use = use_of_gains(state, slot, old);
  const Time start = use.first < old ? search_again(state, slot, old, use) : old;
  if (start < old || use.last == old) {
    const Job& job = state.jobs()[slot];
    std::swap(nodes_before_, held_[slot].nodes);
    plan_.pin(job, state.jobs().amounts(slot), start, held_[slot].nodes);
    if (start < old || !same_nodes(held_[slot].nodes, nodes_before_)) {
      note_gain(nodes_before_, job.licenses, old, later(old, job.planned_length()));
    }
  }
  put_in_place(state, slot, start);
  return start;
}

/// The earliest start before the present one, which is where there is none. What earlier searches found, and what was
/// gained since, leaves few times at which there may be one.
Time ReservedNodes::search_again(const State& state, Slot slot, Time old, const NodePlan::Use& use) {
  std::vector<StartSearch::Bound>& bounds = held_[slot].bounds;
  const Job& job = state.jobs()[slot];
  Time from = use.first;
  Time latest = std::min(use.last, old - 1);
  if (job.licenses != Licenses::none || job.choices != 0) bounds.clear();  // they are of the nodes of one set
  if (!bounds.empty() && bounds.front().from <= from) {
    from = never;
    Time to = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      const Time end = i + 1 < bounds.size() ? bounds[i + 1].from : old;
      if (end <= use.first || bounds[i].from > latest) continue;
      bounds[i].room += use.tasks;
      if (bounds[i].room < job.tasks) continue;
      from = std::min(from, std::max(bounds[i].from, use.first));
      to = end - 1;
    }
    latest = std::min(latest, to);
    if (from > latest) return old;
  }
  const Time start = plan_.earliest(job, state.jobs().amounts(slot), from, latest);
  if (start == never) {
    note_bounds(bounds, from, latest + 1, old, job.tasks - std::int64_t{1});
    return old;
  }
  note_bounds(bounds, from, start, start, 0);
  return start;
}

/// Bounds of the times in [from, to) are those of the last search; the others stay, up to `end`. Where there are none,
/// all that is known is that the job does not fit.
void ReservedNodes::note_bounds(std::vector<StartSearch::Bound>& bounds, Time from, Time to, Time end,
                                std::int64_t unknown) const {
  constexpr std::size_t most_bounds = 64;
  std::vector<StartSearch::Bound> known;
  std::swap(known, bounds);
  std::size_t next = 0;
  for (; next < known.size() && known[next].from < from; ++next) {
    if (next + 1 == known.size() || known[next + 1].from > now_) bounds.push_back(known[next]);
  }
  bounds.insert(bounds.end(), plan_.tried().begin(), plan_.tried().end());
  if (to >= end) return;
  while (next < known.size() && known[next].from <= to) ++next;
  bounds.push_back({to, next > 0 ? known[next - 1].room : unknown});
  bounds.insert(bounds.end(), known.begin() + static_cast<std::ptrdiff_t>(next), known.end());
  if (bounds.size() <= most_bounds) return;
  for (const StartSearch::Bound& bound : bounds) bounds.front().room = std::max(bounds.front().room, bound.room);
  bounds.erase(bounds.begin() + 1, bounds.end());
}

Time ReservedNodes::Moves::move(const WaitingJob& entry, Time old) {
  if (!plan_.may_gain(state_, entry.slot, old)) return old;
  const auto known = static_cast<std::ptrdiff_t>(plan_.gains_.size());
  plan_.set_aside(state_, entry.slot, old);
  const Time start = plan_.reserve_again(state_, entry, old);
  left_.insert(left_.end(), plan_.gains_.begin() + known, plan_.gains_.end());
  return start;
}

NodeLimit* ReservedNodes::limit(const State& state, Slot slot) {
  plan_.consider(state.jobs()[slot], state.jobs().amounts(slot));
  return &plan_;
}

void ReservedNodes::started(const State& state, const WaitingJob& entry) {
  const Job& job = state.jobs()[entry.slot];
  const Time end = later(now_, job.planned_length());
  plan_.take(job.placement, job, state.jobs().amounts(entry.slot), now_, end);
  note_running(state, entry.slot, end);
}

/// It has no place, and gets one that does not begin before a second from now, though it may have room before.
void ReservedNodes::refused(const State& state, const WaitingJob&) {
  gains_.push_back({0, state.machine().nodes(), now_, later(now_, second), Licenses::none});
}

void ReservedNodes::check_saved(const State& state) const {
  const Machine& machine = state.machine();
  plan_.check_saved(machine);
  Archive::require(held_.size() <= state.jobs().slots(), "plans for jobs that are not there");
  for (const Gain& gain : gains_) {
    Archive::require(gain.first < machine.nodes() && gain.count <= machine.nodes() - gain.first && gain.count > 0,
                     "a node is not there");
    Archive::require(gain.licenses < machine.licenses().requests(), "licenses of a plan are not there");
  }
  for (const Held& held : held_) {
    schedlab::check_saved(held.nodes, machine.nodes());
    Archive::require(held.request.licenses < machine.licenses().requests(), "licenses of a plan are not there");
  }
  for (const Held& held : ended_) {
    schedlab::check_saved(held.nodes, machine.nodes());
    Archive::require(held.request.licenses < machine.licenses().requests(), "licenses of a plan are not there");
    Archive::require(held.nodes.empty() || held.amounts.size() == machine.types(), "amounts of a plan are missing");
  }
}

}  // namespace schedlab
