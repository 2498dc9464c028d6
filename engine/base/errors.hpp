// The two ways the engine refuses: the caller's input is wrong, or the simulation cannot continue.
#pragma once

#include <stdexcept>

namespace schedlab {

struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct SimulationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The operating system refused a read or write; `code` is its errno.
struct FileError : std::runtime_error {
  FileError(int error_code, const std::string& what) : std::runtime_error(what), code(error_code) {}
  int code;
};

}  // namespace schedlab
