// How many processors will be free when, by the estimates: a step function from now on.
//
// The steps are kept in blocks, each with the least and the most of them. A search for a hole goes over blocks in which
// nothing is too little, or nothing enough, in one step; what is added to all steps of a block is noted with the block.
// Longer than other files: one class, whose walks over blocks and steps share all of its state.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"

namespace schedlab {

class Profile {
 public:
  Profile() = default;
  Profile(Time now, std::int64_t free) { assign({{now, free}}); }

  void archive(Archive& archive) {
    std::vector<Step> all = steps();
    archive(all);
    if (archive.reading()) assign(all);
  }
  void check_saved() const {
    const auto later = [](const Step& a, const Step& b) { return a.from >= b.from; };
    const std::vector<Step> all = steps();
    const bool ascends = std::adjacent_find(all.begin(), all.end(), later) == all.end();
    Archive::require(!all.empty() && ascends, "steps of a plan do not ascend");
    Archive::require(is_time(all.front().from), "a plan begins before all time");
  }

  /// Forgets what lies before `now`.
  void advance(Time now) {
    const Position at = position_of(now);
    for (std::size_t block = 0; block < at.block; ++block) spare_.push_back(blocks_[block].slab);
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
    begins_.erase(begins_.begin(), begins_.begin() + static_cast<std::ptrdiff_t>(at.block));
    if (at.index > 0) drop_before(at.index);
    begins_.front() = std::max(begins_.front(), now);
    slab_of(blocks_.front()).from[0] = begins_.front();
    decide_on_bounds();
  }

  /// Adds to what is free in [from, to).
  void add(Time from, Time to, std::int64_t processors) {
    if (from >= to) return;
    Position first = cut(position_of(from), from);
    const Position end = cut(position_after(first, to), to);
    if (end.block != first.block) first = position_of(from);  // its block may have become two
    Position last = first;
    for (;; last = {last.block + 1, 0}) {
      Block& block = blocks_[last.block];
      const bool reaches_on = last.block + 1 < blocks_.size() && begins_[last.block + 1] <= to;
      if (reaches_on && last.index == 0) {
        block.add(processors);
      } else {
        Slab& steps = slab_of(block);
        while (last.index < block.size && steps.from[last.index] < to) steps.free[last.index++] += processors;
        find_bounds(block);
      }
      if (!reaches_on || begins_[last.block + 1] == to) break;
    }
    if (last.block + 1 < blocks_.size() && begins_[last.block + 1] == to) last = {last.block + 1, 0};
    join(last);
    join(first);
  }

  /// When the last of its steps begins: from then on nothing is planned.
  [[nodiscard]] Time last_change() const { return from_of(last_step()); }

  /// Whether a search through all of it costs little.
  [[nodiscard]] bool is_short() const { return !bounded_; }

  [[nodiscard]] std::int64_t most_free(Time from, Time to) const {
    std::int64_t most = 0;
    const Position first = position_of(from);
    each_between(first, position_after(first, to - 1),
                 [&](std::int64_t, std::int64_t highest) { most = std::max(most, highest); });
    return most;
  }

  [[nodiscard]] std::int64_t least_free(Time from, Time to) const {
    std::int64_t least = free_of(last_step());
    const Position first = position_of(from);
    each_between(first, position_after(first, to - 1),
                 [&](std::int64_t lowest, std::int64_t) { least = std::min(least, lowest); });
    return least;
  }

  /// The earliest time from `from` on and before `limit` at which N processors are free for that length; `never` if
  /// there is none.
  [[nodiscard]] Time earliest(Time from, Time length, std::int64_t processors, Time limit = never) const {
    Time start = from;
    Position at = position_of(from);
    while (start < limit) {
      if (!find_too_little(at, processors, later(start, length))) return start;
      start = find_enough(at, processors, limit);
    }
    return never;
  }

