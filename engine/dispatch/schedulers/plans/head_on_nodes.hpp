// The reservation of the first blocked job on nodes, and what is remembered of it and of those behind it from call to
// call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/schedulers/plans/head_reservation.hpp"
#include "dispatch/schedulers/plans/waiting_by_need.hpp"
#include "dispatch/state.hpp"

namespace schedlab {

/// A plan for easy.cpp, which says what it must do. On requests for processors alone it decides as HeadOnCounts does;
/// it only takes longer.
class HeadOnNodes {
 public:
  static constexpr bool names_candidates = true;

  [[nodiscard]] Time shadow() const { return reservation_.start(); }
  [[nodiscard]] std::int64_t spare() const { return reservation_.spare_processors(); }
  [[nodiscard]] static bool any_fits(std::int64_t) { return true; }  // jobs may ask for no processors at all

  /// While no job ends and the head is the same, its reservation stands, and a job that was passed over would be passed
  /// over again. (Unless a running job outlasts its estimate and pushes the reservation back; or a job that only the
  /// reservation kept out could now be put on other nodes, because a later one took the first.)
  template <class RefusalsLast>
  bool hold(const State& state, const WaitingJob& head, std::int64_t, bool same_head, bool none_ended,
            RefusalsLast refusals_last) {
    alike_ = refusals_last() && state.windows().empty();
    head_ = head;
    const bool stands =
        !std::exchange(overtaken_, false) && same_head && alike_ && later(state.now(), second) <= reservation_.start();
    if (stands && none_ended && !retry_) {
      reservation_.attach(state, head.slot);
      return true;
    }
    if (stands && reservation_.up_to_date()) {
      reservation_.attach(state, head.slot);
    } else {
      reservation_.make(state, head.slot);
    }
    kept_out_.clear();
    undecided_ = false;
    retry_ = false;
    return false;
  }
  void overtaken() { overtaken_ = true; }
  void ended(const State& state, const RunningJob& job) {
    if (!overtaken_) reservation_.ended(state, head_.slot, job);
  }

  /// The jobs behind the head that may start now, in order: those that joined the queue, and where `all` are meant also
  /// those that have room but were refused, and those that may have got room. Each must then start or be `put_back`.
  /// `sure`: the allocator places every job that has room, as far as the limit allows it.
  struct Candidate {
    WaitingJob job;
    bool had_room = false;  // when it was looked at last

    bool operator<(const Candidate& other) const { return job < other.job; }
  };
  std::span<const Candidate> candidates(const State& state, const std::vector<WaitingJob>& fresh, bool all, bool sure) {
    const WaitingQueue& queue = state.queue();
    const GivenBack& log = state.machine().given_back();
    sure_ = sure && alike_;
    ++passes_;
    last_kept_out_ = {};
    candidates_.clear();
    if (!log.has(seen_) || needs_.size() > 2 * queue.size() + 64) {
      needs_.clear();
      open_.clear();
      for (std::size_t block = 0; block < queue.blocks(); ++block) {
        for (const WaitingJob& job : queue.entries(block)) candidates_.push_back({job});
      }
      seen_ = log.end();
    } else {
      for (const WaitingJob& job : fresh) add_candidate(state, {job.slot, job.sequence}, false);
      if (all) {
        std::erase_if(open_, [&](Open& known) {
          return !kept_out_still(state, known) && (add_candidate(state, known.member, true), true);
        });
        needs_.given_back(log, seen_, state.machine().types(),
                          [&](const WaitingByNeed::Member& member) { add_candidate(state, member, false); });
        seen_ = log.end();
      }
      std::sort(candidates_.begin(), candidates_.end());
    }
    const bool with_head = !candidates_.empty() && candidates_.front().job.sequence == head_.sequence;
    if (with_head) open_.push_back({{head_.slot, head_.sequence}});
    return std::span(candidates_).subspan(with_head ? 1 : 0);
  }
  /// The job stays in the queue. Where nothing was found out about its room, that is looked at now and then: it may be
  /// gone, and then the job need not be looked at.
  void put_back(const State& state, const Candidate& candidate) {
    const WaitingJob& entry = candidate.job;
    const Machine& machine = state.machine();
    const Job& job = state.jobs()[entry.slot];
    const Amount* amounts = state.jobs().amounts(entry.slot);
    const bool taken_for_granted = candidate.had_room && (passes_ + entry.sequence) % 16 != 0;
    if (last_kept_out_.member.sequence == entry.sequence) {
      open_.push_back(last_kept_out_);
    } else if (taken_for_granted ? machine.still_refuses(job, amounts) : machine.refuses(job, amounts)) {
      needs_.add(job, amounts, machine.types(), entry.slot, job.plain ? machine.free_processors() : job.known_room);
    } else {
      open_.push_back({{entry.slot, entry.sequence}});
    }
  }
  /// Other jobs than candidates were tried.
  void forget_candidates() {
    seen_ = 0;
    sure_ = false;
  }

