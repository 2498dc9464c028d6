#include "bindings/leaving.hpp"

namespace schedlab::bindings {

namespace {

bool is_within(PyFrameObject* frame, PyObject* entry) {
  nb::object at = nb::borrow(reinterpret_cast<PyObject*>(frame));
  while (at.is_valid() && !at.is(entry)) {
    at = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(reinterpret_cast<PyFrameObject*>(at.ptr()))));
  }
  return at.is_valid();
}

/// Raises at every line and call within a frame. Unlike a trace function in Python, one in C stays in place when it
/// raises, so an `except:` that catches it once gets no further than its own first line.
int raise_within(PyObject* given, PyFrameObject* frame, int what, PyObject*) {
  if (!is_within(frame, PyTuple_GetItem(given, 0))) {
    PyEval_SetTrace(nullptr, nullptr);  // the code was left
    return 0;
  }
  if (what != PyTrace_LINE && what != PyTrace_CALL) return 0;
  PyErr_SetNone(PyTuple_GetItem(given, 1));
  return -1;
}

}  // namespace

void bind_leaving(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "leave",
      [](const nb::object& entry, const nb::object& error) {
        PyEval_SetTrace(raise_within, nb::make_tuple(entry, error).ptr());
      },
      "entry"_a, "error"_a,
      "Raises an error of this class at every line of the code of a frame, and of what it calls, until it is left.");
}

}  // namespace schedlab::bindings
