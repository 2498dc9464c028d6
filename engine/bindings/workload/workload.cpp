// SWF sources and checksums.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "workload/swf.hpp"
#include "workload/swf_text.hpp"

namespace schedlab::bindings {

namespace {

/// Bytes that Python hands over chunk by chunk. `open` returns a function that returns the next chunk, empty at the
/// end.
class PythonBytes final : public ByteSource {
 public:
  explicit PythonBytes(nb::object open) : open_(std::move(open)), next_chunk_(open_()) {}

  /// A copy opens the input again and passes over what the original had read.
  PythonBytes(const PythonBytes& other) : ByteSource(other), open_(other.open_), next_chunk_(open_()) {
    std::vector<char> passed(std::size_t{1} << 16U);
    while (position_ < other.position_) {
      const std::size_t got = read(passed.data(), std::min<std::size_t>(passed.size(), other.position_ - position_));
      if (got == 0) throw SimulationError("the workload became shorter while it was being read");
    }
  }

  std::size_t read(char* into, std::size_t size) override {
    if (taken_ == nb::len(chunk_)) {
      chunk_ = nb::cast<nb::bytes>(next_chunk_());
      taken_ = 0;
    }
    const std::size_t got = std::min(size, static_cast<std::size_t>(nb::len(chunk_)) - taken_);
    std::copy_n(chunk_.c_str() + taken_, got, into);
    taken_ += got;
    position_ += got;
    return got;
  }

  [[nodiscard]] std::unique_ptr<ByteSource> clone() const override { return std::make_unique<PythonBytes>(*this); }

 private:
  nb::object open_;
  nb::object next_chunk_;
  nb::bytes chunk_{"", 0};
  std::size_t taken_ = 0;
  std::uint64_t position_ = 0;
};

template <class Choice>
Choice choose(const std::string& name, const char* what,
              std::initializer_list<std::pair<const char*, Choice>> choices) {
  for (const auto& [known, choice] : choices) {
    if (name == known) return choice;
  }
  throw InputError(std::string("unknown ") + what + " \"" + name + "\"");
}

SourceHandle swf_source(nb::object input, std::string name, const std::string& processors, const std::string& memory,
                        std::vector<std::string> types, std::vector<Amount> processor, std::size_t memory_type,
                        const std::string& missing_estimate, nb::object fixed_estimate, bool estimate_covers_run,
                        bool skip_zero_run, bool substitute_unusable, const std::string& dependencies, bool strict,
                        bool sort, std::uint32_t tasks_per_node, bool whole_nodes,
                        std::vector<std::string> attributes) {
  SwfOptions options;
  options.name = std::move(name);
  options.allocated_processors = choose<bool>(processors, "processors", {{"requested", false}, {"allocated", true}});
  using Memory = SwfOptions::Memory;
  options.memory = choose<Memory>(memory, "memory",
                                  {{"none", Memory::none}, {"requested", Memory::requested}, {"used", Memory::used}});
  options.types = std::move(types);
  options.processor = std::move(processor);
  options.memory_type = memory_type;
  using Estimate = SwfOptions::Estimate;
  options.missing_estimate =
      choose<Estimate>(missing_estimate, "missing estimate",
                       {{"run", Estimate::run_time}, {"skip", Estimate::skip}, {"fixed", Estimate::fixed}});
  options.fixed_estimate = time_from(fixed_estimate, "missing_estimate");
  options.estimate_covers_run = estimate_covers_run;
  options.skip_zero_run = skip_zero_run;
  options.substitute_unusable = substitute_unusable;
  using Dependencies = SwfOptions::Dependencies;
  options.dependencies = choose<Dependencies>(
      dependencies, "dependencies",
      {{"ignore", Dependencies::ignore}, {"honour", Dependencies::honour}, {"auto", Dependencies::if_listed}});
  options.strict = strict;
  options.sort = sort;
  options.tasks_per_node = tasks_per_node;
  options.whole_nodes = whole_nodes;
  for (const std::string& attribute : attributes) {
    options.attributes.push_back(choose<SwfField>(attribute, "attribute",
                                                  {{"group", SwfField::group},
                                                   {"executable", SwfField::executable},
                                                   {"queue", SwfField::queue},
                                                   {"partition", SwfField::partition},
                                                   {"requested_memory", SwfField::requested_memory}}));
  }
  options.attribute_names = std::move(attributes);
  std::unique_ptr<ByteSource> bytes;
  if (nb::isinstance<nb::str>(input)) {
    bytes = std::make_unique<FileBytes>(nb::cast<std::string>(input));
  } else {
    bytes = std::make_unique<PythonBytes>(std::move(input));
  }
  auto source = std::make_unique<SwfSource>(std::move(bytes), std::move(options));
  const bool honoured = source->dependencies();
  return {std::move(source), honoured};
}

std::vector<SwfColumn> columns_from(const std::vector<nb::object>& given, std::size_t rows) {
  std::vector<SwfColumn> columns;
  for (const nb::object& column : given) {
    SwfColumn& made = columns.emplace_back();
    if (nb::isinstance<nb::bytes>(column)) {
      const auto bytes = nb::borrow<nb::bytes>(column);
      made.numbers.resize(bytes.size() / sizeof(double));
      if (rows > 0) std::memcpy(made.numbers.data(), bytes.c_str(), made.numbers.size() * sizeof(double));
    } else {
      made.texts = nb::cast<std::vector<std::string>>(column);
    }
    if (std::max(made.numbers.size(), made.texts.size()) != rows) throw InputError("columns of different lengths");
  }
  return columns;
}

/// Rows of a file as they are, for whoever looks at a workload without simulating it.
class SwfRows {
 public:
  SwfRows(nb::object input, std::string name) : scanner_(open(std::move(input)), std::move(name)) {
    scanner_.read_header();
  }

