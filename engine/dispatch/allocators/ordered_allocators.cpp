#include "dispatch/allocators/ordered_allocators.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "dispatch/allocators/filling.hpp"
#include "machine/node_list.hpp"

namespace schedlab {

namespace {

/// Writes the nodes of a placement in the order of the list: block after block, even where blocks were dealt in turn.
void write_by_place(const Placement& placement, const NodeList& nodes, Placement& taken) {
  taken.clear();
  for (const NodeRun& run : placement) {
    for (std::uint32_t i = 0; i < run.count; ++i) taken.push_back({run.first + i, 1, run.tasks});
  }
  std::sort(taken.begin(), taken.end(),
            [&](const NodeRun& a, const NodeRun& b) { return nodes.place_of(a.first) < nodes.place_of(b.first); });
}

/// Takes one node of each block in turn, from the block's head on, until all tasks have a place; so each block gives as
/// many nodes as the others, the first ones one more, and those that have more stand in for one that has too few.
class Dealing {
 public:
  bool fill(const PlacementRequest& request, const Rooms& rooms, NodeList& nodes, Placement& placement) {
    Filling filling(request, placement);
    next_.clear();
    for (std::size_t block = 0; block < nodes.blocks(); ++block) next_.push_back(nodes.begin(block));
    for (bool any = true; any;) {
      any = false;
      for (std::size_t block = 0; block < nodes.blocks() && filling.left() > 0; ++block) {
        any = add_one(nodes, block, rooms, filling) || any;
      }
      if (filling.left() > 0) continue;
      if (request.taken != nullptr) write_by_place(placement, nodes, *request.taken);
      return filling.sorted(nullptr);
    }
    return filling.give_up();
  }

 private:
  /// Adds the next node of the block that may get tasks; false where there is none.
  bool add_one(NodeList& nodes, std::size_t block, const Rooms& rooms, Filling& filling) {
    const std::size_t end = nodes.end(block);
    std::size_t& next = next_[block];
    for (next = nodes.next(next, end, rooms); next < end; next = nodes.next(next, end, rooms)) {
      const std::uint32_t node = nodes.at(next++);
      const std::uint32_t before = filling.left();
      filling.add(node, rooms.on[node]);
      if (filling.left() < before) return true;
    }
    return false;
  }

  std::vector<std::size_t> next_;  // per block; kept for its memory
};

std::uint32_t checked_partitions(std::uint32_t partitions, const Machine& machine) {
  if (partitions > machine.nodes()) {
    throw InputError("partitions: " + std::to_string(partitions) + " of them, but the system has " +
                     std::to_string(machine.nodes()) + " nodes");
  }
  return partitions;
}

class OrderedFirstFit : public FillingAllocator<OrderedFirstFit> {
 public:
  OrderedFirstFit(NodeOrder order, std::uint32_t partitions) : order_(std::move(order)), partitions_(partitions) {}

  void attach(Machine& machine, const Platform*, const Topology* topology) override {
    nodes_ = NodeList(nodes_in(order_, machine.nodes(), topology), checked_partitions(partitions_, machine), moving());
  }

  bool fill(const PlacementRequest& request, const Rooms& rooms, Placement& placement) {
    return dealing_.fill(request, rooms, nodes_, placement);
  }

  [[nodiscard]] bool follows_nodes() const override { return true; }
  void given_back(const Machine&, const Placement& nodes) override { nodes_.given_back(nodes); }

 protected:
  [[nodiscard]] virtual bool moving() const { return false; }
  NodeList& nodes() { return nodes_; }

 private:
  NodeOrder order_;
  std::uint32_t partitions_;
  NodeList nodes_;
  Dealing dealing_;
};

/// A node goes to the tail of its block's list when it is idle again; until then it stays where it is, so that jobs
/// which share nodes fill it before the next one.
class RoundRobin final : public OrderedFirstFit {
 public:
  using OrderedFirstFit::OrderedFirstFit;

  /// Nodes that become idle at once keep their order.
  void given_back(const Machine& machine, const Placement& placement) override {
    OrderedFirstFit::given_back(machine, placement);
    idle_.clear();
    for (const NodeRun& run : placement) {
      for (std::uint32_t node = run.first; node < run.first + run.count; ++node) {
        if (machine.idle(node)) idle_.push_back({nodes().place_of(node), node});
      }
    }
    std::sort(idle_.begin(), idle_.end());
    for (const auto& [place, node] : idle_) nodes().move_to_tail(node);
  }

  [[nodiscard]] std::unique_ptr<Allocator> clone() const override { return std::make_unique<RoundRobin>(*this); }
  void archive(Archive& archive) override { archive(nodes()); }

 protected:
  [[nodiscard]] bool moving() const override { return true; }

 private:
  std::vector<std::pair<std::size_t, std::uint32_t>> idle_;  // kept for its memory
};

/// Short jobs are placed from one end of the list, long ones from the other (Zimmer et al. 2016).
class DualEnd final : public FillingAllocator<DualEnd> {
 public:
  DualEnd(NodeOrder order, std::uint32_t partitions, Time threshold)
      : order_(std::move(order)), partitions_(partitions), threshold_(threshold) {}

