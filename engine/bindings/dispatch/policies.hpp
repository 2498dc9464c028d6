// Policies that are written in Python.
#pragma once

#include <memory>

#include "bindings/bindings.hpp"
#include "dispatch/additional_data.hpp"
#include "dispatch/allocators/allocator.hpp"
#include "dispatch/estimator.hpp"
#include "dispatch/orders.hpp"
#include "dispatch/schedulers/scheduler.hpp"
#include "simulation/simulation.hpp"

namespace schedlab::bindings {

// Each takes an instance of the base class of the same name in Python.
std::unique_ptr<Scheduler> python_scheduler(nb::object policy);
std::unique_ptr<Allocator> python_allocator(nb::object policy);
std::unique_ptr<Estimator> python_estimator(nb::object policy);
std::unique_ptr<AdditionalData> python_data(nb::object policy, std::vector<std::size_t> numbers,
                                            std::vector<std::size_t> tables);

/// What a function returns, given a view of the state that is valid during the call.
nb::object seen_by(const nb::object& function, const State& state);

/// The Python objects of these, in this order: scheduler, allocator, estimator, additional data; None for built-in
/// ones.
nb::list python_policies(const Simulation& simulation);

/// Lets Python's garbage collector see the policies that a simulation holds, and let go of them.
extern PyType_Slot simulation_slots[];  // NOLINT(modernize-avoid-c-arrays): what Python asks for

/// A function from a job to a number; `changes` if it may change while the job waits.
std::unique_ptr<JobOrder> python_order(nb::object function, bool changes);

}  // namespace schedlab::bindings