  [[nodiscard]] bool may_fit(const State& state, const WaitingJob& entry, bool ends_before) {
    return ends_before || !(alike_ && kept_out_before(state, entry));
  }
  NodeLimit* limit_of_start(const State& state, const WaitingJob& entry, bool ends_before) {
    return ends_before ? nullptr : reservation_.consider(state, entry.slot);
  }
  std::int64_t started(const State& state, const WaitingJob& entry, std::int64_t, bool ends_before) {
    if (ends_before) {
      reservation_.gives_back(state, entry.slot);
    } else {
      reservation_.keep();
    }
    retry_ = retry_ || undecided_;
    undecided_ = false;
    kept_out_.clear();
    return state.machine().free_processors();
  }
  void refused(const State& state, const WaitingJob& entry, bool ends_before) {
    const Job& job = state.jobs()[entry.slot];
    if (ends_before || state.machine().still_refuses(job, state.jobs().amounts(entry.slot))) return;
    const std::uint32_t placed = sure_ ? reservation_.most_placed() : job.tasks;
    undecided_ = undecided_ || placed == job.tasks;
    last_kept_out_ = {{entry.slot, entry.sequence}, placed == job.tasks ? 0 : reservation_.terms(), placed};
    if (kept_out_.size() < most_kept_out) {
      kept_out_.push_back(last_kept_out_);
    } else {
      kept_out_[turn_++ % most_kept_out] = last_kept_out_;
    }
  }

 private:
  static constexpr std::size_t most_kept_out = 16;

  /// A job that has room, as far as is known, and was refused.
  struct Open {
    WaitingByNeed::Member member;
    std::uint64_t terms = 0;   // of the reservation, on which
    std::uint64_t placed = 0;  // N of its tasks have a place at most; 0 terms: nothing is known
  };

  void add_candidate(const State& state, const WaitingByNeed::Member& member, bool had_room) {
    const Job& job = state.jobs()[member.slot];
    if (job.state != JobState::queued || job.sequence != member.sequence) return;
    candidates_.push_back({waiting_entry(job, member.slot), had_room});
  }

  /// Whether the reservation still keeps the job out: on the terms as they were, only nodes that got something back can
  /// take more of its tasks.
  [[nodiscard]] bool kept_out_still(const State& state, Open& known) {
    constexpr std::uint64_t most_gains = 64;  // to try it is cheaper than more of them
    const GivenBack& log = state.machine().given_back();
    const Job& job = state.jobs()[known.member.slot];
    if (known.terms != reservation_.terms() || log.end() - seen_ > most_gains) return false;
    if (job.state != JobState::queued || job.sequence != known.member.sequence) return false;
    if (later(state.now(), job.estimate) <= shadow()) return false;
    reservation_.consider(state, known.member.slot);
    known.placed += reservation_.most_on(log, seen_);
    return known.placed < job.tasks;
  }

  /// Whether the reservation kept out tasks of the same request, no more of them, and nothing was started since. What
  /// is known of these then holds for the job.
  [[nodiscard]] bool kept_out_before(const State& state, const WaitingJob& entry) {
    const JobTable& jobs = state.jobs();
    const Job& job = jobs[entry.slot];
    const auto found = std::find_if(kept_out_.begin(), kept_out_.end(), [&](const Open& known) {
      const auto& [slot, sequence] = known.member;
      const Job& other = jobs[slot];
      return other.tasks <= job.tasks && other.state == JobState::queued && other.sequence == sequence &&
             same_request(other, jobs.amounts(slot), job, jobs.amounts(entry.slot), state.machine().types());
    });
    if (found == kept_out_.end()) return false;
    last_kept_out_ = *found;
    last_kept_out_.member = {entry.slot, entry.sequence};
    return true;
  }

  HeadReservation reservation_;
  WaitingJob head_{};       // of the last call
  bool overtaken_ = false;  // by a new job that went before the head and started
  bool alike_ = false;  // jobs of one request have one fate: no windows, and an allocator that does not change its mind
  bool sure_ = false;   // and one that places whatever fits
  bool undecided_ = false;      // a job was kept out that may fit if others are started
  bool retry_ = false;          // and one was
  std::size_t turn_ = 0;        // which of the next is replaced
  std::vector<Open> kept_out_;  // some that had room, but were refused for the reservation's sake

  // All that waits behind the head, as of the place `seen_` of what nodes got back; 0: not known.
  std::uint64_t seen_ = 0;
  WaitingByNeed needs_;
  std::vector<Open> open_;
  Open last_kept_out_{};
  std::vector<Candidate> candidates_;
  std::uint64_t passes_ = 0;
};

}  // namespace schedlab
