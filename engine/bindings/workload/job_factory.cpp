// A function of the user's that sees every job before the engine does.
#include <cmath>
#include <utility>

#include "base/errors.hpp"
#include "bindings/workload/job_reader.hpp"

namespace schedlab::bindings {

namespace {

constexpr const char* left_out_reason = "left out by the job factory";

/// Makes schedlab.Job of what the engine takes. It is known to be right, so the constructor's checks are passed over.
class JobMaker {
 public:
  JobMaker(std::vector<std::string> types, nb::dict texts)
      : types_(std::move(types)),
        texts_(std::move(texts)),
        type_(nb::module_::import_("schedlab.workload.job").attr("Job")) {}

  [[nodiscard]] const nb::object& type() const { return type_; }

  [[nodiscard]] nb::object make(const JobSpec& job, const std::vector<std::string>& attribute_names) const {
    auto* type = reinterpret_cast<PyTypeObject*>(type_.ptr());
    nb::object made = nb::steal(type->tp_new(type, nb::tuple().ptr(), nullptr));
    if (!made.is_valid()) throw nb::python_error();
    const auto set = [&](JobField field, const nb::object& value) {
      if (PyObject_GenericSetAttr(made.ptr(), fields_[field], value.ptr()) != 0) throw nb::python_error();
    };
    set(JobField::id, nb::int_(job.id));
    set(JobField::submit, seconds_of(job.submit));
    set(JobField::run, seconds_of(job.run));
    set(JobField::processors, nb::int_(job.tasks));
    set(JobField::requested_time, job.limit == never ? nb::none() : seconds_of(job.limit));
    set(JobField::user, nb::int_(job.user));
    set(JobField::resources, resources_of(job));
    set(JobField::tasks_per_node, job.tasks_per_node == 0 ? nb::none() : nb::object(nb::int_(job.tasks_per_node)));
    set(JobField::whole_nodes, nb::bool_(job.whole_nodes));
    set(JobField::predecessors, nb::tuple(nb::cast(job.predecessors)));
    set(JobField::think, seconds_of(job.think));
    nb::dict attributes = attributes_of(job, attribute_names);
    for (const JobField field : text_fields) set(field, take_text(attributes, field));
    set(JobField::attributes, attributes.size() == 0 ? nb::none() : nb::object(attributes));
    return made;
  }

 private:
  [[nodiscard]] nb::object resources_of(const JobSpec& job) const {
    if (job.amounts.empty()) return nb::none();
    nb::dict result;
    for (std::size_t type = 0; type < types_.size(); ++type) {
      if (job.amounts[type] > 0) result[types_[type].c_str()] = job.amounts[type];
    }
    return result;
  }

  static nb::dict attributes_of(const JobSpec& job, const std::vector<std::string>& names) {
    nb::dict result;
    for (std::size_t i = 0; i < job.attributes.size(); ++i) {
      const double value = job.attributes[i];
      if (std::isnan(value)) continue;
      const bool whole = value == std::floor(value) && std::abs(value) < 0x1p53;
      result[names[i].c_str()] = whole ? nb::object(nb::int_(static_cast<std::int64_t>(value))) : nb::float_(value);
    }
    return result;
  }

  /// The text of a field, whose number is taken out of the attributes: an empty one says that there is none. A number
  /// that stands for nothing else than itself, which is None, stays there.
  [[nodiscard]] nb::object take_text(nb::dict& attributes, JobField field) const {
    const char* name = name_of(field);
    if (!attributes.contains(name)) return nb::none();
    nb::object text = texts_[name].attr("text_of_job")(attributes[name]);
    if (text.is_none()) return text;
    nb::del(attributes[name]);
    return PyUnicode_GET_LENGTH(text.ptr()) == 0 ? nb::none() : text;
  }

  JobFieldNames fields_;
  std::vector<std::string> types_;
  nb::dict texts_;
  nb::object type_;
};

/// The time that Python gives back where it was given this one: beyond 2^53 ns, fractions are not exact there.
Time read_back_from_python(Time time) { return time % second == 0 ? time : time_from(seconds_of(time), ""); }

class FactoryJobs final : public JobSource {
 public:
  FactoryJobs(Cloned<JobSource> inner, nb::object factory, std::string name, JobMaker maker, JobReader reader)
      : inner_(std::move(inner)),
        factory_(std::move(factory)),
        name_(std::move(name)),
        maker_(std::move(maker)),
        reader_(std::move(reader)),
        may_ask_beyond_processors_(declares_beyond_processors(factory_, "job factory " + name_, false)) {}

  /// A fork has a copy of a factory that is an object with state; functions are shared.
  FactoryJobs(const FactoryJobs& other)
      : JobSource(other),
        inner_(other.inner_),
        factory_(copy_of(other.factory_, other.name_)),
        name_(other.name_),
        maker_(other.maker_),
        reader_(other.reader_),
        may_ask_beyond_processors_(other.may_ask_beyond_processors_),
        last_submit_(other.last_submit_),
        left_out_(other.left_out_),
        first_left_out_(other.first_left_out_) {}

  bool next(JobSpec& job) override {
    while (inner_->next(given_)) {
      if (make(job)) return true;
      if (left_out_++ == 0) first_left_out_ = inner_->line();
    }
    return false;
  }

  [[nodiscard]] const std::vector<std::string>& attribute_names() const override { return reader_.attribute_names(); }
  [[nodiscard]] bool may_add_attributes() const override { return true; }
  [[nodiscard]] bool may_ask_beyond_processors() const override {
    return may_ask_beyond_processors_ || inner_->may_ask_beyond_processors();
  }
  [[nodiscard]] std::uint64_t line() const override { return inner_->line(); }
  [[nodiscard]] std::uint64_t bytes_read() const override { return inner_->bytes_read(); }
  [[nodiscard]] std::unique_ptr<JobSource> clone() const override { return std::make_unique<FactoryJobs>(*this); }

