#include "head_reservation.hpp"

#include <algorithm>
#include <limits>

namespace schedlab {

void HeadReservation::attach(const State& state, Slot head) {
  machine_ = &state.machine();
  windows_ = &state.windows();
  head_ = &state.jobs()[head];
  head_amounts_ = state.jobs().amounts(head);
}

void HeadReservation::make(const State& state, Slot head) {
  attach(state, head);
  ++generation_;
  nodes_.clear();
  counting_ = false;
  room_ = 0;
  start_ = never;
  if (seen_.size() != machine_->nodes()) {
    seen_.assign(machine_->nodes(), 0);
    closed_.assign(machine_->nodes(), 0);
    rooms_.resize(machine_->nodes());
    free_.resize(machine_->nodes() * machine_->types());
    scratch_.resize(machine_->types());
  }
  totals_.resize(machine_->types());
  for (std::size_t type = 0; type < totals_.size(); ++type) totals_[type] = machine_->free(type);
  if (windows_->empty()) {
    find_start(state);
  } else {
    find_start_between_windows(state);
  }
  slack_ = room_ - head_->tasks;
  spare_processors_ = std::numeric_limits<std::int64_t>::max();
  if (start_ != never) count_spare_processors();
}

/// One walk through the running jobs by expected end; everything given back by the start counts.
void HeadReservation::find_start(const State& state) {
  const Time soonest = later(state.now(), second);
  const RunningJobs& running = state.running();
  for (std::size_t block = 0; block < running.blocks(); ++block) {
    for (const RunningJob& entry : running.entries(block)) {
      if (start_ != never && entry.estimated_end > start_) return;
      release(state.jobs()[entry.slot], state.jobs().amounts(entry.slot));
      if (!counting_ && totals_suffice()) count_rooms();
      if (start_ == never && counting_ && room_ >= head_->tasks) start_ = std::max(entry.estimated_end, soonest);
    }
  }
}

/// With windows room may also be lost again, so each time at which something ends is tried.
void HeadReservation::find_start_between_windows(const State& state) {
  const Time soonest = later(state.now(), second);
  const Time length = head_->planned_length();
  std::vector<Time> times = {soonest};
  std::vector<RunningJob> ends;
  for (std::size_t block = 0; block < state.running().blocks(); ++block) {
    for (const RunningJob& entry : state.running().entries(block)) {
      ends.push_back(entry);
      times.push_back(std::max(entry.estimated_end, soonest));
    }
  }
  windows_->closed_to(*head_, state.now(), never,
                      [&](const Window& window) { times.push_back(std::max(window.end, soonest)); });
  std::sort(times.begin(), times.end());
  count_rooms();
  std::size_t ended = 0;
  for (const Time time : times) {
    if (time == never) break;
    for (; ended < ends.size() && ends[ended].estimated_end <= time; ++ended) {
      release(state.jobs()[ends[ended].slot], state.jobs().amounts(ends[ended].slot));
    }
    // The rooms of closed nodes stay out of the sum for this time.
    std::int64_t closed_room = 0;
    ++closing_round_;
    windows_->closed_to(*head_, time, later(time, length), [&](const Window& window) {
      for (const NodeRange& range : window.nodes) {
        for (std::uint32_t node = range.first; node < range.first + range.count; ++node) {
          if (closed_[node] == closing_round_) continue;
          closed_[node] = closing_round_;
          look_at(node);
          closed_room += rooms_[node];
        }
      }
    });
    if (room_ - closed_room < head_->tasks) continue;
    room_ -= closed_room;
    start_ = time;
    for (const std::uint32_t node : nodes_) {
      if (closed_[node] == closing_round_) rooms_[node] = 0;
    }
    return;
  }
}

/// Takes over the node as it is now.
void HeadReservation::look_at(std::uint32_t node) {
  if (seen_[node] == generation_) return;
  seen_[node] = generation_;
  nodes_.push_back(node);
  Amount* free = free_on(node);
  for (std::size_t type = 0; type < machine_->types(); ++type) free[type] = machine_->free(node, type);
  if (counting_) rooms_[node] = head_room(node);
}

std::uint32_t HeadReservation::head_room(std::uint32_t node) {
  return machine_->room_in(free_on(node), node, *head_, head_amounts_);
}

void HeadReservation::release(const Job& job, const Amount* amounts) {
  const std::size_t types = machine_->types();
  for (const NodeRun& run : job.placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      look_at(node);
      Amount* free = free_on(node);
      for (std::size_t type = 0; type < types; ++type) {
        const Amount amount = machine_->taken(node, type, job, amounts, run.tasks);
        free[type] += amount;
        totals_[type] += amount;
      }
      if (!counting_) continue;
      const std::uint32_t room = head_room(node);
      room_ += static_cast<std::int64_t>(room) - rooms_[node];
      rooms_[node] = room;
    }
  }
}

