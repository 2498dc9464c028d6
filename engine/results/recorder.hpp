// What the simulation reports while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "jobs/job.hpp"
#include "results/job_facts.hpp"

namespace schedlab {

class JobRecorder {
 public:
  JobRecorder() = default;
  JobRecorder(const JobRecorder&) = delete;
  JobRecorder& operator=(const JobRecorder&) = delete;
  virtual ~JobRecorder() = default;

  /// A job that ended or was rejected, what each of its tasks asked for, per resource type, and its values of the names
  /// in `facts` and `kept`; not a number where it has none.
  virtual void record(const Job& job, const Amount* amounts, std::span<const double> values) = 0;

  /// What it wants to know of jobs from the engine, and of their attributes.
  [[nodiscard]] const std::vector<JobFact>& facts() const { return facts_; }
  [[nodiscard]] const std::vector<std::string>& kept() const { return kept_; }
  [[nodiscard]] bool wants_values() const { return wants_values_; }

 protected:
  JobRecorder(const std::vector<std::string>& facts, std::vector<std::string> kept)
      : kept_(std::move(kept)), wants_values_(!facts.empty() || !kept_.empty()) {
    for (const std::string& name : facts) facts_.push_back(job_fact(name));
  }

 private:
  std::vector<JobFact> facts_;
  std::vector<std::string> kept_;
  bool wants_values_ = false;
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

/// An attempt of a job that ended early.
struct Interruption {
  const Job& job;
  std::uint32_t attempt;              // from 1
  std::optional<std::uint32_t> node;  // the first of its nodes that failed; none where the scheduler ended it
  Time kept;                          // of its work
  Time lost;                          // of its time
};

class InterruptionRecorder {
 public:
  InterruptionRecorder() = default;
  InterruptionRecorder(const InterruptionRecorder&) = delete;
  InterruptionRecorder& operator=(const InterruptionRecorder&) = delete;
  virtual ~InterruptionRecorder() = default;

  virtual void record(const Interruption& interruption) = 0;
};

/// Receives the times during which a node was not simply on.
class StateRecorder {
 public:
  StateRecorder() = default;
  StateRecorder(const StateRecorder&) = delete;
  StateRecorder& operator=(const StateRecorder&) = delete;
  virtual ~StateRecorder() = default;

  virtual void record(std::uint32_t node, std::string_view state, Time start, Time end) = 0;
};

}  // namespace schedlab
