// Leaving code of a user's that does not return.
#pragma once

#include "bindings/bindings.hpp"

namespace schedlab::bindings {

void bind_leaving(nb::module_& module);

}  // namespace schedlab::bindings
