#include "dispatch/allocators/node_orders.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

namespace {

/// What nodes are sorted by: one number after the other, the least first.
using Key = std::vector<std::uint64_t>;
using Extents = std::vector<std::uint32_t>;

[[noreturn]] void refuse(const std::string& what) { throw InputError("order: " + what); }

/// A mixed-radix number of the coordinates in these dimensions, the first of them fastest.
std::uint64_t number_of(const Coordinates& at, const Extents& extents, const std::vector<std::size_t>& dimensions) {
  std::uint64_t number = 0;
  for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension) {
    number = number * extents[*dimension] + at[*dimension];
  }
  return number;
}

std::vector<std::size_t> all_of(const Extents& extents) {
  std::vector<std::size_t> dimensions(extents.size());
  std::iota(dimensions.begin(), dimensions.end(), std::size_t{0});
  return dimensions;
}

/// The place on a line that turns round at the end of every row, so that neighbours on it are neighbours: the reflected
/// Gray code of mixed radices.
std::uint64_t snake_place(const Coordinates& at, const Extents& extents) {
  std::uint64_t place = 0;
  for (std::size_t dimension = extents.size(); dimension-- > 0;) {
    const bool back = place % 2 == 1;
    place = place * extents[dimension] + (back ? extents[dimension] - 1 - at[dimension] : at[dimension]);
  }
  return place;
}

/// The place on the Hilbert curve through a cube of 2^bits in every dimension (Skilling 2004, "Programming the Hilbert
/// curve"): for each bit, from the highest on, that bit of all dimensions, the first of them highest.
Key curve_place(Coordinates at, unsigned bits) {
  const std::size_t dimensions = at.size();
  for (std::uint32_t bit = std::uint32_t{1} << (bits - 1); bit > 1; bit >>= 1U) {
    const std::uint32_t below = bit - 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      if ((at[i] & bit) != 0) {
        at[0] ^= below;
      } else {
        const std::uint32_t exchanged = (at[0] ^ at[i]) & below;
        at[0] ^= exchanged;
        at[i] ^= exchanged;
      }
    }
  }
  for (std::size_t i = 1; i < dimensions; ++i) at[i] ^= at[i - 1];
  std::uint32_t flipped = 0;
  for (std::uint32_t bit = std::uint32_t{1} << (bits - 1); bit > 1; bit >>= 1U) {
    if ((at[dimensions - 1] & bit) != 0) flipped ^= bit - 1;
  }
  for (std::uint32_t& coordinate : at) coordinate ^= flipped;
  Key place;
  for (unsigned bit = bits; bit-- > 0;) {
    std::uint64_t level = 0;
    for (const std::uint32_t coordinate : at) level = level * 2 + ((coordinate >> bit) & 1U);
    place.push_back(level);
  }
  return place;
}

/// The numbers in "boxes(2,1,2)", one for each dimension.
Extents box_of(const std::string& name, std::size_t dimensions) {
  Extents box;
  const char* const end = name.data() + name.size();
  for (const char* next = name.data() + std::string_view("boxes").size(); next < end - 1;) {
    std::uint32_t extent = 0;
    const auto [after, error] = std::from_chars(next + 1, end, extent);
    if (error != std::errc() || extent == 0) break;
    box.push_back(extent);
    next = after;
    if (next < end && *next != ',') break;
  }
  const auto written = [&] {
    std::string text = "boxes(";
    for (const std::uint32_t extent : box) text += std::to_string(extent) + ",";
    text.back() = ')';
    return text;
  };
  if (box.size() != dimensions || name != written()) {
    refuse("\"" + name + "\" must have " + std::to_string(dimensions) +
           " whole numbers from 1 up, the extents of a box: one for each dimension of the network");
  }
  return box;
}

/// The dimensions that a text such as "xzy" names, each once; empty where it does not.
std::vector<std::size_t> dimensions_in(const std::string& text, const std::vector<std::string>& names) {
  std::vector<std::size_t> dimensions;
  for (const char letter : text) {
    const auto found = std::find(names.begin(), names.end(), std::string(1, letter));
    const auto dimension = static_cast<std::size_t>(found - names.begin());
    if (found == names.end() || std::count(dimensions.begin(), dimensions.end(), dimension) > 0) return {};
    dimensions.push_back(dimension);
  }
  if (dimensions.size() != names.size()) return {};
  return dimensions;
}

