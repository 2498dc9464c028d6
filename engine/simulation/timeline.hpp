// What is recorded of every time point, and how long its decision took.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "results/recorder.hpp"

namespace schedlab {

class Timeline {
 public:
  [[nodiscard]] bool is_recorded() const { return recorder_ != nullptr; }
  void record_to(std::shared_ptr<TimelineRecorder> recorder) {
    recorder_ = std::move(recorder);
    observed_at_ = Clock::now();
  }

  /// Does something that counts as the decision.
  template <class Decide>
  void time_decision(Decide decide) {
    const auto before = Clock::now();
    decide();
    point_nanoseconds_ += std::chrono::nanoseconds(Clock::now() - before).count();
  }
  [[nodiscard]] std::int64_t decision_nanoseconds() const { return all_nanoseconds_; }

  /// The time point is over.
  void observe(Time now, std::size_t queued, std::size_t running, std::span<const Amount> used,
               std::span<const double> data) {
    const auto time = Clock::now();
    const std::int64_t elapsed = std::chrono::nanoseconds(time - observed_at_).count();
    recorder_->record({now, queued, running, used, data, point_nanoseconds_, elapsed - point_nanoseconds_});
    all_nanoseconds_ += point_nanoseconds_;
    point_nanoseconds_ = 0;
    observed_at_ = time;
  }

  void archive(Archive& archive) { archive(all_nanoseconds_); }

 private:
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<TimelineRecorder> recorder_;
  Clock::time_point observed_at_;
  std::int64_t point_nanoseconds_ = 0;  // of this time point
  std::int64_t all_nanoseconds_ = 0;    // of those before
};

}  // namespace schedlab
