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

constexpr std::uint8_t bit(JobState state) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(state)); }

/// For each state the set of states that may follow.
constexpr std::array<std::uint8_t, job_states> followers = {
    bit(JobState::held) | bit(JobState::queued) | bit(JobState::rejected),     // loaded
    bit(JobState::queued) | bit(JobState::rejected),                           // held
    bit(JobState::running) | bit(JobState::rejected),                          // queued
    bit(JobState::completed) | bit(JobState::killed) | bit(JobState::failed),  // running
    0,
    0,
    0,
    0,
};

}  // namespace

std::string_view name_of(JobState state) {
  const PaddedName& name = names[static_cast<std::size_t>(state)];
  return {name.text.data(), name.size};
}

bool legal(JobState from, JobState to) { return (followers[static_cast<std::size_t>(from)] & bit(to)) != 0; }

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

void JobTable::move(Slot slot, JobState to, Time now) {
  Job& job = jobs_[slot];
  if (!legal(job.state, to)) refuse(job, to, now);
  job.state = to;
}

void JobTable::refuse(const Job& job, JobState to, Time now) const {
  throw SimulationError("job " + std::to_string(job.id) + " cannot go from " + std::string(name_of(job.state)) +
                        " to " + std::string(name_of(to)) + " at time " + std::to_string(in_seconds(now)) + " s");
}

}  // namespace schedlab