  void attach(Machine& machine, const Platform*, const Topology* topology) override {
    const std::uint32_t partitions = checked_partitions(partitions_, machine);
    std::vector<std::uint32_t> nodes = nodes_in(order_, machine.nodes(), topology);
    from_head_ = NodeList(nodes, partitions, false);
    std::reverse(nodes.begin(), nodes.end());
    from_tail_ = NodeList(nodes, partitions, false);
  }

  bool fill(const PlacementRequest& request, const Rooms& rooms, Placement& placement) {
    const bool is_short = request.job.requested_time() <= threshold_;
    return dealing_.fill(request, rooms, is_short ? from_head_ : from_tail_, placement);
  }

  /// Two jobs of one request, a short and a long one, are offered nodes in different orders, and a limit may let one of
  /// them in only.
  [[nodiscard]] bool refusals_last() const override { return false; }

  [[nodiscard]] bool follows_nodes() const override { return true; }
  void given_back(const Machine&, const Placement& nodes) override {
    from_head_.given_back(nodes);
    from_tail_.given_back(nodes);
  }

 private:
  NodeOrder order_;
  std::uint32_t partitions_;
  Time threshold_;
  NodeList from_head_;
  NodeList from_tail_;
  Dealing dealing_;
};

/// Places a job on nodes that follow each other in the order, all with room; a job for which there is no such run
/// waits.
class Contiguous final : public FillingAllocator<Contiguous> {
 public:
  Contiguous(NodeOrder order, bool shortest) : order_(std::move(order)), shortest_(shortest) {}

  void attach(Machine& machine, const Platform*, const Topology* topology) override {
    nodes_ = NodeList(nodes_in(order_, machine.nodes(), topology), 1, false);
  }

  bool fill(const PlacementRequest& request, const Rooms& rooms, Placement& placement) {
    find_runs(request, rooms);
    return std::any_of(runs_.begin(), runs_.end(),
                       [&](const Run& run) { return place_in(run, request, rooms, placement); });
  }

  [[nodiscard]] bool places_whatever_fits() const override { return false; }
  [[nodiscard]] bool follows_nodes() const override { return true; }
  void given_back(const Machine&, const Placement& nodes) override { nodes_.given_back(nodes); }

 private:
  struct Run {
    std::size_t begin;
    std::size_t end;
    std::int64_t room;
  };

  /// The runs with room for the job, those to be tried first in front.
  void find_runs(const PlacementRequest& request, const Rooms& rooms) {
    runs_.clear();
    const std::size_t end = nodes_.end(0);
    const auto is_open = [&](std::size_t place) {
      const std::uint32_t node = nodes_.at(place);
      return rooms.on[node] > 0 && (request.limit == nullptr || !request.limit->closed(node));
    };
    for (std::size_t place = nodes_.next(0, end, rooms); place < end; place = nodes_.next(place + 1, end, rooms)) {
      Run run{place, place, 0};
      for (; place < end && is_open(place); ++place) run.room += rooms.on[nodes_.at(place)];
      run.end = place;
      if (run.room < request.job.tasks) continue;
      runs_.push_back(run);
      if (!shortest_ && request.limit == nullptr) return;
    }
    if (!shortest_) return;
    std::stable_sort(runs_.begin(), runs_.end(),
                     [](const Run& a, const Run& b) { return a.end - a.begin < b.end - b.begin; });
  }

  /// Fills the run from its first node on; where a limit keeps tasks off a node, from the second one on, and so forth.
  bool place_in(Run run, const PlacementRequest& request, const Rooms& rooms, Placement& placement) {
    for (; run.room >= request.job.tasks; run.room -= rooms.on[nodes_.at(run.begin++)]) {
      Filling filling(request, placement);
      for (std::size_t place = run.begin; place < run.end; ++place) {
        const std::uint32_t before = filling.left();
        if (filling.add(nodes_.at(place), rooms.on[nodes_.at(place)])) return filling.sorted(request.taken);
        if (filling.left() == before) break;
      }
      filling.give_up();
    }
    return false;
  }

  NodeOrder order_;
  bool shortest_;
  NodeList nodes_;
  std::vector<Run> runs_;  // kept for its memory
};

}  // namespace

std::unique_ptr<Allocator> make_ordered_allocator(const AllocatorSpec& spec) {
  if (spec.partitions == 0) throw InputError("partitions: must be a whole number from 1 up");
  if (spec.name == "first-fit") return std::make_unique<OrderedFirstFit>(spec.order, spec.partitions);
  if (spec.name == "round-robin") return std::make_unique<RoundRobin>(spec.order, spec.partitions);
  if (spec.name == "dual-end") return std::make_unique<DualEnd>(spec.order, spec.partitions, spec.threshold);
  if (spec.name != "contiguous") return nullptr;
  if (spec.fit != "first" && spec.fit != "best") throw InputError("fit: must be first or best, not " + spec.fit);
  return std::make_unique<Contiguous>(spec.order, spec.fit == "best");
}

}  // namespace schedlab
