#include "dispatch/schedulers/plans/head_reservation.hpp"

#include <algorithm>
#include <limits>

namespace schedlab {

void HeadReservation::attach(const State& state, Slot head) {
  machine_ = &state.machine();
  windows_ = &state.windows();
  const Job& job = state.jobs()[head];
  head_ = job.choices == 0 ? &job : &head_in_set_;
  head_amounts_ = state.jobs().amounts(head);
}

/// Of several sets, the one in which the job can start first, or the first of those.
void HeadReservation::make(const State& state, Slot head) {
  attach(state, head);
  const Job& job = state.jobs()[head];
  if (job.choices == 0) {
    make_in_set(state);
    return;
  }
  head_in_set_ = job;
  const std::vector<std::uint32_t>& sets = machine_->node_sets().choices(job.choices);
  Time earliest = never;
  std::uint32_t best = sets.front();
  for (const std::uint32_t set : sets) {
    NodeSets::put(head_in_set_, set);
    make_in_set(state);
    if (start_ >= earliest) continue;
    earliest = start_;
    best = set;
  }
  if (best == sets.back()) return;
  NodeSets::put(head_in_set_, best);
  make_in_set(state);
}

void HeadReservation::make_in_set(const State& state) {
  ++generation_;
  nodes_.clear();
  counting_ = false;
  room_ = 0;
  start_ = never;
  if (seen_.size() != machine_->nodes()) {
    seen_.assign(machine_->nodes(), 0);
    rooms_.resize(machine_->nodes());
    free_.resize(machine_->nodes() * machine_->types());
    scratch_.resize(machine_->types());
  }
  totals_.resize(machine_->types());
  for (std::size_t type = 0; type < totals_.size(); ++type) totals_[type] = machine_->free(type);
  const Licenses& licenses = machine_->licenses();
  licenses_.resize(licenses.kinds());
  for (std::size_t kind = 0; kind < licenses_.size(); ++kind) licenses_[kind] = licenses.free(kind);
  if (windows_->empty()) {
    find_start(state);
  } else {
    find_start_between_windows(state);
  }
  slack_ = room_ - head_->tasks;
  licenses.add(licenses_.data(), head_->licenses, -1);
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
      if (start_ == never && counting_ && room_ >= head_->tasks && licenses_suffice())
        start_ = std::max(entry.estimated_end, soonest);
    }
  }
}

/// With windows room may also be lost again, so each time at which something ends is tried.
void HeadReservation::find_start_between_windows(const State& state) {
  const Time soonest = later(state.now(), second);
  Time time = std::max(soonest, first_open(*windows_, *machine_, *head_, head_amounts_, state.now(), closed_parts_));
  count_rooms();
  between_windows_ = true;
  closed_room_ = 0;
  part_rooms_.assign(windows_->parts().size(), -1);
  closed_parts_.begin(*windows_, *head_, time, [&](std::uint32_t part) { flip(part); });
  const RunningJobs& running = state.running();
  RunningJobs::Position next{0, 0};
  const auto next_job_end = [&] { return next.block < running.blocks() ? running.at(next).estimated_end : never; };
  while (time != never) {
    while (next_job_end() <= time) {
      const Slot slot = running.at(next).slot;
      release(state.jobs()[slot], state.jobs().amounts(slot));
      if (++next.index == running.entries(next.block).size()) next = {next.block + 1, 0};
    }
    closed_parts_.advance(time, [&](std::uint32_t part) { flip(part); });
    if (room_ - closed_room_ >= head_->tasks && licenses_suffice()) {
      start_ = time;
      close_parts();
      break;
    }
    time = std::min(next_job_end(), closed_parts_.next_end());
  }
  between_windows_ = false;
}

/// A part closed or opened: its room is out of what the head could have, or in it again.
void HeadReservation::flip(std::uint32_t part) {
  closed_room_ += closed_parts_.closed(part) ? room_of_part(part) : -room_of_part(part);
}

std::int64_t HeadReservation::room_of_part(std::uint32_t part) {
  std::int64_t& room = part_rooms_[part];
  if (room >= 0) return room;
  room = 0;
  const Rooms now = machine_->rooms(*head_, head_amounts_);
  const NodeRange& nodes = windows_->parts()[part];
  for (std::uint32_t node = nodes.first; node < nodes.first + nodes.count; ++node) {
    room += seen_[node] == generation_ ? rooms_[node] : now.on[node];
  }
  return room;
}

