#include "execution/network/ranks/applications.hpp"

#include <cmath>

namespace schedlab {

Time Applications::hold(Slot slot, const JobTable& jobs, Time now) {
  const Job& job = jobs[slot];
  std::vector<std::uint32_t> nodes;
  nodes.reserve(job.tasks);
  for (const NodeRun& run : nodes_in_order_.empty() ? job.placement : nodes_in_order_) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node)
      nodes.insert(nodes.end(), run.tasks, node);
  }
  if (mapping_) mapping_(job, nodes);
  rank_nodes_ = nodes;
  held_[slot] = std::move(nodes);
  return now;
}

Time Applications::begin(Slot slot, JobTable& jobs, Time now) {
  const auto held = held_.find(slot);
  runs_->start(slot, of(jobs[slot]), std::move(held->second), now);
  held_.erase(held);
  return never;
}

JobState Applications::stop(Slot slot, JobTable& /*jobs*/, Time now) {
  if (held_.erase(slot) > 0) return JobState::killed;  // it never began
  const bool ended = runs_->has_ended(slot);
  runs_->stop(slot, now);
  if (!ended) return JobState::killed;
  return runs_->failure(slot).empty() ? JobState::completed : JobState::failed;
}

std::optional<Time> Applications::advance(Time until, std::uint64_t& budget, std::vector<Slot>& ended) {
  const std::size_t before = ended.size();
  const std::optional<Time> reached = runs_->advance(until, budget, ended);
  for (std::size_t i = before; i < ended.size(); ++i) {
    if (std::string failure = runs_->failure(ended[i]); !failure.empty()) errors_.push_back(std::move(failure));
  }
  return reached;
}

void Applications::count(Slot slot, const Job& job) {
  if (!runs_->knows(slot)) return;  // it never began
  const JobTraffic traffic = runs_->traffic(slot);
  const double seconds = in_seconds(job.end - job.start);
  ++metrics_.jobs;
  metrics_.compute_seconds += traffic.compute_seconds;
  metrics_.communication_seconds += traffic.communication_seconds;
  metrics_.file_seconds += traffic.file_seconds;
  if (seconds > 0.0) metrics_.communication_shares += traffic.communication_seconds / seconds;
  metrics_.messages += traffic.messages;
  metrics_.bytes += traffic.bytes;
  metrics_.hops += traffic.hops;
  metrics_.hop_bytes += traffic.hop_bytes;
  const double slowdown = seconds / traffic.alone_seconds;
  if (job.state == JobState::completed && std::isfinite(slowdown)) metrics_.slowdown.add(slowdown);
}

void Applications::archive(Archive& archive) {
  runs_->archive(archive);
  archive(errors_, rank_nodes_, metrics_, held_);
}

}  // namespace schedlab
