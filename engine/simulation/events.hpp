// What can happen, in which order, and the queue of what is still to come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// Every kind of event, in the order in which those of one time and round are handled. The gaps are for kinds to come;
/// the order never changes, because results depend on it.
enum class EventKind : std::uint8_t {
  execution = 0,  // inside an execution model: message and flow ends, speed changes
  job_end = 10,   // completions and kills
  failure = 20,   // of a node
  repair = 25,
  power = 30,    // node power transitions
  begin = 35,    // tasks of a job whose nodes had to wake
  release = 40,  // a job whose predecessors ended
  arrival = 50,
  timer = 60,        // wake-ups that policies asked for
  reservation = 70,  // falling due
  dispatch = 100,    // no event: the one dispatcher call of a round comes behind all of them, then the observers
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
  [[nodiscard]] std::size_t size() const { return heap_.size(); }

  void archive(Archive& archive) { archive(heap_); }
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
    return (static_cast<unsigned>(a.time < b.time) |
            (static_cast<unsigned>(a.time == b.time) & static_cast<unsigned>(a.rank < b.rank))) != 0;
  }

  std::vector<Event> heap_;
};

}  // namespace schedlab
