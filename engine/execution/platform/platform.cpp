#include "execution/platform/platform.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

Platform::Platform(PlatformSpec spec, const Machine& machine, PowerConditions conditions, std::size_t core_type,
                   bool nodes_fail)
    : sockets_(std::move(spec), machine),
      states_(sockets_.spec(), machine, conditions.switch_off),
      conditions_(std::move(conditions)),
      caps_(conditions_.caps),
      least_power_(sockets_.spec(), machine.spec(), core_type),
      thermal_(conditions_.thermal, sockets_.spec(), machine),
      core_type_(core_type),
      nodes_fail_(nodes_fail),
      requested_steps_(machine.nodes()),
      group_watts_(sockets_.group_watts()),
      state_watts_(states_.group_watts()) {
  if (caps_.any_slow()) sockets_.count_alike();
  if (!caps_.empty()) least_of_core_ = least_power_.of_core(caps_.all().front());
  for (const double watts : group_watts_) watts_ += watts;
}

void Platform::open(Time now) {
  sockets_.begin(now);
  states_.begin(now);
  integrated_ = now;
  if (!thermal_.exists()) return;
  std::vector<double> idle;
  idle.reserve(sockets_.nodes());
  for (std::uint32_t node = 0; node < sockets_.nodes(); ++node) idle.push_back(node_watts(node));
  thermal_.begin(now, idle);
}

Time Platform::hold(Slot slot, const JobTable& jobs, Time now) {
  const Job& job = jobs[slot];
  const Amount* amounts = jobs.amounts(slot);
  Time ready = now;
  for (const NodeRun& run : job.placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      states_.take(node);
      sockets_.hold(slot, node, cores(node, job, amounts, run.tasks), order_);
      ready = std::max(ready, states_.wake(node, now));
    }
  }
  if (ready > now && !caps_.empty()) waiting_.push_back(slot);
  return ready;
}

void Platform::keep_promise(Slot slot) {
  if (!waiting_.empty()) std::erase(waiting_, slot);
}

/// Watts more than now that waiting jobs, and those of `to_come_`, will take of what a cap covers, at most. What they
/// add to a node that is not on is more than it takes now only as far as it goes beyond what waking takes.
double Platform::promised(const PowerCap& cap, std::uint32_t step) {
  for (const Slot slot : waiting_) {
    sockets_.visit_waiting(slot, step, [&](std::uint32_t node, double watts) { to_come_.push_back({node, watts}); });
  }
  if (!waiting_.empty()) std::sort(to_come_.begin(), to_come_.end());
  double sum = 0.0;
  for (std::size_t i = 0; i < to_come_.size();) {
    const std::uint32_t node = to_come_[i].first;
    double added = 0.0;
    for (; i < to_come_.size() && to_come_[i].first == node; ++i) added += to_come_[i].second;
    if (!cap.covers(sockets_.group_of(node))) continue;
    if (!states_.is_on(node)) {
      const double working = sockets_.node_watts_with(node, 0, order_, step) + added;
      added = std::max(0.0, std::max(working, states_.up_watts(node)) - states_.watts(node));
    }
    sum += added;
  }
  to_come_.clear();
  return sum;
}

/// Whether the caps of a node let it take `more` watts than now; all of them, or those that do not slow it down.
bool Platform::leave_room(std::uint32_t node, double more, Time now, bool all) {
  return more <= 0.0 || std::all_of(caps_.all().begin(), caps_.all().end(), [&](const PowerCap& cap) {
           if (!cap.covers(sockets_.group_of(node)) || (cap.slow && !all)) return true;
           const double others = cap.sum(group_watts_) + promised(cap, cap.slow ? slowest(cap) : 0);
           return others + more <= cap.watts.at(now) + PowerCaps::tolerance;
         });
}

JobState Platform::stop(Slot slot, JobTable& jobs, Time now) {
  const bool ended = sockets_.has_ended(slot);
  keep_promise(slot);
  sockets_.release(slot, now);
  for (const NodeRun& run : jobs[slot].placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) states_.leave(node, now);
  }
  return ended ? JobState::completed : JobState::killed;
}

bool Platform::rest(std::uint32_t node, NodeState state, Time now) {
  const double more = states_.down_watts(node, state) - node_watts(node);
  if (states_.is_idle(node) && !leave_room(node, more, now)) return true;
  return states_.rest(node, state, now);
}

void Platform::wake(std::uint32_t node, Time now) {
  const double highest = std::max(sockets_.node_watts_with(node, 0, order_, 0), states_.up_watts(node));
  if (states_.is_on(node) || leave_room(node, highest - node_watts(node), now)) states_.wake(node, now);
}

void Platform::set_step(std::uint32_t node, std::uint32_t step, Time now) {
  const double more = sockets_.node_watts_at(node, step) - sockets_.node_watts(node);
  if (step < requested_steps_[node] && !leave_room(node, more, now, false)) return;
  requested_steps_[node] = step;
  sockets_.set_step(node, step_of(node), now);
}

