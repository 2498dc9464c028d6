// Jobs that take the time that was recorded of them, at a speed that may be set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "execution/execution.hpp"

namespace schedlab {

/// What it knows of a job is in the job: work is measured in nanoseconds at speed 1.
class RecordedTimes final : public Execution {
 public:
  Time begin(Slot slot, JobTable& jobs, Time now) override {
    Job& job = jobs[slot];
    job.speed = 1.0;
    job.work_left = static_cast<double>(job.run);
    job.worked_until = now;
    return later(now, job.run);  // exact, however long
  }

  JobState stop(Slot slot, JobTable& jobs, Time now) override {
    Job& job = jobs[slot];
    work_until(job, now);
    return job.work_left >= 1.0 ? JobState::killed : JobState::completed;
  }

  /// Exact where the speed never changed.
  [[nodiscard]] Time work_done(Slot slot, const JobTable& jobs, Time /*now*/) const override {
    const Job& job = jobs[slot];
    if (job.speed == 1.0 && job.worked_until == job.start) return job.end - job.start;
    const double left = job.work_left - static_cast<double>(job.end - job.worked_until) * job.speed;
    return std::clamp<Time>(job.run - static_cast<Time>(std::ceil(std::max(0.0, left))), 0, job.run);
  }

  /// When a running job would end at another speed; `never` where it stands still, or would take more than 292 years.
  [[nodiscard]] static Time end_at_speed(Job& job, double speed, Time now) {
    work_until(job, now);
    const double length = std::ceil(job.work_left / speed);
    return length < 9.0e18 ? later(now, static_cast<Time>(length)) : never;
  }

  void archive(Archive& /*archive*/) override {}

 private:
  static void work_until(Job& job, Time now) {
    job.work_left = std::max(0.0, job.work_left - static_cast<double>(now - job.worked_until) * job.speed);
    job.worked_until = now;
  }
};

}  // namespace schedlab
