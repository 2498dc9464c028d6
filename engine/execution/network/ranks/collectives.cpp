// Which parts the algorithms of collectives are made of.
#include "execution/network/ranks/collectives.hpp"

#include "base/errors.hpp"
#include "execution/network/ranks/collective_turn.hpp"

namespace schedlab {

namespace {

[[noreturn]] void refuse(const CollectiveCall& call) {
  throw InputError(std::string(name_of(call.kind)) + " has no algorithm '" + std::string(name_of(call.algorithm)) +
                   "' of its own");
}

bool barrier_step(Turn& turn) {
  switch (turn.call.algorithm) {
    case Algorithm::reduce_bcast:
      return binomial_reduce(turn, 0) || binomial_bcast(turn, 0);
    case Algorithm::linear:
      return linear_reduce(turn, 0) || linear_bcast(turn, 0);
    case Algorithm::recursive_doubling:
      return dissemination(turn);
    default:
      refuse(turn.call);
  }
}

bool bcast_step(Turn& turn) {
  const std::uint32_t root = turn.call.root;
  switch (turn.call.algorithm) {
    case Algorithm::binomial:
      return binomial_bcast(turn, root);
    case Algorithm::linear:
      return linear_bcast(turn, root);
    case Algorithm::scatter_allgather:
      return binomial_scatter(turn, root) || ring_allgather(turn);
    default:
      refuse(turn.call);
  }
}

bool reduce_step(Turn& turn) {
  const std::uint32_t root = turn.call.root;
  switch (turn.call.algorithm) {
    case Algorithm::binomial:
      return binomial_reduce(turn, root);
    case Algorithm::linear:
      return linear_reduce(turn, root);
    case Algorithm::rabenseifner:
      return rabenseifner_reduce(turn, root);
    default:
      refuse(turn.call);
  }
}

bool allreduce_step(Turn& turn) {
  switch (turn.call.algorithm) {
    case Algorithm::reduce_bcast:
      return binomial_reduce(turn, 0) || binomial_bcast(turn, 0);
    case Algorithm::recursive_doubling:
      return doubling_allreduce(turn);
    case Algorithm::ring:
      return ring_reduce_scatter(turn) || ring_allgather(turn);
    case Algorithm::rabenseifner:
      return rabenseifner_allreduce(turn);
    default:
      refuse(turn.call);
  }
}

bool gather_step(Turn& turn) {
  switch (turn.call.algorithm) {
    case Algorithm::binomial:
      return binomial_gather(turn, turn.call.root);
    case Algorithm::linear:
      return linear_gather(turn, turn.call.root);
    default:
      refuse(turn.call);
  }
}

bool scatter_step(Turn& turn) {
  switch (turn.call.algorithm) {
    case Algorithm::binomial:
      return binomial_scatter(turn, turn.call.root);
    case Algorithm::linear:
      return linear_scatter(turn, turn.call.root);
    default:
      refuse(turn.call);
  }
}

bool allgather_step(Turn& turn) {
  switch (turn.call.algorithm) {
    case Algorithm::gather_bcast:
      return binomial_gather(turn, 0) || binomial_bcast(turn, 0);
    case Algorithm::linear:
      return linear_allgather(turn);
    case Algorithm::recursive_doubling:
      return doubling_allgather(turn);
    case Algorithm::ring:
      return ring_allgather(turn);
    case Algorithm::bruck:
      return bruck_allgather(turn);
    default:
      refuse(turn.call);
  }
}

bool alltoall_step(Turn& turn) {
  switch (turn.call.algorithm) {
    case Algorithm::linear:
      return linear_alltoall(turn);
    case Algorithm::pairwise:
      return pairwise_alltoall(turn);
    case Algorithm::bruck:
      return bruck_alltoall(turn);
    default:
      refuse(turn.call);
  }
}

bool reduce_scatter_step(Turn& turn) {
  switch (turn.call.algorithm) {
    case Algorithm::recursive_halving:
      return halving_reduce_scatter(turn);
    case Algorithm::ring:
      return ring_reduce_scatter(turn);
    case Algorithm::pairwise:
      return pairwise_reduce_scatter(turn);
    default:
      refuse(turn.call);
  }
}

bool scan_step(Turn& turn) {
  switch (turn.call.algorithm) {
    case Algorithm::linear:
      return linear_scan(turn);
    case Algorithm::recursive_doubling:
      return doubling_scan(turn);
    default:
      refuse(turn.call);
  }
}

}  // namespace

bool collective_step(const CollectiveCall& call, std::uint32_t rank, std::uint32_t n, Step& step) {
  step = Step{};
  Turn turn(call, rank, n, step);
  switch (call.kind) {
    case Collective::barrier:
      return barrier_step(turn);
    case Collective::bcast:
      return bcast_step(turn);
    case Collective::reduce:
      return reduce_step(turn);
    case Collective::allreduce:
      return allreduce_step(turn);
    case Collective::gather:
      return gather_step(turn);
    case Collective::scatter:
      return scatter_step(turn);
    case Collective::allgather:
      return allgather_step(turn);
    case Collective::alltoall:
      return alltoall_step(turn);
    case Collective::reduce_scatter:
      return reduce_scatter_step(turn);
    case Collective::scan:
      return scan_step(turn);
  }
  refuse(call);
}

std::vector<std::uint64_t> block_offsets(Collective kind, std::uint32_t size, std::span<const std::uint64_t> counts) {
  std::uint64_t wanted = size;
  switch (kind) {
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::reduce_scatter:
      break;
    case Collective::alltoall:
      wanted *= size;
      break;
    default:
      throw InputError(std::string(name_of(kind)) + " has no blocks of different bytes: give one number of bytes");
  }
  if (counts.size() != wanted) {
    throw InputError(std::string(name_of(kind)) + " of " + std::to_string(size) + " ranks needs the bytes of " +
                     std::to_string(wanted) + " blocks, not of " + std::to_string(counts.size()));
  }
  std::vector<std::uint64_t> offsets;
  offsets.reserve(counts.size() + 1);
  offsets.push_back(0);
  for (const std::uint64_t count : counts) {
    if (count > UINT64_MAX - offsets.back()) throw InputError("the blocks together have more than 2^64 - 1 bytes");
    offsets.push_back(offsets.back() + count);
  }
  return offsets;
}

}  // namespace schedlab
