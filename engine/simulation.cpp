#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "errors.hpp"

namespace schedlab {

Simulation::Simulation(MachineSpec machine, Cloned<JobSource> source, Dispatcher dispatcher,
                       Cloned<Estimator> estimator, SimulationOptions options)
    : options_(std::move(options)),
      machine_(std::move(machine)),
      jobs_(machine_.types()),
      source_(std::move(source)),
      order_(Order::submit),
      estimator_(std::move(estimator)),
      updates_(options_.additional_data.size()),
      busy_(machine_.types()),
      used_(machine_.types()) {
  on_nodes_ = source_->asks_for_more() || !options_.windows.empty();
  attributes_ = source_->may_add_attributes() || !source_->attribute_names().empty();
  admission_ = !options_.window_rules.empty() || !options_.queues.empty();
  own_times_ = !options_.windows.empty() || !updates_.empty();
  for (const auto& data : options_.additional_data) follows_jobs_ = follows_jobs_ || data->follows_jobs();
  set_dispatcher(std::move(dispatcher));
  read_next_arrival();
}

void Simulation::set_dispatcher(Dispatcher dispatcher) {
  require_idle("get another dispatcher");
  order_ = dispatcher.order;
  other_order_ = std::move(dispatcher.other_order);
  allocator_ = std::move(dispatcher.allocator);
  allocator_->attach(machine_);
  std::vector<WaitingJob> waiting;
  for (std::size_t block = 0; block < queue_.blocks(); ++block) {
    for (const WaitingJob& entry : queue_.entries(block)) {
      jobs_[entry.slot].key = key_of(entry.slot);
      waiting.push_back(waiting_entry(jobs_[entry.slot], entry.slot));
    }
  }
  queue_.assign(std::move(waiting));
  use_scheduler(dispatcher.scheduler ? std::move(dispatcher.scheduler) : make_scheduler(dispatcher.discipline));
}

/// Puts a scheduler to work, now or in the middle of everything: it is told who waits.
void Simulation::use_scheduler(Cloned<Scheduler> scheduler) {
  scheduler_ = std::move(scheduler);
  if (on_nodes_) {
    if (auto for_nodes = scheduler_->for_nodes()) scheduler_ = std::move(for_nodes);
  }
  const bool kept = std::exchange(keeps_running_, scheduler_->needs_running() || !updates_.empty());
  if (!kept && keeps_running_) {
    std::vector<RunningJob> running;
    for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
      if (jobs_[slot].state == JobState::running) running.push_back(running_entry(slot));
    }
    running_.assign(std::move(running));
  } else if (!keeps_running_) {
    running_ = {};
  }
  std::vector<WaitingJob> waiting;
  for (std::size_t block = 0; block < queue_.blocks(); ++block) {
    waiting.insert(waiting.end(), queue_.entries(block).begin(), queue_.entries(block).end());
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const WaitingJob& a, const WaitingJob& b) { return a.sequence < b.sequence; });
  for (const WaitingJob& job : waiting) scheduler_->queued(job);
}

/// From now on requests may be for more than processors.
void Simulation::plan_nodes() {
  on_nodes_ = true;
  if (scheduler_->for_nodes()) use_scheduler(scheduler_);
}

void Simulation::require_idle(const char* what) const {
  if (activity_ == Activity::none) return;
  throw SimulationError("a simulation cannot " + std::string(what) +
                        (activity_ == Activity::broken ? " after an error" : " from within one of its own policies"));
}

Simulation Simulation::fork() const {
  require_idle("be forked");
  Simulation copy(*this);
  copy.job_recorder_.reset();
  copy.timeline_recorder_.reset();
  return copy;
}

void Simulation::archive(Archive& archive) {
  require_idle("be saved or loaded");
  bool on_nodes = on_nodes_;
  archive(on_nodes);
  if (archive.reading() && on_nodes && !on_nodes_) plan_nodes();
  archive(machine_, jobs_, events_, queue_, running_);
  source_->archive(archive);
  scheduler_->archive(archive);
  allocator_->archive(archive);
  estimator_->archive(archive);
  archive(options_.windows, options_.data);
  for (const auto& data : options_.additional_data) data->archive(archive);
  archive(updates_, wake_ups_, own_times_);
  archive(arrival_, arrival_time_, now_, sequence_, queued_tasks_, event_sequence_, moved_ends_, dependencies_);
  archive(counts_, metrics_, busy_, first_submit_, last_end_, time_points_, dispatch_nanoseconds_);
  if (archive.reading() && !archive.at_end()) throw InputError("the saved state is of other policies");
}

