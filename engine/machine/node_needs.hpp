// What jobs need of a node beyond amounts of its resources, such as features.
#pragma once

#include <memory>
#include <string>

#include "machine/node_sets.hpp"

namespace schedlab {

/// The nodes that have what jobs need. Jobs have it as a number.
class NodeNeeds {
 public:
  NodeNeeds() = default;
  NodeNeeds(const NodeNeeds&) = default;
  NodeNeeds& operator=(const NodeNeeds&) = delete;
  virtual ~NodeNeeds() = default;

  /// Throws InputError where the number stands for nothing.
  [[nodiscard]] virtual NodeRanges nodes(double number) const = 0;
  /// As a person wrote it.
  [[nodiscard]] virtual std::string text(double number) const = 0;

  [[nodiscard]] virtual std::unique_ptr<NodeNeeds> clone() const = 0;
};

}  // namespace schedlab
