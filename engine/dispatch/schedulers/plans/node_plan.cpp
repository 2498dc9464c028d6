#include "dispatch/schedulers/plans/node_plan.hpp"

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

/// How many tasks of the job have room on the node throughout [from, to), windows apart.
std::uint32_t NodePlan::room(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to) const {
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

/// When windows close each part of the machine to the job, in [from, to).
void NodePlan::find_closed_times(const Job& job, Time from, Time to) {
  closed_.resize(std::max<std::size_t>(1, windows_->parts().size()));
  for (auto& stretches : closed_) stretches.clear();
  windows_->closed_to(job, from, to, [&](const Window& window) {
    for (const NodeRange& range : windows_->parts_of(window)) {
      for (std::uint32_t part = range.first; part < range.first + range.count; ++part) {
        std::vector<Stretch>& stretches = closed_[part];
        if (!stretches.empty() && window.start <= stretches.back().to) {
          stretches.back().to = std::max(stretches.back().to, window.end);
        } else {
          stretches.push_back({window.start, window.end, 0});
        }
      }
    }
    return true;
  });
}

/// When the node has less than full room for the job by what is planned, in [from, to).
void NodePlan::find_scarce_times(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to) {
  scarce_.clear();
  const Steps& steps = nodes_[node];
  const auto after = std::upper_bound(steps.from.begin() + 1, steps.from.end(), from);
  for (auto step = static_cast<std::size_t>(after - steps.from.begin()) - 1; step < steps.from.size(); ++step) {
    if (step > 0 && steps.from[step] >= to) break;
    const Time end = step + 1 < steps.from.size() ? steps.from[step + 1] : never;
    const std::uint32_t room = machine_->room_in(steps.free.data() + step * types_, node, job, amounts);
    if (room < job.tasks) scarce_.push_back({step == 0 ? from : steps.from[step], end, room});
  }
}

/// How the room on the node for a job that starts at t changes with t in [from, to]. Each stretch counts for starts
/// that are before its end and more than the job's length before its begin.
void NodePlan::add_changes(std::uint32_t node, const Job& job, Time from, Time to) {
  const Time length = job.planned_length();
  struct Lane {
    const std::vector<Stretch>& stretches;
    std::size_t first = 0;  // those in [first, last) count for the start
    std::size_t last = 0;

    [[nodiscard]] Time next_gain() const { return first < stretches.size() ? stretches[first].to : never; }
    [[nodiscard]] Time next_loss(Time length) const {
      return last < stretches.size() ? stretches[last].from - length : never;
    }
    void advance(Time start, bool after, Time length) {  // to just after the start, or to it
      while (first < stretches.size() && stretches[first].to <= start) ++first;
      while (last < stretches.size() && (after ? next_loss(length) <= start : next_loss(length) < start)) ++last;
    }
    [[nodiscard]] std::uint32_t least(std::uint32_t room) const {
      for (std::size_t i = first; i < last; ++i) room = std::min(room, stretches[i].room);
      return room;
    }
  };
  Lane planned{scarce_};
  Lane windows{closed_[windows_->empty() ? 0 : windows_->part_of(node)]};
  Time time = from;
  bool after = false;
  const auto room_there = [&] {
    planned.advance(time, after, length);
    windows.advance(time, after, length);
    return windows.first < windows.last ? 0 : planned.least(job.tasks);
  };
  std::uint32_t room = room_there();
  changes_.push_back({from, false, room});
  while (true) {
    // Room is gained at the end of a stretch, and lost just after the last start that ends before one.
    const Time gain = std::min(planned.next_gain(), windows.next_gain());
    const Time loss = std::min(planned.next_loss(length), windows.next_loss(length));
    after = loss < gain;
    time = after ? loss : gain;
    if (time == never || time > to) return;
    const std::uint32_t there = room_there();
    if (there != room) changes_.push_back({time, after, static_cast<std::int64_t>(there) - room});
    room = there;
  }
}

/// When the plan changes for the last time, windows included.
Time NodePlan::last_change() const {
  Time last = windows_->empty() ? now_ : windows_->by_end(windows_->size() - 1).end;
  for (const Steps& steps : nodes_) last = std::max(last, steps.from.back());
  return last;
}

Time NodePlan::earliest_between(const Job& job, const Amount* amounts, Time from, Time to) {
  std::vector<Change>& changes = changes_;
  changes.clear();
  const Time end = later(later(to, job.planned_length()), 1);  // nothing from here on is met
  find_closed_times(job, from, end);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    find_scarce_times(node, job, amounts, from, end);
    add_changes(node, job, from, to);
  }
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

/// With windows, which may be many, it looks farther and farther ahead.
Time NodePlan::earliest(const Job& job, const Amount* amounts, Time from, Time latest) {
  if (windows_->empty()) return earliest_between(job, amounts, from, latest);
  from = std::max(from, first_open(*windows_, *machine_, job, amounts, now_, closed_parts_));
  const Time last = std::min(latest, last_change());
  for (Time ahead = std::max(job.planned_length(), 3600 * second); from <= latest; ahead = later(ahead, ahead)) {
    const Time to = later(from, ahead) < last ? later(from, ahead) : latest;
    const Time found = earliest_between(job, amounts, from, to);
    if (found != never || to == latest) return found;
    from = to;
  }
  return never;
}

void NodePlan::pin(const Job& job, const Amount* amounts, Time start, Placement& nodes) {
  nodes.clear();
  std::uint32_t left = job.tasks;
  const Time end = later(start, job.planned_length());
  closed_to_pinned_.look(*windows_, job, start, end);
  for (std::uint32_t node = 0; node < nodes_.size() && left > 0; ++node) {
    if (closed_to_pinned_.has(node)) continue;
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
  closed_nodes_.look(*windows_, job, now_, later(now_, job.planned_length()));
}

bool NodePlan::closed(std::uint32_t node) const {
  return closed_nodes_.has(node) || room(node, *job_, amounts_, now_, later(now_, job_->planned_length())) == 0;
}

std::uint32_t NodePlan::at_most(std::uint32_t node, std::uint32_t tasks) {
  if (closed_nodes_.has(node)) return 0;
  return std::min(tasks, room(node, *job_, amounts_, now_, later(now_, job_->planned_length())));
}

}  // namespace schedlab
