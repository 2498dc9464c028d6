#include "machine/machine.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

Machine::Machine(MachineSpec spec)
    : spec_(std::move(spec)),
      total_capacity_(spec_.types.size()),
      total_free_(spec_.types.size()),
      requests_(most_requests) {
  std::vector<std::uint32_t> group_sizes;
  for (const NodeGroup& group : spec_.groups) {
    group_first_node_.push_back(nodes_);
    group_sizes.push_back(group.nodes);
    nodes_ += group.nodes;
    for (std::size_t type = 0; type < types(); ++type) {
      total_capacity_[type] += static_cast<Amount>(group.nodes) * group.resources[type];
    }
    const std::uint32_t room =
        room_for(spec_.processor.data(), types(), 0, [&](std::size_t type) { return group.resources[type]; });
    plain_room_.insert(plain_room_.end(), group.nodes, room);
    processors_ += static_cast<std::int64_t>(room) * group.nodes;
  }
  for (std::size_t type = 0; type < types(); ++type) {
    if (spec_.processor[type] > 0) processor_types_.push_back(type);
    for (const NodeGroup& group : spec_.groups) left_.insert(left_.end(), group.nodes, group.resources[type]);
  }
  licenses_ = Licenses(spec_.licenses);
  given_back_ = GivenBack(types(), std::min<std::size_t>(nodes_, most_given_back) + 64);
  node_sets_ = NodeSets(std::move(group_sizes));
  plain_limit_ = plain_room_;
  total_free_ = total_capacity_;
  free_processors_ = processors_;
  open_ = Bitset(nodes_);
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    if (plain_room_[node] > 0) open_.insert(node);
  }
}

const NodeGroup& Machine::group_of(std::uint32_t node) const {
  const auto after = std::upper_bound(group_first_node_.begin(), group_first_node_.end(), node);
  return spec_.groups[static_cast<std::size_t>(after - group_first_node_.begin()) - 1];
}

bool Machine::all_of(std::uint32_t node, const Amount* amounts) const {
  const std::vector<Amount>& whole = group_of(node).resources;
  return std::equal(whole.begin(), whole.end(), amounts);
}

Amount Machine::node_capacity(std::uint32_t node, std::size_t type) const { return group_of(node).resources[type]; }

void Machine::note_change(std::uint32_t node) {
  if (!followed_) return;
  if (changed_.size() > 2 * std::size_t{nodes_}) {
    forgotten_changes_ += changed_.size();
    changed_.clear();
  }
  changed_.push_back(node);
}

std::uint32_t Machine::processors_needed(const Job& job, const Amount* amounts) const {
  if (job.plain) return job.tasks;
  Amount each = std::numeric_limits<std::uint32_t>::max();
  for (const std::size_t type : processor_types_) each = std::min(each, times_in(amounts[type], spec_.processor[type]));
  return static_cast<std::uint32_t>(std::min<Amount>(each * job.tasks, std::numeric_limits<std::uint32_t>::max()));
}

bool Machine::idle(std::uint32_t node) const {
  const NodeGroup& group = group_of(node);
  for (std::size_t type = 0; type < types(); ++type) {
    if (free(node, type) < group.resources[type]) return false;
  }
  return true;
}

bool Machine::could_ever_hold(const Job& job, const Amount* amounts) const {
  if (job.plain) return job.tasks <= processors_;
  return room_on_empty(job, amounts) >= job.tasks;
}

std::uint32_t Machine::room_on_empty(std::size_t group, const Job& job, const Amount* amounts) const {
  const std::vector<Amount>& resources = spec_.groups[group].resources;
  return room_for(amounts, types(), job.tasks_per_node, [&](std::size_t type) { return resources[type]; });
}

std::int64_t Machine::room_on_empty(const Job& job, const Amount* amounts) const {
  std::int64_t tasks = 0;
  for (std::size_t group = 0; group < spec_.groups.size(); ++group) {
    tasks += std::int64_t{room_on_empty(group, job, amounts)} * node_sets_.in_group(job.node_set, group);
  }
  return tasks;
}

