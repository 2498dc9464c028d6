#include <optional>

#include "base/errors.hpp"
#include "execution/network/topology/adaptive.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

namespace {

enum class DragonflyRouting : std::uint8_t { minimal, valiant, adaptive };

DragonflyRouting dragonfly_routing(const std::string& name) {
  if (name == "minimal") return DragonflyRouting::minimal;
  if (name == "valiant") return DragonflyRouting::valiant;
  if (name == "adaptive") return DragonflyRouting::adaptive;
  throw InputError("network.routing: must be minimal, valiant or adaptive on a dragonfly, not \"" + name + "\"");
}

/// A router within its group.
struct Place {
  std::uint32_t row;
  std::uint32_t column;
};

std::uint32_t hops_between(Place from, Place to) {
  return (from.row != to.row ? 1U : 0U) + (from.column != to.column ? 1U : 0U);
}

/// Routers: router = (group * rows + row) * columns + column. Links between routers: those within groups, router after
/// router, the others of its row first, then the others of its column; then the global ones, group after group.
///
/// A group's global links are numbered by the group they go to, from the next one round to the one before, and that
/// `links_between` times over; they are dealt out evenly to the group's routers in this order. A link to the n-th next
/// group has its way back as that group's link to its (groups - n)-th next: the palm-tree arrangement.
class Dragonfly final : public Topology {
 public:
  explicit Dragonfly(const DragonflySpec& spec);

  void route(std::uint32_t from, std::uint32_t to, RouteChoice& choice, Path& path) const override;
  [[nodiscard]] bool fixed_routes() const override { return routing_ == DragonflyRouting::minimal; }
  [[nodiscard]] std::vector<std::uint32_t> extents() const override { return {groups_, rows_, columns_}; }
  [[nodiscard]] std::vector<std::string> dimension_names() const override { return {"group", "row", "column"}; }
  [[nodiscard]] Coordinates coordinates(std::uint32_t node) const override;

 private:
  void add_links_between(const DragonflySpec& spec);

  [[nodiscard]] LinkId row_link(std::uint32_t group, Place from, std::uint32_t column) const;
  [[nodiscard]] LinkId column_link(std::uint32_t group, Place from, std::uint32_t row) const;
  [[nodiscard]] std::uint32_t offset(std::uint32_t from, std::uint32_t to) const {
    return (to >= from ? to - from : to + groups_ - from) - 1;
  }
  void walk(std::uint32_t group, Place from, Place to, const RouteChoice& choice, Path& path) const;
  [[nodiscard]] std::uint32_t nearest_copy(std::uint32_t there, std::uint32_t back, Place from, std::optional<Place> to,
                                           std::uint32_t first) const;
  [[nodiscard]] Place walk_to_group(std::uint32_t group, Place from, std::uint32_t target, std::optional<Place> to,
                                    std::uint32_t first, const RouteChoice& choice, Path& path) const;
  void walk_minimal(std::uint32_t group, Place from, std::uint32_t target, Place to, RouteChoice& choice,
                    Path& path) const;
  void walk_by_any(std::uint32_t group, Place from, std::uint32_t target, Place to, RouteChoice& choice,
                   Path& path) const;

