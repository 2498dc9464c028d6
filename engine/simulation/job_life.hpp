// A job's life: arrival, queue, start, end; with the machine that jobs run on and the policies that decide of them.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
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
#include "simulation/arrivals.hpp"
#include "simulation/events.hpp"
#include "simulation/executions.hpp"
#include "simulation/options.hpp"
#include "simulation/published_data.hpp"

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

  [[nodiscard]] std::uint64_t left() const { return completed + killed + failed + rejected; }
  void archive(Archive& archive) { archive(submitted, held, queued, running, completed, killed, failed, rejected); }
};

/// Everything that happens to jobs, but not when: that is the loop of `Simulation`.
class JobLife : public Dispatch {
 public:
  // What policies see.
  [[nodiscard]] Time now() const final { return now_; }
  [[nodiscard]] const Machine& machine() const final { return machine_; }
  [[nodiscard]] const WaitingQueue& queue() const final { return queue_; }
  [[nodiscard]] std::uint64_t queued_tasks() const final { return queued_tasks_; }
  [[nodiscard]] const RunningJobs& running() const final { return running_; }
  [[nodiscard]] std::uint64_t running_jobs() const final { return counts_.running; }
  [[nodiscard]] std::uint32_t nodes_down() const final { return outages_ ? outages_->down : 0; }
  [[nodiscard]] Time up_since(std::uint32_t node) const final {
    return outages_ ? outages_->up_since[node] : arrivals_.first();
  }
  [[nodiscard]] bool plans_on_counts() const final { return !on_nodes_; }
  [[nodiscard]] const JobTable& jobs() const final { return jobs_; }
  [[nodiscard]] const Windows& windows() const final { return options_.windows; }
  [[nodiscard]] const DataBoard& data() const final { return data_.board(); }
  [[nodiscard]] const Platform* platform() const final { return executions_.platform(); }
  [[nodiscard]] const ApplicationRuns* applications() const final {
    const Applications* jobs = executions_.applications();
    return jobs == nullptr ? nullptr : &jobs->runs();
  }

  // What is reported of a run.
  [[nodiscard]] const State& state() const { return *this; }
  /// What jobs hold of a resource type; nodes that are down hold nothing.
  [[nodiscard]] Amount used(std::size_t type) const {
    return machine_.capacity(type) - machine_.free(type) - (outages_ ? outages_->amounts[type] : 0);
  }
  /// Null where attempts of jobs do not end early.
  [[nodiscard]] const Outages* outages() const { return outages_ ? &*outages_ : nullptr; }
  [[nodiscard]] bool nodes_fail() const { return outages_ && outages_->nodes_fail; }
  [[nodiscard]] const Topology* topology() const { return options_.topology.get(); }
  /// Null where jobs do not run applications.
  [[nodiscard]] const Applications* application_jobs() const { return executions_.applications(); }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const RejectedJobsByReason& rejected() const { return rejected_; }
  [[nodiscard]] const UnheededPredecessors& unheeded_predecessors() const { return dependencies_.unheeded(); }
  [[nodiscard]] const JobMetrics& metrics() const { return metrics_; }
  [[nodiscard]] const JobSource& source() const { return arrivals_.source(); }
  [[nodiscard]] const Scheduler& scheduler() const { return scheduler_->policy(); }
  [[nodiscard]] const Allocator& allocator() const { return *allocator_; }
  [[nodiscard]] const Estimator& estimator() const { return *estimator_; }
  [[nodiscard]] const std::vector<Cloned<AdditionalData>>& additional_data() const { return data_.all(); }
  [[nodiscard]] Time first_submit() const { return arrivals_.first(); }
  /// Of any job; meaningless while none has ended.
  [[nodiscard]] Time last_end() const { return last_end_; }
  /// Resource-seconds that ended jobs held, per type.
  [[nodiscard]] const std::vector<double>& busy() const { return busy_; }
  [[nodiscard]] const std::vector<double>& busy_licenses() const { return busy_licenses_; }

  /// Brings the queue into its order, where a scheduler leaves that to those who look; not while a job has no score.
  void sort_queue_to_look();

  void record_jobs(std::shared_ptr<JobRecorder> recorder) { job_recorder_ = std::move(recorder); }
  void record_states(std::shared_ptr<StateRecorder> recorder) { state_recorder_ = std::move(recorder); }
  void record_interruptions(std::shared_ptr<InterruptionRecorder> recorder) {
    interruption_recorder_ = std::move(recorder);
  }
  /// Records the states in which nodes still are, up to now: the last thing that is done with a run.
  void record_open_states() const;

 protected:
  JobLife(MachineSpec machine, Cloned<JobSource> source, Cloned<Estimator> estimator, SimulationOptions options);

