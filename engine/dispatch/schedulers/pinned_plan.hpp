// The reservations of a call on definite nodes, and what is remembered of them from call to call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/schedulers/plans/reserved_nodes.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

/// A plan for planned.cpp, which says what it must do. It decides as if it were made anew in every call. The running
/// jobs stay in it. So does a reservation, while its job comes after the same ones as at the last call, nothing took
/// its place, and what was gained is of no use to it. A job that was refused is refused again while nothing is gained.
class PinnedPlan {
 public:
  void begin(const Dispatch& dispatch);
  bool start(Dispatch& dispatch, const WaitingJob& entry, WaitingQueue::Position& where);
  void reserve(const Dispatch& dispatch, const WaitingJob& entry);
  void finish(const Dispatch& dispatch);

  void ended(const RunningJob& job) {
    ++gains_;  // also where it ends when it was expected to
    if (begun_) plan_.ended(job);
  }
  void windows_changed() { ++gains_; }
  void machine_changed() { begun_ = false; }

 private:
  struct Reservation {
    WaitingJob job;
    Time start;
  };
  struct Refusal {
    std::uint64_t sequence = 0;
    std::uint64_t gains = 0;
  };

  void set_rest_aside(const Dispatch& dispatch);
  void give_up(const Dispatch& dispatch, std::size_t first, std::size_t last);
  [[nodiscard]] std::size_t place_of(const WaitingJob& entry) const;
  [[nodiscard]] bool refused_again(const Dispatch& dispatch, const WaitingJob& entry) const;
  bool refuse(const WaitingJob& entry);
  [[nodiscard]] std::uint64_t gained() const { return gains_ + plan_.gains().size(); }

  Time now_ = 0;
  bool begun_ = false;
  ReservedNodes plan_;
  std::vector<Reservation> reservations_;  // those made in this call, then what is left of the last one
  std::size_t made_ = 0;                   // in this call
  bool aside_ = false;                     // the others are out of the plan
  bool disturbed_ = false;                 // something was taken since the last call that the others do not know of
  std::uint64_t gains_ = 1;                // how often something was gained up to the last call
  std::vector<RunningJob> started_;        // in the last call, and had to wait for their nodes
  std::vector<Refusal> refused_;           // by slot: the last job there that could not start, and what was gained then
};

}  // namespace schedlab
