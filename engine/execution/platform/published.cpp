// What a platform publishes.
#include <cmath>
#include <string>
#include <vector>

#include "execution/platform/platform.hpp"

namespace schedlab {

/// What of a platform is published, beside additional data, by these names and in this order.
std::vector<std::string> platform_numbers(const PlatformSpec& spec, const PowerConditions& conditions) {
  std::vector<std::string> names{"clock", "speed"};
  if (!spec.power) return names;
  names.emplace_back("power");
  if (PowerCaps::of_machine(conditions.caps)) names.emplace_back("cap");
  if (!conditions.price.empty()) names.emplace_back("price");
  if (!conditions.carbon.empty()) names.emplace_back("carbon");
  if (conditions.switch_off.exists) names.emplace_back("nodes_off");
  if (conditions.thermal.exists) names.insert(names.end(), {"hottest", "mean_temperature", "cooling", "throttled"});
  return names;
}

std::vector<std::string> platform_tables(const PowerConditions& conditions) {
  if (!conditions.thermal.exists) return {};
  return {"temperature"};  // by node
}

void Platform::publish(Time now, DataBoard& board) const {
  std::size_t place = 0;
  const auto publish = [&](double value) { board.set_number(place++, std::isnan(value) ? 0.0 : value); };
  publish(sockets_.mean_clock());
  publish(sockets_.mean_speed());
  if (!spec().power) return;
  publish(watts_);
  if (caps_.of_machine()) publish(caps_.watts(now));
  if (!conditions_.price.empty()) publish(conditions_.price.at(now));
  if (!conditions_.carbon.empty()) publish(conditions_.carbon.at(now));
  if (conditions_.switch_off.exists) publish(static_cast<double>(states_.resting()));
  if (!conditions_.thermal.exists) return;
  publish(thermal_.hottest());
  publish(thermal_.mean());
  publish(cooling_watts());
  publish(thermal_.throttled());
  if (thermal_.last_update() != now) return;
  DataBoard::Table& temperatures = board.change_table(0);
  for (std::uint32_t node = 0; node < thermal_.nodes(); ++node) temperatures[node] = thermal_.node(node).degrees;
}

}  // namespace schedlab
