// Jobs as rows of jobs.csv.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/state.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// Writes where tasks are, such as `16-35*2 40`, in at most `longest_nodes` bytes; returns the end.
char* put_nodes(char* at, const Placement& placement);
inline std::size_t longest_nodes(const Placement& placement) { return placement.size() * 36; }

class JobRows {
 public:
  static constexpr std::string_view columns =
      "job_id,user,submit,start,end,state,tasks,estimate,nodes,wait,slowdown,bounded_slowdown,amounts,"
      "reason";

  explicit JobRows(std::vector<std::string> resource_types);

  /// A bound of the length of a row with N attributes.
  [[nodiscard]] std::size_t longest(const Job& job, std::size_t attributes) const {
    return fixed_ + longest_nodes(job.placement) + (job.plain ? 0 : amounts_) + attributes * 32;
  }
  /// Writes the row, with what is known of the job by now, and returns its end.
  char* put(char* at, const Job& job, const Amount* amounts, std::span<const double> attributes) const;

 private:
  char* put_amounts(char* at, const Job& job, const Amount* amounts) const;

  static constexpr std::size_t fixed_ = 320;
  std::vector<std::string> types_;
  std::size_t amounts_ = 0;  // the longest text of them
};

/// The running jobs, then the first of the queue in its order, as a whole file of rows.
std::string jobs_in_flight(const State& state, std::size_t most_queued);

}  // namespace schedlab
