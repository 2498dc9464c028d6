// What models of execution and the simulation say to each other, once jobs run.
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "simulation/job_life.hpp"

namespace schedlab {

/// The jobs in `ended_` end at this time by themselves, whatever was planned for them.
void JobLife::end_by_themselves(Time time) {
  for (const Slot slot : ended_) {
    Job& job = jobs_[slot];
    if (job.end != never) events_.count_void();  // the limit, which was not reached
    ++job.end_version;
    job.end = time;
    events_.push(time, round_, EventKind::job_end, slot, job.end_version);
  }
}

void JobLife::handle_due(std::uint32_t place) {
  ended_.clear();
  executions_.handle(place, now_, ended_);
  end_by_themselves(now_);
}

/// Models of execution work out what changed; what is due next there becomes events.
void JobLife::settle() {
  record_ended_states();
  for (const ExecutionDue& due : executions_.settle(now_)) {
    if (due.replaces) events_.count_void();
    if (due.time != never) events_.push(due.time, round_of(due.time), EventKind::execution, due.place, due.version);
  }
}

/// Times that nodes spent in other states than on; those that are down are reported by outages.
void JobLife::record_states(const std::vector<StateInterval>& intervals) const {
  for (const StateInterval& interval : intervals) {
    if (!state_recorder_ || interval.state == NodeState::down) continue;
    state_recorder_->record(interval.node, name_of(interval.state), interval.start, interval.end);
  }
}

void JobLife::set_step(std::uint32_t node, std::uint32_t step) {
  executions_.platform()->set_step(node, step, now_);
  settle();
}

bool JobLife::rest(std::uint32_t node, bool sleeping) {
  const bool done = executions_.platform()->rest(node, sleeping ? NodeState::sleeping : NodeState::off, now_);
  settle();
  return done;
}

void JobLife::wake(std::uint32_t node) {
  executions_.platform()->wake(node, now_);
  settle();
}

void JobLife::change_speed(std::int64_t job_id, double speed) {
  if (!(speed >= 0.0) || std::isinf(speed)) throw InputError("a speed must be a number from 0 up");
  if (executions_.applications() != nullptr) {
    throw SimulationError("jobs with applications go as fast as these; speeds cannot be set");
  }
  if (executions_.platform() != nullptr) {
    throw SimulationError("on a platform, speeds follow from what shares a socket; they cannot be set");
  }
  for (Slot slot = 0; slot < jobs_.slots(); ++slot) {
    Job& job = jobs_[slot];
    if (job.id != job_id || job.state != JobState::running || job.outage || slot == ending_) continue;
    const Time done = RecordedTimes::end_at_speed(job, speed, now_);
    if (speed > 0.0 && done == never) {
      throw InputError("at this speed job " + std::to_string(job_id) + " would not end within 292 years");
    }
    if (job.end != never) events_.count_void();
    job.speed = speed;
    ++job.end_version;
    const Time limit = options_.enforce_limits ? later(job.start, job.limit) : never;
    plan_end(slot, std::min(done, limit));
    return;
  }
  throw SimulationError("job " + std::to_string(job_id) + " is not running at " + std::to_string(in_seconds(now_)) +
                        " s");
}

bool JobLife::is_void(const Event& event) const {
  if (event.kind() == EventKind::execution) return executions_.is_void(event.slot, event.version);
  const bool of_job = event.kind() == EventKind::job_end || event.kind() == EventKind::begin;
  return of_job && event.version != jobs_[event.slot].end_version;
}

}  // namespace schedlab
