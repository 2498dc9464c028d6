// What the simulation tells of itself while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "job.hpp"

namespace schedlab {

class JobRecorder {
 public:
  JobRecorder() = default;
  JobRecorder(const JobRecorder&) = delete;
  JobRecorder& operator=(const JobRecorder&) = delete;
  virtual ~JobRecorder() = default;

  /// A job that ended or was rejected, what each of its tasks asked for, per resource type, and its attributes of the
  /// names in `kept`; not a number where it has none.
  virtual void record(const Job& job, const Amount* amounts, std::span<const double> attributes) = 0;

  [[nodiscard]] const std::vector<std::string>& kept() const { return kept_; }

 protected:
  explicit JobRecorder(std::vector<std::string> kept) : kept_(std::move(kept)) {}

 private:
  std::vector<std::string> kept_;
};

struct TimePoint {
  Time time;
  std::size_t queued;  // after the dispatcher's decision
  std::size_t running;
  std::span<const Amount> used;  // per resource type
  std::span<const double> data;  // what additional data published
  std::int64_t dispatch_nanoseconds;
  std::int64_t other_nanoseconds;  // since the previous time point, without the decision
};

class TimelineRecorder {
 public:
  TimelineRecorder() = default;
  TimelineRecorder(const TimelineRecorder&) = delete;
  TimelineRecorder& operator=(const TimelineRecorder&) = delete;
  virtual ~TimelineRecorder() = default;

  virtual void record(const TimePoint& point) = 0;
};

}  // namespace schedlab
