// The simulation: clock, jobs, machine and the one event loop.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cloned.hpp"
#include "dispatch/estimator.hpp"
#include "execution/failures/outages.hpp"
#include "jobs/dependencies.hpp"
#include "jobs/job.hpp"
#include "jobs/metrics.hpp"
#include "jobs/rejections.hpp"
#include "jobs/waiting.hpp"
#include "machine/closed_nodes.hpp"
#include "machine/machine.hpp"
#include "results/recorder.hpp"
#include "simulation/events.hpp"
#include "simulation/options.hpp"
#include "workload/source.hpp"

namespace schedlab {

struct Counts {
  std::uint64_t submitted = 0;
  std::uint64_t held = 0;
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
  std::uint64_t completed = 0;
  std::uint64_t killed = 0;
  std::uint64_t failed = 0;
  std::uint64_t rejected = 0;

  void archive(Archive& archive) { archive(submitted, held, queued, running, completed, killed, failed, rejected); }
};

/// Why `advance` returned.
enum class Progress : std::uint8_t {
  done,      // nothing is left to happen, or nothing before the time that was given
  more,      // it handled as many time points as were asked for
  decision,  // the scheduler must decide
};

/// The whole state is a value: a copy is a second simulation that goes on from the same moment, without recorders.
class Simulation final : private Dispatch {
 public:
  Simulation(MachineSpec machine, Cloned<JobSource> source, Dispatcher dispatcher, Cloned<Estimator> estimator,
             SimulationOptions options);
  [[nodiscard]] Simulation fork() const;

  /// Writes everything that changes while it runs; or reads it into a simulation that was just made of the same parts.
  void archive(Archive& archive);

  /// Lets other policies decide from now on.
  void set_dispatcher(Dispatcher dispatcher);
  /// Lets go of all policies; nothing can be done with it any more.
  void abandon() {
    activity_ = Activity::broken;
    scheduler_ = make_scheduler({"blocking"});
    allocator_ = make_allocator({"first-fit", 0});
    estimator_ = make_estimator("requested");
    other_order_ = {};
    options_.additional_data.clear();
    updates_.clear();
  }

  /// Lets the queue be sorted by an order that gives the same keys, but is another object.
  void replace_order(Cloned<JobOrder> order) { other_order_ = std::move(order); }

  void record_jobs(std::shared_ptr<JobRecorder> recorder) { job_recorder_ = std::move(recorder); }
  void record_timeline(std::shared_ptr<TimelineRecorder> recorder);
  void record_states(std::shared_ptr<StateRecorder> recorder) { state_recorder_ = std::move(recorder); }
  void record_interruptions(std::shared_ptr<InterruptionRecorder> recorder) {
    interruption_recorder_ = std::move(recorder);
  }
  /// Records the states in which nodes still are, up to now: the last thing that is done with a run.
  void record_open_states() const;

  /// Handles the next time point; false when nothing is left to happen.
  bool step();
  /// Handles at most N time points, none of them after `until`. It passes decisions, or stops at the next one.
  Progress advance(std::uint64_t time_points, Time until, bool to_decision = false);
  /// Whether it stands where the scheduler must decide: jobs wait, and something happened.
  [[nodiscard]] bool at_decision() const { return at_decision_; }
  /// Lets the scheduler decide, or another one instead of it, and handles the rest of the time point, or as much of it
  /// as comes before its next decision. The scheduler of the simulation forgets what it planned before another decided.
  [[gnu::noinline]] void decide(Scheduler* instead = nullptr);
  /// Calls `look(state)`, which must not go on with the simulation; at a decision, it sees what the scheduler will see.
  template <class Look>
  auto look(Look look) {
    require_idle("be looked at");
    const Looking looking(activity_);
    return look(static_cast<const State&>(*this));
  }
  /// Lets `advance` return after the time point that is being handled; for code that it calls.
  void return_soon() { time_points_left_ = 0; }
  /// Ends it where it is, also after an error: additional data is told, once. It does so itself when nothing is left.
  void conclude();

  /// Changes how fast a running job works through its remaining run time; throws SimulationError if it is not running.
  void set_speed(std::int64_t job_id, double speed);

