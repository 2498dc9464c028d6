// Jobs that arrive: what is known of them, whether they can ever run, and where they wait.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "simulation/job_life.hpp"

namespace schedlab {

void JobLife::arrive() {
  const Slot slot = jobs_.add();
  Job& job = jobs_[slot];
  fill_in(slot);
  job.estimate = arrivals_.next().estimate;  // what an estimator sees of it
  if (data_.follows_submissions()) data_.before_submission(*this, slot);
  job.estimate = estimator_->estimate(arrivals_.next(), *this, slot);
  job.sequence = ++counts_.submitted;  // until it joins the queue

  std::optional<Rejection> why = impossible(slot);
  if (why && options_.refuse_impossible) refuse_impossible(slot, *why);
  bool held = false;
  if (options_.dependencies) {
    if (why) arrivals_.next().predecessors.clear();  // it waits for none
    const auto verdict = dependencies_.add(job.id, {slot, job.sequence}, arrivals_.next().predecessors);
    if (verdict.impossible) why = Rejection::predecessor;
    job.unfinished_predecessors = verdict.unfinished;
    job.release = verdict.last_end == never ? now_ : std::max(now_, later(verdict.last_end, job.think));
    held = verdict.unfinished > 0 || job.release > now_;
  }
  if (!why && !job.plain && !on_nodes_) plan_nodes();

  if (why) {
    count_rejected(slot, *why);
    leave(slot, JobState::rejected);
  } else if (held) {
    jobs_.move(slot, JobState::held, now_);
    ++counts_.held;
    if (job.unfinished_predecessors == 0) plan_release(slot);
  } else {
    enqueue(slot);
  }
  if (data_.follows_submissions()) data_.after_submission(*this, slot);  // a slot that is free again still has its job
  arrivals_.read_next();
}

/// What the workload says of the job that arrives.
[[gnu::always_inline]] inline void JobLife::fill_in(Slot slot) {
  Job& job = jobs_[slot];
  JobSpec& given = arrivals_.next();
  if (attributes_) given.run = executions_.run_time(given, source().attribute_names());
  if (outages_) given.run = outages_->begin_attempts(job, given.run);
  job.id = given.id;
  job.user = given.user;
  job.submit = given.submit;
  job.run = given.run;
  job.limit = given.limit;
  job.tasks = given.tasks;
  job.tasks_per_node = given.tasks_per_node;
  job.whole_nodes = given.whole_nodes;
  job.think = given.think;
  job.plain = given.amounts.empty() && job.tasks_per_node == 0 && !job.whole_nodes;
  const auto& amounts = given.amounts.empty() ? machine_.spec().processor : given.amounts;
  std::copy(amounts.begin(), amounts.end(), jobs_.amounts(slot));
  job.processors = job.plain ? job.tasks : machine_.processors_needed(job, jobs_.amounts(slot));
  job.application = 0;
  if (!attributes_) return;
  copy_attributes(slot);
  take_application(slot);
  if (!options_.partitions.empty() || options_.needs) choose_nodes(slot);
}

/// Why the job that arrives can never start; none where it can.
[[gnu::always_inline]] inline std::optional<Rejection> JobLife::impossible(Slot slot) {
  if (!machine_.could_ever_hold(jobs_[slot], jobs_.amounts(slot))) return Rejection::too_large;
  if (admission_) {
    if (const auto why = refused_admission(slot)) return why;
  }
  if (power_capped() && !power_allows_ever(slot)) return Rejection::power_cap;
  return std::nullopt;
}

void JobLife::copy_attributes(Slot slot) {
  const auto& names = source().attribute_names();
  if (names.size() != jobs_.attribute_names().size()) jobs_.set_attribute_names(names);
  jobs_.set_attributes(slot, arrivals_.next().attributes);
}

/// Which application the job names, in the attribute of that name.
void JobLife::take_application(Slot slot) {
  const double number = jobs_.attribute(slot, "application");
  if (!(number > 0.0) || options_.ignore_applications) return;
  Job& job = jobs_[slot];
  Applications* applications = executions_.applications();
  if (applications == nullptr) {
    throw InputError("job " + std::to_string(job.id) +
                     " runs an application, which needs a system with a network; give the system one, or use "
                     "fidelity=none to run jobs for their recorded times");
  }
  job.application = static_cast<std::uint32_t>(number);
  applications->check(job);
}

const Partition* JobLife::partition_of(Slot slot) const { return options_.partitions.of(partition_number(slot)); }

/// Which nodes the job may use. One that may use all of them is as any other.
void JobLife::choose_nodes(Slot slot) {
  Job& job = jobs_[slot];
  const Partition* partition = partition_of(slot);
  job.node_set = partition == nullptr ? NodeSets::all : partition->node_set;
  job.preemption = partition == nullptr ? 0 : partition->preemption;
  const double needs = options_.needs ? needs_number(slot) : 0.0;
  if (needs > 0.0) job.node_set = machine_.node_sets().both(job.node_set, nodes_with(needs));
  job.plain = job.plain && job.node_set == NodeSets::all;
}

std::uint32_t JobLife::nodes_with(double needs) {
  const auto [known, is_new] = needed_sets_.try_emplace(static_cast<std::int64_t>(needs));
  if (is_new) known->second = machine_.node_sets().number_of(options_.needs->nodes(needs));
  return known->second;
}

std::optional<Rejection> JobLife::refused_admission(Slot slot) {
  if (!options_.partitions.empty()) {
    if (const auto why = refused_by_partition(slot)) return why;
  }
  return find_queue(slot) ? std::nullopt : std::optional(Rejection::no_queue);
}

std::optional<Rejection> JobLife::refused_by_partition(Slot slot) const {
  const Job& job = jobs_[slot];
  const Partition* partition = partition_of(slot);
  if (partition == nullptr) {
    return Partitions::named(partition_number(slot)) ? std::optional(Rejection::no_partition) : std::nullopt;
  }
  const bool within = job.requested_time() <= partition->longest && job.tasks <= partition->most_tasks &&
                      (partition->most_nodes == Partition::any ||
                       machine_.fewest_nodes(job, jobs_.amounts(slot)) <= partition->most_nodes);
  return within ? std::nullopt : std::optional(Rejection::partition_limit);
}

/// Finds the job's queue and the windows that admit it; false where no queue does.
bool JobLife::find_queue(Slot slot) {
  Job& job = jobs_[slot];
  job.admissions = 0;
  for (std::size_t rule = 0; rule < options_.window_rules.size(); ++rule) {
    double admitted = 0.0;
    options_.window_rules[rule].evaluate(*this, {&slot, 1}, &admitted);
    if (admitted != 0.0) job.admissions |= std::uint64_t{1} << rule;
  }
  if (options_.queues.empty()) return true;
  const QueueRule* queue = options_.queues.of(*this, slot);
  if (queue == nullptr) return false;
  job.rank = queue->rank;
  if (queue->preemption != 0 || options_.partitions.empty()) job.preemption = queue->preemption;
  return true;
}

void JobLife::enqueue(Slot slot) {
  jobs_.move(slot, JobState::queued, now_);
  ++counts_.queued;
  Job& job = jobs_[slot];
  if (++sequence_ == 0) throw SimulationError("more than 4 billion jobs in one simulation");
  job.sequence = sequence_;
  job.not_before = 0;
  job.refused_at = 0;
  job.key = key_of(slot);
  queued_tasks_ += job.tasks;
  const WaitingJob entry = waiting_entry(job, slot);
  queue_.insert(entry);
  scheduler_->queued(entry);
}

}  // namespace schedlab
