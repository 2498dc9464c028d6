// The earliest time at which all tasks of a job have room on nodes, by what is free on each of them over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/schedulers/plans/alike_nodes.hpp"
#include "jobs/job.hpp"
#include "machine/closed_nodes.hpp"
#include "machine/machine.hpp"
#include "machine/windows.hpp"

namespace schedlab {

/// Looks at every run of alike nodes once, for a start at the first time in question. Then it goes up in time, from one
/// change of a run's room to the next, and stops at the first time that will do. Kept for its memory.
class StartSearch {
 public:
  /// From a time on, until that of the next, no more than these tasks of the job have room.
  struct Bound {
    Time from;
    std::int64_t room;
  };

  /// The first time in [from, latest] at which the job could start; `never` if there is none.
  Time first(const Machine& machine, const Windows& windows, const AlikeNodes& nodes, const Job& job,
             const Amount* amounts, Time from, Time latest);
  /// Of the times that were not late enough, from the first one on.
  [[nodiscard]] const std::vector<Bound>& tried() const { return tried_; }

 private:
  /// A time with the same room on a node. It lasts until the next one.
  struct Stretch {
    Time from;
    std::uint32_t room;
  };
  /// A run of alike nodes, and the room on one of them for a job that starts at some time: the least of the stretches
  /// that it meets. As the start moves up, stretches are left behind, each at its end, and met, each just after the
  /// last start that ends before it.
  struct Run {
    const AlikeNodes::Steps* steps;
    std::size_t stretches;  // where they begin
    std::uint32_t node;     // one of them
    std::uint32_t count;
    std::uint32_t part;  // of the windows
    std::uint32_t room = 0;
    std::uint32_t counted = 0;  // of the room, in the sum
    std::uint32_t step = 0;     // the next to become part of a stretch
    std::uint32_t first = 0;    // stretches in [first, last) are met
    std::uint32_t last = 0;
    std::uint32_t known = 0;  // stretches
  };
  struct Change {
    Time time;
    std::uint32_t run;
    bool operator<(const Change& other) const { return time > other.time; }  // the soonest on top of a heap
  };

  bool knows(Run& run, std::uint32_t stretch);
  void move(Run& run, Time start);
  [[nodiscard]] Time next_change(Run& run);
  void note_tried(Time time);

  const Machine* machine_ = nullptr;
  const Job* job_ = nullptr;
  const Amount* amounts_ = nullptr;
  Time length_ = 0;
  std::int64_t room_ = 0;  // of nodes that are open
  std::vector<Run> runs_;
  std::vector<Stretch> stretches_;
  std::vector<Change> changes_;  // the next of each run
  std::vector<Bound> tried_;
  std::vector<std::int64_t> part_rooms_;  // of each part of the windows
  ClosedParts closed_parts_;
};

}  // namespace schedlab
