// Recursive doubling and halving.
//
// Most of them are for powers of two. Of other sizes the ranks beyond the largest power of two are folded in: of each
// of the first pairs of neighbours one gives what it has to the other, which acts for both, and gets its result at the
// end (Thakur, Rabenseifner and Gropp 2005). Neighbours, so that those who act hold intervals in the order of ranks.
#include <algorithm>
#include <bit>

#include "execution/network/ranks/collective_turn.hpp"

namespace schedlab {

namespace {

/// Who acts, and under which number.
struct Fold {
  /// Of a pair the odd rank acts, or `of_keep` where it is of the pair.
  explicit Fold(const Turn& turn, std::uint32_t of_keep = static_cast<std::uint32_t>(-1))
      : actors(std::bit_floor(turn.size)),
        rounds(static_cast<std::uint32_t>(std::bit_width(actors)) - 1),
        pairs(turn.size - actors),
        keep(of_keep),
        number(number_of(turn.rank)),
        in_pair(turn.rank < 2 * pairs),
        acts(rank_of(number) == turn.rank) {}

  [[nodiscard]] std::uint32_t rank_of(std::uint32_t actor) const {
    if (actor >= pairs) return actor + pairs;
    return keep == 2 * actor ? keep : 2 * actor + 1;
  }
  [[nodiscard]] std::uint32_t number_of(std::uint32_t rank) const { return rank < 2 * pairs ? rank / 2 : rank - pairs; }
  /// Blocks of the ranks for which `count` actors act.
  [[nodiscard]] Blocks blocks(std::uint32_t first, std::uint32_t count) const {
    return {start(first), start(first + count) - start(first)};
  }
  [[nodiscard]] std::uint32_t start(std::uint32_t actor) const { return actor < pairs ? 2 * actor : actor + pairs; }

  std::uint32_t actors;  // a power of two
  std::uint32_t rounds;  // its logarithm
  std::uint32_t pairs;
  std::uint32_t keep;
  std::uint32_t number;  // of the rank, or of the one that acts for it
  bool in_pair;
  bool acts;
};

/// The other of the pair gives the whole vector to the one that acts.
bool fold_in(Turn& turn, const Fold& fold) {
  if (!fold.in_pair || !turn.within(1)) return false;
  if (fold.acts) {
    turn.combine(turn.rank ^ 1U, turn.all());
  } else {
    turn.send(turn.rank ^ 1U, turn.all());
  }
  return true;
}

/// The one that acts gives these blocks to the other.
bool fold_out(Turn& turn, const Fold& fold, Blocks blocks) {
  if (!fold.in_pair || !turn.within(1)) return false;
  if (fold.acts) {
    turn.send(turn.rank ^ 1U, blocks);
  } else {
    turn.receive(turn.rank ^ 1U, blocks);
  }
  return true;
}

bool in_round(Turn& turn, const Fold& fold) { return fold.acts && turn.within(fold.rounds); }

/// What an actor holds after `rounds` of halving with neighbours first: bit 0 of its number says which half of the
/// vector, bit 1 which half of that, and so on.
Blocks share(const Fold& fold, std::uint32_t number, std::uint32_t rounds) {
  Blocks held{0, fold.actors};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    held.count /= 2;
    if ((number >> round & 1U) != 0) held.first += held.count;
  }
  return held;
}

/// Rabenseifner's first half: a reduce-scatter with the nearest, and most of the data, first.
bool share_out(Turn& turn, const Fold& fold) {
  if (!in_round(turn, fold)) return false;
  const std::uint32_t partner = fold.number ^ (std::uint32_t{1} << turn.n);
  turn.send(fold.rank_of(partner), share(fold, partner, turn.n + 1));
  turn.combine(fold.rank_of(partner), share(fold, fold.number, turn.n + 1));
  return true;
}

}  // namespace

bool dissemination(Turn& turn) {
  if (!turn.within(static_cast<std::uint32_t>(std::bit_width(turn.size - 1)))) return false;
  const std::uint32_t distance = std::uint32_t{1} << turn.n;
  turn.send(turn.behind(turn.rank, distance), turn.all());
  turn.receive(turn.before(turn.rank, distance), turn.all());
  return true;
}

