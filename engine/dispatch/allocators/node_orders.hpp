// Orders of nodes: the lists that allocators go by.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace schedlab {

class Topology;

/// A permutation of the nodes: by a name, or as it is given.
struct NodeOrder {
  // "configured" (by number), "topological", "snake", "curve", "boxes(2,1,2)", or names of dimensions such as "xzy",
  // the fastest first.
  std::string name = "configured";
  std::vector<std::uint32_t> nodes;  // instead of a name, where there are any

  [[nodiscard]] bool configured() const { return nodes.empty() && name == "configured"; }
};

/// The nodes in that order. Those of one router stay together, by number. Throws InputError where the order is unknown,
/// is not a permutation, or needs a network that the system does not have (`topology` is null) or has of another kind.
std::vector<std::uint32_t> nodes_in(const NodeOrder& order, std::uint32_t nodes, const Topology* topology);

}  // namespace schedlab
