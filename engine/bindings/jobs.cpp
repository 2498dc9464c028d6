// Jobs that come from Python objects.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bindings.hpp"
#include "errors.hpp"
#include "id_set.hpp"
#include "random.hpp"

namespace schedlab::bindings {

namespace {

constexpr Amount most_amount = Amount{1} << 53U;  // as in a system file

/// Reads the attributes of schedlab.Job (or of anything that has them).
class JobReader {
 public:
  JobReader(std::vector<std::string> types, std::vector<Amount> processor)
      : types_(std::move(types)), processor_(std::move(processor)) {}

  [[nodiscard]] const std::vector<std::string>& attribute_names() const { return attribute_names_; }

  /// Whether the job asks for more than processors; false where its attributes are wrong, which `read` will say.
  [[nodiscard]] bool asks_for_more(nb::handle from) const {
    JobSpec job;
    try {
      if (!from.attr("tasks_per_node").is_none() || nb::cast<bool>(from.attr("whole_nodes"))) return true;
      const nb::object resources = from.attr("resources");
      if (!resources.is_none()) read_resources(resources, job);
    } catch (const std::exception&) {
      return false;
    }
    return !job.amounts.empty();
  }

  void read(nb::handle from, JobSpec& job) {
    try {
      read_attributes(from, job);
    } catch (const nb::cast_error&) {
      throw InputError("a job has an attribute of the wrong type: " + nb::cast<std::string>(nb::repr(from)));
    }
  }

 private:
  void read_attributes(nb::handle from, JobSpec& job) {
    job.id = nb::cast<std::int64_t>(from.attr("id"));
    job.user = nb::cast<std::int64_t>(from.attr("user"));
    job.submit = length(from, "submit", job.id);
    job.run = length(from, "run", job.id);
    job.tasks = nb::cast<std::uint32_t>(from.attr("processors"));
    if (job.tasks == 0) throw InputError("job " + std::to_string(job.id) + ": processors must be 1 or more");
    const nb::object requested = from.attr("requested_time");
    job.limit = requested.is_none() ? never : length(from, "requested_time", job.id);
    job.estimate = requested.is_none() ? job.run : job.limit;
    job.think = length(from, "think", job.id);
    const nb::object per_node = from.attr("tasks_per_node");
    job.tasks_per_node = per_node.is_none() ? 0 : nb::cast<std::uint32_t>(per_node);
    job.whole_nodes = nb::cast<bool>(from.attr("whole_nodes"));
    job.predecessors.clear();
    for (const nb::handle id : nb::cast<nb::tuple>(from.attr("predecessors"))) {
      job.predecessors.push_back(nb::cast<std::int64_t>(id));
    }
    job.amounts.clear();
    const nb::object resources = from.attr("resources");
    if (!resources.is_none()) read_resources(resources, job);
    job.attributes.clear();
    const nb::object attributes = from.attr("attributes");
    if (!attributes.is_none()) read_own_attributes(attributes, job);
  }

  void read_own_attributes(nb::handle attributes, JobSpec& job) {
    for (const auto& [name, value] : nb::cast<nb::dict>(attributes)) {
      const auto text = nb::cast<std::string>(name);
      const auto found = std::find(attribute_names_.begin(), attribute_names_.end(), text);
      const auto index = static_cast<std::size_t>(found - attribute_names_.begin());
      if (found == attribute_names_.end()) attribute_names_.push_back(text);
      if (index >= job.attributes.size()) job.attributes.resize(index + 1, std::nan(""));
      job.attributes[index] = nb::cast<double>(value);
    }
  }

  static Time length(nb::handle from, const char* name, std::int64_t id) {
    const Time value = time_from(from.attr(name), name);
    if (value < 0) throw InputError("job " + std::to_string(id) + ": " + name + " must not be negative");
    return value;
  }

  void read_resources(nb::handle resources, JobSpec& job) const {
    job.amounts.assign(types_.size(), 0);
    for (const auto& [name, amount] : nb::cast<nb::dict>(resources)) {
      const auto type = nb::cast<std::string>(name);
      const auto found = std::find(types_.begin(), types_.end(), type);
      if (found == types_.end()) {
        throw InputError("job " + std::to_string(job.id) + ": resources: the system has no \"" + type + "\"");
      }
      Amount& wanted = job.amounts[static_cast<std::size_t>(found - types_.begin())];
      wanted = nb::cast<Amount>(amount);
      if (wanted < 0 || wanted > most_amount) {
        throw InputError("job " + std::to_string(job.id) + ": resources." + type + " is out of range");
      }
    }
    if (job.amounts == processor_) job.amounts.clear();  // a plain request after all
  }

