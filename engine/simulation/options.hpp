// What a simulation is given, beside a machine and jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cloned.hpp"
#include "dispatch/additional_data.hpp"
#include "dispatch/allocators/allocator.hpp"
#include "dispatch/job_expression.hpp"
#include "dispatch/queue_rules.hpp"
#include "dispatch/schedulers/scheduler.hpp"
#include "execution/failures/failures.hpp"
#include "execution/network/ranks/application_runs.hpp"
#include "execution/network/topology/topology.hpp"
#include "execution/platform/platform.hpp"
#include "machine/windows.hpp"

namespace schedlab {

/// The parts that decide.
struct Dispatcher {
  Discipline discipline;         // of a built-in scheduler
  Cloned<Scheduler> scheduler;   // where it is another one
  Order order = Order::submit;   // of the queue,
  Cloned<JobOrder> other_order;  // unless there is this one
  Cloned<Allocator> allocator;
  std::optional<SocketOrder> sockets;  // instead of the allocator's own
};

struct SimulationOptions {
  bool enforce_limits = false;
  bool event_by_event = false;     // a dispatcher call after every single event, arrivals before ends (PySS)
  bool dependencies = false;       // jobs are held until their predecessors ended
  bool refuse_impossible = false;  // a job that can never start ends the simulation, rather than being rejected
  Windows windows;
  std::vector<JobExpression> window_rules;  // who is admitted
  QueueRules queues;
  std::optional<PlatformSpec> platform;
  PowerConditions power;
  DataBoard data;
  std::vector<Cloned<AdditionalData>> additional_data;
  std::optional<FailureSpec> failures;
  std::shared_ptr<const Topology> topology;  // null where the system has no network
  Cloned<ApplicationRuns> applications;      // that jobs run on it
  bool ignore_applications = false;          // jobs that name one take their recorded time
  /// Changes which rank of a job runs on which node, given a node for each rank, node after node filled.
  std::function<void(const Job&, std::vector<std::uint32_t>&)> mapping;
  std::size_t nodes_down_number = static_cast<std::size_t>(-1);  // where on the board it is published, if at all
};

/// Names of the numbers and tables that a platform publishes; they come first on the board.
std::vector<std::string> platform_numbers(const PlatformSpec& spec, const PowerConditions& conditions);
std::vector<std::string> platform_tables(const PowerConditions& conditions);

}  // namespace schedlab