void Simulation::record_timeline(std::shared_ptr<TimelineRecorder> recorder) {
  timeline_recorder_ = std::move(recorder);
  observed_at_ = Clock::now();
}

// ---------------------------------------------------------------------------------------------------- the loop

bool Simulation::step() { return advance(1, never); }

bool Simulation::advance(std::uint64_t time_points, Time until) {
  require_idle("go on");
  for (; time_points > 0; --time_points) {
    const Time next = next_time();
    if (next == never) {
      finish();
      return false;
    }
    if (next > until) return false;
    activity_ = Activity::step;
    try {
      handle_next(next);
    } catch (...) {
      activity_ = Activity::broken;
      throw;
    }
    activity_ = Activity::none;
  }
  return true;
}

/// Windows and wake-ups of the scheduler matter while somebody waits or comes; updates of additional data never keep a
/// simulation going, and call nobody.
Time Simulation::next_time() {
  Time next = std::min(next_event_time(), arrival_time_);
  if (!own_times_) return next;
  only_update_ = false;
  if (next == never && queue_.empty()) return never;
  next = std::min(next, options_.windows.next_change());
  if (!wake_ups_.empty()) next = std::min(next, wake_ups_.front());
  if (next == never) return never;
  for (std::size_t i = 0; i < updates_.size(); ++i) {
    if (options_.additional_data[i]->every() == 0 || time_points_ == 0 || updates_[i] >= next) continue;
    next = updates_[i];
    only_update_ = true;
  }
  return next;
}

void Simulation::handle_own_times() {
  if (!options_.windows.empty() && options_.windows.advance(now_)) scheduler_->windows_changed();
  while (!wake_ups_.empty() && wake_ups_.front() <= now_) {
    std::pop_heap(wake_ups_.begin(), wake_ups_.end(), std::greater<>());
    wake_ups_.pop_back();
  }
  if (round_ == 0) update_data(false);
}

void Simulation::wake_at(Time time) {
  own_times_ = true;
  wake_ups_.push_back(time);
  std::push_heap(wake_ups_.begin(), wake_ups_.end(), std::greater<>());
}

void Simulation::update_data(bool after_decision) {
  for (std::size_t i = 0; i < updates_.size(); ++i) {
    AdditionalData& data = *options_.additional_data[i];
    if (data.after_decision() != after_decision || (data.every() > 0 && time_points_ > 1 && now_ < updates_[i]))
      continue;
    data.update(*this, options_.data);
    if (data.every() == 0) continue;
    const Time due = time_points_ > 1 ? updates_[i] : now_;
    updates_[i] = later(due, data.every());
  }
}

void Simulation::handle_next(Time next) {
  now_ = next;
  ++time_points_;
  if (only_update_) {
    update_data(false);
    update_data(true);
  } else if (options_.event_by_event) {
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
    if (own_times_) handle_own_times();
    call_dispatcher();
    if (next_event_time() != now_) break;
  }
  round_ = 0;
  if (own_times_) update_data(true);
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
  } else if (next_event_time() == now_) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  if (own_times_) handle_own_times();
  call_dispatcher();
  if (own_times_) update_data(true);
}

void Simulation::handle(const Event& event) {
  if (event.kind() == EventKind::job_end) {
    end(event.slot);
  } else if (event.kind() == EventKind::release) {
    --counts_.held;
    enqueue(event.slot);
  }
}

/// Keys that change are worked out anew; not while no job could start, whatever its place.
void Simulation::sort_queue() {
  std::array<Slot, JobExpression::batch> slots{};
  std::array<double, JobExpression::batch> keys{};
  queue_.update([&](std::span<WaitingJob> entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) slots[i] = entries[i].slot;
    other_order_->keys(*this, {slots.data(), entries.size()}, keys.data());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i].key = keys[i];
      jobs_[slots[i]].key = keys[i];
    }
  });
}

bool Simulation::anything_may_fit() const {
  for (std::size_t block = 0; block < queue_.blocks(); block += WaitingQueue::blocks_per_group) {
    const WaitingSummary& jobs = queue_.group_summary(block / WaitingQueue::blocks_per_group);
    if (jobs.smallest <= machine_.free_processors()) return true;
  }
  return false;
}

