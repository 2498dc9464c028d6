#include "results/csv.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/digits.hpp"
#include "base/errors.hpp"
#include "base/memory_use.hpp"

namespace schedlab {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18U;

/// Opens a file that nobody else writes meanwhile, and not through a link that others may have put there.
std::FILE* opened(const std::string& path, bool is_there) {
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (is_there ? 0 : O_CREAT);
  const int descriptor = open(path.c_str(), flags, 0666);
  if (descriptor < 0) throw FileError(errno, path);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {  // else there are no locks
    ::close(descriptor);
    throw InputError(path + ": is being written already; wait for its end, or give another name");
  }
  std::FILE* file = fdopen(descriptor, "r+b");
  if (file == nullptr) {
    const int code = errno;
    ::close(descriptor);
    throw FileError(code, path);
  }
  return file;
}

}  // namespace

CsvFile::CsvFile(std::string path, std::optional<std::uint64_t> resume_at)
    : path_(std::move(path)), file_(opened(path_, resume_at.has_value())), buffer_(buffer_size) {
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  const auto size = static_cast<std::int64_t>(resume_at.value_or(0));
  struct stat facts = {};
  if (fstat(fileno(file_.get()), &facts) != 0) throw FileError(errno, path_);
  if (facts.st_size < size) {
    throw InputError(path_ + ": is shorter than it was at the checkpoint; the run cannot be resumed");
  }
  if (!S_ISREG(facts.st_mode)) return;  // a device has no size
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
  if (used_ > 0 && !file_) throw FileError(EBADF, path_);  // it was closed, and the simulation continues
  if (used_ > 0 && std::fwrite(buffer_.data(), 1, used_, file_.get()) != used_) throw FileError(errno, path_);
  used_ = 0;
}

void CsvFile::close() {
  if (!file_) return;
  flush();
  if (std::fclose(file_.release()) != 0) throw FileError(errno, path_);
}

void CsvFile::write(std::string_view text) { commit(put_text(reserve(text.size()), text)); }

CsvJobs::CsvJobs(std::string path, std::vector<std::string> resource_types, std::vector<std::string> kept,
                 std::optional<std::uint64_t> resume_at, const std::vector<std::string>& facts)
    : JobRecorder(facts, std::move(kept)), file_(std::move(path), resume_at), rows_(std::move(resource_types)) {
  if (resume_at) return;
  file_.write(JobRows::columns);
  for (const std::string& name : facts) file_.write("," + name);
  for (const std::string& name : this->kept()) file_.write("," + name);
  file_.write("\n");
}

void CsvJobs::record(const Job& job, const Amount* amounts, std::span<const double> values) {
  file_.commit(rows_.put(file_.reserve(rows_.longest(job, values.size())), job, amounts, values));
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

CsvStates::CsvStates(std::string path, std::optional<std::uint64_t> resume_at) : file_(std::move(path), resume_at) {
  if (!resume_at) file_.write("node,state,start,end\n");
}

void CsvStates::record(std::uint32_t node, std::string_view state, Time start, Time end) {
  char* at = file_.reserve(96 + state.size());
  at = put(at, node);
  *at++ = ',';
  at = put_text(at, state);
  *at++ = ',';
  at = put_time(at, start);
  *at++ = ',';
  at = put_time(at, end);
  *at++ = '\n';
  file_.commit(at);
}

CsvInterruptions::CsvInterruptions(std::string path, std::optional<std::uint64_t> resume_at)
    : file_(std::move(path), resume_at) {
  if (!resume_at) file_.write("job_id,attempt,start,end,node,kept_seconds,lost_seconds,nodes\n");
}

void CsvInterruptions::record(const Interruption& interruption) {
  const Job& job = interruption.job;
  char* at = file_.reserve(256 + longest_nodes(job.placement));
  at = put_signed(at, job.id);
  *at++ = ',';
  at = put(at, interruption.attempt);
  *at++ = ',';
  at = put_time(at, job.start);
  *at++ = ',';
  at = put_time(at, job.end);
  *at++ = ',';
  if (interruption.node) at = put(at, *interruption.node);
  *at++ = ',';
  at = put_time(at, interruption.kept);
  *at++ = ',';
  at = put_time(at, interruption.lost);
  *at++ = ',';
  at = put_nodes(at, job.placement);
  *at++ = '\n';
  file_.commit(at);
}

}  // namespace schedlab
