// Where jobs come from, as the engine sees it: one after the other, in submit order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/job.hpp"

namespace schedlab {

/// What the rows of a workload had for the options of reading: how many jobs an option could not mean.
struct FoundInRows {
  std::uint64_t jobs = 0;
  std::uint64_t other_processors = 0;  // the other field stood in for the one that was asked for
  std::uint64_t own_tasks = 0;         // the row says of how many tasks the job is
  std::uint64_t other_memory = 0;      // with memory: the other field stood in
  std::uint64_t no_memory = 0;         // with memory: neither field has any
  std::uint64_t own_memory = 0;        // with memory: the row says what its tasks take
  std::uint64_t no_user = 0;
  std::uint64_t with_predecessors = 0;  // where they are honoured

  void archive(Archive& archive) {
    archive(jobs, other_processors, own_tasks, other_memory, no_memory, own_memory, no_user, with_predecessors);
  }
};

/// What a source found out about its input while it was read.
struct SourceReport {
  struct Skipped {
    std::string reason;
    std::uint64_t rows;
    std::uint64_t first_line;  // 0 where it is not known
  };
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::string checksum;  // of the bytes read; empty where there are none
  std::vector<Skipped> skipped;
  std::vector<std::string> comments;
  std::optional<FoundInRows> found;  // nothing where jobs do not come from rows
};

class JobSource {
 public:
  JobSource() = default;
  JobSource(const JobSource&) = default;
  JobSource& operator=(const JobSource&) = delete;
  virtual ~JobSource() = default;

  /// Fills `job` with the next one; false at the end.
  virtual bool next(JobSpec& job) = 0;

  /// Names of the attributes that its jobs carry; more may come while it is read.
  [[nodiscard]] virtual const std::vector<std::string>& attribute_names() const {
    static const std::vector<std::string> none;
    return none;
  }

  [[nodiscard]] virtual bool may_add_attributes() const { return false; }

  /// Whether it is known that a job may ask for more than processors.
  [[nodiscard]] virtual bool may_ask_beyond_processors() const { return false; }

  /// Line that the last job came from; 0 where it is not known.
  [[nodiscard]] virtual std::uint64_t line() const { return 0; }

  [[nodiscard]] virtual std::uint64_t bytes_read() const { return 0; }
  [[nodiscard]] virtual SourceReport report() const { return {}; }

  [[nodiscard]] virtual std::unique_ptr<JobSource> clone() const = 0;
  /// Reading, a source that was just opened advances to where the saved one was, and throws InputError where its input
  /// is another one.
  virtual void archive(Archive& archive) = 0;
};

}  // namespace schedlab
