// What nodes got back, for those who were refused and only want to know what changed since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "jobs/job.hpp"

namespace schedlab {

/// The last entries of a log that has one for each node that a job gave back. They are counted from 1 on, so that 0 is
/// a place that was never seen.
class GivenBack {
 public:
  struct Entry {
    std::uint32_t node;
    const Amount* before;  // free on the node, per type
    const Amount* after;
  };

  GivenBack() = default;
  /// At least N entries are kept.
  GivenBack(std::size_t types, std::size_t kept) : types_(types), kept_(kept) {}

  [[nodiscard]] std::uint64_t end() const { return first_ + nodes_.size(); }
  /// Whether every entry from this place on is still there.
  [[nodiscard]] bool has(std::uint64_t place) const { return place >= first_; }
  [[nodiscard]] Entry operator[](std::uint64_t place) const {
    const std::size_t index = place - first_;
    const Amount* before = amounts_.data() + index * 2 * types_;
    return {nodes_[index], before, before + types_};
  }

  /// `free(type)` is what the node has now, `gained(type)` what of it is new.
  template <class Free, class Gained>
  void add(std::uint32_t node, Free free, Gained gained) {
    if (nodes_.size() == 2 * kept_) forget(kept_);
    nodes_.push_back(node);
    for (std::size_t type = 0; type < types_; ++type) amounts_.push_back(free(type) - gained(type));
    for (std::size_t type = 0; type < types_; ++type) amounts_.push_back(free(type));
  }

  /// Every place that is known is void from now on.
  void forget_all() {
    forget(nodes_.size());
    ++first_;
  }

 private:
  void forget(std::size_t entries) {
    nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(entries));
    amounts_.erase(amounts_.begin(), amounts_.begin() + static_cast<std::ptrdiff_t>(entries * 2 * types_));
    first_ += entries;
  }

  std::size_t types_ = 0;
  std::size_t kept_ = 0;
  std::uint64_t first_ = 1;
  std::vector<std::uint32_t> nodes_;
  std::vector<Amount> amounts_;  // [entry * 2 * types]: before, then after
};

}  // namespace schedlab
