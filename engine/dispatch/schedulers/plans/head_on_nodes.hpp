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
    retry_ = false;
    return false;
  }
  void overtaken() { overtaken_ = true; }

  [[nodiscard]] bool may_fit(const State& state, const WaitingJob& entry, bool ends_before) {
    if (ends_before) return true;
    const Job& job = state.jobs()[entry.slot];
    const Rooms rooms = state.machine().rooms(job, state.jobs().amounts(entry.slot));
    request_ = rooms.request;
    return rooms.total >= job.tasks && !(alike_ && kept_out_before(rooms.request, job.tasks));
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
    retry_ = retry_ || !kept_out_.empty();
    kept_out_.clear();
    return state.machine().free_processors();
  }
  void refused(const State& state, const WaitingJob& entry, bool ends_before) {
    if (!ends_before) kept_out_.push_back({request_, state.jobs()[entry.slot].tasks});
  }

 private:
  struct KeptOut {
    std::uint64_t request;
    std::uint32_t tasks;
  };

  /// Whether the reservation kept out tasks of the same request, no more of them, and nothing was started since.
  [[nodiscard]] bool kept_out_before(std::uint64_t request, std::uint32_t tasks) const {
    return std::any_of(kept_out_.begin(), kept_out_.end(),
                       [&](const KeptOut& known) { return known.request == request && known.tasks <= tasks; });
  }

  HeadReservation reservation_;
  bool overtaken_ = false;  // by a new job that went before the head and started
  bool alike_ = false;  // jobs of one request have one fate: no windows, and an allocator that does not change its mind
  bool retry_ = false;  // a job was kept out, and another was started since
  std::uint64_t request_ = 0;      // of the job that may fit
  std::vector<KeptOut> kept_out_;  // had room, but were refused for the reservation's sake
};

}  // namespace schedlab
