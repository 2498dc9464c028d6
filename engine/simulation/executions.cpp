#include "simulation/executions.hpp"

namespace schedlab {

void Executions::forget_application(Slot slot, const Job& job) {
  if (job.application != 0 && job.state != JobState::rejected) applications_->count(slot, job);
  applications_->forget(slot);
}

/// Ranks compute at the speed of the slowest socket that their job has on a node.
void Executions::pass_speeds_on(Time now) {
  for (const Slot slot : platform_->take_changed_speeds()) {
    NodeSpeeds speeds;
    platform_->sockets().visit_speeds(slot,
                                      [&](std::uint32_t node, double speed) { speeds.emplace_back(node, speed); });
    if (!speeds.empty()) applications_->set_speeds(slot, speeds, now);
  }
}

void Executions::check_saved(Slot slot, const Job& job) const {
  const bool is_known = !platform_ || job.outage || job.application > 0 || platform_->sockets().has(slot);
  Archive::require(is_known && !job.placement.empty(), "a job runs nowhere");
  Archive::require(job.application == 0 || applications_->knows(slot), "a job runs an application that is not there");
}

}  // namespace schedlab
