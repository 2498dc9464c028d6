#include "csv.hpp"

#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "errors.hpp"
#include "memory_use.hpp"
#include "metrics.hpp"

namespace schedlab {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18U;

/// The four digits of every number below 10,000.
constexpr std::array<std::array<char, 4>, 10'000> four_digits = [] {
  std::array<std::array<char, 4>, 10'000> table{};
  for (unsigned i = 0; i < table.size(); ++i) {
    table[i] = {static_cast<char>('0' + i / 1000), static_cast<char>('0' + i / 100 % 10),
                static_cast<char>('0' + i / 10 % 10), static_cast<char>('0' + i % 10)};
  }
  return table;
}();

char* put_four(char* at, std::uint64_t value) {
  std::memcpy(at, four_digits[value].data(), 4);
  return at + 4;
}

/// A value below 10,000; up to three bytes behind it may be overwritten.
char* put_small(char* at, std::uint64_t value) {
  const unsigned digits = 1U + (value > 9 ? 1U : 0U) + (value > 99 ? 1U : 0U) + (value > 999 ? 1U : 0U);
  std::uint32_t text = 0;
  std::memcpy(&text, four_digits[value].data(), 4);
  if constexpr (std::endian::native == std::endian::little) {
    text >>= 8U * (4U - digits);
  } else {
    text <<= 8U * (4U - digits);
  }
  std::memcpy(at, &text, 4);
  return at + digits;
}

/// Any value; up to three bytes behind it may be overwritten.
char* put(char* at, std::uint64_t value) {
  if (value < 10'000) return put_small(at, value);
  const std::uint64_t upper = value / 10'000;
  if (upper < 10'000) return put_four(put_small(at, upper), value % 10'000);
  const std::uint64_t top = upper / 10'000;
  at = top < 10'000 ? put_small(at, top) : put(at, top);
  return put_four(put_four(at, upper % 10'000), value % 10'000);
}

char* put_signed(char* at, std::int64_t value) {
  if (value < 0) *at++ = '-';
  return put(at, value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value));
}

/// A decimal fraction of four times `fours` digits, without trailing zeros.
char* put_fraction(char* at, std::uint64_t value, std::size_t fours) {
  *at++ = '.';
  for (std::size_t i = fours; i-- > 0; value /= 10'000) std::memcpy(at + 4 * i, four_digits[value % 10'000].data(), 4);
  at += 4 * fours;
  while (at[-1] == '0') --at;
  return at;
}

/// Seconds, with a fraction only where there is one.
char* put_time(char* at, Time time) {
  if (time < 0) *at++ = '-';
  const auto size = static_cast<std::uint64_t>(time < 0 ? -time : time);
  at = put(at, size / second);
  const std::uint64_t fraction = size % second;
  return fraction == 0 ? at : put_fraction(at, fraction * 1000, 3);
}

/// Six decimals at most.
char* put_ratio(char* at, double value) {
  if (value == 1.0) {
    *at = '1';
    return at + 1;
  }
  if (value >= 1e12) return at + std::snprintf(at, 32, "%.6g", value);
  const auto millionths = static_cast<std::uint64_t>(value * 1e6 + 0.5);  // NOLINT(bugprone-incorrect-roundings): >= 0
  at = put(at, millionths / 1'000'000);
  const std::uint64_t fraction = millionths % 1'000'000;
  return fraction == 0 ? at : put_fraction(at, fraction * 100, 2);
}

char* put_text(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

}  // namespace

CsvFile::CsvFile(std::string path, std::optional<std::uint64_t> resume_at)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), resume_at ? "r+b" : "wb")), buffer_(buffer_size) {
  if (!file_) throw FileError(errno, path_);
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  if (!resume_at) return;
  const auto size = static_cast<std::int64_t>(*resume_at);
  if (std::fseek(file_.get(), 0, SEEK_END) != 0) throw FileError(errno, path_);
  if (std::ftell(file_.get()) < size) {
    throw InputError(path_ + ": is shorter than it was at the checkpoint; the run cannot be resumed");
  }
  if (ftruncate(fileno(file_.get()), size) != 0 || std::fseek(file_.get(), size, SEEK_SET) != 0) {
    throw FileError(errno, path_);
  }
}

