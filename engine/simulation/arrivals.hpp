// The workload, read one job ahead.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "base/cloned.hpp"
#include "base/errors.hpp"
#include "jobs/job.hpp"
#include "workload/source.hpp"

namespace schedlab {

class Arrivals {
 public:
  explicit Arrivals(Cloned<JobSource> source) : source_(std::move(source)) {}

  /// When the next job is submitted; `never` after the last one.
  [[nodiscard]] Time next_time() const { return time_; }
  [[nodiscard]] JobSpec& next() { return next_; }
  [[nodiscard]] const JobSpec& next() const { return next_; }
  [[nodiscard]] Time first() const { return first_; }
  [[nodiscard]] const JobSource& source() const { return *source_; }

  void read_next() {
    const Time previous = time_;
    if (!source_->next(next_)) {
      time_ = never;
      return;
    }
    if (previous != never && next_.submit < previous) {
      throw InputError("job " + std::to_string(next_.id) + " is submitted before the job that precedes it");
    }
    time_ = next_.submit;
    first_ = std::min(first_, next_.submit);
  }

  void archive(Archive& archive) {
    source_->archive(archive);
    archive(next_, time_, first_);
    Archive::require(time_ == never || (time_ == next_.submit && is_time(time_)), "a job comes at another time");
  }

 private:
  Cloned<JobSource> source_;
  JobSpec next_;
  Time time_ = never;
  Time first_ = never;
};

}  // namespace schedlab
