// Jobs as rows of jobs.csv.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job.hpp"
#include "state.hpp"

namespace schedlab {

class JobRows {
 public:
  static constexpr std::string_view columns =
      "job_id,user,submit,start,end,state,tasks,estimate,nodes,wait,slowdown,bounded_slowdown,amounts";

  explicit JobRows(std::vector<std::string> resource_types);

  /// A bound of the length of a row with so many attributes.
  [[nodiscard]] std::size_t longest(const Job& job, std::size_t attributes) const {
    return fixed_ + job.placement.size() * 36 + (job.plain ? 0 : amounts_) + attributes * 32;
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
