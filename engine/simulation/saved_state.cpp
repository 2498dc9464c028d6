// States that are saved and read again. What was read must go together: whoever can write a file can write any bytes
// with the right checksum.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

void Simulation::archive(Archive& archive) {
  require_idle("be saved or loaded");
  bool on_nodes = on_nodes_;
  archive(on_nodes, stops_at_decisions_, at_decision_, others_decided_, nodes_change_, round_);
  if (archive.reading()) {
    always_keeps_running_ = always_keeps_running_ || stops_at_decisions_;
    if (stops_at_decisions_) keep_running_jobs(true);
    if (others_decided_) let_others_decide();
    if (on_nodes && !on_nodes_) plan_nodes();
  }
  archive_life(archive);
  archive(wake_ups_, timeline_, standstill_, stopped_, time_points_);
  if (!archive.reading()) return;
  if (!archive.at_end()) throw InputError("the saved state is of other policies");
  find_sources();
  check_saved();
  const bool may_decide = !at_decision_ || (!queue_.empty() && stops_at_decisions_);
  Archive::require(may_decide && (at_decision_ || round_ == 0), "a decision is due where there is none");
  scheduler_->check_saved(*this);
}

void JobLife::archive_life(Archive& archive) {
  archive(machine_, jobs_, events_, queue_, running_);
  executions_.archive(archive);
  arrivals_.archive(archive);
  scheduler_->archive(archive);
  allocator_->archive(archive);
  estimator_->archive(archive);
  archive(options_.windows);
  data_.archive(archive);
  archive(now_, sequence_, queued_tasks_, dependencies_, counts_, rejected_, metrics_, busy_, busy_licenses_,
          last_end_);
  if (outages_) archive(*outages_);
}

void JobLife::validate() const {
  machine_.validate();
  executions_.validate();
  Counts seen;
  for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
    seen.held += jobs_[slot].state == JobState::held ? 1 : 0;
    seen.queued += jobs_[slot].state == JobState::queued ? 1 : 0;
    seen.running += jobs_[slot].state == JobState::running && !jobs_[slot].outage ? 1 : 0;
  }
  const bool sound = seen.held == counts_.held && seen.queued == counts_.queued && seen.queued == queue_.size() &&
                     seen.running == counts_.running &&
                     (!keeps_running_ || running_.size() == counts_.running + nodes_down());
  if (!sound) throw std::logic_error("simulation: a job is counted in the wrong state");
}

void JobLife::check_saved() const {
  Archive::require(is_time(now_), "it is before all time");
  const std::size_t slots = jobs_.slots();
  jobs_.check_saved(machine_.nodes());
  check_saved_places();
  events_.check_saved([&](const Event& event) {
    const EventKind kind = event.kind();
    const bool of_job = kind == EventKind::job_end || kind == EventKind::release || kind == EventKind::begin;
    const bool of_place = kind == EventKind::execution && executions_.has_place(event.slot);
    Archive::require(event.time >= now_ && ((of_job && event.slot < slots) || of_place), "an event belongs to nothing");
    Archive::require(kind != EventKind::begin || executions_.settle_changes(), "an event is of another machine");
  });
  dependencies_.check_saved(slots);
  if (outages_) {
    for (const Slot slot : outages_->holder) {
      Archive::require(slot == no_slot || (slot < slots && jobs_[slot].outage), "an outage is not there");
    }
  }
  Archive::require(busy_.size() == machine_.types(), "sums of resources are missing");
  Archive::require(busy_licenses_.size() == machine_.licenses().kinds(), "sums of licenses are missing");
  const std::vector<Amount>& amounts = arrivals_.next().amounts;
  Archive::require(amounts.empty() || amounts.size() == machine_.types(), "amounts of a job are missing");
  try {
    validate();
  } catch (const std::logic_error& error) {
    Archive::require(false, error.what());
  }
}

