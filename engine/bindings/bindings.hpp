// What the parts of the extension module share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "base/cloned.hpp"
#include "base/time.hpp"
#include "bindings/text.hpp"
#include "workload/source.hpp"

namespace schedlab::bindings {

namespace nb = nanobind;

/// A source on its way from the function that makes it to the simulation that reads it.
struct SourceHandle {
  Cloned<JobSource> source;
  bool dependencies = true;
};

/// Seconds, an int or a float, as Time; throws InputError naming `what` where they are out of range.
Time time_from(nb::handle seconds, const char* what);

/// Time as seconds: an int where it is whole, else a float.
nb::object seconds_of(Time time);

/// Texts of an input, which may be in any encoding: bytes that are not UTF-8 are treated as `errors` says.
nb::list texts_of(const std::vector<std::string>& texts, const char* errors);

/// The repr of any object, cut where it is long.
std::string shown(nb::handle object);

void bind_errors(nb::module_& module);
void bind_collectives(nb::module_& module);
void bind_workload(nb::module_& module);
void bind_jobs(nb::module_& module);
void bind_job_factory(nb::module_& module);
void bind_expression(nb::module_& module);
void bind_views(nb::module_& module);
void bind_results(nb::module_& module);
void bind_simulation(nb::module_& module);
void bind_topology(nb::module_& module);
void bind_communicator(nb::module_& module);
void bind_programs(nb::module_& module);
void bind_transport(nb::module_& module);
void bind_orders(nb::module_& module);
void bind_placement(nb::module_& module);
void bind_phase_model(nb::module_& module);
void bind_traffic_pattern(nb::module_& module);

}  // namespace schedlab::bindings
