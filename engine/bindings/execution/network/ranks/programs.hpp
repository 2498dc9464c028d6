// Applications in Python, as the engine runs them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/execution/network/ranks/communicator.hpp"
#include "execution/network/ranks/program.hpp"

namespace schedlab::bindings {

/// Makes the programs of jobs. `catalogue` is a Python object: catalogue.application(number) gives an application with
/// .program(mpi) -> generator, .once(), .iterations, .key; `rates` are operations per second of a core (integer,
/// floating, bytes of memory), or zeros.
std::unique_ptr<Programs> python_programs(nb::object catalogue, std::vector<double> rates, std::uint64_t seed);

}  // namespace schedlab::bindings
