// Applications that run on the nodes of jobs, in one clock: what a simulation needs to know of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "execution/network/ranks/program.hpp"
#include "execution/network/topology/ticks.hpp"
#include "execution/network/transport/job_traffic.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// Nodes, ascending, and how fast cores compute there, against alone at their nominal clock.
using NodeSpeeds = std::vector<std::pair<std::uint32_t, double>>;

/// The ranks of all jobs, by a model of some fidelity.
class ApplicationRuns {
 public:
  ApplicationRuns() = default;
  ApplicationRuns(const ApplicationRuns&) = default;
  ApplicationRuns& operator=(const ApplicationRuns&) = delete;
  virtual ~ApplicationRuns() = default;

  /// Throws InputError where the job's application cannot run.
  virtual void check(const JobApplication& job) = 0;
  /// A job begins: rank i runs on `nodes[i]`.
  virtual void start(Slot slot, const JobApplication& job, std::vector<std::uint32_t> nodes, Time now) = 0;
  /// The job is killed, or a node of it failed.
  virtual void stop(Slot slot, Time now) = 0;
  /// Works up to `until` at most, and no further than to the first time at which a job ends: those jobs are appended to
  /// `ended`. Returns the time that was reached, or none where `budget` (in handled events) was used up before.
  virtual std::optional<Time> advance(Time until, std::uint64_t& budget, std::vector<Slot>& ended) = 0;

  /// From now on the ranks of a job that runs compute at these speeds, one for each of its nodes; at speed 1 before.
  virtual void set_speeds(Slot slot, const NodeSpeeds& speeds, Time now) = 0;
  /// Whether a job that was started has ended by itself.
  [[nodiscard]] virtual bool has_ended(Slot slot) const = 0;

  /// Of a job that runs, or has ended and was not yet forgotten.
  [[nodiscard]] virtual JobTraffic traffic(Slot slot) = 0;
  /// Why a job that ended did so before its time, where errors of applications fail jobs; else empty.
  [[nodiscard]] virtual std::string failure(Slot slot) const = 0;
  virtual void forget(Slot slot) = 0;
  /// Whether a job in this place runs, or has run, an application.
  [[nodiscard]] virtual bool knows(Slot slot) const = 0;
  /// When each rank of the job that ended last did so, in ticks from its start; empty where ranks are not known.
  [[nodiscard]] virtual const std::vector<Tick>& last_rank_ends() const = 0;
  /// What was handled so far.
  [[nodiscard]] virtual std::uint64_t events() const = 0;
  /// Bytes that each link carried up to now.
  [[nodiscard]] virtual std::vector<double> carried(Time now) const = 0;

  [[nodiscard]] virtual std::unique_ptr<ApplicationRuns> clone() const = 0;
  virtual void archive(Archive& archive) = 0;
};

}  // namespace schedlab
