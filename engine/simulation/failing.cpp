// Nodes fail and are repaired: what that does to the jobs, and what it costs.
#include <algorithm>
#include <optional>
#include <vector>

#include "simulation/job_life.hpp"

namespace schedlab {

namespace {

/// A running job, and the first node of it that failed.
struct Hit {
  Slot slot;
  std::uint32_t node;
};

/// The first node of the placement that is in the list, which ascends.
std::optional<std::uint32_t> first_of(const Placement& placement, std::span<const std::uint32_t> nodes) {
  for (const NodeRun& run : placement) {
    const auto found = std::lower_bound(nodes.begin(), nodes.end(), run.first);
    if (found != nodes.end() && *found - run.first < run.count) return *found;
  }
  return std::nullopt;
}

}  // namespace

/// Failures and repairs of this time happen, after the ends of jobs.
void JobLife::handle_failures() {
  outages_->count_down(now_);
  FailureClock& clock = outages_->clock;
  clock.advance(now_);
  std::vector<Hit> hit;
  if (!clock.failed().empty()) {
    for (std::size_t block = 0; block < running_.blocks(); ++block) {
      for (const RunningJob& entry : running_.entries(block)) {
        const auto node = first_of(jobs_[entry.slot].placement, clock.failed());
        if (node) hit.push_back({entry.slot, *node});
      }
    }
  }
  std::sort(hit.begin(), hit.end(),
            [&](const Hit& a, const Hit& b) { return jobs_[a.slot].sequence < jobs_[b.slot].sequence; });
  std::erase_if(hit, [&](const Hit& one) { return !fail(one.slot, one.node); });
  for (const std::uint32_t node : clock.failed()) take_down(node);
  for (const std::uint32_t node : clock.repaired()) bring_up(node);
  for (const std::uint32_t node : clock.prolonged()) {
    const Slot slot = outages_->holder[node];
    running_.remove(running_entry(slot));
    jobs_[slot].estimate = clock.expected_repair(node) - jobs_[slot].start;
    running_.insert(running_entry(slot));
  }
  const bool changed = !clock.failed().empty() || !clock.repaired().empty() || !clock.prolonged().empty();
  if (changed) scheduler_->machine_changed();
  for (const Hit& one : hit) enqueue(one.slot);
  if (options_.nodes_down_number) data_.board().set_number(*options_.nodes_down_number, outages_->down);
}

/// The node, which is empty, is held until it is repaired.
void JobLife::take_down(std::uint32_t node) {
  const Slot slot = jobs_.add();
  Job& outage = jobs_[slot];
  const std::uint32_t version = outage.end_version;
  outage = {};  // nothing of the job that was there before
  outage.end_version = version;
  outage.outage = true;
  outage.state = JobState::running;  // it never waits
  outage.id = -1;
  outage.user = -1;
  outage.submit = now_;
  outage.start = now_;
  outage.end = never;
  outage.estimate = outages_->clock.expected_repair(node) - now_;
  outage.sequence = ++sequence_;
  outage.tasks = 1;
  outage.node_set = NodeSets::all;
  outage.plain = false;
  outage.whole_nodes = true;
  outage.processors = machine_.plain_room(node);
  outage.placement.assign(1, {node, 1, 1});
  std::fill_n(jobs_.amounts(slot), machine_.types(), Amount{0});
  machine_.take(outage, jobs_.amounts(slot));
  executions_.fail(node, now_);
  running_.insert(running_entry(slot));
  outages_->holder[node] = slot;
  outages_->up_since[node] = never;
  ++outages_->down;
  ++outages_->counts.node_failures;
  for (std::size_t type = 0; type < machine_.types(); ++type) {
    outages_->amounts[type] += machine_.node_capacity(node, type);
  }
}

void JobLife::bring_up(std::uint32_t node) {
  const Slot slot = outages_->holder[node];
  Job& outage = jobs_[slot];
  running_.remove(running_entry(slot));
  machine_.give_back(outage, jobs_.amounts(slot));
  allocator_->given_back(machine_, outage.placement);
  executions_.repair(node, now_);
  if (state_recorder_) state_recorder_->record(node, "down", outage.start, now_);
  outages_->holder[node] = no_slot;
  outages_->up_since[node] = now_;
  --outages_->down;
  for (std::size_t type = 0; type < machine_.types(); ++type) {
    outages_->amounts[type] -= machine_.node_capacity(node, type);
  }
  outage.state = JobState::completed;  // as all slots that are free
  jobs_.recycle(slot);
}

void JobLife::record_open_states() const {
  if (!state_recorder_) return;
  if (platform() != nullptr) record_states(platform()->states().open(now_));
  if (!outages_) return;
  for (std::uint32_t node = 0; node < machine_.nodes(); ++node) {
    const Slot slot = outages_->holder[node];
    if (slot != no_slot && jobs_[slot].start < now_) state_recorder_->record(node, "down", jobs_[slot].start, now_);
  }
}

}  // namespace schedlab
