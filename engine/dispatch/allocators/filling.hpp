// Placements in the making: node after node, each filled before the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dispatch/allocators/allocator.hpp"

namespace schedlab {

/// Brings a placement made in any order of nodes into the form that Placement promises.
inline void sort_and_merge(Placement& placement) {
  std::sort(placement.begin(), placement.end(), [](const NodeRun& a, const NodeRun& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < placement.size(); ++i) {
    NodeRun& last = placement[kept];
    if (last.first + last.count == placement[i].first && last.tasks == placement[i].tasks) {
      last.count += placement[i].count;
    } else {
      placement[++kept] = placement[i];
    }
  }
  placement.resize(kept + 1);
}

/// Adds nodes to a placement until all tasks of the job have one.
class Filling {
 public:
  Filling(const Job& job, NodeLimit* limit, Placement& placement)
      : left_(job.tasks), limit_(limit), placement_(placement) {
    placement.clear();
    if (limit != nullptr) limit->begin();
  }

  /// Puts what fits on the node and returns whether every task now has a place.
  bool add(std::uint32_t node, std::uint32_t room) {
    std::uint32_t tasks = std::min(room, left_);
    if (limit_ != nullptr) {
      tasks = limit_->at_most(node, tasks);
      if (tasks == 0) return false;
      limit_->take(node, tasks);
    }
    left_ -= tasks;
    if (!placement_.empty()) {
      NodeRun& last = placement_.back();
      if (last.first + last.count == node && last.tasks == tasks) {
        ++last.count;
        return left_ == 0;
      }
    }
    placement_.push_back({node, 1, tasks});
    return left_ == 0;
  }

  /// Tasks without a place.
  [[nodiscard]] std::uint32_t left() const { return left_; }

  bool give_up() {
    placement_.clear();
    return false;
  }

  /// All tasks have a place, and nodes were added in any order.
  bool sorted(Placement* taken) {
    if (taken != nullptr) *taken = placement_;
    sort_and_merge(placement_);
    return true;
  }

 private:
  std::uint32_t left_;
  NodeLimit* limit_;
  Placement& placement_;
};

}  // namespace schedlab
