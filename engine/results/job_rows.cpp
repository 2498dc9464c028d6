#include "results/job_rows.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/digits.hpp"
#include "jobs/metrics.hpp"

namespace schedlab {

char* put_nodes(char* at, const Placement& placement) {
  for (const NodeRun& run : placement) {
    if (&run != placement.data()) *at++ = ' ';
    at = put(at, run.first);
    if (run.count > 1) {
      *at++ = '-';
      at = put(at, run.first + run.count - 1);
    }
    if (run.tasks > 1) {
      *at++ = '*';
      at = put(at, run.tasks);
    }
  }
  return at;
}

namespace {

/// Why a job that did not complete left as it did; empty where its state says it.
std::string_view reason_of(const Job& job) {
  if (job.state == JobState::rejected) return name_of(job.rejection);
  return job.cancelled ? cancelled_name : "";
}

}  // namespace

JobRows::JobRows(std::vector<std::string> resource_types) : types_(std::move(resource_types)) {
  for (const std::string& type : types_) amounts_ += type.size() + 24;
}

char* JobRows::put_amounts(char* at, const Job& job, const Amount* amounts) const {
  if (job.whole_nodes) return put_text(at, "whole");
  const char* begin = at;
  for (std::size_t type = 0; type < types_.size(); ++type) {
    if (amounts[type] == 0) continue;
    if (at != begin) *at++ = ' ';
    at = put_text(at, types_[type]);
    *at++ = '=';
    at = put_signed(at, amounts[type]);
  }
  return at;
}

char* JobRows::put(char* at, const Job& job, const Amount* amounts, std::span<const double> attributes) const {
  at = put_signed(at, job.id);
  *at++ = ',';
  at = put_signed(at, job.user);
  *at++ = ',';
  at = put_time(at, job.submit);
  *at++ = ',';
  const bool started = job.state >= JobState::running && job.state != JobState::rejected;
  const bool ended = started && job.state != JobState::running;
  if (started) at = put_time(at, job.start);
  *at++ = ',';
  if (ended) at = put_time(at, job.end);
  *at++ = ',';
  const std::string_view state = name_of(job.state);
  std::memcpy(at, state.data(), longest_state_name);  // of one length, which the compiler knows
  at += state.size();
  *at++ = ',';
  at = schedlab::put(at, job.tasks);
  *at++ = ',';
  at = put_time(at, job.estimate);
  *at++ = ',';
  if (started) at = put_nodes(at, job.placement);
  *at++ = ',';
  const Time wait = job.start - job.submit;
  const Time length = job.end - job.start;
  if (started) at = put_time(at, wait);
  *at++ = ',';
  if (ended && length > 0) at = put_ratio(at, slowdown_of(wait, length));
  *at++ = ',';
  if (ended) at = put_ratio(at, bounded_slowdown_of(wait, length));
  *at++ = ',';
  if (!job.plain) at = put_amounts(at, job, amounts);
  *at++ = ',';
  if (job.state > JobState::completed) at = put_text(at, reason_of(job));
  for (const double value : attributes) {
    *at++ = ',';
    if (!std::isnan(value)) at = std::to_chars(at, at + 31, value).ptr;
  }
  *at++ = '\n';
  return at;
}

std::string jobs_in_flight(const State& state, std::size_t most_queued) {
  const JobRows rows(state.machine().spec().types);
  const JobTable& jobs = state.jobs();
  std::string text(JobRows::columns);
  text += '\n';
  const auto add = [&](Slot slot) {
    const Job& job = jobs[slot];
    const std::size_t begin = text.size();
    text.resize(begin + rows.longest(job, 0));
    const char* end = rows.put(text.data() + begin, job, jobs.amounts(slot), {});
    text.resize(static_cast<std::size_t>(end - text.data()));
  };
  for (Slot slot = 0; slot < jobs.slots(); ++slot) {
    if (jobs[slot].state == JobState::running && !jobs[slot].outage) add(slot);
  }
  const WaitingQueue& queue = state.queue();
  for (std::size_t block = 0; block < queue.blocks() && most_queued > 0; ++block) {
    for (const WaitingJob& job : queue.entries(block)) {
      if (most_queued == 0) break;
      add(job.slot);
      --most_queued;
    }
  }
  return text;
}

}  // namespace schedlab
