// The reservation of the first blocked job as a time and a number of processors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/state.hpp"

namespace schedlab {

/// A plan for easy.cpp, which says what it must do.
class HeadOnCounts {
 public:
  HeadOnCounts() = default;
  [[nodiscard]] Time shadow() const { return shadow_; }
  [[nodiscard]] std::int64_t spare() const { return spare_; }
  [[nodiscard]] static bool any_fits(std::int64_t free) { return free > 0; }

  /// Without an end fewer processors are free than at the last pass; where the same head waits for a time no later with
  /// no more left over, a job that was passed over would be passed over again.
  template <class RefusalsLast>
  bool hold(const State& state, const WaitingJob& head, std::int64_t free, bool same, RefusalsLast refusals_last) {
    const HeadOnCounts last = *this;
    *this = reserved(state.running(), state.now(), free, head.processors);
    return same && shadow_ <= last.shadow_ && spare_ <= last.spare_ && refusals_last();
  }
  void overtaken() const {}

  [[nodiscard]] static bool may_fit(const State&, const WaitingJob&, bool) { return true; }
  static NodeLimit* limit_of_start(const State&, const WaitingJob&, bool) { return nullptr; }
  std::int64_t started(const State&, const WaitingJob& job, std::int64_t free, bool ends_before) {
    if (!ends_before) spare_ -= job.processors;
    return free - job.processors;
  }
  void refused(const State&, const WaitingJob&, bool) const {}

  /// For a job that wants that many processors. A running job is expected to end at its estimate, or a second from now
  /// if it is past it. The clamp keeps the order of the jobs by estimated end, so one walk finds the shadow time;
  /// everything released by then counts as spare.
  static HeadOnCounts reserved(const RunningJobs& running, Time now, std::int64_t free, std::int64_t wanted) {
    const Time soonest = later(now, second);
    std::size_t block = 0;
    while (block < running.blocks() && free + running.summary(block).processors < wanted) {
      free += running.summary(block++).processors;
    }
    Time shadow = never;
    for (; block < running.blocks(); ++block) {
      if (shadow != never && running.entries(block).back().estimated_end <= shadow) {
        free += running.summary(block).processors;
        continue;
      }
      for (const RunningJob& job : running.entries(block)) {
        if (shadow == never) {
          free += job.processors;
          if (free >= wanted) shadow = std::max(job.estimated_end, soonest);
        } else if (job.estimated_end <= shadow) {
          free += job.processors;
        } else {
          return {shadow, free - wanted};
        }
      }
    }
    return {shadow, free - wanted};
  }

 private:
  HeadOnCounts(Time shadow, std::int64_t spare) : shadow_(shadow), spare_(spare) {}

  Time shadow_ = never;
  std::int64_t spare_ = 0;
};

}  // namespace schedlab
