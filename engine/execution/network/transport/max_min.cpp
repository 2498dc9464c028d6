#include "execution/network/transport/max_min.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// Rates closer than this are not worth a new finish.
constexpr double same = 1e-13;
/// Rounds that replies may take to settle; each is smaller than the one before by about their share of the bytes.
constexpr int most_rounds = 40;
/// Loads are kept by adding and taking away, and summed up afresh now and then so that rounding cannot pile up.
constexpr std::uint32_t solves_between_sums = 64;

}  // namespace

MaxMin::MaxMin(const std::vector<double>& capacities, double tolerance)
    : tolerance_(std::max(tolerance, near)), links_(capacities.size()), work_(capacities.size()) {
  for (std::size_t link = 0; link < capacities.size(); ++link) links_[link].capacity = capacities[link];
}

void MaxMin::set_way(FlowId flow, std::span<const LinkId> there, std::span<const LinkId> back, double back_share) {
  if (flow >= flows_.size()) flows_.resize(flow + std::size_t{1});
  Flow& of = flows_[flow];
  of.there.clear();
  of.most = std::numeric_limits<double>::infinity();
  for (const LinkId link : there) {
    of.there.push_back({link, 0});
    of.most = std::min(of.most, links_[link].capacity);
  }
  of.back.assign(back.begin(), back.end());
  of.back_share = back_share;
  of.rate = 0.0;
  of.bottleneck = unsettled;
}

void MaxMin::begin(FlowId flow) {
  Flow& added = flows_[flow];
  added.rate = added.most;
  added.bottleneck = own_limit;
  for (const Place& place : added.there) {
    const SharedLink& link = links_[place.link];
    if (added.most <= link.room() + link.capacity * near) continue;
    added.rate = std::min(added.rate, std::max(0.0, link.room()));
    added.bottleneck = unsettled;
  }
  if (added.bottleneck == unsettled) begun_.push_back(flow);
  for (std::uint32_t index = 0; index < added.there.size(); ++index) {
    SharedLink& link = links_[added.there[index].link];
    added.there[index].member = static_cast<std::uint32_t>(link.members.size());
    link.members.push_back({flow, index});
    link.load += added.rate;
  }
  for (const LinkId link : added.back) {
    ++links_[link].replying;
    links_[link].replies += added.back_share * added.rate;
    balance(link);
  }
}

void MaxMin::end(FlowId flow) {
  Flow& gone = flows_[flow];
  if (gone.bottleneck < links_.size()) --links_[gone.bottleneck].slowed;
  for (const auto& [id, place] : gone.there) {
    SharedLink& link = links_[id];
    const Member moved = link.members.back();
    link.members[place] = moved;
    flows_[moved.flow].there[moved.place].member = place;
    link.members.pop_back();
    link.load = link.members.empty() ? 0.0 : link.load - gone.rate;
    balance(id);
  }
  for (const LinkId id : gone.back) {
    SharedLink& link = links_[id];
    link.replies = --link.replying == 0 ? 0.0 : link.replies - gone.back_share * gone.rate;
    balance(id);
  }
  gone.there.clear();
  gone.back.clear();
}

/// Notes a link for the next round where its flows could have more, or have more than it can carry.
void MaxMin::balance(LinkId link) {
  const SharedLink& of = links_[link];
  const double room = of.room();
  const double allowed = of.capacity * tolerance_;
  const bool balanced = room > 0.0 ? of.slowed == 0 || room <= allowed : of.members.empty() || room >= -allowed;
  if (balanced || work_[link].unbalanced == number_) return;
  work_[link].unbalanced = number_;
  unbalanced_.push_back(link);
}

const std::vector<FlowId>& MaxMin::solve() {
  changed_.clear();
  for (int round = 0; round < most_rounds && unsolved(); ++round) {
    take_round();
    do fill();
    while (spread());
    settle();
  }
  ++number_;
  begun_.clear();
  unbalanced_.clear();
  return changed_;
}

/// Begins a round with the flows that it is about.
void MaxMin::take_round() {
  ++number_;
  taken_.clear();
  touched_.clear();
  limits_.clear();
  for (const FlowId flow : begun_) {
    if (flows_[flow].bottleneck == unsettled) take(flow);
  }
  const std::size_t begun = taken_.size();
  for (std::size_t index = 0; index < begun; ++index) {
    for (const Place& place : flows_[taken_[index]].there) take_slowed(place.link);
  }
  for (const LinkId link : unbalanced_) {
    take_slowed(link);
    if (links_[link].slowed > 0 || links_[link].room() >= 0.0) continue;
    for (const Member& member : links_[link].members) take(member.flow);
  }
  begun_.clear();
  unbalanced_.clear();
}

void MaxMin::settle() {
  const std::size_t before = changed_.size();
  for (const FlowId id : taken_) {
    Flow& flow = flows_[id];
    if (flow.bottleneck < links_.size()) --links_[flow.bottleneck].slowed;
    if (flow.next_bottleneck < links_.size()) ++links_[flow.next_bottleneck].slowed;
    flow.bottleneck = flow.next_bottleneck;
  }
  for (const FlowId id : taken_) {
    Flow& flow = flows_[id];
    const double more = flow.next_rate - flow.rate;
    if (std::abs(more) <= flow.rate * same) continue;
    flow.rate = flow.next_rate;
    changed_.push_back(id);
    for (const Place& place : flow.there) links_[place.link].load += more;
    for (const LinkId link : flow.back) links_[link].replies += flow.back_share * more;
  }
  for (const LinkId id : touched_) {
    SharedLink& link = links_[id];
    if (++link.solves % solves_between_sums == 0) link.load = summed_load(link);
  }
  for (std::size_t index = before; index < changed_.size(); ++index) {
    for (const LinkId link : flows_[changed_[index]].back) balance(link);
  }
}

double MaxMin::summed_load(const SharedLink& link) const {
  double load = 0.0;
  for (const Member& member : link.members) load += flows_[member.flow].rate;
  return load;
}

void MaxMin::archive(Archive& archive) {
  const std::size_t links = links_.size();
  archive(flows_, links_, begun_, unbalanced_);
  if (links_.size() != links) throw InputError("the saved state is of another network");
}

void MaxMin::validate() const {
  const double allowed = 1e-8 + tolerance_;
  const double faster = 1e-8 + 2.0 * tolerance_ / (1.0 - tolerance_);  // one is above the level, the other below it
  for (const SharedLink& link : links_) {
    if (link.room() < -link.capacity * allowed) throw std::logic_error("max-min: a link has too much");
  }
  for (const Flow& flow : flows_) {
    if (flow.there.empty() || flow.bottleneck == unsettled) continue;
    if (flow.bottleneck == own_limit) {
      if (flow.rate < flow.most * (1.0 - allowed)) throw std::logic_error("max-min: a flow is slow for no reason");
      continue;
    }
    const SharedLink& link = links_[flow.bottleneck];
    if (link.room() > link.capacity * allowed) throw std::logic_error("max-min: a bottleneck has room");
    for (const Member& member : link.members) {
      if (flows_[member.flow].rate > flow.rate * (1.0 + faster)) throw std::logic_error("max-min: not fair");
    }
  }
}

}  // namespace schedlab
