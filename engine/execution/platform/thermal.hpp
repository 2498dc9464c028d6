// How hot nodes are: a first-order model of each, with the heat of its rack and its neighbours, and a limit.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "execution/platform/platform_spec.hpp"
#include "machine/machine.hpp"

namespace schedlab {

/// In degrees Celsius, kelvin per watt and seconds. A node tends to
///   supply + resistance P + recirculation (P of the other nodes of its rack) + neighbour (P of the nodes beside it),
/// and what it lacks falls to 1/e in the time constant.
struct ThermalSpec {
  static constexpr std::uint32_t last_step = static_cast<std::uint32_t>(-1);

  bool exists = false;
  double supply = 0.0;
  double resistance = 0.0;
  double recirculation = 0.0;
  double neighbour = 0.0;
  double time_constant = 1.0;
  double limit = std::numeric_limits<double>::infinity();
  double release = std::numeric_limits<double>::infinity();  // of a node that was above the limit
  Time every = 0;
  std::uint32_t throttle_step = last_step;  // of each processor
  std::array<double, 3> cop{};              // of T^2, T and 1

  /// Watts of heat that cooling removes with each watt (Moore et al., Making Scheduling "Cool", USENIX ATC 2005).
  [[nodiscard]] double cooling_performance() const { return (cop[0] * supply + cop[1]) * supply + cop[2]; }
};

/// Temperatures follow the mean power between two updates, so that no joule is missed; within such a step the solution
/// of the model is exact.
class Thermal {
 public:
  struct Node {
    double degrees = 0.0;
    double hottest = 0.0;
    double degree_seconds = 0.0;
    double joules = 0.0;  // that it had taken at the last update
    double throttled_seconds = 0.0;
    bool throttled = false;

    void archive(Archive& archive) { archive(degrees, hottest, degree_seconds, joules, throttled_seconds, throttled); }
  };

  Thermal() = default;
  Thermal(const ThermalSpec& spec, const PlatformSpec& platform, const Machine& machine);

  [[nodiscard]] bool exists() const { return spec_.exists; }

  /// From now on there are updates; the machine has had this power in each node for long.
  void begin(Time now, std::span<const double> watts);
  [[nodiscard]] Time next_update() const { return next_; }
  [[nodiscard]] Time last_update() const { return updated_; }
  /// Nodes get the temperature that follows from the joules which each has taken so far; `changed(node)` is called
  /// for those that pass the limit, or are let go again.
  template <class Joules, class Changed>
  void update(Time now, Joules joules, Changed changed) {
    const double seconds = in_seconds(now - updated_);
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      const double so_far = joules(node);
      watts_[node] = (so_far - nodes_[node].joules) / seconds;
      nodes_[node].joules = so_far;
    }
    advance_to(now);
    for (const std::uint32_t node : changed_) changed(node);
  }

  // ---- as of the last update
  [[nodiscard]] const ThermalSpec& spec() const { return spec_; }
  [[nodiscard]] const Node& node(std::uint32_t node) const { return nodes_[node]; }
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] double hottest() const { return hottest_; }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] std::uint32_t throttled() const { return throttled_; }

  // ---- over all time
  [[nodiscard]] double hottest_ever() const { return hottest_ever_; }
  /// Over time up to the last update, of all nodes and of one.
  [[nodiscard]] double mean_ever() const;
  [[nodiscard]] double mean_ever(std::uint32_t node) const;
  [[nodiscard]] std::uint64_t throttles() const { return throttles_; }
  [[nodiscard]] double throttled_seconds(std::uint32_t node, Time now) const {
    return nodes_[node].throttled_seconds + (nodes_[node].throttled ? in_seconds(now - updated_) : 0.0);
  }
  [[nodiscard]] double throttled_node_seconds(Time now) const;

  void archive(Archive& archive);
  /// Throws std::logic_error where a count is wrong.
  void validate() const;

 private:
  struct Rack {
    std::uint32_t first;
    std::uint32_t end;
  };

  void advance_to(Time now);
  void find_targets();
  void sum_up();

  ThermalSpec spec_;
  std::vector<Rack> racks_;
  std::vector<Node> nodes_;
  std::vector<double> watts_;    // over the step
  std::vector<double> targets_;  // of the step
  std::vector<std::uint32_t> changed_;
  Time begun_ = 0;
  Time updated_ = 0;
  Time next_ = never;
  double hottest_ = 0.0;
  double mean_ = 0.0;
  double hottest_ever_ = 0.0;
  std::uint32_t throttled_ = 0;
  std::uint64_t throttles_ = 0;
};

}  // namespace schedlab
