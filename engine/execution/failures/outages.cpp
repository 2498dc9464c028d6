#include "execution/failures/outages.hpp"

#include <cmath>
#include <string>

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// The part of a time that goes with a part of the work, where that was not done at speed 1.
Time share_of(Time time, Time part, Time whole) {
  if (time == whole || whole <= 0) return whole <= 0 ? time : part;
  return std::llround(static_cast<double>(time) * (static_cast<double>(part) / static_cast<double>(whole)));
}

}  // namespace

void Outages::begin(Time first_submit) {
  clock.begin(first_submit);
  counted_until = first_submit;
  std::fill(up_since.begin(), up_since.end(), first_submit);
}

double Outages::count_down(Time now) {
  if (down > 0) down_seconds += static_cast<double>(down) * in_seconds(now - counted_until);
  counted_until = now;
  return down_seconds;
}

Time Outages::begin_attempts(Job& job, Time work) const {
  job.work = work;
  job.kept = job.lost = 0;
  job.kept_node_seconds = 0.0;
  return rule.length(work, false);
}

void Outages::account_end(const Job& job, double nodes, Time done, Time now) {
  const Time time = job.end - job.start;
  const AttemptParts parts = rule.at_end(job.work, job.kept > 0, done);
  const Time useful = share_of(time, parts.useful, done);
  seconds.useful += nodes * in_seconds(useful);
  seconds.checkpoint += nodes * in_seconds(time - useful);
  seconds.down = count_down(now);
}

InterruptedAttempt Outages::account_interruption(Job& job, double nodes, Time time, Time done, EndedBy by, Time now) {
  const AttemptParts parts = rule.at_failure(job.work, job.kept > 0, done);
  const Time kept_time = share_of(time, parts.useful, done);
  const Time overhead = parts.useful > 0 ? share_of(time, parts.overhead, done) : 0;
  const Time lost = time - kept_time - overhead;
  seconds.useful += nodes * in_seconds(kept_time);
  seconds.checkpoint += nodes * in_seconds(overhead);
  seconds.lost += nodes * in_seconds(lost);
  seconds.down = count_down(now);
  if (by == EndedBy::failure) {
    ++counts.interruptions;
    counts.interrupted_jobs += job.interruptions == job.requeues ? 1 : 0;
  } else if (by == EndedBy::requeue) {
    ++preemptions.requeued;
    preemptions.requeued_jobs += job.requeues == 0 ? 1 : 0;
    ++job.requeues;
  } else {
    ++preemptions.cancelled;
    ++job.requeues;
  }
  ++job.interruptions;
  job.lost += lost;
  job.kept += parts.useful;
  job.work -= parts.useful;
  job.kept_node_seconds += nodes * in_seconds(kept_time);
  return {parts.useful, lost};
}

void Outages::resume_later(Job& job) const {
  const Time length = rule.length(job.work, true);
  job.estimate = std::max(second, job.estimate - (job.run - length));  // by what the attempt is shorter
  job.run = length;
}

void Outages::lose_kept(Job& job) {
  seconds.useful -= job.kept_node_seconds;
  seconds.lost += job.kept_node_seconds;
  job.lost += job.kept;
}

void Outages::refuse_vain_requeue(const Job& job, Time now) {
  constexpr std::uint32_t most = 10'000;
  if (job.start < now) return;
  in_vain = in_vain_at == now ? in_vain + 1 : 1;
  in_vain_at = now;
  if (in_vain < most) return;
  throw SimulationError("jobs were started and requeued " + std::to_string(most) + " times at " +
                        std::to_string(in_seconds(now)) + " s, the last of them job " + std::to_string(job.id) +
                        ": a scheduler must not requeue what it starts at the same time for ever");
}

}  // namespace schedlab
