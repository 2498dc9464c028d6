// Which nodes may have room for a request: per resource type and power of two, the nodes on which as much is free.
//
// A node is found by 64 at a time: one word for each type that is asked for. What is found need not have room, since
// amounts of one power of two differ by less than a factor of two; what is not found has none.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "jobs/job.hpp"

namespace schedlab {

class FreeLevels {
 public:
  FreeLevels() = default;
  /// Nothing is free yet; `most` is what any node can have free, per type.
  FreeLevels(const std::vector<Amount>& most, std::uint32_t nodes)
      : nodes_(nodes), words_((std::size_t{nodes} + 63) / 64), level_(most.size() * nodes), all_(words_) {
    for (const Amount amount : most) {
      levels_.push_back(level_of(amount));
      first_row_.push_back(rows_);
      rows_ += levels_.back();
    }
    bits_.resize(rows_ * words_);
    for (std::uint32_t node = 0; node < nodes; ++node) all_[node / 64] |= bit(node);
  }

  [[nodiscard]] bool empty() const { return words_ == 0; }
  [[nodiscard]] std::size_t words() const { return words_; }

  /// Says how much of a type is free on a node.
  void set(std::uint32_t node, std::size_t type, Amount free) {
    std::uint8_t& level = level_[type * nodes_ + node];
    const std::size_t now = level_of(free);
    for (; level < now; ++level) row(type, level + std::size_t{1})[node / 64] |= bit(node);
    for (; level > now; --level) row(type, level)[node / 64] &= ~bit(node);
  }

  /// Calls `visit(node)` by number while it returns true, with every node that has the amounts free, and some others.
  template <class Visit>
  void visit(const Amount* amounts, Visit visit) const {
    std::array<const std::uint64_t*, 4> wanted{all_.data()};
    std::size_t count = 0;
    for (std::size_t type = 0; type < levels_.size(); ++type) {
      if (amounts[type] == 0) continue;
      const std::size_t level = level_of(amounts[type]);
      if (level > levels_[type]) return;
      if (count < wanted.size()) wanted[count++] = bits_.data() + (first_row_[type] + level - 1) * words_;
    }
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t found = wanted[0][word];
      for (std::size_t i = 1; i < count; ++i) found &= wanted[i][word];
      for (; found != 0; found &= found - 1) {
        if (!visit(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(found))))) return;
      }
    }
  }

 private:
  static std::size_t level_of(Amount amount) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(std::max<Amount>(amount, 0))));
  }
  static std::uint64_t bit(std::uint32_t node) { return std::uint64_t{1} << (node % 64); }
  std::uint64_t* row(std::size_t type, std::size_t level) {
    return bits_.data() + (first_row_[type] + level - 1) * words_;
  }

  std::size_t nodes_ = 0;
  std::size_t words_ = 0;
  std::size_t rows_ = 0;
  std::vector<std::size_t> levels_;     // per type: the highest
  std::vector<std::size_t> first_row_;  // per type, of `bits_`
  std::vector<std::uint8_t> level_;     // [type * nodes + node]: of what is free
  std::vector<std::uint64_t> bits_;     // [row * words + word]: row L - 1 of a type has the nodes of level L and above
  std::vector<std::uint64_t> all_;      // every node
};

}  // namespace schedlab
