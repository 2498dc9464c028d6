#include "simulation/simulation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// Of applications, in one call of `advance`: then the caller may look at progress and interrupts.
constexpr std::uint64_t events_per_slice = 50'000;

}  // namespace

Progress Simulation::advance(std::uint64_t time_points, Time until, bool to_decision) {
  require_idle("continue");
  if (stopped_) {
    refuse_stopped();
    return Progress::done;
  }
  if (to_decision && !std::exchange(stops_at_decisions_, true)) keep_running_jobs(always_keeps_running_ = true);
  time_points_left_ = time_points;
  while (at_decision_) {
    if (to_decision) return Progress::decision;
    if (now_ > until) return Progress::done;
    decide();
  }
  while (time_points_left_ > 0) {
    Time next = next_scheduled_time();
    if (executions_.work_by_themselves()) {
      if (!let_executions_work(std::min(next, until), events_per_slice)) return Progress::more;
      next = next_scheduled_time();
    }
    if (next == never) return finish();
    if (next > until) return Progress::done;
    --time_points_left_;
    busily([&]() __attribute__((always_inline)) { handle_time_point(next, to_decision); });
    if (at_decision_) return Progress::decision;
  }
  return Progress::more;
}

[[gnu::always_inline]] inline void Simulation::handle_time_point(Time time, bool to_decision) {
  now_ = time;
  if (++time_points_ == 1) executions_.open(now_);
  nodes_change_ = executions_.next_time() <= now_;
  if (only_updates_are_due_) {
    handle_updates();
  } else if (options_.event_by_event) {
    handle_single_event();
    if (stops_to_decide(to_decision)) return;
    call_scheduler(*scheduler_);
  } else {
    handle_rounds(to_decision);
    if (at_decision_) return;
  }
  end_time_point();
}

/// Everything that happens at `now_`. A round is all its events and one call of the scheduler; what that call makes
/// happen at once (the end of a job of length zero) is the next round.
[[gnu::always_inline]] inline void Simulation::handle_rounds(bool to_decision) {
  for (;; ++round_) {
    if (active_sources_ != 0) handle_sources(before_arrivals);
    handle_queued_before(EventKind::arrival);
    while (arrivals_.next_time() == now_) arrive();
    handle_queued_before(EventKind::dispatch);
    if (active_sources_ != 0) handle_sources(~before_arrivals);
    if (stops_to_decide(to_decision)) return;
    call_scheduler(*scheduler_);
    if (next_event_time() != now_) return;
  }
}

void Simulation::handle(const Event& event) {
  if (event.kind() == EventKind::job_end) {
    end(event.slot);
  } else if (event.kind() == EventKind::release) {
    --counts_.held;
    enqueue(event.slot);
  } else if (event.kind() == EventKind::execution) {
    handle_due(event.slot);
  } else if (event.kind() == EventKind::begin) {
    begin(event.slot);
  }
}

[[gnu::always_inline]] inline Time Simulation::next_scheduled_time() {
  const Time next = std::min(next_event_time(), arrivals_.next_time());
  return active_sources_ == 0 ? next : next_of_sources(next);
}

Time Simulation::next_time() {
  if (at_decision_) return now_;
  if (executions_.work_by_themselves() && activity_ == Activity::none)
    let_executions_work(next_scheduled_time(), std::numeric_limits<std::uint64_t>::max());
  return next_scheduled_time();
}

[[gnu::always_inline]] inline void Simulation::end_time_point() {
  round_ = 0;
  if (active_sources_ != 0) data_.update(*this, time_points_ <= 1, true);
  if (nodes_change_) standstill_.check(*this, anything_comes());
  if (timeline_.is_recorded()) observe();
}

[[gnu::always_inline]] inline void Simulation::call_scheduler(Scheduler& scheduler) {
  if (!queue_.empty()) {
    if (timeline_.is_recorded()) {
      timeline_.time_decision([&] { order_and_dispatch(scheduler); });
    } else {
      order_and_dispatch(scheduler);
    }
  }
#ifdef SCHEDLAB_VALIDATE
  validate();
#endif
  if (executions_.settle_changes()) settle_and_publish();
}

/// The queue is put in order first where its keys changed: that is a part of the decision.
[[gnu::always_inline]] inline void Simulation::order_and_dispatch(Scheduler& scheduler) {
  if (order_ && order_->changes()) {
    if (scheduler.only_starts() && !anything_may_fit()) return;
    if (!scheduler.ranks_jobs()) sort_queue();
  }
  scheduler.dispatch(*this);
}

/// What is looked at there is the queue in its order.
[[gnu::always_inline]] inline bool Simulation::stops_to_decide(bool to_decision) {
  if (!to_decision || queue_.empty()) return false;
  if (order_ && order_->changes()) sort_queue();
  return at_decision_ = true;
}

void Simulation::decide(Scheduler* instead) {
  require_idle("decide");
  if (stopped_) refuse_stopped();
  if (!at_decision_) throw SimulationError("there is nothing to decide now; continue to the next decision first");
  if (instead != nullptr && !others_decided_) {
    let_others_decide();
  } else if (instead == nullptr && others_decided_) {
    let_own_scheduler_decide();
  }
  at_decision_ = false;
  busily([&] {
    call_scheduler(instead == nullptr ? *scheduler_ : *instead);
    if (!options_.event_by_event && next_event_time() == now_) {
      ++round_;
      handle_rounds(true);
    }
    if (!at_decision_) end_time_point();
  });
}

}  // namespace schedlab
