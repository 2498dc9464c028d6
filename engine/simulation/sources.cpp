// What the sources of events do when they are due; and how a simulation ends.
#include <algorithm>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

void Simulation::change_nodes() {
  if (next_failure() > now_) return;
  handle_failures();
  standstill_.check(*this, anything_comes());
}

Time Simulation::next_power() const { return time_points_ == 0 ? never : std::max(now_, platform_->next_time()); }

void Simulation::change_power() {
  if (round_ == 0) platform_->advance_to(now_);
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
  return std::min(platform_ ? platform_->next_update() : never, data_.next_time());
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
  if (activity_ == Activity::step) require_idle("be stopped");
  if (std::exchange(stopped_, true)) return;
  busily([&] { data_.stop(*this); });
}

/// Whether more is to happen after the end: nothing, or it is an error.
Progress Simulation::refuse_stopped() const {
  const bool over = arrivals_.next_time() == never && counts_.held == 0 && queue_.empty() && counts_.running == 0;
  if (over) return Progress::done;
  throw SimulationError("a simulation cannot continue after it was stopped");
}

}  // namespace schedlab
