// What an application sends, phase by phase, without its times: what the phase model is made of.
#pragma once

#include <cstdint>
#include <vector>

namespace schedlab {

/// Messages from one rank to another in one phase, taken together.
struct PatternFlow {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t messages;
  std::uint64_t bytes;
};

/// Messages that may be on their way at the same time. Found by running the program on a network on which every message
/// takes one step and everything else no time: step n is phase n.
struct PatternPhase {
  double compute_seconds = 0.0;    // the longest that a rank computes before the messages of the phase
  double file_bytes = 0.0;         // of all ranks together
  std::vector<PatternFlow> flows;  // by (from, to)
};

struct Pattern {
  std::uint32_t ranks = 0;
  std::vector<PatternPhase> phases;
  double mean_compute_seconds = 0.0;  // over ranks, of all phases
  bool of_one_job = false;            // another job's, of the same application, may be another one
};

}  // namespace schedlab
