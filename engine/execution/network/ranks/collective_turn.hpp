// A rank's turn in a collective: what all algorithms are written in.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "execution/network/ranks/collectives.hpp"

namespace schedlab {

/// Asked for the n-th step of a rank. An algorithm is a chain of parts (a reduce, then a bcast): a part whose steps end
/// before `n` takes them off and answers false, so that the next one counts from 0.
class Turn {
 public:
  Turn(const CollectiveCall& of, std::uint32_t of_rank, std::uint32_t at, Step& into)
      : call(of),
        size(of.size),
        rank(of_rank),
        parts(of.algorithm == Algorithm::rabenseifner ? std::bit_floor(of.size) : of.size),
        n(at),
        step(into) {}

  const CollectiveCall& call;
  const std::uint32_t size;
  const std::uint32_t rank;
  const std::uint32_t parts;  // blocks of the data
  std::uint32_t n;
  Step& step;

  /// Whether the step is among the next `steps`.
  bool within(std::uint32_t steps) {
    if (n < steps) return true;
    n -= steps;
    return false;
  }

  [[nodiscard]] Blocks all() const { return {0, parts}; }
  /// The rank `distance` (not above the size) after another, around the communicator.
  [[nodiscard]] std::uint32_t behind(std::uint32_t other, std::uint32_t distance) const {
    const std::uint64_t sum = std::uint64_t{other} + distance;
    return static_cast<std::uint32_t>(sum >= size ? sum - size : sum);
  }
  [[nodiscard]] std::uint32_t before(std::uint32_t other, std::uint32_t distance) const {
    return behind(other, size - distance);
  }

  void send(std::uint32_t to, Blocks blocks) { send(to, blocks, bytes_of(blocks)); }
  void send(std::uint32_t to, Blocks blocks, std::uint64_t bytes) {
    step.to = static_cast<std::int32_t>(to);
    step.sent = blocks;
    step.send_bytes = bytes;
  }
  void receive(std::uint32_t from, Blocks blocks) { receive(from, blocks, bytes_of(blocks)); }
  void receive(std::uint32_t from, Blocks blocks, std::uint64_t bytes) {
    step.from = static_cast<std::int32_t>(from);
    step.received = blocks;
    step.receive_bytes = bytes;
  }
  void combine(std::uint32_t from, Blocks blocks) {
    receive(from, blocks);
    step.combine = true;
  }

 private:
  /// Of an interval of blocks, which may wrap around.
  [[nodiscard]] std::uint64_t bytes_of(Blocks blocks) const {
    const std::uint64_t end = std::uint64_t{blocks.first} + blocks.count;
    if (end <= parts) return offset(end) - offset(blocks.first);
    return offset(parts) - offset(blocks.first) + offset(end - parts);
  }
  /// Bytes before a block. A vector that cannot be cut evenly has its longer blocks first.
  [[nodiscard]] std::uint64_t offset(std::uint64_t block) const {
    if (!call.offsets.empty()) return call.offsets[block];
    switch (call.kind) {
      case Collective::gather:
      case Collective::scatter:
      case Collective::allgather:
        return call.bytes * block;
      case Collective::barrier:
        return 0;
      default:
        return call.bytes / parts * block + std::min(call.bytes % parts, block);
    }
  }
};

// Parts of algorithms. `root`, where there is one, is a rank of the communicator.

// collective_trees.cpp
bool binomial_reduce(Turn& turn, std::uint32_t root);
bool binomial_bcast(Turn& turn, std::uint32_t root);
bool binomial_gather(Turn& turn, std::uint32_t root);
bool binomial_scatter(Turn& turn, std::uint32_t root);

// collective_doubling.cpp
bool dissemination(Turn& turn);
bool doubling_scan(Turn& turn);
bool doubling_allreduce(Turn& turn);
bool doubling_allgather(Turn& turn);
bool halving_reduce_scatter(Turn& turn);
bool rabenseifner_allreduce(Turn& turn);
bool rabenseifner_reduce(Turn& turn, std::uint32_t root);

// collective_rounds.cpp
bool ring_allgather(Turn& turn);
bool ring_reduce_scatter(Turn& turn);
bool pairwise_reduce_scatter(Turn& turn);
bool bruck_allgather(Turn& turn);
bool pairwise_alltoall(Turn& turn);
bool bruck_alltoall(Turn& turn);

// collective_linear.cpp
bool linear_bcast(Turn& turn, std::uint32_t root);
bool linear_reduce(Turn& turn, std::uint32_t root);
bool linear_gather(Turn& turn, std::uint32_t root);
bool linear_scatter(Turn& turn, std::uint32_t root);
bool linear_allgather(Turn& turn);
bool linear_alltoall(Turn& turn);
bool linear_scan(Turn& turn);

/// Bytes of what a rank gives to another in an alltoall.
std::uint64_t bytes_between(const CollectiveCall& call, std::uint32_t from, std::uint32_t to);

}  // namespace schedlab
