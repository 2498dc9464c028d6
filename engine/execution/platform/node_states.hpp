// Nodes that are on, at rest, on their way between, or down: when they get there, and what power they take meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "execution/platform/platform_spec.hpp"
#include "machine/machine.hpp"

namespace schedlab {

enum class NodeState : std::uint8_t { on, stopping, sleeping, off, booting, down };
inline constexpr std::size_t node_states = 6;
std::string_view name_of(NodeState state);

/// Nodes that were idle for long are switched off.
struct SwitchOff {
  bool exists = false;
  Time after = 0;
  NodeState to = NodeState::off;  // or sleeping
  std::uint32_t keep = 0;         // that many idle nodes stay on
};

/// A time that a node was in a state.
struct StateInterval {
  std::uint32_t node;
  NodeState state;
  Time start;
  Time end;
};

class NodeStates {
 public:
  NodeStates(const PlatformSpec& spec, const Machine& machine, const SwitchOff& rule);

  void begin(Time now);

  /// A job takes some of the node, or leaves it.
  void take(std::uint32_t node);
  void leave(std::uint32_t node, Time now);

  /// Wakes the node unless it is on, and returns when it is; `never` where it is down.
  Time wake(std::uint32_t node, Time now);
  /// Sends the node to rest; false where a job has some of it, or it is not on, or it has no such state.
  bool rest(std::uint32_t node, NodeState state, Time now);
  void fail(std::uint32_t node, Time now);
  void repair(std::uint32_t node, Time now);

  /// When a node gets somewhere, or has been idle for long enough.
  [[nodiscard]] Time next_change() const;
  /// Lets it happen; before a node is sent to rest, `may_rest(node, watts on the way)` is asked.
  template <class MayRest>
  void advance_to(Time now, MayRest may_rest) {
    arrive(now);
    while (rule_.exists && idle_.size() > rule_.keep && later(idle_.begin()->first, rule_.after) <= now) {
      const std::uint32_t node = idle_.begin()->second;
      if (may_rest(node, down_watts(node, rule_.to))) {
        rest(node, rule_.to, now);
      } else {
        set_idle(node,
                 later(now, std::max<Time>(0, second - rule_.after)));  // and looked at again, not before a second
      }
    }
  }

  [[nodiscard]] const SwitchOff& rule() const { return rule_; }
  [[nodiscard]] NodeState state(std::uint32_t node) const { return nodes_[node].state; }
  [[nodiscard]] bool is_on(std::uint32_t node) const { return nodes_[node].state == NodeState::on; }
  [[nodiscard]] bool is_idle(std::uint32_t node) const { return is_on(node) && nodes_[node].holders == 0; }
  /// Power beyond that of sockets, which take some only while the node is on.
  [[nodiscard]] double watts(std::uint32_t node) const { return watts_in(nodes_[node], nodes_[node].state); }
  [[nodiscard]] const std::vector<double>& group_watts() const { return group_watts_; }
  [[nodiscard]] double up_watts(std::uint32_t node) const;
  /// What going to rest takes first.
  [[nodiscard]] double down_watts(std::uint32_t node, NodeState to) const {
    const RestState& rest = state_of(node, to);
    return rest.down_time > 0 ? rest.down_watts : rest.watts;
  }
  [[nodiscard]] std::size_t resting() const { return resting_; }
  [[nodiscard]] std::size_t down() const { return down_; }

  struct Account {
    std::array<double, node_states> seconds{};
    std::array<double, node_states> joules{};
  };
  [[nodiscard]] Account account(std::uint32_t node, Time now) const;
  [[nodiscard]] double joules(std::uint32_t node, Time now) const;

  /// Nodes whose state changed since the last call.
  template <class Visit>
  void take_changes(Visit visit) {
    for (const std::uint32_t node : changed_) visit(node);
    changed_.clear();
  }
  [[nodiscard]] bool has_changes() const { return !changed_.empty(); }
  /// Times spent in other states than on, that ended since the last call.
  std::vector<StateInterval>& ended() { return ended_; }
  /// Those that have not ended.
  [[nodiscard]] std::vector<StateInterval> open(Time now) const;

  void archive(Archive& archive);

 private:
  struct Node {
    std::uint32_t group = 0;
    std::uint32_t holders = 0;
    NodeState state = NodeState::on;
    NodeState resting = NodeState::off;  // the state at the lower end of a transition
    bool wanted = false;                 // it is to wake as soon as it has stopped
    std::uint32_t version = 0;
    Time since = 0;
    Time until = never;  // of a transition
    Time idle_since = never;
    Account account;

    void archive(Archive& archive) {
      archive(group, holders, state, resting, wanted, version, since, until, idle_since, account.seconds,
              account.joules);
    }
  };
  struct Arrival {
    Time time;
    std::uint32_t node;
    std::uint32_t version;

    bool operator>(const Arrival& other) const { return time != other.time ? time > other.time : node > other.node; }
    void archive(Archive& archive) { archive(time, node, version); }
  };

  [[nodiscard]] const RestState& state_of(std::uint32_t node, NodeState state) const {
    const NodeType& type = types_[nodes_[node].group];
    return state == NodeState::sleeping ? type.sleeping : type.off;
  }
  [[nodiscard]] double watts_in(const Node& node, NodeState state) const;
  void enter(std::uint32_t node, NodeState state, Time now, Time length);
  void arrive(Time now);
  void arrive(std::uint32_t node, Time now);
  void set_idle(std::uint32_t node, Time since);
  void drop_void();

  std::vector<NodeType> types_;  // per group
  SwitchOff rule_;
  std::vector<Node> nodes_;
  std::vector<Arrival> arrivals_;                  // a heap with the earliest on top
  std::set<std::pair<Time, std::uint32_t>> idle_;  // since when, by the rule; what it does not apply to is not there
  std::vector<double> group_watts_;
  std::vector<std::uint32_t> changed_;
  std::vector<StateInterval> ended_;
  std::size_t resting_ = 0;
  std::size_t down_ = 0;
};

}  // namespace schedlab