std::uint64_t CsvFile::sync() {
  flush();
  const long size = std::ftell(file_.get());
  if (size < 0 || fsync(fileno(file_.get())) != 0) throw FileError(errno, path_);
  return static_cast<std::uint64_t>(size);
}

void CsvFile::make_room(std::size_t size) {
  flush();
  if (size > buffer_.size()) buffer_.resize(size);
}

void CsvFile::flush() {
  if (used_ > 0 && std::fwrite(buffer_.data(), 1, used_, file_.get()) != used_) throw FileError(errno, path_);
  used_ = 0;
}

void CsvFile::close() {
  if (!file_) return;
  flush();
  if (std::fclose(file_.release()) != 0) throw FileError(errno, path_);
}

void CsvFile::write(std::string_view text) { commit(put_text(reserve(text.size()), text)); }

CsvJobs::CsvJobs(std::string path, std::optional<std::uint64_t> resume_at) : file_(std::move(path), resume_at) {
  if (resume_at) return;
  file_.write("job_id,user,submit,start,end,state,tasks,estimate,nodes,wait,slowdown,bounded_slowdown\n");
}

void CsvJobs::record(const Job& job) {
  char* at = file_.reserve(320 + job.placement.size() * 36);
  at = put_signed(at, job.id);
  *at++ = ',';
  at = put_signed(at, job.user);
  *at++ = ',';
  at = put_time(at, job.submit);
  *at++ = ',';
  const bool ran = job.state != JobState::rejected;
  if (ran) at = put_time(at, job.start);
  *at++ = ',';
  if (ran) at = put_time(at, job.end);
  *at++ = ',';
  const std::string_view state = name_of(job.state);
  std::memcpy(at, state.data(), longest_state_name);  // of one length, which the compiler knows
  at += state.size();
  *at++ = ',';
  at = put(at, job.tasks);
  *at++ = ',';
  at = put_time(at, job.estimate);
  *at++ = ',';
  if (!ran) {
    at = put_text(at, ",,,\n");
    file_.commit(at);
    return;
  }
  for (const NodeRun& run : job.placement) {
    if (&run != job.placement.data()) *at++ = ' ';
    at = put(at, run.first);
    if (run.count > 1) {
      *at++ = '-';
      at = put(at, run.first + run.count - 1);
    }
    if (run.tasks > 1) {
      *at++ = '*';
      at = put(at, run.tasks);
    }
  }
  *at++ = ',';
  const Time wait = job.start - job.submit;
  const Time length = job.end - job.start;
  at = put_time(at, wait);
  *at++ = ',';
  if (length > 0) at = put_ratio(at, slowdown_of(wait, length));
  *at++ = ',';
  at = put_ratio(at, bounded_slowdown_of(wait, length));
  *at++ = '\n';
  file_.commit(at);
}

CsvTimeline::CsvTimeline(std::string path, const std::vector<std::string>& resource_types,
                         const std::vector<std::string>& data, std::optional<std::uint64_t> resume_at)
    : file_(std::move(path), resume_at) {
  if (resume_at) return;
  file_.write("time,queued,running");
  for (const std::string& type : resource_types) file_.write("," + type + "_used");
  for (const std::string& name : data) file_.write("," + name);
  file_.write(",dispatch_nanoseconds,other_nanoseconds,memory_bytes\n");
}

void CsvTimeline::record(const TimePoint& point) {
  if (points_++ % 4096 == 0) memory_bytes_ = resident_bytes();
  char* at = file_.reserve(160 + (point.used.size() + point.data.size()) * 32);
  at = put_time(at, point.time);
  *at++ = ',';
  at = put(at, point.queued);
  *at++ = ',';
  at = put(at, point.running);
  for (const Amount used : point.used) {
    *at++ = ',';
    at = put_signed(at, used);
  }
  for (const double value : point.data) {
    *at++ = ',';
    if (!std::isnan(value)) at = std::to_chars(at, at + 32, value).ptr;
  }
  *at++ = ',';
  at = put_signed(at, point.dispatch_nanoseconds);
  *at++ = ',';
  at = put_signed(at, point.other_nanoseconds);
  *at++ = ',';
  at = put_signed(at, memory_bytes_);
  *at++ = '\n';
  file_.commit(at);
}

}  // namespace schedlab
