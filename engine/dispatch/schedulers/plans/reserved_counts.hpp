// Kept reservations of a number of processors, which any will do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/schedulers/plans/profile.hpp"
#include "dispatch/schedulers/plans/refusals.hpp"
#include "dispatch/state.hpp"

namespace schedlab {

/// A plan for conservative.cpp, which says what it must do.
class ReservedCounts {
 public:
  void begin(const State& state) {
    now_ = state.now();
    gained_until_ = 0;
    ended_.clear();
    profile_ = Profile(now_, state.machine().processors());
    for (std::size_t block = 0; block < state.running().blocks(); ++block) {
      for (const RunningJob& job : state.running().entries(block)) {
        const Time end = std::max(job.estimated_end, later(now_, second));
        profile_.add(now_, end, -static_cast<std::int64_t>(job.processors));
        end_of(job.slot) = end;
      }
    }
  }

  void advance(const State& state) {
    now_ = state.now();
    profile_.advance(now_);
  }

  void ended(const RunningJob& job) { ended_.push_back(job); }

  void release_ended() {
    for (const RunningJob& job : ended_) {
      profile_.add(now_, ends_[job.slot], job.processors);
      gained_until_ = std::max(gained_until_, ends_[job.slot]);
    }
    ended_.clear();
  }

  bool extend(const State&, const RunningJob& job, Time until) {
    if (ends_[job.slot] >= until) return false;
    profile_.add(std::max(now_, ends_[job.slot]), until, -static_cast<std::int64_t>(job.processors));
    ends_[job.slot] = until;
    return true;
  }

  [[nodiscard]] bool overfull(Time until) const { return profile_.least_free(now_, until) < 0; }

  Time reserve(const State&, const WaitingJob& job, Time from) {
    const Time start = profile_.earliest(from, length_of(job), job.processors);
    return take(job, start) ? start : never;
  }

  void release(const State&, const WaitingJob& job, Time start) { give_back(job, start); }

  /// A job that was at its earliest can only move into room that was gained since: it must start before `gained_`, at a
  /// time when its processors are free.
  class Moves {
   public:
    Moves(ReservedCounts& plan, const State&)
        : plan_(plan),
          gained_(std::exchange(plan.gained_until_, 0)),
          most_free_(gained_ > plan.now_ ? plan.profile_.most_free(plan.now_, gained_) : -1) {}

    [[nodiscard]] bool none() const { return most_free_ < 0; }
    [[nodiscard]] bool none_of(const WaitingSummary& jobs) const { return jobs.smallest > most_free_; }

    Time move(const WaitingJob& job, Time old) {
      if (job.processors > most_free_) return old;
      const Time start = plan_.earlier_start(job, old, std::min(old, gained_), refusals_);
      if (start == never) return old;
      plan_.give_back(job, old);  // for the jobs before it, at the next end
      plan_.take(job, start);
      refusals_.freed(old);
      gained_ = std::max(gained_, plan_.gained_until_);
      most_free_ = std::max(most_free_, plan_.profile_.most_free(old, later(old, length_of(job))));
      return start;
    }

    void finish() const {}

   private:
    ReservedCounts& plan_;
    Time gained_;
    std::int64_t most_free_;
    Refusals refusals_;
  };

  /// It runs where it was reserved, so nothing changes but what its room is called.
  static NodeLimit* limit_of_start(const State&, const WaitingJob&) { return nullptr; }
  void started(const State&, const WaitingJob& job) { end_of(job.slot) = later(now_, length_of(job)); }
  void refused(const State&, const WaitingJob& job) { give_back(job, now_); }

  void archive(Archive& archive) { archive(now_, profile_, gained_until_, ends_, ended_); }
  [[nodiscard]] static bool knows(Slot) { return true; }
  void check_saved(const State& state) const {
    profile_.check_saved();
    Archive::require(ends_.size() <= state.jobs().slots(), "plans for jobs that are not there");
    for (const RunningJob& job : ended_) Archive::require(job.slot < ends_.size(), "a job ended that was not planned");
    for (std::size_t block = 0; block < state.running().blocks(); ++block) {
      for (const RunningJob& job : state.running().entries(block)) {
        Archive::require(job.slot < ends_.size(), "a job runs that is not planned");
      }
    }
  }

 private:
  static Time length_of(const WaitingJob& job) { return std::max(job.estimate, second); }

  Time& end_of(Slot slot) {
    if (slot >= ends_.size()) ends_.resize(slot + 1);
    return ends_[slot];
  }

  void give_back(const WaitingJob& job, Time start) {
    const Time end = later(start, length_of(job));
    profile_.add(std::max(now_, start), end, job.processors);
    gained_until_ = std::max(gained_until_, end);
  }

  /// False where the plan reaches beyond the largest time there is.
  bool take(const WaitingJob& job, Time start) {
    const Time end = later(start, length_of(job));
    if (end == never) return false;
    profile_.add(start, end, -static_cast<std::int64_t>(job.processors));
    return true;
  }

  /// The earliest time before `limit` at which a job reserved at `old` could start instead; `never` if there is none.
  Time earlier_start(const WaitingJob& job, Time old, Time limit, Refusals& refusals) const {
    const Time length = length_of(job);
    // Where it would end before `old`, it needs a hole like any other job of its size.
    const Time clear = std::min(limit, old - length);
    const Time from = std::max(now_, refusals.known_until(job.processors, length));
    if (from < clear) {
      const Time start = profile_.earliest(from, length, job.processors, clear);
      refusals.note(job.processors, length, std::min(start, clear));
      if (start != never) return start;
    }
    // Nearer to `old` it needs room only up to there, because after that it has its own.
    const Time start = profile_.free_since(old, job.processors, std::max(now_, old - length));
    return start < limit ? start : never;
  }

  Time now_ = 0;
  Profile profile_;                // of running and reserved jobs
  Time gained_until_ = 0;          // room may have been gained before this time since jobs were last moved
  std::vector<Time> ends_;         // by slot: until when the running job there is planned
  std::vector<RunningJob> ended_;  // since the last call
};

}  // namespace schedlab
