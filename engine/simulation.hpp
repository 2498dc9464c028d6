// The simulation: clock, jobs, machine and the one event loop.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "allocator.hpp"
#include "cloned.hpp"
#include "dependencies.hpp"
#include "estimator.hpp"
#include "events.hpp"
#include "job.hpp"
#include "machine.hpp"
#include "metrics.hpp"
#include "recorder.hpp"
#include "scheduler.hpp"
#include "source.hpp"
#include "waiting.hpp"

namespace schedlab {

struct SimulationOptions {
  Order order = Order::submit;
  bool enforce_limits = false;
  bool event_by_event = false;  // a dispatcher call after every single event, arrivals before ends (PySS)
  bool dependencies = false;    // jobs are held until their predecessors ended
};

struct Counts {
  std::uint64_t submitted = 0;
  std::uint64_t held = 0;
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
  std::uint64_t completed = 0;
  std::uint64_t killed = 0;
  std::uint64_t failed = 0;
  std::uint64_t rejected = 0;
};

/// The whole state is a value: a copy is a second simulation that goes on from the same moment, without recorders.
class Simulation final : private Dispatch {
 public:
  Simulation(MachineSpec machine, Cloned<JobSource> source, Cloned<Scheduler> scheduler, Cloned<Allocator> allocator,
             Cloned<Estimator> estimator, SimulationOptions options);
  [[nodiscard]] Simulation fork() const;

  void record_jobs(std::shared_ptr<JobRecorder> recorder) { job_recorder_ = std::move(recorder); }
  void record_timeline(std::shared_ptr<TimelineRecorder> recorder);

  /// Handles the next time point; false when nothing is left to happen.
  bool step();
  /// Handles at most so many time points, none of them after `until`; false when it stopped before the count was
  /// reached.
  bool advance(std::uint64_t time_points, Time until);

  /// Changes how fast a running job works through its remaining run time; throws SimulationError if it is not running.
  void set_speed(std::int64_t job_id, double speed);

  [[nodiscard]] Time now() const override { return now_; }
  [[nodiscard]] const Machine& machine() const override { return machine_; }
  [[nodiscard]] const WaitingQueue& queue() const override { return queue_; }
  [[nodiscard]] const RunningJobs& running() const override { return running_; }
  [[nodiscard]] const JobTable& jobs() const { return jobs_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const JobMetrics& metrics() const { return metrics_; }
  [[nodiscard]] const JobSource& source() const { return *source_; }
  [[nodiscard]] std::uint64_t time_points() const { return time_points_; }
  [[nodiscard]] Time first_submit() const { return first_submit_; }
  /// Of any job; meaningless while none has ended.
  [[nodiscard]] Time last_end() const { return last_end_; }
  /// Resource-seconds that ended jobs held, per type.
  [[nodiscard]] const std::vector<double>& busy() const { return busy_; }
  [[nodiscard]] std::int64_t dispatch_nanoseconds() const { return dispatch_nanoseconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool try_start(WaitingQueue::Position& where) override;
  void reject(WaitingQueue::Position& where) override;

  // The loop.
  Time next_event_time() {
    if (moved_ends_ > 0) drop_moved_ends();
    return events_.next_time();
  }
  void drop_moved_ends();
  void handle_time_point();
  void handle_single_event();
  void handle_events_before(EventKind kind);
  void handle(const Event& event);
  void call_dispatcher();
  void observe();
  void finish() const;
  void handle_next(Time next);

  // A job's life.
  void read_next_arrival();
  void arrive();
  void enqueue(Slot slot);
  void plan_end(Slot slot);
  void end(Slot slot);
  void leave(Slot slot, JobState state);
  void release_dependents(Slot slot);
  void plan_release(Slot slot);
  void work_until_now(Job& job) const;
  static Time time_needed(double work, double speed);
  [[nodiscard]] WaitingJob waiting(Slot slot) const;
  [[nodiscard]] RunningJob running_entry(Slot slot) const;
  [[noreturn]] void refuse_request(const Job& job) const;
  void validate() const;

  SimulationOptions options_;
  Machine machine_;
  JobTable jobs_;
  EventQueue events_;
  WaitingQueue queue_;
  RunningJobs running_;
  Cloned<JobSource> source_;
  Cloned<Scheduler> scheduler_;
  Cloned<Allocator> allocator_;
  Cloned<Estimator> estimator_;
  bool keeps_running_;

  JobSpec arrival_;  // the next one
  Time arrival_time_ = never;
  Time now_ = 0;
  std::uint32_t round_ = 0;
  bool broken_ = false;         // an error left it in the middle of something
  std::uint64_t sequence_ = 0;  // of jobs joining the queue
  std::uint64_t event_sequence_ = 0;
  std::uint64_t moved_ends_ = 0;  // events in the queue whose job ends at another time by now

  Dependencies dependencies_;

  Counts counts_;
  JobMetrics metrics_;
  std::vector<double> busy_;
  Time first_submit_ = never;
  Time last_end_ = std::numeric_limits<Time>::min();
  std::uint64_t time_points_ = 0;

  std::shared_ptr<JobRecorder> job_recorder_;
  std::shared_ptr<TimelineRecorder> timeline_recorder_;
  std::vector<Amount> used_;
  Clock::time_point observed_at_;
  std::int64_t point_dispatch_nanoseconds_ = 0;
  std::int64_t dispatch_nanoseconds_ = 0;
};

}  // namespace schedlab
