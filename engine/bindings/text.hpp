// Texts of Python as std::string and back, whatever is in them; stands in for nanobind/stl/string.h.
//
// Names of files, and texts out of files, may hold bytes that are not UTF-8. Python has half characters (surrogates) in
// their place, and nanobind's own conversion refuses them: every call with such a text would be "std::bad_cast" or
// "incompatible function arguments". Here they are the bytes again, as in os.fsencode.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace schedlab::bindings {

/// A new reference to the text of these bytes.
inline PyObject* text_object(std::string_view bytes) {
  return PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
}

}  // namespace schedlab::bindings

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    if (PyUnicode_Check(source.ptr()) == 0) return false;
    Py_ssize_t size = 0;
    if (const char* text = PyUnicode_AsUTF8AndSize(source.ptr(), &size)) {
      value.assign(text, static_cast<std::size_t>(size));
      return true;
    }
    for (const char* errors : {"surrogateescape", "surrogatepass"}) {
      PyErr_Clear();
      const object bytes = steal(PyUnicode_AsEncodedString(source.ptr(), "utf-8", errors));
      if (!bytes.is_valid()) continue;
      value.assign(PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
      return true;
    }
    PyErr_Clear();
    return false;
  }

  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
    return schedlab::bindings::text_object(text);
  }
};

}  // namespace nanobind::detail
