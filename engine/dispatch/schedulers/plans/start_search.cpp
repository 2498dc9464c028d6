#include "dispatch/schedulers/plans/start_search.hpp"

#include <algorithm>
#include <bit>

namespace schedlab {

Time StartSearch::first(const Machine& machine, const Windows& windows, const AlikeNodes& nodes, const Job& job,
                        const Amount* amounts, Time from, Time latest) {
  machine_ = &machine;
  job_ = &job;
  amounts_ = amounts;
  length_ = job.planned_length();
  room_ = 0;
  runs_.clear();
  stretches_.clear();
  changes_.clear();
  tried_.clear();
  if (from > latest || from == never) return never;
  const bool any_windows = !windows.empty();
  part_rooms_.assign(any_windows ? windows.parts().size() : 1, 0);
  const auto flipped = [&](std::uint32_t part) {
    room_ += closed_parts_.closed(part) ? -part_rooms_[part] : part_rooms_[part];
  };
  if (any_windows) closed_parts_.begin(windows, job, from, flipped);
  const auto is_closed = [&](std::uint32_t part) { return any_windows && closed_parts_.closed(part); };
  const auto count = [&](Run& run) {
    const std::int64_t more = (static_cast<std::int64_t>(run.room) - run.counted) * run.count;
    run.counted = run.room;
    part_rooms_[run.part] += more;
    if (!is_closed(run.part)) room_ += more;
  };

  std::uint32_t first_of_group = 0;
  for (const NodeGroup& group : machine.spec().groups) {
    const std::uint32_t end_of_group = first_of_group + group.nodes;
    for (std::uint32_t node = first_of_group; node < end_of_group; node = nodes.end(node)) {
      // Of a run, only the nodes that the job may be on count; one of them stands for all.
      const std::uint32_t count_of_run = machine.node_sets().among(job.node_set, node, nodes.end(node) - node);
      if (count_of_run == 0) continue;
      std::uint32_t one = node;
      while (!machine.node_sets().has(job.node_set, one)) ++one;
      if (machine.room_in(group.resources.data(), one, job, amounts) == 0) break;
      const AlikeNodes::Steps& steps = nodes.steps(node);
      const auto step = static_cast<std::uint32_t>(steps.at(from));
      const std::uint32_t part = any_windows ? windows.part_of(node) : 0;
      runs_.push_back({.steps = &steps,
                       .stretches = stretches_.size(),
                       .node = one,
                       .count = count_of_run,
                       .part = part,
                       .step = step});
      stretches_.resize(stretches_.size() + steps.size() - step);
      Run& run = runs_.back();
      move(run, from);
      count(run);
      if (room_ >= job.tasks) return from;
    }
    first_of_group = end_of_group;
  }
  note_tried(from);
  const auto plan_change = [&](std::uint32_t index) {
    const Time next = next_change(runs_[index]);
    if (next <= latest && next != never) {
      changes_.push_back({next, index});
      std::push_heap(changes_.begin(), changes_.end());
    }
  };
  for (std::uint32_t index = 0; index < runs_.size(); ++index) plan_change(index);
  while (true) {
    Time time = changes_.empty() ? never : changes_.front().time;
    if (any_windows) time = std::min(time, closed_parts_.next_end());
    if (time > latest || time == never) return never;
    while (!changes_.empty() && changes_.front().time == time) {
      const std::uint32_t index = changes_.front().run;
      std::pop_heap(changes_.begin(), changes_.end());
      changes_.pop_back();
      count(runs_[index]);
      plan_change(index);
    }
    if (any_windows) closed_parts_.advance(time, flipped);
    if (room_ >= job.tasks) return time;
    note_tried(time);
  }
}

/// There is one for each number of bits of the number of tasks that lack room: a few cover all times, and they are
/// closest where little is missing.
void StartSearch::note_tried(Time time) {
  constexpr std::size_t most_bounds = 32;
  const auto missing = [&](std::int64_t room) {
    return std::bit_width(static_cast<std::uint64_t>(job_->tasks - room));
  };
  if (tried_.empty() || (missing(tried_.back().room) != missing(room_) && tried_.size() < most_bounds)) {
    tried_.push_back({time, room_});
  } else {
    tried_.back().room = std::max(tried_.back().room, room_);
  }
}

/// Whether there is such a stretch. They are found one after the other, as far as they are asked for.
bool StartSearch::knows(Run& run, std::uint32_t stretch) {
  Stretch* stretches = stretches_.data() + run.stretches;
  const AlikeNodes::Steps& steps = *run.steps;
  for (; run.known <= stretch && run.step < steps.size(); ++run.step) {
    const Amount* free = steps.free.data() + run.step * machine_->types();
    const std::uint32_t room = std::min(job_->tasks, machine_->room_in(free, run.node, *job_, amounts_));
    if (run.known > 0 && stretches[run.known - 1].room == room) continue;
    stretches[run.known++] = {steps.from[run.step], room};
  }
  return run.known > stretch;
}

/// To a start at a time, not before that of the last move.
void StartSearch::move(Run& run, Time start) {
  const Stretch* stretches = stretches_.data() + run.stretches;
  bool left_least = run.first == run.last;  // nothing was met so far
  while (knows(run, run.first + 1) && stretches[run.first + 1].from <= start) {
    left_least = left_least || stretches[run.first].room == run.room;
    ++run.first;
  }
  const Time end = later(start, length_);
  for (; knows(run, run.last) && (run.last == run.first || stretches[run.last].from < end); ++run.last) {
    run.room = std::min(run.room, stretches[run.last].room);
  }
  if (!left_least) return;
  run.room = stretches[run.first].room;
  for (std::uint32_t i = run.first + 1; i < run.last; ++i) run.room = std::min(run.room, stretches[i].room);
}

/// Moves the run to the next time at which its room is another; `never` if there is none.
Time StartSearch::next_change(Run& run) {
  const Stretch* stretches = stretches_.data() + run.stretches;
  while (true) {
    const Time left = knows(run, run.first + 1) ? stretches[run.first + 1].from : never;
    const Time met = knows(run, run.last) ? stretches[run.last].from - length_ + 1 : never;
    const Time time = std::min(left, met);
    if (time == never) return never;
    move(run, time);
    if (run.room != run.counted) return time;
  }
}

}  // namespace schedlab
