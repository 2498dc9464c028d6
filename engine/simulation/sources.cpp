// The calendar: what happens at times of its own, when, and what it does; and how a simulation ends.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

/// What happens at times of its own, in the order in which it is handled in a round.
constexpr std::array<Simulation::Source, 6> Simulation::sources{{
    {EventKind::failure, Times::keep_going, &Simulation::has_failures, &Simulation::next_failure,
     &Simulation::change_nodes},
    {EventKind::power, Times::keep_going, &Simulation::has_changes_to_settle, &Simulation::next_power,
     &Simulation::change_power},
    {EventKind::timer, Times::keep_going, &Simulation::has_wake_ups, &Simulation::next_wake_up,
     &Simulation::drop_wake_ups},
    {EventKind::window, Times::keep_going, &Simulation::has_windows, &Simulation::next_window,
     &Simulation::change_windows},
    {EventKind::settle, Times::none, &Simulation::has_changes_to_settle, nullptr, &Simulation::settle_and_publish},
    {EventKind::update, Times::only_look, &Simulation::has_updates, &Simulation::next_update, &Simulation::update_data},
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

/// Sources that keep it going do so while jobs wait, run or come; the others never do.
Time Simulation::next_of_sources(Time next) {
  constexpr std::uint32_t keeping = which([](const Source& one) { return one.times == Times::keep_going; });
  constexpr std::uint32_t others = which([](const Source& one) { return one.times == Times::only_look; });
  only_updates_are_due_ = false;
  // Ends of applications are not events before they are reached.
  const bool working = executions_.work_by_themselves() && counts_.running > 0;
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

/// Lets some sources do what is due, each after the events that come before it in a round.
void Simulation::handle_sources(std::uint32_t some) {
  for (std::uint32_t left = active_sources_ & some; left != 0; left &= left - 1) {
    const Source& source = first_of(left);
    if (!options_.event_by_event) handle_queued_before(source.kind);
    (this->*source.handle)();
  }
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
  executions_.advance_to(now_);
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
  if (executions_.next_update() <= now_) {
    executions_.advance_to(now_);
    settle_and_publish();  // throttled nodes are slower from now on
  }
  update_data();
}

/// Lets models of execution work up to a time, or to the first one at which a job ends in them, which becomes an event.
/// False where the budget was used up before.
bool Simulation::let_executions_work(Time until, std::uint64_t budget) {
  ended_.clear();
  std::optional<Time> reached;
  busily([&] { reached = executions_.advance(until, budget, ended_); });
  if (reached) end_by_themselves(std::max(now_, *reached));
  return reached.has_value();
}

void Simulation::change_nodes() {
  if (next_failure() > now_) return;
  handle_failures();
  standstill_.check(*this, anything_comes());
}

Time Simulation::next_power() const { return time_points_ == 0 ? never : std::max(now_, executions_.next_time()); }

void Simulation::change_power() {
  if (round_ == 0) executions_.advance_to(now_);
}

void Simulation::wake_at(Time time) {
  wake_ups_.add(time);
  find_sources();
}

void Simulation::change_windows() {
  if (options_.windows.advance(now_)) scheduler_->windows_changed();
}

void Simulation::settle_and_publish() {
  settle();
  publish();
}

Time Simulation::next_update() const {
  if (time_points_ == 0) return never;
  return std::min(executions_.next_update(), data_.next_time());
}

void Simulation::update_data() {
  if (round_ == 0) data_.update(*this, time_points_ <= 1, false);
}

void Simulation::observe() {
  for (std::size_t type = 0; type < used_.size(); ++type) used_[type] = used(type);
  timeline_.observe(now_, queue_.size(), counts_.running, used_, data_.board().numbers());
}

/// Nothing is left to happen.
Progress Simulation::finish() {
  refuse_waiting_jobs(*this);
  if (counts_.running == 0) conclude();
  return Progress::done;
}

void Simulation::conclude() {
  if (activity_ != Activity::broken) require_idle("be stopped");
  if (std::exchange(stopped_, true)) return;
  busily([&] { data_.stop(*this); });
}

/// Throws SimulationError where more was to happen after it was stopped.
void Simulation::refuse_stopped() const {
  const bool over = arrivals_.next_time() == never && counts_.held == 0 && queue_.empty() && counts_.running == 0;
  if (!over) throw SimulationError("a simulation cannot continue after it was stopped");
}

}  // namespace schedlab
