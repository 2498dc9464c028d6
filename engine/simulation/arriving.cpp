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
  if (options_.licenses) choose_licenses(slot);
}

/// Why the job that arrives can never start; none where it can.
[[gnu::always_inline]] inline std::optional<Rejection> JobLife::impossible(Slot slot) {
  if (admission_) return refused_admission(slot);
  if (!machine_.could_ever_hold(jobs_[slot], jobs_.amounts(slot))) return Rejection::too_large;
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

/// The partition that the job names, the first of several.
const Partition* JobLife::partition_of(Slot slot) const {
  const double number = partition_number(slot);
  if (const Partition* named = options_.partitions.of(number)) return named;
  const auto known = partition_lists_.find(static_cast<std::int64_t>(number));
  const bool none = known == partition_lists_.end() || known->second.empty();
  return none ? nullptr : options_.partitions.of(known->second.front());
}

/// Which nodes the job may use. One that may use all of them is as any other.
void JobLife::choose_nodes(Slot slot) {
  Job& job = jobs_[slot];
  job.choices = 0;
  first_possible_ = partition_of(slot);
  job.node_set = set_in(slot, first_possible_);
  job.preemption = first_possible_ == nullptr ? 0 : first_possible_->preemption;
  several_ = several_partitions(slot);
  job.plain = job.plain && job.node_set == NodeSets::all && several_ == nullptr;
}

/// The nodes of a partition, or all, that have what the job needs.
std::uint32_t JobLife::set_in(Slot slot, const Partition* partition) {
  const std::uint32_t set = partition == nullptr ? NodeSets::all : partition->node_set;
  const double needs = options_.needs ? needs_number(slot) : 0.0;
  return needs > 0.0 ? machine_.node_sets().both(set, nodes_with(needs)) : set;
}

/// The partitions that the job names, where they are several and the system has some of them; else null.
const std::vector<double>* JobLife::several_partitions(Slot slot) {
  const double number = partition_number(slot);
  if (!options_.partition_lists || !Partitions::named(number) || options_.partitions.of(number) != nullptr)
    return nullptr;
  const auto [known, is_new] = partition_lists_.try_emplace(static_cast<std::int64_t>(number));
  if (is_new) {
    known->second = options_.partition_lists->numbers(number);
    std::erase_if(known->second, [&](double one) { return options_.partitions.of(one) == nullptr; });
  }
  return known->second.empty() ? nullptr : &known->second;
}

/// The job may use those of its partitions in which it can ever start. Where there are none, it is in the first.
void JobLife::choose_partitions(Slot slot, const std::vector<double>& numbers) {
  Job& job = jobs_[slot];
  std::vector<std::uint32_t> sets;
  first_possible_ = nullptr;
  for (const double number : numbers) {
    const Partition* partition = options_.partitions.of(number);
    job.node_set = set_in(slot, partition);
    const bool possible = std::find(sets.begin(), sets.end(), job.node_set) == sets.end() &&
                          machine_.could_ever_hold(job, jobs_.amounts(slot)) && within_limits(slot, *partition) &&
                          (!power_capped() || power_allows_ever(slot));
    if (!possible) continue;
    sets.push_back(job.node_set);
    if (first_possible_ == nullptr) first_possible_ = partition;
  }
  if (first_possible_ == nullptr) first_possible_ = options_.partitions.of(numbers.front());
  job.node_set = set_in(slot, first_possible_);
  job.preemption = first_possible_->preemption;
  if (sets.size() > 1) job.choices = machine_.node_sets().choices_of(sets);
}

/// What the job takes of the licenses. One that takes none is as any other.
void JobLife::choose_licenses(Slot slot) {
  Job& job = jobs_[slot];
  job.licenses = licenses_with(licenses_number(slot)).value_or(Licenses::none);
  job.plain = job.plain && job.licenses == Licenses::none;
}

/// None where the system does not have as much of all that are named.
std::optional<std::uint32_t> JobLife::licenses_with(double wanted) {
  if (!(wanted > 0.0)) return Licenses::none;
  const auto [known, is_new] = asked_licenses_.try_emplace(static_cast<std::int64_t>(wanted));
  if (is_new) {
    const std::vector<Amount> amounts = options_.licenses->amounts(wanted);
    if (machine_.licenses().has(amounts)) known->second = machine_.licenses().number_of(amounts);
  }
  return known->second;
}

std::uint32_t JobLife::nodes_with(double needs) {
  const auto [known, is_new] = needed_sets_.try_emplace(static_cast<std::int64_t>(needs));
  if (is_new) known->second = machine_.node_sets().number_of(options_.needs->nodes(needs));
  return known->second;
}

std::optional<Rejection> JobLife::refused_admission(Slot slot) {
  if (several_ != nullptr) choose_partitions(slot, *several_);
  if (!machine_.could_ever_hold(jobs_[slot], jobs_.amounts(slot))) return Rejection::too_large;
  if (!options_.partitions.empty()) {
    if (const auto why = refused_by_partition(slot)) return why;
  }
  if (!find_queue(slot)) return Rejection::no_queue;
  if (options_.licenses && !licenses_with(licenses_number(slot))) return Rejection::licenses;
  if (power_capped() && !power_allows_ever(slot)) return Rejection::power_cap;
  return std::nullopt;
}

std::optional<Rejection> JobLife::refused_by_partition(Slot slot) const {
  if (first_possible_ == nullptr) {
    return Partitions::named(partition_number(slot)) ? std::optional(Rejection::no_partition) : std::nullopt;
  }
  return within_limits(slot, *first_possible_) ? std::nullopt : std::optional(Rejection::partition_limit);
}

bool JobLife::within_limits(Slot slot, const Partition& partition) const {
  const Job& job = jobs_[slot];
  return job.requested_time() <= partition.longest && job.tasks <= partition.most_tasks &&
         (partition.most_nodes == Partition::any ||
          machine_.fewest_nodes(job, jobs_.amounts(slot)) <= partition.most_nodes);
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
  if (job.choices != 0) machine_.node_sets().put_into_first(job);
  job.key = key_of(slot);
  queued_tasks_ += job.tasks;
  const WaitingJob entry = waiting_entry(job, slot);
  queue_.insert(entry);
  scheduler_->queued(entry);
}

}  // namespace schedlab
