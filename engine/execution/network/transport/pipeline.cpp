#include "execution/network/transport/pipeline.hpp"

#include <algorithm>
#include <utility>

namespace schedlab {

// Packets of one size keep their order, so packet i begins at a link when it has come there and packet i - ports has
// left its port. Unrolled, its wait up to a link is the largest sum of holds of the links so far, in which a link of k
// ports that is counted j times uses up j * k of the i packets before it. Only the last packet may be shorter. It can
// overtake at a link those that are on the other ports there, so only the last packets, as many as there are other
// ports on the way, are followed one by one.

Pipeline::Stage Pipeline::stage(const Link& link, bool leaves_node, std::uint64_t full, std::uint64_t final) const {
  Stage result{link.time_for(full), link.time_for(final), 0, 0, link.delay, link.ports};
  result.full_hold = leaves_node ? rules_.hold(link, full) : result.full;
  result.final_hold = leaves_node ? rules_.hold(link, final) : result.final;
  return result;
}

AloneTimes Pipeline::times(const std::vector<Link>& links, const Path& there, const Path& back, std::uint64_t bytes) {
  const std::uint64_t packets = rules_.packets(bytes);
  const std::uint64_t header = rules_.header(bytes);
  const std::uint64_t final = bytes - (packets - 1) * rules_.packet + header;
  const std::uint64_t full = packets > 1 ? rules_.packet + header : final;
  std::uint64_t late = 1;
  if (final != full) {
    for (const LinkId link : there) late += links[link].ports - 1U;
  }
  late = std::min(late, packets);
  earlier_ = packets - late;
  late_.assign(static_cast<std::size_t>(late), {0, false});
  late_.back().final = true;
  widths_.clear();
  travelled_ = 0;

  AloneTimes result{0, 0};
  for (std::size_t at = 0; at < there.size(); ++at) {
    const Stage stage = this->stage(links[there[at]], at == 0, full, final);
    pass(stage);
    if (at == 0) result.acknowledged = rules_.send_overhead + late_.back().tick - stage.delay;
  }
  result.delivered = rules_.send_overhead + late_.back().tick + rules_.receive_overhead;
  const std::uint64_t reply = rules_.reply(bytes);
  if (reply == 0) return result;
  for (std::size_t at = 0; at < back.size(); ++at) pass(stage(links[back[at]], at == 0, reply, reply));
  result.acknowledged = rules_.send_overhead + late_.back().tick;
  return result;
}

/// Brings the late packets over a link.
void Pipeline::pass(const Stage& stage) {
  add_width(stage);
  free_.clear();
  for (std::uint64_t ago = 1; ago <= std::min<std::uint64_t>(stage.ports, earlier_); ++ago) {
    // Only the port that is free first matters where just one packet is left.
    if (late_.size() == 1 && ago < stage.ports) continue;
    free_.push_back(begin(earlier_ - ago) + stage.full_hold);
  }
  std::size_t idle = late_.size() == 1 ? (free_.empty() ? 1 : 0) : stage.ports - free_.size();
  for (Late& packet : late_) {
    Tick start = packet.tick;
    const Tick hold = packet.final ? stage.final_hold : stage.full_hold;
    if (idle > 0) {
      --idle;
      free_.push_back(start + hold);
    } else {
      const auto port = std::min_element(free_.begin(), free_.end());
      start = std::max(start, *port);
      *port = start + hold;
    }
    packet.tick = start + (packet.final ? stage.final : stage.full) + stage.delay;
  }
  // Nearly in order: only the last packet overtakes.
  for (std::size_t at = 1; at < late_.size(); ++at) {
    for (std::size_t down = at; down > 0 && late_[down].tick < late_[down - 1].tick; --down) {
      std::swap(late_[down], late_[down - 1]);
    }
  }
  travelled_ += stage.full + stage.delay;
}

void Pipeline::add_width(const Stage& stage) {
  for (Width& width : widths_) {
    if (width.ports != stage.ports) continue;
    width.hold = std::max(width.hold, stage.full_hold);
    return;
  }
  widths_.push_back({stage.ports, stage.full_hold});
}

/// When a packet before the late ones begins at the link at hand.
Tick Pipeline::begin(std::uint64_t packet) {
  // The largest sum is an unbounded knapsack. Of the item with the most time per packet all but a few are taken: any
  // `ports` other items have some among them whose packets are a multiple of its own.
  const Width& best = *std::max_element(widths_.begin(), widths_.end(), [](const Width& one, const Width& other) {
    return one.hold * other.ports < other.hold * one.ports;
  });
  Tick most = static_cast<Tick>(packet / best.ports) * best.hold;
  if (best.ports == 1 || widths_.size() == 1) return travelled_ + most;
  std::uint64_t widest = 1;
  for (const Width& width : widths_) widest = std::max<std::uint64_t>(widest, width.ports);
  const std::uint64_t others = std::min(packet, (best.ports - 1U) * widest);
  spent_.assign(static_cast<std::size_t>(others) + 1, 0);  // the most with other items, for each number of packets
  for (std::size_t used = 1; used < spent_.size(); ++used) {
    for (const Width& width : widths_) {
      if (width.ports <= used) spent_[used] = std::max(spent_[used], spent_[used - width.ports] + width.hold);
    }
    most = std::max(most, spent_[used] + static_cast<Tick>((packet - used) / best.ports) * best.hold);
  }
  return travelled_ + most;
}

}  // namespace schedlab
