// What policies may see of a simulation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/data_board.hpp"
#include "base/time.hpp"
#include "jobs/job.hpp"
#include "jobs/waiting.hpp"
#include "machine/machine.hpp"
#include "machine/windows.hpp"

namespace schedlab {

class ApplicationRuns;
class Platform;

class State {
 public:
  State() = default;
  State(const State&) = default;
  State& operator=(const State&) = delete;
  virtual ~State() = default;

  [[nodiscard]] virtual Time now() const = 0;
  [[nodiscard]] virtual const Machine& machine() const = 0;
  [[nodiscard]] virtual const WaitingQueue& queue() const = 0;
  /// Tasks of all waiting jobs.
  [[nodiscard]] virtual std::uint64_t queued_tasks() const = 0;
  /// By expected end; with them the outages that hold nodes that are down.
  [[nodiscard]] virtual const RunningJobs& running() const = 0;
  [[nodiscard]] virtual std::uint64_t running_jobs() const = 0;
  /// Nodes that failed and are not repaired; each is held by an outage among `running()`.
  [[nodiscard]] virtual std::uint32_t nodes_down() const = 0;
  /// When the node was repaired last, or the simulation began; `never` while it is down.
  [[nodiscard]] virtual Time up_since(std::uint32_t node) const = 0;
  /// Whether counts of processors suffice to plan: no job has asked for anything else so far, and there are no windows.
  [[nodiscard]] virtual bool plans_on_counts() const = 0;
  [[nodiscard]] virtual const JobTable& jobs() const = 0;
  [[nodiscard]] virtual const Windows& windows() const = 0;
  [[nodiscard]] virtual const DataBoard& data() const = 0;
  /// Null where the machine is known by its nodes alone.
  [[nodiscard]] virtual const Platform* platform() const = 0;
  /// Null where jobs do not run applications.
  [[nodiscard]] virtual const ApplicationRuns* applications() const = 0;
};

}  // namespace schedlab
