// Jobs that come from Python: any iterable of them, or a Reader.
#include <utility>

#include "base/errors.hpp"
#include "base/id_set.hpp"
#include "base/random.hpp"
#include "bindings/workload/job_reader.hpp"

namespace schedlab::bindings {

namespace {

nb::object iterator_over(nb::handle iterable, const std::string& otherwise) {
  nb::object iterator = nb::steal(PyObject_GetIter(iterable.ptr()));
  if (iterator.is_valid()) return iterator;
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
  PyErr_Clear();
  throw InputError(otherwise + ", not " + shown(iterable));
}

bool is_batch(nb::handle item) { return PyList_Check(item.ptr()) != 0 || PyTuple_Check(item.ptr()) != 0; }

/// One job after the other, of an iterable of jobs or lists of jobs, or of an object whose `jobs()` returns one. A copy
/// reads from the beginning up to the same place, so what can be read only once cannot be copied.
class PythonJobs final : public JobSource, public ObjectSource {
 public:
  PythonJobs(nb::object jobs, bool strict, JobReader reader)
      : jobs_(std::move(jobs)), strict_(strict), reader_(std::move(reader)) {
    open();
    if (is_reader_) {
      may_ask_beyond_processors_ = declares_beyond_processors(jobs_, name(), true);
    } else if (is_batch(jobs_)) {
      look_for_more(jobs_);
    }
  }

  PythonJobs(const PythonJobs& other)
      : JobSource(other),
        ObjectSource(other),
        jobs_(other.jobs_),
        strict_(other.strict_),
        reader_(other.reader_),
        may_ask_beyond_processors_(other.may_ask_beyond_processors_) {
    open();
    if (iterator_.is(other.iterator_)) {
      throw SimulationError(
          "a simulation that reads jobs from an iterator cannot be forked or saved; give it a list or a Reader");
    }
    if (!pass_over(other.taken_, other.digest_, other.ended_)) {
      throw SimulationError("the workload gave other jobs when it was read again for a fork; " + name() +
                            " must give the same jobs each time");
    }
  }

  bool next(JobSpec& job) override {
    object_ = next_object();
    ended_ = !object_.is_valid();
    if (ended_) return false;
    try {
      reader_.read(object_, job);
      check(job);
    } catch (const InputError& error) {
      throw InputError(place() + error.what());
    }
    ++taken_;
    return true;
  }

  [[nodiscard]] nb::handle last_object() const override { return object_; }
  [[nodiscard]] const std::vector<std::string>& attribute_names() const override { return reader_.attribute_names(); }
  [[nodiscard]] bool may_add_attributes() const override { return true; }
  [[nodiscard]] bool may_ask_beyond_processors() const override { return may_ask_beyond_processors_; }
  [[nodiscard]] std::unique_ptr<JobSource> clone() const override { return std::make_unique<PythonJobs>(*this); }

  void archive(Archive& archive) override {
    std::uint64_t taken = taken_;
    std::uint64_t digest = digest_;
    bool ended = ended_;
    archive(taken, digest, ended);
    if (archive.reading() && !pass_over(taken, digest, ended)) {
      throw InputError("the jobs are not those of the saved state; give the same workload");
    }
  }

  [[nodiscard]] std::uint64_t line() const override {
    std::uint64_t line = 0;
    if (!is_reader_ || batch_.is_valid() || !nb::try_cast(nb::getattr(pass_, "line", nb::int_(0)), line)) return 0;
    return line;
  }

  [[nodiscard]] SourceReport report() const override {
    SourceReport report;
    report.rows = taken_;
    if (!is_reader_ || !nb::hasattr(pass_, "_report")) return report;
    using Rows = std::tuple<std::string, std::uint64_t, std::uint64_t>;
    const nb::object found = pass_.attr("_report")();
    auto [skipped, bytes, checksum] = nb::cast<std::tuple<std::vector<Rows>, std::uint64_t, std::string>>(found);
    for (auto& [reason, rows, first_line] : skipped) {
      report.rows += rows;
      report.skipped.push_back({std::move(reason), rows, first_line});
    }
    report.bytes = bytes;
    report.checksum = std::move(checksum);
    return report;
  }

 private:
  /// A pass over a Reader goes over a copy of it, so that passes do not mix what they count.
  void open() {
    is_reader_ = PyCallable_Check(nb::getattr(jobs_, "jobs", nb::none()).ptr()) != 0;
    if (!is_reader_) {
      iterator_ = iterator_over(jobs_, "a workload is a path, an iterable of Job, a Reader or a polars frame");
      return;
    }
    pass_ = nb::hasattr(jobs_, "_pass") ? jobs_.attr("_pass")(strict_) : jobs_;
    try {
      iterator_ = iterator_over(pass_.attr("jobs")(), name() + ".jobs() must yield jobs");
    } catch (nb::python_error& error) {
      note(error);
      throw;
    }
  }

