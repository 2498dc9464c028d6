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
  application,
  partition,
  needs,
  licenses
};
inline constexpr std::size_t job_fields = 16;

/// Fields that are texts to people and numbers to the engine, which has them as attributes of the same names.
inline constexpr std::array<JobField, 4> text_fields = {JobField::application, JobField::partition, JobField::needs,
                                                        JobField::licenses};

[[nodiscard]] const char* name_of(JobField field);

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
  /// The machine's resource types, what one processor takes of each, and what numbers the texts of each of the
  /// text_fields, by its name, such as schedlab.workload.applications.Texts.
  JobReader(std::vector<std::string> types, std::vector<Amount> processor, const nb::dict& texts);

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
  void read_text(nb::handle from, std::size_t place, JobSpec& job);
  void find_text_attributes();
  std::size_t attribute_index(nb::handle name, std::size_t likely);

  JobFieldNames fields_;
  std::vector<std::string> types_;
  std::vector<Amount> processor_;
  struct Text {
    nb::object numbers;
    nb::object key;
    std::size_t index = static_cast<std::size_t>(-1);  // of the attribute; none so far
  };
  std::array<Text, text_fields.size()> texts_;
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
