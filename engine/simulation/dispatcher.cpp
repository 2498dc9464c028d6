// The parts that decide: put to work, replaced in the middle of everything, and the order of the queue.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "dispatch/schedulers/preempting.hpp"
#include "simulation/job_life.hpp"

namespace schedlab {

void JobLife::take_dispatcher(Dispatcher dispatcher) {
  discipline_ = dispatcher.scheduler ? Discipline{} : dispatcher.discipline;
  order_ = std::move(dispatcher.order);
  allocator_ = std::move(dispatcher.allocator);
  allocator_->attach(machine_, this->platform(), topology());
  follows_jobs_ = allocator_->follows_nodes() || data_.follows_jobs() || options_.licenses;
  Platform* platform = executions_.platform();
  if (dispatcher.sockets) {
    if (platform == nullptr) {
      throw InputError("sockets: the system has none; its groups have no types with processors");
    }
    allocator_->set_socket_order(*dispatcher.sockets);
  }
  if (platform != nullptr) platform->set_socket_order(allocator_->socket_order());
  std::vector<WaitingJob> waiting;
  for (std::size_t block = 0; block < queue_.blocks(); ++block) {
    for (const WaitingJob& entry : queue_.entries(block)) {
      jobs_[entry.slot].key = key_of(entry.slot);
      waiting.push_back(waiting_entry(jobs_[entry.slot], entry.slot));
    }
  }
  queue_.assign(std::move(waiting));
  use_scheduler(
      with_preemption(dispatcher.scheduler ? std::move(dispatcher.scheduler) : make_scheduler(dispatcher.discipline)));
}

/// What makes room for jobs that preempt others is around any scheduler.
Cloned<Scheduler> JobLife::with_preemption(Cloned<Scheduler> scheduler) const {
  if (options_.preemption.empty()) return scheduler;
  return make_preempting(options_.preemption, std::move(scheduler));
}

/// Puts a scheduler to work, now or in the middle of everything: it gets every job that waits.
void JobLife::use_scheduler(Cloned<Scheduler> scheduler) {
  scheduler_ = std::move(scheduler);
  if (on_nodes_) {
    if (auto for_nodes = scheduler_->for_nodes()) scheduler_ = std::move(for_nodes);
  }
  if (order_ && order_->has_lines()) {
    if (auto ranking = scheduler_->for_changing_order()) scheduler_ = std::move(ranking);
  }
  others_decided_ = false;
  keep_running_jobs(scheduler_->needs_running() || always_keeps_running_);
  std::vector<WaitingJob> waiting;
  for (std::size_t block = 0; block < queue_.blocks(); ++block) {
    waiting.insert(waiting.end(), queue_.entries(block).begin(), queue_.entries(block).end());
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const WaitingJob& a, const WaitingJob& b) { return a.sequence < b.sequence; });
  for (const WaitingJob& job : waiting) scheduler_->queued(job);
}

void JobLife::keep_running_jobs(bool keep) {
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
void JobLife::plan_nodes() {
  on_nodes_ = true;
  if (scheduler_->for_nodes()) use_scheduler(scheduler_);
}

/// A built-in scheduler would plan for jobs that others start: one that plans nothing stands in for it meanwhile.
void JobLife::let_others_decide() {
  others_decided_ = true;
  if (!discipline_.name.empty()) scheduler_ = make_scheduler({"blocking"});
}

void JobLife::let_own_scheduler_decide() {
  use_scheduler(discipline_.name.empty() ? std::move(scheduler_) : with_preemption(make_scheduler(discipline_)));
}

void JobLife::abandon_policies() {
  scheduler_ = make_scheduler({"blocking"});
  allocator_ = make_allocator({"first-fit", 0});
  estimator_ = make_estimator("requested");
  order_ = {};
  data_.clear();
}

/// Keys that change are worked out anew; not while no job could start, whatever its place.
void JobLife::sort_queue() {
  std::array<Slot, JobExpression::batch> slots{};
  std::array<double, JobExpression::batch> keys{};
  queue_.update([&](std::span<WaitingJob> entries) {
    for (std::size_t i = 0; i < entries.size(); ++i) slots[i] = entries[i].slot;
    order_->keys(*this, {slots.data(), entries.size()}, keys.data());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i].key = keys[i];
      jobs_[slots[i]].key = keys[i];
    }
  });
}

void JobLife::sort_queue_to_look() {
  if (!scheduler_->ranks_jobs()) return;
  try {
    for (std::size_t block = 0; block < queue_.blocks(); ++block) {
      for (const WaitingJob& job : queue_.entries(block)) static_cast<void>(key_of(job.slot));
    }
  } catch (const SimulationError&) {
    return;  // the next decision will say so
  }
  sort_queue();
}

bool JobLife::anything_may_fit() const {
  for (std::size_t block = 0; block < queue_.blocks(); block += WaitingQueue::blocks_per_group) {
    const WaitingSummary& jobs = queue_.group_summary(block / WaitingQueue::blocks_per_group);
    if (jobs.smallest <= machine_.free_processors()) return true;
  }
  return false;
}

double JobLife::key_of(Slot slot) const { return order_ ? order_->key(*this, slot) : 0.0; }

}  // namespace schedlab
