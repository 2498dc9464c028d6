// The waiting queue and the running jobs, each sorted for the policies that walk them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "job.hpp"
#include "sorted_blocks.hpp"
#include "time.hpp"

namespace schedlab {

struct WaitingJob {
  double key;  // of the order; least first
  std::uint64_t sequence;
  Time estimate;
  std::uint32_t processors;  // that must be free before it can start; 0 where it asks for something else
  Slot slot;
  bool operator<(const WaitingJob& other) const {
    return key != other.key ? key < other.key : sequence < other.sequence;
  }
};

struct WaitingSummary {
  Time shortest = never;
  std::uint32_t smallest = std::numeric_limits<std::uint32_t>::max();
  void add(const WaitingJob& job) {
    shortest = std::min(shortest, job.estimate);
    smallest = std::min(smallest, job.processors);
  }
  [[nodiscard]] bool remove(const WaitingJob& job) const {
    return job.estimate > shortest && job.processors > smallest;
  }
};
using WaitingQueue = SortedBlocks<WaitingJob, WaitingSummary>;

struct RunningJob {
  Time estimated_end;
  std::uint64_t sequence;
  std::uint32_t processors;
  Slot slot;
  bool operator<(const RunningJob& other) const {
    return estimated_end != other.estimated_end ? estimated_end < other.estimated_end : sequence < other.sequence;
  }
};

struct RunningSummary {
  std::int64_t processors = 0;
  void add(const RunningJob& job) { processors += job.processors; }
  bool remove(const RunningJob& job) {
    processors -= job.processors;
    return true;
  }
};
using RunningJobs = SortedBlocks<RunningJob, RunningSummary>;

}  // namespace schedlab