/// What policies ask for; a node that is too hot goes no faster than its throttle step.
std::uint32_t Platform::step_of(std::uint32_t node) const {
  if (!thermal_.exists() || !thermal_.node(node).throttled) return requested_steps_[node];
  const std::uint32_t last = sockets_.last_step(sockets_.group_of(node));
  return std::max(requested_steps_[node], std::min(thermal_.spec().throttle_step, last));
}

void Platform::follow_temperatures(Time now) {
  thermal_.update(
      now, [&](std::uint32_t node) { return sockets_.node_joules(node, now) + states_.joules(node, now); },
      [&](std::uint32_t node) { sockets_.set_step(node, step_of(node), now); });
}

Time Platform::next_time() const { return std::min(states_.next_change(), caps_.next_change(integrated_)); }

void Platform::advance_to(Time now) {
  if (!caps_.empty()) integrate(now);
  if (thermal_.next_update() <= now) follow_temperatures(now);
  double sent = 0.0;  // what those take more that are sent to rest at this time
  states_.advance_to(now, [&](std::uint32_t node, double watts) {
    if (caps_.empty()) return true;
    const double more = watts - sockets_.node_watts(node);
    if (more > 0.0 && !leave_room(node, sent + more, now)) return false;
    sent += std::max(0.0, more);
    return true;
  });
}

/// Sockets take power while their node is on.
void Platform::follow_states(Time now) {
  if (!states_.has_changes()) return;
  states_.take_changes([&](std::uint32_t node) { sockets_.set_on(node, states_.is_on(node), now); });
}

/// Power was what it was settled to until now.
void Platform::integrate(Time now) {
  if (now == integrated_) return;
  joules_ += watts_ * in_seconds(now - integrated_);
  peak_watts_ = std::max(peak_watts_, watts_);  // only what lasts counts
  cost_ += priced(conditions_.price, now);
  carbon_ += priced(conditions_.carbon, now);
  if (!caps_.empty()) caps_.add(group_watts_, sockets_.group_steps(), integrated_, now);
  integrated_ = now;
}

std::span<const ExecutionDue> Platform::settle(Time now) {
  caps_.forget_refused();
  follow_states(now);
  if (caps_.any_slow()) keep_to_caps(now);
  const bool changes = sockets_.unsettled() || states_.group_watts() != state_watts_;
  if (changes) integrate(now);
  const auto& dues = sockets_.settle(now);
  if (changes) {
    state_watts_ = states_.group_watts();
    watts_ = 0.0;
    for (std::size_t group = 0; group < group_watts_.size(); ++group) {
      group_watts_[group] = sockets_.group_watts()[group] + state_watts_[group];
      watts_ += group_watts_[group];
    }
  }
  return dues;
}

std::uint32_t Platform::slowest(const PowerCap& cap) const {
  std::uint32_t step = 0;
  for (std::uint32_t group = 0; group < group_watts_.size(); ++group) {
    if (cap.covers(group)) step = std::max(step, sockets_.last_step(group));
  }
  return step;
}

/// Power of what a cap covers, by what runs there now, if no node went faster than a step.
double Platform::watts_under(const PowerCap& cap, std::uint32_t step) {
  double sum = cap.sum(states_.group_watts());
  for (std::uint32_t group = 0; group < group_watts_.size(); ++group) {
    if (cap.covers(group)) sum += sockets_.group_watts_at(group, step);
  }
  return sum;
}

/// The fastest steps at which every cap that may slow nodes down is kept; the slowest ones where none will do.
void Platform::keep_to_caps(Time now) {
  std::vector<std::uint32_t> steps(group_watts_.size());
  for (const PowerCap& cap : caps_.all()) {
    if (!cap.slow) continue;
    const double limit = cap.watts.at(now) + PowerCaps::tolerance;
    std::uint32_t step = 0;
    for (const std::uint32_t last = slowest(cap); step < last && watts_under(cap, step) > limit;) ++step;
    for (std::uint32_t group = 0; group < steps.size(); ++group) {
      if (cap.covers(group)) steps[group] = std::max(steps[group], step);
    }
  }
  if (steps == sockets_.group_steps()) return;
  integrate(now);
  for (std::uint32_t group = 0; group < steps.size(); ++group) sockets_.set_group_step(group, steps[group], now);
}

double Platform::added_watts(std::uint32_t node, std::uint32_t more_cores) const {
  const std::uint32_t step = sockets_.group_steps()[sockets_.group_of(node)];
  if (states_.is_on(node)) return sockets_.node_watts_added(node, more_cores, order_, step);
  const double working = sockets_.node_watts_with(node, more_cores, order_, step);
  return std::max(working, states_.up_watts(node)) - states_.watts(node);
}

