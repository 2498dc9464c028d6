// What a simulation is made of: its parts put together, replaced in the middle of everything, and copied.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

Simulation::Simulation(MachineSpec machine, Cloned<JobSource> source, Dispatcher dispatcher,
                       Cloned<Estimator> estimator, SimulationOptions options)
    : options_(std::move(options)),
      machine_(std::move(machine)),
      jobs_(machine_.types()),
      source_(std::move(source)),
      order_(Order::submit),
      estimator_(std::move(estimator)),
      updates_(options_.additional_data.size()),
      busy_(machine_.types()),
      used_(machine_.types()) {
  if (!options_.windows.empty()) options_.windows.divide(machine_.spec().groups);
  on_nodes_ = source_->asks_for_more() || !options_.windows.empty();
  attributes_ = source_->may_add_attributes() || !source_->attribute_names().empty();
  admission_ = !options_.window_rules.empty() || !options_.queues.empty();
  if (options_.platform) {
    const auto core = std::find(machine_.spec().types.begin(), machine_.spec().types.end(), "core");
    platform_ = std::make_unique<Platform>(*options_.platform, machine_, options_.power,
                                           static_cast<std::size_t>(core - machine_.spec().types.begin()));
  }
  applications_ = std::move(options_.applications);
  if (options_.failures) outages_ = std::make_unique<Outages>(*options_.failures, machine_.nodes(), machine_.types());
  own_times_ = !options_.windows.empty() || !updates_.empty() || static_cast<bool>(outages_);
  set_dispatcher(std::move(dispatcher));
  read_next_arrival();
  if (outages_) {
    outages_->clock.begin(first_submit_);
    outages_->counted_until = first_submit_;
    std::fill(outages_->up_since.begin(), outages_->up_since.end(), first_submit_);
  }
}

void Simulation::set_dispatcher(Dispatcher dispatcher) {
  require_idle("get another dispatcher");
  discipline_ = dispatcher.scheduler ? Discipline{} : dispatcher.discipline;
  order_ = dispatcher.order;
  other_order_ = std::move(dispatcher.other_order);
  allocator_ = std::move(dispatcher.allocator);
  allocator_->attach(machine_, platform(), topology());
  follows_jobs_ = allocator_->follows_nodes();
  for (const auto& data : options_.additional_data) {
    follows_jobs_ = follows_jobs_ || data->follows_jobs();
    follows_submissions_ = follows_submissions_ || data->follows_submissions();
  }
  if (dispatcher.sockets) {
    if (!platform_) throw InputError("sockets: the system has none; its groups have no types with processors");
    allocator_->set_socket_order(*dispatcher.sockets);
  }
  if (platform_) platform_->set_socket_order(allocator_->socket_order());
  std::vector<WaitingJob> waiting;
  for (std::size_t block = 0; block < queue_.blocks(); ++block) {
    for (const WaitingJob& entry : queue_.entries(block)) {
      jobs_[entry.slot].key = key_of(entry.slot);
      waiting.push_back(waiting_entry(jobs_[entry.slot], entry.slot));
    }
  }
  queue_.assign(std::move(waiting));
  use_scheduler(dispatcher.scheduler ? std::move(dispatcher.scheduler) : make_scheduler(dispatcher.discipline));
}

/// Puts a scheduler to work, now or in the middle of everything: it gets every job that waits.
void Simulation::use_scheduler(Cloned<Scheduler> scheduler) {
  scheduler_ = std::move(scheduler);
  if (on_nodes_) {
    if (auto for_nodes = scheduler_->for_nodes()) scheduler_ = std::move(for_nodes);
  }
  others_decided_ = false;
  keep_running_jobs(scheduler_->needs_running() || !updates_.empty() || outages_ || stops_at_decisions_);
  std::vector<WaitingJob> waiting;
  for (std::size_t block = 0; block < queue_.blocks(); ++block) {
    waiting.insert(waiting.end(), queue_.entries(block).begin(), queue_.entries(block).end());
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const WaitingJob& a, const WaitingJob& b) { return a.sequence < b.sequence; });
  for (const WaitingJob& job : waiting) scheduler_->queued(job);
}

void Simulation::keep_running_jobs(bool keep) {
  const bool kept = std::exchange(keeps_running_, keep);
  if (!kept && keeps_running_) {
    std::vector<RunningJob> running;
    for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
      if (jobs_[slot].state == JobState::running) running.push_back(running_entry(slot));
    }
    running_.assign(std::move(running));
  } else if (!keeps_running_) {
    running_ = {};
  }
}

/// From now on requests may be for more than processors.
void Simulation::plan_nodes() {
  on_nodes_ = true;
  if (scheduler_->for_nodes()) use_scheduler(scheduler_);
}

void Simulation::require_idle(const char* what) const {
  if (activity_ == Activity::none) return;
  throw SimulationError("a simulation cannot " + std::string(what) +
                        (activity_ == Activity::broken ? " after an error" : " from within one of its own policies"));
}

Simulation Simulation::fork() const {
  require_idle("be forked");
  Simulation copy(*this);
  copy.job_recorder_.reset();
  copy.timeline_recorder_.reset();
  copy.state_recorder_.reset();
  copy.interruption_recorder_.reset();
  return copy;
}

void Simulation::record_timeline(std::shared_ptr<TimelineRecorder> recorder) {
  timeline_recorder_ = std::move(recorder);
  observed_at_ = Clock::now();
}

}  // namespace schedlab
