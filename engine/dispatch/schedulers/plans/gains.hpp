// Where room was gained in a plan that jobs may move into.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "dispatch/schedulers/plans/profile.hpp"

namespace schedlab {

/// Between which times room was gained, and for requests of each class of sizes the stretches without a break that have
/// some of it, by when they begin. All of it is a bound from above: room may be gone by now. In a plan of few steps a
/// search costs less than to know where to search, so there only the span of what was gained is noted.
class Gains {
 public:
  /// Forgets everything; little happens after `horizon`.
  void restart(Time now, Time horizon) {
    now_ = now;
    width_ = between(now, horizon) / parts + 1;
    anywhere_ = {};
    if (!std::exchange(by_size_, false)) return;
    for (OfSize& size : sizes_) {
      if (size.longest < 0) continue;
      std::fill(size.by_begin.begin() + size.first, size.by_begin.begin() + size.last + 1, Stretches{});
      size.first = parts - 1;
      size.last = 0;
      size.from = never;
      size.until = earliest_time;
      size.longest = -1;
    }
  }

  [[nodiscard]] bool none() const { return none_of(1); }
  [[nodiscard]] bool none_of(std::uint32_t processors) const {
    return processors > anywhere_.processors && (!by_size_ || sizes_[class_of(processors)].longest < 0);
  }

  /// Whether room for N processors may have been gained right before a time.
  [[nodiscard]] bool right_before(Time time, std::uint32_t processors) const {
    if (processors <= anywhere_.processors && anywhere_.from < time && time <= anywhere_.until) return true;
    if (!by_size_) return false;
    const OfSize& size = sizes_[class_of(processors)];
    return size.from < time && time <= size.until;
  }

  /// Adds what was gained in [from, until) to each of these.
  template <class... Others>
  static void note(const Profile& profile, Time from, Time until, Others&... gains) {
    if (from >= until) return;
    if (profile.is_short()) {
      const std::int64_t most = profile.most_free(from, until);
      if (most <= 0) return;
      (gains.add_anywhere(most, from, until), ...);
      return;
    }
    profile.free_around(from, until, [&](std::size_t size, Time since, Time to) {
      (gains.add(std::min(size, classes - 1), from, until, {since, to, between(since, to)}), ...);
    });
  }

  /// Calls `search(from, until)` for the times at which a job of that size and length may start, before a limit, in
  /// order, until it says that it did.
  template <class Search>
  void search(std::uint32_t processors, Time length, Time limit, Search search) const {
    if (processors <= anywhere_.processors) {
      if (by_size_) {
        search(now_, limit);
      } else {
        const Time from = anywhere_.from > now_ ? std::max(now_, anywhere_.from - length + 1) : now_;
        search(from, std::min(limit, anywhere_.until));
      }
      return;
    }
    if (!by_size_) return;
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
    Time until = std::max(anywhere_.until, sizes_[0].until);
    archive(until);
    if (archive.reading()) {
      restart(0, 0);
      if (until > earliest_time) anywhere_ = {earliest_time, until, std::numeric_limits<std::int64_t>::max()};
    }
  }

 private:
  static constexpr Time earliest_time = std::numeric_limits<Time>::min();
  static constexpr std::size_t classes = 16;   // class i has the requests of 2^i processors up to twice as many
  static constexpr std::ptrdiff_t parts = 64;  // of the time up to the horizon
  struct Span {
    Time from = never;
    Time until = earliest_time;
    std::int64_t processors = 0;  // the most that were free in it
  };
  /// All that begin in one part of the time.
  struct Stretches {
    Time since = never;
    Time until = 0;
    Time longest = -1;
  };
  struct OfSize {
    Time from = never;
    Time until = earliest_time;
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

  void add_anywhere(std::int64_t processors, Time from, Time until) {
    anywhere_.from = std::min(anywhere_.from, from);
    anywhere_.until = std::max(anywhere_.until, until);
    anywhere_.processors = std::max(anywhere_.processors, processors);
  }

  void add(std::size_t size, Time from, Time until, const Stretches& stretch) {
    by_size_ = true;
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
  Span anywhere_;                                             // what was gained in a plan of few steps
  bool by_size_ = false;                                      // whether anything is noted in the next one
  std::vector<OfSize> sizes_ = std::vector<OfSize>(classes);  // by class; two of these are swapped quickly
};

}  // namespace schedlab
