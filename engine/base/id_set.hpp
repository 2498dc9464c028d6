// A set of job numbers. They mostly count up, so it keeps bitmaps of 512 and remembers the last one used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/archive.hpp"

namespace schedlab {

class IdSet {
 public:
  /// Adds the id; false where it was there already.
  bool insert(std::int64_t id) {
    const std::int64_t page = id >> 9U;
    if (pages_.empty() || page != last_page_) {
      const auto [found, fresh] = index_.try_emplace(page, pages_.size());
      if (fresh) pages_.emplace_back();
      last_page_ = page;
      last_index_ = found->second;
    }
    std::uint64_t& word = pages_[last_index_][(static_cast<std::uint64_t>(id) >> 6U) & 7U];
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::uint64_t>(id) & 63U);
    return (std::exchange(word, word | bit) & bit) == 0;
  }

  void archive(Archive& archive) {
    archive(index_, pages_, last_page_, last_index_);
    for (const auto& [page, place] : index_) Archive::require(place < pages_.size(), "a page of ids is missing");
    Archive::require(pages_.empty() || last_index_ < pages_.size(), "a page of ids is missing");
  }

 private:
  std::unordered_map<std::int64_t, std::size_t> index_;
  std::vector<std::array<std::uint64_t, 8>> pages_;
  std::int64_t last_page_ = 0;
  std::size_t last_index_ = 0;
};

}  // namespace schedlab
