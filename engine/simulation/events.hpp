// What can happen, in which order, and the queue of what is still to come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// Every kind of event, in the order in which those of one time and round are handled. Those that concern one job or
/// one place of an execution model are in the queue below, and handled by `Simulation::handle`; the others have times
/// of their own, and are in the table `Simulation::sources`. The gaps are for kinds to come; the order never changes,
/// because results depend on it.
enum class EventKind : std::uint8_t {
  execution = 0,   // queue: due in an execution model, such as the end of tasks on a socket
  job_end = 10,    // queue: completions and kills
  failure = 20,    // source: nodes fail, and are repaired
  power = 30,      // source: nodes change their states, power caps change
  begin = 35,      // queue: a job whose nodes had to wake
  release = 40,    // queue: a job whose predecessors ended
  arrival = 50,    // the workload, which is read one job ahead
  timer = 60,      // source: wake-ups that policies asked for
  window = 70,     // source: windows that open and close
  settle = 75,     // source without times: execution models work out what all of this changed
  update = 80,     // source: additional data and temperatures; alone, they call no scheduler
  dispatch = 100,  // not an event: the one dispatcher call of a round comes after all of them, then the observers
};

/// Events are totally ordered by (time, round, kind, sequence). A round is one sequence of events and one dispatcher
/// call; what a dispatcher call causes at the same time (the end of a job of length zero) belongs to the next round.
struct Event {
  Time time;
  std::uint64_t rank;  // round, kind and sequence, most significant first
  Slot slot;
  std::uint32_t version;

  static std::uint64_t rank_of(std::uint32_t round, EventKind kind, std::uint64_t sequence) {
    return (std::uint64_t{round} << 48U) | (static_cast<std::uint64_t>(kind) << 40U) | (sequence & ((1ULL << 40U) - 1));
  }
  [[nodiscard]] std::uint32_t round() const { return static_cast<std::uint32_t>(rank >> 48U); }
  void archive(Archive& archive) { archive(time, rank, slot, version); }
  [[nodiscard]] EventKind kind() const { return static_cast<EventKind>((rank >> 40U) & 0xFFU); }
};

class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Event& top() const { return heap_.front(); }
  [[nodiscard]] Time next_time() const { return heap_.empty() ? never : heap_.front().time; }

  /// Events of one time, round and kind come in the order in which they were pushed.
  void push(Time time, std::uint32_t round, EventKind kind, Slot slot, std::uint32_t version) {
    push({time, Event::rank_of(round, kind, ++sequence_), slot, version});
  }
  /// An event that is in the queue will not happen: by its version, it is void.
  void count_void() { ++void_; }
  /// Drops events that `is_void(event)` says are, as long as one is next.
  template <class IsVoid>
  void drop_void(IsVoid is_void) {
    while (void_ > 0 && !heap_.empty() && is_void(heap_.front())) {
      pop();
      --void_;
    }
  }
  [[nodiscard]] bool has_void() const { return void_ > 0; }

  void archive(Archive& archive) { archive(heap_, sequence_, void_); }
  /// Calls `visit(event)` for each; throws InputError where a saved one is not where it belongs.
  template <class Visit>
  void check_saved(Visit visit) const {
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      Archive::require(i == 0 || !before(heap_[i], heap_[(i - 1) / 2]), "events are not in their order");
      visit(heap_[i]);
    }
  }

  void push(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0 && before(event, heap_[(hole - 1) / 2])) {
      heap_[hole] = heap_[(hole - 1) / 2];
      hole = (hole - 1) / 2;
    }
    heap_[hole] = event;
  }

  void pop() {
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return;
    // The hole goes down to a leaf along the earlier children; the last event, a late one, then rises a little.
    std::size_t hole = 0;
    for (std::size_t child = 1; child + 1 < size; child = 2 * hole + 1) {
      child += before(heap_[child + 1], heap_[child]) ? 1U : 0U;
      heap_[hole] = heap_[child];
      hole = child;
    }
    if (2 * hole + 1 < size && before(heap_[2 * hole + 1], last)) {
      heap_[hole] = heap_[2 * hole + 1];
      hole = 2 * hole + 1;
    }
    while (hole > 0 && before(last, heap_[(hole - 1) / 2])) {
      heap_[hole] = heap_[(hole - 1) / 2];
      hole = (hole - 1) / 2;
    }
    heap_[hole] = last;
  }

 private:
  /// Without branches: which of two events comes first cannot be predicted.
  static bool before(const Event& a, const Event& b) {
#ifdef __SIZEOF_INT128__  // one comparison instead of three
    __extension__ using Wide = __int128;
    const auto key = [](const Event& event) { return (Wide{event.time} << 64U) | event.rank; };
    return key(a) < key(b);
#else
    return (static_cast<unsigned>(a.time < b.time) |
            (static_cast<unsigned>(a.time == b.time) & static_cast<unsigned>(a.rank < b.rank))) != 0;
#endif
  }

  std::vector<Event> heap_;
  std::uint64_t sequence_ = 0;
  std::uint64_t void_ = 0;  // events in the heap that will not happen
};

}  // namespace schedlab
