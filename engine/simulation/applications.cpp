// How a simulation runs jobs as applications: on a network, which says when they end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

/// Which application the job names, in the attribute of that name.
void Simulation::take_application(Slot slot) {
  const double number = jobs_.attribute(slot, "application");
  if (!(number > 0.0) || options_.ignore_applications) return;
  Job& job = jobs_[slot];
  if (!applications_) {
    throw InputError(
        "job " + std::to_string(job.id) +
        " runs an application, which needs a system with a network and without node types; describe such a "
        "one, or say fidelity=none to run jobs for their recorded times");
  }
  job.application = static_cast<std::uint32_t>(number);
  applications_->check({job.application, job.id, job.tasks, in_seconds(job.run)});
}

Time Simulation::next_time() {
  if (at_decision_) return now_;
  if (applications_ && activity_ == Activity::none)
    work_applications(next_scheduled_time(), std::numeric_limits<std::uint64_t>::max());
  return next_scheduled_time();
}

/// Lets applications work up to a time, or to the first one at which one of them ends, which becomes an event. False
/// where the budget was used up before.
bool Simulation::work_applications(Time until, std::uint64_t budget) {
  ended_now_.clear();
  Time reached = -1;
  activity_ = Activity::step;
  try {
    reached = applications_->advance(until, budget, ended_now_);
  } catch (...) {
    activity_ = Activity::broken;  // a program stopped in the middle of something
    throw;
  }
  activity_ = Activity::none;
  if (reached == -1) return false;
  for (const Slot slot : ended_now_) {
    Job& job = jobs_[slot];
    if (job.end != never) ++moved_ends_;  // the limit, which was not reached
    ++job.end_version;
    job.end = std::max(now_, reached);
    job.work_left = 0.0;
    const std::string failure = applications_->failure(slot);
    if (!failure.empty()) {
      application_errors_.push_back(failure);
      job.speed = -1.0;
    }
    events_.push({job.end, Event::rank_of(0, EventKind::job_end, ++event_sequence_), slot, job.end_version});
  }
  return true;
}

/// The job has its nodes; its ranks begin there.
void Simulation::start_application(Slot slot) {
  Job& job = jobs_[slot];
  std::vector<std::uint32_t> nodes;
  nodes.reserve(job.tasks);
  // Allocators that take nodes by number have nothing to add to the placement.
  for (const NodeRun& run : taken_.empty() ? job.placement : taken_) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node)
      nodes.insert(nodes.end(), run.tasks, node);
  }
  if (options_.mapping) options_.mapping(job, nodes);
  rank_nodes_ = nodes;
  job.end = never;
  job.work_left = static_cast<double>(second);  // until it ends by itself
  applications_->start(slot, {job.application, job.id, job.tasks, in_seconds(job.run)}, std::move(nodes), now_);
  if (!options_.enforce_limits || job.limit == never) return;
  job.end = later(now_, job.limit);
  const std::uint32_t round = job.end == now_ && !options_.event_by_event ? round_ + 1 : 0;
  events_.push({job.end, Event::rank_of(round, EventKind::job_end, ++event_sequence_), slot, job.end_version});
}

void Simulation::leave_application(Slot slot) { applications_->stop(slot, now_); }

void Simulation::count_application(Slot slot) {
  const Job& job = jobs_[slot];
  const JobTraffic traffic = applications_->traffic(slot);
  NetworkMetrics& sums = network_metrics_;
  const double seconds = in_seconds(job.end - job.start);
  ++sums.jobs;
  sums.compute_seconds += traffic.compute_seconds;
  sums.communication_seconds += traffic.communication_seconds;
  sums.file_seconds += traffic.file_seconds;
  if (seconds > 0.0) sums.communication_shares += traffic.communication_seconds / seconds;
  sums.messages += traffic.messages;
  sums.bytes += traffic.bytes;
  sums.hops += traffic.hops;
  sums.hop_bytes += traffic.hop_bytes;
  const double slowdown = seconds / traffic.alone_seconds;
  if (job.state == JobState::completed && std::isfinite(slowdown)) sums.slowdown.add(slowdown);
}

}  // namespace schedlab