  /// The next row as its line number and 18 numbers; the numbers are missing where the line is malformed; None at the
  /// end.
  std::optional<std::tuple<std::uint64_t, std::optional<std::vector<double>>>> next() {
    const SwfScanner::Line line = scanner_.next();
    if (line == SwfScanner::Line::end) return std::nullopt;
    const auto malformed = std::make_tuple(scanner_.line_number(), std::nullopt);
    if (line == SwfScanner::Line::malformed) return malformed;
    std::vector<double> row(swf_fields);
    for (std::size_t i = 0; i < swf_fields; ++i) {
      SwfNumber number;
      if (!scanner_.read(static_cast<SwfField>(i), number)) return malformed;
      row[i] = nearest_decimal(number.whole, number.nanos);
    }
    return std::make_tuple(scanner_.line_number(), std::move(row));
  }

  /// The next rows, at most N: a column of numbers for each field, as bytes; for "predecessors" a list of
  /// lists; and the numbers of the malformed lines among them.
  nb::tuple block(std::size_t most) {
    const std::vector<std::string>& extra = scanner_.extra_fields();
    const auto listed = static_cast<std::size_t>(std::find(extra.begin(), extra.end(), "predecessors") - extra.begin());
    std::vector<std::vector<double>> columns(swf_fields + extra.size());
    nb::list predecessors;
    nb::list malformed;
    std::vector<double> row(columns.size());
    std::vector<std::int64_t> ids;
    const auto read_row = [&] {
      SwfNumber number;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i == swf_fields + listed) {
          if (!scanner_.read_extra(listed, ids)) return false;
          continue;
        }
        const bool read = i < swf_fields ? scanner_.read(static_cast<SwfField>(i), number)
                                         : scanner_.read_extra(i - swf_fields, number);
        if (!read) return false;
        row[i] = nearest_decimal(number.whole, number.nanos);
      }
      return true;
    };
    for (std::size_t rows = 0; rows < most;) {
      const SwfScanner::Line line = scanner_.next();
      if (line == SwfScanner::Line::end) break;
      if (line == SwfScanner::Line::malformed || !read_row()) {
        malformed.append(scanner_.line_number());
        continue;
      }
      ++rows;
      for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
      if (listed < extra.size()) predecessors.append(nb::cast(ids));
    }
    nb::list packed;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i == swf_fields + listed) {
        packed.append(predecessors);
      } else {
        packed.append(nb::bytes(columns[i].data(), columns[i].size() * sizeof(double)));
      }
    }
    return nb::make_tuple(packed, malformed);
  }

  [[nodiscard]] const std::vector<std::string>& extra_fields() const { return scanner_.extra_fields(); }
  [[nodiscard]] std::uint64_t bytes_read() const { return scanner_.bytes_read(); }

  /// With surrogates for bytes that are not UTF-8, so that a writer can give them back.
  [[nodiscard]] nb::list comments() const { return texts_of(scanner_.comments(), "surrogateescape"); }

 private:
  static Cloned<ByteSource> open(nb::object input) {
    if (nb::isinstance<nb::str>(input)) return {std::make_unique<FileBytes>(nb::cast<std::string>(input))};
    return {std::make_unique<PythonBytes>(std::move(input))};
  }

  SwfScanner scanner_;
};

}  // namespace