  // What a scheduler can do.
  bool try_start(WaitingQueue::Position& where, NodeLimit* limit) final;
  bool would_start(Slot slot, NodeLimit* limit) final;
  [[nodiscard]] bool refusals_last() const final { return allocator_->refusals_last() && !power_capped(); }
  [[nodiscard]] bool may_refuse() const final { return power_capped() || !allocator_->places_whatever_fits(); }
  bool start_on(WaitingQueue::Position& where, const Placement& nodes) final;
  void reject(WaitingQueue::Position& where) final;
  [[nodiscard]] JobOrder* order() const final { return order_ ? &*order_ : nullptr; }
  [[nodiscard]] bool may_interrupt() const final { return outages_ && outages_->by_scheduler; }
  void requeue(Slot slot, bool gives_way) final;
  void cancel(Slot slot) final;
  bool choose_victims(Slot slot, std::vector<Slot>& running) final;
  void set_step(std::uint32_t node, std::uint32_t step) final;
  bool rest(std::uint32_t node, bool sleeping) final;
  void wake(std::uint32_t node) final;

  // The parts that decide (dispatcher.cpp).
  void take_dispatcher(Dispatcher dispatcher);
  void use_scheduler(Cloned<Scheduler> scheduler);
  [[nodiscard]] Cloned<Scheduler> with_preemption(Cloned<Scheduler> scheduler) const;
  void let_others_decide();
  void let_own_scheduler_decide();
  void keep_running_jobs(bool keep);
  void plan_nodes();
  void abandon_policies();
  void sort_queue();
  [[nodiscard]] bool anything_may_fit() const;
  [[nodiscard]] double key_of(Slot slot) const;

  // Arrivals (arriving.cpp).
  void arrive();
  void fill_in(Slot slot);
  void copy_attributes(Slot slot);
  [[gnu::noinline]] void take_application(Slot slot);
  [[gnu::noinline]] void choose_nodes(Slot slot);
  [[nodiscard]] const Partition* partition_of(Slot slot) const;
  [[nodiscard]] const std::vector<double>* several_partitions(Slot slot);
  void choose_partitions(Slot slot, const std::vector<double>& numbers);
  [[nodiscard]] bool within_limits(Slot slot, const Partition& partition) const;
  [[nodiscard]] std::uint32_t set_in(Slot slot, const Partition* partition);
  [[nodiscard]] double partition_number(Slot slot) const { return jobs_.attribute(slot, "partition"); }
  [[nodiscard]] double needs_number(Slot slot) const { return jobs_.attribute(slot, "needs"); }
  [[nodiscard]] std::uint32_t nodes_with(double needs);
  [[gnu::noinline]] void choose_licenses(Slot slot);
  [[nodiscard]] double licenses_number(Slot slot) const { return jobs_.attribute(slot, "licenses"); }
  [[nodiscard]] std::optional<std::uint32_t> licenses_with(double wanted);
  std::optional<Rejection> refused_admission(Slot slot);
  [[nodiscard]] std::optional<Rejection> refused_by_partition(Slot slot) const;
  bool find_queue(Slot slot);
  void enqueue(Slot slot);
  [[nodiscard]] std::optional<Rejection> impossible(Slot slot);
  // Jobs that are rejected (rejecting.cpp).
  [[gnu::noinline]] bool power_allows_ever(Slot slot) const;
  [[gnu::noinline]] void refuse_impossible(Slot slot, Rejection why);
  [[gnu::noinline]] void count_rejected(Slot slot, Rejection why);
  [[nodiscard]] std::string text_of(Slot slot, Rejection why) const;
  [[nodiscard]] PowerSavings savings() const;

  // Starts and ends (job_life.cpp).
  [[nodiscard]] bool power_capped() const { return platform() != nullptr && !platform()->caps().empty(); }
  [[gnu::noinline]] bool try_start_in_any(Slot slot, WaitingQueue::Position& where, NodeLimit* limit);
  bool would_start_in_set(Slot slot, NodeLimit* limit);
  [[gnu::noinline]] bool place_between_windows(PlacementRequest request, Placement& placement);
  bool power_refuses_anywhere(Slot slot);
  void remember_refused(Slot slot);
  /// Whether it gets the nodes that any job of its size would get.
  [[nodiscard]] bool is_placed_by_size(const Job& job) const {
    return job.plain && job.application == 0 && allocator_->is_function();
  }
  bool start_within_power(WaitingQueue::Position& where);
  void start(WaitingQueue::Position& where);
  void begin(Slot slot);
  void plan_end(Slot slot, Time end);
  void end(Slot slot);
  void leave(Slot slot, JobState state);
  JobState leave_nodes(Slot slot, bool interrupted);
  [[gnu::noinline]] void publish_licenses(const Job& job);
  [[gnu::noinline]] void count_licenses(const Job& job);
  [[gnu::noinline]] void stop(Slot slot);
  void release_dependents(Slot slot);
  void plan_release(Slot slot);
  void record(Slot slot) {
    if (job_recorder_->wants_values()) return record_with_values(slot);
    job_recorder_->record(jobs_[slot], jobs_.amounts(slot), {});
  }
  void record_with_values(Slot slot);
  [[nodiscard]] RunningJob running_entry(Slot slot) const;

