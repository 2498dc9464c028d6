// Which flows a change is about, and what they get.

#include <algorithm>
#include <cstddef>
#include <functional>

#include "execution/network/transport/max_min.hpp"

namespace schedlab {

void MaxMin::take(FlowId flow) {
  Flow& taken = flows_[flow];
  if (taken.taken == number_) return;
  taken.taken = number_;
  taken_.push_back(flow);
  for (const Place& place : taken.there) {
    Work& work = work_[place.link];
    if (work.touched != number_) {
      work.touched = number_;
      work.slowed = links_[place.link].slowed;
      work.taken = 0;
      work.room = links_[place.link].room();
      work.most = 0.0;
      touched_.push_back(place.link);
    }
    work.room += taken.rate;
    work.most += taken.most;
    ++work.taken;
  }
  if (taken.bottleneck < links_.size()) --work_[taken.bottleneck].slowed;
}

void MaxMin::take_slowed(LinkId link) {
  if (work_[link].touched == number_ ? work_[link].slowed == 0 : links_[link].slowed == 0) return;
  for (const Member& member : links_[link].members) {
    if (flows_[member.flow].bottleneck == link) take(member.flow);
  }
}

/// Progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): the rates of all flows taken grow together;
/// those on a link that is full, and those that have all they can take, stay where they are.
void MaxMin::fill() {
  levels_.clear();
  for (const LinkId link : touched_) {
    Work& work = work_[link];
    work.open = work.taken;
    work.open_room = work.room;
    work.is_bottleneck = false;
    work.may_fill = work.most > work.room * (1.0 + near);
    if (work.may_fill) levels_.emplace_back(std::max(0.0, work.room) / work.taken, link);
  }
  std::make_heap(levels_.begin(), levels_.end(), std::greater<>());
  for (std::size_t index = limits_.size(); index < taken_.size(); ++index) {
    limits_.emplace_back(flows_[taken_[index]].most, taken_[index]);
  }
  std::sort(limits_.begin(), limits_.end());
  for (const FlowId flow : taken_) flows_[flow].fixed = false;

  std::size_t next = 0;
  std::size_t open = taken_.size();
  while (open > 0) {
    while (next < limits_.size() && flows_[limits_[next].second].fixed) ++next;
    if (levels_.empty() || limits_[next].first <= levels_.front().first) {
      fix(limits_[next].second, limits_[next].first, own_limit);
      --open;
      continue;
    }
    const auto [level, link] = levels_.front();
    std::pop_heap(levels_.begin(), levels_.end(), std::greater<>());
    levels_.pop_back();
    Work& work = work_[link];
    if (work.open == 0) continue;
    // Levels only rise while others are fixed, so that the least one in the heap is never too high.
    const double risen = std::max(level, work.open_room / work.open);
    if (risen > level * (1.0 + near)) {
      levels_.emplace_back(risen, link);
      std::push_heap(levels_.begin(), levels_.end(), std::greater<>());
      continue;
    }
    work.is_bottleneck = true;
    work.level = level;
    for (const Member& member : links_[link].members) {
      const Flow& flow = flows_[member.flow];
      if (flow.taken != number_ || flow.fixed) continue;
      fix(member.flow, level, link);
      --open;
    }
  }
}

void MaxMin::fix(FlowId flow, double rate, LinkId bottleneck) {
  Flow& of = flows_[flow];
  of.fixed = true;
  of.next_rate = rate;
  of.next_bottleneck = bottleneck;
  for (const Place& place : of.there) {
    Work& work = work_[place.link];
    --work.open;
    work.open_room -= rate;
  }
}

/// Takes the flows too that would not have a bottleneck any more. False where there are none.
bool MaxMin::spread() {
  pushed_.clear();
  for (const LinkId link : touched_) {
    if (work_[link].is_bottleneck || work_[link].slowed > 0) find_pushed(link);
  }
  for (const FlowId flow : pushed_) take(flow);
  return !pushed_.empty();
}

void MaxMin::find_pushed(LinkId link) {
  const Work& work = work_[link];
  const SharedLink& of = links_[link];
  double room = work.room;
  double fastest = 0.0;
  for (const Member& member : of.members) {
    const Flow& flow = flows_[member.flow];
    if (flow.taken != number_) continue;
    room -= flow.next_rate;
    fastest = std::max(fastest, flow.next_rate);
  }
  const bool full = room <= of.capacity * tolerance_;
  for (const Member& member : of.members) {
    const Flow& flow = flows_[member.flow];
    if (flow.taken == number_) continue;
    const bool too_fast = work.is_bottleneck && flow.rate > work.level * (1.0 + tolerance_);
    const bool too_slow = flow.bottleneck == link && (!full || flow.rate < fastest * (1.0 - tolerance_));
    if (too_fast || too_slow) pushed_.push_back(member.flow);
  }
}

}  // namespace schedlab