void bind_workload(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<SourceHandle>(module, "Source", "Jobs on their way into one simulation.")
      .def_ro("dependencies", &SourceHandle::dependencies, "Whether it honours dependencies that an SWF file has.")
      .def_prop_ro("attribute_names", [](const SourceHandle& self) { return self.source->attribute_names(); })
      .def_prop_ro(
          "comments", [](const SourceHandle& self) { return texts_of(self.source->report().comments, "replace"); },
          nb::for_getter(nb::sig("def comments(self) -> list[str]")),
          "Lines of the header that come before the first row.");
  module.def("swf_source", &swf_source, "input"_a, nb::kw_only(), "name"_a, "processors"_a, "memory"_a, "types"_a,
             "processor"_a, "memory_type"_a, "missing_estimate"_a, "fixed_estimate"_a, "estimate_covers_run"_a,
             "skip_zero_run"_a, "substitute_unusable"_a, "dependencies"_a, "strict"_a, "sort"_a, "tasks_per_node"_a,
             "whole_nodes"_a, "attributes"_a,
             "Jobs of an SWF file: a path, or a function that opens it and returns a function for the next chunk.");
  nb::class_<SwfRows>(module, "SwfRows", "The rows of an SWF file as they are.")
      .def(nb::init<nb::object, std::string>(), "input"_a, "name"_a)
      .def("next", &SwfRows::next, "(line number, 18 numbers or None if malformed); None at the end.")
      .def("block", &SwfRows::block, "most"_a,
           nb::sig("def block(self, most: int) -> tuple[list[bytes | list[list[int]]], list[int]]"),
           "The next rows by column, and the numbers of the malformed lines among them.")
      .def_prop_ro("extra_fields", &SwfRows::extra_fields)
      .def_prop_ro("bytes_read", &SwfRows::bytes_read)
      .def_prop_ro("comments", &SwfRows::comments, nb::for_getter(nb::sig("def comments(self) -> list[str]")));
  module.def(
      "swf_text",
      [](const std::vector<nb::object>& columns, std::size_t rows) {
        const std::string text = swf_text(columns_from(columns, rows), rows);
        return nb::bytes(text.data(), text.size());
      },
      "columns"_a, "rows"_a, nb::sig("def swf_text(columns: Sequence[bytes | Sequence[str]], rows: int) -> bytes"),
      "Rows as lines: columns of numbers, as bytes, or of texts.");
  nb::class_<Checksum>(module, "Checksum", "XXH64 of bytes.")
      .def(nb::init<>())
      .def(
          "add", [](Checksum& sum, const nb::bytes& data) { sum.add(data.c_str(), data.size()); }, "data"_a)
      .def("hex", &Checksum::hex);
}

}  // namespace schedlab::bindings