bool Platform::has_bandwidth() const {
  return std::all_of(spec().processors.begin(), spec().processors.end(),
                     [](const ProcessorType& type) { return type.bandwidth > 0.0; });
}

std::optional<CapTooLow> Platform::never_allowed(const Job& job, const Amount* amounts, const NodeSets& node_sets,
                                                 Time now, PowerSavings savings) const {
  const SwitchOff& rule = conditions_.switch_off;
  // What an earlier policy left asleep or slow stays so under another one, after a fork.
  const bool rests = states_.resting() > 0;
  const bool slowed =
      std::any_of(requested_steps_.begin(), requested_steps_.end(), [](std::uint32_t step) { return step > 0; });
  savings.slower = savings.slower || caps_.any_slow() || thermal_.exists() || slowed;
  savings.sleeping = savings.sleeping || rests || (rule.exists && rule.to == NodeState::sleeping);
  savings.off = savings.off || rests || (rule.exists && rule.to == NodeState::off);
  for (const PowerCap& cap : caps_.all()) {
    const double needed = least_power_.watts(cap, job, amounts, node_sets, savings);
    const double most = cap.watts.most_from(now);
    const double rounding = 1e-9 * needed;
    if (needed > most + PowerCaps::tolerance + rounding) return CapTooLow{cap.group, needed, most};
  }
  return std::nullopt;
}

/// By the first cap alone: the others are not asked before it, and each refusal is counted for one.
bool Platform::refuses_anywhere(const Job& job, const Amount* amounts, Time now) {
  // A node that wakes takes its power already.
  const auto takes_power = [](double watts) { return watts != 0.0; };
  if (states_.resting() > 0 || !waiting_.empty() || least_of_core_ <= 0.0 ||
      std::any_of(states_.group_watts().begin(), states_.group_watts().end(), takes_power)) {
    return false;
  }
  const PowerCap& cap = caps_.all().front();
  const double watts = cap.slow ? watts_under(cap, slowest(cap)) : cap.sum(group_watts_);
  const double least = watts + least_of_core_ * static_cast<double>(amounts[core_type_]) * job.tasks;
  const double most = cap.watts.at(now) + PowerCaps::tolerance;
  if (least <= most + 1e-9 * std::abs(most)) return false;  // room for rounding
  caps_.add_refusal(0);
  return true;
}

bool Platform::allows(const Job& job, const Amount* amounts, Time now) {
  for (std::size_t i = 0; i < caps_.all().size(); ++i) {
    const PowerCap& cap = caps_.all()[i];
    const std::uint32_t step = cap.slow ? slowest(cap) : 0;
    double watts = cap.slow ? watts_under(cap, step) : cap.sum(group_watts_);
    for (const NodeRun& run : job.placement) {
      for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
        const std::uint32_t group = sockets_.group_of(node);
        if (!cap.covers(group)) continue;
        const std::uint32_t at = cap.slow ? step : sockets_.group_steps()[group];
        const std::uint32_t more = cores(node, job, amounts, run.tasks);
        to_come_.push_back({node, sockets_.node_watts_added(node, more, order_, at)});
      }
    }
    watts += promised(cap, step);
    if (watts > cap.watts.at(now) + PowerCaps::tolerance) {
      caps_.add_refusal(i);
      return false;
    }
  }
  return true;
}

NodeReport Platform::report(std::uint32_t node, Time now) const {
  const Sockets::Account sockets = sockets_.account(node, now);
  const NodeStates::Account states = states_.account(node, now);
  const auto joules = [&](NodeState state) { return states.joules[static_cast<std::size_t>(state)]; };
  NodeReport report;
  report.energy = {sockets.job_joules, sockets.idle_joules, joules(NodeState::stopping) + joules(NodeState::booting),
                   joules(NodeState::sleeping), joules(NodeState::off)};
  report.core_seconds = sockets.core_seconds;
  report.seconds = states.seconds;
  return report;
}

Energy Platform::energy(Time now) const {
  Energy sum;
  for (std::uint32_t node = 0; node < sockets_.nodes(); ++node) sum.add(report(node, now).energy);
  return sum;
}

void Platform::archive(Archive& archive) {
  sockets_.archive(archive);
  states_.archive(archive);
  caps_.archive(archive);
  thermal_.archive(archive);
  archive(requested_steps_, waiting_, group_watts_, state_watts_, watts_, integrated_, joules_, cost_, carbon_,
          peak_watts_);
  if (!archive.reading()) return;
  const std::size_t groups = sockets_.spec().groups.size();
  if (requested_steps_.size() != sockets_.nodes() || group_watts_.size() != groups || state_watts_.size() != groups) {
    throw InputError("the saved state is of another machine");
  }
  for (const Slot slot : waiting_) Archive::require(sockets_.has(slot), "a job that waits for its nodes is not there");
}

}  // namespace schedlab
