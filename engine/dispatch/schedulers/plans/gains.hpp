// Where room was gained in a plan that jobs may move into.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "dispatch/schedulers/plans/profile.hpp"

namespace schedlab {

/// For requests of each class of sizes: between which times room was gained, and the stretches without a break that
/// have some of it, by when they begin. All of it is a bound from above: room may be gone by now.
class Gains {
 public:
  /// Forgets everything; little happens after `horizon`.
  void restart(Time now, Time horizon) {
    now_ = now;
    width_ = between(now, horizon) / parts + 1;
    for (OfSize& size : sizes_) {
      if (size.until == 0) continue;
      std::fill(size.by_begin.begin() + size.first, size.by_begin.begin() + size.last + 1, Stretches{});
      size.first = parts - 1;
      size.last = 0;
      size.from = never;
      size.until = 0;
      size.longest = -1;
    }
  }

  [[nodiscard]] bool none() const { return none_of(1); }
  [[nodiscard]] bool none_of(std::uint32_t processors) const { return sizes_[class_of(processors)].until == 0; }

  /// Whether room for N processors may have been gained right before a time.
  [[nodiscard]] bool right_before(Time time, std::uint32_t processors) const {
    const OfSize& size = sizes_[class_of(processors)];
    return size.from < time && time <= size.until;
  }

  /// Adds what was gained in [from, until) to each of these.
  template <class... Others>
  static void note(const Profile& profile, Time from, Time until, Others&... gains) {
    if (from >= until) return;
    profile.free_around(from, until, [&](std::size_t size, Time since, Time to) {
      (gains.add(std::min(size, classes - 1), from, until, {since, to, between(since, to)}), ...);
    });
  }

  /// Calls `search(from, until)` for the times at which a job of that size and length may start, before a limit, in
  /// order, until it says that it did.
  template <class Search>
  void search(std::uint32_t processors, Time length, Time limit, Search search) const {
    const OfSize& size = sizes_[class_of(processors)];
    if (size.longest < length) return;
    const std::ptrdiff_t last = std::min(size.last, part_of(limit));
    for (std::ptrdiff_t part = size.first; part <= last; ++part) {
      const Stretches& stretches = size.by_begin[static_cast<std::size_t>(part)];
      if (stretches.longest < length) continue;
      if (search(stretches.since, std::min(limit, stretches.until - length + 1))) return;
    }
  }

  /// A state that is saved has no more than up to when.
  void archive(Archive& archive) {
    Time until = sizes_[0].until;
    archive(until);
    if (archive.reading() && until > 0) {
      for (std::size_t size = 0; size < classes; ++size) add(size, 0, until, {0, never, never});
    }
  }

 private:
  static constexpr std::size_t classes = 16;   // class i has the requests of 2^i processors up to twice as many
  static constexpr std::ptrdiff_t parts = 64;  // of the time up to the horizon
  /// All that begin in one part of the time.
  struct Stretches {
    Time since = never;
    Time until = 0;
    Time longest = -1;
  };
  struct OfSize {
    Time from = never;
    Time until = 0;
    Time longest = -1;
    std::ptrdiff_t first = parts - 1;  // the parts in which one begins
    std::ptrdiff_t last = 0;
    std::array<Stretches, parts> by_begin{};
  };

  /// From a time to a later one; saved states may hold any.
  static Time between(Time since, Time until) {
    const std::uint64_t length = static_cast<std::uint64_t>(until) - static_cast<std::uint64_t>(since);
    return static_cast<Time>(std::min(length, static_cast<std::uint64_t>(never)));
  }

  static std::size_t class_of(std::uint32_t processors) {
    return std::min<std::size_t>(classes, static_cast<std::size_t>(std::bit_width(processors))) - 1;
  }

  [[nodiscard]] std::ptrdiff_t part_of(Time time) const {
    return time <= now_ ? 0 : std::min<std::ptrdiff_t>(between(now_, time) / width_, parts - 1);
  }

  void add(std::size_t size, Time from, Time until, const Stretches& stretch) {
    OfSize& all = sizes_[size];
    all.from = std::min(all.from, from);
    all.until = std::max(all.until, until);
    all.longest = std::max(all.longest, stretch.longest);
    const std::ptrdiff_t part = part_of(stretch.since);
    all.first = std::min(all.first, part);
    all.last = std::max(all.last, part);
    Stretches& same = all.by_begin[static_cast<std::size_t>(part)];
    same.since = std::min(same.since, stretch.since);
    same.until = std::max(same.until, stretch.until);
    same.longest = std::max(same.longest, stretch.longest);
  }

  Time now_ = 0;
  Time width_ = 1;
  std::vector<OfSize> sizes_ = std::vector<OfSize>(classes);  // by class; two of these are swapped quickly
};

}  // namespace schedlab
