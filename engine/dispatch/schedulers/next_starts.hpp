// The reserved jobs that start next, of many that wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/sorted_blocks.hpp"
#include "base/time.hpp"
#include "jobs/waiting.hpp"

namespace schedlab {

/// Jobs by start, but only those that start before a horizon: reservations move often, and of thousands few are due
/// soon. When time reaches the horizon, the queue is looked through for what starts before the next one.
class NextStarts {
 public:
  void clear() { *this = NextStarts(); }

  void insert(Time start, const WaitingJob& job) {
    if (start >= horizon_) return;
    by_start_.insert({start, job});
    if (by_start_.size() > most_) keep_first();
  }

  void remove(Time start, const WaitingJob& job) {
    if (start < horizon_) by_start_.remove({start, job});
  }

  /// Whether a job starts before that time, of those in the queue; `starts` has them by slot, `never` for no start.
  bool any_before(Time time, const WaitingQueue& queue, const std::vector<Time>& starts) {
    if (time > horizon_) look_through(time, queue, starts);
    return !by_start_.empty() && by_start_.front().start < time;
  }

  WaitingJob take_first() {
    const WaitingJob job = by_start_.front().job;
    by_start_.erase(by_start_.first());
    return job;
  }

 private:
  struct Reserved {
    Time start;
    WaitingJob job;
    bool operator<(const Reserved& other) const {  // not by the job's key, which may change while it waits
      return start != other.start ? start < other.start : job.sequence < other.job.sequence;
    }
  };
  struct NoSummary {
    void add(const Reserved&) {}
    [[nodiscard]] bool remove(const Reserved&) const { return true; }
  };
  static constexpr std::size_t few = 512;

  void look_through(Time time, const WaitingQueue& queue, const std::vector<Time>& starts) {
    std::vector<Reserved> found;
    for (std::size_t block = 0; block < queue.blocks(); ++block) {
      for (const WaitingJob& job : queue.entries(block)) {
        const Time start = starts[job.slot];
        if (start != never && start >= horizon_) found.push_back({start, job});
      }
    }
    horizon_ = never;
    if (found.size() > few) {
      std::nth_element(found.begin(), found.begin() + few, found.end());
      horizon_ = std::max(time, later(found[few].start, 1));
    }
    for (const Reserved& job : found) {
      if (job.start < horizon_) by_start_.insert(job);
    }
    most_ = std::max(4 * few, 2 * by_start_.size());
  }

  /// Draws the horizon nearer.
  void keep_first() {
    std::vector<Reserved> kept;
    for (std::size_t block = 0; block < by_start_.blocks(); ++block) {
      for (const Reserved& job : by_start_.entries(block)) {
        if (kept.size() <= few) horizon_ = later(job.start, 1);
        if (job.start < horizon_) kept.push_back(job);
      }
    }
    by_start_.assign(std::move(kept));
    most_ = std::max(4 * few, 2 * by_start_.size());
  }

  Time horizon_ = std::numeric_limits<Time>::min();  // until it has looked through the queue
  std::size_t most_ = 4 * few;                       // that are kept before the horizon is drawn nearer
  SortedBlocks<Reserved, NoSummary> by_start_;
};

}  // namespace schedlab
