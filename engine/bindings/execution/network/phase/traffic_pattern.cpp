// What an application sends, as Python asks for it.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/execution/network/ranks/programs.hpp"
#include "execution/network/ranks/message_runs.hpp"

namespace schedlab::bindings {

namespace {

template <class Value>
nb::bytes packed(const std::vector<Value>& values) {
  return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
}

nb::tuple traffic_pattern(nb::object catalogue, std::uint32_t ranks, const std::string& collectives,
                          std::uint64_t seed) {
  constexpr double any_rate = 1e9;  // times do not matter
  const JobApplication job{1, 0, ranks, -1.0};
  const auto programs = python_programs(std::move(catalogue), {any_rate, any_rate, any_rate}, seed);
  programs->check(job);
  auto program = programs->make(job);
  if (program->iterations() == 0.0) program = program->once();  // as many as fill a time that is not known
  const Pattern pattern = pattern_of(std::move(program), job, collectives);
  std::vector<std::uint32_t> from;
  std::vector<std::uint32_t> to;
  std::vector<std::uint32_t> messages;
  std::vector<std::uint64_t> bytes;
  for (const PatternPhase& phase : pattern.phases) {
    for (const PatternFlow& flow : phase.flows) {
      from.push_back(flow.from);
      to.push_back(flow.to);
      messages.push_back(flow.messages);
      bytes.push_back(flow.bytes);
    }
  }
  return nb::make_tuple(packed(from), packed(to), packed(messages), packed(bytes));
}

}  // namespace

void bind_traffic_pattern(nb::module_& module) {
  using namespace nb::literals;
  module.def("traffic_pattern", &traffic_pattern, "catalogue"_a, "ranks"_a, "collectives"_a, "seed"_a = 0,
             nb::sig("def traffic_pattern(catalogue: typing.Any, ranks: int, collectives: str, seed: int = 0) -> "
                     "tuple[bytes, bytes, bytes, bytes]"),
             "What the ranks of application 1 of a catalogue send, in phases, in order: sender, receiver and number of "
             "messages (each 32 bits wide) and bytes (64 bits). Of iterations that fill a run time, one.");
}

}  // namespace schedlab::bindings
