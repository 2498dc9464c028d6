// Collectives, step by step, for people and tests that want to see what an algorithm does.
#include "execution/network/ranks/collectives.hpp"

#include "base/errors.hpp"
#include "bindings/bindings.hpp"

namespace schedlab::bindings {

namespace {

nb::tuple as_tuple(const Blocks& blocks) { return nb::make_tuple(blocks.first, blocks.count, blocks.bit); }

nb::list steps(const std::string& kind, const std::string& algorithm, std::uint32_t size, std::uint32_t rank,
               std::uint64_t bytes, std::uint32_t root, const std::optional<std::vector<std::uint64_t>>& counts) {
  CollectiveCall call;
  call.kind = collective_named(kind);
  call.algorithm = algorithm_named(call.kind, algorithm);
  if (call.algorithm == Algorithm::standard) {
    throw InputError("standard depends on the network's rules: ask standard_algorithm which it is");
  }
  if (rank >= size || root >= size) {
    throw InputError("rank " + std::to_string(rank) + " and root " + std::to_string(root) +
                     " must be below the size, " + std::to_string(size));
  }
  call.size = size;
  call.root = root;
  call.bytes = bytes;
  std::vector<std::uint64_t> offsets;
  if (counts) offsets = block_offsets(call.kind, size, *counts);
  call.offsets = offsets;

  nb::list result;
  Step step;
  for (std::uint32_t n = 0; collective_step(call, rank, n, step); ++n) {
    result.append(nb::make_tuple(step.to, step.from, step.send_bytes, step.receive_bytes, as_tuple(step.sent),
                                 as_tuple(step.received), step.combine, step.wait));
  }
  return result;
}

std::vector<std::string> algorithms(const std::string& kind) {
  std::vector<std::string> names;
  for (const Algorithm algorithm : algorithms_of(collective_named(kind))) names.emplace_back(name_of(algorithm));
  return names;
}

std::string standard(const std::string& kind, std::uint32_t size, std::uint64_t bytes, const std::string& rules) {
  return std::string(name_of(default_algorithm(collective_named(kind), size, bytes, rules)));
}

}  // namespace

void bind_collectives(nb::module_& module) {
  module.def(
      "collective_steps", &steps, nb::arg("kind"), nb::arg("algorithm"), nb::arg("size"), nb::arg("rank"),
      nb::arg("bytes"), nb::arg("root") = 0, nb::arg("counts") = nb::none(),
      nb::sig("def collective_steps(kind: str, algorithm: str, size: int, rank: int, bytes: int, root: int = 0, "
              "counts: list[int] | None = None) -> list[tuple[int, int, int, int, tuple[int, int, int], "
              "tuple[int, int, int], bool, bool]]"),
      "What a rank does, as (to, from, bytes sent, bytes received, blocks sent, blocks received, combine, wait); "
      "blocks as (first, count, bit), -1 for nobody.");
  module.def("collective_algorithms", &algorithms, nb::arg("kind"), "Names of the algorithms that a collective has.");
  module.def("standard_algorithm", &standard, nb::arg("kind"), nb::arg("size"), nb::arg("bytes"), nb::arg("rules"),
             "The name of the algorithm that the rules, \"reference\" or \"tuned\", take where none is named.");
}

}  // namespace schedlab::bindings
