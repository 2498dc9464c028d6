// How many processors will be free when, by the estimates: a step function from now on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"

namespace schedlab {

class Profile {
 public:
  Profile() = default;
  Profile(Time now, std::int64_t free) : steps_{{now, free}} {}

  void archive(Archive& archive) { archive(steps_); }
  void check_saved() const {
    const auto later = [](const Step& a, const Step& b) { return a.from >= b.from; };
    const bool ascends = std::adjacent_find(steps_.begin(), steps_.end(), later) == steps_.end();
    Archive::require(!steps_.empty() && ascends, "steps of a plan do not ascend");
  }

  /// Forgets what lies before `now`.
  void advance(Time now) {
    std::size_t passed = 0;
    while (passed + 1 < steps_.size() && steps_[passed + 1].from <= now) ++passed;
    steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(passed));
    steps_.front().from = std::max(steps_.front().from, now);
  }

  /// Adds to what is free in [from, to).
  void add(Time from, Time to, std::int64_t processors) {
    if (from >= to) return;
    const std::size_t first = cut(from);
    const std::size_t last = cut(to);
    for (std::size_t i = first; i < last; ++i) steps_[i].free += processors;
    join(last);
    join(first);
  }

  [[nodiscard]] std::int64_t least_free(Time from, Time to) const {
    std::int64_t least = steps_.back().free;
    for (std::size_t i = step_at(from); i < steps_.size() && steps_[i].from < to; ++i)
      least = std::min(least, steps_[i].free);
    return least;
  }

  [[nodiscard]] std::int64_t most_free(Time from, Time to) const {
    std::int64_t most = 0;
    for (std::size_t i = step_at(from); i < steps_.size() && steps_[i].from < to; ++i)
      most = std::max(most, steps_[i].free);
    return most;
  }

  /// The earliest time from `from` on and before `limit` at which N processors are free for that length; `never` if
  /// there is none.
  [[nodiscard]] Time earliest(Time from, Time length, std::int64_t processors, Time limit = never) const {
    Time start = from;
    for (std::size_t i = step_at(from); i < steps_.size() && start < limit; ++i) {
      if (steps_[i].from >= later(start, length)) return start;
      if (steps_[i].free < processors) start = i + 1 < steps_.size() ? steps_[i + 1].from : never;
    }
    return start < limit ? start : never;
  }

  /// The time since which N processors are free without a break until `until`, at most back to `not_before`.
  [[nodiscard]] Time free_since(Time until, std::int64_t processors, Time not_before) const {
    std::size_t step = step_at(until);
    if (steps_[step].from < until && steps_[step].free < processors) return until;
    while (step > 0 && steps_[step].from > not_before && steps_[step - 1].free >= processors) --step;
    if (steps_[step].from >= until) return until;
    return std::max(not_before, steps_[step].from);
  }

 private:
  struct Step {
    Time from;
    std::int64_t free;
    void archive(Archive& archive) { archive(from, free); }
  };

  [[nodiscard]] std::size_t step_at(Time time) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), time, [](Time at, const Step& step) { return at < step.from; });
    return after == steps_.begin() ? 0 : static_cast<std::size_t>(after - steps_.begin()) - 1;
  }

  /// Makes a step begin at `time` and returns which.
  std::size_t cut(Time time) {
    const std::size_t step = step_at(time);
    if (steps_[step].from >= time) return step;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(step) + 1, Step{time, steps_[step].free});
    return step + 1;
  }

  /// Makes a step one with the step before it where both are equal.
  void join(std::size_t step) {
    if (step > 0 && step < steps_.size() && steps_[step].free == steps_[step - 1].free) {
      steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(step));
    }
  }

  std::vector<Step> steps_;
};

}  // namespace schedlab
