// Ways of packets, all in one piece of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

inline constexpr LinkId no_link = static_cast<LinkId>(-1);

class RouteTable {
 public:
  /// The number under which the way is kept until it is removed.
  std::uint32_t add(const Path& path) {
    if (path.size() >= width_) widen(path.size() + 1);
    std::uint32_t place = 0;
    if (free_.empty()) {
      place = static_cast<std::uint32_t>(links_.size() / width_);
      links_.resize(links_.size() + width_, no_link);
    } else {
      place = free_.back();
      free_.pop_back();
    }
    LinkId* row = links_.data() + place * width_;
    std::fill(std::copy(path.begin(), path.end(), row), row + width_, no_link);
    return place;
  }
  void remove(std::uint32_t place) { free_.push_back(place); }

  /// The link with this number on the way, from 0; `no_link` after its end.
  [[nodiscard]] LinkId link(std::uint32_t place, std::size_t number) const { return links_[place * width_ + number]; }

  void archive(Archive& archive) { archive(width_, links_, free_); }

 private:
  void widen(std::size_t width) {
    const std::size_t rows = width_ == 0 ? 0 : links_.size() / width_;
    std::vector<LinkId> wider(rows * width, no_link);
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(links_.data() + row * width_, width_, wider.data() + row * width);
    }
    links_ = std::move(wider);
    width_ = width;
  }

  std::size_t width_ = 0;  // of the longest way, and its end
  std::vector<LinkId> links_;
  std::vector<std::uint32_t> free_;
};

}  // namespace schedlab
