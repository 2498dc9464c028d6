// Sets of nodes that jobs are restricted to: those of their partition that have what they need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/bitset.hpp"
#include "jobs/job.hpp"

namespace schedlab {

struct NodeRange {
  std::uint32_t first;
  std::uint32_t count;

  void archive(Archive& archive) { archive(first, count); }
  bool operator==(const NodeRange&) const = default;
  auto operator<=>(const NodeRange&) const = default;
};
/// Ascending, apart from each other.
using NodeRanges = std::vector<NodeRange>;

/// The sets, by number. Number 0 is all nodes of the machine, and the same nodes always have the same number: it is
/// part of what a job asks for.
class NodeSets {
 public:
  static constexpr std::uint32_t all = 0;

  NodeSets() = default;
  /// The numbers of nodes of the machine's groups, in order.
  explicit NodeSets(std::vector<std::uint32_t> group_sizes);

  /// The number of a set, which is added where it is new; there may be none in it. Throws InputError where there are
  /// too many sets.
  std::uint32_t number_of(const NodeRanges& ranges);
  /// The number of what two sets have in common.
  std::uint32_t both(std::uint32_t one, std::uint32_t other);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(sets_.size()); }
  [[nodiscard]] bool has(std::uint32_t set, std::uint32_t node) const {
    return set == all || sets_[set].members.contains(node);
  }
  /// How many nodes of a group are in the set, and of N nodes from `first` on.
  [[nodiscard]] std::uint32_t in_group(std::uint32_t set, std::size_t group) const {
    return sets_[set].of_group[group];
  }
  [[nodiscard]] std::uint32_t among(std::uint32_t set, std::uint32_t first, std::uint32_t count) const;

  /// The number of several sets, any one of which a job may use; they are tried in this order.
  std::uint32_t choices_of(const std::vector<std::uint32_t>& sets);
  [[nodiscard]] const std::vector<std::uint32_t>& choices(std::uint32_t number) const { return choices_[number]; }
  [[nodiscard]] std::size_t number_of_choices() const { return choices_.size(); }

  /// Puts a job that waits, and is in the first of its sets, into the first for which `holds()`, and leaves it there;
  /// true. Where there is none it stays in the first.
  template <class Holds>
  bool choose(const Job& job, Holds holds) const {
    if (holds()) return true;
    if (job.choices == 0) return false;
    const std::vector<std::uint32_t>& sets = choices_[job.choices];
    for (std::size_t i = 1; i < sets.size(); ++i) {
      put(job, sets[i]);
      if (holds()) return true;
    }
    put(job, sets.front());
    return false;
  }
  /// Whether this holds for any of the job's sets; it stays in the one that it is in.
  template <class Holds>
  bool any(const Job& job, Holds holds) const {
    if (job.choices == 0) return holds();
    const std::uint32_t present = job.node_set;
    const std::vector<std::uint32_t>& sets = choices_[job.choices];
    const bool found = std::any_of(sets.begin(), sets.end(), [&](std::uint32_t set) {
      put(job, set);
      return holds();
    });
    put(job, present);
    return found;
  }
  void put_into_first(const Job& job) const {
    if (job.choices != 0) put(job, choices_[job.choices].front());
  }
  /// What is known of the job in one set does not hold in another.
  static void put(const Job& job, std::uint32_t set) {
    job.node_set = set;
    job.refused_at = 0;
    job.not_before = 0;
  }

  /// A job of a saved state has the number of its set, so the sets are saved in their order. Those that are known when
  /// a state is read are among them.
  void archive(Archive& archive);

 private:
  static constexpr std::size_t most_sets = 100'000;
  struct Set {
    NodeRanges ranges;
    Bitset members;
    std::vector<std::uint32_t> of_group;
  };

  [[nodiscard]] std::uint32_t nodes() const;

  std::vector<std::uint32_t> group_sizes_;
  std::vector<Set> sets_;
  std::map<NodeRanges, std::uint32_t> numbers_;
  std::vector<std::vector<std::uint32_t>> choices_{{}};
  std::map<std::vector<std::uint32_t>, std::uint32_t> choice_numbers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> common_;  // to two of them
};

}  // namespace schedlab
