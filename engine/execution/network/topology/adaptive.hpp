// Universal globally adaptive load-balanced routing (UGAL; Singh 2005, Kim et al. 2008): at its source a packet takes
// the minimal way, or one by a place drawn at random (Valiant 1982) where the minimal one is much fuller.
#pragma once

#include <algorithm>
#include <cstddef>

#include "execution/network/topology/topology.hpp"

namespace schedlab {

/// What a way would cost: its hops times the longest backlog on it.
inline double cost_of_way(const LinkId* first, const LinkId* last, const RouteChoice& choice) {
  double longest = 0.0;
  for (const LinkId* link = first; link != last; ++link) longest = std::max(longest, choice.backlog(*link));
  return longest * static_cast<double>(last - first);
}

/// `path` ends with two ways, the minimal one from `minimal` on and another one from `other` on: keeps the minimal one
/// unless the other costs less.
inline void keep_cheaper_way(Path& path, std::size_t minimal, std::size_t other, const RouteChoice& choice) {
  const LinkId* links = path.data();
  const double cost = cost_of_way(links + minimal, links + other, choice);
  if (cost_of_way(links + other, links + path.size(), choice) < cost) {
    path.erase(path.begin() + static_cast<std::ptrdiff_t>(minimal), path.begin() + static_cast<std::ptrdiff_t>(other));
  } else {
    path.resize(other);
  }
}

}  // namespace schedlab
