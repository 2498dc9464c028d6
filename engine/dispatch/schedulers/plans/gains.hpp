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

/// Where room was gained, for requests of each class of sizes: in which parts of the time, and the stretches without a
/// break that have some of it, by the part in which they begin. All of it is a bound from above: room may be gone by
/// now. In a plan of few steps a search costs less than to know where to search, so there only the span of what was
/// gained is noted.
class Gains {
 public:
  /// Forgets everything; little happens after `horizon`.
  void restart(Time now, Time horizon) {
    now_ = now;
    part_bits_ = std::bit_width(static_cast<std::uint64_t>(between(now, horizon)) / parts);
    anywhere_ = {};
    if (!std::exchange(by_size_, false)) return;
    for (OfSize& size : sizes_) {
      each_bit(size.begun, [&](std::size_t part) { size.by_begin[part] = {}; });
      size.begun = size.gained = 0;
      size.longest = -1;
      size.until = earliest_time;
    }
  }

  [[nodiscard]] bool none() const { return none_of(1); }
  [[nodiscard]] bool none_of(std::uint32_t processors) const {
    return processors > anywhere_.processors && (!by_size_ || sizes_[class_of(processors)].gained == 0);
  }

  /// Whether room for N processors may have been gained right before a time.
  [[nodiscard]] bool right_before(Time time, std::uint32_t processors) const {
    if (processors <= anywhere_.processors && anywhere_.from < time && time <= anywhere_.until) return true;
    return by_size_ && (sizes_[class_of(processors)].gained >> part_of(time - 1) & 1U) != 0;
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
      (gains.add(std::min(size, classes - 1), from, until, since, to), ...);
    });
  }

  /// The earliest start of a job of that size and length before a limit; `never` if there is none.
  [[nodiscard]] Time earliest(const Profile& profile, Time from, std::uint32_t processors, Time length, Time limit) {
    if (processors <= anywhere_.processors) {
      Time until = limit;
      if (!by_size_) {
        if (anywhere_.from > from) from = std::max(from, anywhere_.from - length + 1);
        until = std::min(limit, anywhere_.until);
      }
      return profile.earliest(from, length, processors, until);
    }
    if (!by_size_) return never;
    OfSize& size = sizes_[class_of(processors)];
    if (size.longest < length) return never;
    const std::uint64_t before = ~std::uint64_t{0} >> (parts - 1 - part_of(limit));
    for (std::uint64_t left = size.begun & before; left != 0; left &= left - 1) {
      Stretches& stretches = size.by_begin[static_cast<std::size_t>(std::countr_zero(left))];
      if (stretches.longest < length || stretches.refused.holds(processors, length)) continue;
      const Time until = stretches.until - length + 1;
      const Time start = profile.earliest(std::max(from, stretches.since), length, processors, std::min(limit, until));
      if (start != never) return start;
      if (until <= limit) stretches.refused.note(processors, length);
    }
    return never;
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
  static constexpr std::size_t classes = 16;  // class i has the requests of 2^i processors up to twice as many
  static constexpr std::uint64_t parts = 64;  // of the time up to the horizon

  /// No request that is as large and as long as this one has room any more.
  struct Refused {
    std::uint32_t processors = 0;
    Time length = never;

    [[nodiscard]] bool holds(std::uint32_t of_processors, Time of_length) const {
      return of_processors >= processors && of_length >= length;
    }
    void note(std::uint32_t of_processors, Time of_length) {
      processors = of_processors;
      length = of_length;
    }
    /// A stretch that long was gained.
    void gained(Time stretch) {
      if (stretch >= length) length = never;
    }
  };
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
    Refused refused;
  };
  struct OfSize {
    std::uint64_t begun = 0;   // the parts in which stretches begin
    std::uint64_t gained = 0;  // the parts in which something was gained
    Time longest = -1;
    Time until = earliest_time;
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

  template <class Each>
  static void each_bit(std::uint64_t bits, Each each) {
    for (; bits != 0; bits &= bits - 1) each(static_cast<std::size_t>(std::countr_zero(bits)));
  }

  [[nodiscard]] std::uint64_t part_of(Time time) const {
    if (time <= now_) return 0;
    return std::min(static_cast<std::uint64_t>(between(now_, time)) >> part_bits_, parts - 1);
  }

  void add_anywhere(std::int64_t processors, Time from, Time until) {
    anywhere_.from = std::min(anywhere_.from, from);
    anywhere_.until = std::max(anywhere_.until, until);
    anywhere_.processors = std::max(anywhere_.processors, processors);
  }

  void add(std::size_t size, Time from, Time until, Time since, Time to) {
    by_size_ = true;
    OfSize& all = sizes_[size];
    const Time length = between(since, to);
    const std::uint64_t part = part_of(since);
    all.begun |= std::uint64_t{1} << part;
    all.gained |= (~std::uint64_t{0} << part_of(from)) & (~std::uint64_t{0} >> (parts - 1 - part_of(until - 1)));
    all.longest = std::max(all.longest, length);
    all.until = std::max(all.until, until);
    Stretches& same = all.by_begin[part];
    same.since = std::min(same.since, since);
    same.until = std::max(same.until, to);
    same.longest = std::max(same.longest, length);
    same.refused.gained(length);
  }

  Time now_ = 0;
  int part_bits_ = 0;                                         // a part is 2^part_bits_ long
  Span anywhere_;                                             // what was gained in a plan of few steps
  bool by_size_ = false;                                      // whether anything is noted in the next one
  std::vector<OfSize> sizes_ = std::vector<OfSize>(classes);  // by class; two of these are swapped quickly
};

}  // namespace schedlab
