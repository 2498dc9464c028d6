#include "machine/node_list.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace schedlab {

NodeList::NodeList(const std::vector<std::uint32_t>& order, std::uint32_t blocks, bool moving) : places_(order.size()) {
  // Where nodes move, a block has twice the places it needs, so that gaps are closed once in a while only.
  const std::size_t spread = moving ? 2 : 1;
  nodes_.resize(order.size() * spread);
  used_ = open_ = Bitset(nodes_.size());
  std::size_t next = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::size_t size = order.size() / blocks + (block < order.size() % blocks ? 1 : 0);
    const std::size_t begin = next * spread;
    for (std::size_t i = 0; i < size; ++i) put(begin + i, order[next + i]);
    blocks_.push_back({begin, begin + size, begin + size * spread});
    next += size;
  }
}

void NodeList::put(std::size_t place, std::uint32_t node) {
  nodes_[place] = node;
  places_[node] = static_cast<std::uint32_t>(place);
  used_.insert(place);
  open_.insert(place);
}

void NodeList::given_back(const Placement& nodes) {
  for (const NodeRun& run : nodes) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) open_.insert(places_[node]);
  }
}

void NodeList::move_to_tail(std::uint32_t node) {
  const std::size_t place = places_[node];
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), place,
                                      [](std::size_t of, const Block& block) { return of < block.begin; });
  Block& block = *(after - 1);
  used_.erase(place);
  open_.erase(place);
  if (block.tail == block.capacity) close_gaps(block);
  put(block.tail++, node);
}

void NodeList::close_gaps(Block& block) {
  std::size_t kept = block.begin;
  for (std::size_t place = used_.next(block.begin); place < block.tail; place = used_.next(place + 1)) {
    const bool open = open_.contains(place);
    used_.erase(place);
    open_.erase(place);
    put(kept, nodes_[place]);
    if (!open) open_.erase(kept);
    ++kept;
  }
  block.tail = kept;
}

std::vector<std::uint32_t> NodeList::in_order() const {
  std::vector<std::uint32_t> nodes;
  for (std::size_t place = used_.next(0); place != Bitset::npos; place = used_.next(place + 1)) {
    nodes.push_back(nodes_[place]);
  }
  return nodes;
}

void NodeList::archive(Archive& archive) {
  std::vector<std::uint32_t> nodes = in_order();
  archive(nodes);
  if (!archive.reading()) return;
  std::vector<std::uint32_t> sorted = nodes;
  std::sort(sorted.begin(), sorted.end());
  bool whole = sorted.size() == places_.size();
  for (std::size_t node = 0; whole && node < sorted.size(); ++node) whole = sorted[node] == node;
  if (!whole) throw InputError("the saved state is of another machine");
  *this = NodeList(nodes, static_cast<std::uint32_t>(blocks_.size()), true);
}

}  // namespace schedlab
