// Nodes fail and are repaired: what that does to the jobs, and what it costs.
#include "execution/failures/outages.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

namespace {

constexpr std::uint32_t most_interruptions = 10'000;  // of one job

/// The first node of the placement that is in the list, which ascends.
std::uint32_t first_of(const Placement& placement, std::span<const std::uint32_t> nodes) {
  for (const NodeRun& run : placement) {
    const auto found = std::lower_bound(nodes.begin(), nodes.end(), run.first);
    if (found != nodes.end() && *found - run.first < run.count) return *found;
  }
  return static_cast<std::uint32_t>(-1);
}

/// The part of a time that goes with a part of the work, where that was not done at speed 1.
Time share_of(Time time, Time part, Time whole) {
  if (time == whole || whole <= 0) return whole <= 0 ? time : part;
  return std::llround(static_cast<double>(time) * (static_cast<double>(part) / static_cast<double>(whole)));
}

}  // namespace

/// What is due of failures and repairs, behind the ends of jobs at this time.
void Simulation::handle_outages() {
  handle_events_before(EventKind::failure);
  if (outages_->clock.next_change() > now_) return;
  outages_->count_down(now_);
  FailureClock& clock = outages_->clock;
  clock.advance(now_);
  std::vector<Slot> hit;
  if (!clock.failed().empty()) {
    for (std::size_t block = 0; block < running_.blocks(); ++block) {
      for (const RunningJob& entry : running_.entries(block)) {
        if (first_of(jobs_[entry.slot].placement, clock.failed()) != static_cast<std::uint32_t>(-1)) {
          hit.push_back(entry.slot);
        }
      }
    }
  }
  std::sort(hit.begin(), hit.end(), [&](Slot a, Slot b) { return jobs_[a].sequence < jobs_[b].sequence; });
  std::erase_if(hit, [&](Slot slot) { return !interrupt(slot); });
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
  for (const Slot slot : hit) enqueue(slot);
  if (options_.nodes_down_number < options_.data.numbers().size()) {
    options_.data.set_number(options_.nodes_down_number, outages_->down);
  }
  refuse_standstill();
}

/// The node, which is empty, is held until it is repaired.
void Simulation::take_down(std::uint32_t node) {
  const Slot slot = jobs_.add();
  Job& outage = jobs_[slot];
  outage.outage = true;
  outage.state = JobState::running;  // it never waits
  outage.id = -1;
  outage.user = -1;
  outage.submit = now_;
  outage.start = now_;
  outage.run = 0;
  outage.limit = never;
  outage.end = never;
  outage.estimate = outages_->clock.expected_repair(node) - now_;
  outage.sequence = ++sequence_;
  outage.tasks = 1;
  outage.tasks_per_node = 0;
  outage.rank = 0;
  outage.admissions = 0;
  outage.plain = false;
  outage.whole_nodes = true;
  outage.processors = machine_.plain_room(node);
  outage.placement.assign(1, {node, 1, 1});
  std::fill_n(jobs_.amounts(slot), machine_.types(), Amount{0});
  machine_.take(outage, jobs_.amounts(slot));
  if (platform_) platform_->fail(node, now_);
  running_.insert(running_entry(slot));
  outages_->holder[node] = slot;
  outages_->up_since[node] = never;
  ++outages_->down;
  ++outages_->counts.node_failures;
  for (std::size_t type = 0; type < machine_.types(); ++type) {
    outages_->amounts[type] += machine_.node_capacity(node, type);
  }
}

void Simulation::bring_up(std::uint32_t node) {
  const Slot slot = outages_->holder[node];
  Job& outage = jobs_[slot];
  running_.remove(running_entry(slot));
  machine_.give_back(outage, jobs_.amounts(slot));
  allocator_->given_back(machine_, outage.placement);
  if (platform_) platform_->repair(node, now_);
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

void Simulation::record_open_states() const {
  if (!state_recorder_) return;
  if (platform_) {
    for (const StateInterval& interval : platform_->states().open(now_)) {
      if (interval.state == NodeState::down) continue;
      state_recorder_->record(interval.node, name_of(interval.state), interval.start, interval.end);
    }
  }
  if (!outages_) return;
  for (std::uint32_t node = 0; node < machine_.nodes(); ++node) {
    const Slot slot = outages_->holder[node];
    if (slot != no_slot && jobs_[slot].start < now_) state_recorder_->record(node, "down", jobs_[slot].start, now_);
  }
}

/// How much of an attempt's length is behind it at the job's end; exact where its speed never changed.
Time Simulation::work_done(Slot slot) const {
  const Job& job = jobs_[slot];
  if (platform_) {
    const double part = platform_->sockets().part_done(slot, now_);
    return part >= 1.0 ? job.run : static_cast<Time>(part * static_cast<double>(job.run));
  }
  if (job.speed == 1.0 && job.worked_until == job.start) return job.end - job.start;
  const double left = job.work_left - static_cast<double>(job.end - job.worked_until) * job.speed;
  return std::clamp<Time>(job.run - static_cast<Time>(std::ceil(std::max(0.0, left))), 0, job.run);
}

/// Nodes that the job holds, the parts of nodes added up.
double Simulation::nodes_held(Slot slot) const {
  const Job& job = jobs_[slot];
  const Amount* amounts = jobs_.amounts(slot);
  const std::vector<Amount>& processor = machine_.spec().processor;
  double sum = 0.0;
  for (const NodeRun& run : job.placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      double share = 1.0;
      for (std::size_t type = 0; type < machine_.types() && !job.whole_nodes; ++type) {
        if (processor[type] == 0) continue;
        const auto capacity = static_cast<double>(machine_.node_capacity(node, type));
        const auto taken = static_cast<double>(amounts[type] * run.tasks);
        share = std::min(share, capacity > 0.0 ? taken / capacity : 0.0);
      }
      sum += share;
    }
  }
  return sum;
}