/// The rooms of nodes that are closed at the start stay out of the sum.
void HeadReservation::close_parts() {
  room_ -= closed_room_;
  for (std::uint32_t part = 0; part < part_rooms_.size(); ++part) {
    if (!closed_parts_.closed(part)) continue;
    const NodeRange& nodes = windows_->parts()[part];
    for (std::uint32_t node = nodes.first; node < nodes.first + nodes.count; ++node) {
      look_at(node);
      rooms_[node] = 0;
    }
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
  machine_->licenses().add(licenses_.data(), job.licenses, 1);
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
      const std::int64_t gain = static_cast<std::int64_t>(room) - rooms_[node];
      rooms_[node] = room;
      room_ += gain;
      if (!between_windows_ || gain == 0) continue;
      const std::uint32_t part = windows_->part_of(node);
      if (part_rooms_[part] >= 0) part_rooms_[part] += gain;
      if (closed_parts_.closed(part)) closed_room_ += gain;
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

bool HeadReservation::licenses_suffice() const {
  return machine_->licenses().suffice(licenses_.data(), head_->licenses);
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

NodeLimit* HeadReservation::consider(const State& state, Slot candidate) {
  job_ = &state.jobs()[candidate];
  amounts_ = state.jobs().amounts(candidate);
  closed_nodes_.look(*windows_, *job_, state.now(), later(state.now(), job_->planned_length()));
  takes_licenses_ = start_ != never && !machine_->licenses().suffice(licenses_.data(), job_->licenses);
  return this;
}

void HeadReservation::begin() {
  slack_left_ = slack_;
  taken_.clear();
}

bool HeadReservation::closed(std::uint32_t node) const { return takes_licenses_ || closed_nodes_.has(node); }

/// The head's room on the node then, with N tasks of the job there.
std::uint32_t HeadReservation::room_with(std::uint32_t node, std::uint32_t tasks) {
  for (std::size_t type = 0; type < scratch_.size(); ++type) {
    scratch_[type] = free_on(node)[type] - machine_->taken(node, type, *job_, amounts_, tasks);
  }
  return machine_->room_in(scratch_.data(), node, *head_, head_amounts_);
}

std::uint32_t HeadReservation::at_most(std::uint32_t node, std::uint32_t tasks) {
  if (closed(node)) return 0;
  if (start_ == never) return tasks;
  look_at(node);
  if (rooms_[node] <= slack_left_ || std::int64_t{rooms_[node]} - room_with(node, tasks) <= slack_left_) return tasks;
  if (job_->whole_nodes || head_->whole_nodes) return 0;  // the first task costs as much as all of them
  const Amount kept = rooms_[node] - slack_left_;         // of the head's tasks, that must have room
  Amount allowed = tasks;
  for (std::size_t type = 0; type < scratch_.size(); ++type) {
    if (amounts_[type] == 0 || head_amounts_[type] == 0) continue;
    allowed = std::min(allowed, times_in(free_on(node)[type] - kept * head_amounts_[type], amounts_[type]));
  }
  return static_cast<std::uint32_t>(allowed);
}

void HeadReservation::take(std::uint32_t node, std::uint32_t tasks) {
  if (start_ == never) return;
  taken_.push_back({node, tasks});
  if (rooms_[node] > 0) slack_left_ -= std::int64_t{rooms_[node]} - room_with(node, tasks);
}

void HeadReservation::keep() {
  for (const auto& [node, tasks] : taken_) {
    for (std::size_t type = 0; type < scratch_.size(); ++type) {
      free_on(node)[type] -= machine_->taken(node, type, *job_, amounts_, tasks);
    }
    if (rooms_[node] > 0) rooms_[node] = head_room(node);  // a closed node stays at 0
  }
  machine_->licenses().add(licenses_.data(), job_->licenses, -1);
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
      rooms_[node] = head_room(node);  // nodes that are closed at start() were all looked at
    }
  }
}

}  // namespace schedlab
