// A job's life in a simulation: arrival, queue, start, end.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

void Simulation::read_next_arrival() {
  const Time previous = arrival_time_;
  if (!source_->next(arrival_)) {
    arrival_time_ = never;
    return;
  }
  if (previous != never && arrival_.submit < previous) {
    throw InputError("job " + std::to_string(arrival_.id) + " is submitted before the job that precedes it");
  }
  arrival_time_ = arrival_.submit;
  first_submit_ = std::min(first_submit_, arrival_.submit);
}

void Simulation::arrive() {
  if (platform_ && attributes_) take_alone_time();
  const Slot slot = jobs_.add();
  Job& job = jobs_[slot];
  if (outages_) take_attempt(job);
  job.id = arrival_.id;
  job.user = arrival_.user;
  job.submit = arrival_.submit;
  job.run = arrival_.run;
  job.limit = arrival_.limit;
  job.tasks = arrival_.tasks;
  job.tasks_per_node = arrival_.tasks_per_node;
  job.whole_nodes = arrival_.whole_nodes;
  job.think = arrival_.think;
  job.plain = arrival_.amounts.empty() && job.tasks_per_node == 0 && !job.whole_nodes;
  const auto& amounts = arrival_.amounts.empty() ? machine_.spec().processor : arrival_.amounts;
  std::copy(amounts.begin(), amounts.end(), jobs_.amounts(slot));
  job.processors = job.plain ? job.tasks : machine_.processors_needed(job, jobs_.amounts(slot));
  if (attributes_) copy_attributes(slot);
  job.application = 0;
  if (attributes_) take_application(slot);
  job.estimate = arrival_.estimate;  // what an estimator sees of it
  if (follows_submissions_) tell_submission(slot, true);
  job.estimate = estimator_->estimate(arrival_, *this, slot);
  job.sequence = ++counts_.submitted;  // until it joins the queue

  std::optional<Rejection> impossible;
  if (!machine_.could_ever_hold(job, jobs_.amounts(slot))) {
    impossible = Rejection::too_large;
  } else if (admission_ && !admit(slot)) {
    impossible = Rejection::no_queue;
  } else if (power_capped() && !power_allows_ever(slot)) {
    impossible = Rejection::power_cap;
  }
  if (impossible && options_.refuse_impossible) refuse_impossible(slot, *impossible);
  bool held = false;
  if (options_.dependencies) {
    if (impossible) arrival_.predecessors.clear();  // it waits for nobody
    const auto verdict = dependencies_.add(job.id, {slot, job.sequence}, arrival_.predecessors);
    if (verdict.impossible) impossible = Rejection::predecessor;
    job.unfinished_predecessors = verdict.unfinished;
    job.release = verdict.last_end == never ? now_ : std::max(now_, later(verdict.last_end, job.think));
    held = verdict.unfinished > 0 || job.release > now_;
  }
  if (!impossible && !job.plain && !on_nodes_) plan_nodes();

  if (impossible) {
    count_rejected(slot, *impossible);
    leave(slot, JobState::rejected);
  } else if (held) {
    jobs_.move(slot, JobState::held, now_);
    ++counts_.held;
    if (job.unfinished_predecessors == 0) plan_release(slot);
  } else {
    enqueue(slot);
  }
  if (follows_submissions_) tell_submission(slot, false);  // a slot that is free again still says who was rejected
  read_next_arrival();
}

void Simulation::tell_submission(Slot slot, bool before) {
  for (const auto& data : options_.additional_data) {
    before ? data->before_submission(*this, slot, options_.data) : data->after_submission(*this, slot, options_.data);
  }
}

void Simulation::copy_attributes(Slot slot) {
  const auto& names = source_->attribute_names();
  if (names.size() != jobs_.attribute_names().size()) jobs_.set_attribute_names(names);
  jobs_.set_attributes(slot, arrival_.attributes);
}

/// Finds the job's queue and the windows that admit it; false where no queue does.
bool Simulation::admit(Slot slot) {
  Job& job = jobs_[slot];
  job.admissions = 0;
  for (std::size_t rule = 0; rule < options_.window_rules.size(); ++rule) {
    double admitted = 0.0;
    options_.window_rules[rule].evaluate(*this, {&slot, 1}, &admitted);
    if (admitted != 0.0) job.admissions |= std::uint64_t{1} << rule;
  }
  if (options_.queues.empty()) return true;
  const auto rank = options_.queues.rank_of(*this, slot);
  job.rank = rank.value_or(0);
  return rank.has_value();
}

void Simulation::enqueue(Slot slot) {
  jobs_.move(slot, JobState::queued, now_);
  ++counts_.queued;
  Job& job = jobs_[slot];
  if (++sequence_ == 0) throw SimulationError("more than 4 billion jobs in one simulation");
  job.sequence = sequence_;
  job.not_before = 0;
  job.key = key_of(slot);
  queued_tasks_ += job.tasks;
  const WaitingJob entry = waiting_entry(job, slot);
  queue_.insert(entry);
  scheduler_->queued(entry);
}

