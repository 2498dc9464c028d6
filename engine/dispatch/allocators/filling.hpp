// Placements in the making: node after node, each filled before the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

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
  Filling(const PlacementRequest& request, Placement& placement)
      : left_(request.job.tasks), limit_(request.limit), placement_(placement) {
    placement.clear();
    if (limit_ != nullptr) limit_->begin();
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

/// What built-in allocators have in common: `Own::fill` is asked only where all tasks have room, and makes a placement
/// or gives up.
template <class Own>
class FillingAllocator : public Allocator {
 public:
  bool place(const PlacementRequest& request, Placement& placement) final {
    const auto& [state, machine, slot, job, amounts, limit, taken] = request;
    if (!machine.might_hold(job, amounts) || machine.still_refuses(job, amounts)) return false;
    const Rooms rooms = machine.rooms(job, amounts);
    if (rooms.total >= job.tasks) return static_cast<Own*>(this)->fill(request, rooms, placement);
    machine.note_refusal(job, rooms.total);
    return false;
  }

  [[nodiscard]] std::unique_ptr<Allocator> clone() const override {
    return std::make_unique<Own>(static_cast<const Own&>(*this));
  }

 private:
  friend Own;
  using Allocator::Allocator;
  FillingAllocator() = default;
};

/// Calls `visit(node)` with the nodes that have room and are not closed, by number.
template <class Visit>
void visit_open_nodes(const PlacementRequest& request, const Rooms& rooms, Visit visit) {
  for (std::size_t next = rooms.open->next(0); next < request.machine.nodes(); next = rooms.open->next(next + 1)) {
    const auto node = static_cast<std::uint32_t>(next);
    if (request.limit == nullptr || !request.limit->closed(node)) visit(node);
  }
}

}  // namespace schedlab
