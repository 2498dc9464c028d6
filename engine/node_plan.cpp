#include "node_plan.hpp"

#include <algorithm>
#include <functional>

namespace schedlab {

void NodePlan::clear(const Machine& machine, Time now) {
  types_ = machine.types();
  now_ = now;
  nodes_.resize(machine.nodes());
  std::uint32_t node = 0;
  for (const NodeGroup& group : machine.spec().groups) {
    for (std::uint32_t i = 0; i < group.nodes; ++i, ++node) {
      nodes_[node].from.assign(1, now);
      nodes_[node].free = group.resources;
    }
  }
}

void NodePlan::check_saved(const Machine& machine) const {
  Archive::require(types_ == machine.types() && nodes_.size() == machine.nodes(), "a plan is of another machine");
  for (const Steps& steps : nodes_) {
    const bool ascends =
        std::adjacent_find(steps.from.begin(), steps.from.end(), std::greater_equal<>()) == steps.from.end();
    Archive::require(!steps.from.empty() && ascends, "steps of a plan do not ascend");
    Archive::require(steps.free.size() == steps.from.size() * types_, "steps of a plan are not whole");
  }
}

void NodePlan::advance(const Machine& machine, const Windows& windows, Time now) {
  machine_ = &machine;
  windows_ = &windows;
  now_ = now;
  for (Steps& steps : nodes_) {
    std::size_t passed = 0;
    while (passed + 1 < steps.from.size() && steps.from[passed + 1] <= now) ++passed;
    if (passed == 0) continue;
    steps.from.erase(steps.from.begin(), steps.from.begin() + static_cast<std::ptrdiff_t>(passed));
    steps.free.erase(steps.free.begin(), steps.free.begin() + static_cast<std::ptrdiff_t>(passed * types_));
  }
}

void NodePlan::add_running(const State& state) {
  advance(state.machine(), state.windows(), state.now());
  for (std::size_t block = 0; block < state.running().blocks(); ++block) {
    for (const RunningJob& entry : state.running().entries(block)) {
      const Job& job = state.jobs()[entry.slot];
      const Time end = std::max(entry.estimated_end, later(now_, second));
      take(job.placement, job, state.jobs().amounts(entry.slot), now_, end);
    }
  }
}

void NodePlan::change(const Placement& nodes, const Job& job, const Amount* amounts, Time from, Time to, int sign) {
  from = std::max(from, now_);
  if (from >= to) return;
  for (const NodeRun& run : nodes) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      Steps& steps = nodes_[node];
      const std::size_t first = cut(steps, from);
      const std::size_t last = to == never ? steps.from.size() : cut(steps, to);
      for (std::size_t step = first; step < last; ++step) {
        for (std::size_t type = 0; type < types_; ++type) {
          steps.free[step * types_ + type] += sign * machine_->taken(node, type, job, amounts, run.tasks);
        }
      }
      join(steps, last);
      join(steps, first);
    }
  }
}

/// Makes a step begin at `time`, which is not before the first, and returns which.
std::size_t NodePlan::cut(Steps& steps, Time time) const {
  const auto after = std::upper_bound(steps.from.begin() + 1, steps.from.end(), time);
  const auto step = static_cast<std::size_t>(after - steps.from.begin()) - 1;
  if (steps.from[step] >= time) return step;
  steps.from.insert(after, time);
  const auto values = steps.free.begin() + static_cast<std::ptrdiff_t>(step * types_);
  const std::vector<Amount> same(values, values + static_cast<std::ptrdiff_t>(types_));
  steps.free.insert(values + static_cast<std::ptrdiff_t>(types_), same.begin(), same.end());
  return step + 1;
}

/// Makes a step one with the step before it where both are equal.
void NodePlan::join(Steps& steps, std::size_t step) const {
  if (step == 0 || step >= steps.from.size()) return;
  const auto values = steps.free.begin() + static_cast<std::ptrdiff_t>(step * types_);
  const auto types = static_cast<std::ptrdiff_t>(types_);
  if (!std::equal(values, values + types, values - types)) return;
  steps.from.erase(steps.from.begin() + static_cast<std::ptrdiff_t>(step));
  steps.free.erase(values, values + types);
}

std::uint32_t NodePlan::room(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to) const {
  if (!windows_->empty() && !windows_->open(node, job, from, to)) return 0;
  const Steps& steps = nodes_[node];
  std::uint32_t room = job.tasks;
  for (std::size_t step = 0; step < steps.from.size() && room > 0; ++step) {
    if (step > 0 && steps.from[step] >= to) break;
    if (step + 1 < steps.from.size() && steps.from[step + 1] <= from) continue;
    room = std::min(room, machine_->room_in(steps.free.data() + step * types_, node, job, amounts));
  }
  return room;
}

bool NodePlan::room_at_all(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to) const {
  const Steps& steps = nodes_[node];
  for (std::size_t step = 0; step < steps.from.size(); ++step) {
    if (step > 0 && steps.from[step] >= to) break;
    if (step + 1 < steps.from.size() && steps.from[step + 1] <= from) continue;
    if (machine_->room_in(steps.free.data() + step * types_, node, job, amounts) > 0) return true;
  }
  return false;
}