/// What a job that arrives has to do, and how long its first attempt takes.
void Simulation::take_attempt(Job& job) {
  job.work = arrival_.run;
  job.kept = job.lost = 0;
  job.kept_node_seconds = 0.0;
  arrival_.run = outages_->rule.length(arrival_.run, false);
}

/// An attempt that ended by itself, or at its limit. The job still has its nodes.
void Simulation::account_end(Slot slot) {
  const Job& job = jobs_[slot];
  const Time time = job.end - job.start;
  const Time done = work_done(slot);
  const AttemptParts parts = outages_->rule.at_end(job.work, job.kept > 0, done);
  const Time useful = share_of(time, parts.useful, done);
  const double nodes = nodes_held(slot);
  outages_->seconds.useful += nodes * in_seconds(useful);
  outages_->seconds.checkpoint += nodes * in_seconds(time - useful);
  outages_->seconds.down = outages_->count_down(now_);
}

/// Ends an attempt because a node failed; false where the job is given up, else it is to join the queue again.
bool Simulation::interrupt(Slot slot) {
  Job& job = jobs_[slot];
  Outages& outages = *outages_;
  const std::uint32_t node = first_of(job.placement, outages.clock.failed());
  const bool waits_for_nodes = platform_ && !platform_->sockets().begun(slot);  // which are waking for it
  if (job.end != never || waits_for_nodes) ++moved_ends_;
  ++job.end_version;
  job.end = now_;
  const Time time = std::max<Time>(0, job.end - job.start);
  const Time done = work_done(slot);
  const AttemptParts parts = outages.rule.at_failure(job.work, job.kept > 0, done);
  const double nodes = nodes_held(slot);
  stop(slot, true);
  job.start = std::min(job.start, now_);

  const Time kept_time = share_of(time, parts.useful, done);
  const Time overhead = parts.useful > 0 ? share_of(time, parts.overhead, done) : 0;
  const Time lost = time - kept_time - overhead;
  outages.seconds.useful += nodes * in_seconds(kept_time);
  outages.seconds.checkpoint += nodes * in_seconds(overhead);
  outages.seconds.lost += nodes * in_seconds(lost);
  outages.seconds.down = outages.count_down(now_);
  ++outages.counts.interruptions;
  outages.counts.interrupted_jobs += job.interruptions == 0 ? 1 : 0;
  ++job.interruptions;
  job.lost += lost;
  job.kept += parts.useful;
  job.work -= parts.useful;
  job.kept_node_seconds += nodes * in_seconds(kept_time);
  if (interruption_recorder_) {
    interruption_recorder_->record({job, job.interruptions, node, parts.useful, lost});
  }
  if (outages.attempts > 0 && job.interruptions >= outages.attempts) {
    give_up(slot);
    return false;
  }
  if (job.interruptions >= most_interruptions) {
    throw SimulationError("job " + std::to_string(job.id) + " was interrupted " + std::to_string(most_interruptions) +
                          " times and would never end; let jobs write checkpoints (resubmission.from = "
                          "\"checkpoint\"), or limit their attempts (resubmission.limit)");
  }
  if (parts.useful > 0) {
    const Time length = outages.rule.length(job.work, true);
    job.estimate = std::max(second, job.estimate - (job.run - length));  // by what the attempt is shorter
    job.run = length;
  }
  job.placement.clear();
  jobs_.move(slot, JobState::failed, now_);
  return true;
}

/// What the job had kept is lost with it.
void Simulation::give_up(Slot slot) {
  Job& job = jobs_[slot];
  ++outages_->counts.given_up;
  outages_->seconds.useful -= job.kept_node_seconds;
  outages_->seconds.lost += job.kept_node_seconds;
  job.lost += job.kept;
  metrics_.add(job.start - job.submit, job.end - job.start);
  leave(slot, JobState::failed);
}

}  // namespace schedlab
