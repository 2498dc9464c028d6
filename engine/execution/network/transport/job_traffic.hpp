// What a job sent, and how long that took.
#pragma once

#include "base/archive.hpp"

namespace schedlab {

/// What a job did on the network.
struct JobTraffic {
  double compute_seconds = 0.0;        // mean over its ranks
  double communication_seconds = 0.0;  // time that ranks spent in messages, collectives and waits: mean over its ranks
  double file_seconds = 0.0;           // mean over its ranks
  double messages = 0.0;
  double bytes = 0.0;  // of messages, without headers
  double hops = 0.0;   // between routers, sum over messages
  double hop_bytes = 0.0;
  double alone_seconds = 0.0;  // it would have taken, had it been alone; not a number: not known

  void archive(Archive& archive) {
    archive(compute_seconds, communication_seconds, file_seconds, messages, bytes, hops, hop_bytes, alone_seconds);
  }
};

}  // namespace schedlab
