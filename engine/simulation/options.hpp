// What a simulation is given, beside a machine and jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/cloned.hpp"
#include "dispatch/additional_data.hpp"
#include "dispatch/allocators/allocator.hpp"
#include "dispatch/job_expression.hpp"
#include "dispatch/orders.hpp"
#include "dispatch/preemption.hpp"
#include "dispatch/queue_rules.hpp"
#include "dispatch/schedulers/scheduler.hpp"
#include "execution/failures/failures.hpp"
#include "execution/network/ranks/applications.hpp"
#include "execution/network/topology/topology.hpp"
#include "execution/platform/platform.hpp"
#include "machine/licenses.hpp"
#include "machine/node_needs.hpp"
#include "machine/partitions.hpp"
#include "machine/windows.hpp"

namespace schedlab {

/// The parts that decide.
struct Dispatcher {
  Discipline discipline;        // of a built-in scheduler
  Cloned<Scheduler> scheduler;  // where it is another one
  Cloned<JobOrder> order;       // of the queue; null: that in which jobs join it
  Cloned<Allocator> allocator;
  std::optional<SocketOrder> sockets;  // instead of the allocator's own
};

struct SimulationOptions {
  bool enforce_limits = false;
  bool event_by_event = false;     // a dispatcher call after every single event, arrivals before ends (PySS)
  bool dependencies = false;       // jobs are held until their predecessors ended
  bool refuse_impossible = false;  // a job that can never start ends the simulation, rather than being rejected
  Windows windows;
  std::vector<JobExpression> window_rules;  // which jobs are admitted
  QueueRules queues;
  Partitions partitions;
  PreemptionRules preemption;              // of queues or partitions
  Cloned<PartitionLists> partition_lists;  // null where the system has no partitions
  Cloned<NodeNeeds> needs;                 // null where nodes have no features
  Cloned<LicenseTexts> licenses;           // null where the system has none
  std::size_t license_numbers = 0;         // where on the board their use is published, one after the other
  std::optional<PlatformSpec> platform;
  PowerConditions power;
  DataBoard data;
  std::vector<Cloned<AdditionalData>> additional_data;
  std::optional<FailureSpec> failures;
  std::shared_ptr<const Topology> topology;      // null where the system has no network
  Cloned<ApplicationRuns> applications;          // that jobs run on it
  Applications::Mapping mapping;                 // of their ranks to nodes, where it is not by number
  bool ignore_applications = false;              // jobs that name one take their recorded time
  std::optional<std::size_t> nodes_down_number;  // where on the board it is published, if at all
};

}  // namespace schedlab
