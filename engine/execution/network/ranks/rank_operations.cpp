// What ranks do: one operation after the other, until one of them takes time.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "execution/network/ranks/message_runs.hpp"

namespace schedlab {

namespace {

constexpr double most_seconds_at_once = 1e6;  // of computing: ticks reach 106 days from the epoch

}  // namespace

/// Lets a rank continue with what came of its last operation.
void MessageRuns::resume(Slot slot, std::uint32_t rank, const Outcome& outcome) {
  Outcome next = outcome;
  for (;;) {
    Run& run = runs_[slot];
    Rank& state = run.ranks[rank];
    const double seconds = elapsed_seconds(run);
    state.idle_operations = state.resumed == seconds ? state.idle_operations + 1 : 0;
    if (state.idle_operations > spec_.most_idle_operations) {
      fail(run, rank,
           "made " + std::to_string(spec_.most_idle_operations) +
               " operations without any simulated time passing; a loop never ends");
    }
    state.resumed = seconds;
    if (!run.program->next(rank, seconds, next, state.operation)) return end_rank(slot, rank);
    next = Outcome{};
    if (!begin(slot, rank, next)) return;
  }
}

/// Begins the rank's operation; true where it is done at once, with what came of it.
bool MessageRuns::begin(Slot slot, std::uint32_t rank, Outcome& outcome) {
  Run& run = runs_[slot];
  Rank& state = run.ranks[rank];
  const RankOperation& operation = state.operation;
  if (operation.communicator >= run.communicators.size()) fail(run, rank, "uses a communicator that is not there");
  const auto peer = [&](std::int32_t place) {
    const std::uint32_t size = size_of(run, operation.communicator);
    if (place < 0 || static_cast<std::uint32_t>(place) >= size) {
      fail(run, rank,
           "talks to rank " + std::to_string(place) + ", which is not there: the communicator has ranks 0 to " +
               std::to_string(size - 1));
    }
    return member(run, operation.communicator, static_cast<std::uint32_t>(place));
  };
  const auto send = [&] {
    if (operation.peer == nobody) {
      run.program->release(operation.value);
      const std::uint32_t request = new_request(state, Request::Kind::sends);
      run.ranks[rank].requests[request].done = true;
      return request;
    }
    return post_send(slot, rank, peer(operation.peer), operation.communicator * 2, operation.tag, operation.bytes,
                     operation.value);
  };
  const auto receive = [&](std::int32_t from) {
    if (from == nobody) {
      const std::uint32_t request = new_request(state, Request::Kind::receives);
      run.ranks[rank].requests[request].done = true;
      return request;
    }
    const auto source = from == any_source ? any_source : static_cast<std::int32_t>(peer(from));
    return post_receive(slot, rank, source, operation.communicator * 2, operation.tag);
  };
  switch (operation.kind) {
    case RankOperation::Kind::compute: {
      if (!(operation.seconds >= 0.0)) fail(run, rank, "computes for a negative time");
      if (observer_ == nullptr) return !compute(slot, rank);
      observer_->computed(rank, operation.seconds, now_);
      return true;
    }
    case RankOperation::Kind::file:
      if (observer_ != nullptr) {
        observer_->used_files(rank, operation.bytes, now_);
        return true;
      }
      if (!files_.exists()) fail(run, rank, "reads or writes, but the system's network has no files.bandwidth");
      if (operation.bytes == 0) return true;
      files_.start((std::uint64_t{run.serial} << 32U) | rank, run.nodes[rank], static_cast<double>(operation.bytes),
                   now_);
      ++run.activity;
      return false;
    case RankOperation::Kind::send:
    case RankOperation::Kind::receive: {
      const std::uint32_t request = operation.kind == RankOperation::Kind::send ? send() : receive(operation.peer);
      if (operation.immediate) {
        outcome.request = request;
        return true;
      }
      state.awaited.assign(1, request);
      break;
    }
    case RankOperation::Kind::exchange: {
      const std::uint32_t sent = send();
      state.awaited.assign({sent, receive(operation.source)});
      break;
    }
    case RankOperation::Kind::wait:
      state.awaited.clear();
      for (const std::uint32_t request : operation.requests) {
        const bool there = request < state.requests.size() && state.requests[request].kind != Request::Kind::unused;
        if (!there || state.requests[request].awaited) {
          fail(run, rank, "waits for a request that it does not have, or has waited for before");
        }
        state.requests[request].awaited = true;
        state.awaited.push_back(request);
      }
      break;
    case RankOperation::Kind::collective:
    case RankOperation::Kind::split:
    case RankOperation::Kind::create:
      return enter(slot, rank, outcome);
  }
  return finish_wait(state, outcome);
}

/// Lets the rank compute what is left of its operation, or a part of it that ticks can count; false where nothing is.
bool MessageRuns::compute(Slot slot, std::uint32_t rank) {
  Run& run = runs_[slot];
  Rank& state = run.ranks[rank];
  const double seconds = std::min(state.operation.seconds, most_seconds_at_once);
  const auto length = static_cast<Tick>(std::llround(seconds / state.compute_speed * ticks_per_second));
  if (length == 0) return false;
  state.operation.seconds -= seconds;
  state.computing += static_cast<double>(length) / ticks_per_second;
  state.busy_until = elapsed_seconds(run) + static_cast<double>(length) / ticks_per_second;
  set_timer(now_ + length, Timer::Kind::computed, slot, rank);
  state.compute_timer = sequence_;
  return true;
}

/// What is left of what the rank computes goes at another speed.
void MessageRuns::change_speed(Slot slot, std::uint32_t rank, double speed) {
  Run& run = runs_[slot];
  Rank& state = run.ranks[rank];
  const double before = std::exchange(state.compute_speed, speed);
  const bool computes = !state.ended && state.compute_timer != 0;
  if (before == speed || !computes) return;
  const double left = std::max(0.0, state.busy_until - elapsed_seconds(run));
  state.operation.seconds += left * before;
  state.computing -= left;
  --run.activity;  // of the timer, which is void
  if (compute(slot, rank)) return;
  set_timer(now_, Timer::Kind::computed, slot, rank);
  state.compute_timer = sequence_;
}

/// Counts what the rank still waits for; where that is nothing, what came of it is in `outcome`, and it returns true.
bool MessageRuns::finish_wait(Rank& rank, Outcome& outcome) {
  rank.outstanding = 0;
  for (const std::uint32_t request : rank.awaited) {
    rank.requests[request].awaited = !rank.requests[request].done;
    rank.outstanding += rank.requests[request].done ? 0 : 1;
  }
  if (rank.outstanding > 0) return false;
  const bool gives_received = rank.operation.kind == RankOperation::Kind::wait ||
                              rank.operation.kind == RankOperation::Kind::receive ||
                              rank.operation.kind == RankOperation::Kind::exchange;
  for (const std::uint32_t place : rank.awaited) {
    Request& request = rank.requests[place];
    const bool listed = rank.operation.kind == RankOperation::Kind::wait || request.kind == Request::Kind::receives;
    if (gives_received && listed) outcome.received.push_back(request.received);
    request = Request{};
    rank.unused_requests.push_back(place);
  }
  rank.awaited.clear();
  return true;
}

/// The rank has what it waited for.
void MessageRuns::complete(Slot slot, std::uint32_t rank) {
  Run& run = runs_[slot];
  Rank& state = run.ranks[rank];
  Outcome outcome;
  if (!finish_wait(state, outcome)) return;
  const RankOperation::Kind kind = state.operation.kind;
  const bool collective = kind == RankOperation::Kind::collective || kind == RankOperation::Kind::split ||
                          kind == RankOperation::Kind::create;
  if (collective && !take_steps(slot, rank, outcome)) return;
  resume(slot, rank, outcome);
}

void MessageRuns::end_rank(Slot slot, std::uint32_t rank) {
  Run& run = runs_[slot];
  Rank& state = run.ranks[rank];
  state.ended = true;
  state.end_ticks = elapsed_ticks(run);
  --run.live;
}

/// All ranks have ended. Messages that nobody received may still be on their way: the job ends with its last rank, as
/// MPI_Finalize would see it, once they are through.
void MessageRuns::end_run(Slot slot) {
  Run& run = runs_[slot];
  run.ended = elapsed_ticks(run);
  last_rank_ends_.clear();
  for (const Rank& rank : run.ranks) {
    last_rank_ends_.push_back(rank.end_ticks < 9e18 ? static_cast<Tick>(rank.end_ticks) : never_tick);
  }
  let_go(slot);
  ended_.push_back(slot);
}

std::uint32_t MessageRuns::new_request(Rank& rank, Request::Kind kind) {
  std::uint32_t place = 0;
  if (rank.unused_requests.empty()) {
    place = static_cast<std::uint32_t>(rank.requests.size());
    rank.requests.emplace_back();
  } else {
    place = rank.unused_requests.back();
    rank.unused_requests.pop_back();
  }
  Request& request = rank.requests[place];
  request.kind = kind;
  request.done = request.awaited = false;
  request.received = {};
  return place;
}

void MessageRuns::finish_request(Slot slot, std::uint32_t rank, std::uint32_t place) {
  Rank& state = runs_[slot].ranks[rank];
  Request& request = state.requests[place];
  request.done = true;
  if (!request.awaited) return;
  if (--state.outstanding == 0) complete(slot, rank);
}

}  // namespace schedlab
