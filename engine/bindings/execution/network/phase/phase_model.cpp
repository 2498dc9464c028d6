#include "execution/network/phase/phase_model.hpp"

#include <memory>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/execution/network/topology/topology.hpp"
#include "bindings/execution/network/transport/transport.hpp"

namespace schedlab::bindings {

namespace {

using FlowRow = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;
using PhaseRow = std::tuple<double, double, std::vector<FlowRow>>;
using Nodes = std::vector<std::uint32_t>;

/// All ranks compute as long as the phase says.
Pattern pattern_from(const std::vector<PhaseRow>& rows, std::size_t ranks) {
  Pattern pattern;
  pattern.ranks = static_cast<std::uint32_t>(ranks);
  for (const auto& [compute_seconds, file_bytes, flows] : rows) {
    PatternPhase& phase = pattern.phases.emplace_back();
    phase.compute_seconds = compute_seconds;
    phase.file_bytes = file_bytes;
    for (const auto& [from, to, messages, bytes] : flows) phase.flows.push_back({from, to, messages, bytes});
    pattern.mean_compute_seconds += compute_seconds;
  }
  return pattern;
}

PhaseModel model_from(const nb::dict& network, double tolerance) {
  double file_bytes_per_second = 0.0;
  if (const nb::object files = network["files"]; !files.is_none()) {
    file_bytes_per_second = nb::cast<double>(files["bytes_per_second"]);
  }
  return {topology_from(network), rules_from(nb::cast<nb::dict>(network["messages"])), file_bytes_per_second,
          tolerance};
}

nb::dict traffic_of(const PhaseModel& model, Slot slot) {
  const JobTraffic traffic = model.traffic(slot);
  nb::dict row;
  row["compute_seconds"] = traffic.compute_seconds;
  row["communication_seconds"] = traffic.communication_seconds;
  row["file_seconds"] = traffic.file_seconds;
  row["messages"] = traffic.messages;
  row["bytes"] = traffic.bytes;
  row["hops"] = traffic.hops;
  row["hop_bytes"] = traffic.hop_bytes;
  row["alone_seconds"] = traffic.alone_seconds;
  return row;
}

}  // namespace

void bind_phase_model(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<PhaseModel>(module, "PhaseModel",
                         "Jobs that repeat patterns on a network. A pattern is a list of phases (compute seconds, file "
                         "bytes, flows), a flow (from rank, to rank, messages, bytes). Times are nanoseconds.")
      .def(
          "__init__",
          [](PhaseModel* self, const nb::typed<nb::dict, nb::str, nb::any>& network, double tolerance) {
            new (self) PhaseModel(model_from(network, tolerance));
          },
          "network"_a, "tolerance"_a = PhaseModel::usual_tolerance)
      .def(
          "start",
          [](PhaseModel& self, Slot slot, const std::vector<PhaseRow>& pattern, double repeats, const Nodes& nodes,
             Time now) { self.start(slot, pattern_from(pattern, nodes.size()), repeats, nodes, now); },
          "slot"_a, "pattern"_a, "repeats"_a, "nodes"_a, "now"_a)
      .def("stop", &PhaseModel::stop, "slot"_a, "now"_a)
      .def(
          "next_time",
          [](PhaseModel& self) {
            const Time next = self.next_time();
            return next == never ? std::nullopt : std::optional<Time>(next);
          },
          "When the next job ends; None where none will.")
      .def(
          "advance",
          [](PhaseModel& self, Time now) {
            std::vector<Slot> ended;
            self.advance(now, ended);
            return ended;
          },
          "now"_a, "The jobs that end up to a time, in the order of their ends.")
      .def("speed", &PhaseModel::speed, "slot"_a)
      .def("traffic", &traffic_of, nb::sig("def traffic(self, slot: int) -> dict[str, float]"), "slot"_a)
      .def("forget", &PhaseModel::forget, "slot"_a)
      .def("carried", &PhaseModel::carried, "now"_a, "Bytes that each link carried.")
      .def(
          "iteration_seconds",
          [](PhaseModel& self, const std::vector<PhaseRow>& pattern, const Nodes& nodes) {
            return self.iteration_seconds(pattern_from(pattern, nodes.size()), nodes);
          },
          "pattern"_a, "nodes"_a, "Seconds of one pass alone.")
      .def("fork", [](const PhaseModel& self) { return PhaseModel(self); })
      .def("save",
           [](PhaseModel& self) {
             Archive archive;
             self.archive(archive);
             return nb::bytes(archive.bytes().data(), archive.bytes().size());
           })
      .def(
          "load",
          [](PhaseModel& self, const nb::bytes& state) {
            Archive archive(std::string(state.c_str(), state.size()));
            self.archive(archive);
          },
          "state"_a, "Continues from where a model of the same network was saved.");
}

}  // namespace schedlab::bindings
