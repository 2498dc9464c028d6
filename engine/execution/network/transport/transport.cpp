#include "execution/network/transport/transport.hpp"

#include <string>

#include "base/errors.hpp"

namespace schedlab {

std::unique_ptr<Transport> make_transport(const TransportSpec& spec) {
  if (spec.fidelity == "analytic") return make_analytic(spec);
  if (spec.fidelity == "fluid") return make_fluid(spec);
  if (spec.fidelity == "packet") return make_packets(spec);
  throw InputError("fidelity: must be analytic, fluid or packet, not \"" + std::string(spec.fidelity) + "\"");
}

}  // namespace schedlab
