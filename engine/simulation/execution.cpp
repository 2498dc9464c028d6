// How a simulation runs jobs on a platform: on sockets, which say when tasks end, rather than for a time known before.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

/// What of a platform is published, beside additional data, by these names and in this order.
std::vector<std::string> platform_numbers(const PlatformSpec& spec, const PowerConditions& conditions) {
  std::vector<std::string> names{"clock", "speed"};
  if (!spec.power) return names;
  names.emplace_back("power");
  if (PowerCaps::of_machine(conditions.caps)) names.emplace_back("cap");
  if (!conditions.price.empty()) names.emplace_back("price");
  if (!conditions.carbon.empty()) names.emplace_back("carbon");
  if (conditions.switch_off.exists) names.emplace_back("nodes_off");
  if (conditions.thermal.exists) names.insert(names.end(), {"hottest", "mean_temperature", "cooling", "throttled"});
  return names;
}

std::vector<std::string> platform_tables(const PowerConditions& conditions) {
  if (!conditions.thermal.exists) return {};
  return {"temperature"};  // by node
}

void Simulation::publish_platform() {
  const Platform& platform = *platform_;
  std::size_t place = 0;
  const auto publish = [&](double value) { options_.data.set_number(place++, std::isnan(value) ? 0.0 : value); };
  publish(platform.sockets().mean_clock());
  publish(platform.sockets().mean_speed());
  if (!platform.spec().power) return;
  const PowerConditions& conditions = platform.conditions();
  publish(platform.watts());
  if (platform.caps().of_machine()) publish(platform.caps().watts(now_));
  if (!conditions.price.empty()) publish(conditions.price.at(now_));
  if (!conditions.carbon.empty()) publish(conditions.carbon.at(now_));
  if (conditions.switch_off.exists) publish(static_cast<double>(platform.states().resting()));
  if (!conditions.thermal.exists) return;
  const Thermal& thermal = platform.thermal();
  publish(thermal.hottest());
  publish(thermal.mean());
  publish(platform.cooling_watts());
  publish(thermal.throttled());
  if (thermal.last_update() != now_) return;
  DataBoard::Table& temperatures = options_.data.change_table(0);
  for (std::uint32_t node = 0; node < thermal.nodes(); ++node) temperatures[node] = thermal.node(node).degrees;
}

namespace {

/// SWF writes -1 for what is missing.
double at_least_zero(double given) { return given > 0.0 ? given : 0.0; }

}  // namespace

/// A job with instructions runs, on a platform, as long as they take: alone, on the first type of processors.
void Simulation::take_alone_time() {
  const auto& names = source_->attribute_names();
  const auto value = [&](std::string_view name) {
    const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    return place < arrival_.attributes.size() ? at_least_zero(arrival_.attributes[place]) : 0.0;
  };
  const Work work{value("instructions"), value("ipc"), 0.0, arrival_.run};
  if (work.instructions == 0.0 || work.ipc == 0.0) return;
  const double alone = std::ceil(work.alone(platform_->spec().processors.front()));
  if (!(alone < 9.0e18)) {
    throw InputError("job " + std::to_string(arrival_.id) + " would run for more than 292 years");
  }
  arrival_.run = static_cast<Time>(alone);
}

Work Simulation::work_of(Slot slot) const {
  const Job& job = jobs_[slot];
  Work work{0.0, 0.0, 0.0, outages_ ? job.work + job.kept : job.run};
  if (jobs_.attribute_names().empty()) return work;
  work.instructions = at_least_zero(jobs_.attribute(slot, "instructions"));
  work.ipc = at_least_zero(jobs_.attribute(slot, "ipc"));
  work.memory_volume = at_least_zero(jobs_.attribute(slot, "memory_volume"));
  if (work.ipc == 0.0) work.instructions = 0.0;
  return work;
}

/// The job has its nodes; its tasks begin when all of them are on.
void Simulation::start_on_platform(Slot slot) {
  Job& job = jobs_[slot];
  job.end = never;
  job.start = platform_->hold(slot, job, jobs_.amounts(slot), now_);
  if (job.start == now_) {
    run_on_platform(slot);
  } else {
    const std::uint64_t rank = Event::rank_of(0, EventKind::begin, ++event_sequence_);
    events_.push({job.start, rank, slot, job.end_version});
  }
  if (!platform_->caps().empty()) settle_platform();  // the next start must know
}

void Simulation::run_on_platform(Slot slot) {
  Job& job = jobs_[slot];
  // An attempt may have less to do, because of what earlier ones kept, and more, because it writes checkpoints.
  const Time whole = outages_ ? job.work + job.kept : job.run;
  const double part = whole == job.run || whole == 0 ? 1.0 : static_cast<double>(job.run) / static_cast<double>(whole);
  platform_->run(slot, work_of(slot), now_, [part](double alone) { return alone * part; });
  if (!options_.enforce_limits || job.limit == never) return;
  job.end = later(now_, job.limit);
  const std::uint32_t round = job.end == now_ && !options_.event_by_event ? round_ + 1 : 0;
  events_.push({job.end, Event::rank_of(round, EventKind::job_end, ++event_sequence_), slot, job.end_version});
}

void Simulation::leave_sockets(Slot slot) {
  Job& job = jobs_[slot];
  job.work_left = platform_->sockets().has_ended(slot) ? 0.0 : static_cast<double>(second);
  platform_->release(slot, job, now_);
}

/// Tasks on a socket end; jobs whose last ones they are end at this time.
void Simulation::end_tasks(std::uint32_t socket) {
  ended_now_.clear();
  platform_->finish_due(socket, now_, ended_now_);
  for (const Slot slot : ended_now_) {
    Job& job = jobs_[slot];
    if (job.end != never) ++moved_ends_;  // the limit, which was not reached
    ++job.end_version;
    job.end = now_;
    const std::uint64_t rank = Event::rank_of(round_, EventKind::job_end, ++event_sequence_);
    events_.push({now_, rank, slot, job.end_version});
  }
}

/// Speeds and power follow what changed; the next ends of tasks become events.
void Simulation::settle_platform() {
  if (!platform_->ended_states().empty()) record_states();
  for (const Sockets::Due& due : platform_->settle(now_)) {
    if (due.replaces) ++moved_ends_;
    if (due.time == never) continue;
    const std::uint32_t round = due.time == now_ && !options_.event_by_event ? round_ + 1 : 0;
    events_.push({due.time, Event::rank_of(round, EventKind::execution, ++event_sequence_), due.socket, due.version});
  }
}

/// Times that nodes spent in other states than on; those that are down are told of by outages.
void Simulation::record_states() {
  for (const StateInterval& interval : platform_->ended_states()) {
    if (!state_recorder_ || interval.state == NodeState::down) continue;
    state_recorder_->record(interval.node, name_of(interval.state), interval.start, interval.end);
  }
  platform_->ended_states().clear();
}

void Simulation::set_step(std::uint32_t node, std::uint32_t step) {
  platform_->set_step(node, step, now_);
  settle_platform();
}

bool Simulation::rest(std::uint32_t node, bool sleeping) {
  const bool done = platform_->rest(node, sleeping ? NodeState::sleeping : NodeState::off, now_);
  settle_platform();
  return done;
}

void Simulation::wake(std::uint32_t node) {
  platform_->wake(node, now_);
  settle_platform();
}

}  // namespace schedlab
