#include "bindings/execution/network/ranks/application_runs.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bindings/execution/network/ranks/programs.hpp"
#include "bindings/execution/network/topology/topology.hpp"
#include "bindings/execution/network/transport/transport.hpp"
#include "execution/network/ranks/message_runs.hpp"
#include "execution/network/ranks/phase_runs.hpp"

namespace schedlab::bindings {

namespace {

MessageRunsSpec spec_from(const nb::dict& given, std::shared_ptr<const Topology> topology) {
  const auto network = nb::cast<nb::dict>(given["network"]);
  const auto messages = nb::cast<nb::dict>(network["messages"]);
  MessageRunsSpec spec;
  spec.transport.fidelity = nb::cast<std::string>(given["fidelity"]);
  spec.transport.topology = std::move(topology);
  spec.transport.rules = rules_from(messages);
  spec.transport.accuracy = nb::cast<double>(given["accuracy"]);
  spec.transport.seed = nb::cast<std::uint64_t>(given["seed"]);
  spec.collectives = nb::cast<std::string>(messages["collectives"]);
  spec.alone = nb::cast<bool>(given["alone"]);
  spec.errors_fail_jobs = nb::cast<bool>(given["errors_fail_jobs"]);
  spec.most_idle_operations = nb::cast<std::uint32_t>(given["most_idle_operations"]);
  const nb::object files = network["files"];
  if (!files.is_none()) {
    spec.files.bytes_per_second = nb::cast<double>(files["bytes_per_second"]);
    spec.files.node_bytes_per_second = nb::cast<double>(files["node_bytes_per_second"]);
  }
  return spec;
}

std::vector<double> rates_from(const nb::dict& given) {
  const nb::object compute = given["network"]["compute"];
  if (compute.is_none()) return {0.0, 0.0, 0.0};
  return {nb::cast<double>(compute["integer"]), nb::cast<double>(compute["floating"]),
          nb::cast<double>(compute["memory"])};
}

}  // namespace

std::unique_ptr<ApplicationRuns> application_runs_from(const nb::dict& given,
                                                       std::shared_ptr<const Topology> topology) {
  MessageRunsSpec spec = spec_from(given, std::move(topology));
  auto programs = python_programs(given["catalogue"], rates_from(given), nb::cast<std::uint64_t>(given["seed"]));
  if (spec.transport.fidelity != "phase") return std::make_unique<MessageRuns>(std::move(spec), std::move(programs));
  PhaseModel model(spec.transport.topology, spec.transport.rules, spec.files.bytes_per_second);
  return std::make_unique<PhaseRuns>(std::move(model), spec.collectives, std::move(programs), spec.errors_fail_jobs);
}

std::function<void(const Job&, std::vector<std::uint32_t>&)> mapping_from(const nb::object& given) {
  if (given.is_none()) return {};
  return [given](const Job& job, std::vector<std::uint32_t>& nodes) {
    nodes = nb::cast<std::vector<std::uint32_t>>(given(job.id, nodes));
  };
}

}  // namespace schedlab::bindings
