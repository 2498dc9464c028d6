// Fair rates of flows that share links.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

using FlowId = std::uint32_t;

/// Gives each flow its max-min fair rate: no flow could have more without less for one that has no more than it. Each
/// flow has a bottleneck, a full link on which no flow is faster, or has all that its way could take.
///
/// Replies of a flow load the links of its way back with a share of its rate. They take what they need (of a link half
/// at most), and flows share the rest; that is a fixed point, found in rounds.
///
/// A change is solved where it matters: only flows whose bottleneck it touches get new rates at first, then those that
/// the new rates push off their own bottlenecks, until none are left. What is far away or has room is not looked at.
/// Nothing depends on addresses or hashes; flow numbers are the caller's.
class MaxMin {
 public:
  /// Links by their capacities, in bytes per tick. `tolerance` is a share of a link's capacity: a bottleneck may have
  /// that share free, or replies may exceed it by that share, and other flows on it may be faster by twice that share.
  /// So effects of a change that have become smaller than this, far away from it, are left out.
  MaxMin(const std::vector<double>& capacities, double tolerance);

  /// A flow that is to begin, or never does. `back` may have no links.
  void set_way(FlowId flow, std::span<const LinkId> there, std::span<const LinkId> back, double back_share);
  /// Until the next `solve`, the flow has what others leave.
  void begin(FlowId flow);
  void end(FlowId flow);
  /// Whether flows that began or ended left something to be solved.
  [[nodiscard]] bool unsolved() const { return !begun_.empty() || !unbalanced_.empty(); }
  /// Works out all rates that depend on flows that began or ended. Returns flows whose rate is another one now.
  const std::vector<FlowId>& solve();

  [[nodiscard]] double rate(FlowId flow) const { return flows_[flow].rate; }
  /// What the flow would have alone.
  [[nodiscard]] double most(FlowId flow) const { return flows_[flow].most; }
  [[nodiscard]] double capacity(LinkId link) const { return links_[link].capacity; }
  [[nodiscard]] double load(LinkId link) const { return links_[link].load; }
  [[nodiscard]] std::size_t flows_on(LinkId link) const { return links_[link].members.size(); }
  /// Calls `visit(link, share)` for each link of a flow, with what the link carries of a byte of it.
  template <class Visit>
  void for_each_link(FlowId flow, Visit visit) const {
    for (const Place& place : flows_[flow].there) visit(place.link, 1.0);
    for (const LinkId link : flows_[flow].back) visit(link, flows_[flow].back_share);
  }

  void archive(Archive& archive);
  /// Throws std::logic_error where a link has too much, or a flow whose rate is settled has no bottleneck.
  void validate() const;

 private:
  static constexpr LinkId own_limit = static_cast<LinkId>(-1);  // as a bottleneck: the flow has all that it can take
  static constexpr LinkId unsettled = static_cast<LinkId>(-2);  // it has what was left, until it is solved

  /// Rates closer than this share of each other are one rate: sums of doubles in another order differ by less.
  static constexpr double near = 1e-10;

  struct Place {
    LinkId link;
    std::uint32_t member;  // place among the link's members

    void archive(Archive& archive) { archive(link, member); }
  };
  struct Member {
    FlowId flow;
    std::uint32_t place;  // among the flow's

    void archive(Archive& archive) { archive(flow, place); }
  };
  struct Flow {
    std::vector<Place> there;
    std::vector<LinkId> back;
    double back_share = 0.0;
    double most = 0.0;
    double rate = 0.0;
    LinkId bottleneck = unsettled;
    // ---- of the solve at hand
    std::uint64_t taken = 0;  // the number of the last solve that took it
    bool fixed = false;
    double next_rate = 0.0;
    LinkId next_bottleneck = unsettled;

    void archive(Archive& archive) { archive(there, back, back_share, most, rate, bottleneck); }
  };
  struct SharedLink {
    double capacity = 0.0;
    double load = 0.0;
    double replies = 0.0;
    std::uint32_t replying = 0;  // flows whose replies it carries
    std::uint32_t slowed = 0;    // flows whose bottleneck it is
    std::uint32_t solves = 0;
    std::vector<Member> members;

    [[nodiscard]] double room() const { return std::max(capacity - replies, capacity / 2) - load; }
    void archive(Archive& archive) { archive(load, replies, replying, slowed, solves, members); }
  };
  /// What a solve knows about a link: of the flows that it took, all together and those without a new rate yet.
  struct Work {
    std::uint64_t touched = 0;     // the number of the last solve that touched it,
    std::uint64_t unbalanced = 0;  // or left it out of balance
    std::uint32_t slowed = 0;      // flows it did not take whose bottleneck this is
    std::uint32_t taken = 0;
    std::uint32_t open = 0;
    bool may_fill = false;
    bool is_bottleneck = false;
    double room = 0.0;
    double most = 0.0;  // that they could load it with
    double open_room = 0.0;
    double level = 0.0;
  };
  using Level = std::pair<double, LinkId>;

  void take(FlowId flow);
  void take_slowed(LinkId link);
  void take_round();
  void fill();
  void fix(FlowId flow, double rate, LinkId bottleneck);
  bool spread();
  void find_pushed(LinkId link);
  void settle();
  void balance(LinkId link);
  [[nodiscard]] double summed_load(const SharedLink& link) const;

  double tolerance_;
  std::vector<SharedLink> links_;
  std::vector<Flow> flows_;
  std::vector<FlowId> begun_;       // that do not have all that they could take
  std::vector<LinkId> unbalanced_;  // others could use more of them now, or must do with less

  // ---- of the solve at hand
  std::uint64_t number_ = 1;
  std::vector<Work> work_;
  std::vector<FlowId> taken_;
  std::vector<LinkId> touched_;
  std::vector<std::pair<double, FlowId>> limits_;  // of flows taken, ascending
  std::vector<Level> levels_;                      // heap of links
  std::vector<FlowId> pushed_;
  std::vector<FlowId> changed_;
};

}  // namespace schedlab
