#include "bindings/workload/job_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.hpp"

namespace schedlab::bindings {

namespace {

constexpr Amount most_amount = Amount{1} << 53U;  // as in a system file

constexpr std::array<const char*, job_fields> names = {
    "id",          "submit",       "run",   "processors", "requested_time", "user",      "resources", "tasks_per_node",
    "whole_nodes", "predecessors", "think", "attributes", "application",    "partition", "needs",     "licenses"};

std::string job_text(std::int64_t id) { return "job " + std::to_string(id) + ": "; }

[[noreturn]] void refuse(nb::handle from, const char* name, nb::handle value) {
  throw InputError("a job has an attribute of the wrong type: " + std::string(name) + " is " + shown(value) + " in " +
                   shown(from));
}

std::int64_t whole(nb::handle from, JobField field, nb::handle value) {
  std::int64_t number = 0;
  if (!nb::try_cast(value, number)) refuse(from, name_of(field), value);
  return number;
}

std::uint32_t count(nb::handle from, JobField field, nb::handle value, std::int64_t id) {
  const std::int64_t number = whole(from, field, value);
  if (number >= 1 && number <= std::numeric_limits<std::int32_t>::max()) return static_cast<std::uint32_t>(number);
  throw InputError(job_text(id) + name_of(field) + " must be from 1 to 2147483647, not " + std::to_string(number));
}

Time length(JobField field, nb::handle value, std::int64_t id) {
  try {
    const Time time = time_from(value, name_of(field));
    if (time >= 0) return time;
  } catch (const InputError& error) {
    throw InputError(job_text(id) + error.what());
  }
  throw InputError(job_text(id) + name_of(field) + " must not be negative");
}

/// The number of a text. An InputError about it says which job has the text.
double number_of(const nb::object& numbers, const nb::object& text, std::int64_t id) {
  try {
    return nb::cast<double>(numbers.attr("number")(text));
  } catch (nb::python_error& error) {
    if (!error.matches(nb::module_::import_("schedlab.errors").attr("InputError"))) throw;
    throw InputError(job_text(id) + nb::cast<std::string>(nb::str(error.value())));
  }
}

}  // namespace

const char* name_of(JobField field) { return names[static_cast<std::size_t>(field)]; }

bool declares_beyond_processors(nb::handle from, const std::string& name, bool otherwise) {
  constexpr const char* attribute = "may_ask_beyond_processors";
  constexpr const char* former = "asks_for_more";
  if (nb::hasattr(from, former)) {
    throw InputError(name + ": " + former + " is now called " + attribute + "; rename the attribute");
  }
  return nb::cast<bool>(nb::getattr(from, attribute, nb::bool_(otherwise)));
}

std::string seconds_text(Time time) { return nb::cast<std::string>(nb::str(seconds_of(time))) + " s"; }

JobFieldNames::JobFieldNames() {
  for (std::size_t i = 0; i < job_fields; ++i) names_[i] = nb::steal(PyUnicode_InternFromString(names[i]));
}

JobReader::JobReader(std::vector<std::string> types, std::vector<Amount> processor, const nb::dict& texts)
    : types_(std::move(types)), processor_(std::move(processor)) {
  for (std::size_t i = 0; i < text_fields.size(); ++i) {
    texts_[i].key = nb::steal(PyUnicode_InternFromString(name_of(text_fields[i])));
    texts_[i].numbers = texts[texts_[i].key];
  }
}

bool JobReader::may_ask_beyond_processors(nb::handle from) const {
  try {
    if (!get(from, JobField::tasks_per_node).is_none() || nb::cast<bool>(get(from, JobField::whole_nodes))) return true;
    for (const JobField field : {JobField::needs, JobField::licenses}) {
      if (!nb::getattr(from, name_of(field), nb::none()).is_none()) return true;
    }
    JobSpec job;
    const nb::object resources = get(from, JobField::resources);
    if (!resources.is_none()) read_resources(resources, job);
    return !job.amounts.empty();
  } catch (const std::exception&) {
    return false;
  }
}

void JobReader::read(nb::handle from, JobSpec& job) {
  job.id = whole(from, JobField::id, get(from, JobField::id));
  job.user = whole(from, JobField::user, get(from, JobField::user));
  job.submit = length(JobField::submit, get(from, JobField::submit), job.id);
  job.run = length(JobField::run, get(from, JobField::run), job.id);
  job.tasks = count(from, JobField::processors, get(from, JobField::processors), job.id);
  const nb::object requested = get(from, JobField::requested_time);
  job.limit = requested.is_none() ? never : length(JobField::requested_time, requested, job.id);
  job.estimate = requested.is_none() ? job.run : job.limit;
  job.think = length(JobField::think, get(from, JobField::think), job.id);
  const nb::object per_node = get(from, JobField::tasks_per_node);
  job.tasks_per_node = per_node.is_none() ? 0 : count(from, JobField::tasks_per_node, per_node, job.id);
  const int whole_nodes = PyObject_IsTrue(get(from, JobField::whole_nodes).ptr());
  if (whole_nodes < 0) throw nb::python_error();
  job.whole_nodes = whole_nodes != 0;
  read_predecessors(from, job);
  job.amounts.clear();
  const nb::object resources = get(from, JobField::resources);
  if (!resources.is_none()) read_resources(resources, job);
  job.attributes.clear();
  const nb::object attributes = get(from, JobField::attributes);
  if (!attributes.is_none()) read_attributes(attributes, job);
  for (std::size_t i = 0; i < text_fields.size(); ++i) read_text(from, i, job);
}

void JobReader::archive(Archive& archive) {
  archive(attribute_names_);
  attribute_keys_.clear();
  for (const std::string& name : attribute_names_) {
    attribute_keys_.push_back(nb::steal(PyUnicode_InternFromString(name.c_str())));
  }
  for (Text& text : texts_) {
    const auto name = nb::cast<std::string>(text.key);
    const auto found = std::find(attribute_names_.begin(), attribute_names_.end(), name);
    if (found != attribute_names_.end()) text.index = static_cast<std::size_t>(found - attribute_names_.begin());
  }
}

nb::object JobReader::get(nb::handle from, JobField field) const {
  PyObject* value = PyObject_GetAttr(from.ptr(), fields_[field]);
  if (value != nullptr) return nb::steal(value);
  if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
  PyErr_Clear();
  throw InputError(shown(from) + " is not a schedlab.Job: it has no attribute \"" + name_of(field) + "\"");
}

void JobReader::read_predecessors(nb::handle from, JobSpec& job) const {
  job.predecessors.clear();
  const nb::object ids = get(from, JobField::predecessors);
  if (PyTuple_Check(ids.ptr()) == 0) refuse(from, "predecessors", ids);
  for (const nb::handle id : nb::borrow<nb::tuple>(ids)) {
    std::int64_t number = 0;
    if (!nb::try_cast(id, number)) refuse(from, "predecessors", ids);
    job.predecessors.push_back(number);
  }
}

void JobReader::read_resources(nb::handle resources, JobSpec& job) const {
  if (PyDict_Check(resources.ptr()) == 0) refuse(resources, "resources", resources);
  job.amounts.assign(types_.size(), 0);
  for (const auto& [name, amount] : nb::borrow<nb::dict>(resources)) {
    std::string type;
    if (!nb::try_cast(name, type)) refuse(resources, "resources", name);
    const auto found = std::find(types_.begin(), types_.end(), type);
    if (found == types_.end()) {
      throw InputError(job_text(job.id) + "resources: the system has no \"" + type + "\"");
    }
    Amount& wanted = job.amounts[static_cast<std::size_t>(found - types_.begin())];
    if (!nb::try_cast(amount, wanted)) refuse(resources, "resources", amount);
    if (wanted < 0 || wanted > most_amount) {
      throw InputError(job_text(job.id) + "resources." + type + " is out of range");
    }
  }
  if (job.amounts == processor_) job.amounts.clear();  // a plain request after all
}

void JobReader::read_attributes(nb::handle attributes, JobSpec& job) {
  if (PyDict_Check(attributes.ptr()) == 0) refuse(attributes, "attributes", attributes);
  std::size_t likely = 0;
  for (const auto& [name, value] : nb::borrow<nb::dict>(attributes)) {
    for (const Text& text : texts_) likely += likely == text.index ? 1 : 0;
    const std::size_t index = attribute_index(name, likely++);
    if (index >= job.attributes.size()) job.attributes.resize(index + 1, std::nan(""));
    if (!nb::try_cast(value, job.attributes[index])) refuse(attributes, "attributes", value);
  }
}

/// Objects that are not a schedlab.Job may know nothing of applications and the like.
void JobReader::read_text(nb::handle from, std::size_t place, JobSpec& job) {
  const JobField field = text_fields[place];
  const nb::object text = nb::steal(PyObject_GetAttr(from.ptr(), fields_[field]));
  if (!text.is_valid()) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
    PyErr_Clear();
    return;
  }
  if (text.is_none()) return;
  if (PyUnicode_Check(text.ptr()) == 0) refuse(from, name_of(field), text);
  if (PyUnicode_GET_LENGTH(text.ptr()) == 0) return;
  auto& [numbers, key, index] = texts_[place];
  index = attribute_index(key, index);
  if (index >= job.attributes.size()) job.attributes.resize(index + 1, std::nan(""));
  job.attributes[index] = number_of(numbers, text, job.id);
}

/// Jobs mostly have the same attributes, in the same order, by the same text objects.
std::size_t JobReader::attribute_index(nb::handle name, std::size_t likely) {
  if (likely < attribute_keys_.size() && attribute_keys_[likely].is(name)) return likely;
  std::string text;
  if (!nb::try_cast(name, text)) refuse(name, "attributes", name);
  const auto found = std::find(attribute_names_.begin(), attribute_names_.end(), text);
  const auto index = static_cast<std::size_t>(found - attribute_names_.begin());
  if (found == attribute_names_.end()) {
    attribute_names_.push_back(std::move(text));
    attribute_keys_.push_back(nb::borrow(name));
  }
  return index;
}

}  // namespace schedlab::bindings
