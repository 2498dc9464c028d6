// Simulations that get nowhere: jobs wait, and nothing that is left can ever let them start.
#pragma once

#include <cstdint>
#include <string>

#include "simulation/job_life.hpp"

namespace schedlab {

class Standstill {
 public:
  /// Failures, caps and states of nodes may change for ever, so a queue that nothing can ever serve would keep the
  /// simulation going for ever. Called when some changed; throws SimulationError when that was in vain for too long.
  void check(const JobLife& life, bool anything_comes);
  void archive(Archive& archive) { archive(in_vain_, left_before_); }

 private:
  std::uint64_t in_vain_ = 0;      // changes of the machine in a row while jobs wait and nothing else happens
  std::uint64_t left_before_ = 0;  // jobs that had left by then
};

/// Throws SimulationError where nothing is left to happen, and jobs wait.
void refuse_waiting_jobs(const JobLife& life);

}  // namespace schedlab
