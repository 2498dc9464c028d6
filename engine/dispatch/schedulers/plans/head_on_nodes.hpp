// The reservation of the first blocked job on nodes, and what is remembered of it from call to call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dispatch/allocators/allocator.hpp"
#include "dispatch/schedulers/plans/head_reservation.hpp"
#include "dispatch/state.hpp"

namespace schedlab {

/// A plan for easy.cpp, which says what it must do. On requests for processors alone it decides as HeadOnCounts does;
/// it only takes longer.
class HeadOnNodes {
 public:
  [[nodiscard]] Time shadow() const { return reservation_.start(); }
  [[nodiscard]] std::int64_t spare() const { return reservation_.spare_processors(); }
  [[nodiscard]] static bool any_fits(std::int64_t) { return true; }  // jobs may ask for no processors at all

  /// While no job ends and the head is the same, its reservation stands, and a job that was passed over would be passed
  /// over again. (Unless a running job outlasts its estimate and pushes the reservation back; or a job that only the
  /// reservation kept out could now be put on other nodes, because a later one took the first.)
  template <class RefusalsLast>
  bool hold(const State& state, const WaitingJob& head, std::int64_t, bool same, RefusalsLast refusals_last) {
    alike_ = refusals_last() && state.windows().empty();
    const bool stands = !std::exchange(overtaken_, false) && !retry_;
    if (same && alike_ && stands && later(state.now(), second) <= reservation_.start()) {
      reservation_.attach(state, head.slot);
      return true;
    }
    reservation_.make(state, head.slot);
    kept_out_.clear();
    undecided_ = false;
    retry_ = false;
    return false;
  }
  void overtaken() { overtaken_ = true; }

  [[nodiscard]] bool may_fit(const State& state, const WaitingJob& entry, bool ends_before) {
    if (ends_before) return true;
    const Job& job = state.jobs()[entry.slot];
    const Amount* amounts = state.jobs().amounts(entry.slot);
    const Machine& machine = state.machine();
    const bool room = machine.node_sets().any(
        job, [&] { return machine.requests_vary() ? !machine.refuses(job, amounts) : machine.has_room(job, amounts); });
    if (!room) return false;
    return !(alike_ && kept_out_before(state, entry.slot));
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
    if (ends_before) return;
    undecided_ = true;
    const KeptOut known{entry.slot, state.jobs()[entry.slot].sequence};
    if (kept_out_.size() < most_kept_out) {
      kept_out_.push_back(known);
    } else {
      kept_out_[turn_++ % most_kept_out] = known;
    }
  }

 private:
  static constexpr std::size_t most_kept_out = 16;

  /// A job that had room, but was refused for the reservation's sake, while it waits.
  struct KeptOut {
    Slot slot;
    std::uint64_t sequence;
  };

  /// Whether the reservation kept out tasks of the same request, no more of them, and nothing was started since.
  [[nodiscard]] bool kept_out_before(const State& state, Slot slot) const {
    const JobTable& jobs = state.jobs();
    const Job& job = jobs[slot];
    return std::any_of(kept_out_.begin(), kept_out_.end(), [&](const KeptOut& known) {
      const Job& other = jobs[known.slot];
      return other.tasks <= job.tasks && other.state == JobState::queued && other.sequence == known.sequence &&
             same_request(other, jobs.amounts(known.slot), job, jobs.amounts(slot), state.machine().types());
    });
  }

  HeadReservation reservation_;
  bool overtaken_ = false;  // by a new job that went before the head and started
  bool alike_ = false;  // jobs of one request have one fate: no windows, and an allocator that does not change its mind
  bool retry_ = false;  // a job was kept out, and another was started since
  bool undecided_ = false;         // a job was kept out since the last start
  std::size_t turn_ = 0;           // which of the next is replaced
  std::vector<KeptOut> kept_out_;  // some of them
};

}  // namespace schedlab
