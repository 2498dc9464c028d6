// The nodes that windows close to a job: at one time, or as the time of its start goes up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/machine.hpp"
#include "machine/windows.hpp"

namespace schedlab {

/// Those that a job may not be on during a time. Kept for its memory; it holds until the next look.
class ClosedNodes {
 public:
  void look(const Windows& windows, const Job& job, Time from, Time to) {
    windows_ = &windows;
    any_ = false;
    if (windows.empty()) return;
    marks_.resize(windows.parts().size());
    ++round_;
    std::size_t open = marks_.size();
    windows.closed_to(job, from, to, [&](const Window& window) {
      for (const NodeRange& range : windows.parts_of(window)) {
        for (std::uint32_t part = range.first; part < range.first + range.count; ++part) {
          if (marks_[part] != round_) --open;
          marks_[part] = round_;
        }
      }
      return open > 0;
    });
    any_ = open < marks_.size();
  }

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool has(std::uint32_t node) const {
    return !windows_->empty() && marks_[windows_->part_of(node)] == round_;
  }

 private:
  const Windows* windows_ = nullptr;
  std::vector<std::uint64_t> marks_;  // per part: the look that found it closed
  std::uint64_t round_ = 0;
  bool any_ = false;
};

/// Which parts of the machine are closed to a job that starts at a time and stays as long as it is planned for. The
/// time goes up, and each window is taken in and out once.
class ClosedParts {
 public:
  /// Begins with a start at `time`; calls `flipped(part)` for each part that is closed then.
  template <class Flipped>
  void begin(const Windows& windows, const Job& job, Time time, Flipped flipped) {
    windows_ = &windows;
    job_ = &job;
    counts_.assign(windows.parts().size(), 0);
    const Time end = later(time, job.planned_length());
    windows.closed_to(job, time, end, [&](const Window& window) {
      close(window, flipped);
      return true;
    });
    next_start_ = windows.first_from(end);
    next_end_ = windows.first_ending_after(time);
  }

  [[nodiscard]] bool closed(std::size_t part) const { return counts_[part] > 0; }

  /// When the next of the windows ends that do not admit the job; `never` after the last.
  [[nodiscard]] Time next_end() {
    while (next_end_ < windows_->size() && windows_->by_end(next_end_).admits(*job_)) ++next_end_;
    return next_end_ < windows_->size() ? windows_->by_end(next_end_).end : never;
  }

  /// Advances to a start at `time`; calls `flipped(part)` whenever a part closes or opens, after it did.
  template <class Flipped>
  void advance(Time time, Flipped flipped) {
    const Time end = later(time, job_->planned_length());
    for (; next_start_ < windows_->size() && windows_->by_start(next_start_).start < end; ++next_start_) {
      const Window& window = windows_->by_start(next_start_);
      if (!window.admits(*job_)) close(window, flipped);
    }
    for (; next_end_ < windows_->size() && windows_->by_end(next_end_).end <= time; ++next_end_) {
      const Window& window = windows_->by_end(next_end_);
      if (window.admits(*job_)) continue;
      for (const NodeRange& range : windows_->parts_of(window)) {
        for (std::uint32_t part = range.first; part < range.first + range.count; ++part) {
          if (--counts_[part] == 0) flipped(part);
        }
      }
    }
  }

 private:
  template <class Flipped>
  void close(const Window& window, Flipped flipped) {
    for (const NodeRange& range : windows_->parts_of(window)) {
      for (std::uint32_t part = range.first; part < range.first + range.count; ++part) {
        if (counts_[part]++ == 0) flipped(part);
      }
    }
  }

  const Windows* windows_ = nullptr;
  const Job* job_ = nullptr;
  std::vector<std::uint32_t> counts_;  // per part: windows that close it
  std::size_t next_start_ = 0;         // the next window to come in, by start,
  std::size_t next_end_ = 0;           // and to go out, by end
};

/// The earliest time from `from` on at which windows leave the job enough of an empty machine for as long as it is
/// planned for; `never` if there is none. Whatever else runs, it cannot start before. What was found is kept with the
/// job: a job that is too long for every gap would else go through all of them at each call of the scheduler.
Time first_open(const Windows& windows, const Machine& machine, const Job& job, const Amount* amounts, Time from,
                ClosedParts& parts);

}  // namespace schedlab