namespace {

/// Keeps a job off the nodes that a window will close to it before it ends.
class OpenNodes final : public NodeLimit {
 public:
  OpenNodes(ClosedNodes& nodes, const Windows& windows, const Job& job, Time now) : nodes_(nodes) {
    nodes_.look(windows, job, now, later(now, job.planned_length()));
  }

  [[nodiscard]] bool closed(std::uint32_t node) const override { return nodes_.has(node); }
  std::uint32_t at_most(std::uint32_t node, std::uint32_t tasks) override { return closed(node) ? 0 : tasks; }

 private:
  ClosedNodes& nodes_;
};

}  // namespace

bool Simulation::try_start(WaitingQueue::Position& where, NodeLimit* limit) {
  const Slot slot = queue_.at(where).slot;
  Job& job = jobs_[slot];
  PlacementRequest request{*this, machine_, slot, job, jobs_.amounts(slot), limit};
  if (job.application != 0) {
    taken_.clear();
    request.taken = &taken_;
  }
  if (options_.windows.empty()) {
    if (!allocator_->place(request, job.placement)) return false;
  } else if (!place_between_windows(request, job.placement)) {
    return false;
  }
  if (power_capped() && !platform_->allows(job, jobs_.amounts(slot), now_)) {
    job.placement.clear();
    return false;
  }
  start(where);
  return true;
}

/// Jobs that windows leave no room for are not tried again before these do, unless the allocator may mind.
[[gnu::noinline]] bool Simulation::place_between_windows(PlacementRequest request, Placement& placement) {
  const Job& job = request.job;
  if (now_ < job.not_before && allocator_->refusals_last()) return false;
  if (request.limit != nullptr) return allocator_->place(request, placement);
  OpenNodes open(closed_nodes_, options_.windows, job, now_);
  request.limit = &open;
  if (allocator_->place(request, placement)) return true;
  if (closed_nodes_.any()) first_open(options_.windows, machine_, job, request.amounts, now_, closed_parts_);
  return false;
}

bool Simulation::would_start(Slot slot, NodeLimit* limit) {
  const Job& job = jobs_[slot];
  const PlacementRequest request{*this, machine_, slot, job, jobs_.amounts(slot), limit};
  if (limit != nullptr || options_.windows.empty()) return allocator_->would_place(request);
  OpenNodes open(closed_nodes_, options_.windows, job, now_);
  return allocator_->would_place({*this, machine_, slot, job, jobs_.amounts(slot), &open});
}

bool Simulation::start_on(WaitingQueue::Position& where, const Placement& nodes) {
  const Slot slot = queue_.at(where).slot;
  Job& job = jobs_[slot];
  job.placement = nodes;
  if (job.application != 0) taken_ = nodes;
  if (power_capped() && !platform_->allows(job, jobs_.amounts(slot), now_)) {
    job.placement.clear();
    return false;
  }
  start(where);
  return true;
}

/// The job there has its nodes; `where` becomes the position after it.
void Simulation::start(WaitingQueue::Position& where) {
  const Slot slot = queue_.at(where).slot;
  Job& job = jobs_[slot];
  where = queue_.erase(where);
  queued_tasks_ -= job.tasks;
  jobs_.move(slot, JobState::running, now_);
  machine_.take(job, jobs_.amounts(slot));
  job.start = now_;
  job.speed = 1.0;
  job.work_left = static_cast<double>(job.run);
  job.worked_until = now_;
  --counts_.queued;
  ++counts_.running;
  if (platform_) {
    start_on_platform(slot);
  } else if (job.application != 0) {
    start_application(slot);
  } else {
    plan_end(slot);
  }
  if (keeps_running_) running_.insert(running_entry(slot));
  if (follows_jobs_) {
    for (const auto& data : options_.additional_data) data->started(*this, slot);
  }
}

void Simulation::reject(WaitingQueue::Position& where) {
  const Slot slot = queue_.at(where).slot;
  where = queue_.erase(where);
  queued_tasks_ -= jobs_[slot].tasks;
  --counts_.queued;
  count_rejected(slot, Rejection::scheduler);
  leave(slot, JobState::rejected);
}

/// Sets the end that follows from the work left, the speed and the limit, and makes it an event.
void Simulation::plan_end(Slot slot) {
  Job& job = jobs_[slot];
  const bool untouched = job.speed == 1.0 && now_ == job.start;  // then exact, however long
  const Time done = later(now_, untouched ? job.run : time_needed(job.work_left, job.speed));
  const Time limit = options_.enforce_limits ? later(job.start, job.limit) : never;
  job.end = std::min(done, limit);
  if (job.end == never && job.speed > 0.0) {
    throw SimulationError("job " + std::to_string(job.id) + ", started at " + std::to_string(in_seconds(job.start)) +
                          " s, would end beyond the largest time that can be simulated (292 years)");
  }
  if (job.end == never) return;  // stands still until its speed changes
  const bool next_round = job.end == now_ && !options_.event_by_event;
  const std::uint32_t round = next_round ? round_ + 1 : 0;
  events_.push({job.end, Event::rank_of(round, EventKind::job_end, ++event_sequence_), slot, job.end_version});
}

