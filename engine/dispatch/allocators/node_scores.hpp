// Allocators that choose nodes by a number: IRMaSim's resource selections, and ours.
#pragma once

#include <memory>
#include <string_view>

#include "dispatch/allocators/allocator.hpp"

namespace schedlab {

/// "high-gflops", "high-core", "high-mem", "high-mem-bw", "low-power", "least-added-power" or "coolest"; null for any
/// other name.
std::unique_ptr<Allocator> make_scored_allocator(std::string_view name);

}  // namespace schedlab
