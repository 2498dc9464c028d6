// What a machine is made of below its nodes: sockets, cores, their clocks, memory and power.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/time.hpp"

namespace schedlab {

/// How tasks that share a socket's memory slow each other down (IRMaSim, Herrera et al. 2021). The printed equations
/// have slips: 1 divides where it must multiply, 2 mixes units, 4 has the signs of 1 - s. These are the ones its figure
/// 3 shows.
struct Contention {
  double b = 0.0;  // slope, below 0, per MB/s
  double c = 0.0;  // rate at which it begins, MB/s
  double da = 0.0;
  double db = 0.0;
  double dc = 0.0;
  double dd = 0.0;
  double k = 1.0;  // 1 in the paper, 0.6 in its public code

  /// Rises from 0 to 1 between 0 and 1, flat at both ends.
  static double smooth_step(double x) {
    if (!(x > 0.0)) return 0.0;
    return x < 1.0 ? x * x * x * (x * (6.0 * x - 15.0) + 10.0) : 1.0;
  }

  /// The least speed of a task with this access rate of its own, beside N others.
  [[nodiscard]] double least_speed(double rate, double others) const {
    const double x = (rate - (da - others) * db) / (dc - others * dd);
    return ((1.0 - smooth_step(x)) * k * others + 1.0) / (1.0 + k * others);
  }

  /// How fast such a task goes, against alone; `total` adds up the own rates of all tasks on the socket.
  [[nodiscard]] double speed(double rate, double total, double others) const {
    if (total < c) return 1.0;
    return std::max(b * (total - c) + 1.0, least_speed(rate, others));
  }
};

/// A frequency of a processor, and the power it takes there.
struct FrequencyStep {
  double clock = 0.0;         // GHz
  double core_watts = 0.0;    // of each active core
  double shared_watts = 0.0;  // of what active cores share
  double idle_watts = 0.0;    // with no core active
};

struct ProcessorType {
  std::uint32_t cores = 0;
  double operations_per_second = 0.0;  // of a core, at one instruction a cycle and its nominal clock
  double bandwidth = 0.0;              // MB/s of all its memory channels; 0: not given
  bool contends = false;
  Contention contention;
  std::vector<FrequencyStep> steps;  // the nominal one first
};

/// A state in which a node does nothing and takes little.
struct RestState {
  bool exists = false;
  double watts = 0.0;
  Time down_time = 0;  // from on to this state
  double down_watts = 0.0;
  Time up_time = 0;  // and back
  double up_watts = 0.0;
};

struct NodeType {
  std::vector<std::uint32_t> sockets;  // their processor types
  double base_watts = 0.0;             // beyond the sockets, while it is on
  std::uint32_t rack = 0;              // nodes in a rack; 0: not given
  RestState sleeping;
  RestState off;
};

/// Which sockets of a node give their free cores first; equal ones by number.
enum class SocketOrder : std::uint8_t {
  by_number,
  fullest,         // fewest free cores
  emptiest,        // most free cores
  fastest,         // most operations per second of a core
  most_bandwidth,  // left by what runs there
  least_power      // watts now
};

/// Powers, rates and the like as those who choose by them compare them: to a millionth of the unit, for what is equal
/// must not differ by the order in which it was added up.
inline double in_millionths(double value) { return std::floor(value * 1e6 + 0.5); }

struct PlatformSpec {
  std::vector<ProcessorType> processors;
  std::vector<NodeType> groups;  // of the nodes of each group
  bool power = false;            // whether watts are given
};

}  // namespace schedlab
