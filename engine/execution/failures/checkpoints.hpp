// Checkpoints of jobs: how long an attempt takes that writes them, and what stays of one that a failure ends.
//
// An attempt that resumes from a checkpoint first restarts. Then it works, writes a checkpoint after every `interval`
// of work, and none at its end. All of it is exact on whole nanoseconds of work at speed 1.
#pragma once

#include <algorithm>

#include "base/time.hpp"

namespace schedlab {

/// What an attempt, or a part of one, was spent on.
struct AttemptParts {
  Time useful = 0;    // work that need not be done again
  Time overhead = 0;  // writing checkpoints and going on from them
  Time lost = 0;
};

struct CheckpointRule {
  Time interval = never;  // work between two of them; `never`: none are written
  Time cost = 0;          // of writing one
  Time restart = 0;       // of going on from one

  /// How long an attempt takes that has this work left, and resumes from a checkpoint or not; `never` where that is
  /// beyond all time.
  [[nodiscard]] Time length(Time work, bool resumed) const {
    const Time count = written(work);
    if (cost > 0 && count > (never - work) / cost) return never;
    return later(work + count * cost, resumed ? restart : 0);
  }

  /// The parts of an attempt that a failure ends after `done` of its length: what was written stays. A restart that led
  /// to no new checkpoint is lost.
  [[nodiscard]] AttemptParts at_failure(Time work, bool resumed, Time done) const {
    const Time begin = resumed ? restart : 0;
    const Time whole = finished(work, done - std::min(done, begin));
    if (whole == 0) return {0, 0, done};
    const Time useful = whole * interval;
    const Time overhead = begin + whole * cost;
    return {useful, overhead, done - useful - overhead};
  }

  /// The parts of an attempt that ends by itself, or is killed at its limit, after `done` of its length.
  [[nodiscard]] AttemptParts at_end(Time work, bool resumed, Time done) const {
    const Time past = done - std::min(done, resumed ? restart : 0);
    const Time whole = finished(work, past);
    Time useful = past;
    if (interval != never) {
      const Time rest = past - whole * (interval + cost);  // since the last checkpoint
      useful = whole * interval + (whole == written(work) ? rest : std::min(rest, interval));
    }
    return {useful, done - useful, 0};
  }

 private:
  /// How often `work` is interrupted to write a checkpoint.
  [[nodiscard]] Time written(Time work) const { return interval == never || work <= 0 ? 0 : (work - 1) / interval; }
  /// Those of them that are written after `past` of the attempt, without its restart.
  [[nodiscard]] Time finished(Time work, Time past) const {
    return interval == never ? 0 : std::min(written(work), past / (interval + cost));
  }
};

}  // namespace schedlab
