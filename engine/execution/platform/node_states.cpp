#include "execution/platform/node_states.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/errors.hpp"

namespace schedlab {

std::string_view name_of(NodeState state) {
  static constexpr std::array<std::string_view, node_states> names{"on",  "stopping", "sleeping",
                                                                   "off", "booting",  "down"};
  return names[static_cast<std::size_t>(state)];
}

namespace {

bool at_rest(NodeState state) {
  return state == NodeState::stopping || state == NodeState::sleeping || state == NodeState::off;
}

}  // namespace

NodeStates::NodeStates(const PlatformSpec& spec, const Machine& machine, const SwitchOff& rule)
    : types_(spec.groups), rule_(rule), group_watts_(spec.groups.size()) {
  for (std::uint32_t group = 0; group < types_.size(); ++group) {
    for (std::uint32_t i = 0; i < machine.spec().groups[group].nodes; ++i) {
      nodes_.emplace_back();
      nodes_.back().group = group;
    }
  }
}

void NodeStates::begin(Time now) {
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    nodes_[node].since = now;
    set_idle(node, now);
  }
}

/// `never`: it is not idle.
void NodeStates::set_idle(std::uint32_t index, Time since) {
  Node& node = nodes_[index];
  if (!rule_.exists || !state_of(index, rule_.to).exists) return;
  if (node.idle_since != never) idle_.erase({node.idle_since, index});
  node.idle_since = since;
  if (since != never) idle_.insert({since, index});
}

void NodeStates::take(std::uint32_t node) {
  if (nodes_[node].holders++ == 0) set_idle(node, never);
}

void NodeStates::leave(std::uint32_t node, Time now) {
  if (--nodes_[node].holders == 0 && is_on(node)) set_idle(node, now);
}

double NodeStates::watts_in(const Node& node, NodeState state) const {
  if (state == NodeState::on || state == NodeState::down) return 0.0;
  const NodeType& type = types_[node.group];
  const RestState& rest = node.resting == NodeState::sleeping ? type.sleeping : type.off;
  if (state == NodeState::stopping) return rest.down_watts;
  return state == NodeState::booting ? rest.up_watts : rest.watts;
}

double NodeStates::up_watts(std::uint32_t node) const { return state_of(node, nodes_[node].resting).up_watts; }

void NodeStates::enter(std::uint32_t index, NodeState state, Time now, Time length) {
  Node& node = nodes_[index];
  const double seconds = in_seconds(now - node.since);
  const double before = watts_in(node, node.state);
  const auto place = static_cast<std::size_t>(node.state);
  node.account.seconds[place] += seconds;
  node.account.joules[place] += before * seconds;
  if (node.state != NodeState::on && now > node.since) ended_.push_back({index, node.state, node.since, now});
  resting_ += static_cast<std::size_t>(at_rest(state)) - static_cast<std::size_t>(at_rest(node.state));
  down_ += static_cast<std::size_t>(state == NodeState::down) - static_cast<std::size_t>(node.state == NodeState::down);
  node.state = state;
  node.since = now;
  group_watts_[node.group] += watts_in(node, state) - before;
  ++node.version;
  node.until = never;
  if (length != never) {
    node.until = later(now, length);
    arrivals_.push_back({node.until, index, node.version});
    std::push_heap(arrivals_.begin(), arrivals_.end(), std::greater<>());
  }
  changed_.push_back(index);
}

bool NodeStates::rest(std::uint32_t index, NodeState state, Time now) {
  Node& node = nodes_[index];
  const RestState& rest = state_of(index, state);
  if (!rest.exists || !is_idle(index)) return false;
  set_idle(index, never);
  node.resting = state;
  enter(index, NodeState::stopping, now, rest.down_time);
  if (rest.down_time == 0) arrive(index, now);
  return true;
}