void Simulation::call_dispatcher() {
  if (!queue_.empty()) {
    if (other_order_ && other_order_->changes()) {
      if (scheduler_->only_starts() && !anything_may_fit()) return;
      sort_queue();
    }
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
  timeline_recorder_->record({now_, queue_.size(), counts_.running, used_, options_.data.numbers(),
                              point_dispatch_nanoseconds_, elapsed - point_dispatch_nanoseconds_});
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
  job.processors = job.plain ? job.tasks : machine_.processors_needed(job, jobs_.amounts(slot));
  if (attributes_) copy_attributes(slot);
  job.estimate = arrival_.estimate;  // what an estimator sees of it
  job.estimate = estimator_->estimate(arrival_, *this, slot);
  job.sequence = ++counts_.submitted;  // until it joins the queue

  bool possible = machine_.could_ever_hold(job, jobs_.amounts(slot)) && (!admission_ || admit(slot));
  bool held = false;
  if (options_.dependencies) {
    if (!possible) arrival_.predecessors.clear();  // it waits for nobody
    const auto verdict = dependencies_.add(job.id, {slot, job.sequence}, arrival_.predecessors);
    possible = possible && !verdict.impossible;
    job.unfinished_predecessors = verdict.unfinished;
    job.release = verdict.last_end == never ? now_ : std::max(now_, later(verdict.last_end, job.think));
    held = verdict.unfinished > 0 || job.release > now_;
  }
  if (possible && !job.plain && !on_nodes_) plan_nodes();

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
  OpenNodes(const Windows& windows, const Job& job, Time now)
      : windows_(windows), job_(job), from_(now), to_(later(now, job.planned_length())) {}

  [[nodiscard]] bool closed(std::uint32_t node) const override { return !windows_.open(node, job_, from_, to_); }
  std::uint32_t at_most(std::uint32_t node, std::uint32_t tasks) override { return closed(node) ? 0 : tasks; }

 private:
  const Windows& windows_;
  const Job& job_;
  Time from_;
  Time to_;
};

}  // namespace

bool Simulation::try_start(WaitingQueue::Position& where, NodeLimit* limit) {
  const Slot slot = queue_.at(where).slot;
  Job& job = jobs_[slot];
  PlacementRequest request{*this, machine_, slot, job, jobs_.amounts(slot), limit};
  if (limit == nullptr && !options_.windows.empty()) {
    OpenNodes open(options_.windows, job, now_);
    request.limit = &open;
    if (!allocator_->place(request, job.placement)) return false;
  } else if (!allocator_->place(request, job.placement)) {
    return false;
  }
  start(where);
  return true;
}

bool Simulation::would_start(Slot slot, NodeLimit* limit) {
  const Job& job = jobs_[slot];
  OpenNodes open(options_.windows, job, now_);
  NodeLimit* windows = options_.windows.empty() ? nullptr : &open;
  return allocator_->would_place({*this, machine_, slot, job, jobs_.amounts(slot), limit == nullptr ? windows : limit});
}

void Simulation::start_on(WaitingQueue::Position& where, const Placement& nodes) {
  jobs_[queue_.at(where).slot].placement = nodes;
  start(where);
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
  plan_end(slot);
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
  for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
    Job& job = jobs_[slot];
    if (job.id != job_id || job.state != JobState::running || slot == ending_) continue;
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
  ending_ = slot;
  Job& job = jobs_[slot];
  work_until_now(job);
  machine_.give_back(job, jobs_.amounts(slot));
  --counts_.running;
  if (keeps_running_) {
    const RunningJob entry = running_entry(slot);
    running_.remove(entry);
    scheduler_->ended(entry);
  }
  estimator_->ended(*this, slot);
  if (follows_jobs_) {
    for (const auto& data : options_.additional_data) data->ended(*this, slot);
  }

  const Time wait = job.start - job.submit;
  const Time run = job.end - job.start;
  metrics_.add(wait, run);
  const double run_seconds = in_seconds(run);
  for (std::size_t type = 0; type < busy_.size(); ++type) {
    busy_[type] += static_cast<double>(machine_.held(job, jobs_.amounts(slot), type)) * run_seconds;
  }
  last_end_ = std::max(last_end_, job.end);
  leave(slot, job.work_left >= 1.0 ? JobState::killed : JobState::completed);
  ending_ = no_slot;
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
