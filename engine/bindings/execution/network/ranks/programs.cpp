#include "bindings/execution/network/ranks/programs.hpp"

#include <utility>

#include "bindings/execution/network/ranks/python_program.hpp"
#include "execution/network/ranks/message_runs.hpp"

namespace schedlab::bindings {

namespace {

class PythonPrograms final : public Programs {
 public:
  PythonPrograms(nb::object catalogue, std::vector<double> rates, std::uint64_t seed)
      : catalogue_(std::move(catalogue)), rates_(std::move(rates)), seed_(seed) {}

  void check(const JobApplication& job) override { catalogue_.attr("check")(job.application, job.job, job.ranks); }

  std::unique_ptr<Program> make(const JobApplication& job) override {
    JobFacts facts;
    facts.job = job.job;
    facts.run_seconds = job.run_seconds;
    facts.integer = rates_[0];
    facts.floating = rates_[1];
    facts.memory = rates_[2];
    facts.seed = seed_;
    return std::make_unique<PythonProgram>(catalogue_.attr("application")(job.application), job, facts);
  }
  [[nodiscard]] std::unique_ptr<Programs> clone() const override { return std::make_unique<PythonPrograms>(*this); }

 private:
  nb::object catalogue_;
  std::vector<double> rates_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Programs> python_programs(nb::object catalogue, std::vector<double> rates, std::uint64_t seed) {
  return std::make_unique<PythonPrograms>(std::move(catalogue), std::move(rates), seed);
}

void bind_programs(nb::module_& module) {
  module.def(
      "pattern",
      [](nb::object application, std::uint32_t ranks, const std::string& collectives, double run_seconds) {
        const JobApplication job{1, 1, ranks, run_seconds};
        const PythonProgram program(std::move(application), job, {});
        nb::list phases;
        for (const PatternPhase& phase : pattern_of(program.once(), job, collectives).phases) {
          nb::list flows;
          for (const PatternFlow& flow : phase.flows) {
            flows.append(nb::make_tuple(flow.from, flow.to, flow.messages, flow.bytes));
          }
          phases.append(nb::make_tuple(phase.compute_seconds, phase.file_bytes, flows));
        }
        return phases;
      },
      nb::arg("application"), nb::arg("ranks"), nb::arg("collectives") = "reference", nb::arg("run_seconds") = -1.0,
      nb::sig("def pattern(application: typing.Any, ranks: int, collectives: str = 'reference', "
              "run_seconds: float = -1.0) -> list[tuple[float, float, list[tuple[int, int, int, int]]]]"),
      "What one pass of an application sends, phase by phase: seconds of computing, bytes of files, and messages as "
      "(from, to, how many, bytes).");
}

}  // namespace schedlab::bindings