bool doubling_scan(Turn& turn) {
  // Hillis and Steele: after n rounds a rank holds the sum of the 2^n ranks up to it.
  const std::uint32_t above = turn.size - 1 - turn.rank;
  const auto sends = static_cast<std::uint32_t>(std::bit_width(above));
  const auto receives = static_cast<std::uint32_t>(std::bit_width(turn.rank));
  if (!turn.within(std::max(sends, receives))) return false;
  const std::uint32_t distance = std::uint32_t{1} << turn.n;
  if (turn.n < sends) turn.send(turn.rank + distance, turn.all());
  if (turn.n < receives) turn.combine(turn.rank - distance, turn.all());
  return true;
}

bool doubling_allreduce(Turn& turn) {
  const Fold fold(turn);
  if (fold_in(turn, fold)) return true;
  if (in_round(turn, fold)) {
    const std::uint32_t partner = fold.rank_of(fold.number ^ (std::uint32_t{1} << turn.n));
    turn.send(partner, turn.all());
    turn.combine(partner, turn.all());
    return true;
  }
  return fold_out(turn, fold, turn.all());
}

bool doubling_allgather(Turn& turn) {
  const Fold fold(turn);
  if (fold.in_pair && turn.within(1)) {
    if (fold.acts) {
      turn.receive(turn.rank ^ 1U, {turn.rank ^ 1U, 1});
    } else {
      turn.send(turn.rank ^ 1U, {turn.rank, 1});
    }
    return true;
  }
  if (in_round(turn, fold)) {
    const std::uint32_t distance = std::uint32_t{1} << turn.n;
    const std::uint32_t partner = fold.number ^ distance;
    turn.send(fold.rank_of(partner), fold.blocks(fold.number & ~(distance - 1), distance));
    turn.receive(fold.rank_of(partner), fold.blocks(partner & ~(distance - 1), distance));
    return true;
  }
  // Everything but the block that the other gave.
  const std::uint32_t other = fold.acts ? turn.rank ^ 1U : turn.rank;
  return fold_out(turn, fold, {turn.behind(other, 1), turn.size - 1});
}

bool halving_reduce_scatter(Turn& turn) {
  const Fold fold(turn);
  if (fold_in(turn, fold)) return true;
  if (in_round(turn, fold)) {
    const std::uint32_t distance = fold.actors >> (turn.n + 1);
    const std::uint32_t partner = fold.number ^ distance;
    turn.send(fold.rank_of(partner), fold.blocks(partner & ~(distance - 1), distance));
    turn.combine(fold.rank_of(partner), fold.blocks(fold.number & ~(distance - 1), distance));
    return true;
  }
  return fold_out(turn, fold, {fold.acts ? turn.rank ^ 1U : turn.rank, 1});
}

bool rabenseifner_allreduce(Turn& turn) {
  const Fold fold(turn);
  if (fold_in(turn, fold) || share_out(turn, fold)) return true;
  if (in_round(turn, fold)) {  // the same way back
    const std::uint32_t partner = fold.number ^ (fold.actors >> (turn.n + 1));
    turn.send(fold.rank_of(partner), share(fold, fold.number, fold.rounds - turn.n));
    turn.receive(fold.rank_of(partner), share(fold, partner, fold.rounds - turn.n));
    return true;
  }
  return fold_out(turn, fold, turn.all());
}

bool rabenseifner_reduce(Turn& turn, std::uint32_t root) {
  const Fold fold(turn, root);
  if (fold_in(turn, fold) || share_out(turn, fold)) return true;
  if (!in_round(turn, fold)) return false;
  // A binomial gather the same way back: of each two, the one that differs from the root in this bit sends, and is
  // done.
  const std::uint32_t bit = fold.actors >> (turn.n + 1);
  const std::uint32_t difference = fold.number ^ fold.number_of(root);
  if (difference >= 2 * bit) return false;
  const std::uint32_t partner = fold.number ^ bit;
  if (difference >= bit) {
    turn.send(fold.rank_of(partner), share(fold, fold.number, fold.rounds - turn.n));
  } else {
    turn.receive(fold.rank_of(partner), share(fold, partner, fold.rounds - turn.n));
  }
  return true;
}

}  // namespace schedlab
