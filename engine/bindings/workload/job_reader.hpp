// schedlab.Job and what the engine takes, one from the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "jobs/job.hpp"

namespace schedlab::bindings {

/// The fields of schedlab.Job, in the order of its constructor.
enum class JobField : std::uint8_t {
  id,
  submit,
  run,
  processors,
  requested_time,
  user,
  resources,
  tasks_per_node,
  whole_nodes,
  predecessors,
  think,
  attributes,
  application
};
inline constexpr std::size_t job_fields = 13;

/// The attribute that says which application a job runs: the number of its text.
inline constexpr const char* application_attribute = "application";

/// The names of the fields as Python objects, made once: looking an attribute up by a C string makes one each time.
class JobFieldNames {
 public:
  JobFieldNames();
  [[nodiscard]] PyObject* operator[](JobField field) const { return names_[static_cast<std::size_t>(field)].ptr(); }

 private:
  std::array<nb::object, job_fields> names_;
};

/// Reads schedlab.Job, or anything that has its attributes.
class JobReader {
 public:
  /// The machine's resource types, what one processor takes of each, and the schedlab.workload.applications.Texts that
  /// numbers applications.
  JobReader(std::vector<std::string> types, std::vector<Amount> processor, nb::object applications);

  /// Names of attributes beyond the fields, in the order in which they came.
  [[nodiscard]] const std::vector<std::string>& attribute_names() const { return attribute_names_; }

  /// Whether the job asks for more than processors; false where its attributes are wrong, which `read` will say.
  [[nodiscard]] bool may_ask_beyond_processors(nb::handle from) const;

  /// Throws InputError where it is not a job, or a wrong one.
  void read(nb::handle from, JobSpec& job);

  void archive(Archive& archive);

 private:
  [[nodiscard]] nb::object get(nb::handle from, JobField field) const;
  void read_predecessors(nb::handle from, JobSpec& job) const;
  void read_resources(nb::handle resources, JobSpec& job) const;
  void read_attributes(nb::handle attributes, JobSpec& job);
  void read_application(nb::handle from, JobSpec& job);
  std::size_t attribute_index(nb::handle name, std::size_t likely);

  JobFieldNames fields_;
  std::vector<std::string> types_;
  std::vector<Amount> processor_;
  nb::object applications_;
  nb::object application_key_;
  std::size_t application_index_ = static_cast<std::size_t>(-1);  // of the attribute; none so far
  std::vector<std::string> attribute_names_;
  std::vector<nb::object> attribute_keys_;  // the same names as they came, to be compared as pointers
};

/// A source whose jobs are Python objects before they are anything else.
class ObjectSource {
 public:
  ObjectSource() = default;
  ObjectSource(const ObjectSource&) = default;
  ObjectSource& operator=(const ObjectSource&) = delete;
  virtual ~ObjectSource() = default;

  /// What the last job was read from.
  [[nodiscard]] virtual nb::handle last_object() const = 0;
};

/// What the attribute `may_ask_beyond_processors` of a reader or a job factory says; `otherwise` where it has none.
/// Throws InputError where it has one of the former name. `name` is for the message.
[[nodiscard]] bool declares_beyond_processors(nb::handle from, const std::string& name, bool otherwise);

/// "90 s" or "1.5 s".
std::string seconds_text(Time time);

}  // namespace schedlab::bindings
