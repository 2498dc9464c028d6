#include "simulation.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "errors.hpp"

namespace schedlab {

Simulation::Simulation(MachineSpec machine, Cloned<JobSource> source, Cloned<Scheduler> scheduler,
                       Cloned<Allocator> allocator, Cloned<Estimator> estimator, SimulationOptions options)
    : options_(options),
      machine_(std::move(machine)),
      jobs_(machine_.types()),
      source_(std::move(source)),
      scheduler_(std::move(scheduler)),
      allocator_(std::move(allocator)),
      estimator_(std::move(estimator)),
      keeps_running_(scheduler_->needs_running()),
      busy_(machine_.types()),
      used_(machine_.types()) {
  allocator_->attach(machine_);
  read_next_arrival();
}

Simulation Simulation::fork() const {
  Simulation copy(*this);
  copy.job_recorder_.reset();
  copy.timeline_recorder_.reset();
  return copy;
}

void Simulation::record_timeline(std::shared_ptr<TimelineRecorder> recorder) {
  timeline_recorder_ = std::move(recorder);
  observed_at_ = Clock::now();
}

// ---------------------------------------------------------------------------------------------------- the loop

bool Simulation::step() { return advance(1, never); }

bool Simulation::advance(std::uint64_t time_points, Time until) {
  if (broken_) throw SimulationError("a simulation cannot go on after an error");
  for (; time_points > 0; --time_points) {
    const Time next = std::min(next_event_time(), arrival_time_);
    if (next == never) {
      finish();
      return false;
    }
    if (next > until) return false;
    broken_ = true;
    handle_next(next);
    broken_ = false;
  }
  return true;
}

void Simulation::handle_next(Time next) {
  now_ = next;
  ++time_points_;
  if (options_.event_by_event) {
    handle_single_event();
  } else {
    handle_time_point();
  }
  if (timeline_recorder_) observe();
}

void Simulation::drop_moved_ends() {
  while (!events_.empty() && events_.top().kind() == EventKind::job_end &&
         events_.top().version != jobs_[events_.top().slot].end_version) {
    events_.pop();
    --moved_ends_;
  }
}

/// Everything that happens at `now_`. A round is all its events and one dispatcher call; what that call makes happen at
/// once (the end of a job of length zero) is the next round.
void Simulation::handle_time_point() {
  for (round_ = 0;; ++round_) {
    handle_events_before(EventKind::arrival);
    while (arrival_time_ == now_) arrive();
    handle_events_before(EventKind::dispatch);
    call_dispatcher();
    if (next_event_time() != now_) break;
  }
  round_ = 0;
}

void Simulation::handle_events_before(EventKind kind) {
  while (next_event_time() == now_ && events_.top().round() <= round_ && events_.top().kind() < kind) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
}

void Simulation::handle_single_event() {
  if (arrival_time_ == now_) {
    arrive();
  } else {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  call_dispatcher();
}

void Simulation::handle(const Event& event) {
  if (event.kind() == EventKind::job_end) {
    end(event.slot);
  } else if (event.kind() == EventKind::release) {
    --counts_.held;
    enqueue(event.slot);
  }
}

void Simulation::call_dispatcher() {
  if (!queue_.empty()) {
    if (timeline_recorder_) {
      const auto before = Clock::now();
      scheduler_->dispatch(*this);
      point_dispatch_nanoseconds_ += std::chrono::nanoseconds(Clock::now() - before).count();
    } else {
      scheduler_->dispatch(*this);
    }
  }
#ifdef SCHEDLAB_VALIDATE
  validate();
#endif
}

void Simulation::observe() {
  for (std::size_t type = 0; type < used_.size(); ++type) used_[type] = machine_.capacity(type) - machine_.free(type);
  const auto now = Clock::now();
  const std::int64_t elapsed = std::chrono::nanoseconds(now - observed_at_).count();
  timeline_recorder_->record({now_, queue_.size(), counts_.running, used_, point_dispatch_nanoseconds_,
                              elapsed - point_dispatch_nanoseconds_});
  dispatch_nanoseconds_ += point_dispatch_nanoseconds_;
  point_dispatch_nanoseconds_ = 0;
  observed_at_ = now;
}

void Simulation::finish() const {
  if (queue_.empty() && counts_.held == 0) return;
  if (counts_.running > 0) return;  // they stand still, and go on when they get a speed
  throw SimulationError("nothing is left to happen, but " + std::to_string(queue_.size()) + " queued and " +
                        std::to_string(counts_.held) + " held jobs never started" +
                        (queue_.empty() ? "" : "; the first is job " + std::to_string(jobs_[queue_.front().slot].id)));
}

// ---------------------------------------------------------------------------------------------------- a job's life

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
  const Slot slot = jobs_.add();
  Job& job = jobs_[slot];
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
  job.estimate = estimator_->estimate(arrival_);
  job.sequence = ++counts_.submitted;  // until it joins the queue

  bool possible = machine_.could_ever_hold(job, jobs_.amounts(slot));
  bool held = false;
  if (options_.dependencies) {
    if (!possible) arrival_.predecessors.clear();  // it waits for nobody
    const auto verdict = dependencies_.add(job.id, {slot, job.sequence}, arrival_.predecessors);
    possible = possible && !verdict.impossible;
    job.unfinished_predecessors = verdict.unfinished;
    job.release = verdict.last_end == never ? now_ : std::max(now_, later(verdict.last_end, job.think));
    held = verdict.unfinished > 0 || job.release > now_;
  }
  if (possible && !job.plain && scheduler_->plain_requests_only()) refuse_request(job);

  if (!possible) {
    leave(slot, JobState::rejected);
  } else if (held) {
    jobs_.move(slot, JobState::held, now_);
    ++counts_.held;
    if (job.unfinished_predecessors == 0) plan_release(slot);
  } else {
    enqueue(slot);
  }
  read_next_arrival();
}

void Simulation::enqueue(Slot slot) {
  jobs_.move(slot, JobState::queued, now_);
  ++counts_.queued;
  jobs_[slot].sequence = ++sequence_;
  const WaitingJob entry = waiting(slot);
  queue_.insert(entry);
  scheduler_->queued(entry);
}

bool Simulation::try_start(WaitingQueue::Position& where) {
  const Slot slot = queue_.at(where).slot;
  Job& job = jobs_[slot];
  if (!allocator_->place(machine_, job, jobs_.amounts(slot), job.placement)) return false;
  where = queue_.erase(where);
  jobs_.move(slot, JobState::running, now_);
  machine_.take(job, jobs_.amounts(slot));
  job.start = now_;
  job.speed = 1.0;
  job.work_left = static_cast<double>(job.run);
  job.worked_until = now_;
  --counts_.queued;
  ++counts_.running;
  plan_end(slot);
  if (keeps_running_) running_.insert(running_entry(slot));
  return true;
}

void Simulation::reject(WaitingQueue::Position& where) {
  const Slot slot = queue_.at(where).slot;
  where = queue_.erase(where);
  --counts_.queued;
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
  if (!(speed >= 0.0) || std::isinf(speed)) throw InputError("a speed must be a number from 0 up");
  for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
    Job& job = jobs_[slot];
    if (job.id != job_id || job.state != JobState::running) continue;
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

void Simulation::end(Slot slot) {
  Job& job = jobs_[slot];
  work_until_now(job);
  machine_.give_back(job, jobs_.amounts(slot));
  --counts_.running;
  if (keeps_running_) {
    const RunningJob entry = running_entry(slot);
    running_.remove(entry);
    scheduler_->ended(entry);
  }
  estimator_->ended(job);

  const Time wait = job.start - job.submit;
  const Time run = job.end - job.start;
  metrics_.add(wait, run);
  const double run_seconds = in_seconds(run);
  for (std::size_t type = 0; type < busy_.size(); ++type) {
    busy_[type] += static_cast<double>(machine_.held(job, jobs_.amounts(slot), type)) * run_seconds;
  }
  last_end_ = std::max(last_end_, job.end);
  leave(slot, job.work_left >= 1.0 ? JobState::killed : JobState::completed);
}

/// The job is done with: recorded, counted, its dependents told, its slot free.
void Simulation::leave(Slot slot, JobState state) {
  jobs_.move(slot, state, now_);
  (state == JobState::rejected ? counts_.rejected
   : state == JobState::killed ? counts_.killed
                               : counts_.completed) += 1;
  if (job_recorder_) job_recorder_->record(jobs_[slot]);
  if (options_.dependencies) release_dependents(slot);
  jobs_.recycle(slot);
}

/// Releases the held jobs that waited for this one only; after a rejection they are rejected with it, and theirs too.
void Simulation::release_dependents(Slot slot) {
  const bool rejected = jobs_[slot].state == JobState::rejected;
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
    jobs_.move(dependent, JobState::rejected, now_);
    if (job_recorder_) job_recorder_->record(job);
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

WaitingJob Simulation::waiting(Slot slot) const {
  const Job& job = jobs_[slot];
  return {order_key(options_.order, job), job.sequence, job.estimate, job.plain ? job.tasks : 0, slot};
}

RunningJob Simulation::running_entry(Slot slot) const {
  const Job& job = jobs_[slot];
  return {job.estimated_end(), job.sequence, job.tasks, slot};
}

void Simulation::refuse_request(const Job& job) const {
  throw InputError("job " + std::to_string(job.id) +
                   " asks for more than processors (memory, a limit of tasks per node or whole nodes), and this "
                   "scheduler backfills processor counts only; choose a blocking or greedy scheduler, or read the "
                   "workload with memory none");
}

void Simulation::validate() const {
  machine_.validate();
  Counts seen;
  for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
    seen.held += jobs_[slot].state == JobState::held ? 1 : 0;
    seen.queued += jobs_[slot].state == JobState::queued ? 1 : 0;
    seen.running += jobs_[slot].state == JobState::running ? 1 : 0;
  }
  const bool sound = seen.held == counts_.held && seen.queued == counts_.queued && seen.queued == queue_.size() &&
                     seen.running == counts_.running && (!keeps_running_ || running_.size() == counts_.running);
  if (!sound) throw std::logic_error("simulation: a job is counted in the wrong state");
}

}  // namespace schedlab