  /// When the next time point will be; `never` when nothing is left to happen.
  [[nodiscard]] Time next_time();
  [[nodiscard]] Time now() const override { return now_; }
  [[nodiscard]] const Machine& machine() const override { return machine_; }
  [[nodiscard]] const WaitingQueue& queue() const override { return queue_; }
  [[nodiscard]] std::uint64_t queued_tasks() const override { return queued_tasks_; }
  [[nodiscard]] const RunningJobs& running() const override { return running_; }
  [[nodiscard]] std::uint64_t running_jobs() const override { return counts_.running; }
  [[nodiscard]] std::uint32_t nodes_down() const override { return outages_ ? outages_->down : 0; }
  [[nodiscard]] Time up_since(std::uint32_t node) const override {
    return outages_ ? outages_->up_since[node] : first_submit_;
  }
  /// What jobs hold of a resource type; nodes that are down hold nothing.
  [[nodiscard]] Amount used(std::size_t type) const {
    return machine_.capacity(type) - machine_.free(type) - (outages_ ? outages_->amounts[type] : 0);
  }
  /// Null where nodes do not fail.
  [[nodiscard]] const Outages* outages() const { return outages_ ? &*outages_ : nullptr; }
  [[nodiscard]] const JobTable& jobs() const override { return jobs_; }
  [[nodiscard]] const Windows& windows() const override { return options_.windows; }
  [[nodiscard]] const DataBoard& data() const override { return options_.data; }
  [[nodiscard]] const Platform* platform() const override { return platform_ ? &*platform_ : nullptr; }
  [[nodiscard]] const Topology* topology() const { return options_.topology.get(); }
  [[nodiscard]] const ApplicationRuns* applications() const override {
    return applications_ ? &*applications_ : nullptr;
  }
  /// The node of each rank of the application that started last.
  [[nodiscard]] const std::vector<std::uint32_t>& rank_nodes() const { return rank_nodes_; }
  /// What applications went wrong, where that fails jobs: a text each.
  [[nodiscard]] const std::vector<std::string>& application_errors() const { return application_errors_; }
  [[nodiscard]] const State& state() const { return *this; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const RejectedJobsByReason& rejected() const { return rejected_; }
  [[nodiscard]] const UnheededPredecessors& unheeded_predecessors() const { return dependencies_.unheeded(); }
  [[nodiscard]] const JobMetrics& metrics() const { return metrics_; }
  [[nodiscard]] const NetworkMetrics& network_metrics() const { return network_metrics_; }
  [[nodiscard]] const JobSource& source() const { return *source_; }
  [[nodiscard]] const Scheduler& scheduler() const { return *scheduler_; }
  [[nodiscard]] const Allocator& allocator() const { return *allocator_; }
  [[nodiscard]] const Estimator& estimator() const { return *estimator_; }
  [[nodiscard]] const std::vector<Cloned<AdditionalData>>& additional_data() const { return options_.additional_data; }
  /// Whether an error left it in the middle of something.
  [[nodiscard]] bool broken() const { return activity_ != Activity::none; }
  [[nodiscard]] std::uint64_t time_points() const { return time_points_; }
  [[nodiscard]] Time first_submit() const { return first_submit_; }
  /// Of any job; meaningless while none has ended.
  [[nodiscard]] Time last_end() const { return last_end_; }
  /// Resource-seconds that ended jobs held, per type.
  [[nodiscard]] const std::vector<double>& busy() const { return busy_; }
  [[nodiscard]] std::int64_t dispatch_nanoseconds() const { return dispatch_nanoseconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  enum class Activity : std::uint8_t { none, step, broken };  // broken: an error left it in the middle of something
  /// While a caller looks, nothing goes on.
  class Looking {
   public:
    explicit Looking(Activity& activity) : activity_(activity) { activity_ = Activity::step; }
    ~Looking() { activity_ = Activity::none; }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;

   private:
    Activity& activity_;
  };

  bool try_start(WaitingQueue::Position& where, NodeLimit* limit) override;
  bool would_start(Slot slot, NodeLimit* limit) override;
  [[nodiscard]] bool refusals_last() const override { return allocator_->refusals_last() && !power_capped(); }
  [[nodiscard]] bool may_refuse() const override { return power_capped() || !allocator_->places_whatever_fits(); }
  [[nodiscard]] bool power_capped() const { return platform_ && !platform_->caps().empty(); }
  bool start_on(WaitingQueue::Position& where, const Placement& nodes) override;
  void reject(WaitingQueue::Position& where) override;
  void set_step(std::uint32_t node, std::uint32_t step) override;
  bool rest(std::uint32_t node, bool sleeping) override;
  void wake(std::uint32_t node) override;
  void wake_at(Time time) override;

  void require_idle(const char* what) const;

  // The loop.
  Time next_event_time() {
    if (moved_ends_ > 0) drop_moved_ends();
    return events_.next_time();
  }
  void drop_moved_ends();
  [[nodiscard]] bool is_void(const Event& event) const;
  void handle_rounds(bool to_decision);
  void handle_single_event();
  void end_time_point();
  [[nodiscard]] bool stops_to_decide(bool to_decision);
  void let_others_decide();
  void keep_running_jobs(bool keep);
  void handle_queued_before(EventKind kind);
  [[gnu::noinline]] void handle_events_before(EventKind kind);
  [[gnu::noinline]] void change_nodes();
  [[gnu::noinline]] void prepare_dispatch();
  void handle(const Event& event);
  void call_dispatcher(Scheduler& scheduler);
  void order_and_dispatch(Scheduler& scheduler);
  void observe();
  void finish() const;
  [[nodiscard]] Progress refuse_stopped() const;
  void handle_next(Time next, bool to_decision);
  void handle_own_times();
  void update_data(bool after_decision);
  [[gnu::noinline]] void tell_submission(Slot slot, bool before);
  void sort_queue();
  [[nodiscard]] bool anything_may_fit() const;

  // A job's life.
  void read_next_arrival();
  void arrive();
  void copy_attributes(Slot slot);
  void record(Slot slot) {
    if (job_recorder_->wants_values()) return record_with_values(slot);
    job_recorder_->record(jobs_[slot], jobs_.amounts(slot), {});
  }
  void record_with_values(Slot slot);
  bool admit(Slot slot);
  // Jobs that are rejected (rejecting.cpp).
  [[gnu::noinline]] bool power_allows_ever(Slot slot) const;
  [[gnu::noinline]] void refuse_impossible(Slot slot, Rejection why);
  [[gnu::noinline]] void count_rejected(Slot slot, Rejection why);
  [[nodiscard]] std::string text_of(Slot slot, Rejection why) const;
  [[nodiscard]] PowerSavings savings() const;
  void use_scheduler(Cloned<Scheduler> scheduler);
  void plan_nodes();
  void enqueue(Slot slot);
  [[gnu::noinline]] bool place_between_windows(PlacementRequest request, Placement& placement);
  void start(WaitingQueue::Position& where);
  void plan_end(Slot slot);
  void end(Slot slot);
  void leave(Slot slot, JobState state);
  void leave_nodes(Slot slot, bool interrupted);
  [[gnu::noinline]] void stop(Slot slot, bool interrupted);
  [[gnu::noinline]] void take_attempt(Job& job);
  [[gnu::noinline]] void leave_sockets(Slot slot);
  void release_dependents(Slot slot);
  void plan_release(Slot slot);
  void work_until_now(Job& job) const;
  static Time time_needed(double work, double speed);
  [[nodiscard]] double key_of(Slot slot) const;

  // On a platform (execution.cpp).
  [[gnu::noinline]] void take_alone_time();
  [[nodiscard]] Work work_of(Slot slot) const;
  void record_states();
  [[gnu::noinline]] void start_on_platform(Slot slot);
  [[gnu::noinline]] void run_on_platform(Slot slot);
  [[gnu::noinline]] void end_tasks(std::uint32_t socket);
  void settle_platform();
  void publish_platform();
  [[gnu::noinline]] void show_platform() {
    settle_platform();
    publish_platform();
  }
  [[nodiscard]] RunningJob running_entry(Slot slot) const;
  void validate() const;
  void check_saved() const;
  void check_saved_places() const;

  // Applications (applications.cpp).
  [[nodiscard]] Time next_scheduled_time();
  [[gnu::noinline]] bool work_applications(Time until, std::uint64_t budget);
  [[gnu::noinline]] void take_application(Slot slot);
  [[gnu::noinline]] void start_application(Slot slot);
  [[gnu::noinline]] void leave_application(Slot slot);
  [[gnu::noinline]] void count_application(Slot slot);

  // Nodes that fail.
  [[gnu::noinline]] void handle_outages();
  void refuse_standstill();
  [[nodiscard]] std::string refused_by_caps() const;
  void take_down(std::uint32_t node);
  void bring_up(std::uint32_t node);
  bool interrupt(Slot slot);
  void give_up(Slot slot);
  [[gnu::noinline]] void account_end(Slot slot);
  [[nodiscard]] Time work_done(Slot slot) const;
  [[nodiscard]] double nodes_held(Slot slot) const;

  SimulationOptions options_;
  Machine machine_;
  Cloned<Platform> platform_;
  Cloned<ApplicationRuns> applications_;
  std::vector<std::string> application_errors_;
  std::vector<std::uint32_t> rank_nodes_;
  NetworkMetrics network_metrics_;
  Placement taken_;              // nodes of the job that is being started, in the order of its ranks
  ClosedNodes closed_nodes_;     // to the job that is being started
  ClosedParts closed_parts_;     // kept for its memory
  std::vector<Slot> ended_now_;  // kept for its memory
  JobTable jobs_;
  EventQueue events_;
  WaitingQueue queue_;
  RunningJobs running_;
  Cloned<JobSource> source_;
  Cloned<Scheduler> scheduler_;
  Discipline discipline_;  // that the scheduler was made of; without a name where it is another one
  Order order_;
  Cloned<JobOrder> other_order_;
  Cloned<Allocator> allocator_;
  Cloned<Estimator> estimator_;
  bool keeps_running_ = false;
  bool on_nodes_ = false;             // the scheduler must look at nodes, not just at counts of processors
  bool follows_jobs_ = false;         // additional data is told of starts and ends, or the allocator of ends
  bool attributes_ = false;           // jobs may have some
  std::vector<double> values_;        // of the job that is being recorded
  bool admission_ = false;            // queues or windows look at every job
  bool own_times_ = false;            // there are, or were, windows, wake-ups or updates of additional data
  bool stopped_ = false;              // additional data was told that it is over
  bool follows_submissions_ = false;  // additional data is told of arrivals

  JobSpec arrival_;  // the next one
  Time arrival_time_ = never;
  Time now_ = 0;
  std::uint64_t fruitless_ = 0;    // changes of the machine in a row while jobs wait and nothing else happens
  std::uint64_t left_before_ = 0;  // jobs that had left by then
  std::uint32_t round_ = 0;
  bool at_decision_ = false;
  bool stops_at_decisions_ = false;  // some advance did
  bool others_decided_ = false;      // since the scheduler did
  bool nodes_changed_ = false;       // at this time, by a platform
  Activity activity_ = Activity::none;
  Slot ending_ = no_slot;       // whose end is being handled
  bool only_update_ = false;    // at the next time nothing happens but updates
  std::uint32_t sequence_ = 0;  // of jobs joining the queue
  std::uint64_t queued_tasks_ = 0;
  std::vector<Time> wake_ups_;  // that the scheduler asked for, a heap with the earliest on top
  std::vector<Time> updates_;   // per additional data: when it is due next
  std::uint64_t event_sequence_ = 0;
  std::uint64_t moved_ends_ = 0;  // events in the queue whose job ends at another time by now

  Dependencies dependencies_;
  Cloned<Outages> outages_;

  Counts counts_;
  RejectedJobsByReason rejected_;
  JobMetrics metrics_;
  std::vector<double> busy_;
  Time first_submit_ = never;
  Time last_end_ = std::numeric_limits<Time>::min();
  std::uint64_t time_points_ = 0;
  std::uint64_t time_points_left_ = 0;  // of this call of `advance`

  std::shared_ptr<JobRecorder> job_recorder_;
  std::shared_ptr<TimelineRecorder> timeline_recorder_;
  std::shared_ptr<StateRecorder> state_recorder_;
  std::shared_ptr<InterruptionRecorder> interruption_recorder_;
  std::vector<Amount> used_;
  Clock::time_point observed_at_;
  std::int64_t point_dispatch_nanoseconds_ = 0;
  std::int64_t dispatch_nanoseconds_ = 0;
};

}  // namespace schedlab