std::uint32_t Machine::fewest_nodes(const Job& job, const Amount* amounts) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> groups;  // tasks that a node has room for, nodes
  groups.reserve(spec_.groups.size());
  for (std::size_t group = 0; group < spec_.groups.size(); ++group) {
    groups.emplace_back(room_on_empty(group, job, amounts), node_sets_.in_group(job.node_set, group));
  }
  std::sort(groups.begin(), groups.end(), std::greater<>());
  std::uint32_t nodes = 0;
  std::uint64_t tasks = job.tasks;
  for (const auto& [room, count] : groups) {
    const std::uint64_t here = room == 0 ? 0 : std::min<std::uint64_t>(count, (tasks + room - 1) / room);
    nodes += static_cast<std::uint32_t>(here);
    tasks -= std::min(tasks, here * room);
  }
  return nodes;
}

bool Machine::might_hold(const Job& job, const Amount* amounts) const {
  if (job.plain) return job.tasks <= free_processors_;
  for (std::size_t type = 0; type < types(); ++type) {
    if (total_free_[type] < amounts[type] * job.tasks) return false;  // no overflow: the empty machine could hold it
  }
  return licenses_.free_for(job.licenses);
}

double Machine::nodes_held(const Job& job, const Amount* amounts) const {
  const std::vector<Amount>& processor = spec_.processor;
  double sum = 0.0;
  for (const NodeRun& run : job.placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      double share = 1.0;
      for (std::size_t type = 0; type < types() && !job.whole_nodes; ++type) {
        if (processor[type] == 0) continue;
        const auto capacity = static_cast<double>(node_capacity(node, type));
        const auto taken = static_cast<double>(amounts[type] * run.tasks);
        share = std::min(share, capacity > 0.0 ? taken / capacity : 0.0);
      }
      sum += share;
    }
  }
  return sum;
}

Amount Machine::held(const Job& job, const Amount* amounts, std::size_t type) const {
  if (!job.whole_nodes) return amounts[type] * job.tasks;
  Amount sum = 0;
  for (const NodeRun& run : job.placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) sum += node_capacity(node, type);
  }
  return sum;
}

template <class Gained>
void Machine::note_given_back(std::uint32_t node, Gained gained) {
  if (!requests_vary_) return;
  given_back_.add(node, [&](std::size_t type) { return free(node, type); }, gained);
}

void Machine::change(const Job& job, const Amount* amounts, bool taking) {
  if (job.plain) {
    change_plain(job, taking);
    return;
  }
  taking ? licenses_.take(job.licenses) : licenses_.give_back(job.licenses);
  for (const NodeRun& run : job.placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      change_node(node, run.tasks, job, amounts, taking);
      if (!taking) note_given_back(node, [&](std::size_t type) { return taken(node, type, job, amounts, run.tasks); });
    }
  }
}

void Machine::change_plain(const Job& job, bool taking) {
  const std::int64_t sign = taking ? -1 : 1;
  free_processors_ += sign * job.tasks;
  for (const std::size_t type : processor_types_) total_free_[type] += sign * job.tasks * spec_.processor[type];
  std::uint32_t* room = plain_room_.data();
  for (const NodeRun& run : job.placement) {
    const std::uint32_t end = run.first + run.count;
    if (taking) {
      for (std::uint32_t node = run.first; node < end; ++node) {
        if ((room[node] -= run.tasks) == 0) open_.erase(node);
      }
    } else {
      for (std::uint32_t node = run.first; node < end; ++node) {
        if (room[node] == 0) open_.insert(node);
        room[node] += run.tasks;
      }
    }
  }
  if (load_sign_ == 0.0 && !followed_) return;
  for (const NodeRun& run : job.placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
      if (load_sign_ != 0.0) reorder(node);
      note_change(node);
      if (!taking) note_given_back(node, [&](std::size_t type) { return spec_.processor[type] * run.tasks; });
    }
  }
}

