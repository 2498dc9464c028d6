// Where jobs come from, as the engine sees it: one after the other, in submit order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "job.hpp"

namespace schedlab {

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
  [[nodiscard]] virtual bool asks_for_more() const { return false; }

  /// Line that the last job came from; 0 where it is not known.
  [[nodiscard]] virtual std::uint64_t line() const { return 0; }

  [[nodiscard]] virtual std::uint64_t bytes_read() const { return 0; }
  [[nodiscard]] virtual SourceReport report() const { return {}; }

  [[nodiscard]] virtual std::unique_ptr<JobSource> clone() const = 0;
  /// Reading, a source that was just opened goes on to where the saved one was, and throws InputError where its input
  /// is another one.
  virtual void archive(Archive& archive) = 0;
};

}  // namespace schedlab
