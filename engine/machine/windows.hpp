// Advance reservations and maintenance: times during which some nodes are for some jobs only, or for none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "jobs/job.hpp"
#include "machine/node_sets.hpp"

namespace schedlab {

struct NodeGroup;

struct Window {
  static constexpr std::uint32_t no_rule = 64;

  Time start;
  Time end;
  std::uint32_t nodes;           // which of the sets of nodes
  std::uint32_t rule = no_rule;  // jobs that this rule admits may use the nodes all the same

  [[nodiscard]] bool admits(const Job& job) const { return rule != no_rule && ((job.admissions >> rule) & 1U) != 0; }
};

/// All windows of a simulation. The clock moves on with `advance`; what is over is not looked at again.
///
/// Nodes are looked at in parts: neighbours of one group that every window has all or none of. There are few of them,
/// and what holds for one node of a part holds for all.
class Windows {
 public:
  Windows() = default;
  /// Each set of nodes is ascending, its ranges apart from each other; every window has one of them.
  Windows(std::vector<Window> windows, std::vector<std::vector<NodeRange>> node_sets);

  /// Says what nodes there are, before nodes are asked for.
  void divide(const std::vector<NodeGroup>& groups);

  [[nodiscard]] bool empty() const { return windows_.empty(); }
  [[nodiscard]] std::size_t size() const { return windows_.size(); }

  /// When the next window begins or ends; `never` after the last.
  [[nodiscard]] Time next_change() const { return next_ < changes_.size() ? changes_[next_] : never; }

  /// Advances to `now`; true if a window began or ended since the last call.
  bool advance(Time now);

  [[nodiscard]] const std::vector<NodeRange>& parts() const { return parts_; }
  [[nodiscard]] std::uint32_t part_of(std::uint32_t node) const { return part_of_[node]; }
  /// The parts that the window has, as ranges of their numbers.
  [[nodiscard]] const std::vector<NodeRange>& parts_of(const Window& window) const { return sets_[window.nodes]; }

  [[nodiscard]] const Window& by_start(std::size_t place) const { return windows_[place]; }
  [[nodiscard]] const Window& by_end(std::size_t place) const { return windows_[by_end_[place]]; }
  /// The first place, by start, of a window that does not begin before `time`.
  [[nodiscard]] std::size_t first_from(Time time) const;
  /// The first place, by end, of a window that ends after `time`.
  [[nodiscard]] std::size_t first_ending_after(Time time) const;

  /// Calls `visit(window)` for each window, not yet over, that overlaps [from, to) and does not admit the job, by
  /// start, while it returns true.
  template <class Visit>
  void closed_to(const Job& job, Time from, Time to, Visit visit) const {
    for (std::size_t i = passed_; i < windows_.size() && windows_[i].start < to;) {
      if (const std::size_t over = over_by(i, from); over > 0) {
        i += over;
        continue;
      }
      const Window& window = windows_[i++];
      if (window.end > from && !window.admits(job) && !visit(window)) return;
    }
  }

  /// Whether the job may be on the node throughout [from, to).
  [[nodiscard]] bool open(std::uint32_t node, const Job& job, Time from, Time to) const;

  void archive(Archive& archive) { archive(next_, passed_); }

 private:
  static constexpr std::size_t block = 64;
  static constexpr std::size_t blocks = block * block;

  /// How many windows from this place on end by `time`, as far as that can be seen at one look.
  [[nodiscard]] std::size_t over_by(std::size_t place, Time time) const {
    if (place % block != 0 || latest_end_[place / block] > time) return 0;
    return place % blocks == 0 && latest_end_of_blocks_[place / blocks] <= time ? blocks : block;
  }

  std::vector<Window> windows_;               // by start
  std::vector<std::uint32_t> by_end_;         // their places there
  std::vector<Time> latest_end_;              // of each block of windows,
  std::vector<Time> latest_end_of_blocks_;    // and of each block of blocks
  std::vector<Time> changes_;                 // starts and ends, ascending
  std::vector<std::vector<NodeRange>> sets_;  // of nodes; once divided, of parts
  std::vector<NodeRange> parts_;              // each its nodes
  std::vector<std::uint32_t> part_of_;        // by node
  std::size_t next_ = 0;                      // of changes_
  std::size_t passed_ = 0;                    // windows before this one are over
};

}  // namespace schedlab
