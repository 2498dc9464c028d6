// What a rank's program in Python is given, and what it gives back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/execution/network/ranks/rank_memory.hpp"
#include "execution/network/ranks/program.hpp"

namespace schedlab::bindings {

/// What every job's ranks share.
struct JobFacts {
  /// An operator of reductions. Ranks may make a function of the same code each: its key is the same.
  struct Combining {
    std::string key;
    nb::object function;  // invalid: nobody used it since the state was loaded
  };

  std::int64_t job = 0;
  double run_seconds = -1.0;
  double repetitions = 1.0;
  double integer = 0.0;  // operations per second of a core; 0: not known
  double floating = 0.0;
  double memory = 0.0;  // bytes per second of a core
  std::uint64_t seed = 0;
  std::vector<Combining> combining;  // operators in use, by number - 1
  bool looked_at = false;            // at what only this job has
};
using JobPointer = std::shared_ptr<JobFacts>;

/// An operation that a program made; it must be yielded.
class PendingOperation {
 public:
  PendingOperation(RankPointer rank, RankOperation operation, nb::object value = nb::object())
      : operation(std::move(operation)), value(std::move(value)), rank_(std::move(rank)) {}
  PendingOperation(PendingOperation&&) noexcept = default;
  PendingOperation& operator=(PendingOperation&&) = delete;
  PendingOperation(const PendingOperation&) = delete;
  PendingOperation& operator=(const PendingOperation&) = delete;
  ~PendingOperation();

  void take() { rank_.reset(); }
  [[nodiscard]] bool taken() const { return rank_ == nullptr; }
  [[nodiscard]] bool is_of(const RankPointer& rank) const { return rank_ == rank; }

  RankOperation operation;
  nb::object value;

 private:
  RankPointer rank_;
};

/// A communicator as a rank sees it: the `mpi` of its program, and those that are made of it.
struct CommunicatorView {
  JobPointer job;
  RankPointer rank;
  std::uint32_t communicator = 0;
  std::uint32_t place = 0;  // of the rank
  std::uint32_t size = 1;
};

/// An int, or what can be used as one; nothing where it is none, or a large one.
std::optional<long long> whole(nb::handle given);
/// A number of bytes: an int, or a float without a fraction. Throws InputError with the name.
std::uint64_t bytes_from(nb::handle given, const char* name);
/// To whom: a rank, or nobody; `mpi.ANY` makes no sense. Throws InputError with the name.
std::int32_t peer_from(nb::handle given, const char* name);
RankOperation operation_on(const CommunicatorView& self, RankOperation::Kind kind);

void bind_collective_calls(nb::class_<CommunicatorView>& type);

/// "file.py:12" of the code that is being executed.
std::string place_of_caller();

}  // namespace schedlab::bindings
