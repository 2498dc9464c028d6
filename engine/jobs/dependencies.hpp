// Which jobs wait for which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jobs/job.hpp"
#include "jobs/unheeded_predecessors.hpp"

namespace schedlab {

class Dependencies {
 public:
  struct Verdict {
    bool impossible = false;       // a predecessor was rejected
    std::uint32_t unfinished = 0;  // predecessors still in flight
    Time last_end = never;         // of those that ended; never if none did
  };

  /// A job that waits: slots are used again, so it is known by its arrival too.
  struct Dependent {
    Slot slot;
    std::uint64_t arrival;
    void archive(Archive& archive) { archive(slot, arrival); }
  };

  /// Notes that the job is in flight. Ids that no job had before it, its own among them, hold no job up; they are
  /// counted.
  Verdict add(std::int64_t id, Dependent job, std::span<const std::int64_t> predecessors) {
    Verdict verdict;
    for (const std::int64_t predecessor : predecessors) {
      const auto found = jobs_.find(predecessor);
      if (found == jobs_.end()) unheeded_.add(id, job.arrival, predecessor);
      if (found == jobs_.end() || found->second.slot != no_slot) continue;
      const Time end = found->second.end;
      verdict.impossible = verdict.impossible || end == never;
      verdict.last_end = verdict.last_end == never ? end : std::max(verdict.last_end, end);
    }
    for (const std::int64_t predecessor : predecessors) {
      const auto found = jobs_.find(predecessor);
      if (verdict.impossible || found == jobs_.end() || found->second.slot == no_slot) continue;
      std::vector<Dependent>& waiting = waiting_for_[found->second.slot];
      if (!waiting.empty() && waiting.back().arrival == job.arrival) continue;  // named twice
      waiting.push_back(job);
      ++verdict.unfinished;
    }
    jobs_[id] = {job.slot, never};
    unheeded_.submitted(id);
    return verdict;
  }

  /// Notes the end of a job (`never`: it was rejected) and returns those that waited for it.
  std::vector<Dependent> remove(std::int64_t id, Slot slot, Time end) {
    jobs_[id] = {no_slot, end};
    const auto found = waiting_for_.find(slot);
    if (found == waiting_for_.end()) return {};
    std::vector<Dependent> dependents = std::move(found->second);
    waiting_for_.erase(found);
    return dependents;
  }

  [[nodiscard]] const UnheededPredecessors& unheeded() const { return unheeded_; }

  void archive(Archive& archive) { archive(jobs_, waiting_for_, unheeded_); }
  void check_saved(std::size_t slots) const {
    for (const auto& [id, known] : jobs_) {
      Archive::require(known.slot == no_slot || known.slot < slots, "a predecessor is not there");
    }
    for (const auto& [slot, waiting] : waiting_for_) {
      Archive::require(slot < slots, "a predecessor is not there");
      for (const Dependent& job : waiting) Archive::require(job.slot < slots, "a job that waits is not there");
    }
  }

 private:
  struct Known {
    Slot slot = no_slot;  // no_slot once it ended
    Time end = never;
    void archive(Archive& archive) { archive(slot, end); }
  };
  std::unordered_map<std::int64_t, Known> jobs_;
  std::unordered_map<Slot, std::vector<Dependent>> waiting_for_;
  UnheededPredecessors unheeded_;
};

}  // namespace schedlab
