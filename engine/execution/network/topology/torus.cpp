#include <string_view>

#include "base/errors.hpp"
#include "execution/network/topology/adaptive.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

namespace {

constexpr std::string_view axis_names = "xyzwvuts";

enum class TorusRouting : std::uint8_t { dimension_order, valiant, adaptive };

TorusRouting torus_routing(const std::string& name) {
  if (name == "dimension-order") return TorusRouting::dimension_order;
  if (name == "valiant") return TorusRouting::valiant;
  if (name == "adaptive") return TorusRouting::adaptive;
  throw InputError("network.routing: must be dimension-order, valiant or adaptive on a torus, not \"" + name + "\"");
}

/// A router's links lie together, axis after axis, up before down: the number of a link is arithmetic.
struct Axis {
  std::uint32_t extent;
  std::uint32_t stride;  // between routers that are neighbours
  std::uint32_t up;      // place of the link up among its router's; the one down is next
};

class Torus final : public Topology {
 public:
  explicit Torus(const TorusSpec& spec);

  void route(std::uint32_t from, std::uint32_t to, RouteChoice& choice, Path& path) const override;
  [[nodiscard]] bool fixed_routes() const override { return routing_ == TorusRouting::dimension_order; }
  [[nodiscard]] std::vector<std::uint32_t> extents() const override;
  [[nodiscard]] std::vector<std::string> dimension_names() const override;
  [[nodiscard]] Coordinates coordinates(std::uint32_t node) const override;

 private:
  void add_links_between(const TorusSpec& spec);
  void walk(std::uint32_t router, std::uint32_t target, const RouteChoice& choice, Path& path) const;
  void walk_by_any(std::uint32_t router, std::uint32_t target, RouteChoice& choice, Path& path) const;
  [[nodiscard]] bool goes_up(std::uint32_t steps_up, std::uint32_t extent, LinkId up, const RouteChoice& choice) const;

  TorusRouting routing_;
  std::uint32_t nodes_per_router_;
  std::uint32_t links_per_router_ = 0;
  LinkId first_between_ = 0;
  std::vector<Axis> axes_;
};

template <class Value>
void check_per_dimension(const std::vector<Value>& values, std::size_t dimensions, const char* field) {
  if (values.size() == dimensions) return;
  throw InputError("network." + std::string(field) + ": must have one value for each of the " +
                   std::to_string(dimensions) + " dimensions (has " + std::to_string(values.size()) + ")");
}

Torus::Torus(const TorusSpec& spec) : routing_(torus_routing(spec.routing)), nodes_per_router_(spec.nodes_per_router) {
  const std::size_t dimensions = spec.dimensions.size();
  if (dimensions < 1 || dimensions > axis_names.size()) {
    throw InputError("network.dimensions: must be from 1 to 8 numbers (are " + std::to_string(dimensions) + ")");
  }
  check_per_dimension(spec.ports, dimensions, "ports");
  check_per_dimension(spec.bytes_per_second, dimensions, "bytes_per_second");
  check_per_dimension(spec.delay_seconds, dimensions, "delay_seconds");
  if (spec.nodes_per_router < 1) throw InputError("network.nodes_per_router: must be from 1 up (is 0)");
  std::uint64_t routers = 1;
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    const std::uint32_t extent = spec.dimensions[axis];
    if (extent < 1) throw InputError("network.dimensions[" + std::to_string(axis) + "]: must be from 1 up (is 0)");
    axes_.push_back({extent, static_cast<std::uint32_t>(routers), links_per_router_});
    links_per_router_ += extent > 2 ? 2 : extent - 1;  // two routers: what goes up arrives where what goes down does
    routers *= extent;
    if (routers > 0xFFFFFFFFU) throw InputError("network.dimensions: make more than 4,294,967,295 routers");
  }
  add_nodes(routers * spec.nodes_per_router, routers, routers * links_per_router_, spec.nodes_per_router,
            spec.host_bytes_per_second, spec.host_delay_seconds);
  add_links_between(spec);
}

