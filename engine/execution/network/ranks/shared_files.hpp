// A file system that all nodes share: what is read and written at the same time shares its bandwidth.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/archive.hpp"
#include "execution/network/topology/ticks.hpp"

namespace schedlab {

struct FilesSpec {
  double bytes_per_second = 0.0;       // of all together; 0: there is no file system
  double node_bytes_per_second = 0.0;  // of one node; 0: no such limit
};

/// Streams of ranks, each at its max-min fair rate under the limits of its node and of the whole.
class SharedFiles {
 public:
  explicit SharedFiles(FilesSpec spec) : spec_(spec) {}

  [[nodiscard]] bool exists() const { return spec_.bytes_per_second > 0.0; }
  /// A stream begins; its owner is the caller's.
  void start(std::uint64_t owner, std::uint32_t node, double bytes, Tick now);
  /// All streams whose owner is in [first, last) go away.
  void drop(std::uint64_t first, std::uint64_t last, Tick now);
  [[nodiscard]] Tick next_time() {
    if (changed_) share();
    return next_;
  }
  /// Appends the owners of streams that end at `next_time()`, which is now, in the order in which they began.
  void advance(Tick now, std::vector<std::uint64_t>& ended);
  void shift(Tick by);
  void archive(Archive& archive) { archive(streams_, updated_, next_, changed_); }

 private:
  struct Stream {
    std::uint64_t owner = 0;
    std::uint32_t node = 0;
    double left = 0.0;  // bytes
    double rate = 0.0;  // bytes per tick
    Tick end = never_tick;

    void archive(Archive& archive) { archive(owner, node, left, rate, end); }
  };

  void carry_to(Tick now);
  void share();

  FilesSpec spec_;
  std::vector<Stream> streams_;
  Tick updated_ = 0;
  Tick next_ = never_tick;
  bool changed_ = false;  // rates are worked out once for all that begins at one time
};

}  // namespace schedlab
