// A list of nodes, cut into blocks, in which the next node with room is found fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/bitset.hpp"
#include "jobs/job.hpp"
#include "machine/machine.hpp"

namespace schedlab {

/// The nodes of a machine in an order. The list is divided into blocks of consecutive nodes, of which the first may
/// have one node more than the last. A node may be moved to the tail of its block.
class NodeList {
 public:
  NodeList() = default;
  /// `moving` says whether nodes will be moved.
  NodeList(const std::vector<std::uint32_t>& order, std::uint32_t blocks, bool moving);

  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }
  /// Where a block begins, and the place after its last node.
  [[nodiscard]] std::size_t begin(std::size_t block) const { return blocks_[block].begin; }
  [[nodiscard]] std::size_t end(std::size_t block) const { return blocks_[block].tail; }
  [[nodiscard]] std::uint32_t at(std::size_t place) const { return nodes_[place]; }
  [[nodiscard]] std::size_t place_of(std::uint32_t node) const { return places_[node]; }

  /// The first place from `from` on, before `end`, whose node has room; `end` if there is none.
  [[nodiscard]] std::size_t next(std::size_t from, std::size_t end, const Rooms& rooms) {
    const Bitset& places = rooms.plain ? open_ : used_;
    for (std::size_t place = places.next(from); place < end; place = places.next(place + 1)) {
      if (rooms.on[nodes_[place]] > 0) return place;
      if (rooms.plain) open_.erase(place);  // until something of the node is given back
    }
    return end;
  }

  /// Something of these nodes was given back.
  void given_back(const Placement& nodes);
  void move_to_tail(std::uint32_t node);

  /// The nodes in their order: two lists that behave alike are equal bytes.
  void archive(Archive& archive);

 private:
  struct Block {
    std::size_t begin;
    std::size_t tail;      // after the last node
    std::size_t capacity;  // where the next block begins
  };
  void put(std::size_t place, std::uint32_t node);
  void close_gaps(Block& block);
  [[nodiscard]] std::vector<std::uint32_t> in_order() const;

  std::vector<Block> blocks_;
  std::vector<std::uint32_t> nodes_;   // by place
  std::vector<std::uint32_t> places_;  // by node
  Bitset used_;                        // places that hold a node
  Bitset open_;  // those whose node may have room for plain tasks; a walk that finds none there takes the place out
};

}  // namespace schedlab
