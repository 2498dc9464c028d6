// Attempts of jobs that end early, because a node of them failed or because the scheduler says so.
#include <algorithm>
#include <optional>
#include <string>

#include "base/errors.hpp"
#include "simulation/job_life.hpp"

namespace schedlab {

namespace {

constexpr std::uint32_t most_interruptions = 10'000;  // of one job

}  // namespace

/// An attempt ended by itself, or at its limit. The job still has its nodes.
void JobLife::account_end(Slot slot) {
  const Job& job = jobs_[slot];
  outages_->account_end(job, machine_.nodes_held(job, jobs_.amounts(slot)), executions_.work_done(slot, jobs_, now_),
                        now_);
}

/// Ends an attempt now. The job has left its nodes then, and is still called running. Returns the work that is kept.
Time JobLife::interrupt(Slot slot, EndedBy by, std::optional<std::uint32_t> failed_node) {
  Job& job = jobs_[slot];
  const bool waits_for_nodes = !executions_.has_begun(slot);  // which are waking for it
  if (job.end != never || waits_for_nodes) events_.count_void();
  ++job.end_version;
  job.end = now_;
  const Time time = std::max<Time>(0, job.end - job.start);
  const Time done = waits_for_nodes ? 0 : executions_.work_done(slot, jobs_, now_);
  const double nodes = machine_.nodes_held(job, jobs_.amounts(slot));
  stop(slot);
  job.start = std::min(job.start, now_);
  const InterruptedAttempt attempt = outages_->account_interruption(job, nodes, time, done, by, now_);
  if (interruption_recorder_) {
    interruption_recorder_->record({job, job.interruptions, failed_node, attempt.kept, attempt.lost});
  }
  return attempt.kept;
}

/// The job, which lost its nodes, will be tried again: it may join the queue.
void JobLife::try_again(Slot slot, Time kept) {
  Job& job = jobs_[slot];
  if (job.interruptions >= most_interruptions) {
    throw SimulationError("job " + std::to_string(job.id) + " was interrupted " + std::to_string(most_interruptions) +
                          " times and would never end; let jobs write checkpoints (resubmission.from = "
                          "\"checkpoint\"), or limit their attempts (resubmission.limit)");
  }
  if (kept > 0) outages_->resume_later(job);
  job.placement.clear();
  jobs_.move(slot, JobState::failed, now_);
}

/// The job, which lost its nodes, is not tried again.
void JobLife::leave_early(Slot slot, JobState state) {
  Job& job = jobs_[slot];
  outages_->lose_kept(job);
  metrics_.add(job.start - job.submit, job.end - job.start);
  leave(slot, state);
}

/// A node of the job failed; false where it is given up, else it is to join the queue again.
bool JobLife::fail(Slot slot, std::uint32_t node) {
  const Time kept = interrupt(slot, EndedBy::failure, node);
  if (outages_->gives_up(jobs_[slot])) {
    ++outages_->counts.given_up;
    leave_early(slot, JobState::failed);
    return false;
  }
  try_again(slot, kept);
  return true;
}

void JobLife::requeue(Slot slot, bool gives_way) {
  const Time kept = interrupt(slot, EndedBy::requeue, std::nullopt);
  if (!gives_way) outages_->refuse_vain_requeue(jobs_[slot], now_);
  try_again(slot, kept);
  enqueue(slot);
  if (power_capped()) settle();  // the next start must know
}

void JobLife::cancel(Slot slot) {
  interrupt(slot, EndedBy::cancel, std::nullopt);
  jobs_[slot].cancelled = true;
  leave_early(slot, JobState::killed);
  if (power_capped()) settle();
}

}  // namespace schedlab
