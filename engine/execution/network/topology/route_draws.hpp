// Routes that are drawn, where nobody knows how busy the links are.
#pragma once

#include <cstdint>

#include "base/archive.hpp"
#include "base/random.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

class RouteDraws final : public RouteChoice {
 public:
  explicit RouteDraws(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] double backlog(LinkId) const override { return 0.0; }
  std::uint32_t draw(std::uint32_t n) override { return random_.below(n); }

  void archive(Archive& archive) { archive(random_); }

 private:
  Random random_;
};

}  // namespace schedlab