Time Simulation::time_needed(double work, double speed) {
  const double length = std::ceil(work / speed);
  return length < 9.0e18 ? static_cast<Time>(length) : never;
}

void Simulation::work_until_now(Job& job) const {
  job.work_left = std::max(0.0, job.work_left - static_cast<double>(now_ - job.worked_until) * job.speed);
  job.worked_until = now_;
}

void Simulation::set_speed(std::int64_t job_id, double speed) {
  if (activity_ == Activity::broken) require_idle("change the speed of a job");
  if (!(speed >= 0.0) || std::isinf(speed)) throw InputError("a speed must be a number from 0 up");
  if (applications_) throw SimulationError("jobs with applications go as fast as these; speeds cannot be set");
  if (platform_) throw SimulationError("on a platform, speeds follow from what shares a socket; they cannot be set");
  for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
    Job& job = jobs_[slot];
    if (job.id != job_id || job.state != JobState::running || job.outage || slot == ending_) continue;
    work_until_now(job);
    if (speed > 0.0 && later(now_, time_needed(job.work_left, speed)) == never) {
      throw InputError("at this speed job " + std::to_string(job_id) + " would not end within 292 years");
    }
    if (job.end != never) ++moved_ends_;
    job.speed = speed;
    ++job.end_version;
    plan_end(slot);
    return;
  }
  throw SimulationError("job " + std::to_string(job_id) + " is not running at " + std::to_string(in_seconds(now_)) +
                        " s");
}

/// The job leaves its nodes, because it ends or because one of them failed; everybody is told but estimators, which
/// learn nothing from an attempt that was cut off.
[[gnu::always_inline]] inline void Simulation::leave_nodes(Slot slot, bool interrupted) {
  ending_ = slot;
  Job& job = jobs_[slot];
  if (platform_) {
    leave_sockets(slot);
  } else if (job.application != 0) {
    leave_application(slot);
  } else {
    work_until_now(job);
  }
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
    for (const auto& data : options_.additional_data) data->ended(*this, slot);
  }
  const double run_seconds = in_seconds(std::max<Time>(0, job.end - job.start));  // its nodes may not be up yet
  for (std::size_t type = 0; type < busy_.size(); ++type) {
    busy_[type] += static_cast<double>(machine_.held(job, jobs_.amounts(slot), type)) * run_seconds;
  }
  last_end_ = std::max(last_end_, job.end);
  ending_ = no_slot;
}

void Simulation::stop(Slot slot, bool interrupted) { leave_nodes(slot, interrupted); }

void Simulation::end(Slot slot) {
  const Job& job = jobs_[slot];
  if (outages_) account_end(slot);
  leave_nodes(slot, false);
  metrics_.add(job.start - job.submit, job.end - job.start);
  const bool failed = job.application != 0 && job.speed < 0.0;
  leave(slot, failed ? JobState::failed : job.work_left >= 1.0 ? JobState::killed : JobState::completed);
}

/// The job is done with: recorded, counted, its dependents told, its slot free.
void Simulation::leave(Slot slot, JobState state) {
  jobs_.move(slot, state, now_);
  (state == JobState::rejected ? counts_.rejected
   : state == JobState::killed ? counts_.killed
   : state == JobState::failed ? counts_.failed
                               : counts_.completed) += 1;
  if (jobs_[slot].application != 0 && state != JobState::rejected) count_application(slot);
  if (job_recorder_) record(slot);
  if (options_.dependencies) release_dependents(slot);
  if (platform_) platform_->forget(slot);
  if (applications_) applications_->forget(slot);
  jobs_.recycle(slot);
}

[[gnu::noinline]] void Simulation::record_with_values(Slot slot) {
  values_.clear();
  const JobRecord record{jobs_[slot], slot, now_, platform(), applications_ ? &*applications_ : nullptr};
  for (const JobFact& fact : job_recorder_->facts()) values_.push_back(fact.value(record));
  for (const std::string& name : job_recorder_->kept()) values_.push_back(jobs_.attribute(slot, name));
  job_recorder_->record(jobs_[slot], jobs_.amounts(slot), values_);
}

/// Releases the held jobs that waited for this one only; where it was rejected or given up they are rejected, and
/// theirs too.
void Simulation::release_dependents(Slot slot) {
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
void Simulation::plan_release(Slot slot) {
  const Job& job = jobs_[slot];
  const std::uint32_t round = job.release == now_ ? round_ : 0;
  events_.push({job.release, Event::rank_of(round, EventKind::release, job.sequence), slot, 0});
}

double Simulation::key_of(Slot slot) const {
  if (!other_order_) return order_key(order_, jobs_[slot]);
  double key = 0.0;
  other_order_->keys(*this, {&slot, 1}, &key);
  return key;
}

RunningJob Simulation::running_entry(Slot slot) const {
  const Job& job = jobs_[slot];
  return {job.estimated_end(), job.sequence, job.processors, slot};
}

}  // namespace schedlab