  DragonflyRouting routing_;
  std::uint32_t groups_;
  std::uint32_t rows_;
  std::uint32_t columns_;
  std::uint32_t nodes_per_router_;
  std::uint32_t links_between_;
  std::uint32_t routers_per_group_ = 0;
  std::uint32_t local_per_router_ = 0;
  std::uint32_t global_per_group_ = 0;
  LinkId first_local_ = 0;
  LinkId first_global_ = 0;
  std::vector<Place> places_;    // of the routers of any group
  std::vector<Place> gateways_;  // that have the global links of any group
};

std::uint32_t at_least_one(std::uint32_t value, const char* field) {
  if (value < 1) throw InputError("network." + std::string(field) + ": must be from 1 up (is 0)");
  return value;
}

Dragonfly::Dragonfly(const DragonflySpec& spec)
    : routing_(dragonfly_routing(spec.routing)),
      groups_(at_least_one(spec.groups, "groups")),
      rows_(at_least_one(spec.rows, "rows")),
      columns_(at_least_one(spec.columns, "columns")),
      nodes_per_router_(at_least_one(spec.nodes_per_router, "nodes_per_router")),
      links_between_(at_least_one(spec.links_between, "links_between")) {
  if (spec.local_ports.size() != 2) {
    throw InputError("network.local_ports: must be two numbers, of a row and of a column (are " +
                     std::to_string(spec.local_ports.size()) + ")");
  }
  constexpr std::uint64_t most = 100'000'000;  // of each: products of two of them cannot overflow
  const auto product = [](std::uint64_t left, std::uint64_t right, const char* what) {
    if (left * right > most) throw InputError("network: has more than 100,000,000 " + std::string(what));
    return left * right;
  };
  const std::uint64_t per_group = product(rows_, columns_, "routers in a group");
  const std::uint64_t routers = product(groups_, per_group, "routers");
  const std::uint64_t global = product(groups_ - 1, links_between_, "global links of a group");
  const std::uint64_t local = static_cast<std::uint64_t>(columns_ - 1) + (rows_ - 1);
  routers_per_group_ = static_cast<std::uint32_t>(per_group);
  global_per_group_ = static_cast<std::uint32_t>(global);
  local_per_router_ = static_cast<std::uint32_t>(local);
  add_nodes(product(routers, nodes_per_router_, "nodes"), routers,
            product(routers, local, "links") + product(groups_, global, "links"), nodes_per_router_,
            spec.host_bytes_per_second, spec.host_delay_seconds);
  add_links_between(spec);
}

void Dragonfly::add_links_between(const DragonflySpec& spec) {
  for (std::uint32_t router = 0; router < routers_per_group_; ++router) {
    places_.push_back({router / columns_, router % columns_});
  }
  for (std::uint64_t link = 0; link < global_per_group_; ++link) {
    gateways_.push_back(places_[link * routers_per_group_ / global_per_group_]);
  }
  const auto local = [&](std::size_t index, const char* name) {
    return add_kind(name, {spec.local_ports[index], spec.local_bytes_per_second, spec.local_delay_seconds},
                    {"network.local_ports[" + std::to_string(index) + "]", "network.local_bytes_per_second",
                     "network.local_delay_seconds"});
  };
  const Link in_row = local(0, "row");
  const Link in_column = local(1, "column");
  const Link global = add_kind("global", {1, spec.global_bytes_per_second, spec.global_delay_seconds},
                               {"network", "network.global_bytes_per_second", "network.global_delay_seconds"});
  first_local_ = static_cast<LinkId>(links_.size());
  for (std::uint32_t router = 0; router < routers_; ++router) {
    const auto [row, column] = places_[router % routers_per_group_];
    for (std::uint32_t other = 0; other < columns_; ++other) {
      if (other != column) add_link(in_row, router, router - column + other);
    }
    for (std::uint32_t other = 0; other < rows_; ++other) {
      if (other != row) add_link(in_column, router, router + other * columns_ - row * columns_);
    }
  }
  first_global_ = static_cast<LinkId>(links_.size());
  const auto router_of = [&](std::uint32_t group, Place place) {
    return group * routers_per_group_ + place.row * columns_ + place.column;
  };
  for (std::uint32_t group = 0; group < groups_; ++group) {
    for (std::uint32_t link = 0; link < global_per_group_; ++link) {
      const std::uint32_t there = link % (groups_ - 1);
      const std::uint32_t target = (group + there + 1) % groups_;
      const std::uint32_t back = link - there + offset(target, group);
      add_link(global, router_of(group, gateways_[link]), router_of(target, gateways_[back]));
    }
  }
}

LinkId Dragonfly::row_link(std::uint32_t group, Place from, std::uint32_t column) const {
  const std::uint32_t router = group * routers_per_group_ + from.row * columns_ + from.column;
  return first_local_ + router * local_per_router_ + column - (column > from.column ? 1 : 0);
}

LinkId Dragonfly::column_link(std::uint32_t group, Place from, std::uint32_t row) const {
  const std::uint32_t router = group * routers_per_group_ + from.row * columns_ + from.column;
  return first_local_ + router * local_per_router_ + (columns_ - 1) + row - (row > from.row ? 1 : 0);
}

/// Within a group: along the row, then along the column; the other way round where routing adapts and that is emptier.
void Dragonfly::walk(std::uint32_t group, Place from, Place to, const RouteChoice& choice, Path& path) const {
  if (from.row == to.row && from.column == to.column) return;
  if (from.row == to.row) return path.push_back(row_link(group, from, to.column));
  if (from.column == to.column) return path.push_back(column_link(group, from, to.row));
  const std::size_t start = path.size();
  path.push_back(row_link(group, from, to.column));
  path.push_back(column_link(group, {from.row, to.column}, to.row));
  if (routing_ != DragonflyRouting::adaptive) return;
  path.push_back(column_link(group, from, to.row));
  path.push_back(row_link(group, {to.row, from.column}, to.column));
  keep_cheaper_way(path, start, start + 2, choice);
}

/// Which of the links between two groups has the fewest hops before it (and after it, where `to` is known); of equals
/// the first one from `first` on.
std::uint32_t Dragonfly::nearest_copy(std::uint32_t there, std::uint32_t back, Place from, std::optional<Place> to,
                                      std::uint32_t first) const {
  std::uint32_t best = first;
  std::uint32_t fewest = 5;  // more than there can be
  std::uint32_t copy = first;
  for (std::uint32_t tried = 0; tried < links_between_ && fewest > 0; ++tried) {
    const std::uint32_t block = copy * (groups_ - 1);
    std::uint32_t hops = hops_between(from, gateways_[block + there]);
    if (to) hops += hops_between(gateways_[block + back], *to);
    if (hops < fewest) {
      fewest = hops;
      best = copy;
    }
    if (++copy == links_between_) copy = 0;
  }
  return best;
}

/// To another group; returns where one arrives there.
Place Dragonfly::walk_to_group(std::uint32_t group, Place from, std::uint32_t target, std::optional<Place> to,
                               std::uint32_t first, const RouteChoice& choice, Path& path) const {
  const std::uint32_t there = offset(group, target);
  const std::uint32_t back = offset(target, group);
  const std::uint32_t block = nearest_copy(there, back, from, to, first) * (groups_ - 1);
  walk(group, from, gateways_[block + there], choice, path);
  path.push_back(first_global_ + group * global_per_group_ + block + there);
  return gateways_[block + back];
}

/// Local, global, local: one global link at most.
void Dragonfly::walk_minimal(std::uint32_t group, Place from, std::uint32_t target, Place to, RouteChoice& choice,
                             Path& path) const {
  if (group == target) return walk(group, from, to, choice, path);
  // Fixed routes share equal links out by where they lead; drawn ones by chance.
  const std::uint32_t first = routing_ == DragonflyRouting::minimal
                                  ? (from.row * columns_ + from.column + to.row * columns_ + to.column) % links_between_
                                  : choice.draw(links_between_);
  walk(target, walk_to_group(group, from, target, to, first, choice, path), to, choice, path);
}

/// By a third group that is drawn; within a group, by a router of it.
void Dragonfly::walk_by_any(std::uint32_t group, Place from, std::uint32_t target, Place to, RouteChoice& choice,
                            Path& path) const {
  if (group == target) {
    const Place between = places_[choice.draw(routers_per_group_)];
    walk(group, from, between, choice, path);
    walk(group, between, to, choice, path);
    return;
  }
  if (groups_ == 2) return walk_minimal(group, from, target, to, choice, path);
  std::uint32_t between = choice.draw(groups_ - 2);
  if (between >= std::min(group, target)) ++between;
  if (between >= std::max(group, target)) ++between;
  const Place arrival = walk_to_group(group, from, between, {}, choice.draw(links_between_), choice, path);
  walk_minimal(between, arrival, target, to, choice, path);
}

void Dragonfly::route(std::uint32_t from, std::uint32_t to, RouteChoice& choice, Path& path) const {
  path.clear();
  if (from == to) return;
  const std::uint32_t router = from / nodes_per_router_;
  const std::uint32_t target = to / nodes_per_router_;
  path.push_back(host_out(from));
  if (router != target) {
    const std::uint32_t group = router / routers_per_group_;
    const std::uint32_t target_group = target / routers_per_group_;
    const Place place = places_[router - group * routers_per_group_];
    const Place target_place = places_[target - target_group * routers_per_group_];
    if (routing_ != DragonflyRouting::valiant) walk_minimal(group, place, target_group, target_place, choice, path);
    const std::size_t minimal_end = path.size();
    if (routing_ != DragonflyRouting::minimal) walk_by_any(group, place, target_group, target_place, choice, path);
    if (routing_ == DragonflyRouting::adaptive) keep_cheaper_way(path, 1, minimal_end, choice);
  }
  path.push_back(host_in(to));
}

Coordinates Dragonfly::coordinates(std::uint32_t node) const {
  const std::uint32_t router = node / nodes_per_router_;
  const Place place = places_[router % routers_per_group_];
  return {router / routers_per_group_, place.row, place.column};
}

}  // namespace

std::unique_ptr<Topology> make_dragonfly(const DragonflySpec& spec) { return std::make_unique<Dragonfly>(spec); }

}  // namespace schedlab
