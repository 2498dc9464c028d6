// Predecessors that hold no job up, because a job can only wait for jobs that were submitted before it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/archive.hpp"

namespace schedlab {

enum class Unheeded : std::uint8_t { itself, later, unknown };
inline constexpr std::array<std::string_view, 3> unheeded_names = {"itself", "later", "unknown"};

/// How often jobs named such predecessors, and the first job that did.
struct UnheededNames {
  std::uint64_t count = 0;
  std::uint64_t arrival = 0;  // of the first job
  std::int64_t job = 0;
  std::int64_t predecessor = 0;

  void add(const UnheededNames& other) {
    const bool earlier = other.arrival < arrival || (other.arrival == arrival && other.predecessor < predecessor);
    const std::uint64_t sum = count + other.count;
    if (count == 0 || earlier) *this = other;
    count = sum;
  }
  void archive(Archive& archive) { archive(count, arrival, job, predecessor); }
};

/// Jobs are read one after the other: that a predecessor comes later is known when it has come, and that it does not
/// exist at the end.
class UnheededPredecessors {
 public:
  /// A job named itself, or a job that was not submitted yet.
  void add(std::int64_t job, std::uint64_t arrival, std::int64_t predecessor) {
    const UnheededNames named{1, arrival, job, predecessor};
    (predecessor == job ? itself_ : awaited_[predecessor]).add(named);
  }

  void submitted(std::int64_t job) {
    if (awaited_.empty()) return;
    const auto found = awaited_.find(job);
    if (found == awaited_.end()) return;
    later_.add(found->second);
    awaited_.erase(found);
  }

  /// Of each kind; unknown are all that were not submitted so far.
  [[nodiscard]] std::array<UnheededNames, unheeded_names.size()> names() const {
    UnheededNames unknown;
    for (const auto& [predecessor, names] : awaited_) unknown.add(names);
    return {itself_, later_, unknown};
  }

  void archive(Archive& archive) { archive(itself_, later_, awaited_); }

 private:
  UnheededNames itself_;
  UnheededNames later_;
  std::unordered_map<std::int64_t, UnheededNames> awaited_;  // by the predecessor
};

}  // namespace schedlab