/// How the room on the node for a job that starts at t changes with t, from now on.
void NodePlan::add_changes(std::uint32_t node, const Job& job, const Amount* amounts, Time latest) {
  // Each stretch with less than full room counts for starts in (from - length, to).
  const Time length = job.planned_length();
  stretches_.clear();
  const Steps& steps = nodes_[node];
  const Time horizon = later(latest, length);  // nothing from here on is met
  for (std::size_t step = 0; step < steps.from.size() && (step == 0 || steps.from[step] <= horizon); ++step) {
    const Time to = step + 1 < steps.from.size() ? steps.from[step + 1] : never;
    const std::uint32_t room =
        std::min(job.tasks, machine_->room_in(steps.free.data() + step * types_, node, job, amounts));
    if (room < job.tasks && to > now_) stretches_.push_back({step == 0 ? now_ : steps.from[step], to, room});
  }
  const auto steps_kept = static_cast<std::ptrdiff_t>(stretches_.size());
  if (!windows_->empty()) {
    windows_->closed_to(job, now_, never, [&](const Window& window) {
      if (window.has(node)) stretches_.push_back({std::max(now_, window.start), window.end, 0});
    });
    const auto earlier = [](const Stretch& a, const Stretch& b) { return a.from < b.from; };
    std::sort(stretches_.begin() + steps_kept, stretches_.end(), earlier);
    std::inplace_merge(stretches_.begin(), stretches_.begin() + steps_kept, stretches_.end(), earlier);
  }
  const auto room_at = [&](Time start, bool after) {  // just after, or at
    std::uint32_t room = job.tasks;
    const Time end = later(start, length);
    for (const Stretch& stretch : stretches_) {
      if (after ? stretch.from > end : stretch.from >= end) break;
      if (start < stretch.to) room = std::min(room, stretch.room);
    }
    return room;
  };
  std::uint32_t room = room_at(now_, false);
  changes_.push_back({now_, false, room});
  // Starts are tried in order: at each end of a stretch, where room may be gained, and just after the last start that
  // ends before a stretch, where it may be lost.
  Time time = now_;
  bool after = false;  // at `time` itself was tried
  while (true) {
    Time next = never;
    bool loses = false;
    for (const Stretch& stretch : stretches_) {
      if (stretch.to > time && stretch.to < next) {
        next = stretch.to;
        loses = false;
      }
      const Time loss = stretch.from - length;
      if ((loss > time || (loss == time && !after)) && loss >= now_ && loss < next) {
        next = loss;
        loses = true;
      }
    }
    if (next == never || next > latest) return;
    const std::uint32_t there = room_at(next, loses);
    if (there != room) changes_.push_back({next, loses, static_cast<std::int64_t>(there) - room});
    room = there;
    time = next;
    after = loses;
  }
}

Time NodePlan::earliest(const Job& job, const Amount* amounts, Time latest) {
  std::vector<Change>& changes = changes_;
  changes.clear();
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) add_changes(node, job, amounts, latest);
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.time != b.time ? a.time < b.time : a.loses < b.loses; });
  std::int64_t room = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    room += changes[i].room;
    const bool last_of_time =
        i + 1 == changes.size() || changes[i + 1].time != changes[i].time || changes[i + 1].loses != changes[i].loses;
    if (last_of_time && !changes[i].loses && room >= job.tasks) return changes[i].time;
  }
  return never;
}

void NodePlan::pin(const Job& job, const Amount* amounts, Time start, Placement& nodes) const {
  nodes.clear();
  std::uint32_t left = job.tasks;
  const Time end = later(start, job.planned_length());
  for (std::uint32_t node = 0; node < nodes_.size() && left > 0; ++node) {
    const std::uint32_t tasks = std::min(left, room(node, job, amounts, start, end));
    if (tasks == 0) continue;
    left -= tasks;
    if (!nodes.empty() && nodes.back().first + nodes.back().count == node && nodes.back().tasks == tasks) {
      ++nodes.back().count;
    } else {
      nodes.push_back({node, 1, tasks});
    }
  }
}

bool NodePlan::overfull(Time until) const {
  for (const Steps& steps : nodes_) {
    for (std::size_t step = 0; step < steps.from.size() && (step == 0 || steps.from[step] < until); ++step) {
      for (std::size_t type = 0; type < types_; ++type) {
        if (steps.free[step * types_ + type] < 0) return true;
      }
    }
  }
  return false;
}

void NodePlan::consider(const Job& job, const Amount* amounts) {
  job_ = &job;
  amounts_ = amounts;
}

bool NodePlan::closed(std::uint32_t node) const {
  return room(node, *job_, amounts_, now_, later(now_, job_->planned_length())) == 0;
}

std::uint32_t NodePlan::at_most(std::uint32_t node, std::uint32_t tasks) {
  return std::min(tasks, room(node, *job_, amounts_, now_, later(now_, job_->planned_length())));
}

}  // namespace schedlab
