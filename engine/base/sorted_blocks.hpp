// A sorted sequence kept in blocks, each with a summary that lets a scan skip it.
//
// One container serves the waiting queue (in policy order), the running jobs (by expected end) and the nodes (by load).
// Insert and erase move at most one block; entries are contiguous; the whole is a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"

namespace schedlab {

/// Entry: trivially copyable with a total operator<. Summary: default constructed for no entries, `add(entry)`, and
/// `remove(entry)` that returns false when the summary must be rebuilt from what is left. A summary that can also add
/// another summary gets a second level, over groups of blocks, for sequences of tens of thousands.
template <class Entry, class Summary>
class SortedBlocks {
 public:
  static constexpr std::size_t capacity = 64;
  static constexpr std::size_t blocks_per_group = 32;
  struct Position {
    std::size_t block;
    std::size_t index;
  };

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t blocks() const { return size_ == 0 ? 0 : blocks_.size(); }
  [[nodiscard]] const Summary& summary(std::size_t index) const {
    const Block& block = blocks_[index];
    if (block.stale) rebuild(block);
    return block.summary;
  }
  /// Of the blocks from `group * blocks_per_group` on.
  [[nodiscard]] const Summary& group_summary(std::size_t group) const {
    if (group >= groups_.size() || groups_[group].stale) rebuild_group(group);
    return groups_[group].summary;
  }
  [[nodiscard]] std::span<const Entry> entries(std::size_t block) const {
    return {begin_of(blocks_[block]), blocks_[block].size()};
  }
  [[nodiscard]] const Entry& front() const { return *begin_of(blocks_.front()); }
  [[nodiscard]] static Position first() { return {0, 0}; }
  [[nodiscard]] const Entry& at(Position where) const { return entries(where.block)[where.index]; }

  void insert(const Entry& entry) {
    if (size_++ == 0) {
      if (blocks_.empty()) open_block(0);
      Block& only = blocks_.front();
      only.begin = 0;
      only.end = 1;
      *begin_of(only) = entry;
      only.stale = true;
      mark_groups_from(0);
      return;
    }
    std::size_t where = block_for(entry);
    if (where == blocks_.size()) {  // after everything
      if (blocks_[where - 1].size() == capacity) {
        open_block(where);
      } else {
        --where;
      }
    } else if (blocks_[where].size() == capacity) {
      split(where);
      if (*(begin_of(blocks_[where]) + blocks_[where].size() - 1) < entry) ++where;
    }
    Block& block = blocks_[where];
    Entry* first = begin_of(block);
    const auto index = static_cast<std::size_t>(std::lower_bound(first, first + block.size(), entry) - first);
    if (block.end < capacity && (block.begin == 0 || index * 2 >= block.size())) {
      std::copy_backward(first + index, first + block.size(), first + block.size() + 1);
      ++block.end;
      first[index] = entry;
    } else {
      std::copy(first, first + index, first - 1);
      --block.begin;
      first[static_cast<std::ptrdiff_t>(index) - 1] = entry;
    }
    if (!block.stale) block.summary.add(entry);
    mark_group_of(where);
  }

  /// Takes out the entry there and returns the position of the one after it (block == blocks() at the end).
  Position erase(Position where) {
    if (--size_ == 0) return {0, 0};  // the last block stays, for the next entry
    Block& block = blocks_[where.block];
    Entry* first = begin_of(block);
    const Entry gone = first[where.index];
    if (where.index * 2 < block.size()) {
      std::copy_backward(first, first + where.index, first + where.index + 1);
      ++block.begin;
    } else {
      std::copy(first + where.index + 1, first + block.size(), first + where.index);
      --block.end;
    }
    if (block.size() == 0) {
      close_block(where.block);
      return {where.block, 0};
    }
    block.stale = block.stale || !block.summary.remove(gone);
    mark_group_of(where.block);
    if (where.block + 1 < blocks_.size() && block.size() + blocks_[where.block + 1].size() <= capacity / 2) {
      merge_with_next(where.block);
    }
    if (where.index < blocks_[where.block].size()) return where;
    return {where.block + 1, 0};
  }

  /// Where the entry equal to this one is (neither less than the other); block == blocks() if there is none.
  [[nodiscard]] Position find(const Entry& entry) const {
    const std::size_t where = size_ == 0 ? 0 : block_for(entry);
    if (where == blocks()) return {where, 0};
    const auto held = entries(where);
    const auto found = std::lower_bound(held.begin(), held.end(), entry);
    if (found == held.end() || entry < *found) return {blocks(), 0};
    return {where, static_cast<std::size_t>(found - held.begin())};
  }

  /// Where the first entry after this one is, which need not be there; block == blocks() if there is none.
  [[nodiscard]] Position after(const Entry& entry) const {
    const std::size_t where = size_ == 0 ? 0 : block_for(entry);
    if (where == blocks()) return {where, 0};
    const auto held = entries(where);
    const auto found = std::upper_bound(held.begin(), held.end(), entry);
    if (found == held.end()) return {where + 1, 0};
    return {where, static_cast<std::size_t>(found - held.begin())};
  }

  /// Lets `change` alter the entries of each block in place, and brings all into order again. What summaries say of an
  /// entry must stay.
  template <class Change>
  void update(Change change) {
    bool sorted = true;
    const Entry* previous = nullptr;
    for (std::size_t index = 0; index < blocks(); ++index) {
      const std::span<Entry> entries(begin_of(blocks_[index]), blocks_[index].size());
      change(entries);
      for (const Entry& entry : entries) {
        sorted = sorted && (previous == nullptr || *previous < entry);
        previous = &entry;
      }
    }
    if (!sorted) sort();
  }