/// Throws InputError unless jobs are in the queue, among the running ones and on the machine as their states say.
void JobLife::check_saved_places() const {
  std::vector<bool> seen(jobs_.slots());
  const auto enter = [&](Slot slot, JobState state) {
    const bool sound = slot < jobs_.slots() && !seen[slot] && jobs_[slot].state == state;
    Archive::require(sound, "a job is in a list that it does not belong to");
    seen[slot] = true;
  };
  for (std::size_t block = 0; block < queue_.blocks(); ++block) {
    for (const WaitingJob& entry : queue_.entries(block)) {
      enter(entry.slot, JobState::queued);
      const WaitingJob own = waiting_entry(jobs_[entry.slot], entry.slot);
      const bool same = own.key == entry.key && own.rank == entry.rank && own.sequence == entry.sequence;  // no NaN
      const bool alike = own.estimate == entry.estimate && own.processors == entry.processors;
      Archive::require(same && alike, "a job is not where it is in the queue");
    }
  }
  for (std::size_t block = 0; block < running_.blocks(); ++block) {
    for (const RunningJob& entry : running_.entries(block)) {
      enter(entry.slot, JobState::running);
      const RunningJob own = running_entry(entry.slot);
      Archive::require(!(own < entry) && !(entry < own), "a job is not where it is among those that run");
    }
  }
  std::vector<Amount> held(machine_.nodes() * machine_.types());
  std::vector<Amount> held_licenses(machine_.licenses().kinds());
  for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
    const Job& job = jobs_[slot];
    Archive::require(job.application == 0 || applications() != nullptr,
                     "a job runs an application, and there is no network");
    Archive::require(!job.outage || outages_, "a node is down, and nodes do not fail");
    Archive::require(job.node_set < machine_.node_sets().size(), "a job may use nodes that no set has");
    Archive::require(job.preemption <= options_.preemption.size(), "a job preempts others by a rule that is not there");
    Archive::require(!job.plain || job.node_set == NodeSets::all, "a job that may not use all nodes is plain");
    Archive::require(job.choices < machine_.node_sets().number_of_choices(), "a job may use nodes that no choice has");
    Archive::require(!job.plain || job.choices == 0, "a job that may use one of several sets of nodes is plain");
    if (job.choices != 0) {
      const std::vector<std::uint32_t>& sets = machine_.node_sets().choices(job.choices);
      const auto place = std::find(sets.begin(), sets.end(), job.node_set);
      const bool waits = job.state == JobState::queued || job.state == JobState::held;
      Archive::require(place != sets.end() && (!waits || place == sets.begin()),
                       "a job is in none of its sets of nodes");
    }
    Archive::require(job.licenses < machine_.licenses().requests(), "a job has licenses that nothing says");
    Archive::require(!job.plain || job.licenses == Licenses::none, "a job that takes licenses is plain");
    const bool in_flight =
        job.state == JobState::held || job.state == JobState::queued || job.state == JobState::running;
    for (std::size_t type = 0; type < machine_.types() && in_flight; ++type) {
      const Amount most = machine_.capacity(type) / std::max<Amount>(1, job.tasks);
      Archive::require(jobs_.amounts(slot)[type] <= most, "a job asks for more than the machine has");
    }
    if (job.state != JobState::running) continue;
    executions_.check_saved(slot, job);
    for (std::size_t kind = 0; kind < held_licenses.size(); ++kind) {
      held_licenses[kind] += machine_.licenses().amounts(job.licenses)[kind];
      Archive::require(held_licenses[kind] <= machine_.licenses().all()[kind].amount,
                       "jobs hold more licenses than there are");
    }
    for (const NodeRun& run : job.placement) {
      Archive::require(run.tasks <= job.tasks, "more tasks run than a job has");
      for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
        Archive::require(machine_.node_sets().has(job.node_set, node), "a job is on a node that it may not use");
        for (std::size_t type = 0; type < machine_.types(); ++type) {
          held[node * machine_.types() + type] += machine_.taken(node, type, job, jobs_.amounts(slot), run.tasks);
        }
      }
    }
  }
  for (std::size_t kind = 0; kind < held_licenses.size(); ++kind) {
    Archive::require(held_licenses[kind] == machine_.licenses().used(kind),
                     "jobs hold more or fewer licenses than are taken");
  }
  for (std::uint32_t node = 0; node < machine_.nodes(); ++node) {
    for (std::size_t type = 0; type < machine_.types(); ++type) {
      const Amount used = machine_.node_capacity(node, type) - machine_.free(node, type);
      Archive::require(held[node * machine_.types() + type] == used, "jobs hold more or less than is taken of a node");
    }
  }
}

}  // namespace schedlab