/// Cheaper than the rooms of nodes, and most running jobs are released before it is so.
bool HeadReservation::totals_suffice() const {
  for (std::size_t type = 0; type < totals_.size(); ++type) {
    if (totals_[type] < head_amounts_[type] * head_->tasks) return false;
  }
  return true;
}

void HeadReservation::count_rooms() {
  counting_ = true;
  const Rooms now = machine_->rooms(*head_, head_amounts_);
  room_ = now.total;
  for (const std::uint32_t node : nodes_) {
    rooms_[node] = head_room(node);
    room_ += static_cast<std::int64_t>(rooms_[node]) - now.on[node];
  }
}

void HeadReservation::count_spare_processors() {
  const std::vector<Amount>& processor = machine_->spec().processor;
  spare_processors_ = machine_->free_processors() - head_->processors;
  for (const std::uint32_t node : nodes_) {
    const Amount* free = free_on(node);
    spare_processors_ += room_for(processor.data(), processor.size(), 0, [&](std::size_t type) { return free[type]; });
    spare_processors_ -= machine_->plain_room(node);
  }
}

void HeadReservation::consider(const State& state, Slot candidate) {
  job_ = &state.jobs()[candidate];
  amounts_ = state.jobs().amounts(candidate);
  from_ = state.now();
}

void HeadReservation::begin() {
  slack_left_ = slack_;
  taken_.clear();
}

bool HeadReservation::closed(std::uint32_t node) const {
  return !windows_->empty() && !windows_->open(node, *job_, from_, later(from_, job_->planned_length()));
}

std::uint32_t HeadReservation::at_most(std::uint32_t node, std::uint32_t tasks) {
  if (closed(node)) return 0;
  if (start_ == never) return tasks;
  look_at(node);
  if (rooms_[node] == 0) return tasks;
  const auto loss = [&](std::uint32_t put) {
    for (std::size_t type = 0; type < scratch_.size(); ++type) {
      scratch_[type] = free_on(node)[type] - machine_->taken(node, type, *job_, amounts_, put);
    }
    return static_cast<std::int64_t>(rooms_[node]) - machine_->room_in(scratch_.data(), node, *head_, head_amounts_);
  };
  if (loss(tasks) <= slack_left_) return tasks;
  std::uint32_t allowed = 0;
  for (std::uint32_t refused = tasks; refused - allowed > 1;) {
    const std::uint32_t middle = allowed + (refused - allowed) / 2;
    (loss(middle) <= slack_left_ ? allowed : refused) = middle;
  }
  return allowed;
}

void HeadReservation::take(std::uint32_t node, std::uint32_t tasks) {
  if (start_ == never) return;
  taken_.push_back({node, tasks});
  if (rooms_[node] == 0) return;
  for (std::size_t type = 0; type < scratch_.size(); ++type) {
    scratch_[type] = free_on(node)[type] - machine_->taken(node, type, *job_, amounts_, tasks);
  }
  slack_left_ -=
      static_cast<std::int64_t>(rooms_[node]) - machine_->room_in(scratch_.data(), node, *head_, head_amounts_);
}

void HeadReservation::keep() {
  for (const auto& [node, tasks] : taken_) {
    for (std::size_t type = 0; type < scratch_.size(); ++type) {
      free_on(node)[type] -= machine_->taken(node, type, *job_, amounts_, tasks);
    }
    if (rooms_[node] > 0) rooms_[node] = head_room(node);  // a closed node stays at 0
  }
  slack_ = slack_left_;
  spare_processors_ -= job_->processors;
}

void HeadReservation::gives_back(const State& state, Slot started) {
  if (start_ == never) return;
  const Job& job = state.jobs()[started];
  const Amount* amounts = state.jobs().amounts(started);
  for (const NodeRun& run : job.placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      if (seen_[node] == generation_) continue;
      // It is looked at with the job on it, and what that gives back is added.
      seen_[node] = generation_;
      nodes_.push_back(node);
      for (std::size_t type = 0; type < machine_->types(); ++type) {
        free_on(node)[type] = machine_->free(node, type) + machine_->taken(node, type, job, amounts, run.tasks);
      }
      const bool closed = !windows_->empty() && closed_[node] == closing_round_;
      rooms_[node] = closed ? 0 : head_room(node);
    }
  }
}

}  // namespace schedlab
