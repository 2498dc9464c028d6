// What ranks of an application do, as the engine asks for it: one operation after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/errors.hpp"
#include "execution/network/ranks/collectives.hpp"

namespace schedlab {

inline constexpr std::int32_t any_source = -1;
inline constexpr std::int32_t any_tag = -1;
inline constexpr std::int32_t nobody = -2;  // a peer beyond the edge: sends and receives with it are done at once

/// A number under which a program keeps a value that its ranks exchange; 0: there is none.
using ValueId = std::uint32_t;

struct RankOperation {
  enum class Kind : std::uint8_t { compute, file, send, receive, exchange, wait, collective, split, create };

  Kind kind = Kind::compute;
  bool immediate = false;        // send, receive: gives a request, and continues at once
  std::int32_t peer = nobody;    // of the communicator: to whom, from whom, or the root
  std::int32_t source = nobody;  // exchange: from whom
  std::int32_t tag = 0;
  std::uint32_t communicator = 0;  // 0: all ranks of the job
  std::uint64_t bytes = 0;
  double seconds = 0.0;  // compute
  ValueId value = 0;
  Collective collective = Collective::barrier;
  Algorithm algorithm = Algorithm::standard;
  std::uint8_t combining = 0;  // the operator, which the program knows by this number
  std::int64_t colour = 0;     // split: below 0, no communicator is asked for
  std::int64_t key = 0;
  std::vector<std::uint64_t> counts;    // collectives of blocks of different sizes: as CollectiveCall has them
  std::vector<std::uint32_t> members;   // create: ranks of the communicator
  std::vector<std::uint32_t> requests;  // wait: for all of these
};

/// What came of a receive.
struct Received {
  ValueId value = 0;
  std::int32_t source = nobody;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

/// What came of an operation, with which the program continues.
struct Outcome {
  std::uint32_t request = 0;       // of an immediate operation
  ValueId value = 0;               // of a collective
  std::uint32_t communicator = 0;  // of split and create; `no_communicator` where the rank is in none,
  std::uint32_t place = 0;         // else the rank's place in it,
  std::uint32_t size = 0;          // and how many ranks it has
  std::vector<Received>
      received;  // of a receive or exchange one, of a wait one for each request (empty ones for sends)
};
inline constexpr std::uint32_t no_communicator = static_cast<std::uint32_t>(-1);

/// An application went wrong: the job, the rank and the place in its program are in the text.
struct ApplicationError : InputError {
  using InputError::InputError;
};

/// The application of one job. It must do the same again when it is run again with the same outcomes.
class Program {
 public:
  Program() = default;
  Program(const Program&) = default;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  [[nodiscard]] virtual std::uint32_t ranks() const = 0;
  /// The rank's next operation, `seconds` after its start, given what came of the last one; false where it has ended.
  /// Throws ApplicationError.
  virtual bool next(std::uint32_t rank, double seconds, const Outcome& outcome, RankOperation& operation) = 0;
  /// Where in its program the rank stands, as "file:line", for messages.
  [[nodiscard]] virtual std::string where(std::uint32_t rank) const = 0;

  /// The value that a collective gives to a rank, of those that all ranks gave (0 where one gave none, or has not begun
  /// and does not matter), `place` being the rank's in the communicator. Where all get the same it is asked for once.
  virtual ValueId combine(const CollectiveCall& call, std::uint8_t combining, std::span<const ValueId> given,
                          std::uint32_t place, std::uint32_t rank) = 0;
  /// A value that is given once more, and one that nobody will ask for again.
  virtual ValueId share(ValueId value) = 0;
  virtual void release(ValueId value) = 0;

  /// The same from its beginning on, and the same with one pass of its iterations only.
  [[nodiscard]] virtual std::unique_ptr<Program> fresh() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Program> once() const = 0;
  /// Passes in all; 0: as many as fill the job's recorded run time, which `set_iterations` then sets before it begins.
  [[nodiscard]] virtual double iterations() const = 0;
  virtual void set_iterations(double iterations) = 0;
  [[nodiscard]] virtual double run_seconds() const = 0;
  /// Two programs of equal keys and sizes send the same in one pass, as long as they do not look at what only their job
  /// has; empty: nobody knows.
  [[nodiscard]] virtual std::string key() const = 0;
  [[nodiscard]] virtual bool looked_at_job() const = 0;

  [[nodiscard]] virtual std::unique_ptr<Program> clone() const = 0;
  virtual void archive(Archive& archive) = 0;
};

/// A job's application, in numbers: enough to make its program anew.
struct JobApplication {
  std::uint32_t application = 0;  // by whoever makes programs
  std::int64_t job = 0;
  std::uint32_t ranks = 0;
  double run_seconds = -1.0;  // recorded; below 0: not known

  void archive(Archive& archive) { archive(application, job, ranks, run_seconds); }
};

/// Where programs come from.
class Programs {
 public:
  Programs() = default;
  Programs(const Programs&) = default;
  Programs& operator=(const Programs&) = delete;
  virtual ~Programs() = default;

  /// Throws InputError, which names the job, where there is no such application, or it cannot run on that many ranks.
  virtual void check(const JobApplication& job) = 0;
  virtual std::unique_ptr<Program> make(const JobApplication& job) = 0;
  [[nodiscard]] virtual std::unique_ptr<Programs> clone() const = 0;
};

}  // namespace schedlab
