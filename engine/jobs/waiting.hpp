// The waiting queue and the running jobs, each sorted for the policies that walk them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/sorted_blocks.hpp"
#include "base/time.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// In the order of the queue: by rank, then key, then the sequence in which jobs joined, least first.
struct WaitingJob {
  double key;
  Time estimate;
  std::uint32_t rank;
  std::uint32_t sequence;
  std::uint32_t processors;  // that must be free before it can start; 0 where that depends on other things alone
  Slot slot;

  void archive(Archive& archive) { archive(key, estimate, rank, sequence, processors, slot); }
  bool operator<(const WaitingJob& other) const {
    if (rank != other.rank) return rank < other.rank;
    return key != other.key ? key < other.key : sequence < other.sequence;
  }
};

/// The smallest request of some jobs, and the shortest estimate of each class of sizes: with one estimate for all,
/// nearly every block of a long queue has some short job and some small one, and nothing is skipped.
struct WaitingSummary {
  static constexpr std::size_t classes = 10;  // from 1, 2, 4, ..., 512 processors on
  std::array<Time, classes> shortest;
  std::uint32_t smallest = std::numeric_limits<std::uint32_t>::max();

  WaitingSummary() { shortest.fill(never); }

  void add(const WaitingJob& job) {
    Time& of_class = shortest[class_of(job.processors)];
    of_class = std::min(of_class, job.estimate);
    smallest = std::min(smallest, job.processors);
  }
  [[nodiscard]] bool remove(const WaitingJob& job) const {
    return job.estimate > shortest[class_of(job.processors)] && job.processors > smallest;
  }
  void add(const WaitingSummary& other) {
    for (std::size_t i = 0; i < classes; ++i) shortest[i] = std::min(shortest[i], other.shortest[i]);
    smallest = std::min(smallest, other.smallest);
  }

  /// A bound from below on the estimates of the jobs that need no more than N processors.
  [[nodiscard]] Time shortest_within(std::int64_t processors) const {
    Time least = never;
    for (std::size_t i = 0; i < classes && (i == 0 || std::int64_t{1} << i <= processors); ++i) {
      least = std::min(least, shortest[i]);
    }
    return least;
  }

 private:
  static std::size_t class_of(std::uint32_t processors) {
    return std::min<std::size_t>(classes - 1, static_cast<std::size_t>(std::bit_width(processors | 1U)) - 1);
  }
};
using WaitingQueue = SortedBlocks<WaitingJob, WaitingSummary>;

/// The entry of a job that waits.
inline WaitingJob waiting_entry(const Job& job, Slot slot) {
  return {job.key, job.estimate, job.rank, static_cast<std::uint32_t>(job.sequence), job.processors, slot};
}

struct RunningJob {
  Time estimated_end;
  std::uint64_t sequence;
  std::uint32_t processors;
  Slot slot;

  void archive(Archive& archive) { archive(estimated_end, sequence, processors, slot); }
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
