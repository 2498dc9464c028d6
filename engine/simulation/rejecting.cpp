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

std::string watts_text(double watts) {
  std::array<char, 32> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "%.1f", watts);
  return {digits.data(), static_cast<std::size_t>(length)};
}

/// What nodes have, different ones once.
std::string nodes_text(const MachineSpec& spec) {
  std::vector<std::string> found;
  for (const NodeGroup& group : spec.groups) {
    std::string text = amounts_text(spec.types, group.resources.data());
    if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(std::move(text));
  }
  std::string text = "a node has " + found.front();
  for (std::size_t i = 1; i < std::min(found.size(), most_named_groups); ++i) text += ", or " + found[i];
  return found.size() > most_named_groups ? text + ", or others" : text;
}

/// Tasks of the job that the empty machine has room for, all together.
std::int64_t room_for_all(const MachineSpec& spec, const Job& job, const Amount* amounts) {
  std::int64_t sum = 0;
  for (const NodeGroup& group : spec.groups) {
    sum += static_cast<std::int64_t>(group.nodes) * room_for(amounts, spec.types.size(), job.tasks_per_node,
                                                             [&](std::size_t type) { return group.resources[type]; });
  }
  return sum;
}

}  // namespace

/// Ways to save power that are open to policies and failures; those of the conditions the platform knows.
PowerSavings JobLife::savings() const {
  const bool nodes_may_change = scheduler_->changes_nodes();
  return {nodes_may_change, nodes_may_change, nodes_may_change, nodes_fail()};
}

bool JobLife::power_allows_ever(Slot slot) const {
  return !platform()->never_allowed(jobs_[slot], jobs_.amounts(slot), now_, savings());
}

std::string JobLife::text_of(Slot slot, Rejection why) const {
  const Job& job = jobs_[slot];
  const Amount* amounts = jobs_.amounts(slot);
  const MachineSpec& spec = machine_.spec();
  const std::string task = amounts_text(spec.types, amounts);
  const std::string per_node =
      job.tasks_per_node == 0 ? "" : ", at most " + std::to_string(job.tasks_per_node) + " on a node";
  switch (why) {
    case Rejection::task_too_large:
      return "each of its tasks needs " + task + " of one node, and " + nodes_text(spec);
    case Rejection::too_large:
      return "it asks for " + std::to_string(job.tasks) + " tasks of " + task + per_node +
             ", and the machine has room for " + std::to_string(room_for_all(spec, job, amounts)) +
             " of them: " + std::to_string(machine_.nodes()) + " nodes, " + nodes_text(spec);
    case Rejection::no_queue:
      return "no queue admits it";
    case Rejection::power_cap: {
      const auto cap = platform()->never_allowed(job, amounts, now_, savings());
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

/// Whether not even one task has room anywhere.
Rejection exactly(Rejection why, const MachineSpec& spec, const Job& job, const Amount* amounts) {
  const bool none = why == Rejection::too_large && room_for_all(spec, job, amounts) == 0;
  return none ? Rejection::task_too_large : why;
}

}  // namespace

void JobLife::refuse_impossible(Slot slot, Rejection why) {
  why = exactly(why, machine_.spec(), jobs_[slot], jobs_.amounts(slot));
  throw SimulationError("job " + std::to_string(jobs_[slot].id) + ", submitted at " + std::to_string(in_seconds(now_)) +
                        " s, can never start: " + text_of(slot, why));
}

/// The job is about to leave for this reason.
void JobLife::count_rejected(Slot slot, Rejection why) {
  Job& job = jobs_[slot];
  job.rejection = exactly(why, machine_.spec(), job, jobs_.amounts(slot));
  RejectedJobs& alike = rejected_[static_cast<std::size_t>(job.rejection)];
  if (alike.count++ > 0) return;
  alike.first = job.id;
  alike.text = text_of(slot, job.rejection);
}

}  // namespace schedlab
