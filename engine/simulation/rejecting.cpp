// Jobs that are rejected: what they lack, and how many they are.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "simulation/job_life.hpp"

namespace schedlab {

namespace {

constexpr std::size_t most_named_groups = 3;

/// Such as "4 core, 1024 mem".
std::string amounts_text(const std::vector<std::string>& types, const Amount* amounts) {
  std::string text;
  for (std::size_t type = 0; type < types.size(); ++type) {
    if (amounts[type] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(amounts[type]) + " " + types[type];
  }
  return text.empty() ? "nothing" : text;
}

std::string printed(const char* format, double value) {
  std::array<char, 32> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), format, value);
  return {digits.data(), static_cast<std::size_t>(length)};
}
std::string watts_text(double watts) { return printed("%.1f", watts); }
std::string number_text(double number) { return printed("%.10g", number); }

/// What nodes that the job may use have, different ones once.
std::string nodes_text(const Machine& machine, const Job& job, const std::string& place = "") {
  const MachineSpec& spec = machine.spec();
  std::vector<std::string> found;
  for (std::size_t group = 0; group < spec.groups.size(); ++group) {
    if (machine.node_sets().in_group(job.node_set, group) == 0) continue;
    std::string text = amounts_text(spec.types, spec.groups[group].resources.data());
    if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(std::move(text));
  }
  std::string text = "a node" + place + " has " + found.front();
  for (std::size_t i = 1; i < std::min(found.size(), most_named_groups); ++i) text += ", or " + found[i];
  return found.size() > most_named_groups ? text + ", or others" : text;
}

/// How many nodes the job may use.
std::uint32_t nodes_for(const Machine& machine, const Job& job) {
  return machine.node_sets().among(job.node_set, 0, machine.nodes());
}

/// Such as "matlab:10, ansys:2".
std::string licenses_text(const MachineSpec& spec) {
  std::string text;
  for (const License& license : spec.licenses) {
    text += (text.empty() ? "" : ", ") + license.name + ":" + std::to_string(license.amount);
  }
  return text;
}

/// What a partition takes, and what the job wants instead.
std::string limit_text(const Partition& partition, const Job& job, std::uint32_t fewest_nodes) {
  const auto seconds_text = [](Time time) { return std::to_string(time / second) + " s"; };
  std::string takes;
  std::string wants;
  if (job.requested_time() > partition.longest) {
    takes = "that ask for " + seconds_text(partition.longest);
    wants = "it asks for " + seconds_text(job.requested_time());
  } else if (job.tasks > partition.most_tasks) {
    takes = "of " + std::to_string(partition.most_tasks) + " tasks";
    wants = "it has " + std::to_string(job.tasks);
  } else {
    takes = "of " + std::to_string(partition.most_nodes) + " nodes";
    wants = "it needs " + std::to_string(fewest_nodes);
  }
  return "partition " + partition.name + " takes jobs " + takes + " or less, and " + wants;
}

}  // namespace

/// Ways to save power that are open to policies and failures; those of the conditions the platform knows.
PowerSavings JobLife::savings() const {
  const bool nodes_may_change = scheduler_->changes_nodes();
  return {nodes_may_change, nodes_may_change, nodes_may_change, nodes_fail()};
}

bool JobLife::power_allows_ever(Slot slot) const {
  return !platform()->never_allowed(jobs_[slot], jobs_.amounts(slot), machine_.node_sets(), now_, savings());
}

std::string JobLife::text_of(Slot slot, Rejection why) const {
  const Job& job = jobs_[slot];
  const Amount* amounts = jobs_.amounts(slot);
  const MachineSpec& spec = machine_.spec();
  const std::string task = amounts_text(spec.types, amounts);
  const std::string per_node =
      job.tasks_per_node == 0 ? "" : ", at most " + std::to_string(job.tasks_per_node) + " on a node";
  const Partition* partition = partition_of(slot);
  const double needs = options_.needs ? needs_number(slot) : 0.0;
  std::string place = partition == nullptr ? "" : " in partition " + partition->name;
  if (needs > 0.0) place += " with " + options_.needs->text(needs);
  switch (why) {
    case Rejection::task_too_large:
      return "each of its tasks needs " + task + " of one node, and " + nodes_text(machine_, job, place);
    case Rejection::too_large:
      return "it asks for " + std::to_string(job.tasks) + " tasks of " + task + per_node + ", and " +
             (place.empty() ? "the machine has" : "the nodes" + place + " have") + " room for " +
             std::to_string(machine_.room_on_empty(job, amounts)) +
             " of them: " + std::to_string(nodes_for(machine_, job)) + " nodes, " + nodes_text(machine_, job);
    case Rejection::no_partition:
      return "it is in partition " + number_text(partition_number(slot)) + ", and the system has none of that number";
    case Rejection::no_node:
      return "there is no node" + place;
    case Rejection::partition_limit:
      return limit_text(*partition, job, machine_.fewest_nodes(job, amounts));
    case Rejection::no_queue:
      return "no queue admits it";
    case Rejection::licenses:
      return "it asks for licenses " + options_.licenses->text(licenses_number(slot)) + ", and the system has " +
             licenses_text(spec);
    case Rejection::power_cap: {
      const auto cap = platform()->never_allowed(job, amounts, machine_.node_sets(), now_, savings());
      if (!cap) break;  // it was rejected for this very reason
      const bool machine = cap->group == PowerCap::whole_machine;
      return "with it, " + (machine ? "the machine" : "group " + spec.groups[cap->group].name) + " draws " +
             watts_text(cap->needed) + " W or more, and the power cap is never above " + watts_text(cap->most) +
             " W from its submission on";
    }
    case Rejection::predecessor:
      return "a job that it waits for was rejected, or given up";
    case Rejection::scheduler:
      break;
  }
  return "the scheduler rejected it";
}

namespace {

/// Whether not even one task has room anywhere, because there is no node for it or none that is large enough.
Rejection exactly(Rejection why, const Machine& machine, const Job& job, const Amount* amounts) {
  if (why != Rejection::too_large || machine.room_on_empty(job, amounts) > 0) return why;
  return nodes_for(machine, job) == 0 ? Rejection::no_node : Rejection::task_too_large;
}

}  // namespace

void JobLife::refuse_impossible(Slot slot, Rejection why) {
  why = exactly(why, machine_, jobs_[slot], jobs_.amounts(slot));
  throw SimulationError("job " + std::to_string(jobs_[slot].id) + ", submitted at " + std::to_string(in_seconds(now_)) +
                        " s, can never start: " + text_of(slot, why));
}

/// The job is about to leave for this reason.
void JobLife::count_rejected(Slot slot, Rejection why) {
  Job& job = jobs_[slot];
  job.rejection = exactly(why, machine_, job, jobs_.amounts(slot));
  RejectedJobs& alike = rejected_[static_cast<std::size_t>(job.rejection)];
  if (alike.count++ > 0) return;
  alike.first = job.id;
  alike.text = text_of(slot, job.rejection);
}

}  // namespace schedlab
