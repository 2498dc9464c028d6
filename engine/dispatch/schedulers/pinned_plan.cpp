#include "dispatch/schedulers/pinned_plan.hpp"

#include <algorithm>

namespace schedlab {

void PinnedPlan::begin(const Dispatch& dispatch) {
  now_ = dispatch.now();
  made_ = 0;
  aside_ = disturbed_ = false;
  const bool all_wait = std::all_of(reservations_.begin(), reservations_.end(), [&](const Reservation& reservation) {
    const Job& job = dispatch.jobs()[reservation.job.slot];
    return job.state == JobState::queued &&
           waiting_entry(job, reservation.job.slot).sequence == reservation.job.sequence;
  });
  if (!begun_ || !all_wait) {
    begun_ = true;
    plan_.begin(dispatch);
    reservations_.clear();
    started_.clear();
    ++gains_;
    return;
  }
  plan_.advance(dispatch);
  plan_.release_ended();
  // They may end later than was planned at their start, because their nodes had to wake.
  for (const RunningJob& job : started_) disturbed_ = plan_.extend(dispatch, job, job.estimated_end) || disturbed_;
  started_.clear();
  const Time soonest = later(now_, second);
  const RunningJobs& running = dispatch.running();
  for (std::size_t block = 0; block < running.blocks(); ++block) {
    for (const RunningJob& job : running.entries(block)) {
      if (job.estimated_end >= soonest) return;
      disturbed_ = plan_.extend(dispatch, job, soonest) || disturbed_;
    }
  }
}

bool PinnedPlan::start(Dispatch& dispatch, const WaitingJob& entry, WaitingQueue::Position& where) {
  if (entry.processors > dispatch.machine().free_processors() || refused_again(dispatch, entry)) return false;
  const Job& job = dispatch.jobs()[entry.slot];
  const Amount* amounts = dispatch.jobs().amounts(entry.slot);
  const Machine& machine = dispatch.machine();
  const auto has_room = [&] { return machine.might_hold(job, amounts) && machine.has_room(job, amounts); };
  if (dispatch.refusals_last() && !machine.node_sets().any(job, has_room)) return refuse(entry);
  set_rest_aside(dispatch);
  if (!dispatch.try_start(where, plan_.limit(dispatch, entry.slot))) return refuse(entry);
  const std::size_t place = place_of(entry);
  if (place < reservations_.size()) give_up(dispatch, place, place + 1);
  plan_.started(dispatch, entry);
  if (job.start > now_) started_.push_back({job.estimated_end(), job.sequence, job.processors, entry.slot});
  return true;
}

void PinnedPlan::reserve(const Dispatch& dispatch, const WaitingJob& entry) {
  const std::size_t place = place_of(entry);
  Time start = never;
  if (place == reservations_.size()) {
    set_rest_aside(dispatch);
    start = plan_.reserve(dispatch, entry, now_);
    if (start == never) return;  // beyond all time
    reservations_.insert(reservations_.begin() + static_cast<std::ptrdiff_t>(made_), {entry, start});
    ++made_;
    return;
  }
  if (place > made_) {
    set_rest_aside(dispatch);
    give_up(dispatch, made_, place);
  }
  const Time old = reservations_[made_].start;
  if (!aside_ && !disturbed_ && plan_.gains().empty() && old >= now_) {
    ++made_;
    return;
  }
  set_rest_aside(dispatch);
  if (old >= now_ && plan_.still_free(dispatch, entry.slot, old)) {
    start = plan_.reserve_again(dispatch, entry, old);
  } else {
    plan_.give_up(dispatch, entry.slot, old);
    start = plan_.reserve(dispatch, entry, now_);
  }
  if (start == never) {
    reservations_.erase(reservations_.begin() + static_cast<std::ptrdiff_t>(made_));
  } else {
    reservations_[made_++].start = start;
  }
}

/// Reservations whose turn did not come are not made.
void PinnedPlan::finish(const Dispatch& dispatch) {
  if (made_ < reservations_.size()) {
    set_rest_aside(dispatch);
    give_up(dispatch, made_, reservations_.size());
  }
  gains_ += plan_.gains().size();
  plan_.forget_gains();
}

/// Those of the last call that were not made yet in this one.
void PinnedPlan::set_rest_aside(const Dispatch& dispatch) {
  if (aside_) return;
  aside_ = true;
  for (std::size_t i = made_; i < reservations_.size(); ++i) {
    plan_.set_aside(dispatch, reservations_[i].job.slot, reservations_[i].start);
  }
}

/// Forgets reservations that were set aside.
void PinnedPlan::give_up(const Dispatch& dispatch, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    plan_.give_up(dispatch, reservations_[i].job.slot, reservations_[i].start);
  }
  reservations_.erase(reservations_.begin() + static_cast<std::ptrdiff_t>(first),
                      reservations_.begin() + static_cast<std::ptrdiff_t>(last));
}

/// Where a job is among those with a reservation that was not made yet; their number where it is not.
std::size_t PinnedPlan::place_of(const WaitingJob& entry) const {
  const auto found = std::find_if(reservations_.begin() + static_cast<std::ptrdiff_t>(made_), reservations_.end(),
                                  [&](const Reservation& one) { return one.job.sequence == entry.sequence; });
  return static_cast<std::size_t>(found - reservations_.begin());
}

/// It was tried around some of the reservations that it would be tried around now, and nothing was gained since.
bool PinnedPlan::refused_again(const Dispatch& dispatch, const WaitingJob& entry) const {
  if (entry.slot >= refused_.size()) return false;
  const Refusal& last = refused_[entry.slot];
  if (last.sequence != entry.sequence || last.gains != gained() || !dispatch.refusals_last()) return false;
  return made_ == reservations_.size() || reservations_[made_].job.sequence == entry.sequence;
}

bool PinnedPlan::refuse(const WaitingJob& entry) {
  if (entry.slot >= refused_.size()) refused_.resize(entry.slot + 1);
  refused_[entry.slot] = {entry.sequence, gained()};
  return false;
}

}  // namespace schedlab
