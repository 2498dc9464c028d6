#include <algorithm>

#include "base/errors.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

namespace {

enum class TreeRouting : std::uint8_t { by_destination, drawn, adaptive };

TreeRouting tree_routing(const std::string& name) {
  if (name == "d-mod-k") return TreeRouting::by_destination;
  if (name == "nearest-common-ancestor") return TreeRouting::drawn;
  if (name == "adaptive") return TreeRouting::adaptive;
  throw InputError("network.routing: must be d-mod-k, nearest-common-ancestor or adaptive on a fat-tree, not \"" +
                   name + "\"");
}

/// A level of switches. Each subtree below it has `copies` switches of this level at its top, numbered one after the
/// other: switch = subtree * copies + copy. The copy at the next level is the up-port times `copies` plus the copy
/// here, so that a copy's number holds all up-ports on the way to it, the first one fastest.
struct Level {
  std::uint32_t down;      // links down from a switch
  std::uint32_t up;        // links up from a switch; 0 at the top
  std::uint32_t nodes;     // below a switch
  std::uint32_t copies;    // switches that have the same nodes below them
  std::uint32_t switches;  // of the level
  std::uint32_t first_switch = 0;
  LinkId first_up = 0;
  LinkId first_down = 0;  // nothing at the leaves, whose links down are those of the nodes
};

class FatTree final : public Topology {
 public:
  explicit FatTree(const FatTreeSpec& spec);

  void route(std::uint32_t from, std::uint32_t to, RouteChoice& choice, Path& path) const override;
  [[nodiscard]] bool fixed_routes() const override { return routing_ == TreeRouting::by_destination; }
  [[nodiscard]] std::vector<std::uint32_t> extents() const override;
  [[nodiscard]] std::vector<std::string> dimension_names() const override;
  [[nodiscard]] Coordinates coordinates(std::uint32_t node) const override;

 private:
  void add_links_between(const FatTreeSpec& spec);
  [[nodiscard]] std::uint32_t up_port(const Level& level, std::uint32_t to, LinkId first, RouteChoice& choice) const;

