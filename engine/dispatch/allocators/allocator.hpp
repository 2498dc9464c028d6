// Allocators: which nodes a job gets. Each takes nodes in its own order and fills every one before the next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "dispatch/allocators/node_orders.hpp"
#include "dispatch/state.hpp"
#include "execution/platform/platform_spec.hpp"
#include "jobs/job.hpp"
#include "machine/machine.hpp"

namespace schedlab {

/// Bounds what a placement may use of each node, beyond what is free there.
class NodeLimit {
 public:
  NodeLimit() = default;
  NodeLimit(const NodeLimit&) = default;
  NodeLimit& operator=(const NodeLimit&) = default;
  virtual ~NodeLimit() = default;

  /// Whether nothing may go to the node, however the rest is placed.
  [[nodiscard]] virtual bool closed(std::uint32_t node) const = 0;
  /// How many of these tasks, which have room on the node, may go there.
  virtual std::uint32_t at_most(std::uint32_t node, std::uint32_t tasks) = 0;
  /// These tasks, no more than allowed, are put there; each node comes once at most in a placement.
  virtual void take(std::uint32_t /*node*/, std::uint32_t /*tasks*/) {}
  /// A placement begins.
  virtual void begin() {}
};

/// A job to be placed now.
struct PlacementRequest {
  const State& state;
  const Machine& machine;
  Slot slot;
  const Job& job;
  const Amount* amounts;
  NodeLimit* limit;  // may be null
  // Where it is not null: empty before, it gets the runs in the order in which nodes were taken, which is that of
  // ranks. It stays empty where they were taken by number, as the placement has them.
  Placement* taken = nullptr;
};

/// Throws InputError for an unknown name.
SocketOrder socket_order_named(std::string_view name);

class Allocator {
 public:
  Allocator() = default;
  explicit Allocator(SocketOrder order) : socket_order_(order) {}
  Allocator(const Allocator&) = default;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;

  /// Called once, before the first job, with the machine, what is below its nodes, and what is between them (null where
  /// that is not known). Throws InputError where that is not enough. A copy is for another platform: each
  /// request's state has its own.
  virtual void attach(Machine&, const Platform*, const Topology*) {}

  /// In which order the sockets of a node get its tasks.
  [[nodiscard]] SocketOrder socket_order() const { return socket_order_; }
  void set_socket_order(SocketOrder order) { socket_order_ = order; }

  /// Writes nodes for all tasks into `placement` and returns true; leaves it empty and returns false where they do not
  /// fit now.
  virtual bool place(const PlacementRequest& request, Placement& placement) = 0;

  /// Whether the job would be placed; a draw that this takes is taken back.
  virtual bool would_place(const PlacementRequest& request) {
    Placement placement;
    return place(request, placement);
  }

  /// Whether a request that was refused is refused again while nothing was given back.
  [[nodiscard]] virtual bool refusals_last() const { return true; }

  /// Whether every job is placed whose tasks have room, if no limit forbids it.
  [[nodiscard]] virtual bool places_whatever_fits() const { return true; }

  /// Whether a place depends on the request and the machine alone, and not on earlier questions or on a user's code.
  [[nodiscard]] virtual bool is_function() const { return false; }

  /// Whether `given_back` must be called with nodes that are given back: by jobs, or because they were repaired.
  [[nodiscard]] virtual bool follows_nodes() const { return false; }
  virtual void given_back(const Machine&, const Placement&) {}

  [[nodiscard]] virtual std::unique_ptr<Allocator> clone() const = 0;
  virtual void archive(Archive&) {}

 private:
  SocketOrder socket_order_ = SocketOrder::by_number;
};

/// What a built-in allocator is made of.
struct AllocatorSpec {
  std::string name;
  std::uint64_t seed = 0;
  // Of those that go by an order of the nodes (ordered_allocators.hpp).
  NodeOrder order = {};
  std::uint32_t partitions = 1;
  Time threshold = 3600 * second;  // jobs that ask for no longer are short
  std::string fit = "first";       // or "best"
};

/// "first-fit", "best-fit", "worst-fit", "random", or one of node_scores.hpp or ordered_allocators.hpp; throws
/// InputError for any other name.
std::unique_ptr<Allocator> make_allocator(const AllocatorSpec& spec);

}  // namespace schedlab
