// Platforms and conditions as Python passes them, and what they report.
#pragma once

#include "bindings/bindings.hpp"
#include "execution/platform/platform.hpp"
#include "simulation/simulation.hpp"

namespace schedlab::bindings {

/// What `schedlab.system.platform.for_engine` and `schedlab.conditions.for_engine` return.
PlatformSpec platform_from(const nb::dict& given);
PowerConditions power_conditions_from(const nb::dict& given);

/// Joules, by where they went, and what they cost; None where the machine's power is not known.
nb::object energy_of(const Simulation& simulation);

/// How hot it was, how long nodes were throttled, and the energy of cooling; None where temperatures are not known.
nb::object thermal_of(const Simulation& simulation);

/// Per node: degrees at the last update, the most ever, the mean over time, seconds throttled.
nb::list temperatures_of(const Simulation& simulation);

/// Per node: energy, its idle part, seconds of active cores, seconds in each state.
nb::list nodes_of(const Simulation& simulation);

}  // namespace schedlab::bindings