  void look_for_more(nb::handle jobs) {
    for (const nb::handle job : jobs) {
      if (is_batch(job)) {
        look_for_more(job);
      } else {
        may_ask_beyond_processors_ = may_ask_beyond_processors_ || reader_.may_ask_beyond_processors(job);
      }
    }
  }

  /// The next job, of a batch where there is one; nothing at the end.
  nb::object next_object() {
    while (true) {
      if (batch_.is_valid()) {
        if (batch_next_ < PySequence_Fast_GET_SIZE(batch_.ptr())) {
          return nb::borrow(PySequence_Fast_GET_ITEM(batch_.ptr(), batch_next_++));
        }
        batch_.reset();
      }
      nb::object item = nb::steal(PyIter_Next(iterator_.ptr()));
      if (!item.is_valid() && PyErr_Occurred() != nullptr) {
        nb::python_error error;
        note(error);
        throw error;
      }
      if (!item.is_valid() || !is_batch(item)) return item;
      batch_ = std::move(item);
      batch_next_ = 0;
    }
  }

  void check(const JobSpec& job) {
    if (!seen_.insert(job.id)) {
      throw InputError("job id " + std::to_string(job.id) + " appears twice; every job needs a number of its own");
    }
    if (job.submit < last_submit_) {
      throw InputError("job " + std::to_string(job.id) + " is submitted before the job that precedes it (at " +
                       seconds_text(job.submit) + ", job " + std::to_string(last_id_) + " at " +
                       seconds_text(last_submit_) +
                       "); give jobs in order of submission, as sorted(jobs, key=lambda job: job.submit) does");
    }
    last_id_ = job.id;
    last_submit_ = job.submit;
    for (const std::int64_t part : {job.id, job.submit, job.run, static_cast<std::int64_t>(job.tasks)}) {
      digest_ = Random(digest_ ^ static_cast<std::uint64_t>(part)).next();
    }
  }

  /// Continues to where another pass was; false where that one saw other jobs.
  bool pass_over(std::uint64_t jobs, std::uint64_t digest, bool ended) {
    JobSpec passed;
    while (taken_ < jobs) {
      if (!next(passed)) throw SimulationError("the list of jobs became shorter while it was being read");
    }
    return digest_ == digest && (!ended || ended_ || !next(passed));  // after the last job, rows may be skipped
  }

  [[nodiscard]] std::string name() const { return nb::cast<std::string>(nb::str(jobs_.type().attr("__qualname__"))); }

  /// "log.csv:17: " where a Reader has a path and counts its lines.
  [[nodiscard]] std::string place() const {
    if (!is_reader_) return "";
    const nb::object path = nb::getattr(jobs_, "path", nb::none());
    const std::string where = path.is_none() ? name() : nb::cast<std::string>(nb::str(path));
    const std::uint64_t at = line();
    return where + (at > 0 ? ":" + std::to_string(at) : "") + ": ";
  }

  /// Says where an error came from; our own errors say it themselves.
  void note(nb::python_error& error) const {
    if (!error.matches(PyExc_Exception) || error.matches(nb::module_::import_("schedlab.errors").attr("SchedlabError")))
      return;
    std::string where = place();
    if (is_reader_) where = " at " + where.substr(0, where.size() - 2);
    error.value().attr("add_note")("in " + name() + (is_reader_ ? ".jobs()" : "") + where + ", after " +
                                   std::to_string(taken_) + " jobs");
  }

  nb::object jobs_;
  bool strict_;
  JobReader reader_;
  bool is_reader_ = false;
  nb::object pass_;  // the reader's copy for this pass
  nb::object iterator_;
  nb::object batch_;  // a list that came instead of a job
  Py_ssize_t batch_next_ = 0;
  nb::object object_;  // the last job
  bool may_ask_beyond_processors_ = false;
  IdSet seen_;
  std::uint64_t taken_ = 0;
  bool ended_ = false;
  std::uint64_t digest_ = 0;  // of the jobs taken, to know them again
  std::int64_t last_id_ = 0;
  Time last_submit_ = 0;
};

}  // namespace

void bind_jobs(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "job_source",
      [](nb::object jobs, bool strict, std::vector<std::string> types, std::vector<Amount> processor,
         const nb::typed<nb::dict, nb::str, nb::any>& texts) {
        JobReader reader(std::move(types), std::move(processor), texts);
        return SourceHandle{std::make_unique<PythonJobs>(std::move(jobs), strict, std::move(reader))};
      },
      "jobs"_a.none(), nb::kw_only(), "strict"_a, "types"_a, "processor"_a, "texts"_a,
      "Jobs of any Python iterable of schedlab.Job, or of a Reader.");
}

}  // namespace schedlab::bindings
