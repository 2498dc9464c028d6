// Names of collectives and algorithms, which belong together, and which is taken where none is named.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/errors.hpp"
#include "execution/network/ranks/collectives.hpp"

namespace schedlab {

namespace {

using enum Algorithm;

constexpr std::array<std::string_view, 10> collective_names = {
    "barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce_scatter", "scan"};

constexpr std::array<std::string_view, 12> algorithm_names = {
    "standard",          "reduce_bcast", "gather_bcast", "binomial",          "linear",   "recursive_doubling",
    "recursive_halving", "ring",         "rabenseifner", "scatter_allgather", "pairwise", "bruck"};

constexpr std::array barrier_algorithms = {reduce_bcast, linear, recursive_doubling};
constexpr std::array bcast_algorithms = {binomial, linear, scatter_allgather};
constexpr std::array reduce_algorithms = {binomial, linear, rabenseifner};
constexpr std::array allreduce_algorithms = {reduce_bcast, recursive_doubling, ring, rabenseifner};
constexpr std::array gather_algorithms = {binomial, linear};
constexpr std::array allgather_algorithms = {gather_bcast, linear, recursive_doubling, ring, bruck};
constexpr std::array alltoall_algorithms = {linear, pairwise, bruck};
constexpr std::array reduce_scatter_algorithms = {recursive_halving, ring, pairwise};
constexpr std::array scan_algorithms = {linear, recursive_doubling};

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

template <typename Names>
std::string listed(const Names& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

/// The trees of the reference simulator. Its exchange for alltoall has Bruck's rounds and volume where the size is a
/// power of two, else it takes all pairs.
Algorithm reference_algorithm(Collective kind, std::uint32_t size) {
  switch (kind) {
    case Collective::barrier:
    case Collective::allreduce:
      return reduce_bcast;
    case Collective::allgather:
      return gather_bcast;
    case Collective::alltoall:
      return std::has_single_bit(size) ? bruck : pairwise;
    case Collective::reduce_scatter:
      return pairwise;
    case Collective::scan:
      return recursive_doubling;
    default:
      return binomial;
  }
}

/// By size and bytes, as Thakur, Rabenseifner and Gropp (2005) chose them for MPICH, with the limits of its
/// version 3.2.
Algorithm tuned_algorithm(Collective kind, std::uint32_t size, std::uint64_t bytes) {
  constexpr std::uint64_t kibi = 1024;
  const bool cut = bytes > 2 * kibi && bytes >= std::bit_floor(size);  // something for each to reduce
  switch (kind) {
    case Collective::barrier:
    case Collective::scan:
      return recursive_doubling;
    case Collective::bcast:
      return bytes < 12 * kibi || size < 8 ? binomial : scatter_allgather;
    case Collective::reduce:
      return cut ? rabenseifner : binomial;
    case Collective::allreduce:
      return cut ? rabenseifner : recursive_doubling;
    case Collective::allgather: {
      const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
      const std::uint64_t total = bytes > most / std::max(size, 1U) ? most : bytes * size;
      if (std::has_single_bit(size)) return total < 512 * kibi ? recursive_doubling : ring;
      return total < 80 * kibi ? bruck : ring;
    }
    case Collective::alltoall:
      if (bytes <= 256) return bruck;
      return bytes <= 32 * kibi ? linear : pairwise;
    case Collective::reduce_scatter:
      return bytes < 512 * kibi ? recursive_halving : pairwise;
    default:
      return binomial;
  }
}

}  // namespace

std::span<const Algorithm> algorithms_of(Collective kind) {
  switch (kind) {
    case Collective::barrier:
      return barrier_algorithms;
    case Collective::bcast:
      return bcast_algorithms;
    case Collective::reduce:
      return reduce_algorithms;
    case Collective::allreduce:
      return allreduce_algorithms;
    case Collective::gather:
    case Collective::scatter:
      return gather_algorithms;
    case Collective::allgather:
      return allgather_algorithms;
    case Collective::alltoall:
      return alltoall_algorithms;
    case Collective::reduce_scatter:
      return reduce_scatter_algorithms;
    case Collective::scan:
      return scan_algorithms;
  }
  return {};
}

Algorithm default_algorithm(Collective kind, std::uint32_t size, std::uint64_t bytes, std::string_view rules) {
  if (rules == "reference") return reference_algorithm(kind, size);
  if (rules == "tuned") return tuned_algorithm(kind, size, bytes);
  throw InputError("there are no rules " + quoted(rules) + " for collectives: take reference or tuned");
}

Collective collective_named(std::string_view name) {
  const auto* const found = std::ranges::find(collective_names, name);
  if (found == collective_names.end()) {
    throw InputError("there is no collective " + quoted(name) + ": take one of " + listed(collective_names));
  }
  return static_cast<Collective>(found - collective_names.begin());
}

Algorithm algorithm_named(Collective kind, std::string_view name) {
  if (name == name_of(standard)) return standard;
  std::vector<std::string_view> names;
  for (const Algorithm algorithm : algorithms_of(kind)) {
    if (name == name_of(algorithm)) return algorithm;
    names.push_back(name_of(algorithm));
  }
  throw InputError(std::string(name_of(kind)) + " has no algorithm " + quoted(name) + ": take standard or one of " +
                   listed(names));
}

std::string_view name_of(Collective kind) { return collective_names[static_cast<std::size_t>(kind)]; }

std::string_view name_of(Algorithm algorithm) { return algorithm_names[static_cast<std::size_t>(algorithm)]; }

}  // namespace schedlab
