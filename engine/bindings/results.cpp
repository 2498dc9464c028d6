// Recorders, and the memory and distributions that results report.
#include <nanobind/stl/shared_ptr.h>

#include "bindings.hpp"
#include "csv.hpp"
#include "memory_use.hpp"

namespace schedlab::bindings {

void bind_results(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<CsvJobs>(module, "CsvJobs", "Writes a row for each job that ended or was rejected.")
      .def(nb::init<std::string>(), "path"_a)
      .def("close", &CsvJobs::close);
  nb::class_<CsvTimeline>(module, "CsvTimeline", "Writes a row for each time point.")
      .def(nb::init<std::string, std::vector<std::string>>(), "path"_a, "resource_types"_a)
      .def("close", &CsvTimeline::close);
  module.def("peak_resident_bytes", &peak_resident_bytes, "Peak memory of this process; 0 where it is not known.");
}

}  // namespace schedlab::bindings
