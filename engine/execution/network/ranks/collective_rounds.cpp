// Rings, exchanges in pairs and Bruck's algorithms: rounds in which every rank sends and receives.
#include <bit>

#include "execution/network/ranks/collective_turn.hpp"

namespace schedlab {

bool ring_allgather(Turn& turn) {
  if (!turn.within(turn.size - 1)) return false;
  // What came in the last round is sent on in this one.
  turn.send(turn.behind(turn.rank, 1), {turn.before(turn.rank, turn.n), 1});
  turn.receive(turn.before(turn.rank, 1), {turn.before(turn.rank, turn.n + 1), 1});
  return true;
}

bool ring_reduce_scatter(Turn& turn) {
  if (!turn.within(turn.size - 1)) return false;
  // Block i sets out after rank i, goes once around and ends there with the share of all.
  const std::uint32_t sent = turn.before(turn.rank, turn.n + 1);
  turn.send(turn.behind(turn.rank, 1), {sent, 1});
  turn.combine(turn.before(turn.rank, 1), {turn.before(sent, 1), 1});
  return true;
}

bool pairwise_reduce_scatter(Turn& turn) {
  if (!turn.within(turn.size - 1)) return false;
  const std::uint32_t to = turn.behind(turn.rank, turn.n + 1);
  turn.send(to, {to, 1});
  turn.combine(turn.before(turn.rank, turn.n + 1), {turn.rank, 1});
  return true;
}

bool bruck_allgather(Turn& turn) {
  if (!turn.within(static_cast<std::uint32_t>(std::bit_width(turn.size - 1)))) return false;
  // After n rounds a rank has the 2^n blocks from its own on; the last round brings what is missing.
  const std::uint32_t distance = std::uint32_t{1} << turn.n;
  const std::uint32_t count = std::min(distance, turn.size - distance);
  const std::uint32_t from = turn.behind(turn.rank, distance);
  turn.send(turn.before(turn.rank, distance), {turn.rank, count});
  turn.receive(from, {from, count});
  return true;
}

std::uint64_t bytes_between(const CollectiveCall& call, std::uint32_t from, std::uint32_t to) {
  if (call.offsets.empty()) return call.bytes;
  const std::uint64_t place = std::uint64_t{from} * call.size + to;
  return call.offsets[place + 1] - call.offsets[place];
}

bool pairwise_alltoall(Turn& turn) {
  if (!turn.within(turn.size - 1)) return false;
  const bool exchanges = std::has_single_bit(turn.size);  // then two ranks can be each other's partner
  const std::uint32_t round = turn.n + 1;
  const std::uint32_t to = exchanges ? turn.rank ^ round : turn.behind(turn.rank, round);
  const std::uint32_t from = exchanges ? to : turn.before(turn.rank, round);
  turn.send(to, {to, 1}, bytes_between(turn.call, turn.rank, to));
  turn.receive(from, {from, 1}, bytes_between(turn.call, from, turn.rank));
  return true;
}

namespace {

/// What a rank sends in Bruck's round for a bit. Place j of a rank holds at first what it gives to the rank j after it.
/// It travels by the bits of j: by now by those below the bit, so that it came from the rank that many before.
std::uint64_t bruck_bytes(const Turn& turn, std::uint32_t rank, std::uint32_t bit) {
  if (turn.call.offsets.empty()) {
    const std::uint64_t places =
        std::uint64_t{turn.size / (2 * bit)} * bit + std::max(turn.size % (2 * bit), bit) - bit;
    return places * turn.call.bytes;
  }
  std::uint64_t bytes = 0;
  for (std::uint32_t place = bit; place < turn.size; place = (place + 1) | bit) {
    const std::uint32_t giver = turn.before(rank, place & (bit - 1));
    bytes += bytes_between(turn.call, giver, turn.behind(giver, place));
  }
  return bytes;
}

}  // namespace

bool bruck_alltoall(Turn& turn) {
  if (!turn.within(static_cast<std::uint32_t>(std::bit_width(turn.size - 1)))) return false;
  const std::uint32_t bit = std::uint32_t{1} << turn.n;
  const std::uint32_t from = turn.before(turn.rank, bit);
  const Blocks places{turn.rank, turn.size, bit};
  turn.send(turn.behind(turn.rank, bit), places, bruck_bytes(turn, turn.rank, bit));
  turn.receive(from, places, bruck_bytes(turn, from, bit));
  return true;
}

}  // namespace schedlab
