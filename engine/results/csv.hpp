// CSV files, written as fast as numbers can be turned into digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/job_rows.hpp"
#include "results/recorder.hpp"

namespace schedlab {

/// A file written through a buffer. Whatever cannot be written throws FileError, at the latest in `close`.
class CsvFile {
 public:
  /// A new file; or, given a size, one that was written before, cut to this size and continued.
  CsvFile(std::string path, std::optional<std::uint64_t> resume_at);

  /// Room for one row of at most `size` bytes; `commit` says how far it was used.
  char* reserve(std::size_t size) {
    if (used_ + size > buffer_.size()) make_room(size);
    return buffer_.data() + used_;
  }
  void commit(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.data()); }
  void write(std::string_view text);

  void flush();
  /// Writes everything out, also from the system's memory, and returns the size of the file.
  std::uint64_t sync();
  /// Writes everything out and closes; only then is the file whole.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void make_room(std::size_t size);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

class CsvJobs final : public JobRecorder {
 public:
  CsvJobs(std::string path, std::vector<std::string> resource_types, std::vector<std::string> kept,
          std::optional<std::uint64_t> resume_at = std::nullopt, const std::vector<std::string>& facts = {});
  void record(const Job& job, const Amount* amounts, std::span<const double> values) override;
  /// Lets others read what was written so far.
  void flush() { file_.flush(); }
  std::uint64_t sync() { return file_.sync(); }
  void close() { file_.close(); }

 private:
  CsvFile file_;
  JobRows rows_;
};

class CsvTimeline final : public TimelineRecorder {
 public:
  CsvTimeline(std::string path, const std::vector<std::string>& resource_types, const std::vector<std::string>& data,
              std::optional<std::uint64_t> resume_at = std::nullopt);
  void record(const TimePoint& point) override;
  void flush() { file_.flush(); }
  std::uint64_t sync() { return file_.sync(); }
  void close() { file_.close(); }

 private:
  CsvFile file_;
  std::uint64_t points_ = 0;
  std::int64_t memory_bytes_ = 0;  // read now and then only: asking costs more than a time point
};

/// The times during which a node was not simply on.
class CsvStates final : public StateRecorder {
 public:
  explicit CsvStates(std::string path, std::optional<std::uint64_t> resume_at = std::nullopt);
  void record(std::uint32_t node, std::string_view state, Time start, Time end) override;
  void flush() { file_.flush(); }
  std::uint64_t sync() { return file_.sync(); }
  void close() { file_.close(); }

 private:
  CsvFile file_;
};

/// The attempts of jobs that a failure ended.
class CsvInterruptions final : public InterruptionRecorder {
 public:
  explicit CsvInterruptions(std::string path, std::optional<std::uint64_t> resume_at = std::nullopt);
  void record(const Interruption& interruption) override;
  void flush() { file_.flush(); }
  std::uint64_t sync() { return file_.sync(); }
  void close() { file_.close(); }

 private:
  CsvFile file_;
};

}  // namespace schedlab
