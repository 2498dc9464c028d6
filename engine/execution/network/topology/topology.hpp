// Interconnects: nodes, routers, the links between them, and the ways over these links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "execution/network/topology/ticks.hpp"

namespace schedlab {

using LinkId = std::uint32_t;

/// One direction between two ends. Several equal ports may lie side by side: a packet takes the one that is free first.
struct Link {
  std::uint32_t from;     // router, or node where the link leaves one
  std::uint32_t to;       // router, or node where the link goes to one
  std::uint16_t kind;     // place in Topology::kinds
  std::uint16_t ports;    // at least 1
  double ticks_per_byte;  // of one port
  Tick delay;             // after the last byte

  /// How long a port is taken by N bytes.
  [[nodiscard]] Tick time_for(std::uint64_t bytes) const {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): >= 0
    return static_cast<Tick>(static_cast<double>(bytes) * ticks_per_byte + 0.5);
  }
  /// Bytes per tick of all ports together.
  [[nodiscard]] double capacity() const { return ports / ticks_per_byte; }
};

/// What a route may depend on beyond its ends.
class RouteChoice {
 public:
  RouteChoice() = default;
  RouteChoice(const RouteChoice&) = default;
  RouteChoice& operator=(const RouteChoice&) = default;
  virtual ~RouteChoice() = default;

  /// How long a byte that came to the link now would take to its other end, in ticks: waiting, and the way itself,
  /// which keeps an idle detour from being free. 0 where nobody knows.
  [[nodiscard]] virtual double backlog(LinkId link) const = 0;
  /// Uniform among 0 .. n-1.
  virtual std::uint32_t draw(std::uint32_t n) = 0;
};

/// Links in the order in which they are taken: the node's own, those between routers, the other node's own.
using Path = std::vector<LinkId>;

/// Where a node is, as orders of nodes see it: coordinates of its router in every dimension, in the order of
/// Topology::dimension_names (torus: x, y, z, ..., the first one fastest as routers are numbered; fat-tree: the branch
/// taken at each level from the top down, and dragonfly: group, row, column, the last one fastest).
using Coordinates = std::vector<std::uint32_t>;

class Topology {
 public:
  Topology() = default;
  Topology(const Topology&) = default;
  Topology& operator=(const Topology&) = delete;
  virtual ~Topology() = default;

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] std::uint32_t routers() const { return routers_; }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  /// Names of kinds of links, such as "x", "up" or "global"; the first two are "host out" (from a node) and "host in".
  [[nodiscard]] const std::vector<std::string>& kinds() const { return kinds_; }
  [[nodiscard]] bool between_routers(LinkId link) const { return links_[link].kind >= 2; }

  /// Writes the way from one node to another one into `path`; no links where they are one node.
  virtual void route(std::uint32_t from, std::uint32_t to, RouteChoice& choice, Path& path) const = 0;
  /// Whether routes depend on their two ends alone.
  [[nodiscard]] virtual bool fixed_routes() const = 0;

  /// Extent and names of the dimensions of coordinates, and those of a node.
  [[nodiscard]] virtual std::vector<std::uint32_t> extents() const = 0;
  [[nodiscard]] virtual std::vector<std::string> dimension_names() const = 0;
  [[nodiscard]] virtual Coordinates coordinates(std::uint32_t node) const = 0;

 protected:
  /// What links of one kind have in common, as a description gives it.
  struct Wire {
    std::uint32_t ports;
    double bytes_per_second;
    double delay_seconds;
  };
  /// Fields of the description that a wire came from, for messages.
  struct WireFields {
    std::string ports;
    std::string bytes_per_second;
    std::string delay_seconds;
  };

  /// That many nodes, their links (node n's own: n out, nodes + n in) and room for `between` links between routers.
  /// Throws InputError where there are too many, or none.
  void add_nodes(std::uint64_t nodes, std::uint64_t routers, std::uint64_t between, std::uint32_t nodes_per_router,
                 double bytes_per_second, double delay_seconds);
  /// A link like others of its kind, whose ends are still open. Throws InputError where a number is out of range.
  Link add_kind(const std::string& name, const Wire& wire, const WireFields& fields);
  void add_link(const Link& like, std::uint32_t from, std::uint32_t to);
  [[nodiscard]] LinkId host_out(std::uint32_t node) const { return node; }
  [[nodiscard]] LinkId host_in(std::uint32_t node) const { return nodes_ + node; }

  std::uint32_t nodes_ = 0;
  std::uint32_t routers_ = 0;
  std::vector<Link> links_;
  std::vector<std::string> kinds_;
};

/// Torus of up to eight dimensions. Router index: the first dimension is fastest. Node n sits on router
/// n / nodes_per_router. Routing: dimension order, the shorter way round, ties go up.
struct TorusSpec {
  std::vector<std::uint32_t> dimensions;
  std::uint32_t nodes_per_router = 1;
  std::vector<std::uint16_t> ports;      // per dimension
  std::vector<double> bytes_per_second;  // of a port, per dimension
  std::vector<double> delay_seconds;     // per dimension
  double host_bytes_per_second = 0.0;
  double host_delay_seconds = 0.0;
  std::string routing = "dimension-order";  // or "valiant", "adaptive"
};

/// Tree of switches: `down[l]` links down from each switch of level l (level 0 are the leaves, whose links go to
/// nodes), `up[l]` switches above each switch of level l (an extended generalised fat tree; tapering: up smaller than
/// down). `ports[l]` links side by side between level l and l + 1.
struct FatTreeSpec {
  std::vector<std::uint32_t> down;  // one more than up
  std::vector<std::uint32_t> up;
  std::vector<std::uint16_t> ports;
  std::vector<double> bytes_per_second;  // of a port, per level of links between switches
  std::vector<double> delay_seconds;
  double host_bytes_per_second = 0.0;
  double host_delay_seconds = 0.0;
  std::string routing = "d-mod-k";  // or "nearest-common-ancestor" (at random among equals), "adaptive"
};

/// Groups of routers; within a group all to all (canonical: one row), or rows and columns (Aries: `rows` chassis of
/// `columns` routers, all to all in a row and in a column). Global links: each pair of groups has `links_between`,
/// spread evenly over the routers of a group, those to the next group first (palm-tree arrangement).
struct DragonflySpec {
  std::uint32_t groups = 0;
  std::uint32_t rows = 1;
  std::uint32_t columns = 0;
  std::uint32_t nodes_per_router = 1;
  std::uint32_t links_between = 1;         // of two groups
  std::vector<std::uint16_t> local_ports;  // in a row, in a column
  double local_bytes_per_second = 0.0;
  double local_delay_seconds = 0.0;
  double global_bytes_per_second = 0.0;
  double global_delay_seconds = 0.0;
  double host_bytes_per_second = 0.0;
  double host_delay_seconds = 0.0;
  std::string routing = "minimal";  // or "valiant", "adaptive" (UGAL)
};

/// Throw InputError where numbers do not go together.
std::unique_ptr<Topology> make_torus(const TorusSpec& spec);
std::unique_ptr<Topology> make_fat_tree(const FatTreeSpec& spec);
std::unique_ptr<Topology> make_dragonfly(const DragonflySpec& spec);

}  // namespace schedlab