  void archive(Archive& archive) override {
    inner_->archive(archive);
    archive(reader_, last_submit_, left_out_, first_left_out_);
    const nb::module_ states = nb::module_::import_("schedlab.workload.job_factory");
    std::string state;
    if (!archive.reading()) {
      const auto bytes = nb::cast<nb::bytes>(states.attr("saved")(factory_));
      state.assign(bytes.c_str(), bytes.size());
    }
    archive(state);
    if (archive.reading()) states.attr("restore")(factory_, nb::bytes(state.data(), state.size()));
  }

  [[nodiscard]] SourceReport report() const override {
    SourceReport report = inner_->report();
    if (left_out_ > 0) report.skipped.push_back({left_out_reason, left_out_, first_left_out_});
    return report;
  }

 private:
  static nb::object copy_of(const nb::object& factory, const std::string& name) {
    try {
      if (nb::hasattr(factory, "_copy")) return factory.attr("_copy")();
      return nb::module_::import_("copy").attr("deepcopy")(factory);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;
      throw SimulationError("the job factory " + name + " cannot be copied for a fork (" +
                            nb::cast<std::string>(nb::str(error.value())) +
                            "); give it __deepcopy__, or make it a function");
    }
  }

  /// Asks the factory about the job that was given; false where it is left out.
  bool make(JobSpec& job) {
    const nb::object made = call();
    if (made.is_none()) return false;
    if (PyObject_TypeCheck(made.ptr(), reinterpret_cast<PyTypeObject*>(maker_.type().ptr())) == 0) {
      throw InputError(place() + "must return a schedlab.Job, or None to leave it out, not " + shown(made));
    }
    try {
      reader_.read(made, job);
    } catch (const InputError& error) {
      throw InputError("job factory " + name_ + ": " + error.what());  // which names the job
    }
    keep_exact(job);
    if (job.id != given_.id) {
      throw InputError(place() + "comes back as job " + std::to_string(job.id) + "; a job keeps its number");
    }
    if (job.submit < last_submit_) {
      throw InputError(place() + "is submitted at " + seconds_text(job.submit) + ", before the job that precedes it (" +
                       seconds_text(last_submit_) + "); a factory must not change the order of submission");
    }
    last_submit_ = job.submit;
    return true;
  }

  nb::object call() {
    nb::object given;
    if (const auto* objects = dynamic_cast<const ObjectSource*>(&*inner_)) {
      const int is_job = PyObject_IsInstance(objects->last_object().ptr(), maker_.type().ptr());
      if (is_job < 0) throw nb::python_error();
      if (is_job == 1) given = nb::borrow(objects->last_object());
    }
    if (!given.is_valid()) given = maker_.make(given_, inner_->attribute_names());
    nb::object made = nb::steal(PyObject_CallOneArg(factory_.ptr(), given.ptr()));
    if (made.is_valid()) return made;
    nb::python_error error;
    const nb::object input_error = nb::module_::import_("schedlab.errors").attr("InputError");
    if (error.matches(input_error)) {
      nb::raise_from(error, input_error.ptr(), "%s%s", place().c_str(),
                     nb::cast<std::string>(nb::str(error.value())).c_str());
    }
    if (error.matches(PyExc_Exception)) {
      error.value().attr("add_note")("in the job factory " + name_ + ", job " + std::to_string(given_.id));
    }
    throw error;
  }

  /// What the factory did not touch stays as it was read: times to the nanosecond, and the estimate, which the options
  /// for reading may have set apart from the requested time.
  void keep_exact(JobSpec& job) const {
    const auto keep = [](Time& time, Time before) {
      if (time != before && before != never && time == read_back_from_python(before)) time = before;
    };
    keep(job.submit, given_.submit);
    keep(job.run, given_.run);
    keep(job.limit, given_.limit);
    keep(job.think, given_.think);
    if (job.limit != given_.limit) {
      job.estimate = job.limit == never ? job.run : job.limit;
    } else {
      const bool run_stands_in = given_.limit == never && given_.estimate == given_.run;
      job.estimate = run_stands_in ? job.run : given_.estimate;
    }
  }

  [[nodiscard]] std::string place() const {
    return "job factory " + name_ + ": job " + std::to_string(given_.id) + ": ";
  }

  Cloned<JobSource> inner_;
  nb::object factory_;
  std::string name_;
  JobMaker maker_;
  JobReader reader_;
  bool may_ask_beyond_processors_;
  JobSpec given_;
  Time last_submit_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t first_left_out_ = 0;  // its line
};

}  // namespace

void bind_job_factory(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "factory_source",
      [](SourceHandle& source, nb::object factory, std::string name, std::vector<std::string> types,
         std::vector<Amount> processor, const nb::typed<nb::dict, nb::str, nb::any>& texts) {
        JobMaker maker(types, texts);
        JobReader reader(std::move(types), std::move(processor), texts);
        return SourceHandle{std::make_unique<FactoryJobs>(std::move(source.source), std::move(factory), std::move(name),
                                                          std::move(maker), std::move(reader))};
      },
      "source"_a, "factory"_a, nb::kw_only(), "name"_a, "types"_a, "processor"_a, "texts"_a,
      "Jobs of another source, as a function makes them; those for which it returns None are left out.");
}

}  // namespace schedlab::bindings
