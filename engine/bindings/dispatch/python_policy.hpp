// What all policies in Python share.
#pragma once

#include <string>
#include <utility>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/dispatch/views.hpp"

namespace schedlab::bindings {

/// " (mine.py:12)": where a function is defined, where a generator is, or where an error was raised in a user's file.
inline std::string line_of(const char* kind, nb::handle given) {
  const auto line = nb::cast<std::string>(nb::module_::import_("schedlab.code_places").attr(kind)(given));
  return line.empty() ? line : " (" + line + ")";
}

/// Says in which call the user's code raised it: in the text of our own errors, else in a note.
inline void say_where(nb::python_error& error, const std::string& place) {
  const nb::handle value = error.value();
  if (nb::handle(value.type()).is(nb::module_::import_("schedlab.errors").attr("SimulationError"))) {
    const auto text = nb::cast<std::string>(nb::str(value));
    value.attr("args") = nb::make_tuple(place + text + line_of("of_traceback", error.traceback()));
  } else if (nb::hasattr(value, "add_note") && !nb::hasattr(value, "__notes__")) {
    value.attr("add_note")("in " + place.substr(0, place.size() - 2));
  }
}

/// What all Python policies share: the object, and the views it is given.
class PythonPolicy {
 public:
  explicit PythonPolicy(nb::object policy)
      : policy_(std::move(policy)), scope_(std::make_shared<CallScope>()), view_(nb::cast(StateView(scope_))) {}

  /// A fork has a copy of the policy, which the policy makes itself, and views of its own.
  PythonPolicy(const PythonPolicy& other) : PythonPolicy(other.policy_.attr("_copy")()) {}
  PythonPolicy& operator=(const PythonPolicy&) = delete;
  ~PythonPolicy() = default;

  [[nodiscard]] std::string name() const {
    return nb::cast<std::string>(nb::handle(policy_.type()).attr("__qualname__"));
  }
  [[nodiscard]] nb::object method(const char* method_name) const { return policy_.attr(method_name); }

  [[nodiscard]] nb::object job(Slot slot) const { return nb::cast(JobView(scope_, slot)); }
  [[nodiscard]] CallScope& scope() const { return *scope_; }
  [[nodiscard]] const nb::object& view() const { return view_; }

  [[nodiscard]] const nb::object& object() const { return policy_; }

  /// Its state as it gives it, or takes it back.
  void archive(Archive& archive) const {
    std::string state;
    if (!archive.reading()) {
      const auto bytes = nb::cast<nb::bytes>(policy_.attr("_saved")());
      state.assign(bytes.c_str(), bytes.size());
    }
    archive(state);
    if (archive.reading()) policy_.attr("_restore")(nb::bytes(state.data(), state.size()));
  }

  /// Calls a method; what it raises says where that was.
  template <class... Arguments>
  nb::object call(const nb::object& method, const char* method_name, const State& state,
                  const Arguments&... arguments) const {
    try {
      return method(arguments...);
    } catch (nb::python_error& error) {
      say_where(error, place(method_name, state));
      throw;
    }
  }

  /// Does something with what a method gave; an error then names the policy, the time and the line in the user's file:
  /// that of the method, or where `generator` is, if there is one.
  template <class Action>
  auto take(const nb::object& method, const char* method_name, const State& state, nb::handle generator,
            Action action) const {
    try {
      return action();
    } catch (const SimulationError& error) {
      const std::string where = place(method_name, state);
      const std::string text = error.what();
      std::string line = generator.is_valid() ? line_of("of_generator", generator) : "";
      if (line.empty()) line = line_of("of_function", method);
      throw SimulationError((text.starts_with(where) ? "" : where) + text + line);
    }
  }

  /// "MyPolicy.schedule() at 60 s: "
  [[nodiscard]] std::string place(const char* method_name, const State& state) const {
    return name() + "." + method_name + "() at " + std::to_string(in_seconds(state.now())) + " s: ";
  }

 private:
  nb::object policy_;
  ScopePointer scope_;
  nb::object view_;
};

/// The number that a policy gave; throws SimulationError, which begins with `place`, where it is none.
inline double number_from(nb::handle value, const std::string& place) {
  double number = 0.0;
  if (PyFloat_Check(value.ptr()) == 0 && PyLong_Check(value.ptr()) == 0) {
    const bool text = PyUnicode_Check(value.ptr()) != 0 || PyBytes_Check(value.ptr()) != 0;
    const nb::object converted = text ? nb::object() : nb::steal(PyNumber_Float(value.ptr()));
    if (!converted.is_valid()) {
      PyErr_Clear();
      throw SimulationError(place + "must give a number, not " + shown(value));
    }
    number = PyFloat_AsDouble(converted.ptr());
  } else {
    number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw SimulationError(place + shown(value) + " is too large");
    }
  }
  return number;
}

}  // namespace schedlab::bindings
