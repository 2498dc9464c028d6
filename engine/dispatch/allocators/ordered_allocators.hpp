// Allocators that go by an order of the nodes: the task mappings of Obaida and Liu (2017), and contiguous runs.
#pragma once

#include <memory>

#include "dispatch/allocators/allocator.hpp"

namespace schedlab {

/// "first-fit", "round-robin", "dual-end" or "contiguous"; null for any other name. Throws InputError where a parameter
/// is wrong; the order is checked when the allocator is attached.
std::unique_ptr<Allocator> make_ordered_allocator(const AllocatorSpec& spec);

}  // namespace schedlab
