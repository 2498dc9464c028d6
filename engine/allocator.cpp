#include "allocator.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"

namespace schedlab {

namespace {

/// Adds nodes to a placement until all tasks of the job have one.
class Filling {
 public:
  Filling(const Job& job, NodeLimit* limit, Placement& placement)
      : left_(job.tasks), limit_(limit), placement_(placement) {
    placement.clear();
    if (limit != nullptr) limit->begin();
  }

  /// Puts what fits on the node and returns whether every task now has a place.
  bool add(std::uint32_t node, std::uint32_t room) {
    std::uint32_t tasks = std::min(room, left_);
    if (limit_ != nullptr) {
      tasks = limit_->at_most(node, tasks);
      if (tasks == 0) return false;
      limit_->take(node, tasks);
    }
    left_ -= tasks;
    if (!placement_.empty()) {
      NodeRun& last = placement_.back();
      if (last.first + last.count == node && last.tasks == tasks) {
        ++last.count;
        return left_ == 0;
      }
    }
    placement_.push_back({node, 1, tasks});
    return left_ == 0;
  }

  bool give_up() {
    placement_.clear();
    return false;
  }

 private:
  std::uint32_t left_;
  NodeLimit* limit_;
  Placement& placement_;
};

/// Brings a placement made in any order of nodes into the form that Placement promises.
void sort_and_merge(Placement& placement) {
  std::sort(placement.begin(), placement.end(), [](const NodeRun& a, const NodeRun& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < placement.size(); ++i) {
    NodeRun& last = placement[kept];
    if (last.first + last.count == placement[i].first && last.tasks == placement[i].tasks) {
      last.count += placement[i].count;
    } else {
      placement[++kept] = placement[i];
    }
  }
  placement.resize(kept + 1);
}

class FirstFit final : public Allocator {
 public:
  bool place(const PlacementRequest& request, Placement& placement) override {
    const auto& [state, machine, slot, job, amounts, limit] = request;
    if (!machine.might_hold(job, amounts)) return false;
    const Rooms rooms = machine.rooms(job, amounts);
    if (rooms.total < job.tasks) return false;
    Filling filling(job, limit, placement);
    for (std::size_t node = rooms.open->next(0); node < machine.nodes(); node = rooms.open->next(node + 1)) {
      if (filling.add(static_cast<std::uint32_t>(node), rooms.on[node])) return true;
    }
    return filling.give_up();
  }

  [[nodiscard]] std::unique_ptr<Allocator> clone() const override { return std::make_unique<FirstFit>(*this); }
};

/// Best fit takes the fullest nodes first, worst fit the emptiest; equally full nodes by number. How full a node is
/// adds up the shares of its resource types, not their raw amounts, in which kilobytes would drown cores.
class ByLoad final : public Allocator {
 public:
  explicit ByLoad(bool emptiest_first) : emptiest_first_(emptiest_first) {}

  void attach(Machine& machine) override { machine.keep_load_order(emptiest_first_); }

  bool place(const PlacementRequest& request, Placement& placement) override {
    const auto& [state, machine, slot, job, amounts, limit] = request;
    if (!machine.might_hold(job, amounts)) return false;
    const Rooms rooms = machine.rooms(job, amounts);
    if (rooms.total < job.tasks) return false;
    Filling filling(job, limit, placement);
    const NodesByLoad& nodes = machine.by_load();
    for (std::size_t block = 0; block < nodes.blocks(); ++block) {
      if (job.plain && nodes.summary(block).largest_room == 0) continue;
      for (const LoadedNode& entry : nodes.entries(block)) {
        const std::uint32_t room = rooms.on[entry.node];
        if (room > 0 && filling.add(entry.node, room)) {
          sort_and_merge(placement);
          return true;
        }
      }
    }
    return filling.give_up();
  }

  [[nodiscard]] std::unique_ptr<Allocator> clone() const override { return std::make_unique<ByLoad>(*this); }

 private:
  bool emptiest_first_;
};

/// Nodes drawn one after the other from those with room.
class RandomFit final : public Allocator {
 public:
  explicit RandomFit(std::uint64_t seed) : random_(seed) {}

  bool place(const PlacementRequest& request, Placement& placement) override {
    const auto& [state, machine, slot, job, amounts, limit] = request;
    if (!machine.might_hold(job, amounts)) return false;
    const Rooms rooms = machine.rooms(job, amounts);
    if (rooms.total < job.tasks) return false;
    candidates_.clear();
    for (std::size_t node = rooms.open->next(0); node < machine.nodes(); node = rooms.open->next(node + 1)) {
      const auto index = static_cast<std::uint32_t>(node);
      if (limit == nullptr || !limit->closed(index)) candidates_.push_back(index);
    }
    const Random before = random_;
    Filling filling(job, limit, placement);
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
    sort_and_merge(placement);
    return true;
  }

  [[nodiscard]] std::unique_ptr<Allocator> clone() const override { return std::make_unique<RandomFit>(*this); }
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

}  // namespace

std::unique_ptr<Allocator> make_allocator(std::string_view name, std::uint64_t seed) {
  if (name == "first-fit") return std::make_unique<FirstFit>();
  if (name == "best-fit") return std::make_unique<ByLoad>(false);
  if (name == "worst-fit") return std::make_unique<ByLoad>(true);
  if (name == "random") return std::make_unique<RandomFit>(seed);
  throw InputError("unknown allocator \"" + std::string(name) + "\"");
}

}  // namespace schedlab
