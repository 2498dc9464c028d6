#include <cmath>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/leaving.hpp"

namespace schedlab::bindings {

Time time_from(nb::handle seconds, const char* what) {
  constexpr auto most = static_cast<double>(longest_input_seconds);
  if (PyLong_Check(seconds.ptr()) != 0) {
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(seconds.ptr(), &overflow);
    if (overflow == 0 && whole <= longest_input_seconds && whole >= -longest_input_seconds) return whole * second;
  } else if (PyFloat_Check(seconds.ptr()) != 0) {
    const double value = PyFloat_AsDouble(seconds.ptr());
    if (std::abs(value) <= most) {  // false for a NaN
      const double whole = std::floor(value);
      return static_cast<Time>(whole) * second + static_cast<Time>(std::llround((value - whole) * 1e9));
    }
  }
  throw InputError(std::string(what) + " must be a number of seconds within 126 years, not " +
                   nb::cast<std::string>(nb::repr(seconds)));
}

nb::object seconds_of(Time time) {
  if (time % second == 0) return nb::int_(time / second);
  return nb::float_(nearest_decimal(time / second, static_cast<std::int32_t>(time % second)));
}

nb::list texts_of(const std::vector<std::string>& texts, const char* errors) {
  nb::list result;
  for (const std::string& text : texts) {
    result.append(nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), errors)));
  }
  return result;
}

/// C++ errors become the package's own; those of the operating system become OSError with number and file name.
void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    const auto raise = [](const char* name, const char* message) {
      const nb::object type = nb::module_::import_("schedlab.errors").attr(name);
      PyErr_SetObject(type.ptr(), nb::steal(text_object(message)).ptr());
    };
    try {
      std::rethrow_exception(pointer);
    } catch (const InputError& error) {
      raise("InputError", error.what());
    } catch (const SimulationError& error) {
      raise("SimulationError", error.what());
    } catch (const FileError& error) {
      errno = error.code;
      PyErr_SetFromErrnoWithFilename(PyExc_OSError, error.what());
    }
  });
}

}  // namespace schedlab::bindings

NB_MODULE(_engine, module) {
  using namespace schedlab::bindings;
  nanobind::set_leak_warnings(false);  // an interrupted run may leave objects behind at exit
  bind_errors(module);
  bind_workload(module);
  bind_jobs(module);
  bind_job_factory(module);
  bind_expression(module);
  bind_views(module);
  bind_results(module);
  bind_simulation(module);
  bind_topology(module);
  bind_communicator(module);
  bind_programs(module);
  bind_collectives(module);
  bind_transport(module);
  bind_orders(module);
  bind_placement(module);
  bind_phase_model(module);
  bind_traffic_pattern(module);
  bind_leaving(module);
#if defined(NDEBUG)
  module.attr("build_type") = "release";
#else
  module.attr("build_type") = "debug";
#endif
#ifdef SCHEDLAB_VALIDATE
  module.attr("validates") = true;
#else
  module.attr("validates") = false;
#endif
  module.attr("compiler") = SCHEDLAB_COMPILER;
  module.attr("compiler_flags") = SCHEDLAB_FLAGS;
}
