// Networks as Python describes them.
#pragma once

#include <memory>

#include "bindings/bindings.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab::bindings {

/// The topology of what schedlab.system.network.for_engine returns. Throws InputError where a field is missing or
/// wrong.
std::shared_ptr<const Topology> topology_from(const nb::dict& network);

}  // namespace schedlab::bindings
