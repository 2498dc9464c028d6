// The machine's nodes and what is free on them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bitset.hpp"
#include "job.hpp"
#include "sorted_blocks.hpp"

namespace schedlab {

struct NodeGroup {
  std::string name;
  std::uint32_t nodes;
  std::vector<Amount> resources;  // of each node, per resource type
};

struct MachineSpec {
  std::vector<std::string> types;
  std::vector<NodeGroup> groups;
  std::vector<Amount> processor;  // what one processor of a workload stands for, per resource type
};

/// A node in the order of load that some allocators choose by.
struct LoadedNode {
  double load;  // sum over resource types of free / capacity, its sign turned where the emptiest come first
  std::uint32_t node;
  std::uint32_t room;  // for plain tasks
  bool operator<(const LoadedNode& other) const { return load != other.load ? load < other.load : node < other.node; }
};
struct RoomSummary {
  std::uint32_t largest_room = 0;
  void add(const LoadedNode& entry) { largest_room = std::max(largest_room, entry.room); }
  bool remove(const LoadedNode& entry) const { return entry.room < largest_room; }
};
using NodesByLoad = SortedBlocks<LoadedNode, RoomSummary>;

class Machine {
 public:
  explicit Machine(MachineSpec spec);

  [[nodiscard]] const MachineSpec& spec() const { return spec_; }
  [[nodiscard]] std::size_t types() const { return spec_.types.size(); }
  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] Amount capacity(std::size_t type) const { return total_capacity_[type]; }
  [[nodiscard]] Amount free(std::size_t type) const { return total_free_[type]; }
  [[nodiscard]] Amount free(std::uint32_t node, std::size_t type) const {
    return left_[type * nodes_ + node] - (plain_limit_[node] - plain_room_[node]) * spec_.processor[type];
  }
  [[nodiscard]] Amount node_capacity(std::uint32_t node, std::size_t type) const;

  /// Processors (plain tasks) that would start now, and on the empty machine.
  [[nodiscard]] std::int64_t free_processors() const { return free_processors_; }
  [[nodiscard]] std::int64_t processors() const { return processors_; }
  [[nodiscard]] std::uint32_t plain_room(std::uint32_t node) const { return plain_room_[node]; }

  /// The first node from `from` on that may have room for the job; nodes() or more where there is none.
  [[nodiscard]] std::size_t candidate(std::size_t from, const Job& job) const {
    return job.plain ? open_.next(from) : from;
  }

  /// How many tasks of this job the node could take now.
  [[nodiscard]] std::uint32_t room(std::uint32_t node, const Job& job, const Amount* amounts) const;

  /// Whether the empty machine could hold the job.
  [[nodiscard]] bool could_ever_hold(const Job& job, const Amount* amounts) const;

  /// A cheap test that no job which fits can fail: totals only (exact for plain jobs).
  [[nodiscard]] bool might_hold(const Job& job, const Amount* amounts) const;

  void take(const Job& job, const Amount* amounts) { change(job, amounts, true); }
  void give_back(const Job& job, const Amount* amounts) { change(job, amounts, false); }

  /// Amount of this type that the job holds.
  [[nodiscard]] Amount held(const Job& job, const Amount* amounts, std::size_t type) const;

  /// Starts keeping the nodes in order of load.
  void keep_load_order(bool emptiest_first);
  [[nodiscard]] const NodesByLoad& by_load() const { return by_load_; }

  /// Throws std::logic_error where an amount is out of bounds or a derived count is wrong.
  void validate() const;

 private:
  [[nodiscard]] const NodeGroup& group_of(std::uint32_t node) const;
  [[nodiscard]] std::uint32_t free_room(std::uint32_t node, const Amount* amounts, std::uint32_t tasks_per_node) const;
  [[nodiscard]] bool idle(std::uint32_t node) const;
  [[nodiscard]] LoadedNode loaded(std::uint32_t node) const;
  void change(const Job& job, const Amount* amounts, bool taking);
  void change_plain(const Job& job, bool taking);
  void change_node(std::uint32_t node, std::uint32_t tasks, const Job& job, const Amount* amounts, bool taking);
  void reorder(std::uint32_t node);

  MachineSpec spec_;
  std::uint32_t nodes_ = 0;
  std::vector<std::uint32_t> group_first_node_;
  // Plain jobs, by far the most, only change plain_room_: what they hold follows from it.
  std::vector<Amount> left_;  // [type * nodes + node]: what jobs other than plain ones leave
  std::vector<Amount> total_capacity_;
  std::vector<Amount> total_free_;
  std::vector<std::uint32_t> plain_limit_;  // per node: plain tasks that fit what is left by others
  std::vector<std::uint32_t> plain_room_;   // per node: plain tasks that fit now
  Bitset open_;                             // nodes whose plain_room_ is not 0
  std::int64_t free_processors_ = 0;
  std::int64_t processors_ = 0;
  std::vector<std::size_t> processor_types_;  // those with an amount in spec_.processor
  double load_sign_ = 0.0;                    // 0 while no load order is kept
  std::vector<LoadedNode> loaded_;            // per node, as by_load_ has it
  NodesByLoad by_load_;
};

}  // namespace schedlab
