// What a simulation reports of itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "simulation/simulation.hpp"

namespace schedlab::bindings {

std::uint64_t ended_jobs(const Simulation& simulation);
nb::dict counts_of(const Simulation& simulation);
nb::dict metrics_of(const Simulation& simulation);
nb::dict rejections_of(const Simulation& simulation);
nb::dict workload_report(const Simulation& simulation);
/// What rows had for the options of reading, by name; None where jobs do not come from rows.
nb::object found_in_rows(const Simulation& simulation);
/// Predecessors that jobs were not held for, by why; without the kinds that there are none of.
nb::dict unheeded_predecessors_of(const Simulation& simulation);
std::vector<Tick> rank_ends_of(const Simulation& simulation);
std::vector<double> carried_of(const Simulation& simulation);
/// Ids of the jobs in a state, in slot order; of waiting jobs in queue order.
std::vector<std::int64_t> jobs_in(Simulation& simulation, const std::string& state);

}  // namespace schedlab::bindings
