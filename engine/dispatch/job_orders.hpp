// Orders of the queue by what jobs ask for, and by chance.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/job_expression.hpp"
#include "workload/source.hpp"

namespace schedlab {

/// "random", "fewest-cores", "fewest-node-hours", "most-node-hours", "fewest-core-hours", "most-core-hours", "low-mem"
/// or "low-mem-bw"; null for any other name. Throws InputError where no job of the source can have what the order goes
/// by.
std::unique_ptr<JobOrder> make_job_order(std::string_view name, std::uint64_t seed,
                                         const std::vector<std::string>& resource_types, const JobSource& source);

/// The key of the n-th job (from 1) that joins the queue, under the order "random": a number from 0 to below 1.
double random_key(std::uint64_t seed, std::uint64_t n);

}  // namespace schedlab
