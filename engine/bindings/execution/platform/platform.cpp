// Platforms and conditions as Python passes them, and what they report.

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/execution/platform/platform_reports.hpp"
#include "simulation/simulation.hpp"

namespace schedlab::bindings {

namespace {

template <class Value>
Value member(const nb::dict& given, const char* name) {
  return nb::cast<Value>(given[name]);
}

Time time_of(double seconds) {
  const double nanoseconds = std::round(seconds * static_cast<double>(second));
  return nanoseconds < 9.0e18 ? static_cast<Time>(nanoseconds) : never;
}

RestState rest_state(nb::handle given) {
  if (given.is_none()) return {};
  const auto [watts, down, down_watts, up, up_watts] =
      nb::cast<std::tuple<double, double, double, double, double>>(given);
  return {true, watts, time_of(down), down_watts, time_of(up), up_watts};
}

ProcessorType processor_type(const nb::dict& given) {
  ProcessorType type;
  type.cores = member<std::uint32_t>(given, "cores");
  type.operations_per_second = member<double>(given, "operations_per_second");
  type.bandwidth = member<double>(given, "bandwidth");
  if (!given["contention"].is_none()) {
    const auto [b, c, da, db, dc, dd, k] =
        nb::cast<std::tuple<double, double, double, double, double, double, double>>(given["contention"]);
    type.contends = true;
    type.contention = {b, c, da, db, dc, dd, k};
  }
  for (const auto& [clock, core, shared, idle] :
       member<std::vector<std::tuple<double, double, double, double>>>(given, "steps")) {
    type.steps.push_back({clock, core, shared, idle});
  }
  return type;
}

Series series_from(nb::handle given) {
  if (given.is_none()) return {};
  const auto [seconds, values, period] = nb::cast<std::tuple<std::vector<double>, std::vector<double>, double>>(given);
  std::vector<Time> times;
  for (const double time : seconds) times.push_back(time_of(time));
  return {std::move(times), values, time_of(period)};
}

ThermalSpec thermal_from(nb::handle given) {
  if (given.is_none()) return {};
  const auto fields = nb::cast<nb::dict>(given);
  ThermalSpec spec;
  spec.exists = true;
  spec.supply = member<double>(fields, "supply");
  spec.resistance = member<double>(fields, "resistance");
  spec.recirculation = member<double>(fields, "recirculation");
  spec.neighbour = member<double>(fields, "neighbour");
  spec.time_constant = member<double>(fields, "time_constant");
  spec.every = std::max<Time>(time_of(member<double>(fields, "every")), 1);
  if (const auto limit = member<std::optional<double>>(fields, "limit")) {
    spec.limit = *limit;
    spec.release = member<double>(fields, "release");
  }
  if (const auto step = member<int>(fields, "throttle_step"); step >= 0) {
    spec.throttle_step = static_cast<std::uint32_t>(step);
  }
  std::tie(spec.cop[0], spec.cop[1], spec.cop[2]) = member<std::tuple<double, double, double>>(fields, "cop");
  return spec;
}

}  // namespace

PlatformSpec platform_from(const nb::dict& given) {
  PlatformSpec spec;
  for (const nb::handle processor : given["processors"]) {
    spec.processors.push_back(processor_type(nb::cast<nb::dict>(processor)));
  }
  for (const nb::handle item : given["groups"]) {
    const auto group = nb::cast<nb::dict>(item);
    spec.groups.push_back({member<std::vector<std::uint32_t>>(group, "sockets"), member<double>(group, "base"),
                           member<std::uint32_t>(group, "rack"), rest_state(group["sleeping"]),
                           rest_state(group["off"])});
  }
  spec.power = member<bool>(given, "power");
  return spec;
}

PowerConditions power_conditions_from(const nb::dict& given) {
  PowerConditions conditions;
  for (const auto& [times, watts, period, group, slow] :
       member<std::vector<std::tuple<nb::object, nb::object, double, int, bool>>>(given, "caps")) {
    const std::uint32_t covered = group < 0 ? PowerCap::whole_machine : static_cast<std::uint32_t>(group);
    conditions.caps.push_back({series_from(nb::make_tuple(times, watts, period)), covered, slow});
  }
  conditions.price = series_from(given["price"]);
  conditions.carbon = series_from(given["carbon"]);
  if (!given["switch_off"].is_none()) {
    const auto [after, to, keep] = nb::cast<std::tuple<double, std::string, std::uint32_t>>(given["switch_off"]);
    conditions.switch_off = {true, time_of(after), to == "off" ? NodeState::off : NodeState::sleeping, keep};
  }
  conditions.thermal = thermal_from(given["thermal"]);
  return conditions;
}

nb::object energy_of(const Simulation& simulation) {
  const Platform* platform = simulation.platform();
  if (platform == nullptr || !platform->spec().power) return nb::none();
  const Time now = simulation.now();
  const Energy energy = platform->energy(now);
  const double total = platform->joules(now);
  const bool started = simulation.time_points() > 0;
  const double seconds = started ? in_seconds(now - simulation.first_submit()) : 0.0;
  nb::dict result;
  result["total"] = total;
  result["jobs"] = energy.jobs;
  result["idle"] = energy.idle;
  result["transitions"] = energy.transitions;
  result["sleeping"] = energy.sleeping;
  result["off"] = energy.off;
  result["average_power"] = seconds > 0.0 ? total / seconds : 0.0;
  result["peak_power"] = platform->peak_watts(now);
  result["energy_delay_product"] = total * seconds;
  const PowerConditions& conditions = platform->conditions();
  if (!conditions.price.empty()) result["cost"] = platform->cost(now);
  if (!conditions.carbon.empty()) result["carbon"] = platform->carbon_grams(now) / 1000.0;
  if (conditions.caps.empty()) return result;
  nb::list caps;
  for (const PowerCaps::Account& account : platform->caps().accounts()) {
    nb::dict cap;
    cap["refused_starts"] = account.refused;
    cap["seconds_slowed"] = account.seconds_slowed;
    cap["seconds_above"] = account.seconds_above;
    cap["energy_above"] = account.joules_above;
    cap["most_above"] = account.most_above;
    caps.append(cap);
  }
  result["caps"] = caps;
  return result;
}

nb::object thermal_of(const Simulation& simulation) {
  const Platform* platform = simulation.platform();
  if (platform == nullptr || !platform->thermal().exists()) return nb::none();
  const Thermal& thermal = platform->thermal();
  const Time now = simulation.now();
  const double cooling = platform->cooling_joules(now);
  nb::dict result;
  result["hottest"] = thermal.hottest_ever();
  result["mean"] = thermal.mean_ever();
  result["throttled_node_seconds"] = thermal.throttled_node_seconds(now);
  result["throttles"] = thermal.throttles();
  result["cooling_energy"] = cooling;
  result["total_with_cooling"] = platform->joules(now) + cooling;
  return result;
}

nb::list temperatures_of(const Simulation& simulation) {
  nb::list rows;
  const Platform* platform = simulation.platform();
  if (platform == nullptr || !platform->thermal().exists()) return rows;
  const Thermal& thermal = platform->thermal();
  for (std::uint32_t node = 0; node < thermal.nodes(); ++node) {
    rows.append(nb::make_tuple(node, thermal.node(node).degrees, thermal.node(node).hottest, thermal.mean_ever(node),
                               thermal.throttled_seconds(node, simulation.now())));
  }
  return rows;
}

nb::list nodes_of(const Simulation& simulation) {
  nb::list rows;
  const Platform* platform = simulation.platform();
  if (platform == nullptr) return rows;
  for (std::uint32_t node = 0; node < simulation.machine().nodes(); ++node) {
    const NodeReport report = platform->report(node, simulation.now());
    const auto seconds = [&](NodeState state) { return report.seconds[static_cast<std::size_t>(state)]; };
    rows.append(nb::make_tuple(node, report.energy.sum(), report.energy.idle, report.core_seconds,
                               seconds(NodeState::on), seconds(NodeState::off), seconds(NodeState::sleeping),
                               seconds(NodeState::stopping) + seconds(NodeState::booting), seconds(NodeState::down)));
  }
  return rows;
}

}  // namespace schedlab::bindings
