// The machine's nodes and what is free on them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/bitset.hpp"
#include "base/sorted_blocks.hpp"
#include "jobs/job.hpp"
#include "machine/free_levels.hpp"
#include "machine/given_back.hpp"
#include "machine/licenses.hpp"
#include "machine/node_sets.hpp"

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
  std::vector<License> licenses;
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

/// How many times `amount` (above 0) goes into `free`. Most amounts fit 32 bits, and such a division takes half the
/// time.
inline Amount times_in(Amount free, Amount amount) {
  if (free < amount) return 0;
  if (((free | amount) >> 32) == 0) return static_cast<std::uint32_t>(free) / static_cast<std::uint32_t>(amount);
  return free / amount;
}

/// How many tasks of these amounts fit what `available(type)` says of each resource type.
template <class Available>
std::uint32_t room_for(const Amount* amounts, std::size_t types, std::uint32_t tasks_per_node, Available available) {
  Amount room = tasks_per_node > 0 ? tasks_per_node : std::numeric_limits<std::uint32_t>::max();
  for (std::size_t type = 0; type < types && room > 0; ++type) {
    if (amounts[type] > 0) room = std::min(room, times_in(available(type), amounts[type]));
  }
  return static_cast<std::uint32_t>(room);
}

/// Whether two jobs ask for tasks of the same shape, on the same terms.
inline bool same_request(const Job& a, const Amount* amounts_of_a, const Job& b, const Amount* amounts_of_b,
                         std::size_t types) {
  return a.tasks_per_node == b.tasks_per_node && a.whole_nodes == b.whole_nodes && a.node_set == b.node_set &&
         a.choices == b.choices && a.licenses == b.licenses &&
         std::equal(amounts_of_a, amounts_of_a + types, amounts_of_b);
}

