// What a rank's program was given. A generator cannot be copied: a fork runs the program again, with the same outcomes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "bindings/bindings.hpp"
#include "execution/network/ranks/program.hpp"

namespace schedlab::bindings {

/// What came of a receive. Nobody changes the value: programs get copies of it.
struct ReceivedData {
  Received facts;
  nb::object value;
  bool looked_at = false;
};
using ReceivedPointer = std::shared_ptr<ReceivedData>;

/// What the objects of a rank share. Only what its program looked at, or still may look at, is kept; no Python object
/// in it refers back to it.
struct RankMemory {
  /// What it was given when it was resumed for the n-th time, beside what it received.
  struct Given {
    enum class Kind : std::uint8_t { nothing, value, communicator };

    std::uint64_t resume = 0;
    bool time_was_read = false;
    double seconds = 0.0;
    Kind kind = Kind::nothing;
    nb::object value;                // of a collective
    std::uint32_t communicator = 0;  // of split and create: its number, the rank's place in it, and its size
    std::uint32_t place = 0;
    std::uint32_t size = 0;

    void archive(Archive& archive);
  };
  /// One of the results of a resume, which may be a list of them.
  struct Result {
    std::uint64_t resume = 0;
    std::uint32_t place = 0;
    ReceivedPointer data;

    void archive(Archive& archive);
  };
  struct OpenResult {
    std::uint64_t resume;
    std::uint32_t place;
    std::weak_ptr<ReceivedData> data;
  };

  std::uint32_t rank = 0;
  std::uint64_t resumes = 0;                                     // so far
  double seconds = 0.0;                                          // since the job began
  std::uint64_t fingerprint = 0;                                 // of all operations so far
  std::vector<Given> given;                                      // by resume
  std::vector<Result> looked_at;                                 // results, in the order in which they were
  std::vector<OpenResult> open;                                  // that were not yet, and may still be
  std::string dropped;                                           // where an operation was made and not yielded
  bool in_program = false;                                       // its code is being executed
  std::uint32_t requests = 0;                                    // that were made
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pending;  // the program's numbers of requests, and the engine's
  nb::object random;                                             // its random.Random, once it asked for it

  /// The entry of this resume.
  Given& note();
  /// What a fork must be given, by resume and place.
  [[nodiscard]] std::vector<Result> results() const;
  /// Adds an operation to the fingerprint.
  void mark(const RankOperation& operation);

  void archive(Archive& archive);
};
using RankPointer = std::shared_ptr<RankMemory>;

/// What came of a receive, as a program sees it.
struct ReceivedView {
  RankPointer rank;
  std::uint64_t resume = 0;  // when it was given
  std::uint32_t place = 0;
  ReceivedPointer data;
  nb::object own;  // the program's copy of the value, once it asked for it

  /// The program looks at it: a fork must be given the same.
  const Received& facts();
  nb::object value();
};

/// The view of something received now, which the rank may look at for as long as it has it.
nb::object view_of(const RankPointer& rank, std::uint32_t place, ReceivedPointer data);

/// A value as another rank gets it: changing one does not change the other.
nb::object copy_of(nb::handle value);

/// Values as bytes; throws InputError where one is not plain data.
void archive_value(Archive& archive, nb::object& value);

}  // namespace schedlab::bindings
