// Failures as Python describes them, and what they came to.
#pragma once

#include "bindings/bindings.hpp"
#include "simulation/simulation.hpp"

namespace schedlab::bindings {

/// What schedlab.conditions.failures.for_engine returns.
FailureSpec failures_from(const nb::dict& given, std::uint64_t seed);

/// Adds what failures did, and where the time of the nodes went; nothing where nodes do not fail.
void add_failure_metrics(nb::dict& metrics, const Simulation& simulation);

}  // namespace schedlab::bindings
