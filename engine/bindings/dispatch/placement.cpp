// Orders of nodes and the places that allocators choose, to be looked at.
#include <nanobind/stl/pair.h>

#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/execution/network/topology/topology.hpp"
#include "dispatch/allocators/node_orders.hpp"
#include "simulation/simulation.hpp"

namespace schedlab::bindings {

namespace {

using AnyDict = nb::typed<nb::dict, nb::str, nb::any>;

std::vector<std::uint32_t> node_order(const std::optional<AnyDict>& network, std::uint32_t nodes,
                                      const std::string& order) {
  const std::shared_ptr<const Topology> topology = network ? topology_from(*network) : nullptr;
  return nodes_in({order, {}}, nodes, topology.get());
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> place(const Simulation& simulation, std::int64_t job_id) {
  const WaitingQueue& queue = simulation.queue();
  const JobTable& jobs = simulation.jobs();
  for (std::size_t block = 0; block < queue.blocks(); ++block) {
    for (const WaitingJob& entry : queue.entries(block)) {
      if (jobs[entry.slot].id != job_id) continue;
      Placement placement;
      Placement taken;
      const PlacementRequest request{simulation.state(),
                                     simulation.machine(),
                                     entry.slot,
                                     jobs[entry.slot],
                                     jobs.amounts(entry.slot),
                                     nullptr,
                                     &taken};
      if (!simulation.allocator().clone()->place(request, placement)) return {};
      if (taken.empty()) taken = placement;
      std::vector<std::pair<std::uint32_t, std::uint32_t>> nodes;
      for (const NodeRun& run : taken) {
        for (std::uint32_t i = 0; i < run.count; ++i) nodes.emplace_back(run.first + i, run.tasks);
      }
      return nodes;
    }
  }
  throw InputError("job " + std::to_string(job_id) + " does not wait");
}

}  // namespace

void bind_placement(nb::module_& module) {
  using namespace nb::literals;
  module.def("node_order", &node_order, "network"_a.none(), "nodes"_a, "order"_a,
             "The nodes of a system in an order such as \"xzy\"; the network as Topology takes it.");
  module.def("place", &place, "simulation"_a, "job_id"_a,
             "Nodes and tasks that the allocator would give a waiting job now, in the order of its ranks; without "
             "regard to windows and reservations. Empty where it finds none.");
}

}  // namespace schedlab::bindings
