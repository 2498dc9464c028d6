#include "bindings/execution/network/topology/topology.hpp"

#include <string>
#include <utility>

#include "base/errors.hpp"

namespace schedlab::bindings {

namespace {

constexpr const char* whole_number = "a whole number";
constexpr const char* whole_numbers = "a list of whole numbers";
constexpr const char* number = "a number";
constexpr const char* numbers = "a list of numbers";
constexpr const char* text = "a text";

template <class Value>
void read(const nb::dict& network, const char* field, const char* what, Value& value) {
  if (!network.contains(field)) throw InputError("network." + std::string(field) + ": is missing");
  const nb::object given = network[field];
  if (nb::try_cast(given, value)) return;
  throw InputError("network." + std::string(field) + ": must be " + what + ", not " + shown(given));
}

TorusSpec torus_from(const nb::dict& network) {
  TorusSpec spec;
  read(network, "dimensions", whole_numbers, spec.dimensions);
  read(network, "nodes_per_router", whole_number, spec.nodes_per_router);
  read(network, "ports", whole_numbers, spec.ports);
  read(network, "bytes_per_second", numbers, spec.bytes_per_second);
  read(network, "delay_seconds", numbers, spec.delay_seconds);
  read(network, "host_bytes_per_second", number, spec.host_bytes_per_second);
  read(network, "host_delay_seconds", number, spec.host_delay_seconds);
  read(network, "routing", text, spec.routing);
  return spec;
}

FatTreeSpec fat_tree_from(const nb::dict& network) {
  FatTreeSpec spec;
  read(network, "down", whole_numbers, spec.down);
  read(network, "up", whole_numbers, spec.up);
  read(network, "ports", whole_numbers, spec.ports);
  read(network, "bytes_per_second", numbers, spec.bytes_per_second);
  read(network, "delay_seconds", numbers, spec.delay_seconds);
  read(network, "host_bytes_per_second", number, spec.host_bytes_per_second);
  read(network, "host_delay_seconds", number, spec.host_delay_seconds);
  read(network, "routing", text, spec.routing);
  return spec;
}

DragonflySpec dragonfly_from(const nb::dict& network) {
  DragonflySpec spec;
  read(network, "groups", whole_number, spec.groups);
  read(network, "rows", whole_number, spec.rows);
  read(network, "columns", whole_number, spec.columns);
  read(network, "nodes_per_router", whole_number, spec.nodes_per_router);
  read(network, "links_between", whole_number, spec.links_between);
  read(network, "local_ports", whole_numbers, spec.local_ports);
  read(network, "local_bytes_per_second", number, spec.local_bytes_per_second);
  read(network, "local_delay_seconds", number, spec.local_delay_seconds);
  read(network, "global_bytes_per_second", number, spec.global_bytes_per_second);
  read(network, "global_delay_seconds", number, spec.global_delay_seconds);
  read(network, "host_bytes_per_second", number, spec.host_bytes_per_second);
  read(network, "host_delay_seconds", number, spec.host_delay_seconds);
  read(network, "routing", text, spec.routing);
  return spec;
}

/// Draws by a seed; a link's backlog is what the caller says, or nothing.
class GivenChoice final : public RouteChoice {
 public:
  GivenChoice(std::uint64_t seed, const std::vector<double>& backlog) : random_(seed), backlog_(backlog) {}

  [[nodiscard]] double backlog(LinkId link) const override { return link < backlog_.size() ? backlog_[link] : 0.0; }
  std::uint32_t draw(std::uint32_t n) override { return random_.below(n); }

 private:
  Random random_;
  const std::vector<double>& backlog_;
};

/// A topology as Python sees it.
class SharedTopology {
 public:
  explicit SharedTopology(const nb::typed<nb::dict, nb::str, nb::any>& network) : topology_(topology_from(network)) {}

  [[nodiscard]] const Topology& get() const { return *topology_; }

  [[nodiscard]] Path route(std::uint32_t from, std::uint32_t to, std::uint64_t seed,
                           const std::vector<double>& backlog) const {
    check(from, "from_node");
    check(to, "to_node");
    GivenChoice choice(seed, backlog);
    Path path;
    topology_->route(from, to, choice, path);
    return path;
  }
  [[nodiscard]] std::uint32_t hops(std::uint32_t from, std::uint32_t to) const {
    const Path path = route(from, to, 0, {});
    return path.empty() ? 0 : static_cast<std::uint32_t>(path.size() - 2);
  }
  [[nodiscard]] Coordinates coordinates(std::uint32_t node) const {
    check(node, "node");
    return topology_->coordinates(node);
  }

 private:
  void check(std::uint32_t node, const char* what) const {
    if (node < topology_->nodes()) return;
    throw InputError(std::string(what) + ": the network has nodes 0 to " + std::to_string(topology_->nodes() - 1) +
                     " (is " + std::to_string(node) + ")");
  }

  std::shared_ptr<const Topology> topology_;
};

using LinkRow = std::tuple<std::uint32_t, std::uint32_t, std::string, std::uint32_t, double, double>;

std::vector<LinkRow> links_of(const SharedTopology& topology) {
  std::vector<LinkRow> rows;
  rows.reserve(topology.get().links().size());
  for (const Link& link : topology.get().links()) {
    rows.emplace_back(link.from, link.to, topology.get().kinds()[link.kind], link.ports,
                      ticks_per_second / link.ticks_per_byte, static_cast<double>(link.delay) / ticks_per_second);
  }
  return rows;
}

}  // namespace

std::shared_ptr<const Topology> topology_from(const nb::dict& network) {
  std::string topology;
  read(network, "topology", text, topology);
  if (topology == "torus") return make_torus(torus_from(network));
  if (topology == "fat-tree") return make_fat_tree(fat_tree_from(network));
  if (topology == "dragonfly") return make_dragonfly(dragonfly_from(network));
  throw InputError("network.topology: must be torus, fat-tree or dragonfly, not \"" + topology + "\"");
}

void bind_topology(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<SharedTopology>(module, "Topology", "Nodes, routers and links of a network, and the ways over them.")
      .def(nb::init<nb::typed<nb::dict, nb::str, nb::any>>(), "network"_a)
      .def_prop_ro("nodes", [](const SharedTopology& self) { return self.get().nodes(); })
      .def_prop_ro("routers", [](const SharedTopology& self) { return self.get().routers(); })
      .def_prop_ro("links", &links_of,
                   "From, to, kind, ports, bytes per second of a port, and seconds of delay, link by link. Links of "
                   "the kind \"host out\" begin at a node and those of the kind \"host in\" end at one; all other ends "
                   "are routers.")
      .def_prop_ro("kinds", [](const SharedTopology& self) { return self.get().kinds(); })
      .def_prop_ro("fixed_routes", [](const SharedTopology& self) { return self.get().fixed_routes(); })
      .def_prop_ro("extents", [](const SharedTopology& self) { return self.get().extents(); })
      .def_prop_ro("dimension_names", [](const SharedTopology& self) { return self.get().dimension_names(); })
      .def("coordinates", &SharedTopology::coordinates, "node"_a)
      .def("route", &SharedTopology::route, "from_node"_a, "to_node"_a, "seed"_a = 0,
           "backlog"_a = std::vector<double>(),
           "Numbers of the links from a node to another one. `seed` is that of what is drawn; `backlog` says how long "
           "(in picoseconds) a byte would wait at each link, for routing that adapts.")
      .def("hops", &SharedTopology::hops, "from_node"_a, "to_node"_a,
           "Links between routers on the way; of a drawn one with the seed 0.");
}

}  // namespace schedlab::bindings
