// Collective operations as messages between ranks: for each algorithm, what a rank does step by step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schedlab {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan
};

enum class Algorithm : std::uint8_t {
  standard,            // what the network's rules say, see default_algorithm
  reduce_bcast,        // allreduce, barrier: binomial reduce, then binomial bcast (the reference simulator's)
  gather_bcast,        // allgather: binomial gather, then binomial bcast
  binomial,            // bcast, reduce, gather, scatter
  linear,              // everybody with the root, or everybody with everybody, all at once
  recursive_doubling,  // allreduce, allgather, barrier (dissemination), scan
  recursive_halving,   // reduce_scatter
  ring,                // allgather, allreduce (reduce-scatter + allgather), reduce_scatter
  rabenseifner,        // allreduce: recursive halving, then recursive doubling; reduce: halving, then binomial gather
  scatter_allgather,   // bcast: binomial scatter, then ring allgather (van de Geijn)
  pairwise,            // alltoall, reduce_scatter
  bruck                // alltoall, allgather
};

/// Blocks of a collective's data that a step moves. Data has as many blocks as the communicator has ranks
/// (rabenseifner: the largest power of two not above that), and block i is what rank i gave or is to get. A whole
/// vector (bcast, reduce, scan) is all blocks. The interval wraps around. alltoall: block i sent is what i is to get,
/// block i received what i gave; under Bruck they are the places of docs/reference/collectives.md.
struct Blocks {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t bit = 0;  // not 0: of the interval, only places j (counted from `first`) with j & bit (Bruck)
};

/// What a rank does in a step: it sends to one rank, receives from one, or both at once, and continues when that is
/// done.
struct Step {
  std::int32_t to = -1;    // rank of the communicator; -1: sends nothing
  std::int32_t from = -1;  // -1: receives nothing
  std::uint64_t send_bytes = 0;
  std::uint64_t receive_bytes = 0;
  Blocks sent;
  Blocks received;
  bool combine =
      false;         // received data is combined with the own by the operator (else it takes its place): the lower
                     // rank's is the left operand; several that were waited for together, in the order of their steps
  bool wait = true;  // false: continues with the next step at once; a later step that waits, waits for all
};

/// A call as all ranks of the communicator agree on it.
struct CollectiveCall {
  Collective kind = Collective::barrier;
  Algorithm algorithm = Algorithm::standard;  // collective_step wants another: default_algorithm says which
  std::uint32_t size = 1;                     // of the communicator
  std::uint32_t root = 0;                     // below size
  /// Bytes of the whole vector (bcast, reduce, allreduce, scan; reduce_scatter: of all of it), or of what one rank
  /// gives to one (gather, scatter, allgather: each rank's block; alltoall: each of its blocks).
  std::uint64_t bytes = 0;
  /// The v variants: what block_offsets made of the bytes of all blocks. Empty: all alike.
  std::span<const std::uint64_t> offsets;
};

/// Where blocks of different, also of no bytes begin, once for all ranks and steps: the sums of all counts before, and
/// of all. Counts are the bytes of each rank's block (gather, scatter, allgather, reduce_scatter), by rank; for
/// alltoall of block (i, j), what i sends to j, at i * size + j. Throws InputError where there are too few or too many
/// of them, or where the kind has no such variant.
std::vector<std::uint64_t> block_offsets(Collective kind, std::uint32_t size, std::span<const std::uint64_t> counts);

/// The n-th step, from 0, of a rank; false when it is done. A pure function, without memory, so that thousands of ranks
/// with thousands of steps each need none: O(log size) time at most (alltoallv by Bruck's algorithm: O(size)).
bool collective_step(const CollectiveCall& call, std::uint32_t rank, std::uint32_t n, Step& step);

/// What `standard` stands for under the rules "reference" or "tuned"; `bytes` as a call has them, of v variants those
/// of the average block (reduce_scatter: of all). Throws InputError for other rules.
Algorithm default_algorithm(Collective kind, std::uint32_t size, std::uint64_t bytes, std::string_view rules);

/// Those that a kind has, `standard` not among them.
std::span<const Algorithm> algorithms_of(Collective kind);

/// Throw InputError for unknown names and for pairs that do not exist, naming those that do.
Collective collective_named(std::string_view name);
Algorithm algorithm_named(Collective kind, std::string_view name);
std::string_view name_of(Collective kind);
std::string_view name_of(Algorithm algorithm);

}  // namespace schedlab