  /// Calls `each(class, since, until)` for the classes of 2^class processors, from the largest one on of which that
  /// many are free at some time in [from, to): any stretch in which they are free without a break, and that has a time
  /// of these, is within [since, until).
  template <class Each>
  void free_around(Time from, Time to, Each each) const {
    Position first = position_of(from);
    Position last = position_after(first, to - 1);
    std::int64_t most = 0;
    each_between(first, last, [&](std::int64_t, std::int64_t highest) { most = std::max(most, highest); });
    if (most <= 0) return;
    for (int i = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most))) - 1; i >= 0; --i) {
      const std::int64_t processors = std::int64_t{1} << i;
      const Time since = free_of(first) < processors ? from : std::min(from, go_back(first, processors));
      const Time until = free_of(last) < processors ? to : std::max(to, go_on(last, processors));
      each(static_cast<std::size_t>(i), since, until);
    }
  }

  /// A step, for as long as nothing is changed.
  struct Position {
    std::size_t block;
    std::size_t index;
  };
  /// The step right before a time that is after `now`.
  [[nodiscard]] Position before(Time time) const { return position_of(time - 1); }
  [[nodiscard]] std::int64_t free_of(Position at) const {
    return slab_of(blocks_[at.block]).free[at.index] + blocks_[at.block].added;
  }

  /// The time since which N processors are free without a break until the end of a step in which they are, at most back
  /// to `not_before`.
  [[nodiscard]] Time free_since(Position at, std::int64_t processors, Time not_before) const {
    Time since = from_of(at);
    while (since > not_before && step_back(at) && free_of(at) >= processors) since = from_of(at);
    return std::max(not_before, since);
  }

 private:
  struct Step {
    Time from;
    std::int64_t free;
    void archive(Archive& archive) { archive(from, free); }
  };
  static constexpr std::size_t capacity = 32;
  static constexpr std::size_t few_blocks = 4;
  struct Slab {
    std::array<Time, capacity> from;
    std::array<std::int64_t, capacity> free;  // without what is added to the whole block

    /// Copies its steps from `first` up to `last` to where `to` is.
    void copy(std::size_t first, std::size_t last, Slab& target, std::size_t to) const {
      std::memmove(&target.from[to], &from[first], (last - first) * sizeof(Time));
      std::memmove(&target.free[to], &free[first], (last - first) * sizeof(std::int64_t));
    }
  };
  struct Block {
    std::int64_t least;  // of its steps, with what is added; known where `bounded_`
    std::int64_t most;
    std::int64_t added;  // to all of its steps
    std::uint32_t slab;
    std::uint32_t size;

    void add(std::int64_t processors) {
      least += processors;
      most += processors;
      added += processors;
    }
  };

  [[nodiscard]] Slab& slab_of(const Block& block) { return slabs_[block.slab]; }
  [[nodiscard]] const Slab& slab_of(const Block& block) const { return slabs_[block.slab]; }
  [[nodiscard]] Position last_step() const { return {blocks_.size() - 1, blocks_.back().size - 1}; }
  [[nodiscard]] Time from_of(Position at) const { return slab_of(blocks_[at.block]).from[at.index]; }

  [[nodiscard]] std::vector<Step> steps() const {
    std::vector<Step> all;
    for (const Block& block : blocks_) {
      const Slab& steps = slab_of(block);
      for (std::size_t i = 0; i < block.size; ++i) all.push_back({steps.from[i], steps.free[i] + block.added});
    }
    return all;
  }

  void assign(const std::vector<Step>& all) {
    *this = Profile();
    for (const Step& step : all) {
      if (blocks_.empty() || blocks_.back().size == capacity) {
        open_block(blocks_.size());
        begins_.back() = step.from;
      }
      Block& last = blocks_.back();
      slab_of(last).from[last.size] = step.from;
      slab_of(last).free[last.size++] = step.free;
    }
    decide_on_bounds();
  }

  /// How many of N ascending times are not after this one, without a branch that is hard to foresee.
  static std::size_t count_until(const Time* times, std::size_t count, Time time) {
    const Time* first = times;
    while (count > 1) {
      const std::size_t half = count / 2;
      first += first[half - 1] <= time ? half : 0;
      count -= half;
    }
    return static_cast<std::size_t>(first - times) + (count == 1 && *first <= time ? 1 : 0);
  }

  /// The step that holds at that time; the first one for a time before all.
  [[nodiscard]] Position position_of(Time time) const {
    const std::size_t block = count_until(begins_.data(), begins_.size(), time);
    if (block == 0) return {0, 0};
    const Block& found = blocks_[block - 1];
    return {block - 1, count_until(slab_of(found).from.data(), found.size, time) - 1};
  }

  /// The same, quickly where it is in the block of an earlier one.
  [[nodiscard]] Position position_after(Position earlier, Time time) const {
    if (earlier.block + 1 < blocks_.size() && begins_[earlier.block + 1] <= time) return position_of(time);
    const Block& block = blocks_[earlier.block];
    return {earlier.block, count_until(slab_of(block).from.data(), block.size, time) - 1};
  }

  /// Moves on to the first step with fewer than N processors; false where none begins before `end`.
  bool find_too_little(Position& at, std::int64_t processors, Time end) const {
    for (; at.block < blocks_.size(); at = {at.block + 1, 0}) {
      const Block& block = blocks_[at.block];
      if (begins_[at.block] >= end) return false;
      if (bounded_ && block.least >= processors) continue;
      const Slab& steps = slab_of(block);
      for (; at.index < block.size; ++at.index) {
        if (steps.free[at.index] + block.added >= processors) continue;
        return steps.from[at.index] < end;
      }
    }
    return false;
  }

  /// Moves on to the first step with N processors and returns when it begins; `never` where none begins before `limit`.
  Time find_enough(Position& at, std::int64_t processors, Time limit) const {
    for (; at.block < blocks_.size(); at = {at.block + 1, 0}) {
      const Block& block = blocks_[at.block];
      if (begins_[at.block] >= limit) return never;
      if (bounded_ && block.most < processors) continue;
      const Slab& steps = slab_of(block);
      for (; at.index < block.size; ++at.index) {
        if (steps.free[at.index] + block.added >= processors) return steps.from[at.index];
      }
    }
    return never;
  }

  /// Moves back as long as N processors are free, and returns since when.
  Time go_back(Position& at, std::int64_t processors) const {
    for (Position before = at; step_back(before) && free_of(before) >= processors; at = before) {
      if (bounded_ && blocks_[before.block].least >= processors) before.index = 0;
    }
    return from_of(at);
  }

  /// Moves on as long as N processors are free, and returns until when.
  Time go_on(Position& at, std::int64_t processors) const {
    for (Position next = at; step_on(next); at = next) {
      if (free_of(next) < processors) return from_of(next);
      if (bounded_ && blocks_[next.block].least >= processors) next.index = blocks_[next.block].size - 1;
    }
    return never;
  }

  /// Calls `look(least, most)` for blocks between two steps, and for single steps at both ends.
  template <class Look>
  void each_between(Position first, Position last, Look look) const {
    for (Position at = first; at.block <= last.block; at = {at.block + 1, 0}) {
      const Block& block = blocks_[at.block];
      const std::size_t stop = at.block == last.block ? last.index + 1 : block.size;
      if (bounded_ && at.index == 0 && stop == block.size) {
        look(block.least, block.most);
        continue;
      }
      for (; at.index < stop; ++at.index) look(free_of(at), free_of(at));
    }
  }

  bool step_on(Position& at) const {
    if (at.index + 1 < blocks_[at.block].size) {
      ++at.index;
      return true;
    }
    if (at.block + 1 == blocks_.size()) return false;
    at = {at.block + 1, 0};
    return true;
  }

  bool step_back(Position& at) const {
    if (at.index == 0) {
      if (at.block == 0) return false;
      at = {at.block - 1, blocks_[at.block - 1].size};
    }
    --at.index;
    return true;
  }

  /// Makes a step begin at `time`, at which the one there holds, and returns which.
  Position cut(Position at, Time time) {
    if (from_of(at) >= time) return at;
    if (blocks_[at.block].size == capacity) at = split(at);
    Block& block = blocks_[at.block];
    Slab& steps = slab_of(block);
    if (at.index + 1 < block.size) steps.copy(at.index + 1, block.size, steps, at.index + 2);
    steps.free[at.index + 1] = steps.free[at.index];
    ++block.size;
    steps.from[++at.index] = time;
    return at;
  }

  /// Makes a step one with the step before it where both are equal.
  void join(Position at) {
    Position before = at;
    if (at.block == blocks_.size() || at.index == blocks_[at.block].size || !step_back(before)) return;
    if (free_of(at) != free_of(before)) return;
    Block& block = blocks_[at.block];
    Slab& steps = slab_of(block);
    if (at.index + 1 < block.size) steps.copy(at.index + 1, block.size, steps, at.index);
    if (--block.size == 0) return close_block(at.block);
    begins_[at.block] = steps.from[0];
    find_bounds(block);
    if (at.block + 1 < blocks_.size() && block.size + blocks_[at.block + 1].size <= capacity / 2) {
      merge_with_next(at.block);
    }
  }

  void find_bounds(Block& block) {
    if (!bounded_) return;
    const Slab& steps = slab_of(block);
    std::int64_t least = steps.free[0];
    std::int64_t most = least;
    for (std::size_t i = 1; i < block.size; ++i) {
      least = std::min(least, steps.free[i]);
      most = std::max(most, steps.free[i]);
    }
    block.least = least + block.added;
    block.most = most + block.added;
  }

  void open_block(std::size_t where) {
    std::uint32_t slab = static_cast<std::uint32_t>(slabs_.size());
    if (spare_.empty()) {
      slabs_.emplace_back();
    } else {
      slab = spare_.back();
      spare_.pop_back();
    }
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(where), Block{0, 0, 0, slab, 0});
    begins_.insert(begins_.begin() + static_cast<std::ptrdiff_t>(where), 0);
  }

  /// Bounds of blocks are of use where there are many of them.
  void decide_on_bounds() {
    if (bounded_ ? blocks_.size() > few_blocks / 2 : blocks_.size() <= few_blocks) return;
    bounded_ = !bounded_;
    for (Block& block : blocks_) find_bounds(block);
  }

  void close_block(std::size_t where) {
    spare_.push_back(blocks_[where].slab);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(where));
    begins_.erase(begins_.begin() + static_cast<std::ptrdiff_t>(where));
  }

  /// Forgets the first steps of the first block.
  void drop_before(std::size_t index) {
    Block& block = blocks_.front();
    Slab& steps = slab_of(block);
    steps.copy(index, block.size, steps, 0);
    block.size -= static_cast<std::uint32_t>(index);
    begins_.front() = steps.from[0];
    find_bounds(block);
  }

  /// Makes a full block two, and returns where a step of it is now.
  Position split(Position at) {
    open_block(at.block + 1);
    Block& full = blocks_[at.block];
    Block& fresh = blocks_[at.block + 1];
    const std::size_t kept = full.size / 2;
    slab_of(full).copy(kept, full.size, slab_of(fresh), 0);
    fresh.size = full.size - static_cast<std::uint32_t>(kept);
    fresh.added = full.added;
    begins_[at.block + 1] = slab_of(fresh).from[0];
    full.size = static_cast<std::uint32_t>(kept);
    find_bounds(full);
    find_bounds(fresh);
    decide_on_bounds();
    return at.index < kept ? at : Position{at.block + 1, at.index - kept};
  }

  void merge_with_next(std::size_t where) {
    Block& block = blocks_[where];
    const Block& next = blocks_[where + 1];
    Slab& to = slab_of(block);
    const Slab& from = slab_of(next);
    for (std::size_t i = 0; i < next.size; ++i) {
      to.from[block.size + i] = from.from[i];
      to.free[block.size + i] = from.free[i] + next.added - block.added;
    }
    block.size += next.size;
    block.least = std::min(block.least, next.least);
    block.most = std::max(block.most, next.most);
    close_block(where + 1);
  }

  bool bounded_ = false;       // blocks know their bounds
  std::vector<Block> blocks_;  // in order; none is empty
  std::vector<Time> begins_;   // of their first steps
  std::vector<Slab> slabs_;    // the steps of blocks, in any order
  std::vector<std::uint32_t> spare_;
};

}  // namespace schedlab
