// A job's application in Python: one generator for each rank.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/execution/network/ranks/communicator.hpp"
#include "bindings/execution/network/ranks/rank_memory.hpp"
#include "execution/network/ranks/program.hpp"

namespace schedlab::bindings {

/// A job's ranks as generators of Python.
class PythonProgram final : public Program {
 public:
  PythonProgram(nb::object application, const JobApplication& job, const JobFacts& facts);

  /// A generator cannot be copied: the programs run again, up to where they are.
  PythonProgram(const PythonProgram& other);
  PythonProgram& operator=(const PythonProgram&) = delete;
  ~PythonProgram() override { facts_->combining.clear(); }  // functions may refer to what refers to the facts

  [[nodiscard]] std::uint32_t ranks() const override { return job_.ranks; }

  bool next(std::uint32_t rank, double seconds, const Outcome& outcome, RankOperation& operation) override;

  [[nodiscard]] std::string where(std::uint32_t rank) const override;

  ValueId combine(const CollectiveCall& call, std::uint8_t combining, std::span<const ValueId> given,
                  std::uint32_t place, std::uint32_t rank) override;

  ValueId share(ValueId value) override;
  void release(ValueId value) override;

  [[nodiscard]] std::unique_ptr<Program> fresh() const override;
  [[nodiscard]] std::unique_ptr<Program> once() const override;
  [[nodiscard]] double iterations() const override;
  void set_iterations(double iterations) override { facts_->repetitions = iterations; }
  [[nodiscard]] double run_seconds() const override { return job_.run_seconds; }
  [[nodiscard]] std::string key() const override;
  [[nodiscard]] bool looked_at_job() const override { return facts_->looked_at; }

  [[nodiscard]] std::unique_ptr<Program> clone() const override { return std::make_unique<PythonProgram>(*this); }

  void archive(Archive& archive) override;

 private:
  [[nodiscard]] bool ended(std::uint32_t rank) const;

  void begin(std::uint32_t rank);

  bool resume(std::uint32_t rank, const nb::object& given, RankOperation& operation);

  /// The engine's numbers of requests instead of the program's, which are waited for now.
  void take_requests(std::uint32_t rank, std::vector<std::uint32_t>& requests);

  /// What came of the last operation, as the program sees it.
  nb::object result_for_program(std::uint32_t rank, const Outcome& outcome, const RankOperation& operation);

  nb::object received(std::uint32_t rank, const Received& facts, std::uint32_t place);

  /// The rank's own copy of what a collective gave.
  nb::object common(std::uint32_t rank, const nb::object& value);

  nb::object communicator(std::uint32_t rank, std::uint32_t number, std::uint32_t place, std::uint32_t size);

  /// Does again what the rank did, with what it was given; what it did not look at may be anything.
  void run_again(std::uint32_t rank, const RankMemory& before, bool ended);

  /// What came of an operation before, by the results from that time on.
  nb::object earlier_result_for_program(std::uint32_t rank, const RankOperation& operation,
                                        std::span<const RankMemory::Result> results);

  ValueId keep(const nb::object& value);

  [[noreturn]] void fail(std::uint32_t rank, const std::string& place, const std::string& what) const;

  [[noreturn]] void differs(std::uint32_t rank, const std::string& error = "") const;

  static std::string described(nb::python_error& error);

  /// An error of the program, with the line of it that raised; interrupts go through.
  [[noreturn]] void raise(nb::python_error& error, std::uint32_t rank) const;

  nb::object application_;
  JobApplication job_;
  JobPointer facts_;
  std::vector<nb::object> generators_;  // invalid: not begun, or ended
  std::vector<RankPointer> memories_;   // null: not begun
  std::vector<nb::object> values_;      // that are on their way, by number - 1
  std::vector<std::uint32_t> counts_;   // of those who will ask for them
  std::vector<ValueId> unused_;
};

}  // namespace schedlab::bindings