void Machine::change_node(std::uint32_t node, std::uint32_t tasks, const Job& job, const Amount* amounts, bool taking) {
  const std::uint32_t plain_tasks = plain_limit_[node] - plain_room_[node];
  Amount limit = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t type = 0; type < types(); ++type) {
    const Amount amount = taken(node, type, job, amounts, tasks);
    Amount& left = left_[type * nodes_ + node];
    left += taking ? -amount : amount;
    total_free_[type] += taking ? -amount : amount;
    if (spec_.processor[type] > 0) limit = std::min(limit, left / spec_.processor[type]);
  }
  plain_limit_[node] = static_cast<std::uint32_t>(limit);
  const std::uint32_t room = plain_limit_[node] - plain_tasks;
  free_processors_ += static_cast<std::int64_t>(room) - plain_room_[node];
  plain_room_[node] = room;
  if (room > 0) {
    open_.insert(node);
  } else {
    open_.erase(node);
  }
  if (load_sign_ != 0.0) reorder(node);
  note_change(node);
}

void Machine::reorder(std::uint32_t node) {
  by_load_.remove(loaded_[node]);
  loaded_[node] = loaded(node);
  by_load_.insert(loaded_[node]);
}

LoadedNode Machine::loaded(std::uint32_t node) const {
  double share = 0.0;
  const NodeGroup& group = group_of(node);
  for (std::size_t type = 0; type < types(); ++type) {
    if (group.resources[type] > 0) {
      share += static_cast<double>(free(node, type)) / static_cast<double>(group.resources[type]);
    }
  }
  return {load_sign_ * share, node, plain_room_[node]};
}

void Machine::keep_load_order(bool emptiest_first) {
  load_sign_ = emptiest_first ? -1.0 : 1.0;
  loaded_.clear();
  by_load_ = {};
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    loaded_.push_back(loaded(node));
    by_load_.insert(loaded_[node]);
  }
}

void Machine::archive(Archive& archive) {
  archive(left_, total_free_, plain_limit_, plain_room_, free_processors_, node_sets_, licenses_);
  if (!archive.reading()) return;
  if (left_.size() != types() * nodes_ || plain_limit_.size() != nodes_ || plain_room_.size() != nodes_ ||
      total_free_.size() != types()) {
    throw InputError("the saved state is of another machine");
  }
  requests_.assign(most_requests, Request());
  levels_ = {};
  followed_ = false;
  given_back_.forget_all();
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    if (plain_room_[node] > 0) {
      open_.insert(node);
    } else {
      open_.erase(node);
    }
  }
  if (load_sign_ != 0.0) keep_load_order(load_sign_ < 0.0);
}

void Machine::validate() const {
  const auto check = [](bool holds, const char* what) {
    if (!holds) throw std::logic_error(std::string("machine: ") + what);
  };
  std::vector<Amount> sums(types());
  std::int64_t processors = 0;
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    for (std::size_t type = 0; type < types(); ++type) {
      check(free(node, type) >= 0 && free(node, type) <= node_capacity(node, type), "free amount out of bounds");
      sums[type] += free(node, type);
    }
    check(plain_room_[node] == free_room(node, spec_.processor.data(), std::numeric_limits<std::uint32_t>::max()),
          "plain room");
    check(open_.contains(node) == (plain_room_[node] > 0), "open nodes");
    processors += plain_room_[node];
  }
  for (std::size_t kind = 0; kind < licenses_.kinds(); ++kind) {
    check(licenses_.used(kind) >= 0 && licenses_.used(kind) <= licenses_.all()[kind].amount, "licenses out of bounds");
  }
  check(sums == total_free_, "total free amounts");
  check(processors == free_processors_, "free processors");
  check(load_sign_ == 0.0 || by_load_.size() == nodes_, "load order");
}

}  // namespace schedlab
