// What texts of jobs mean, asked of objects of Python.
#pragma once

#include <nanobind/stl/pair.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "machine/licenses.hpp"
#include "machine/node_needs.hpp"
#include "machine/partitions.hpp"

namespace schedlab::bindings {

using RangePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

inline NodeRanges ranges_from(const RangePairs& pairs) {
  NodeRanges ranges;
  for (const auto& [first, count] : pairs) ranges.push_back({first, count});
  return ranges;
}

/// The object is shared by copies: it has no state that changes what it says.
template <class Interface, class Own>
class AskedOfPython : public Interface {
 public:
  [[nodiscard]] std::unique_ptr<Interface> clone() const final {
    return std::make_unique<Own>(static_cast<const Own&>(*this));
  }

 protected:
  explicit AskedOfPython(nb::object object) : object_(std::move(object)) {}

  template <class Answer>
  [[nodiscard]] Answer ask(const char* method, double number) const {
    return nb::cast<Answer>(object_.attr(method)(number));
  }

 private:
  nb::object object_;
};

/// Asks schedlab.workload.needs.Needs.
class PythonNeeds final : public AskedOfPython<NodeNeeds, PythonNeeds> {
 public:
  explicit PythonNeeds(nb::object object) : AskedOfPython(std::move(object)) {}
  [[nodiscard]] NodeRanges nodes(double number) const override {
    return ranges_from(ask<RangePairs>("ranges", number));
  }
  [[nodiscard]] std::string text(double number) const override { return ask<std::string>("text", number); }
};

/// Asks schedlab.workload.licenses.Licenses.
class PythonLicenses final : public AskedOfPython<LicenseTexts, PythonLicenses> {
 public:
  explicit PythonLicenses(nb::object object) : AskedOfPython(std::move(object)) {}
  [[nodiscard]] std::vector<Amount> amounts(double number) const override {
    return ask<std::vector<Amount>>("amounts", number);
  }
  [[nodiscard]] std::string text(double number) const override { return ask<std::string>("text", number); }
};

/// Asks schedlab.system.partitions.PartitionNumbers.
class PythonPartitionLists final : public AskedOfPython<PartitionLists, PythonPartitionLists> {
 public:
  explicit PythonPartitionLists(nb::object object) : AskedOfPython(std::move(object)) {}
  [[nodiscard]] std::vector<double> numbers(double number) const override {
    return ask<std::vector<double>>("numbers", number);
  }
};

}  // namespace schedlab::bindings
