// What a simulation is made of: its parts put together, replaced in the middle of everything, and copied.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "simulation/simulation.hpp"

namespace schedlab {

JobLife::JobLife(MachineSpec machine, Cloned<JobSource> source, Cloned<Estimator> estimator, SimulationOptions options)
    : options_(std::move(options)),
      machine_(std::move(machine)),
      jobs_(machine_.types()),
      arrivals_(std::move(source)),
      data_(std::move(options_.data), std::move(options_.additional_data)),
      estimator_(std::move(estimator)),
      busy_(machine_.types()),
      busy_licenses_(machine_.licenses().kinds()) {
  if (!options_.windows.empty()) options_.windows.divide(machine_.spec().groups);
  const std::vector<std::string>& names = this->source().attribute_names();
  const auto any = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  const bool needs = (options_.needs && any("needs")) || (options_.licenses && any("licenses"));
  const bool sets = options_.partitions.find_sets(machine_.node_sets());
  on_nodes_ = this->source().may_ask_beyond_processors() || !options_.windows.empty() || sets || needs;
  attributes_ =
      this->source().may_add_attributes() || !this->source().attribute_names().empty() || !options_.partitions.empty();
  admission_ =
      !options_.window_rules.empty() || !options_.queues.empty() || !options_.partitions.empty() || options_.licenses;
  if (options_.failures) outages_ = std::make_unique<Outages>(*options_.failures, machine_.nodes(), machine_.types());
  if (options_.platform) {
    const auto core = std::find(machine_.spec().types.begin(), machine_.spec().types.end(), "core");
    executions_.set_platform(std::make_unique<Platform>(*options_.platform, machine_, options_.power,
                                                        static_cast<std::size_t>(core - machine_.spec().types.begin()),
                                                        nodes_fail()));
  }
  if (options_.applications) {
    executions_.set_applications(
        std::make_unique<Applications>(std::move(options_.applications), std::move(options_.mapping)));
  }
  always_keeps_running_ = !data_.empty() || outages_;
}

Simulation::Simulation(MachineSpec machine, Cloned<JobSource> source, Dispatcher dispatcher,
                       Cloned<Estimator> estimator, SimulationOptions options)
    : JobLife(std::move(machine), std::move(source), std::move(estimator), std::move(options)),
      used_(machine_.types()) {
  set_dispatcher(std::move(dispatcher));
  arrivals_.read_next();
  if (outages_) outages_->begin(arrivals_.first());
  find_sources();
}

void Simulation::find_sources() {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if ((this->*sources[i].exists)()) active_sources_ |= 1U << i;
  }
}

void Simulation::set_dispatcher(Dispatcher dispatcher) {
  require_idle("get another dispatcher");
  take_dispatcher(std::move(dispatcher));
}

void Simulation::set_speed(std::int64_t job_id, double speed) {
  if (activity_ != Activity::step) require_idle("change the speed of a job");  // its policies may
  change_speed(job_id, speed);
}

void Simulation::abandon() {
  activity_ = Activity::broken;
  abandon_policies();
}

void Simulation::require_idle(const char* what) const {
  if (activity_ == Activity::none) return;
  throw SimulationError("a simulation cannot " + std::string(what) +
                        (activity_ == Activity::broken ? " after an error"
                         : activity_ == Activity::look ? " while it is looked at"
                                                       : " from within one of its own policies"));
}

Simulation Simulation::fork() const {
  require_idle("be forked");
  Simulation copy(*this);
  copy.job_recorder_.reset();
  copy.state_recorder_.reset();
  copy.interruption_recorder_.reset();
  copy.timeline_.record_to(nullptr);
  return copy;
}

}  // namespace schedlab
