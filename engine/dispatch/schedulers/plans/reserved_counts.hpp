// Kept reservations of a number of processors, which any will do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/schedulers/plans/gains.hpp"
#include "dispatch/schedulers/plans/profile.hpp"
#include "dispatch/state.hpp"

namespace schedlab {

/// A plan for conservative.cpp, which says what it must do.
class ReservedCounts {
 public:
  void begin(const State& state) {
    now_ = state.now();
    ended_.clear();
    profile_ = Profile(now_, state.machine().processors());
    for (std::size_t block = 0; block < state.running().blocks(); ++block) {
      for (const RunningJob& job : state.running().entries(block)) {
        const Time end = std::max(job.estimated_end, later(now_, second));
        profile_.add(now_, end, -static_cast<std::int64_t>(job.processors));
        end_of(job.slot) = end;
      }
    }
    gains_.restart(now_, profile_.last_change());
  }

  void advance(const State& state) {
    Archive::require(state.now() >= now_, "time goes back");  // only where the state was forged
    now_ = state.now();
    profile_.advance(now_);
  }

  void ended(const RunningJob& job) { ended_.push_back(job); }

  void release_ended() {
    for (const RunningJob& job : ended_) free(now_, ends_[job.slot], job.processors);
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

  /// A job that was at its earliest can only move into room that was gained since.
  class Moves {
   public:
    Moves(ReservedCounts& plan, const State&) : plan_(plan), gains_(plan.gains_of_moves_) {
      gains_.restart(plan.now_, plan.profile_.last_change());
      std::swap(gains_, plan.gains_);
    }

    [[nodiscard]] bool none() const { return gains_.none(); }
    [[nodiscard]] bool none_of(const WaitingSummary& jobs) {
      if (last_.moved > 0) finish();
      return gains_.none_of(jobs.smallest);
    }

    Time move(const WaitingJob& job, Time old) {
      const Time length = length_of(job);
      const bool alike = old == last_.old && length == last_.length && job.processors == last_.processors;
      if (!alike || (last_.moved > 0 && !more_fit())) {
        finish();
        const Time start = gains_.none_of(job.processors) ? never : earlier_start(job.processors, length, old);
        last_ = {old, length, start, job.processors, 0};
      }
      if (last_.start == never) return old;
      ++last_.moved;
      return last_.start;
    }

    /// Jobs that are alike and go from one place to another are moved together.
    void finish() {
      if (last_.moved > 0) {
        const std::int64_t processors = std::int64_t{last_.processors} * last_.moved;
        // What they have before and after the move stays their own.
        const Time until = last_.start + last_.length;
        const Time from = std::max(last_.old, until);
        plan_.profile_.add(last_.start, std::min(last_.old, until), -processors);
        plan_.profile_.add(from, last_.old + last_.length, processors);
        Gains::note(plan_.profile_, from, last_.old + last_.length, gains_, plan_.gains_);
        seen_ = never;
      }
      last_ = {};
    }

   private:
    /// What was found for the last job, and how many alike are to go there.
    struct Found {
      Time old = never;
      Time length = 0;
      Time start = never;
      std::uint32_t processors = 0;
      std::int64_t moved = 0;
    };

    [[nodiscard]] bool more_fit() const {
      const std::int64_t room = plan_.profile_.least_free(last_.start, std::min(last_.old, last_.start + last_.length));
      return room >= std::int64_t{last_.processors} * (last_.moved + 1);
    }

    /// The earliest time at which a job reserved at `old` could start instead; `never` if there is none.
    Time earlier_start(std::uint32_t processors, Time length, Time old) {
      const Profile& profile = plan_.profile_;
      // Where it would end before `old`, it needs a hole like any other job of its size.
      const Time clear = old - length;
      if (plan_.now_ < clear) {
        const Time found = gains_.earliest(profile, plan_.now_, processors, length, clear);
        if (found != never) return found;
      }
      // Nearer to `old` it needs room only up to there, because after that it has its own.
      if (!gains_.right_before(old, processors)) return never;
      if (seen_ != old) {
        seen_ = old;
        before_ = profile.before(old);
      }
      if (profile.free_of(before_) < processors) return never;
      return profile.free_since(before_, processors, std::max(plan_.now_, clear));
    }

    ReservedCounts& plan_;
    Gains& gains_;  // since jobs were last moved; those of the moves are noted in both
    Found last_;
    Time seen_ = never;  // the step right before then is known
    Profile::Position before_{};
  };

  /// It runs where it was reserved, so nothing changes but what its room is called.
  static NodeLimit* limit_of_start(const State&, const WaitingJob&) { return nullptr; }
  void started(const State&, const WaitingJob& job) { end_of(job.slot) = later(now_, length_of(job)); }
  void refused(const State&, const WaitingJob& job) { give_back(job, now_); }

  void archive(Archive& archive) { archive(now_, profile_, gains_, ends_, ended_); }
  [[nodiscard]] static bool knows(Slot) { return true; }
  void check_saved(const State& state) const {
    profile_.check_saved();
    Archive::require(is_time(now_), "a plan is of a time before all time");
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
    free(std::max(now_, start), later(start, length_of(job)), job.processors);
  }

  void free(Time from, Time until, std::uint32_t processors) {
    profile_.add(from, until, processors);
    Gains::note(profile_, from, until, gains_);
  }

  /// False where the plan reaches beyond the largest time there is.
  bool take(const WaitingJob& job, Time start) {
    const Time end = later(start, length_of(job));
    if (end == never) return false;
    profile_.add(start, end, -static_cast<std::int64_t>(job.processors));
    return true;
  }

  Time now_ = 0;
  Profile profile_;                // of running and reserved jobs
  Gains gains_;                    // since jobs were last moved
  Gains gains_of_moves_;           // kept for its memory
  std::vector<Time> ends_;         // by slot: until when the running job there is planned
  std::vector<RunningJob> ended_;  // since the last call
};

}  // namespace schedlab