/// Sorts the nodes by their coordinates; those of one router stay together.
template <class KeyOf>
std::vector<std::uint32_t> sorted_by(const Topology& topology, KeyOf key_of) {
  std::vector<std::pair<Key, std::uint32_t>> keyed(topology.nodes());
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    keyed[node] = {key_of(topology.coordinates(node)), node};
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::uint32_t> nodes(keyed.size());
  std::transform(keyed.begin(), keyed.end(), nodes.begin(), [](const auto& entry) { return entry.second; });
  return nodes;
}

std::vector<std::uint32_t> checked(const std::vector<std::uint32_t>& given, std::uint32_t nodes) {
  std::vector<bool> seen(nodes);
  for (const std::uint32_t node : given) {
    if (node >= nodes) {
      refuse("there is no node " + std::to_string(node) + "; the system has nodes 0 to " + std::to_string(nodes - 1));
    }
    if (seen[node]) refuse("node " + std::to_string(node) + " comes twice");
    seen[node] = true;
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end()) {
    refuse("node " + std::to_string(missing - seen.begin()) + " is missing; all " + std::to_string(nodes) +
           " nodes must be there");
  }
  return given;
}

/// Orders of a grid, whose dimensions have letters.
std::vector<std::uint32_t> nodes_in_grid(const std::string& name, const Topology& topology) {
  const Extents extents = topology.extents();
  const std::vector<std::size_t> all = all_of(extents);
  if (name == "topological") {
    return sorted_by(topology, [&](const Coordinates& at) { return Key{number_of(at, extents, all)}; });
  }
  if (name == "snake") {
    return sorted_by(topology, [&](const Coordinates& at) { return Key{snake_place(at, extents)}; });
  }
  if (name == "curve") {
    const std::uint32_t longest = *std::max_element(extents.begin(), extents.end());
    const auto bits = std::max(1U, static_cast<unsigned>(std::bit_width(longest - 1)));
    return sorted_by(topology, [&](const Coordinates& at) { return curve_place(at, bits); });
  }
  if (name.starts_with("boxes")) {
    const Extents box = box_of(name, extents.size());
    Extents boxes(extents.size());
    for (const std::size_t i : all) boxes[i] = (extents[i] + box[i] - 1) / box[i];
    return sorted_by(topology, [&](const Coordinates& at) {
      Coordinates which(at);
      Coordinates inside(at);
      for (const std::size_t i : all) {
        which[i] = at[i] / box[i];
        inside[i] = at[i] % box[i];
      }
      return Key{number_of(which, boxes, all), number_of(inside, box, all)};
    });
  }
  const std::vector<std::string> names = topology.dimension_names();
  const std::vector<std::size_t> dimensions = dimensions_in(name, names);
  if (dimensions.empty()) {
    std::string known;
    for (const std::string& dimension : names) known += dimension;
    refuse("\"" + name + "\" is not known; the network has the dimensions " + known +
           ": give each of them once, or configured, topological, snake, curve or boxes(...)");
  }
  return sorted_by(topology, [&](const Coordinates& at) { return Key{number_of(at, extents, dimensions)}; });
}

}  // namespace

std::vector<std::uint32_t> nodes_in(const NodeOrder& order, std::uint32_t nodes, const Topology* topology) {
  if (!order.nodes.empty()) return checked(order.nodes, nodes);
  if (order.configured()) {
    std::vector<std::uint32_t> all(nodes);
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    return all;
  }
  if (topology == nullptr) {
    refuse("the system has no network, which \"" + order.name +
           "\" needs; give it one ([network]), or a list of nodes as order");
  }
  if (topology->nodes() != nodes) {
    refuse("the network has " + std::to_string(topology->nodes()) + " nodes, the system " + std::to_string(nodes));
  }
  const std::vector<std::string> names = topology->dimension_names();
  const bool grid = std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.size() == 1; });
  if (grid) return nodes_in_grid(order.name, *topology);
  if (order.name != "topological") {
    refuse("\"" + order.name +
           "\" is not known or needs a torus, which the network is not; here there are configured and topological");
  }
  // The coordinates of other networks are given from the top down.
  return sorted_by(*topology, [](const Coordinates& at) { return Key(at.begin(), at.end()); });
}

}  // namespace schedlab
