// How jobs start and end.
#include "simulation/job_life.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "simulation/open_nodes.hpp"

namespace schedlab {

bool JobLife::try_start(WaitingQueue::Position& where, NodeLimit* limit) {
  const Slot slot = queue_.at(where).slot;
  Job& job = jobs_[slot];
  if (job.choices != 0) return try_start_in_any(slot, where, limit);
  PlacementRequest request{*this, machine_, slot, job, jobs_.amounts(slot), limit};
  if (job.application != 0) {
    request.taken = &executions_.applications()->nodes_in_order();
    request.taken->clear();
  }
  if (options_.windows.empty()) {
    if (power_capped() && limit == nullptr && power_refuses_anywhere(slot)) return false;
    if (!allocator_->place(request, job.placement)) return false;
  } else if (!place_between_windows(request, job.placement)) {
    return false;
  }
  if (start_within_power(where)) return true;
  if (limit == nullptr && options_.windows.empty()) remember_refused(slot);
  return false;
}

/// Where a cap is certain to refuse the job, no nodes are chosen for it.
[[gnu::noinline]] bool JobLife::power_refuses_anywhere(Slot slot) {
  const Job& job = jobs_[slot];
  Platform& platform = *executions_.platform();
  if (is_placed_by_size(job) && platform.refuses_again(job)) return true;
  return allocator_->is_function() && machine_.has_room(job, jobs_.amounts(slot)) &&
         platform.refuses_anywhere(job, jobs_.amounts(slot), now_);
}

/// A cap refused the job on the nodes that the allocator chose.
[[gnu::noinline, gnu::cold]] void JobLife::remember_refused(Slot slot) {
  if (is_placed_by_size(jobs_[slot])) executions_.platform()->remember_refused(jobs_[slot]);
}

/// Jobs that windows leave no room for are not tried again before these do, unless the allocator may mind.
[[gnu::noinline]] bool JobLife::place_between_windows(PlacementRequest request, Placement& placement) {
  const Job& job = request.job;
  if (now_ < job.not_before && allocator_->refusals_last()) return false;
  if (request.limit != nullptr) return allocator_->place(request, placement);
  OpenNodes open(closed_nodes_, options_.windows, job, now_);
  request.limit = &open;
  if (allocator_->place(request, placement)) return true;
  if (closed_nodes_.any()) first_open(options_.windows, machine_, job, request.amounts, now_, closed_parts_);
  return false;
}

/// In the first of its sets of nodes in which it can start: in each, as if it had no other.
[[gnu::noinline]] bool JobLife::try_start_in_any(Slot slot, WaitingQueue::Position& where, NodeLimit* limit) {
  Job& job = jobs_[slot];
  const std::uint16_t choices = std::exchange(job.choices, std::uint16_t{0});
  for (const std::uint32_t set : machine_.node_sets().choices(choices)) {
    NodeSets::put(job, set);
    if (!try_start(where, limit)) continue;
    jobs_[slot].choices = choices;
    return true;
  }
  job.choices = choices;
  machine_.node_sets().put_into_first(job);
  return false;
}

bool JobLife::would_start(Slot slot, NodeLimit* limit) {
  return machine_.node_sets().any(jobs_[slot], [&] { return would_start_in_set(slot, limit); });
}

bool JobLife::would_start_in_set(Slot slot, NodeLimit* limit) {
  const Job& job = jobs_[slot];
  const PlacementRequest request{*this, machine_, slot, job, jobs_.amounts(slot), limit};
  if (limit != nullptr || options_.windows.empty()) return allocator_->would_place(request);
  OpenNodes open(closed_nodes_, options_.windows, job, now_);
  return allocator_->would_place({*this, machine_, slot, job, jobs_.amounts(slot), &open});
}

bool JobLife::start_on(WaitingQueue::Position& where, const Placement& nodes) {
  Job& job = jobs_[queue_.at(where).slot];
  job.placement = nodes;
  if (job.application != 0) executions_.applications()->nodes_in_order() = nodes;
  return start_within_power(where);
}

/// The job there has its nodes; false where a power cap forbids it to start on them.
[[gnu::always_inline]] inline bool JobLife::start_within_power(WaitingQueue::Position& where) {
  if (power_capped()) {
    const Slot slot = queue_.at(where).slot;
    if (!executions_.platform()->allows(jobs_[slot], jobs_.amounts(slot), now_)) {
      jobs_[slot].placement.clear();
      return false;
    }
  }
  start(where);
  return true;
}

/// The job there has its nodes, and may have them; `where` becomes the position after it.
void JobLife::start(WaitingQueue::Position& where) {
  const Slot slot = queue_.at(where).slot;
  Job& job = jobs_[slot];
  where = queue_.erase(where);
  queued_tasks_ -= job.tasks;
  jobs_.move(slot, JobState::running, now_);
  machine_.take(job, jobs_.amounts(slot));
  --counts_.queued;
  ++counts_.running;
  job.end = never;
  job.start = executions_.hold(slot, jobs_, now_);
  if (job.start == now_) {
    begin(slot);
  } else {
    events_.push(job.start, 0, EventKind::begin, slot, job.end_version);
  }
  if (power_capped()) settle();  // the next start must know
  if (keeps_running_) running_.insert(running_entry(slot));
  if (follows_jobs_) {
    publish_licenses(job);
    data_.started(*this, slot);
  }
}

/// The job's nodes are there. Where a model of execution does not know when it will end, it can only reach its limit.
void JobLife::begin(Slot slot) {
  const Job& job = jobs_[slot];
  Time end = executions_.begin(slot, jobs_, now_);
  if (options_.enforce_limits) end = std::min(end, later(now_, job.limit));
  if (end == never && executions_.knows_end(job)) {
    throw SimulationError("job " + std::to_string(job.id) + ", started at " + std::to_string(in_seconds(job.start)) +
                          " s, would end beyond the largest time that can be simulated (292 years)");
  }
  plan_end(slot, end);
}

/// Makes the end an event; `never`: it is not known, or the job stands still.
void JobLife::plan_end(Slot slot, Time end) {
  Job& job = jobs_[slot];
  job.end = end;
  if (end != never) events_.push(end, round_of(end), EventKind::job_end, slot, job.end_version);
}

void JobLife::reject(WaitingQueue::Position& where) {
  const Slot slot = queue_.at(where).slot;
  where = queue_.erase(where);
  queued_tasks_ -= jobs_[slot].tasks;
  --counts_.queued;
  count_rejected(slot, Rejection::scheduler);
  leave(slot, JobState::rejected);
}

/// The job leaves its nodes, because it ends or because its attempt is cut off; that is reported to all but
/// estimators, which learn nothing from the latter. Returns how it left them.
[[gnu::always_inline]] inline JobState JobLife::leave_nodes(Slot slot, bool interrupted) {
  ending_ = slot;
  const Job& job = jobs_[slot];
  const JobState state = executions_.stop(slot, jobs_, now_);
  machine_.give_back(job, jobs_.amounts(slot));
  --counts_.running;
  if (keeps_running_) {
    const RunningJob entry = running_entry(slot);
    running_.remove(entry);
    scheduler_->ended(entry);
  }
  if (!interrupted) estimator_->ended(*this, slot);
  if (follows_jobs_) {
    allocator_->given_back(machine_, job.placement);
    count_licenses(job);
    data_.ended(*this, slot);
  }
  const double run_seconds = in_seconds(std::max<Time>(0, job.end - job.start));  // its nodes may not be up yet
  for (std::size_t type = 0; type < busy_.size(); ++type) {
    busy_[type] += static_cast<double>(machine_.held(job, jobs_.amounts(slot), type)) * run_seconds;
  }
  last_end_ = std::max(last_end_, job.end);
  ending_ = no_slot;
  return state;
}

/// How much is in use of the licenses that the job has taken, or given back.
void JobLife::publish_licenses(const Job& job) {
  const Licenses& licenses = machine_.licenses();
  if (job.licenses == Licenses::none) return;
  for (std::size_t kind = 0; kind < licenses.kinds(); ++kind) {
    data_.board().set_number(options_.license_numbers + kind, static_cast<double>(licenses.used(kind)));
  }
}

void JobLife::count_licenses(const Job& job) {
  if (job.licenses == Licenses::none) return;
  const double run_seconds = in_seconds(std::max<Time>(0, job.end - job.start));
  for (std::size_t kind = 0; kind < busy_licenses_.size(); ++kind) {
    busy_licenses_[kind] += static_cast<double>(machine_.licenses().amounts(job.licenses)[kind]) * run_seconds;
  }
  publish_licenses(job);
}

/// The attempt is cut off.
void JobLife::stop(Slot slot) { leave_nodes(slot, true); }

void JobLife::end(Slot slot) {
  const Job& job = jobs_[slot];
  if (outages_) account_end(slot);
  const JobState state = leave_nodes(slot, false);
  metrics_.add(job.start - job.submit, job.end - job.start);
  leave(slot, state);
}

/// The job is done with: recorded, counted, its dependents released, its slot free.
void JobLife::leave(Slot slot, JobState state) {
  jobs_.move(slot, state, now_);
  (state == JobState::rejected ? counts_.rejected
   : state == JobState::killed ? counts_.killed
   : state == JobState::failed ? counts_.failed
                               : counts_.completed) += 1;
  if (job_recorder_) record(slot);
  if (options_.dependencies) release_dependents(slot);
  executions_.forget(slot, jobs_[slot]);
  jobs_.recycle(slot);
}

[[gnu::noinline]] void JobLife::record_with_values(Slot slot) {
  values_.clear();
  const Applications* applications = executions_.applications();
  const JobRecord record{jobs_[slot], slot, now_, platform(),
                         applications == nullptr ? nullptr : &applications->runs()};
  for (const JobFact& fact : job_recorder_->facts()) values_.push_back(fact.value(record));
  for (const std::string& name : job_recorder_->kept()) values_.push_back(jobs_.attribute(slot, name));
  job_recorder_->record(jobs_[slot], jobs_.amounts(slot), values_);
}

/// Releases the held jobs that waited for this one only; where it was rejected or given up they are rejected, and
/// theirs too.
void JobLife::release_dependents(Slot slot) {
  const bool rejected = jobs_[slot].state == JobState::rejected || jobs_[slot].state == JobState::failed;
  auto dependents = dependencies_.remove(jobs_[slot].id, slot, rejected ? never : now_);
  while (!dependents.empty()) {
    const auto [dependent, arrival] = dependents.back();
    dependents.pop_back();
    Job& job = jobs_[dependent];
    if (job.state != JobState::held || job.sequence != arrival) continue;  // rejected meanwhile
    if (!rejected) {
      job.release = std::max(job.release, later(now_, job.think));
      if (--job.unfinished_predecessors == 0) plan_release(dependent);
      continue;
    }
    --counts_.held;
    ++counts_.rejected;
    count_rejected(dependent, Rejection::predecessor);
    jobs_.move(dependent, JobState::rejected, now_);
    if (job_recorder_) record(dependent);
    for (const auto& next : dependencies_.remove(job.id, dependent, never)) dependents.push_back(next);
    jobs_.recycle(dependent);
  }
}

/// Jobs released at one time join the queue in the order in which they arrived.
void JobLife::plan_release(Slot slot) {
  const Job& job = jobs_[slot];
  const std::uint32_t round = job.release == now_ ? round_ : 0;
  events_.push({job.release, Event::rank_of(round, EventKind::release, job.sequence), slot, 0});
}

RunningJob JobLife::running_entry(Slot slot) const {
  const Job& job = jobs_[slot];
  return {job.estimated_end(), job.sequence, job.processors, slot};
}

}  // namespace schedlab
