// How little power a machine can draw while a job runs on it, whatever else happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "execution/platform/platform_spec.hpp"
#include "execution/platform/power_caps.hpp"
#include "jobs/job.hpp"
#include "machine/machine.hpp"

namespace schedlab {

/// What may lower the power of nodes in a simulation.
struct PowerSavings {
  bool slower = false;  // frequency steps
  bool sleeping = false;
  bool off = false;
  bool down = false;  // nodes fail
};

/// A bound from below, never above the least: where nodes of a group are alike and the job fits one group only, it is
/// that least; where a job may be spread over several groups, parts of sockets count as parts.
class LeastPower {
 public:
  LeastPower(const PlatformSpec& spec, const MachineSpec& machine, std::size_t core_type);

  /// What one more active core adds at least, on a node that is on, whatever its step; 0 where the cap does not cover
  /// all nodes.
  [[nodiscard]] double of_core(const PowerCap& cap) const;

  /// Of what the cap covers.
  [[nodiscard]] double watts(const PowerCap& cap, const Job& job, const Amount* amounts, const NodeSets& node_sets,
                             const PowerSavings& savings) const;

 private:
  struct Group {
    NodeGroup nodes;
    NodeType type;
    std::vector<ProcessorType> sockets;
  };
  /// Watts of a node of a group.
  struct Least {
    double resting = 0.0;    // in the state in which it draws least
    double working = 0.0;    // how much more it draws when it is on, without any active core
    double of_core = 0.0;    // and for each active core,
    double of_socket = 0.0;  // and for each socket with some; may be negative
  };

  [[nodiscard]] static Least least_of(const Group& group, const PowerSavings& savings);
  /// For N tasks; parts of nodes and sockets count as parts unless it is `whole`.
  [[nodiscard]] double added(const Group& group, const Least& least, const Job& job, const Amount* amounts,
                             double tasks, double room, bool whole) const;

  std::vector<Group> groups_;
  std::size_t core_type_;
};

}  // namespace schedlab
