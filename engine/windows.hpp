// Advance reservations and maintenance: times during which some nodes are for some jobs only, or for none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "job.hpp"
#include "time.hpp"

namespace schedlab {

struct NodeRange {
  std::uint32_t first;
  std::uint32_t count;
};

struct Window {
  static constexpr std::uint32_t no_rule = 64;

  Time start;
  Time end;
  std::vector<NodeRange> nodes;  // ascending, apart from each other
  std::uint32_t rule = no_rule;  // jobs that this rule admits may use the nodes all the same

  [[nodiscard]] bool has(std::uint32_t node) const {
    const auto after =
        std::upper_bound(nodes.begin(), nodes.end(), node,
                         [](std::uint32_t wanted, const NodeRange& range) { return wanted < range.first; });
    return after != nodes.begin() && node - (after - 1)->first < (after - 1)->count;
  }
  [[nodiscard]] bool admits(const Job& job) const { return rule != no_rule && ((job.admissions >> rule) & 1U) != 0; }
};

/// All windows of a simulation. The clock moves on with `advance`; what lies behind is not looked at again.
class Windows {
 public:
  Windows() = default;
  explicit Windows(std::vector<Window> windows) : windows_(std::move(windows)) {
    std::stable_sort(windows_.begin(), windows_.end(),
                     [](const Window& a, const Window& b) { return a.start < b.start; });
    for (const Window& window : windows_) {
      changes_.push_back(window.start);
      changes_.push_back(window.end);
    }
    std::sort(changes_.begin(), changes_.end());
    changes_.erase(std::unique(changes_.begin(), changes_.end()), changes_.end());
  }

  [[nodiscard]] bool empty() const { return windows_.empty(); }

  /// When the next window begins or ends; `never` after the last.
  [[nodiscard]] Time next_change() const { return next_ < changes_.size() ? changes_[next_] : never; }

  /// Goes on to `now`; true if a window began or ended since the last call.
  bool advance(Time now) {
    const std::size_t before = next_;
    while (next_ < changes_.size() && changes_[next_] <= now) ++next_;
    while (passed_ < windows_.size() && windows_[passed_].end <= now) ++passed_;
    return next_ != before;
  }

  /// Calls `visit(window)` for each window, not yet over, that overlaps [from, to) and does not admit the job.
  template <class Visit>
  void closed_to(const Job& job, Time from, Time to, Visit visit) const {
    for (std::size_t i = passed_; i < windows_.size() && windows_[i].start < to; ++i) {
      if (windows_[i].end > from && !windows_[i].admits(job)) visit(windows_[i]);
    }
  }

  /// Whether the job may be on the node throughout [from, to).
  [[nodiscard]] bool open(std::uint32_t node, const Job& job, Time from, Time to) const {
    bool result = true;
    closed_to(job, from, to, [&](const Window& window) { result = result && !window.has(node); });
    return result;
  }

  void archive(Archive& archive) { archive(next_, passed_); }

 private:
  std::vector<Window> windows_;  // by start
  std::vector<Time> changes_;    // starts and ends, ascending
  std::size_t next_ = 0;         // of changes_
  std::size_t passed_ = 0;       // windows before this one are over
};

}  // namespace schedlab
