// Output ports of all links: from when on each is free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "execution/network/topology/ticks.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

class Ports {
 public:
  explicit Ports(const std::vector<Link>& links) {
    first_.reserve(links.size() + 1);
    std::uint32_t next = 0;
    for (const Link& link : links) {
      first_.push_back(next);
      next += link.ports;
    }
    first_.push_back(next);
    free_.assign(next, 0);
  }

  /// Takes the port that is free first, the lowest of several, from `tick` or when it is free; returns from when.
  Tick take(LinkId link, Tick tick, Tick hold) {
    Tick& port = free_[earliest(link)];
    const Tick start = std::max(tick, port);
    port = start + hold;
    return start;
  }

  /// How long a packet waits that comes to the link at `tick`.
  [[nodiscard]] Tick wait(LinkId link, Tick tick) const { return std::max<Tick>(free_[earliest(link)] - tick, 0); }

  /// `now` is at least `by`: ports that have long been free need no time.
  void shift(Tick by) {
    for (Tick& port : free_) port = std::max<Tick>(port - by, 0);
  }

  void archive(Archive& archive) { archive(free_); }

 private:
  [[nodiscard]] std::size_t earliest(LinkId link) const {
    std::size_t best = first_[link];
    for (std::size_t port = best + 1; port < first_[link + std::size_t{1}]; ++port) {
      if (free_[port] < free_[best]) best = port;
    }
    return best;
  }

  std::vector<std::uint32_t> first_;  // port of each link, and one more after the last
  std::vector<Tick> free_;
};

}  // namespace schedlab