Time NodeStates::wake(std::uint32_t index, Time now) {
  Node& node = nodes_[index];
  if (node.state == NodeState::on) return now;
  if (node.state == NodeState::down) return never;
  const RestState& rest = state_of(index, node.resting);
  if (node.state == NodeState::booting) return node.until;
  if (node.state == NodeState::stopping) {
    node.wanted = true;
    return later(node.until, rest.up_time);
  }
  enter(index, NodeState::booting, now, rest.up_time);
  if (rest.up_time == 0) arrive(index, now);
  return later(now, rest.up_time);
}

/// A transition is over.
void NodeStates::arrive(std::uint32_t index, Time now) {
  Node& node = nodes_[index];
  if (node.state == NodeState::stopping) {
    enter(index, node.resting, now, never);
    if (!std::exchange(node.wanted, false)) return;
    const Time length = state_of(index, node.resting).up_time;
    enter(index, NodeState::booting, now, length);
    if (length > 0) return;
  }
  enter(index, NodeState::on, now, never);
  if (node.holders == 0) set_idle(index, now);
}

void NodeStates::arrive(Time now) {
  for (drop_void(); !arrivals_.empty() && arrivals_.front().time <= now; drop_void()) {
    const std::uint32_t node = arrivals_.front().node;
    std::pop_heap(arrivals_.begin(), arrivals_.end(), std::greater<>());
    arrivals_.pop_back();
    arrive(node, now);
  }
}

void NodeStates::drop_void() {
  while (!arrivals_.empty() && nodes_[arrivals_.front().node].version != arrivals_.front().version) {
    std::pop_heap(arrivals_.begin(), arrivals_.end(), std::greater<>());
    arrivals_.pop_back();
  }
}

void NodeStates::fail(std::uint32_t node, Time now) {
  set_idle(node, never);
  nodes_[node].wanted = false;
  enter(node, NodeState::down, now, never);
}

void NodeStates::repair(std::uint32_t node, Time now) {
  enter(node, NodeState::on, now, never);
  if (nodes_[node].holders == 0) set_idle(node, now);
}

Time NodeStates::next_change() const {
  Time next = arrivals_.empty() ? never : arrivals_.front().time;  // a void one costs a look, no more
  if (rule_.exists && idle_.size() > rule_.keep) next = std::min(next, later(idle_.begin()->first, rule_.after));
  return next;
}

NodeStates::Account NodeStates::account(std::uint32_t index, Time now) const {
  const Node& node = nodes_[index];
  Account account = node.account;
  const double seconds = in_seconds(now - node.since);
  account.seconds[static_cast<std::size_t>(node.state)] += seconds;
  account.joules[static_cast<std::size_t>(node.state)] += watts_in(node, node.state) * seconds;
  return account;
}

double NodeStates::joules(std::uint32_t index, Time now) const {
  const Node& node = nodes_[index];
  const auto& past = node.account.joules;
  return std::accumulate(past.begin(), past.end(), watts_in(node, node.state) * in_seconds(now - node.since));
}

std::vector<StateInterval> NodeStates::open(Time now) const {
  std::vector<StateInterval> intervals;
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    const Node& node = nodes_[index];
    if (node.state != NodeState::on && now > node.since) intervals.push_back({index, node.state, node.since, now});
  }
  return intervals;
}

void NodeStates::archive(Archive& archive) {
  const std::size_t nodes = nodes_.size();
  archive(nodes_, arrivals_, group_watts_, resting_, down_);
  if (!archive.reading()) return;
  if (nodes_.size() != nodes || group_watts_.size() != types_.size()) {
    throw InputError("the saved state is of another machine");
  }
  idle_.clear();
  for (const Arrival& due : arrivals_) Archive::require(due.node < nodes, "a node is not there");
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    if (nodes_[index].group >= types_.size()) throw InputError("the saved state is of another machine");
    const auto of_node = {nodes_[index].state, nodes_[index].resting};
    for (const NodeState state : of_node) {
      Archive::require(static_cast<std::size_t>(state) < node_states, "a node is in an unknown state");
    }
    if (nodes_[index].idle_since != never) idle_.insert({nodes_[index].idle_since, index});
  }
}

}  // namespace schedlab
