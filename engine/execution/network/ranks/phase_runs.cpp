#include "execution/network/ranks/phase_runs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "execution/network/ranks/message_runs.hpp"

namespace schedlab {

std::shared_ptr<const Pattern> Patterns::of(const Program& program, const JobApplication& job) {
  Key key{program.key(), job.ranks};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  auto pattern = std::make_shared<const Pattern>(pattern_of(program.once(), job, collectives_));
  if (pattern->of_one_job || key.program.empty()) return pattern;
  std::size_t flows = 0;
  for (const PatternPhase& phase : pattern->phases) flows += phase.flows.size();
  if (flows_ + flows > most_flows) {
    known_.clear();
    flows_ = 0;
  }
  flows_ += flows;
  known_.emplace(std::move(key), pattern);
  return pattern;
}

double Patterns::passes(const Program& program, double pass_seconds, const JobApplication& job) const {
  const double own = program.iterations();
  if (own > 0.0) return own;
  return pass_seconds > 0.0 ? std::max(1.0, std::round(job.run_seconds / pass_seconds)) : 1.0;
}

void PhaseRuns::start(Slot slot, const JobApplication& job, std::vector<std::uint32_t> nodes, Time now) {
  ++events_;
  forget(slot);  // an attempt of the same job that was interrupted
  try {
    const auto program = programs_->make(job);
    const auto pattern = patterns_.of(*program, job);
    auto load = model_.map(*pattern, nodes);
    const double passes = patterns_.passes(*program, load->alone_seconds, job);
    model_.start(slot, std::move(load), passes, now);
  } catch (const ApplicationError& error) {
    if (!errors_fail_jobs_) throw;
    failures_.emplace_back(slot, error.what());
    failed_.push_back(slot);
  }
}

void PhaseRuns::stop(Slot slot, Time now) {
  if (model_.runs(slot)) model_.stop(slot, now);
}

/// The slowest rank holds up the others at the end of each phase.
void PhaseRuns::set_speeds(Slot slot, const NodeSpeeds& speeds, Time now) {
  if (!model_.runs(slot)) return;
  const auto slowest = std::ranges::min_element(speeds, {}, [](const auto& entry) { return entry.second; });
  model_.set_compute_speed(slot, slowest->second, now);
}

std::optional<Time> PhaseRuns::advance(Time until, std::uint64_t& /*budget*/, std::vector<Slot>& ended) {
  if (!failed_.empty()) {  // before anything else happens
    ended.insert(ended.end(), failed_.begin(), failed_.end());
    failed_.clear();
    return 0;
  }
  const std::size_t before = ended.size();
  for (;;) {
    const Time next = model_.next_time();
    if (next > until || next == never) return until;
    ++events_;
    model_.advance(next, ended);
    if (ended.size() > before) return next;
  }
}

JobTraffic PhaseRuns::traffic(Slot slot) { return failure(slot).empty() ? model_.traffic(slot) : JobTraffic{}; }

std::string PhaseRuns::failure(Slot slot) const {
  for (const auto& [failed, text] : failures_) {
    if (failed == slot) return text;
  }
  return {};
}

void PhaseRuns::forget(Slot slot) {
  if (model_.is_over(slot)) model_.forget(slot);
  std::erase_if(failures_, [slot](const auto& entry) { return entry.first == slot; });
}

void PhaseRuns::archive(Archive& archive) { archive(model_, events_, failures_, failed_); }

}  // namespace schedlab
