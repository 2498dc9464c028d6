// What is due when, on a network: taken out by tick, and at one tick in the order in which it was put in.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "execution/network/topology/ticks.hpp"

namespace schedlab {

/// A hierarchy of wheels, 64 slots each (Varghese and Lauck 1987). An item lies on the wheel of the highest digit, of
/// six bits, in which its tick differs from the tick of the item that was taken out last; it comes down, wheel by
/// wheel, as that tick approaches. Items of one tick are always in one slot, in their order. Nothing may be put in for
/// a tick before the one that was taken out last.
template <class Item>
class TickQueue {
 public:
  [[nodiscard]] bool empty() const { return used_ == 0; }

  /// Of the next item; `never_tick` where there is none. Takes nothing out, and leaves all ticks from the last one on
  /// open.
  [[nodiscard]] Tick next_tick() const { return used_ == 0 ? never_tick : earliest_[next_slot()]; }

  void push(Tick tick, const Item& item) {
    std::uint32_t place = free_;
    if (place != none) {
      free_ = nodes_[place].next;
    } else {
      place = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    }
    nodes_[place].tick = tick;
    nodes_[place].item = item;
    link(place);
  }

  /// The next item; there must be one.
  Item pop() {
    std::size_t slot = next_slot();
    if (slot >= slots) {
      spread(slot);
      slot = next_slot();
    }
    const std::uint32_t place = first_[slot];
    Node& node = nodes_[place];
    last_ = node.tick;
    first_[slot] = node.next;
    if (node.next == none) clear_next();
    node.next = free_;
    free_ = place;
    return node.item;
  }

  /// All ticks become less by `by`, those of items put in later, too. No tick may fall below 0.
  void shift(Tick by) {
    const auto items = in_order();
    const Tick last = std::max<Tick>(last_ - by, 0);
    *this = {};
    last_ = last;
    for (const auto& [tick, item] : items) push(tick - by, item);
  }

  /// `last` and the items, in their order: states that continue in the same way are equal bytes.
  void archive(Archive& archive) {
    std::vector<std::pair<Tick, Item>> items;
    if (!archive.reading()) items = in_order();
    Tick last = last_;
    archive(last, items);
    if (!archive.reading()) return;
    *this = {};
    last_ = last;
    for (const auto& [tick, item] : items) push(tick, item);
  }

 private:
  static constexpr unsigned digit = 6;
  static constexpr std::size_t slots = std::size_t{1} << digit;
  static constexpr std::size_t wheels = (64 + digit - 1) / digit;
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  struct Node {
    Tick tick;
    std::uint32_t next;
    Item item;
  };

  [[nodiscard]] std::size_t slot_for(Tick tick) const {
    const auto value = static_cast<std::uint64_t>(tick);
    const std::uint64_t differing = (value ^ static_cast<std::uint64_t>(last_)) | 1U;
    const unsigned wheel = static_cast<unsigned>(std::bit_width(differing) - 1) / digit;
    return wheel * slots + ((value >> (wheel * digit)) & (slots - 1));
  }

  [[nodiscard]] std::size_t next_slot() const {
    const auto wheel = static_cast<std::size_t>(std::countr_zero(used_));
    return wheel * slots + static_cast<std::size_t>(std::countr_zero(filled_[wheel]));
  }

  /// The next slot holds nothing any more.
  void clear_next() {
    std::uint64_t& filled = filled_[static_cast<std::size_t>(std::countr_zero(used_))];
    filled &= filled - 1;
    if (filled == 0) used_ &= used_ - 1;
  }

  void link(std::uint32_t place) {
    Node& node = nodes_[place];
    const std::size_t slot = slot_for(node.tick);
    const std::size_t wheel = slot / slots;
    const std::uint64_t bit = std::uint64_t{1} << (slot % slots);
    node.next = none;
    if ((filled_[wheel] & bit) != 0) {
      nodes_[final_[slot]].next = place;
      earliest_[slot] = std::min(earliest_[slot], node.tick);
    } else {
      filled_[wheel] |= bit;
      used_ |= std::uint32_t{1} << wheel;
      first_[slot] = place;
      earliest_[slot] = node.tick;
    }
    final_[slot] = place;
  }

  /// Brings the items of the next slot down to lower wheels, in their order.
  void spread(std::size_t slot) {
    last_ = earliest_[slot];
    std::uint32_t place = first_[slot];
    clear_next();
    while (place != none) {
      const std::uint32_t next = nodes_[place].next;
      link(place);
      place = next;
    }
  }

  [[nodiscard]] std::vector<std::pair<Tick, Item>> in_order() const {
    std::vector<std::pair<Tick, Item>> items;
    TickQueue copy = *this;
    while (!copy.empty()) {
      const Tick tick = copy.next_tick();
      items.emplace_back(tick, copy.pop());
    }
    return items;
  }

  Tick last_ = 0;
  std::uint32_t used_ = 0;                             // wheels that hold something
  std::uint32_t free_ = none;                          // head of the list of nodes that are free
  std::array<std::uint64_t, wheels> filled_{};         // slots of each wheel that hold something
  std::array<std::uint32_t, wheels * slots> first_{};  // of those: their first node, their last node,
  std::array<std::uint32_t, wheels * slots> final_{};
  std::array<Tick, wheels * slots> earliest_{};  // and the lowest tick in them
  std::vector<Node> nodes_;
};

}  // namespace schedlab
