#include "simulation/simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// Of applications, in one call of `advance`: then whoever called may look at progress and interrupts.
constexpr std::uint64_t events_per_slice = 50'000;

}  // namespace

bool Simulation::step() { return advance(1, never) != Progress::done; }

/// Windows, wake-ups of the scheduler, failures and repairs matter while somebody waits, runs or comes; updates of
/// additional data and of temperatures never keep a simulation going, and call nobody.
Time Simulation::next_scheduled_time() {
  Time next = std::min(next_event_time(), arrival_time_);
  if (!own_times_ && !platform_) return next;
  only_update_ = false;
  // Ends of applications are no events before they are reached.
  const bool working = applications_ && counts_.running > 0;
  if (next == never && queue_.empty() && !working) return never;
  next = std::min(next, options_.windows.next_change());
  if (outages_) next = std::min(next, outages_->clock.next_change());
  if (!wake_ups_.empty()) next = std::min(next, wake_ups_.front());
  if (platform_ && time_points_ > 0) next = std::min(next, std::max(now_, platform_->next_change()));
  if (next == never && !working) return never;
  if (platform_ && time_points_ > 0 && platform_->next_update() < next) {
    next = platform_->next_update();
    only_update_ = true;
  }
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

bool Simulation::is_void(const Event& event) const {
  if (event.kind() == EventKind::execution) return platform_->is_void(event.slot, event.version);
  const bool of_job = event.kind() == EventKind::job_end || event.kind() == EventKind::begin;
  return of_job && event.version != jobs_[event.slot].end_version;
}

void Simulation::drop_moved_ends() {
  while (!events_.empty() && is_void(events_.top())) {
    events_.pop();
    --moved_ends_;
  }
}

/// Part of the loop of every simulation: worth being inlined, where others may call `handle_events_before`.
[[gnu::always_inline]] inline void Simulation::handle_queued_before(EventKind kind) {
  while (next_event_time() == now_ && events_.top().round() <= round_ && events_.top().kind() < kind) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
}

void Simulation::handle_events_before(EventKind kind) { handle_queued_before(kind); }

/// Failures, repairs and states of nodes, behind the ends of jobs.
void Simulation::change_nodes() {
  if (outages_) handle_outages();
  if (!platform_ || round_ > 0) return;
  handle_events_before(EventKind::power);
  platform_->advance_to(now_);
}

void Simulation::prepare_dispatch() {
  if (platform_) show_platform();
  if (own_times_) handle_own_times();
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

/// The queue is put in order first where its keys changed: that is a part of the decision.
[[gnu::always_inline]] inline void Simulation::order_and_dispatch(Scheduler& scheduler) {
  if (other_order_ && other_order_->changes()) {
    if (scheduler.only_starts() && !anything_may_fit()) return;
    sort_queue();
  }
  scheduler.dispatch(*this);
}

[[gnu::always_inline]] inline void Simulation::call_dispatcher(Scheduler& scheduler) {
  if (!queue_.empty()) {
    if (timeline_recorder_) {
      const auto before = Clock::now();
      order_and_dispatch(scheduler);
      point_dispatch_nanoseconds_ += std::chrono::nanoseconds(Clock::now() - before).count();
    } else {
      order_and_dispatch(scheduler);
    }
  }
#ifdef SCHEDLAB_VALIDATE
  validate();
#endif
}

/// Whoever looks at the queue there sees it in its order.
[[gnu::always_inline]] inline bool Simulation::stops_to_decide(bool to_decision) {
  if (!to_decision || queue_.empty()) return false;
  if (other_order_ && other_order_->changes()) sort_queue();
  return at_decision_ = true;
}

/// Everything that happens at `now_`. A round is all its events and one dispatcher call; what that call makes happen at
/// once (the end of a job of length zero) is the next round.
[[gnu::always_inline]] inline void Simulation::handle_rounds(bool to_decision) {
  const bool more = platform_ || outages_;  // than jobs that come and go
  for (;; ++round_) {
    if (more) change_nodes();
    handle_queued_before(EventKind::arrival);
    while (arrival_time_ == now_) arrive();
    handle_queued_before(EventKind::dispatch);
    if (more || own_times_) prepare_dispatch();
    if (stops_to_decide(to_decision)) return;
    call_dispatcher(*scheduler_);
    if (platform_) show_platform();
    if (next_event_time() != now_) return;
  }
}

void Simulation::handle_single_event() {
  if (platform_) platform_->advance_to(now_);
  if (arrival_time_ == now_) {
    arrive();
  } else if (outages_ && outages_->clock.next_change() <= now_ &&
             (next_event_time() > now_ || events_.top().kind() > EventKind::failure)) {
    handle_outages();
  } else if (next_event_time() == now_) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  prepare_dispatch();
}

[[gnu::always_inline]] inline void Simulation::end_time_point() {
  round_ = 0;
  if (own_times_) update_data(true);
  if (nodes_changed_) refuse_standstill();
  if (timeline_recorder_) observe();
}

[[gnu::always_inline]] inline void Simulation::handle_next(Time next, bool to_decision) {
  now_ = next;
  if (++time_points_ == 1 && platform_) platform_->begin(now_);
  nodes_changed_ = platform_ && platform_->next_change() <= now_;
  if (only_update_) {
    if (platform_ && platform_->next_update() <= now_) {
      platform_->advance_to(now_);
      show_platform();  // throttled nodes are slower from now on
    }
    update_data(false);
  } else if (options_.event_by_event) {
    handle_single_event();
    if (stops_to_decide(to_decision)) return;
    call_dispatcher(*scheduler_);
    if (platform_) show_platform();
  } else {
    handle_rounds(to_decision);
    if (at_decision_) return;
  }
  end_time_point();
}

Progress Simulation::advance(std::uint64_t time_points, Time until, bool to_decision) {
  require_idle("go on");
  if (stopped_) return refuse_stopped();
  if (to_decision && !std::exchange(stops_at_decisions_, true)) keep_running_jobs(true);
  while (at_decision_) {
    if (to_decision) return Progress::decision;
    decide();
  }
  for (time_points_left_ = time_points; time_points_left_ > 0;) {
    Time next = next_scheduled_time();
    if (applications_) {
      if (!work_applications(std::min(next, until), events_per_slice)) return Progress::more;
      next = next_scheduled_time();
    }
    if (next == never) {
      finish();
      if (counts_.running == 0) conclude();
      return Progress::done;
    }
    if (next > until) return Progress::done;
    activity_ = Activity::step;
    --time_points_left_;
    try {
      handle_next(next, to_decision);
    } catch (...) {
      activity_ = Activity::broken;
      throw;
    }
    activity_ = Activity::none;
    if (at_decision_) return Progress::decision;
  }
  return Progress::more;
}

/// A built-in scheduler would plan for jobs that others start: one that plans nothing stands in for it meanwhile.
void Simulation::let_others_decide() {
  others_decided_ = true;
  if (!discipline_.name.empty()) scheduler_ = make_scheduler({"blocking"});
}

void Simulation::decide(Scheduler* instead) {
  require_idle("decide");
  if (!at_decision_) throw SimulationError("nothing is to be decided now; go on to the next decision first");
  if (instead != nullptr && !others_decided_) {
    let_others_decide();
  } else if (instead == nullptr && others_decided_) {
    use_scheduler(discipline_.name.empty() ? std::move(scheduler_) : make_scheduler(discipline_));
  }
  at_decision_ = false;
  activity_ = Activity::step;
  try {
    call_dispatcher(instead == nullptr ? *scheduler_ : *instead);
    if (platform_) show_platform();
    if (!options_.event_by_event && next_event_time() == now_) {
      ++round_;
      handle_rounds(true);
    }
    if (!at_decision_) end_time_point();
  } catch (...) {
    activity_ = Activity::broken;
    throw;
  }
  activity_ = Activity::none;
}

void Simulation::handle(const Event& event) {
  if (event.kind() == EventKind::job_end) {
    end(event.slot);
  } else if (event.kind() == EventKind::release) {
    --counts_.held;
    enqueue(event.slot);
  } else if (event.kind() == EventKind::execution) {
    end_tasks(event.slot);
  } else if (event.kind() == EventKind::begin) {
    run_on_platform(event.slot);
  }
}

void Simulation::observe() {
  for (std::size_t type = 0; type < used_.size(); ++type) used_[type] = used(type);
  const auto now = Clock::now();
  const std::int64_t elapsed = std::chrono::nanoseconds(now - observed_at_).count();
  timeline_recorder_->record({now_, queue_.size(), counts_.running, used_, options_.data.numbers(),
                              point_dispatch_nanoseconds_, elapsed - point_dispatch_nanoseconds_});
  dispatch_nanoseconds_ += point_dispatch_nanoseconds_;
  point_dispatch_nanoseconds_ = 0;
  observed_at_ = now;
}

}  // namespace schedlab
