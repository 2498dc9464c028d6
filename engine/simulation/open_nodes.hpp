// Nodes that stay open to a job that starts now.
#pragma once

#include <cstdint>

#include "dispatch/allocators/allocator.hpp"
#include "machine/closed_nodes.hpp"

namespace schedlab {

/// Keeps a job off the nodes that a window will close to it before it ends.
class OpenNodes final : public NodeLimit {
 public:
  OpenNodes(ClosedNodes& nodes, const Windows& windows, const Job& job, Time now) : nodes_(nodes) {
    nodes_.look(windows, job, now, later(now, job.planned_length()));
  }

  [[nodiscard]] bool closed(std::uint32_t node) const override { return nodes_.has(node); }
  std::uint32_t at_most(std::uint32_t node, std::uint32_t tasks) override { return closed(node) ? 0 : tasks; }

 private:
  ClosedNodes& nodes_;
};

}  // namespace schedlab
