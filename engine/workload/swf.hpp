// The Standard Workload Format: lines to rows, rows to jobs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/cloned.hpp"
#include "base/id_set.hpp"
#include "workload/source.hpp"

namespace schedlab {

/// The 18 fields of a row, in order.
enum class SwfField : std::uint8_t {
  job,
  submit,
  wait,
  run,
  allocated_processors,
  cpu_time,
  used_memory,
  requested_processors,
  requested_time,
  requested_memory,
  status,
  user,
  group,
  executable,
  queue,
  partition,
  preceding_job,
  think_time
};
inline constexpr std::size_t swf_fields = 18;

/// A number of a row: whole + nanos / 10^9, both of one sign.
struct SwfNumber {
  std::int64_t whole = -1;
  std::int32_t nanos = 0;
};

/// Reads lines and splits them into numbers.
class SwfScanner {
 public:
  enum class Line : std::uint8_t { row, malformed, end };

  /// The name is that of the file, for messages.
  SwfScanner(Cloned<ByteSource> bytes, std::string name);

  /// The next line that is neither empty nor a comment. A malformed one has fewer than 18 fields, or characters in them
  /// that no number has.
  Line next();

  /// Reads the comments before the first row. Where one of them names fields after the 18, rows must have them.
  void read_header();
  [[nodiscard]] const std::vector<std::string>& extra_fields() const { return extra_fields_; }

  /// Reads a field of the row; false where it is not a number.
  bool read(SwfField field, SwfNumber& number) const;
  /// Likewise one of those after the 18.
  bool read_extra(std::size_t field, SwfNumber& number) const;
  /// Likewise, as numbers with commas between them; -1 stands for none.
  bool read_extra(std::size_t field, std::vector<std::int64_t>& numbers) const;

  [[nodiscard]] std::uint64_t line_number() const { return line_number_; }
  /// Comment lines without their semicolon, those before and between the rows.
  [[nodiscard]] const std::vector<std::string>& comments() const { return comments_; }
  /// Reading, advances to where the saved one was.
  void archive(Archive& archive);

  /// Of the bytes read so far.
  [[nodiscard]] std::string checksum() const { return checksum_.hex(); }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  bool next_line(std::string_view& line);
  /// Up to a number of comments, and of bytes in all.
  void keep_comment(std::string_view text);
  void fill(std::size_t most = static_cast<std::size_t>(-1));
  bool split(std::string_view line);
  bool split_extra(std::string_view line);

  Cloned<ByteSource> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // unread bytes are buffer_[begin_, end_)
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t line_number_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::array<const char*, swf_fields> fields_{};  // of the row, into the buffer
  std::vector<const char*> extra_;
  std::vector<std::string> extra_fields_;
  std::vector<std::string> comments_;
  std::size_t comment_bytes_ = 0;
  std::string name_;
  Checksum checksum_;
};

/// Why a row is not used.
enum class SkipReason : std::uint8_t {
  malformed,
  no_submit_time,
  no_processors,
  no_run_time,
  zero_run_time,
  no_requested_time,
  out_of_range,
  duplicate_job
};
inline constexpr std::size_t skip_reasons = 8;
std::string_view name_of(SkipReason reason);

/// The choices in which simulators differ.
struct SwfOptions {
  std::string name;                   // of the workload, for messages
  bool allocated_processors = false;  // the first choice; requested ones otherwise, and each where the other is missing
  enum class Memory : std::uint8_t { none, requested, used } memory = Memory::none;
  std::vector<std::string> types;  // resource types of the machine
  std::vector<Amount> processor;   // amounts per task, to which memory is added
  std::size_t memory_type = 0;
  enum class Estimate : std::uint8_t { run_time, skip, fixed } missing_estimate = Estimate::run_time;
  Time fixed_estimate = 0;
  bool estimate_covers_run = false;  // estimate = max(requested time, run time)
  bool skip_zero_run = false;
  bool substitute_unusable = false;  // PySS: a row without run time or allocated processors becomes a job of 1 s
  /// Whether preceding job, think time and predecessors are honoured; `if_listed`: where rows have a list of them.
  enum class Dependencies : std::uint8_t { ignore, honour, if_listed } dependencies = Dependencies::ignore;
  bool strict = false;  // an unusable row is an error
  bool sort = false;    // rows may come out of submit order
  std::uint32_t tasks_per_node = 0;
  bool whole_nodes = false;
  std::vector<SwfField> attributes;  // read beside the fields of a job; -1 where a row has none
  std::vector<std::string> attribute_names;
};

class SwfSource final : public JobSource {
 public:
  SwfSource(Cloned<ByteSource> bytes, SwfOptions options);

  bool next(JobSpec& job) override;
  [[nodiscard]] std::unique_ptr<JobSource> clone() const override { return std::make_unique<SwfSource>(*this); }
  [[nodiscard]] const std::vector<std::string>& attribute_names() const override { return options_.attribute_names; }
  [[nodiscard]] bool may_ask_beyond_processors() const override {
    return options_.memory != SwfOptions::Memory::none || options_.tasks_per_node > 0 || options_.whole_nodes ||
           extra_.shapes();
  }
  [[nodiscard]] bool dependencies() const { return dependencies_; }
  [[nodiscard]] std::uint64_t line() const override { return options_.sort ? 0 : scanner_.line_number(); }
  [[nodiscard]] std::uint64_t bytes_read() const override { return scanner_.bytes_read(); }
  [[nodiscard]] SourceReport report() const override;
  void archive(Archive& archive) override;

 private:
  bool next_in_file(JobSpec& job);
  bool to_job(JobSpec& job);
  void find_extra_fields();
  bool add_request(JobSpec& job);
  bool add_memory(JobSpec& job, std::int64_t requested_processors, std::int64_t allocated_processors);
  [[nodiscard]] double processors_of_task(const JobSpec& job, std::int64_t requested, std::int64_t allocated) const;
  bool add_attributes(JobSpec& job);
  bool add_predecessor(JobSpec& job);
  bool skip(SkipReason reason);
  void load_sorted();

  /// Which of the fields after the 18 mean what; `none` where there is no such field.
  struct ExtraFields {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct PerTask {
      std::size_t field;
      std::size_t type;  // `none`: not a type of this machine
    };
    std::size_t tasks = none;
    std::size_t tasks_per_node = none;
    std::size_t whole_nodes = none;
    std::size_t predecessors = none;
    std::vector<PerTask> amounts;
    std::vector<std::size_t> attributes;

    [[nodiscard]] bool shapes() const { return tasks_per_node != none || whole_nodes != none || !amounts.empty(); }
  };

  SwfScanner scanner_;
  SwfOptions options_;
  ExtraFields extra_;
  bool extended_ = false;  // rows have fields after the 18
  bool dependencies_ = false;
  struct Skipped {
    std::uint64_t rows = 0;
    std::uint64_t first_line = 0;
    void archive(Archive& archive) { archive(rows, first_line); }
  };
  std::array<Skipped, skip_reasons> skipped_{};
  std::uint64_t rows_ = 0;
  FoundInRows found_;
  Time last_submit_ = 0;
  IdSet seen_;
  std::vector<JobSpec> sorted_;
  std::size_t next_sorted_ = 0;
  bool loaded_ = false;
};

}  // namespace schedlab
