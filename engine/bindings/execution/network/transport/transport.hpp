// Rules of messages as Python describes them.
#pragma once

#include "bindings/bindings.hpp"
#include "execution/network/transport/transport.hpp"

namespace schedlab::bindings {

/// The rules of "messages" in what schedlab.system.network.for_engine returns. Throws InputError where a field is
/// missing or wrong.
WireRules rules_from(const nb::dict& messages);

}  // namespace schedlab::bindings
