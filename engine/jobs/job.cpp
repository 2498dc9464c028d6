#include "jobs/job.hpp"

#include <cmath>
#include <string>

#include "base/errors.hpp"

namespace schedlab {

namespace {

struct PaddedName {
  std::array<char, longest_state_name + 1> text;
  std::size_t size;
};
constexpr std::array<PaddedName, job_states> names = {{{{"loaded"}, 6},
                                                       {{"held"}, 4},
                                                       {{"queued"}, 6},
                                                       {{"running"}, 7},
                                                       {{"completed"}, 9},
                                                       {{"killed"}, 6},
                                                       {{"failed"}, 6},
                                                       {{"rejected"}, 8}}};

}  // namespace

std::string_view name_of(JobState state) {
  const PaddedName& name = names[static_cast<std::size_t>(state)];
  return {name.text.data(), name.size};
}

Slot JobTable::grow() {
  jobs_.emplace_back();
  amounts_.resize(amounts_.size() + types_);
  attributes_.resize(attributes_.size() + attribute_names_.size());
  return static_cast<Slot>(jobs_.size() - 1);
}

void JobTable::set_attribute_names(const std::vector<std::string>& all) {
  std::vector<double> moved(jobs_.size() * all.size(), std::nan(""));
  for (std::size_t slot = 0; slot < jobs_.size(); ++slot) {
    const std::size_t known = attribute_names_.size();
    std::copy_n(attributes_.begin() + static_cast<std::ptrdiff_t>(slot * known), known,
                moved.begin() + static_cast<std::ptrdiff_t>(slot * all.size()));
  }
  attributes_ = std::move(moved);
  attribute_names_ = all;
}

double JobTable::attribute(Slot slot, std::string_view name) const {
  const auto found = std::find(attribute_names_.begin(), attribute_names_.end(), name);
  if (found == attribute_names_.end()) return std::nan("");
  return attribute(slot, static_cast<std::size_t>(found - attribute_names_.begin()));
}

void JobTable::set_attributes(Slot slot, std::span<const double> values) {
  // The job that was read last when a state was saved has names in the source alone.
  Archive::require(values.size() <= attribute_names_.size(), "a job has too many attributes");
  const auto first = attributes_.begin() + static_cast<std::ptrdiff_t>(slot * attribute_names_.size());
  const auto rest = std::copy(values.begin(), values.end(), first);
  std::fill(rest, first + static_cast<std::ptrdiff_t>(attribute_names_.size()), std::nan(""));
}

void JobTable::recycle(Slot slot) {
  Job& job = jobs_[slot];
  job.placement.clear();  // keeps its memory for the next job here
  ++job.end_version;
  spare_.push_back(slot);
}

void JobTable::refuse(const Job& job, JobState to, Time now) const {
  throw SimulationError("job " + std::to_string(job.id) + " cannot go from " + std::string(name_of(job.state)) +
                        " to " + std::string(name_of(to)) + " at time " + std::to_string(in_seconds(now)) + " s");
}

void check_saved(const Placement& placement, std::uint32_t nodes) {
  std::uint32_t next = 0;
  for (const NodeRun& run : placement) {
    const bool sound =
        run.count > 0 && run.tasks > 0 && run.first >= next && run.first < nodes && run.count <= nodes - run.first;
    Archive::require(sound, "a job is not on nodes of the machine");
    next = run.first + run.count;
  }
}

void JobTable::check_saved(std::uint32_t nodes) const {
  Archive::require(amounts_.size() == jobs_.size() * types_, "amounts of jobs are missing");
  Archive::require(attributes_.size() == jobs_.size() * attribute_names_.size(), "attributes of jobs are missing");
  for (const Job& job : jobs_) {
    Archive::require(static_cast<std::size_t>(job.state) < job_states, "a job is in an unknown state");
    const bool in_time = is_time(job.submit) && is_time(job.start) && is_time(job.end) && is_time(job.release) &&
                         is_time(job.worked_until);
    Archive::require(in_time, "a job is of a time before all time");
    schedlab::check_saved(job.placement, nodes);
  }
  for (const Amount amount : amounts_) Archive::require(amount >= 0, "an amount is negative");
  std::vector<bool> spare(jobs_.size());
  for (const Slot slot : spare_) {
    Archive::require(slot < jobs_.size() && !spare[slot], "a place for jobs is spare twice");
    spare[slot] = true;
    const JobState state = jobs_[slot].state;
    const bool in_flight = state == JobState::held || state == JobState::queued || state == JobState::running;
    Archive::require(!in_flight, "a job is in flight in a spare place");
  }
}

}  // namespace schedlab