  TreeRouting routing_;
  std::vector<Level> levels_;
};

void check_shape(const FatTreeSpec& spec) {
  const auto counted = [](std::size_t count) { return " (are " + std::to_string(count) + ")"; };
  const auto at = [](const char* field, std::size_t level) {
    return "network." + std::string(field) + "[" + std::to_string(level) + "]";
  };
  if (spec.down.empty() || spec.down.size() > 16) {
    throw InputError("network.down: must be from 1 to 16 numbers, one for each level" + counted(spec.down.size()));
  }
  const std::size_t gaps = spec.down.size() - 1;
  const auto check_count = [&](std::size_t count, const char* field) {
    if (count == gaps) return;
    throw InputError("network." + std::string(field) + ": must be one number fewer than network.down has, " +
                     std::to_string(gaps) + counted(count));
  };
  check_count(spec.up.size(), "up");
  check_count(spec.ports.size(), "ports");
  check_count(spec.bytes_per_second.size(), "bytes_per_second");
  check_count(spec.delay_seconds.size(), "delay_seconds");
  for (std::size_t level = 0; level <= gaps; ++level) {
    if (spec.down[level] < 1) throw InputError(at("down", level) + ": must be from 1 up (is 0)");
    if (level < gaps && spec.up[level] < 1) throw InputError(at("up", level) + ": must be from 1 up (is 0)");
  }
}

FatTree::FatTree(const FatTreeSpec& spec) : routing_(tree_routing(spec.routing)) {
  check_shape(spec);
  constexpr std::uint64_t most = 0xFFFFFFFFU;
  const std::size_t count = spec.down.size();
  std::uint64_t nodes = 1;
  for (const std::uint32_t down : spec.down) {
    nodes *= down;
    if (nodes > most) throw InputError("network.down: makes more than 4,294,967,295 nodes");
  }
  std::uint64_t below = 1;
  std::uint64_t copies = 1;
  std::uint64_t routers = 0;
  std::uint64_t between = 0;
  for (std::size_t index = 0; index < count; ++index) {
    below *= spec.down[index];
    const std::uint32_t up = index + 1 < count ? spec.up[index] : 0;
    const std::uint64_t switches = nodes / below * copies;
    if (switches > most || switches * up > most) {
      throw InputError("network.up: makes more than 4,294,967,295 switches or links of a level");
    }
    levels_.push_back({spec.down[index], up, static_cast<std::uint32_t>(below), static_cast<std::uint32_t>(copies),
                       static_cast<std::uint32_t>(switches)});
    levels_.back().first_switch = static_cast<std::uint32_t>(std::min(routers, most));
    routers += switches;
    between += 2 * switches * up;
    copies *= up;
  }
  add_nodes(nodes, routers, between, spec.down[0], spec.host_bytes_per_second, spec.host_delay_seconds);
  add_links_between(spec);
}

void FatTree::add_links_between(const FatTreeSpec& spec) {
  for (std::size_t index = 0; index + 1 < levels_.size(); ++index) {
    Level& low = levels_[index];
    Level& high = levels_[index + 1];
    const std::string at = "[" + std::to_string(index) + "]";
    const std::string number = levels_.size() > 2 ? " " + std::to_string(index) : "";
    const Wire wire{spec.ports[index], spec.bytes_per_second[index], spec.delay_seconds[index]};
    const WireFields fields{"network.ports" + at, "network.bytes_per_second" + at, "network.delay_seconds" + at};
    const Link up = add_kind("up" + number, wire, fields);
    const Link down = add_kind("down" + number, wire, fields);
    low.first_up = static_cast<LinkId>(links_.size());
    for (std::uint32_t place = 0; place < low.switches; ++place) {
      const std::uint32_t first = place / low.copies / high.down * high.copies + place % low.copies;
      for (std::uint32_t port = 0; port < low.up; ++port) {
        add_link(up, low.first_switch + place, high.first_switch + first + port * low.copies);
      }
    }
    high.first_down = static_cast<LinkId>(links_.size());
    for (std::uint32_t place = 0; place < high.switches; ++place) {
      const std::uint32_t copy = place % high.copies % low.copies;
      for (std::uint32_t branch = 0; branch < high.down; ++branch) {
        const std::uint32_t subtree = place / high.copies * high.down + branch;
        add_link(down, high.first_switch + place, low.first_switch + subtree * low.copies + copy);
      }
    }
  }
}

/// Which way up from a switch whose links up begin with `first`.
std::uint32_t FatTree::up_port(const Level& level, std::uint32_t to, LinkId first, RouteChoice& choice) const {
  if (routing_ == TreeRouting::drawn) return choice.draw(level.up);
  const std::uint32_t by_destination = to / level.copies % level.up;
  if (routing_ == TreeRouting::by_destination) return by_destination;
  std::uint32_t best = by_destination;  // and the others in turn: among equals, packets spread by where they go
  double least = choice.backlog(first + best);
  for (std::uint32_t step = 1; step < level.up && least > 0.0; ++step) {
    const std::uint32_t port = (by_destination + step) % level.up;
    const double backlog = choice.backlog(first + port);
    if (backlog < least) {
      least = backlog;
      best = port;
    }
  }
  return best;
}

/// Up to the lowest level whose switches have both nodes below them, and down the only way there is.
void FatTree::route(std::uint32_t from, std::uint32_t to, RouteChoice& choice, Path& path) const {
  path.clear();
  if (from == to) return;
  path.push_back(host_out(from));
  std::size_t top = 0;
  std::uint32_t copy = 0;
  for (; from / levels_[top].nodes != to / levels_[top].nodes; ++top) {
    const Level& level = levels_[top];
    const LinkId first = level.first_up + (from / level.nodes * level.copies + copy) * level.up;
    const std::uint32_t port = up_port(level, to, first, choice);
    path.push_back(first + port);
    copy += port * level.copies;
  }
  for (; top > 0; --top) {
    const Level& level = levels_[top];
    const std::uint32_t branch = to / levels_[top - 1].nodes % level.down;
    path.push_back(level.first_down + (to / level.nodes * level.copies + copy) * level.down + branch);
    copy %= levels_[top - 1].copies;
  }
  path.push_back(host_in(to));
}

std::vector<std::uint32_t> FatTree::extents() const {
  if (levels_.size() == 1) return {1};
  std::vector<std::uint32_t> extents;
  for (std::size_t index = levels_.size() - 1; index > 0; --index) extents.push_back(levels_[index].down);
  return extents;
}

std::vector<std::string> FatTree::dimension_names() const {
  if (levels_.size() == 1) return {"level 0"};
  std::vector<std::string> names;
  for (std::size_t index = levels_.size() - 1; index > 0; --index) names.push_back("level " + std::to_string(index));
  return names;
}

Coordinates FatTree::coordinates(std::uint32_t node) const {
  if (levels_.size() == 1) return {0};
  Coordinates coordinates;
  for (std::size_t index = levels_.size() - 1; index > 0; --index) {
    coordinates.push_back(node / levels_[index - 1].nodes % levels_[index].down);
  }
  return coordinates;
}

}  // namespace

std::unique_ptr<Topology> make_fat_tree(const FatTreeSpec& spec) { return std::make_unique<FatTree>(spec); }

}  // namespace schedlab
