#include "simulation/simulation.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// Of applications, in one call of `advance`: then the caller may look at progress and interrupts.
constexpr std::uint64_t events_per_slice = 50'000;

}  // namespace

/// What happens at times of its own, in the order in which it is handled in a round.
constexpr std::array<Simulation::Source, 6> Simulation::sources{{
    {EventKind::failure, true, &Simulation::has_failures, &Simulation::next_failure, &Simulation::change_nodes},
    {EventKind::power, true, &Simulation::has_platform, &Simulation::next_power, &Simulation::change_power},
    {EventKind::timer, true, &Simulation::has_wake_ups, &Simulation::next_wake_up, &Simulation::drop_wake_ups},
    {EventKind::window, true, &Simulation::has_windows, &Simulation::next_window, &Simulation::change_windows},
    {EventKind::settle, true, &Simulation::has_platform, nullptr, &Simulation::settle_and_publish},
    {EventKind::update, false, &Simulation::has_updates, &Simulation::next_update, &Simulation::update_data},
}};

template <class Fulfils>
constexpr std::uint32_t Simulation::which(Fulfils fulfils) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) bits |= static_cast<std::uint32_t>(fulfils(sources[i])) << i;
  return bits;
}

constexpr std::uint32_t Simulation::before_arrivals =
    which([](const Source& one) { return one.kind < EventKind::arrival; });

const Simulation::Source& Simulation::first_of(std::uint32_t bits) {
  return sources[static_cast<std::size_t>(std::countr_zero(bits))];  // NOLINT(*-constant-array-index)
}

Progress Simulation::advance(std::uint64_t time_points, Time until, bool to_decision) {
  require_idle("continue");
  if (stopped_) return refuse_stopped();
  if (to_decision && !std::exchange(stops_at_decisions_, true)) keep_running_jobs(always_keeps_running_ = true);
  while (at_decision_) {
    if (to_decision) return Progress::decision;
    decide();
  }
  for (time_points_left_ = time_points; time_points_left_ > 0;) {
    Time next = next_scheduled_time();
    if (applications_) {
      if (!run_applications(std::min(next, until), events_per_slice)) return Progress::more;
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
  if (++time_points_ == 1 && platform_) platform_->open(now_);
  nodes_change_ = platform_ && platform_->next_time() <= now_;
  if (only_updates_are_due_) {
    handle_updates();
  } else if (options_.event_by_event) {
    handle_single_event();
    if (stops_to_decide(to_decision)) return;
    call_scheduler(*scheduler_);
    if (platform_) settle_and_publish();
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
    if (platform_) settle_and_publish();
    if (next_event_time() != now_) return;
  }
}

[[gnu::always_inline]] inline void Simulation::handle_queued_before(EventKind kind) {
  while (next_event_time() == now_ && events_.top().round() <= round_ && events_.top().kind() < kind) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
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

/// Lets some sources do what is due, each after the events that come before it in a round.
void Simulation::handle_sources(std::uint32_t some) {
  for (std::uint32_t left = active_sources_ & some; left != 0; left &= left - 1) {
    const Source& source = first_of(left);
    if (!options_.event_by_event) handle_queued_before(source.kind);
    (this->*source.handle)();
  }
}

/// Sources that keep it going do so while jobs wait, run or come; the others never do.
Time Simulation::next_of_sources(Time next) {
  constexpr std::uint32_t keeping =
      which([](const Source& one) { return one.next_time != nullptr && one.keeps_going; });
  constexpr std::uint32_t others =
      which([](const Source& one) { return one.next_time != nullptr && !one.keeps_going; });
  only_updates_are_due_ = false;
  // Ends of applications are not events before they are reached.
  const bool working = applications_ && counts_.running > 0;
  if (next == never && queue_.empty() && !working) return never;
  for (std::uint32_t left = active_sources_ & keeping; left != 0; left &= left - 1)
    next = std::min(next, (this->*first_of(left).next_time)());
  if (next == never && !working) return never;
  for (std::uint32_t left = active_sources_ & others; left != 0; left &= left - 1) {
    const Time own = (this->*first_of(left).next_time)();
    only_updates_are_due_ = only_updates_are_due_ || own < next;
    next = std::min(next, own);
  }
  return next;
}

[[gnu::always_inline]] inline Time Simulation::next_scheduled_time() {
  const Time next = std::min(next_event_time(), arrivals_.next_time());
  return active_sources_ == 0 ? next : next_of_sources(next);
}

Time Simulation::next_time() {
  if (at_decision_) return now_;
  if (applications_ && activity_ == Activity::none)
    run_applications(next_scheduled_time(), std::numeric_limits<std::uint64_t>::max());
  return next_scheduled_time();
}

/// Lets applications work up to a time, or to the first one at which one of them ends, which becomes an event. False
/// where the budget was used up before.
bool Simulation::run_applications(Time until, std::uint64_t budget) {
  ended_.clear();
  Time reached = -1;
  busily([&] { reached = applications_->advance(until, budget, ended_); });
  if (reached == -1) return false;
  end_by_themselves(std::max(now_, reached));
  return true;
}

/// The source that is due before arrivals and all queued events of this time; null where none is.
const Simulation::Source* Simulation::source_due_first() {
  for (std::uint32_t left = active_sources_ & before_arrivals; left != 0; left &= left - 1) {
    const Source& source = first_of(left);
    const bool first = next_event_time() > now_ || events_.top().kind() > source.kind;
    if (first && (this->*source.next_time)() <= now_) return &source;
  }
  return nullptr;
}

void Simulation::handle_single_event() {
  if (platform_) platform_->advance_to(now_);
  if (arrivals_.next_time() == now_) {
    arrive();
  } else if (const Source* source = source_due_first()) {
    (this->*source->handle)();
  } else if (next_event_time() == now_) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  if (active_sources_ != 0) handle_sources(~before_arrivals);
}

/// Nothing else happens at this time, and the scheduler is not called.
void Simulation::handle_updates() {
  if (platform_ && platform_->next_update() <= now_) {
    platform_->advance_to(now_);
    settle_and_publish();  // throttled nodes are slower from now on
  }
  update_data();
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
}

/// The queue is put in order first where its keys changed: that is a part of the decision.
[[gnu::always_inline]] inline void Simulation::order_and_dispatch(Scheduler& scheduler) {
  if (order_ && order_->changes()) {
    if (scheduler.only_starts() && !anything_may_fit()) return;
    sort_queue();
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
  if (!at_decision_) throw SimulationError("nothing is to be decided now; go on to the next decision first");
  if (instead != nullptr && !others_decided_) {
    let_others_decide();
  } else if (instead == nullptr && others_decided_) {
    let_own_scheduler_decide();
  }
  at_decision_ = false;
  busily([&] {
    call_scheduler(instead == nullptr ? *scheduler_ : *instead);
    if (platform_) settle_and_publish();
    if (!options_.event_by_event && next_event_time() == now_) {
      ++round_;
      handle_rounds(true);
    }
    if (!at_decision_) end_time_point();
  });
}

}  // namespace schedlab