  void archive(Archive& archive) {
    std::vector<Entry> all;
    for (std::size_t block = 0; block < blocks(); ++block) {
      all.insert(all.end(), entries(block).begin(), entries(block).end());
    }
    archive(all);
    if (archive.reading()) assign(std::move(all));
  }

  /// Keeps nothing but these entries, in any order.
  void assign(std::vector<Entry> entries) {
    *this = SortedBlocks();
    std::sort(entries.begin(), entries.end());
    constexpr std::size_t filled = capacity * 3 / 4;
    for (std::size_t next = 0; next < entries.size(); next += filled) {
      open_block(blocks_.size());
      Block& block = blocks_.back();
      block.end = static_cast<std::uint32_t>(std::min(filled, entries.size() - next));
      block.stale = true;
      std::copy_n(entries.data() + next, block.size(), begin_of(block));
    }
    size_ = entries.size();
  }

  void remove(const Entry& entry) {
    const Position where = find(entry);
    if (where.block < blocks()) erase(where);
  }

 private:
  struct Block {
    std::uint32_t storage;  // which slab of `slabs_` holds its entries
    std::uint32_t begin;    // the entries are slab[begin, end)
    std::uint32_t end;
    mutable Summary summary;
    mutable bool stale;  // the summary is rebuilt when it is next asked for
    [[nodiscard]] std::size_t size() const { return end - begin; }
  };

  Entry* begin_of(const Block& block) { return slabs_.data() + block.storage * capacity + block.begin; }
  const Entry* begin_of(const Block& block) const { return slabs_.data() + block.storage * capacity + block.begin; }

  /// The first block whose last entry is not less than this one.
  [[nodiscard]] std::size_t block_for(const Entry& entry) const {
    const auto before = [&](const Block& block) { return *(begin_of(block) + block.size() - 1) < entry; };
    if (before(blocks_.back())) return blocks_.size();
    const auto found = std::partition_point(blocks_.begin(), blocks_.end(), before);
    return static_cast<std::size_t>(found - blocks_.begin());
  }

  void open_block(std::size_t where) {
    std::uint32_t storage = 0;
    if (spare_.empty()) {
      storage = static_cast<std::uint32_t>(slabs_.size() / capacity);
      slabs_.resize(slabs_.size() + capacity);
    } else {
      storage = spare_.back();
      spare_.pop_back();
    }
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(where), Block{storage, 0, 0, Summary{}, false});
    mark_groups_from(where);
  }

  void close_block(std::size_t where) {
    spare_.push_back(blocks_[where].storage);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(where));
    mark_groups_from(where);
  }

  struct Group {
    Summary summary;
    bool stale;
  };

  void mark_group_of(std::size_t block) {
    if (block / blocks_per_group < groups_.size()) groups_[block / blocks_per_group].stale = true;
  }

  /// The blocks from this one on have other places now.
  void mark_groups_from(std::size_t block) {
    for (std::size_t group = block / blocks_per_group; group < groups_.size(); ++group) groups_[group].stale = true;
  }

  void rebuild_group(std::size_t group) const {
    if (group >= groups_.size()) groups_.resize(group + 1, Group{Summary{}, true});
    Group& rebuilt = groups_[group];
    rebuilt = {Summary{}, false};
    const std::size_t end = std::min(blocks(), (group + 1) * blocks_per_group);
    for (std::size_t block = group * blocks_per_group; block < end; ++block) rebuilt.summary.add(summary(block));
  }

  void sort() {
    std::vector<Entry> all;
    all.reserve(size_);
    for (const Block& block : blocks_) all.insert(all.end(), begin_of(block), begin_of(block) + block.size());
    std::sort(all.begin(), all.end());
    const Entry* next = all.data();
    for (Block& block : blocks_) {
      std::copy(next, next + block.size(), begin_of(block));
      next += block.size();
      block.stale = true;
    }
    mark_groups_from(0);
  }

  void split(std::size_t where) {
    open_block(where + 1);
    Block& full = blocks_[where];
    Block& fresh = blocks_[where + 1];
    const std::size_t kept = full.size() / 2;
    std::copy(begin_of(full) + kept, begin_of(full) + full.size(), begin_of(fresh));
    fresh.end = static_cast<std::uint32_t>(full.size() - kept);
    full.end = full.begin + static_cast<std::uint32_t>(kept);
    full.stale = true;
    fresh.stale = true;
  }

  void merge_with_next(std::size_t where) {
    Block& block = blocks_[where];
    const Block& next = blocks_[where + 1];
    Entry* slab = slabs_.data() + block.storage * capacity;
    std::copy(begin_of(block), begin_of(block) + block.size(), slab);
    std::copy(begin_of(next), begin_of(next) + next.size(), slab + block.size());
    block.end = static_cast<std::uint32_t>(block.size() + next.size());
    block.begin = 0;
    block.stale = true;
    close_block(where + 1);
  }

  void rebuild(const Block& block) const {
    block.summary = Summary{};
    block.stale = false;
    for (std::size_t i = 0; i < block.size(); ++i) block.summary.add(begin_of(block)[i]);
  }

  std::vector<Block> blocks_;          // in order; none is empty, but the last one is kept when everything is gone
  mutable std::vector<Group> groups_;  // only those that were asked for
  std::vector<Entry> slabs_;
  std::vector<std::uint32_t> spare_;
  std::size_t size_ = 0;
};

}  // namespace schedlab
