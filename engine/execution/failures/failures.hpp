// When nodes fail and are repaired: by random processes, and by a trace. Nothing here depends on the schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "execution/failures/checkpoints.hpp"
#include "machine/windows.hpp"

namespace schedlab {

/// A distribution of lengths of time, one value from one or two uniform numbers.
struct DurationLaw {
  enum class Kind : std::uint8_t { fixed, exponential, weibull, lognormal };
  Kind kind = Kind::fixed;
  double first = 0.0;   // seconds: the length, mean, scale or median
  double second = 0.0;  // shape of Weibull, sigma of the lognormal

  /// At least a nanosecond, at most 126 years.
  [[nodiscard]] Time draw(Random& random) const;
  [[nodiscard]] Time mean() const;
};

/// Some nodes that fail together.
struct FailureUnit {
  std::uint32_t id;  // the first node of what it is: its draws depend on this and on nothing else of the machine
  std::vector<NodeRange> nodes;
};

struct FailureProcess {
  DurationLaw between;  // from a repair to the next failure
  DurationLaw repair;
  std::vector<NodeRange> nodes;    // each a unit of its own;
  std::vector<FailureUnit> units;  // or these
};

/// A node is down in [start, end).
struct DownTime {
  std::uint32_t node;
  Time start;
  Time end;
};

struct FailureSpec {
  std::uint64_t seed = 0;
  std::vector<FailureProcess> processes;
  std::vector<DownTime> trace;
  CheckpointRule checkpoints;
  std::uint32_t attempts = 0;  // that failures end, after which a job is given up; 0: never
  bool by_scheduler = false;   // attempts end early by decisions of the scheduler, too

  [[nodiscard]] bool nodes_fail() const { return !processes.empty() || !trace.empty(); }
};

/// Follows all processes and the trace through time. A node is down while any of them has it down.
class FailureClock {
 public:
  FailureClock(const FailureSpec& spec, std::uint32_t nodes);

  /// All nodes are up before `origin`, at which the processes begin; what the trace says of earlier times is passed
  /// over.
  void begin(Time origin);

  /// When a node fails or is repaired next; `never` after the last time.
  [[nodiscard]] Time next_change() const;

  /// Advances to `now`.
  void advance(Time now);

  // What the last `advance` changed, by number of the node.
  [[nodiscard]] std::span<const std::uint32_t> failed() const { return failed_; }
  [[nodiscard]] std::span<const std::uint32_t> repaired() const { return repaired_; }
  /// Those that were down before, and are expected to be so for longer.
  [[nodiscard]] std::span<const std::uint32_t> prolonged() const { return prolonged_; }

  [[nodiscard]] bool down(std::uint32_t node) const { return causes_[node] > 0; }
  /// When a node that is down will be up again, by the mean length of repairs: nobody knows the true one.
  [[nodiscard]] Time expected_repair(std::uint32_t node) const { return expected_[node]; }

  void archive(Archive& archive);

 private:
  struct Unit {
    std::uint32_t process;
    std::uint32_t first_range;
    std::uint32_t ranges;
    bool down = false;
    Random random;
    void archive(Archive& archive) { archive(down, random); }
  };
  struct UnitChange {
    Time time;
    std::uint32_t unit;
    void archive(Archive& archive) { archive(time, unit); }
    bool operator>(const UnitChange& other) const { return time != other.time ? time > other.time : unit > other.unit; }
  };
  struct TraceChange {
    Time time;
    std::uint32_t node;
    bool fails;
  };

  void add_unit(std::uint32_t process, std::uint32_t id, std::uint64_t seed, std::span<const NodeRange> nodes);
  void plan(std::uint32_t unit, Time from);
  void change(std::uint32_t node, bool fails, Time expected);

  struct Laws {
    DurationLaw between;
    DurationLaw repair;
    Time expected;
  };
  std::vector<Laws> laws_;         // per process
  std::vector<NodeRange> ranges_;  // of the units
  std::vector<Unit> units_;
  std::vector<TraceChange> trace_;  // by time
  Time trace_expected_ = 0;

  Time origin_ = never;
  std::vector<UnitChange> heap_;  // the next change of each unit, the earliest on top
  std::size_t next_in_trace_ = 0;
  std::vector<std::int32_t> causes_;  // per node: processes and lines of the trace that have it down
  std::vector<Time> expected_;

  // Of one call of `advance`.
  struct Touched {
    std::uint32_t node;
    std::int32_t causes;  // before
    Time expected;
  };
  std::vector<Touched> touched_;
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::uint32_t> failed_;
  std::vector<std::uint32_t> repaired_;
  std::vector<std::uint32_t> prolonged_;
};

}  // namespace schedlab