  std::vector<std::string> types_;
  std::vector<Amount> processor_;
  std::vector<std::string> attribute_names_;
};

/// Any Python iterable of jobs, or of lists of jobs, one at a time; a list can be forked, an iterator cannot.
class PythonJobs final : public JobSource {
 public:
  PythonJobs(nb::object jobs, JobReader reader)
      : jobs_(std::move(jobs)), reader_(std::move(reader)), iterator_(nb::iter(jobs_)) {
    if (PyList_Check(jobs_.ptr()) == 0 && PyTuple_Check(jobs_.ptr()) == 0) return;
    for (const nb::handle job : jobs_) asks_for_more_ = asks_for_more_ || reader_.asks_for_more(job);
  }

  PythonJobs(const PythonJobs& other)
      : JobSource(other),
        jobs_(other.jobs_),
        reader_(other.reader_),
        iterator_(nb::iter(jobs_)),
        asks_for_more_(other.asks_for_more_) {
    if (iterator_.is(other.iterator_)) {
      throw SimulationError(
          "a simulation that reads jobs from an iterator cannot be forked or saved; give it a list or a Reader");
    }
    pass_over(other.taken_);
  }

  bool next(JobSpec& job) override {
    if (!batch_.is_valid() || batch_next_ >= nb::len(batch_)) {
      const nb::object item = nb::steal(PyIter_Next(iterator_.ptr()));
      if (!item.is_valid()) {
        if (PyErr_Occurred() != nullptr) throw nb::python_error();
        return false;
      }
      if (PyList_Check(item.ptr()) == 0 && PyTuple_Check(item.ptr()) == 0) {
        take(item, job);
        return true;
      }
      batch_ = item;
      batch_next_ = 0;
      return next(job);
    }
    const nb::object item = batch_[batch_next_++];
    take(item, job);
    return true;
  }

  [[nodiscard]] const std::vector<std::string>& attribute_names() const override { return reader_.attribute_names(); }
  [[nodiscard]] bool may_add_attributes() const override { return true; }
  [[nodiscard]] bool asks_for_more() const override { return asks_for_more_; }
  [[nodiscard]] std::unique_ptr<JobSource> clone() const override { return std::make_unique<PythonJobs>(*this); }

  void archive(Archive& archive) override {
    std::uint64_t taken = taken_;
    std::uint64_t digest = digest_;
    archive(taken, digest);
    if (!archive.reading()) return;
    pass_over(taken);
    if (digest_ != digest) throw InputError("the jobs are not those of the saved state; give the same workload");
  }

 private:
  void take(nb::handle item, JobSpec& job) {
    ++taken_;
    reader_.read(item, job);
    if (!seen_.insert(job.id)) throw InputError("job id " + std::to_string(job.id) + " appears twice");
    for (const std::int64_t part : {job.id, job.submit, job.run, static_cast<std::int64_t>(job.tasks)}) {
      digest_ = Random(digest_ ^ static_cast<std::uint64_t>(part)).next();
    }
  }

  void pass_over(std::uint64_t jobs) {
    for (JobSpec passed; taken_ < jobs;) {
      if (!next(passed)) throw SimulationError("the list of jobs became shorter while it was being read");
    }
  }

  nb::object jobs_;
  JobReader reader_;
  nb::object iterator_;
  nb::object batch_;  // a list that came instead of a job
  std::size_t batch_next_ = 0;
  bool asks_for_more_ = false;
  IdSet seen_;
  std::uint64_t taken_ = 0;
  std::uint64_t digest_ = 0;  // of the jobs taken, to know them again
};

}  // namespace

void bind_jobs(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "job_source",
      [](nb::object jobs, std::vector<std::string> types, std::vector<Amount> processor) {
        return SourceHandle{
            std::make_unique<PythonJobs>(std::move(jobs), JobReader(std::move(types), std::move(processor)))};
      },
      "jobs"_a, "types"_a, "processor"_a, "Jobs of any Python iterable of schedlab.Job.");
}

}  // namespace schedlab::bindings
