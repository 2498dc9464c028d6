// Score expressions, for whoever checks one when it is read, and for tests.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "expression/program.hpp"

namespace schedlab::bindings {

namespace {

using Columns = std::map<std::string, std::vector<double>>;
using TableValues = std::map<std::string, std::map<std::int64_t, double>>;

/// Tables that Python gave, by index; those not in use are null.
class GivenTables final : public ExpressionTables {
 public:
  explicit GivenTables(std::size_t count) : tables_(count) {}

  void set(std::uint32_t table, const std::map<std::int64_t, double>& values) { tables_[table] = &values; }

  [[nodiscard]] double at(std::uint32_t table, std::int64_t key) const override {
    const auto found = tables_[table]->find(key);
    return found == tables_[table]->end() ? 0.0 : found->second;
  }

 private:
  std::vector<const std::map<std::int64_t, double>*> tables_;
};

/// An expression with the names it was parsed with.
class NamedExpression {
 public:
  NamedExpression(std::string text, std::vector<std::string> variables, std::vector<std::string> tables, bool open)
      : text_(std::move(text)),
        names_{std::move(variables), std::move(tables)},
        expression_(Expression::parse(text_, names_, open)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::vector<std::string> variables() const { return named(names_.variables, expression_.variables()); }
  [[nodiscard]] std::vector<std::string> tables() const { return named(names_.tables, expression_.tables()); }

  [[nodiscard]] std::vector<double> evaluate(const Columns& columns, const TableValues& tables) const {
    std::vector<const double*> pointers(names_.variables.size());
    std::size_t rows = 1;
    for (const std::uint32_t variable : expression_.variables()) {
      const std::vector<double>& values = given(columns, names_.variables[variable], "column");
      if (variable == expression_.variables().front()) rows = values.size();
      if (values.size() != rows) throw InputError("the columns differ in their number of rows");
      pointers[variable] = values.data();
    }
    GivenTables given_tables(names_.tables.size());
    for (const std::uint32_t table : expression_.tables()) {
      given_tables.set(table, given(tables, names_.tables[table], "table"));
    }
    std::vector<double> results(rows);
    for (std::size_t row = 0; row < rows; row += Expression::batch) {
      expression_.evaluate(std::min(Expression::batch, rows - row), pointers, given_tables, results.data() + row);
      for (const std::uint32_t variable : expression_.variables()) {
        if (rows - row > Expression::batch) pointers[variable] += Expression::batch;
      }
    }
    return results;
  }

  /// Of one row.
  [[nodiscard]] std::pair<double, double> lower_line(
      const std::map<std::string, std::pair<double, double>>& variables) const {
    std::vector<const double*> start(names_.variables.size());
    std::vector<const double*> end(names_.variables.size());
    for (const std::uint32_t variable : expression_.variables()) {
      const auto& [first, last] = given(variables, names_.variables[variable], "values of");
      start[variable] = &first;
      end[variable] = &last;
    }
    std::pair<double, double> least;
    expression_.lower_lines(1, start, end, &least.first, &least.second);
    return least;
  }

 private:
  static std::vector<std::string> named(const std::vector<std::string>& names, const std::vector<std::uint32_t>& used) {
    std::vector<std::string> result;
    for (const std::uint32_t index : used) result.push_back(names[index]);
    return result;
  }

  template <class Map>
  static const typename Map::mapped_type& given(const Map& map, const std::string& name, const char* what) {
    const auto found = map.find(name);
    if (found == map.end()) throw InputError(std::string("the expression needs the ") + what + " \"" + name + "\"");
    return found->second;
  }

  std::string text_;
  ExpressionNames names_;
  Expression expression_;
};

}  // namespace

void bind_expression(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<NamedExpression>(module, "Expression", "A score expression; refuses wrong text with InputError.")
      .def(nb::init<std::string, std::vector<std::string>, std::vector<std::string>, bool>(), "text"_a, "variables"_a,
           "tables"_a = nb::list(), "open"_a = false)
      .def_prop_ro("text", &NamedExpression::text)
      .def_prop_ro("variables", &NamedExpression::variables, "Names of the variables in use.")
      .def_prop_ro("tables", &NamedExpression::tables, "Names of the tables in use.")
      .def("evaluate", &NamedExpression::evaluate, "columns"_a, "tables"_a = nb::dict(),
           "A result for each row of the columns; a single one if the expression uses no variable.")
      .def("lower_line", &NamedExpression::lower_line, "variables"_a,
           "The ends of a line that the result does not fall below while each variable goes straight from one value to "
           "another; not numbers if none is known, or the result may not be a number.");
}

}  // namespace schedlab::bindings
