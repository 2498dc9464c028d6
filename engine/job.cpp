#include "job.hpp"

#include <string>

#include "errors.hpp"

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

Slot JobTable::add() {
  if (spare_.empty()) {
    jobs_.emplace_back();
    amounts_.resize(amounts_.size() + types_);
    return static_cast<Slot>(jobs_.size() - 1);
  }
  const Slot slot = spare_.back();
  spare_.pop_back();
  return slot;
}

void JobTable::recycle(Slot slot) {
  Job& job = jobs_[slot];
  job.placement.clear();  // keeps its memory for the next job here
  job.state = JobState::loaded;
  ++job.end_version;
  spare_.push_back(slot);
}

void JobTable::refuse(const Job& job, JobState to, Time now) const {
  throw SimulationError("job " + std::to_string(job.id) + " cannot go from " + std::string(name_of(job.state)) +
                        " to " + std::string(name_of(to)) + " at time " + std::to_string(in_seconds(now)) + " s");
}

}  // namespace schedlab
