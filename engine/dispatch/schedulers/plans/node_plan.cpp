#include "dispatch/schedulers/plans/node_plan.hpp"

#include <algorithm>

namespace schedlab {

void NodePlan::clear(const State& state) {
  nodes_.clear(state.machine(), state.windows(), state.now());
  std::vector<Amount> licenses;
  for (const License& license : state.machine().licenses().all()) licenses.push_back(license.amount);
  licenses_.clear(licenses, state.now());
  advance(state);
}

void NodePlan::advance(const State& state) {
  machine_ = &state.machine();
  windows_ = &state.windows();
  now_ = state.now();
  nodes_.restore(*machine_, *windows_);
  nodes_.advance(now_);
  licenses_.restore_one();
  licenses_.advance(now_);
}

void NodePlan::add_running(const State& state) {
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
  if (job.licenses != Licenses::none) {
    const Amount* taken = machine_->licenses().amounts(job.licenses);
    licenses_.add(0, 1, from, to, [&](std::uint32_t, std::size_t kind) { return sign * taken[kind]; });
  }
  for (const NodeRun& run : nodes) {
    nodes_.add(run.first, run.count, from, to, [&](std::uint32_t node, std::size_t type) {
      return sign * machine_->taken(node, type, job, amounts, run.tasks);
    });
  }
}

/// How many tasks of the job have room on the node throughout [from, to), windows apart.
std::uint32_t NodePlan::room(std::uint32_t node, const Job& job, const Amount* amounts, Time from, Time to) const {
  const std::uint32_t run = nodes_.run_of(node);
  const AlikeNodes::Steps& steps = nodes_.steps(run);
  std::uint32_t room = job.tasks;
  const std::size_t first = steps.at(from);
  for (std::size_t step = first; step < steps.size() && room > 0; ++step) {
    if (step > first && steps.from[step] >= to) break;
    room = std::min(room, machine_->room_in(nodes_.free(run, step), node, job, amounts));
  }
  return room;
}

void NodePlan::add_use(const NodeRange& nodes, const Job& job, const Amount* amounts, Time from, Time latest,
                       Use& use) const {
  const Time length = job.planned_length();
  const std::uint32_t end_of_nodes = nodes.first + nodes.count;
  for (std::uint32_t run = nodes_.run_of(nodes.first); run < end_of_nodes; run = nodes_.end(run)) {
    const AlikeNodes::Steps& steps = nodes_.steps(run);
    std::uint32_t one = std::max(run, nodes.first);
    const std::uint32_t count =
        machine_->node_sets().among(job.node_set, one, std::min(nodes_.end(run), end_of_nodes) - one);
    if (count == 0) continue;
    while (!machine_->node_sets().has(job.node_set, one)) ++one;
    Time start = from;  // with room so far
    Time first = never;
    Time last = 0;
    std::uint32_t most = 0;
    for (std::size_t step = steps.at(from); start <= latest; ++step) {
      const Time end = step + 1 < steps.size() ? steps.from[step + 1] : never;
      const std::uint32_t room = machine_->room_in(nodes_.free(run, step), one, job, amounts);
      if (room == 0) {
        start = end;
      } else {
        if (first == never && end >= later(start, length)) first = start;
        if (last < latest) most = std::max(most, room);
        last = std::min(latest, end - 1);
      }
      if (end > latest && first != never) break;
    }
    if (first == never) continue;
    use.first = std::min(use.first, first);
    use.last = std::max(use.last, last);
    use.tasks += std::int64_t{std::min(most, job.tasks)} * count;
  }
}

bool NodePlan::holds(const NodeRun& nodes, const Job& job, const Amount* amounts, Time start) const {
  const Time end = later(start, job.planned_length());
  for (std::uint32_t run = nodes_.run_of(nodes.first); run < nodes.first + nodes.count; run = nodes_.end(run)) {
    if (room(std::max(run, nodes.first), job, amounts, start, end) < nodes.tasks) return false;
  }
  return true;
}

/// Likewise over all of the job's sets; it is then in the first of those with that time.
Time NodePlan::earliest_choice(const Job& job, const Amount* amounts, Time from, Time latest) {
  const std::vector<std::uint32_t>& sets = machine_->node_sets().choices(job.choices);
  Time best = never;
  std::uint32_t chosen = sets.front();
  for (const std::uint32_t set : sets) {
    NodeSets::put(job, set);
    const Time start = earliest_in_set(job, amounts, from, latest);
    if (start >= best) continue;
    best = start;
    chosen = set;
    if (best == from) break;
    latest = best - 1;
  }
  NodeSets::put(job, chosen);
  return best;
}

Time NodePlan::earliest_in_set(const Job& job, const Amount* amounts, Time from, Time latest) {
  if (!windows_->empty()) {
    from = std::max(from, first_open(*windows_, *machine_, job, amounts, now_, closed_parts_));
  }
  if (job.licenses == Licenses::none) return search_.first(*machine_, *windows_, nodes_, job, amounts, from, latest);
  // Whichever of the two comes later says from when on to look for the other.
  while (true) {
    from = first_licensed(job, from, latest);
    if (from == never) return never;
    from = search_.first(*machine_, *windows_, nodes_, job, amounts, from, latest);
    if (from == never || licensed(job, from)) return from;
  }
}

/// The first time in [from, latest] from which on the job's licenses are free as long as it is planned for; `never` if
/// there is none.
Time NodePlan::first_licensed(const Job& job, Time from, Time latest) const {
  const Licenses& licenses = machine_->licenses();
  const AlikeNodes::Steps& steps = licenses_.steps(0);
  Time start = from;  // free so far
  for (std::size_t step = steps.at(from); start <= latest && start != never; ++step) {
    const Time end = step + 1 < steps.size() ? steps.from[step + 1] : never;
    if (!licenses.suffice(licenses_.free(0, step), job.licenses)) {
      start = end;
    } else if (end >= later(start, job.planned_length())) {
      return start;
    }
  }
  return never;
}

void NodePlan::pin_in_set(const Job& job, const Amount* amounts, Time start, Placement& nodes) {
  nodes.clear();
  std::uint32_t left = job.tasks;
  const Time end = later(start, job.planned_length());
  closed_to_pinned_.look(*windows_, job, start, end);
  const auto put = [&](std::uint32_t first, std::uint32_t count, std::uint32_t tasks) {
    left -= count * tasks;
    if (!nodes.empty() && nodes.back().first + nodes.back().count == first && nodes.back().tasks == tasks) {
      nodes.back().count += count;
    } else {
      nodes.push_back({first, count, tasks});
    }
  };
  const NodeSets& sets = machine_->node_sets();
  for (std::uint32_t run = 0; run < nodes_.nodes() && left > 0; run = nodes_.end(run)) {
    if (closed_to_pinned_.has(run)) continue;
    const std::uint32_t end_of_run = nodes_.end(run);
    for (std::uint32_t node = run; node < end_of_run && left > 0;) {
      if (!sets.has(job.node_set, node)) {
        ++node;
        continue;
      }
      const std::uint32_t tasks = room(node, job, amounts, start, end);
      if (tasks == 0) break;
      std::uint32_t nodes_of_set = 1;
      while (node + nodes_of_set < end_of_run && sets.has(job.node_set, node + nodes_of_set)) ++nodes_of_set;
      const std::uint32_t full = std::min(nodes_of_set, left / tasks);
      if (full > 0) put(node, full, tasks);
      if (full < nodes_of_set && left > 0) put(node + full, 1, left);
      node += nodes_of_set;
    }
  }
}

bool NodePlan::overfull(Time until) const { return nodes_.overfull(now_, until) || licenses_.overfull(now_, until); }

void NodePlan::consider(const Job& job, const Amount* amounts) {
  job_ = &job;
  amounts_ = amounts;
  licensed_ = licensed(job, now_);
  closed_nodes_.look(*windows_, job, now_, later(now_, job.planned_length()));
}

bool NodePlan::closed(std::uint32_t node) const {
  return !licensed_ || closed_nodes_.has(node) ||
         room(node, *job_, amounts_, now_, later(now_, job_->planned_length())) == 0;
}

std::uint32_t NodePlan::at_most(std::uint32_t node, std::uint32_t tasks) {
  if (!licensed_ || closed_nodes_.has(node)) return 0;
  return std::min(tasks, room(node, *job_, amounts_, now_, later(now_, job_->planned_length())));
}

}  // namespace schedlab
