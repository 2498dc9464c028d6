// How long flows of a phase take, and how long it takes ranks to get through all phases.
#include <algorithm>

#include "execution/network/phase/phase_load.hpp"

namespace schedlab {

namespace {

constexpr std::size_t most_passes = 8;
constexpr std::size_t most_clock_steps = 160'000;  // beyond, fewer passes than that

}  // namespace

void LoadMapper::time_flows(Kind& kind) {
  kind.first_time = times_.size();
  times_.resize(times_.size() + order_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const std::size_t end = i + 1 < pairs_.size() ? pairs_[i + 1].first_flow : order_.size();
    for (std::size_t place = pairs_[i].first_flow; place < end; ++place) {
      const FlowTime time = time_of(kind.phase->flows[order_[place]], pairs_[i]);
      times_[kind.first_time + order_[place]] = time;
      kind.seconds = std::max({kind.seconds, time.delivered, time.acknowledged});
    }
  }
}

/// As long as its largest message alone, and as much longer as the busiest link on its way is busy with all that the
/// phase sends over it beside that message.
LoadMapper::FlowTime LoadMapper::time_of(const PatternFlow& flow, const Pair& pair) {
  const std::uint64_t bytes = MessageSizes(flow).largest();
  if (pair.from == pair.to) {
    const double ticks =
        static_cast<double>(rules_.memory_delay) + static_cast<double>(bytes) * rules_.memory_ticks_per_byte;
    return {ticks / ticks_per_second, ticks / ticks_per_second};
  }
  const auto wire = static_cast<double>(rules_.on_the_wire(bytes));
  FlowTime longest{0.0, 0.0};
  for (std::size_t way = 0; way < ways_; ++way) {
    const std::size_t place = pair.first_way + 2 * way;
    const std::size_t begin = place == 0 ? 0 : way_ends_[place - 1];
    const std::span<const LinkId> links(links_on_ways_);
    const auto there = links.subspan(begin, way_ends_[place] - begin);
    const auto back = links.subspan(way_ends_[place], way_ends_[place + 1] - way_ends_[place]);
    double own = 0.0;
    double all = 0.0;
    for (std::size_t i = 0; i < there.size(); ++i) {
      const bool on_every_way = i == 0 || i + 1 == there.size();
      const double mine = on_every_way ? wire : wire / static_cast<double>(ways_);
      own = std::max(own, mine / capacities_[there[i]]);
      all = std::max(all, loads_[there[i]] / capacities_[there[i]]);
    }
    const AloneTimes alone = alone_times(there, back, bytes);
    longest.delivered =
        std::max(longest.delivered, static_cast<double>(alone.delivered) / ticks_per_second + (all - own));
    longest.acknowledged =
        std::max(longest.acknowledged, static_cast<double>(alone.acknowledged) / ticks_per_second + (all - own));
  }
  return longest;
}

/// Links of a kind are alike, so that ways over the same kinds take the same time. Ways are known by 64 bits of a
/// polynomial of their kinds: two of a million are one by mistake with a chance of 3e-8.
AloneTimes LoadMapper::alone_times(std::span<const LinkId> there, std::span<const LinkId> back, std::uint64_t bytes) {
  constexpr std::uint64_t base = 0x9E3779B97F4A7C15U;
  std::uint64_t way = there.size();
  for (const LinkId link : there) way = way * base + kind_of_link_[link] + 1U;
  way = (way ^ (way >> 32U)) * base;
  for (const LinkId link : back) way = way * base + kind_of_link_[link] + 1U;
  const WayKey key{way, bytes};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  there_.assign(there.begin(), there.end());
  back_.assign(back.begin(), back.end());
  const AloneTimes times = pipeline_.times(topology_->links(), there_, back_, bytes);
  if (known_.size() >= most_known) known_.clear();
  known_.emplace(key, times);
  return times;
}

/// How long a pass takes when one follows the other: each rank has a clock of its own, and waits for those alone that
/// send to it, so that a pass begins at some ranks before it is over at others. Computing and files come on top, for
/// all.
double LoadMapper::pass_seconds(const Pattern& pattern) {
  clocks_.assign(pattern.ranks, 0.0);
  next_clocks_.assign(pattern.ranks, 0.0);
  std::size_t flows = 0;
  for (const PatternPhase& phase : pattern.phases) flows += phase.flows.size();
  const std::size_t passes =
      std::clamp<std::size_t>(most_clock_steps / std::max<std::size_t>(flows, 1), 1, most_passes);
  for (std::size_t pass = 0; pass < passes; ++pass) run_clocks(pattern);
  return clocks_.empty() ? 0.0 : std::ranges::max(clocks_) / static_cast<double>(passes);
}

void LoadMapper::run_clocks(const Pattern& pattern) {
  for (std::size_t phase = 0; phase < pattern.phases.size(); ++phase) {
    const FlowTime* time = times_.data() + kinds_[kind_of_[phase]].first_time;
    for (const PatternFlow& flow : pattern.phases[phase].flows) {
      const double begin = clocks_[flow.from];
      next_clocks_[flow.to] = std::max(next_clocks_[flow.to], begin + time->delivered);
      next_clocks_[flow.from] = std::max(next_clocks_[flow.from], begin + time->acknowledged);
      ++time;
    }
    for (const PatternFlow& flow : pattern.phases[phase].flows) {
      clocks_[flow.from] = next_clocks_[flow.from];
      clocks_[flow.to] = next_clocks_[flow.to];
    }
  }
}

}  // namespace schedlab
