// Simulations that get nowhere (jobs wait, and nothing that is left can ever let them start), and those that are over.
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

/// Failures, caps and states of nodes may change for ever, so a queue that nobody can ever serve would keep the
/// simulation going for ever.
void Simulation::refuse_standstill() {
  constexpr std::uint64_t most = 100'000;
  const std::uint64_t left = counts_.completed + counts_.killed + counts_.failed + counts_.rejected;
  const bool waits_in_vain = counts_.running == 0 && arrival_time_ == never && next_event_time() == never &&
                             left == left_before_ && !queue_.empty();
  fruitless_ = waits_in_vain ? fruitless_ + 1 : 0;
  left_before_ = left;
  if (fruitless_ < most) return;
  throw SimulationError("nodes failed, were repaired, or their power or its cap changed " + std::to_string(most) +
                        " times since anything else happened, and " + std::to_string(queue_.size()) +
                        " jobs still wait; the first is job " + std::to_string(jobs_[queue_.front().slot].id) +
                        ": perhaps so many nodes as it needs are never up together" + refused_by_caps());
}

/// Empty where no cap refused a start.
std::string Simulation::refused_by_caps() const {
  std::uint64_t refused = 0;
  if (platform_) {
    for (const auto& account : platform_->caps().accounts()) refused += account.refused;
  }
  if (refused == 0) return "";
  return "; power caps refused to start jobs (" + std::to_string(refused) + " times): perhaps they are too low for it";
}

void Simulation::finish() const {
  if (queue_.empty() && counts_.held == 0) return;
  if (counts_.running > 0) return;  // they stand still, and go on when they get a speed
  throw SimulationError(
      "nothing is left to happen, but " + std::to_string(queue_.size()) + " queued and " +
      std::to_string(counts_.held) + " held jobs never started" +
      (queue_.empty() ? ""
                      : "; the first is job " + std::to_string(jobs_[queue_.front().slot].id) + refused_by_caps() +
                            (allocator_->places_whatever_fits() ? "" : "; the allocator found no nodes for it")));
}

void Simulation::conclude() {
  if (activity_ == Activity::step) require_idle("be stopped");
  if (std::exchange(stopped_, true)) return;
  const Activity before = std::exchange(activity_, Activity::step);
  try {
    for (const auto& data : options_.additional_data) data->stop(*this);
  } catch (...) {
    activity_ = Activity::broken;
    throw;
  }
  activity_ = before;
}

/// Whether more is to happen behind the end: nothing, or it is an error.
Progress Simulation::refuse_stopped() const {
  const bool over = arrival_time_ == never && counts_.held == 0 && queue_.empty() && counts_.running == 0;
  if (over) return Progress::done;
  throw SimulationError("a simulation cannot go on after it was stopped");
}

}  // namespace schedlab
