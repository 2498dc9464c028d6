#include "execution/network/topology/topology.hpp"

#include <cmath>

#include "base/errors.hpp"

namespace schedlab {

namespace {

constexpr std::uint64_t some_links = 1'000'000;
constexpr std::uint64_t most_links_a_node = 64;    // beyond, a few bytes of a file would take gigabytes
constexpr std::uint64_t most_links = 100'000'000;  // 3.2 GB of them: more is a slip of the pen
constexpr double longest_delay = 3600.0;           // s

}  // namespace

Link Topology::add_kind(const std::string& name, const Wire& wire, const WireFields& fields) {
  if (wire.ports < 1 || wire.ports > 65535) {
    throw InputError(fields.ports + ": must be from 1 to 65535 (is " + std::to_string(wire.ports) + ")");
  }
  if (!(wire.bytes_per_second > 0.0) || !std::isfinite(wire.bytes_per_second)) {
    throw InputError(fields.bytes_per_second + ": must be above 0 (is " + std::to_string(wire.bytes_per_second) + ")");
  }
  if (std::isnan(wire.delay_seconds) || wire.delay_seconds < 0.0 || wire.delay_seconds > longest_delay) {
    throw InputError(fields.delay_seconds + ": must be from 0 to 3600 seconds (is " +
                     std::to_string(wire.delay_seconds) + ")");
  }
  const auto kind = static_cast<std::uint16_t>(kinds_.size());
  kinds_.push_back(name);
  return {0,
          0,
          kind,
          static_cast<std::uint16_t>(wire.ports),
          ticks_per_second / wire.bytes_per_second,
          static_cast<Tick>(std::llround(wire.delay_seconds * ticks_per_second))};
}

void Topology::add_link(const Link& like, std::uint32_t from, std::uint32_t to) {
  Link link = like;
  link.from = from;
  link.to = to;
  links_.push_back(link);
}

void Topology::add_nodes(std::uint64_t nodes, std::uint64_t routers, std::uint64_t between,
                         std::uint32_t nodes_per_router, double bytes_per_second, double delay_seconds) {
  if (nodes > most_links || routers > most_links || between > most_links || 2 * nodes + between > most_links) {
    throw InputError("network: has more than 100,000,000 links");
  }
  if (between > some_links + most_links_a_node * nodes) {
    throw InputError("network: has " + std::to_string(between) + " links between routers for " + std::to_string(nodes) +
                     " nodes; at most 64 a node are supported, and a million more");
  }
  const Wire wire{1, bytes_per_second, delay_seconds};
  const WireFields fields{"network", "network.host_bytes_per_second", "network.host_delay_seconds"};
  const Link out = add_kind("host out", wire, fields);
  const Link in = add_kind("host in", wire, fields);
  nodes_ = static_cast<std::uint32_t>(nodes);
  routers_ = static_cast<std::uint32_t>(routers);
  links_.reserve(2 * nodes + between);
  for (std::uint32_t node = 0; node < nodes_; ++node) add_link(out, node, node / nodes_per_router);
  for (std::uint32_t node = 0; node < nodes_; ++node) add_link(in, node / nodes_per_router, node);
}

}  // namespace schedlab
