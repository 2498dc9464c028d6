// Linear algorithms: everybody with the root, or with everybody, all at once.
#include "execution/network/ranks/collective_turn.hpp"

namespace schedlab {

namespace {

/// Whether the step is among those of a rank with all others, of which only the last waits.
bool at_once(Turn& turn) {
  if (!turn.within(turn.size - 1)) return false;
  turn.step.wait = turn.n == turn.size - 2;
  return true;
}

bool from_root(Turn& turn, std::uint32_t root, bool whole) {
  if (turn.rank == root) {
    if (!at_once(turn)) return false;
    const std::uint32_t to = turn.behind(root, turn.n + 1);
    turn.send(to, whole ? turn.all() : Blocks{to, 1});
    return true;
  }
  if (!turn.within(1)) return false;
  turn.receive(root, whole ? turn.all() : Blocks{turn.rank, 1});
  return true;
}

}  // namespace

bool linear_bcast(Turn& turn, std::uint32_t root) { return from_root(turn, root, true); }

bool linear_scatter(Turn& turn, std::uint32_t root) { return from_root(turn, root, false); }

bool linear_gather(Turn& turn, std::uint32_t root) {
  if (turn.rank == root) {
    if (!at_once(turn)) return false;
    const std::uint32_t from = turn.behind(root, turn.n + 1);
    turn.receive(from, {from, 1});
    return true;
  }
  if (!turn.within(1)) return false;
  turn.send(root, {turn.rank, 1});
  return true;
}

bool linear_reduce(Turn& turn, std::uint32_t root) {
  if (turn.rank == root) {
    if (!at_once(turn)) return false;
    // Downwards from the root, then upwards: operands come in the order of ranks, whatever the operator.
    turn.combine(turn.n < root ? root - 1 - turn.n : turn.n + 1, turn.all());
    return true;
  }
  if (!turn.within(1)) return false;
  turn.send(root, turn.all());
  return true;
}

bool linear_allgather(Turn& turn) {
  if (!at_once(turn)) return false;
  const std::uint32_t from = turn.before(turn.rank, turn.n + 1);
  turn.send(turn.behind(turn.rank, turn.n + 1), {turn.rank, 1});
  turn.receive(from, {from, 1});
  return true;
}

bool linear_alltoall(Turn& turn) {
  if (!at_once(turn)) return false;
  const std::uint32_t to = turn.behind(turn.rank, turn.n + 1);
  const std::uint32_t from = turn.before(turn.rank, turn.n + 1);
  turn.send(to, {to, 1}, bytes_between(turn.call, turn.rank, to));
  turn.receive(from, {from, 1}, bytes_between(turn.call, from, turn.rank));
  return true;
}

bool linear_scan(Turn& turn) {
  if (turn.rank > 0 && turn.within(1)) {
    turn.combine(turn.rank - 1, turn.all());
    return true;
  }
  if (turn.rank + 1 == turn.size || !turn.within(1)) return false;
  turn.send(turn.rank + 1, turn.all());
  return true;
}

}  // namespace schedlab
