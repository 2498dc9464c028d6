// Applications on a network, as Python asks for them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bindings/bindings.hpp"
#include "execution/network/ranks/application_runs.hpp"
#include "execution/network/topology/topology.hpp"
#include "jobs/job.hpp"

namespace schedlab::bindings {

/// The model that runs applications, of what schedlab.simulation.applications.for_engine returns.
std::unique_ptr<ApplicationRuns> application_runs_from(const nb::dict& given, std::shared_ptr<const Topology> topology);

/// What changes which rank runs where: a function of a job's number and the nodes of its ranks, or None.
std::function<void(const Job&, std::vector<std::uint32_t>&)> mapping_from(const nb::object& given);

}  // namespace schedlab::bindings
