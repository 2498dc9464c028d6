// Partitions: named sets of nodes, which may overlap, and what jobs there may ask for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "machine/node_sets.hpp"

namespace schedlab {

struct Partition {
  static constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();

  std::string name;
  double number;  // by which jobs name it
  NodeRanges nodes;
  Time longest = never;            // requested time
  std::uint32_t most_nodes = any;  // that a job needs at least
  std::uint32_t most_tasks = any;
  bool is_default = false;                 // for jobs that name none
  std::uint16_t preemption = 0;            // the number of the rule by which its jobs preempt others; 0: none
  std::uint32_t node_set = NodeSets::all;  // the number of its nodes
};

/// The numbers by which jobs name several partitions at once.
class PartitionLists {
 public:
  PartitionLists() = default;
  PartitionLists(const PartitionLists&) = default;
  PartitionLists& operator=(const PartitionLists&) = delete;
  virtual ~PartitionLists() = default;

  /// The numbers of the partitions, in the job's order; empty where the number stands for no such list.
  [[nodiscard]] virtual std::vector<double> numbers(double number) const = 0;

  [[nodiscard]] virtual std::unique_ptr<PartitionLists> clone() const = 0;
};

class Partitions {
 public:
  Partitions() = default;
  explicit Partitions(std::vector<Partition> partitions) : all_(std::move(partitions)) {
    std::sort(all_.begin(), all_.end(), [](const Partition& a, const Partition& b) { return a.number < b.number; });
  }

  [[nodiscard]] bool empty() const { return all_.empty(); }

  /// Gives the nodes of each their number, before jobs are asked for; true where some job may not use all nodes.
  bool find_sets(NodeSets& sets) {
    for (Partition& partition : all_) partition.node_set = sets.number_of(partition.nodes);
    return sets.size() > 1;
  }

  /// Whether a job's attribute names a partition: its number is not missing.
  [[nodiscard]] static bool named(double number) { return number >= 0.0; }  // not of what is not a number

  /// The partition of a job; null where it names none and none is the default, or where there is none of that number.
  [[nodiscard]] const Partition* of(double number) const {
    if (!named(number)) {
      const auto found = std::find_if(all_.begin(), all_.end(), [](const Partition& one) { return one.is_default; });
      return found == all_.end() ? nullptr : &*found;
    }
    const auto found = std::lower_bound(all_.begin(), all_.end(), number,
                                        [](const Partition& one, double wanted) { return one.number < wanted; });
    return found == all_.end() || found->number != number ? nullptr : &*found;
  }

 private:
  std::vector<Partition> all_;  // by number
};

}  // namespace schedlab
