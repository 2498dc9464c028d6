#include "dispatch/allocators/node_scores.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "dispatch/allocators/filling.hpp"
#include "execution/platform/platform.hpp"

namespace schedlab {

namespace {

/// What a score may look at.
struct Candidate {
  const PlacementRequest& request;
  std::size_t type;  // of the resource that the score needs, or of cores
  std::uint32_t node;
  std::uint32_t room;  // tasks of the job that fit

  [[nodiscard]] const Platform& platform() const { return *request.state.platform(); }
  [[nodiscard]] double free() const { return static_cast<double>(request.machine.free(node, type)); }
};

double added_power(const Candidate& of) {
  const std::uint32_t tasks = std::min(of.room, of.request.job.tasks);
  const auto cores =
      static_cast<std::uint32_t>(of.request.machine.taken(of.node, of.type, of.request.job, of.request.amounts, tasks));
  return cores == 0 ? 0.0 : of.platform().added_watts(of.node, cores) / cores;
}

enum class Needs : std::uint8_t { resource, platform, bandwidth, power, temperature };

struct NodeScore {
  std::string_view name;
  Needs needs;
  std::string_view resource;  // whose type a candidate has
  SocketOrder sockets;
  double (*score)(const Candidate&);  // the least comes first
};

constexpr std::array<NodeScore, 7> scores = {{
    {"high-gflops", Needs::platform, "core", SocketOrder::fastest,
     [](const Candidate& of) { return -of.platform().node_gflops(of.node); }},
    {"high-core", Needs::resource, "core", SocketOrder::emptiest, [](const Candidate& of) { return -of.free(); }},
    {"high-mem", Needs::resource, "mem", SocketOrder::by_number, [](const Candidate& of) { return -of.free(); }},
    {"high-mem-bw", Needs::bandwidth, "core", SocketOrder::most_bandwidth,
     [](const Candidate& of) { return -of.platform().free_bandwidth(of.node); }},
    {"low-power", Needs::power, "core", SocketOrder::least_power,
     [](const Candidate& of) { return of.platform().node_watts(of.node); }},
    {"least-added-power", Needs::power, "core", SocketOrder::fullest, added_power},
    {"coolest", Needs::temperature, "core", SocketOrder::by_number,
     [](const Candidate& of) { return of.platform().thermal().node(of.node).degrees; }},
}};

/// Takes the nodes of the least score first; those of one score by number. Scores are those before the job is placed.
class ByScore final : public FillingAllocator<ByScore> {
 public:
  explicit ByScore(const NodeScore& by) : FillingAllocator(by.sockets), by_(&by) {}

  [[nodiscard]] bool is_function() const override { return true; }
  void attach(Machine& machine, const Platform* platform, const Topology*) override {
    const auto& types = machine.spec().types;
    const auto found = std::find(types.begin(), types.end(), by_->resource);
    if (found == types.end()) refuse("a resource type \"" + std::string(by_->resource) + "\" in the system's groups");
    type_ = static_cast<std::size_t>(found - types.begin());
    if (by_->needs == Needs::resource) return;
    if (platform == nullptr) refuse("groups whose nodes have a type, with processors and their clock");
    if (by_->needs == Needs::bandwidth && !platform->has_bandwidth())
      refuse("memory_bandwidth of every processor type");
    if (by_->needs == Needs::power && !platform->spec().power) refuse("power of the processor types");
    if (by_->needs == Needs::temperature && !platform->thermal().exists()) {
      throw InputError("allocator \"" + std::string(by_->name) +
                       "\": temperatures are not known; the run needs conditions with [thermal]");
    }
  }

  bool fill(const PlacementRequest& request, const Rooms& rooms, Placement& placement) {
    scored_.clear();
    visit_open_nodes(request, rooms, [&](std::uint32_t node) {
      scored_.push_back({in_millionths(by_->score({request, type_, node, rooms.on[node]})), node});
    });
    // A heap, for most jobs need a few nodes only.
    std::make_heap(scored_.begin(), scored_.end(), std::greater<>());
    Filling filling(request, placement);
    while (!scored_.empty()) {
      std::pop_heap(scored_.begin(), scored_.end(), std::greater<>());
      const std::uint32_t node = scored_.back().second;
      scored_.pop_back();
      if (!filling.add(node, rooms.on[node])) continue;
      return filling.sorted(request.taken);
    }
    return filling.give_up();
  }

 private:
  [[noreturn]] void refuse(const std::string& missing) const {
    throw InputError("allocator \"" + std::string(by_->name) +
                     "\": the system does not say what it goes by; it needs " + missing);
  }

  const NodeScore* by_;
  std::size_t type_ = 0;
  std::vector<std::pair<double, std::uint32_t>> scored_;  // kept for its memory
};

}  // namespace

std::unique_ptr<Allocator> make_scored_allocator(std::string_view name) {
  for (const NodeScore& score : scores) {
    if (score.name == name) return std::make_unique<ByScore>(score);
  }
  return nullptr;
}

}  // namespace schedlab
