// Allocators: which nodes a job gets. Each takes nodes in its own order and fills every one before the next.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "job.hpp"
#include "machine.hpp"
#include "random.hpp"

namespace schedlab {

class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = default;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;

  /// Told of the machine once, before the first job.
  virtual void attach(Machine&) {}

  /// Writes nodes for all tasks into `placement` and returns true; leaves it empty and returns false where they do not
  /// fit now.
  virtual bool place(const Machine& machine, const Job& job, const Amount* amounts, Placement& placement) = 0;

  [[nodiscard]] virtual std::unique_ptr<Allocator> clone() const = 0;
};

/// "first-fit", "best-fit", "worst-fit" or "random"; throws InputError for any other name.
std::unique_ptr<Allocator> make_allocator(std::string_view name, std::uint64_t seed);

}  // namespace schedlab
