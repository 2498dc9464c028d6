// Recorders, and the memory and distributions that results report.
#include <nanobind/stl/shared_ptr.h>

#include "base/memory_use.hpp"
#include "bindings/bindings.hpp"
#include "results/csv.hpp"

namespace schedlab::bindings {

void bind_results(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<CsvJobs>(module, "CsvJobs", "Writes a row for each job that ended or was rejected.")
      .def(nb::init<std::string, std::vector<std::string>, std::vector<std::string>, std::optional<std::uint64_t>,
                    std::vector<std::string>>(),
           "path"_a, "resource_types"_a, "kept"_a, "resume_at"_a.none() = nb::none(),
           "facts"_a = std::vector<std::string>())
      .def("flush", &CsvJobs::flush, "Lets others read what was written so far.")
      .def("sync", &CsvJobs::sync, "Writes everything out and returns the size of the file.")
      .def("close", &CsvJobs::close);
  nb::class_<CsvTimeline>(module, "CsvTimeline", "Writes a row for each time point.")
      .def(nb::init<std::string, std::vector<std::string>, std::vector<std::string>, std::optional<std::uint64_t>>(),
           "path"_a, "resource_types"_a, "data"_a, "resume_at"_a.none() = nb::none())
      .def("flush", &CsvTimeline::flush, "Lets others read what was written so far.")
      .def("sync", &CsvTimeline::sync, "Writes everything out and returns the size of the file.")
      .def("close", &CsvTimeline::close);
  nb::class_<CsvStates>(module, "CsvStates", "Writes a row for each time during which a node was not simply on.")
      .def(nb::init<std::string, std::optional<std::uint64_t>>(), "path"_a, "resume_at"_a.none() = nb::none())
      .def("flush", &CsvStates::flush, "Lets others read what was written so far.")
      .def("sync", &CsvStates::sync, "Writes everything out and returns the size of the file.")
      .def("close", &CsvStates::close);
  nb::class_<CsvInterruptions>(module, "CsvInterruptions", "Writes a row for each attempt that a failure ended.")
      .def(nb::init<std::string, std::optional<std::uint64_t>>(), "path"_a, "resume_at"_a.none() = nb::none())
      .def("flush", &CsvInterruptions::flush, "Lets others read what was written so far.")
      .def("sync", &CsvInterruptions::sync, "Writes everything out and returns the size of the file.")
      .def("close", &CsvInterruptions::close);
  module.def("peak_resident_bytes", &peak_resident_bytes, "Peak memory of this process; 0 where it is not known.");
}

}  // namespace schedlab::bindings
