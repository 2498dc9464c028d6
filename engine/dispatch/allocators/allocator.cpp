#include "dispatch/allocators/allocator.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "dispatch/allocators/filling.hpp"
#include "dispatch/allocators/node_scores.hpp"
#include "dispatch/allocators/ordered_allocators.hpp"

namespace schedlab {

namespace {

/// Takes the nodes by number, and looks at no more of them than it needs.
class FirstFit final : public Allocator {
 public:
  [[nodiscard]] bool is_function() const override { return true; }

  bool place(const PlacementRequest& request, Placement& placement) override {
    const auto& [state, machine, slot, job, amounts, limit, taken] = request;
    if (!machine.might_hold(job, amounts)) return false;
    if (job.plain || !machine.requests_vary()) return place_among(machine.rooms(job, amounts), request, placement);
    if (machine.still_refuses(job, amounts)) return false;
    if (limit != nullptr && !limit->quick() && machine.refuses(job, amounts)) return false;
    Filling filling(request, placement);
    bool placed = false;
    std::uint64_t rooms = 0;
    machine.visit_rooms(job, amounts, job.tasks, [&](std::uint32_t node, std::uint32_t room) {
      rooms += room;
      placed = filling.add(node, room);
      return !placed;
    });
    if (placed) return true;
    if (rooms < job.tasks) machine.note_refusal(job, static_cast<std::int64_t>(rooms));
    return filling.give_up();
  }

  [[nodiscard]] std::unique_ptr<Allocator> clone() const override { return std::make_unique<FirstFit>(*this); }

 private:
  static bool place_among(const Rooms& rooms, const PlacementRequest& request, Placement& placement) {
    if (rooms.total < request.job.tasks) return false;
    Filling filling(request, placement);
    for (std::size_t node = rooms.open->next(0); node < request.machine.nodes(); node = rooms.open->next(node + 1)) {
      if (filling.add(static_cast<std::uint32_t>(node), rooms.on[node])) return true;
    }
    return filling.give_up();
  }
};

/// Best fit takes the fullest nodes first, worst fit the emptiest; equally full nodes by number. How full a node is
/// adds up the shares of its resource types, not their raw amounts, in which kilobytes would drown cores.
class ByLoad final : public FillingAllocator<ByLoad> {
 public:
  explicit ByLoad(bool emptiest_first) : emptiest_first_(emptiest_first) {}

  [[nodiscard]] bool is_function() const override { return true; }
  void attach(Machine& machine, const Platform*, const Topology*) override { machine.keep_load_order(emptiest_first_); }

  static bool fill(const PlacementRequest& request, const Rooms& rooms, Placement& placement) {
    Filling filling(request, placement);
    const NodesByLoad& nodes = request.machine.by_load();
    for (std::size_t block = 0; block < nodes.blocks(); ++block) {
      if (request.job.plain && nodes.summary(block).largest_room == 0) continue;
      for (const LoadedNode& entry : nodes.entries(block)) {
        const std::uint32_t room = rooms.on[entry.node];
        if (room > 0 && filling.add(entry.node, room)) {
          return filling.sorted(request.taken);
        }
      }
    }
    return filling.give_up();
  }

 private:
  bool emptiest_first_;
};

/// Nodes drawn one after the other from those with room.
class RandomFit final : public FillingAllocator<RandomFit> {
 public:
  explicit RandomFit(std::uint64_t seed) : random_(seed) {}

  bool fill(const PlacementRequest& request, const Rooms& rooms, Placement& placement) {
    candidates_.clear();
    visit_open_nodes(request, rooms, [&](std::uint32_t node) { candidates_.push_back(node); });
    const Random before = random_;
    Filling filling(request, placement);
    for (bool placed = false; !placed;) {
      if (candidates_.empty()) {  // the limit left too little: a job that does not fit leaves the generator alone
        random_ = before;
        return filling.give_up();
      }
      const std::uint32_t drawn = random_.below(static_cast<std::uint32_t>(candidates_.size()));
      placed = filling.add(candidates_[drawn], rooms.on[candidates_[drawn]]);
      candidates_[drawn] = candidates_.back();
      candidates_.pop_back();
    }
    return filling.sorted(request.taken);
  }

  void archive(Archive& archive) override { archive(random_); }

  bool would_place(const PlacementRequest& request) override {
    const Random before = random_;
    const bool placed = Allocator::would_place(request);
    random_ = before;
    return placed;
  }

 private:
  Random random_;
  std::vector<std::uint32_t> candidates_;
};

constexpr std::array<std::pair<std::string_view, SocketOrder>, 6> socket_order_names = {{
    {"by-number", SocketOrder::by_number},
    {"fullest", SocketOrder::fullest},
    {"emptiest", SocketOrder::emptiest},
    {"fastest", SocketOrder::fastest},
    {"most-bandwidth", SocketOrder::most_bandwidth},
    {"least-power", SocketOrder::least_power},
}};

}  // namespace

SocketOrder socket_order_named(std::string_view name) {
  for (const auto& [known, order] : socket_order_names) {
    if (known == name) return order;
  }
  throw InputError("unknown order of sockets \"" + std::string(name) + "\"");
}

std::unique_ptr<Allocator> make_allocator(const AllocatorSpec& spec) {
  const std::string& name = spec.name;
  if (name == "first-fit" && spec.order.configured() && spec.partitions == 1) return std::make_unique<FirstFit>();
  if (name == "best-fit") return std::make_unique<ByLoad>(false);
  if (name == "worst-fit") return std::make_unique<ByLoad>(true);
  if (name == "random") return std::make_unique<RandomFit>(spec.seed);
  if (auto scored = make_scored_allocator(name)) return scored;
  if (auto ordered = make_ordered_allocator(spec)) return ordered;
  throw InputError("unknown allocator \"" + name + "\"");
}

}  // namespace schedlab
