// A value over time that changes in steps: a power cap, a price.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/time.hpp"

namespace schedlab {

class Series {
 public:
  Series() = default;
  /// Values from each time on, ascending; before the first, the first holds. With a period above 0, which is longer
  /// than from the first time to the last, they repeat, before these times and after them.
  Series(std::vector<Time> times, std::vector<double> values, Time period)
      : times_(std::move(times)), values_(std::move(values)), period_(period) {}

  [[nodiscard]] bool empty() const { return values_.empty(); }

  [[nodiscard]] double at(Time time) const {
    const auto after = std::upper_bound(times_.begin(), times_.end(), first_occurrence(time));
    return values_[after == times_.begin() ? 0 : static_cast<std::size_t>(after - times_.begin()) - 1];
  }

  /// The largest value from this time on.
  [[nodiscard]] double most_from(Time time) const {
    if (period_ > 0) return *std::max_element(values_.begin(), values_.end());
    const auto after = std::upper_bound(times_.begin(), times_.end(), time) - times_.begin();
    return *std::max_element(values_.begin() + std::max<std::ptrdiff_t>(0, after - 1), values_.end());
  }

  /// When the value may be another one next; `never` after the last step.
  [[nodiscard]] Time next_change(Time time) const {
    if (values_.size() < 2) return never;
    const Time first = first_occurrence(time);
    const auto after = std::upper_bound(times_.begin(), times_.end(), first);
    if (after != times_.end()) return later(time, *after - first);
    return period_ > 0 ? later(time, times_.front() + period_ - first) : never;
  }

  /// The integral from one time to a later one, in value-seconds.
  [[nodiscard]] double integral(Time from, Time to) const {
    double sum = 0.0;
    while (from < to) {
      const Time end = std::min(to, next_change(from));
      sum += at(from) * in_seconds(end - from);
      from = end;
    }
    return sum;
  }

 private:
  /// The time in the first period at which the same holds.
  [[nodiscard]] Time first_occurrence(Time time) const {
    if (period_ <= 0) return time;
    const Time within = (time - times_.front()) % period_;
    return times_.front() + (within < 0 ? within + period_ : within);
  }

  std::vector<Time> times_;
  std::vector<double> values_;
  Time period_ = 0;
};

}  // namespace schedlab
