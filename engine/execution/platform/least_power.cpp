#include "execution/platform/least_power.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace schedlab {

LeastPower::LeastPower(const PlatformSpec& spec, const MachineSpec& machine, std::size_t core_type)
    : core_type_(core_type) {
  for (std::size_t i = 0; i < spec.groups.size(); ++i) {
    Group group{machine.groups[i], spec.groups[i], {}};
    for (const std::uint32_t processor : group.type.sockets) group.sockets.push_back(spec.processors[processor]);
    groups_.push_back(std::move(group));
  }
}

namespace {

/// The fewest sockets for each task of N cores, where a node takes up to `room` tasks, which fill its sockets one
/// after the other.
double sockets_for_task(double cores, double socket_cores, double room) {
  double least = std::ceil(cores / socket_cores);
  for (std::uint32_t count = 2; count <= room && least * socket_cores > cores; ++count) {
    const double tasks = count;
    least = std::min(least, std::ceil(tasks * cores / socket_cores) / tasks);
  }
  return least;
}

}  // namespace

LeastPower::Least LeastPower::least_of(const Group& group, const PowerSavings& savings) {
  Least least;
  double on = group.type.base_watts;
  bool first = true;
  for (const ProcessorType& socket : group.sockets) {
    double idle = socket.steps.front().idle_watts;
    double core = socket.steps.front().core_watts;
    double shared = socket.steps.front().shared_watts;
    for (const FrequencyStep& step : socket.steps) {
      if (!savings.slower) break;
      idle = std::min(idle, step.idle_watts);
      core = std::min(core, step.core_watts);
      shared = std::min(shared, step.shared_watts);
    }
    const double floor = std::min(idle, core + shared);  // one active core may take less than none
    on += floor;
    least.of_core = first ? core : std::min(least.of_core, core);
    least.of_socket = first ? shared - floor : std::min(least.of_socket, shared - floor);
    first = false;
  }
  least.resting = on;
  const auto rests = [&](const RestState& state) {
    if (state.exists) least.resting = std::min({least.resting, state.watts, state.down_watts, state.up_watts});
  };
  if (savings.sleeping) rests(group.type.sleeping);
  if (savings.off) rests(group.type.off);
  if (savings.down) least.resting = 0.0;
  least.working = on - least.resting;
  return least;
}

double LeastPower::added(const Group& group, const Least& least, const Job& job, const Amount* amounts, double tasks,
                         double room, bool whole) const {
  // A little below: what is whole except for the last digits must not be rounded up.
  const auto rounded = [whole](double value) { return whole ? std::ceil(value * (1.0 - 1e-12)) : value; };
  const double nodes = rounded(tasks / room);
  double node_cores = 0.0;
  double socket_cores = 1.0;  // of the largest socket
  for (const ProcessorType& socket : group.sockets) {
    node_cores += socket.cores;
    socket_cores = std::max(socket_cores, static_cast<double>(socket.cores));
  }
  const auto of_task = static_cast<double>(amounts[core_type_]);
  const double cores = job.whole_nodes ? nodes * node_cores : tasks * of_task;
  const auto of_node = static_cast<double>(group.sockets.size());
  double sockets = rounded(tasks * sockets_for_task(of_task, socket_cores, room));
  if (least.of_socket < 0.0) {  // an active socket takes less than an idle one: as many as there can be
    sockets = std::min({cores, tasks * std::min(of_task, of_node), group.nodes.nodes * of_node});
  }
  if (job.whole_nodes) sockets = nodes * of_node;
  return nodes * least.working + cores * least.of_core + sockets * least.of_socket;
}

double LeastPower::of_core(const PowerCap& cap) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    if (!cap.covers(i)) return 0.0;
    for (const ProcessorType& socket : groups_[i].sockets) {
      for (const FrequencyStep& step : socket.steps) {
        // The first core of a socket may add less than the others.
        least = std::min(least, step.core_watts + std::min(0.0, step.shared_watts - step.idle_watts));
      }
    }
  }
  return std::isfinite(least) ? std::max(0.0, least) : 0.0;
}

double LeastPower::watts(const PowerCap& cap, const Job& job, const Amount* amounts, const NodeSets& node_sets,
                         const PowerSavings& savings) const {
  struct Place {
    double of_task;
    double tasks;  // that have room
  };
  std::vector<Place> places;
  double sum = 0.0;
  double alone = 0.0;  // of all tasks in the last place
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    const Least least = cap.covers(i) ? least_of(group, savings) : Least{};
    sum += group.nodes.nodes * least.resting;
    const double room = std::min(job.tasks, room_for(amounts, group.nodes.resources.size(), job.tasks_per_node,
                                                     [&](std::size_t type) { return group.nodes.resources[type]; }));
    const std::uint32_t usable = node_sets.in_group(job.node_set, i);
    if (room == 0.0 || usable == 0) continue;
    places.push_back({added(group, least, job, amounts, 1.0, room, false), room * usable});
    alone = added(group, least, job, amounts, job.tasks, room, true);
  }
  if (places.size() == 1) return sum + alone;
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.of_task < b.of_task; });
  double left = job.tasks;
  for (const Place& place : places) {
    const double here = std::min(left, place.tasks);
    sum += here * place.of_task;
    left -= here;
  }
  return sum;
}

}  // namespace schedlab