void Torus::add_links_between(const TorusSpec& spec) {
  first_between_ = static_cast<LinkId>(links_.size());
  std::vector<Link> like;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const std::string at = "[" + std::to_string(axis) + "]";
    like.push_back(add_kind(std::string(1, axis_names[axis]),
                            {spec.ports[axis], spec.bytes_per_second[axis], spec.delay_seconds[axis]},
                            {"network.ports" + at, "network.bytes_per_second" + at, "network.delay_seconds" + at}));
  }
  for (std::uint32_t router = 0; router < routers_; ++router) {
    for (std::size_t index = 0; index < axes_.size(); ++index) {
      const auto [extent, stride, up] = axes_[index];
      const std::uint32_t here = router / stride % extent;
      const std::uint32_t round = (extent - 1) * stride;
      if (extent > 1) add_link(like[index], router, here + 1 < extent ? router + stride : router - round);
      if (extent > 2) add_link(like[index], router, here > 0 ? router - stride : router + round);
    }
  }
}

/// Whether the way up is the shorter one, or as short as the one down: then up, or where its link has the shorter
/// backlog.
bool Torus::goes_up(std::uint32_t steps_up, std::uint32_t extent, LinkId up, const RouteChoice& choice) const {
  const std::uint32_t steps_down = extent - steps_up;
  if (steps_up != steps_down || routing_ != TorusRouting::adaptive || extent == 2) return steps_up <= steps_down;
  return choice.backlog(up) <= choice.backlog(up + 1);
}

/// Axis after axis, the shorter way round.
void Torus::walk(std::uint32_t router, std::uint32_t target, const RouteChoice& choice, Path& path) const {
  std::uint32_t rest = router;
  std::uint32_t rest_of_target = target;
  for (const auto [extent, stride, up] : axes_) {
    std::uint32_t here = rest % extent;
    const std::uint32_t there = rest_of_target % extent;
    rest /= extent;
    rest_of_target /= extent;
    if (here == there) continue;
    const std::uint32_t steps_up = there > here ? there - here : there + extent - here;
    const std::uint32_t round = (extent - 1) * stride;
    if (goes_up(steps_up, extent, first_between_ + router * links_per_router_ + up, choice)) {
      for (std::uint32_t step = 0; step < steps_up; ++step) {
        path.push_back(first_between_ + router * links_per_router_ + up);
        const bool wraps = ++here == extent;
        router = wraps ? router - round : router + stride;
        if (wraps) here = 0;
      }
    } else {
      for (std::uint32_t step = steps_up; step < extent; ++step) {
        path.push_back(first_between_ + router * links_per_router_ + up + 1);
        const bool wraps = here == 0;
        router = wraps ? router + round : router - stride;
        here = (wraps ? extent : here) - 1;
      }
    }
  }
}

/// By a router drawn from all of them.
void Torus::walk_by_any(std::uint32_t router, std::uint32_t target, RouteChoice& choice, Path& path) const {
  const std::uint32_t between = choice.draw(routers_);
  walk(router, between, choice, path);
  walk(between, target, choice, path);
}

void Torus::route(std::uint32_t from, std::uint32_t to, RouteChoice& choice, Path& path) const {
  path.clear();
  if (from == to) return;
  const std::uint32_t router = from / nodes_per_router_;
  const std::uint32_t target = to / nodes_per_router_;
  path.push_back(host_out(from));
  if (router != target) {
    if (routing_ != TorusRouting::valiant) walk(router, target, choice, path);
    const std::size_t minimal_end = path.size();
    if (routing_ != TorusRouting::dimension_order) walk_by_any(router, target, choice, path);
    if (routing_ == TorusRouting::adaptive) keep_cheaper_way(path, 1, minimal_end, choice);
  }
  path.push_back(host_in(to));
}

std::vector<std::uint32_t> Torus::extents() const {
  std::vector<std::uint32_t> extents;
  extents.reserve(axes_.size());
  for (const Axis& axis : axes_) extents.push_back(axis.extent);
  return extents;
}

std::vector<std::string> Torus::dimension_names() const {
  std::vector<std::string> names;
  names.reserve(axes_.size());
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) names.emplace_back(1, axis_names[axis]);
  return names;
}

Coordinates Torus::coordinates(std::uint32_t node) const {
  Coordinates coordinates;
  const std::uint32_t router = node / nodes_per_router_;
  for (const Axis& axis : axes_) coordinates.push_back(router / axis.stride % axis.extent);
  return coordinates;
}

}  // namespace

std::unique_ptr<Topology> make_torus(const TorusSpec& spec) { return std::make_unique<Torus>(spec); }

}  // namespace schedlab
