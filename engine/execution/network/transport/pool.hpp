// Items under numbers that are used again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/archive.hpp"

namespace schedlab {

template <class Item>
class Pool {
 public:
  std::uint32_t add(const Item& item) {
    if (free_.empty()) {
      items_.push_back(item);
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    items_[place] = item;
    return place;
  }
  void remove(std::uint32_t place) { free_.push_back(place); }

  Item& operator[](std::uint32_t place) { return items_[place]; }
  const Item& operator[](std::uint32_t place) const { return items_[place]; }

  /// Of all items, those removed included.
  [[nodiscard]] auto begin() { return items_.begin(); }
  [[nodiscard]] auto end() { return items_.end(); }

  void archive(Archive& archive) { archive(items_, free_); }

 private:
  std::vector<Item> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace schedlab
