// Which flow ends next, while their ends move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "execution/network/topology/ticks.hpp"

namespace schedlab {

/// A heap of flows by the tick at which they end, and at one tick by the order in which they began. It knows where each
/// flow is, so that an end is moved in place.
class FinishQueue {
 public:
  [[nodiscard]] Tick next_tick() const { return heap_.empty() ? never_tick : heap_.front().tick; }
  [[nodiscard]] std::uint32_t next_flow() const { return heap_.front().flow; }

  /// Puts a flow in, or moves it.
  void set(std::uint32_t flow, Tick tick, std::uint64_t order) {
    if (flow >= places_.size()) places_.resize(flow + std::size_t{1}, absent);
    if (places_[flow] == absent) {
      places_[flow] = static_cast<std::uint32_t>(heap_.size());
      heap_.emplace_back();
    }
    put({tick, order, flow}, places_[flow]);
  }

  void remove(std::uint32_t flow) {
    const std::uint32_t place = places_[flow];
    places_[flow] = absent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (last.flow != flow) put(last, place);
  }

  void shift(Tick by) {
    for (Entry& entry : heap_) {
      if (entry.tick != never_tick) entry.tick -= by;
    }
  }

  void archive(Archive& archive) { archive(heap_, places_); }

 private:
  static constexpr std::uint32_t absent = static_cast<std::uint32_t>(-1);
  static constexpr std::size_t children = 4;

  struct Entry {
    Tick tick = never_tick;
    std::uint64_t order = 0;
    std::uint32_t flow = 0;

    [[nodiscard]] bool before(const Entry& other) const {
      return tick != other.tick ? tick < other.tick : order < other.order;
    }
    void archive(Archive& archive) { archive(tick, order, flow); }
  };

  /// Brings an entry from a place, whose old entry is given up, to where it belongs.
  void put(const Entry& entry, std::size_t place) {
    while (place > 0 && entry.before(heap_[(place - 1) / children])) {
      move(heap_[(place - 1) / children], place);
      place = (place - 1) / children;
    }
    for (std::size_t first = place * children + 1; first < heap_.size(); first = place * children + 1) {
      std::size_t least = first;
      for (std::size_t child = first + 1; child < std::min(first + children, heap_.size()); ++child) {
        if (heap_[child].before(heap_[least])) least = child;
      }
      if (!heap_[least].before(entry)) break;
      move(heap_[least], place);
      place = least;
    }
    move(entry, place);
  }

  void move(const Entry& entry, std::size_t place) {
    heap_[place] = entry;
    places_[entry.flow] = static_cast<std::uint32_t>(place);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> places_;  // of each flow
};

}  // namespace schedlab