  // Room for a waiting job (making_room.cpp).
  [[nodiscard]] bool might_make_room(Slot slot, const std::vector<Slot>& running) const;

  // How jobs run (executing.cpp).
  void change_speed(std::int64_t job_id, double speed);
  void end_by_themselves(Time time);
  [[gnu::noinline]] void handle_due(std::uint32_t place);
  [[gnu::noinline]] void settle();
  void publish() { executions_.publish(now_, data_.board()); }
  void record_ended_states() {
    std::vector<StateInterval>& ended = executions_.platform()->ended_states();
    if (ended.empty()) return;
    record_states(ended);
    ended.clear();
  }
  void record_states(const std::vector<StateInterval>& intervals) const;

  // Nodes that fail (failing.cpp).
  void handle_failures();
  void take_down(std::uint32_t node);
  void bring_up(std::uint32_t node);

  // Attempts that end early (interrupting.cpp).
  Time interrupt(Slot slot, EndedBy by, std::optional<std::uint32_t> failed_node);
  void try_again(Slot slot, Time kept);
  void leave_early(Slot slot, JobState state);
  bool fail(Slot slot, std::uint32_t node);
  [[gnu::noinline]] void account_end(Slot slot);

  [[nodiscard]] bool is_void(const Event& event) const;
  Time next_event_time() {
    if (events_.has_void()) events_.drop_void([this](const Event& event) { return is_void(event); });
    return events_.next_time();
  }
  /// The round in which something happens that is planned for a time from now on.
  [[nodiscard]] std::uint32_t round_of(Time time) const {
    return time == now_ && !options_.event_by_event ? round_ + 1 : 0;
  }

  void archive_life(Archive& archive);
  void validate() const;
  void check_saved() const;
  void check_saved_places() const;

  SimulationOptions options_;
  Machine machine_;
  Executions executions_;
  Cloned<Outages> outages_;
  JobTable jobs_;
  EventQueue events_;
  WaitingQueue queue_;
  RunningJobs running_;
  Arrivals arrivals_;
  PublishedData data_;
  Dependencies dependencies_;

  Cloned<Scheduler> scheduler_;
  Discipline discipline_;   // that the scheduler was made of; without a name where it is another one
  Cloned<JobOrder> order_;  // of the queue; null: that in which jobs join it
  Cloned<Allocator> allocator_;
  Cloned<Estimator> estimator_;
  bool others_decided_ = false;        // since the scheduler did
  bool keeps_running_ = false;         // `running_` is kept
  bool always_keeps_running_ = false;  // whoever decides
  bool on_nodes_ = false;              // the scheduler must look at nodes, not just at counts of processors
  bool follows_jobs_ = false;          // starts and ends are reported to additional data, or ends to the allocator
  bool attributes_ = false;            // jobs may have some
  bool admission_ = false;             // queues, partitions or windows look at every job

  Time now_ = 0;
  std::uint32_t round_ = 0;
  Slot ending_ = no_slot;       // whose end is being handled
  std::uint32_t sequence_ = 0;  // of jobs joining the queue
  std::uint64_t queued_tasks_ = 0;

  Counts counts_;
  RejectedJobsByReason rejected_;
  JobMetrics metrics_;
  std::vector<double> busy_;
  std::vector<double> busy_licenses_;
  Time last_end_ = std::numeric_limits<Time>::min();

  std::shared_ptr<JobRecorder> job_recorder_;
  std::shared_ptr<StateRecorder> state_recorder_;
  std::shared_ptr<InterruptionRecorder> interruption_recorder_;

  std::unordered_map<std::int64_t, std::uint32_t> needed_sets_;  // of nodes, by the number of what a job needs
  std::unordered_map<std::int64_t, std::vector<double>> partition_lists_;  // by the number of each
  // Likewise what it takes of the licenses, by the number of the text; nothing where there is less.
  std::unordered_map<std::int64_t, std::optional<std::uint32_t>> asked_licenses_;

  // Of the job that arrives: the partitions that it names, if they are several, and the first that it may use.
  const std::vector<double>* several_ = nullptr;
  const Partition* first_possible_ = nullptr;

  // Kept for their memory.
  ClosedNodes closed_nodes_;  // to the job that is being started
  ClosedParts closed_parts_;
  std::vector<Slot> ended_;
  std::vector<double> values_;  // of the job that is being recorded
};

}  // namespace schedlab
