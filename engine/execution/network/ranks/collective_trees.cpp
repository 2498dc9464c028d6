// Binomial trees, of ranks counted from the root.
//
// Reduce and bcast link a rank to the one without its highest bit, as the reference simulator does: of N = 2^k ranks
// those below m = N/2 receive from r + m, then m halves. What a rank of such a tree holds is not an interval, which
// does not matter for a whole vector; gather and scatter take the tree by the lowest bit, where it is one.
#include <algorithm>
#include <bit>

#include "execution/network/ranks/collective_turn.hpp"

namespace schedlab {

namespace {

/// A rank's place in the tree by the highest bit: its children are `place + m` for the powers of two m from `nearest`
/// to `farthest`; there are `children` of them.
struct HighestBit {
  HighestBit(std::uint32_t size, std::uint32_t of_place)
      : place(of_place), nearest_width(static_cast<std::uint32_t>(std::bit_width(place))), children(0) {
    // The farthest child is at the largest power of two below size - place.
    const auto farthest_width = static_cast<std::uint32_t>(std::bit_width(size - place - 1));
    if (farthest_width > nearest_width) children = farthest_width - nearest_width;
  }

  [[nodiscard]] std::uint32_t parent() const { return place - std::bit_floor(place); }
  /// From the nearest, which is number 0.
  [[nodiscard]] std::uint32_t child(std::uint32_t number) const {
    return place + (std::uint32_t{1} << (nearest_width + number));
  }

  std::uint32_t place;
  std::uint32_t nearest_width;
  std::uint32_t children;
};

/// A rank's place in the tree by the lowest bit: its children are `place + m` for the powers of two m below its lowest
/// bit (below the size, of the root), and with those below them they hold an interval.
struct LowestBit {
  LowestBit(std::uint32_t of_size, std::uint32_t of_place) : size(of_size), place(of_place) {
    const auto beyond =
        static_cast<std::uint32_t>(std::bit_width(size - place - 1));  // 2^n < size - place: n below this
    children = place == 0 ? beyond : std::min(beyond, static_cast<std::uint32_t>(std::countr_zero(place)));
  }

  [[nodiscard]] std::uint32_t parent() const { return place & (place - 1); }
  [[nodiscard]] std::uint32_t child(std::uint32_t number) const { return place + (std::uint32_t{1} << number); }
  /// How many places the child has below it, itself among them.
  [[nodiscard]] std::uint32_t below_child(std::uint32_t number) const {
    return std::min(std::uint32_t{1} << number, size - child(number));
  }
  [[nodiscard]] std::uint32_t below() const { return std::min(place & (~place + 1), size - place); }

  std::uint32_t size;
  std::uint32_t place;
  std::uint32_t children;
};

}  // namespace

bool binomial_reduce(Turn& turn, std::uint32_t root) {
  const HighestBit tree(turn.size, turn.before(turn.rank, root));
  if (turn.within(tree.children)) {
    turn.combine(turn.behind(root, tree.child(tree.children - 1 - turn.n)), turn.all());
    return true;
  }
  if (tree.place == 0 || !turn.within(1)) return false;
  turn.send(turn.behind(root, tree.parent()), turn.all());
  return true;
}

bool binomial_bcast(Turn& turn, std::uint32_t root) {
  const HighestBit tree(turn.size, turn.before(turn.rank, root));
  if (tree.place != 0 && turn.within(1)) {
    turn.receive(turn.behind(root, tree.parent()), turn.all());
    return true;
  }
  if (!turn.within(tree.children)) return false;
  turn.send(turn.behind(root, tree.child(turn.n)), turn.all());
  return true;
}

bool binomial_gather(Turn& turn, std::uint32_t root) {
  const LowestBit tree(turn.size, turn.before(turn.rank, root));
  if (turn.within(tree.children)) {
    const std::uint32_t child = turn.behind(root, tree.child(turn.n));
    turn.receive(child, {child, tree.below_child(turn.n)});
    return true;
  }
  if (tree.place == 0 || !turn.within(1)) return false;
  turn.send(turn.behind(root, tree.parent()), {turn.rank, tree.below()});
  return true;
}

bool binomial_scatter(Turn& turn, std::uint32_t root) {
  const LowestBit tree(turn.size, turn.before(turn.rank, root));
  if (tree.place != 0 && turn.within(1)) {
    turn.receive(turn.behind(root, tree.parent()), {turn.rank, tree.below()});
    return true;
  }
  if (!turn.within(tree.children)) return false;
  const std::uint32_t number = tree.children - 1 - turn.n;  // the one with the most below it first
  const std::uint32_t child = turn.behind(root, tree.child(number));
  turn.send(child, {child, tree.below_child(number)});
  return true;
}

}  // namespace schedlab
