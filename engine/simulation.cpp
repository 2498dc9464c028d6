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

}  // namespace schedlab
