// Why jobs are rejected, and how many for which reason.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/archive.hpp"

namespace schedlab {

enum class Rejection : std::uint8_t {
  task_too_large,
  too_large,
  no_partition,
  partition_limit,
  no_node,
  no_queue,
  licenses,
  power_cap,
  predecessor,
  scheduler
};

inline constexpr std::array<std::string_view, 10> rejection_names = {
    "task-too-large", "too-large", "no-partition", "partition-limit", "no-node",
    "no-queue",       "licenses",  "power-cap",    "predecessor",     "scheduler"};
inline constexpr std::size_t longest_rejection_name = 15;

/// Of a job that the scheduler ended while it ran.
inline constexpr std::string_view cancelled_name = "cancelled";

inline std::string_view name_of(Rejection why) { return rejection_names[static_cast<std::size_t>(why)]; }

/// The jobs that were rejected for one reason.
struct RejectedJobs {
  std::uint64_t count = 0;
  std::int64_t first = 0;  // its id, and what it lacked
  std::string text;

  void archive(Archive& archive) { archive(count, first, text); }
};

using RejectedJobsByReason = std::array<RejectedJobs, rejection_names.size()>;

}  // namespace schedlab