/// How many tasks of one and the same request have room on each node now.
struct Rooms {
  const std::uint32_t* on;  // per node
  const Bitset* open;       // nodes with room
  std::int64_t total;
  bool plain;  // the request is
};

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

  /// The sets of nodes that jobs may be restricted to. A set is part of what a job asks for: nodes outside of it have
  /// no room for the job.
  [[nodiscard]] NodeSets& node_sets() { return node_sets_; }
  [[nodiscard]] const NodeSets& node_sets() const { return node_sets_; }

  /// What belongs to no node. A job that asks for some is not plain.
  [[nodiscard]] Licenses& licenses() { return licenses_; }
  [[nodiscard]] const Licenses& licenses() const { return licenses_; }

  /// The rooms for tasks such as the job's, until the next change. They are kept for the last few different requests,
  /// and brought up to date where nodes changed, so that asking again costs next to nothing.
  [[nodiscard]] Rooms rooms(const Job& job, const Amount* amounts) const {
    if (job.plain) return {plain_room_.data(), &open_, free_processors_, true};
    const Request& known = requests_[job.request];
    if (known.changes != changes() || requests_vary_ || !known.matches(job, amounts)) {
      return rooms_of_request(job, amounts);
    }
    known.last_use = ++uses_;
    return known.rooms();
  }

  /// Whether requests differ so much that keeping the rooms for the last few costs more than to look for room anew each
  /// time. Both ways find the same room.
  [[nodiscard]] bool requests_vary() const { return requests_vary_; }

  /// Calls `visit(node, room)` with the nodes that have room for tasks such as the job's, by number, while it returns
  /// true; rooms above `most` count as that. Nothing is kept of it.
  template <class Visit>
  void visit_rooms(const Job& job, const Amount* amounts, std::uint32_t most, Visit visit) const {
    if (job.plain) {
      for (std::size_t next = open_.next(0); next < nodes_; next = open_.next(next + 1)) {
        const auto node = static_cast<std::uint32_t>(next);
        if (!visit(node, plain_room_[node])) return;
      }
      return;
    }
    bring_levels_up_to_date();
    if (job.tasks_per_node > 0) most = std::min(most, job.tasks_per_node);
    levels_.visit(amounts, [&](std::uint32_t node) {
      const bool closed = !node_sets_.has(job.node_set, node) || (job.whole_nodes && !idle(node));
      const std::uint32_t found = closed ? 0 : free_room(node, amounts, most);
      return found == 0 || visit(node, found);
    });
  }

  /// Whether the job's tasks do not all have room now, or its licenses are not free.
  [[nodiscard]] bool refuses(const Job& job, const Amount* amounts) const {
    if (job.plain) return job.tasks > free_processors_;
    return still_refuses(job, amounts) || !licenses_.free_for(job.licenses) || lacks_room(job, amounts);
  }

  /// Whether it was found that the job's tasks do not all have room, and what nodes got back since cannot have changed
  /// that. Asked again and again, it looks at each node that got something back once.
  [[nodiscard]] bool still_refuses(const Job& job, const Amount* amounts) const {
    return requests_vary_ && job.refused_at != 0 &&
           (job.refused_at == given_back_.end() || refuses_in_spite_of_gains(job, amounts));
  }
  /// Notes that all nodes together have room for N of the job's tasks at most, which is too few. Where requests do not
  /// vary, to ask anew costs as little.
  void note_refusal(const Job& job, std::int64_t room) const {
    if (job.plain || !requests_vary_) return;
    job.refused_at = given_back_.end();
    job.known_room = static_cast<std::uint32_t>(room);
  }

  /// How many processors must be free before the job can start: its tasks if each needs one or more, else 0.
  [[nodiscard]] std::uint32_t processors_needed(const Job& job, const Amount* amounts) const;

  /// The fewest nodes that can hold all tasks of the job, which the empty machine has room for.
  [[nodiscard]] std::uint32_t fewest_nodes(const Job& job, const Amount* amounts) const;

  /// Whether nobody holds anything of the node.
  [[nodiscard]] bool idle(std::uint32_t node) const;

  /// How many tasks of this job the node could take now.
  [[nodiscard]] std::uint32_t room(std::uint32_t node, const Job& job, const Amount* amounts) const;

  /// The same where `free` is left of each type on the node (all of it: the node is idle).
  [[nodiscard]] std::uint32_t room_in(const Amount* free, std::uint32_t node, const Job& job,
                                      const Amount* amounts) const {
    if (!node_sets_.has(job.node_set, node) || (job.whole_nodes && !all_of(node, free))) return 0;
    return room_for(amounts, types(), job.tasks_per_node, [&](std::size_t type) { return free[type]; });
  }

  /// What N tasks of the job take of the node, per type.
  [[nodiscard]] Amount taken(std::uint32_t node, std::size_t type, const Job& job, const Amount* amounts,
                             std::uint32_t tasks) const {
    return job.whole_nodes ? node_capacity(node, type) : amounts[type] * tasks;
  }

  /// Whether all tasks of the job have room now, and its licenses are free.
  [[nodiscard]] bool has_room(const Job& job, const Amount* amounts) const {
    return rooms(job, amounts).total >= job.tasks && licenses_.free_for(job.licenses);
  }

  /// How many tasks of the job an empty node of the group could take, be it one that the job may use or not.
  [[nodiscard]] std::uint32_t room_on_empty(std::size_t group, const Job& job, const Amount* amounts) const;
  /// How many of its tasks the empty machine has room for.
  [[nodiscard]] std::int64_t room_on_empty(const Job& job, const Amount* amounts) const;
  /// Whether the empty machine could hold the job.
  [[nodiscard]] bool could_ever_hold(const Job& job, const Amount* amounts) const;

  /// A cheap test that no job which fits can fail: totals only, and licenses (exact for plain jobs).
  [[nodiscard]] bool might_hold(const Job& job, const Amount* amounts) const;

  void take(const Job& job, const Amount* amounts) { change(job, amounts, true); }
  void give_back(const Job& job, const Amount* amounts) { change(job, amounts, false); }

  /// Amount of this type that the job holds.
  [[nodiscard]] Amount held(const Job& job, const Amount* amounts, std::size_t type) const;
  /// Nodes that the job holds, the parts of nodes added up.
  [[nodiscard]] double nodes_held(const Job& job, const Amount* amounts) const;

  /// Starts keeping the nodes in order of load.
  void keep_load_order(bool emptiest_first);
  [[nodiscard]] const NodesByLoad& by_load() const { return by_load_; }

  void archive(Archive& archive);

  /// Throws std::logic_error where an amount is out of bounds or a derived count is wrong.
  void validate() const;

 private:
  [[nodiscard]] const NodeGroup& group_of(std::uint32_t node) const;
  [[nodiscard]] bool all_of(std::uint32_t node, const Amount* amounts) const;
  /// How many there were since they are noted.
  [[nodiscard]] std::uint64_t changes() const { return forgotten_changes_ + changed_.size(); }
  /// How many tasks of these amounts, at most N, fit what is free on the node.
  [[nodiscard]] std::uint32_t free_room(std::uint32_t node, const Amount* amounts, std::uint32_t most) const {
    const Amount plain_tasks = plain_limit_[node] - plain_room_[node];
    const Amount* left = left_.data() + node;
    const Amount* processor = spec_.processor.data();
    const std::size_t types = total_free_.size();
    Amount room = most;
    for (std::size_t type = 0; type < types; ++type, left += nodes_) {
      if (amounts[type] == 0) continue;
      const Amount free = *left - plain_tasks * processor[type];
      if (free < amounts[type]) return 0;
      if (room > 1) room = std::min(room, times_in(free, amounts[type]));
    }
    return static_cast<std::uint32_t>(room);
  }
  [[nodiscard]] LoadedNode loaded(std::uint32_t node) const;
  /// Rooms that are kept for a request.
  struct Request {
    static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

    std::vector<Amount> amounts;
    std::uint32_t tasks_per_node = 0;
    bool whole_nodes = false;
    std::uint32_t node_set = NodeSets::all;
    std::vector<std::uint32_t> on;
    Bitset open;
    std::int64_t total = 0;
    std::uint64_t changes = unknown;     // of the machine, that it knows of
    mutable std::uint64_t last_use = 0;  // when it was last asked for

    [[nodiscard]] Rooms rooms() const { return {on.data(), &open, total, false}; }
    [[nodiscard]] bool matches(const Job& job, const Amount* wanted) const {
      bool same = tasks_per_node == job.tasks_per_node && whole_nodes == job.whole_nodes && node_set == job.node_set;
      for (const Amount amount : amounts) same = same && amount == *wanted++;
      return same;
    }
  };
  [[nodiscard]] Rooms rooms_of_request(const Job& job, const Amount* amounts) const;
  void find_request(const Job& job, const Amount* amounts) const;
  void note_use(std::uint64_t nodes) const;
  void bring_up_to_date(Request& request, const Job& job, const Amount* amounts) const;
  void bring_levels_up_to_date() const;
  [[nodiscard]] bool lacks_room(const Job& job, const Amount* amounts) const;
  [[nodiscard]] bool refuses_in_spite_of_gains(const Job& job, const Amount* amounts) const;
  void note_change(std::uint32_t node);
  template <class Gained>
  void note_given_back(std::uint32_t node, Gained gained);

  void change(const Job& job, const Amount* amounts, bool taking);
  void change_plain(const Job& job, bool taking);
  void change_node(std::uint32_t node, std::uint32_t tasks, const Job& job, const Amount* amounts, bool taking);
  void reorder(std::uint32_t node);

  MachineSpec spec_;
  std::uint32_t nodes_ = 0;
  std::vector<std::uint32_t> group_first_node_;
  NodeSets node_sets_;
  Licenses licenses_;
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
  static constexpr std::size_t most_requests = 16;
  static constexpr std::size_t most_given_back = 4096;  // nodes, that are surely remembered
  mutable std::vector<Request> requests_;
  mutable std::uint64_t uses_ = 0;
  mutable std::uint64_t noted_uses_ = 0;     // of those
  mutable std::uint64_t nodes_per_use_ = 0;  // looked at anew: a mean of the last uses, times their number
  mutable bool requests_vary_ = false;
  std::vector<std::uint32_t> changed_;   // nodes, in the order of their changes, once `followed_`
  std::uint64_t forgotten_changes_ = 0;  // before those
  mutable bool followed_ = false;        // changes are noted, for those who ask
  mutable FreeLevels levels_;            // as of `levels_changes_`
  mutable std::uint64_t levels_changes_ = 0;
  mutable GivenBack given_back_;    // while requests vary
  double load_sign_ = 0.0;          // 0 while no load order is kept
  std::vector<LoadedNode> loaded_;  // per node, as by_load_ has it
  NodesByLoad by_load_;
};

}  // namespace schedlab
