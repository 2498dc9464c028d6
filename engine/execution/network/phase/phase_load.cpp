#include "execution/network/phase/phase_load.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "execution/network/topology/route_draws.hpp"

namespace schedlab {

namespace {

/// More stages than this are not distinguished: each is then the first of several kinds of phases (rounds of an
/// all-to-all), whose rates stand for those of the others.
constexpr std::size_t most_stages = 32;

bool same_flow(const PatternFlow& a, const PatternFlow& b) {
  return a.from == b.from && a.to == b.to && a.messages == b.messages && a.bytes == b.bytes;
}

std::uint64_t hash_of(const PatternPhase& phase) {
  std::uint64_t hash = phase.flows.size();
  for (const PatternFlow& flow : phase.flows) {
    const std::uint64_t ends = (static_cast<std::uint64_t>(flow.from) << 32U) | flow.to;
    hash = (hash ^ ends) * 0x9E3779B97F4A7C15U;
    hash = ((hash >> 29U) ^ hash ^ (flow.bytes + (static_cast<std::uint64_t>(flow.messages) << 40U))) *
           0xBF58476D1CE4E5B9U;
  }
  return hash;
}

std::vector<double> capacities_of(const Topology& topology, const WireRules& rules, double file_bytes_per_second) {
  std::vector<double> capacities;
  capacities.reserve(topology.links().size() + 1);
  for (const Link& link : topology.links()) {
    const double capacity = link.capacity() * ticks_per_second;
    const bool injects = link.kind == 0 && rules.injection > 0.0;
    capacities.push_back(injects ? std::min(capacity, rules.injection) : capacity);
  }
  capacities.push_back(file_bytes_per_second);
  return capacities;
}

}  // namespace

LoadMapper::LoadMapper(std::shared_ptr<const Topology> topology, const WireRules& rules, double file_bytes_per_second)
    : topology_(std::move(topology)),
      rules_(rules),
      pipeline_(rules),
      ways_(topology_->fixed_routes() ? 1 : drawn_ways),
      capacities_(capacities_of(*topology_, rules, file_bytes_per_second)),
      taken_(topology_->nodes()),
      loads_(capacities_.size()),
      flows_(capacities_.size()),
      totals_(capacities_.size()),
      counts_(capacities_.size()) {
  for (const Link& link : topology_->links()) kind_of_link_.push_back(link.kind);
}

std::shared_ptr<const JobLoad> LoadMapper::map(const Pattern& pattern, const std::vector<std::uint32_t>& nodes) {
  check(pattern, nodes);
  auto load = std::make_shared<JobLoad>();
  load->compute_seconds = pattern.mean_compute_seconds;
  find_kinds(pattern);
  nodes_are_shared_ = share_nodes(nodes);
  times_.clear();
  entries_.clear();
  used_.clear();
  for (Kind& kind : kinds_) load_links(kind, nodes, *load);

  double file_bytes = 0.0;
  for (const PatternPhase& phase : pattern.phases) {
    load->longest_compute += phase.compute_seconds;
    file_bytes += phase.file_bytes;
  }
  if (file_bytes > 0.0) load->file_seconds = file_bytes / capacities_.back();
  double network_seconds = pass_seconds(pattern);
  for (const LinkId link : used_) network_seconds = std::max(network_seconds, totals_[link] / capacities_[link]);
  load->alone_seconds = load->longest_compute + load->file_seconds + network_seconds;
  make_stages(network_seconds, *load);
  list_links(*load);
  if (file_bytes > 0.0) {
    load->rates.push_back(
        {static_cast<std::uint32_t>(load->stage_seconds.size() - 1), capacities_.back(), capacities_.back()});
    load->links.push_back({file_link(), static_cast<std::uint32_t>(load->rates.size()), file_bytes, capacities_.back(),
                           capacities_.back()});
  }
  return load;
}

void LoadMapper::check(const Pattern& pattern, const std::vector<std::uint32_t>& nodes) const {
  if (nodes.size() != pattern.ranks) {
    throw InputError("pattern: has " + std::to_string(pattern.ranks) + " ranks, but " + std::to_string(nodes.size()) +
                     " are placed");
  }
  for (const std::uint32_t node : nodes) {
    if (node < topology_->nodes()) continue;
    throw InputError("node " + std::to_string(node) + ": the network has nodes 0 to " +
                     std::to_string(topology_->nodes() - 1));
  }
  for (const PatternPhase& phase : pattern.phases) {
    if (phase.file_bytes > 0.0 && capacities_.back() <= 0.0) {
      throw InputError("the application reads or writes files, but network.files gives no bandwidth");
    }
    for (const PatternFlow& flow : phase.flows) {
      if (flow.from < pattern.ranks && flow.to < pattern.ranks && flow.messages > 0) continue;
      throw InputError("pattern: a flow must have messages and be between ranks 0 to " +
                       std::to_string(pattern.ranks - 1));
    }
  }
}

/// Phases with the same flows are one kind.
void LoadMapper::find_kinds(const Pattern& pattern) {
  kinds_.clear();
  kind_of_.clear();
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash;
  for (const PatternPhase& phase : pattern.phases) {
    const std::uint64_t hash = hash_of(phase);
    const auto [begin, end] = by_hash.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto& known) {
      return std::ranges::equal(kinds_[known.second].phase->flows, phase.flows, same_flow);
    });
    const auto index = same == end ? static_cast<std::uint32_t>(kinds_.size()) : same->second;
    if (same == end) {
      by_hash.emplace(hash, index);
      kinds_.push_back({&phase, 0.0, 0.0, 0.0, 0, 0});
    }
    kinds_[index].count += 1.0;
    kind_of_.push_back(index);
  }
  const std::size_t stages = std::min(kinds_.size(), most_stages);
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    kinds_[i].stage = static_cast<std::uint32_t>(i * stages / kinds_.size());
  }
}

bool LoadMapper::share_nodes(const std::vector<std::uint32_t>& nodes) {
  bool shared = false;
  for (const std::uint32_t node : nodes) {
    shared = shared || taken_[node];
    taken_[node] = true;
  }
  for (const std::uint32_t node : nodes) taken_[node] = false;
  return shared;
}

/// Nodes of a phase's flows by pairs, as they come where no two ranks share a node.
void LoadMapper::find_pairs(const Kind& kind, const std::vector<std::uint32_t>& nodes) {
  const std::vector<PatternFlow>& flows = kind.phase->flows;
  order_.resize(flows.size());
  std::iota(order_.begin(), order_.end(), 0U);
  const auto ends = [&](std::uint32_t flow) { return std::pair(nodes[flows[flow].from], nodes[flows[flow].to]); };
  if (nodes_are_shared_) {
    std::ranges::sort(order_,
                      [&](std::uint32_t a, std::uint32_t b) { return std::pair(ends(a), a) < std::pair(ends(b), b); });
  }
  pairs_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto [from, to] = ends(order_[i]);
    if (pairs_.empty() || pairs_.back().from != from || pairs_.back().to != to) pairs_.push_back({from, to, i, 0});
  }
}

void LoadMapper::load_links(Kind& kind, const std::vector<std::uint32_t>& nodes, JobLoad& load) {
  find_pairs(kind, nodes);
  const std::vector<PatternFlow>& flows = kind.phase->flows;
  const auto on_the_wire = [&](std::uint64_t size) { return static_cast<double>(rules_.on_the_wire(size)); };
  const auto in_replies = [&](std::uint64_t size) {
    return static_cast<double>(rules_.packets(size) * rules_.reply(size));
  };
  RouteDraws choice(0);
  links_on_ways_.clear();
  way_ends_.clear();
  touched_.clear();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    pair.first_way = way_ends_.size();
    const std::size_t end = i + 1 < pairs_.size() ? pairs_[i + 1].first_flow : order_.size();
    double wire = 0.0;
    double replies = 0.0;
    double reply_flows = 0.0;
    double messages = 0.0;
    double bytes = 0.0;
    for (std::size_t place = pair.first_flow; place < end; ++place) {
      const PatternFlow& flow = flows[order_[place]];
      const MessageSizes sizes(flow);
      wire += sizes.sum(on_the_wire);
      replies += sizes.sum(in_replies);
      reply_flows += sizes.sum([&](std::uint64_t size) {
        const double whole = on_the_wire(size);
        return whole > 0.0 ? in_replies(size) / whole : 0.0;
      });
      messages += flow.messages;
      bytes += static_cast<double>(flow.bytes);
    }
    load.messages += kind.count * messages;
    load.bytes += kind.count * bytes;
    if (pair.from == pair.to) continue;
    const auto share = static_cast<double>(ways_);
    for (std::size_t way = 0; way < ways_; ++way) {
      topology_->route(pair.from, pair.to, choice, there_);
      topology_->route(pair.to, pair.from, choice, back_);
      for (const LinkId link : there_) add(link, wire / share, messages / share);
      for (const LinkId link : back_) add(link, replies / share, reply_flows / share);
      links_on_ways_.insert(links_on_ways_.end(), there_.begin(), there_.end());
      way_ends_.push_back(links_on_ways_.size());
      links_on_ways_.insert(links_on_ways_.end(), back_.begin(), back_.end());
      way_ends_.push_back(links_on_ways_.size());
      const auto hops = static_cast<double>(there_.size() - 2);
      load.hops += kind.count * messages * hops / share;
      load.hop_bytes += kind.count * bytes * hops / share;
    }
  }
  time_flows(kind);
  note_loads(kind);
}

/// Replies count as the part of a flow that they are, so that they have no say of their own.
void LoadMapper::add(LinkId link, double bytes, double flows) {
  if (bytes <= 0.0) return;
  if (loads_[link] == 0.0) touched_.push_back(link);
  loads_[link] += bytes;
  flows_[link] += flows;
}

/// What the phase puts on links goes into the pass, and the rates of its stage where it is the stage's first.
void LoadMapper::note_loads(Kind& kind) {
  for (const LinkId link : touched_) {
    kind.drain_seconds = std::max(kind.drain_seconds, loads_[link] / capacities_[link]);
  }
  const bool first = &kind == kinds_.data() || (&kind - 1)->stage != kind.stage;
  for (const LinkId link : touched_) {
    if (totals_[link] == 0.0) used_.push_back(link);
    totals_[link] += kind.count * loads_[link];
    if (first) {
      entries_.push_back({link, kind.stage, loads_[link] / kind.drain_seconds, flows_[link]});
      ++counts_[link];
    }
    loads_[link] = 0.0;
    flows_[link] = 0.0;
  }
  // A flow waits for its own links alone, so that the phase may be over before the link with most to do (of replies).
  kind.drain_seconds = std::min(kind.drain_seconds, kind.seconds);
}

/// Ranks that do not wait for each other are through before the sum of the longest phases: stages are shorter by that.
void LoadMapper::make_stages(double network_seconds, JobLoad& load) {
  load.stage_seconds.assign((kinds_.empty() ? 0 : kinds_.back().stage + 1) + 1, 0.0);
  double together = 0.0;
  for (const Kind& kind : kinds_) together += kind.count * kind.seconds;
  const double shorter = together > network_seconds ? network_seconds / together : 1.0;
  double held = 0.0;
  for (const Kind& kind : kinds_) {
    const double seconds = kind.count * kind.drain_seconds * shorter;
    load.stage_seconds[kind.stage] += seconds;
    held += seconds;
  }
  load.stage_seconds.back() = load.file_seconds;
  load.fixed_seconds = std::max(0.0, load.alone_seconds - held - load.file_seconds);
}

/// Rates by link, and of a link by stage.
void LoadMapper::list_links(JobLoad& load) {
  std::uint32_t end = 0;
  load.links.reserve(used_.size() + 1);
  for (const LinkId link : used_) {
    load.links.push_back({link, end + counts_[link], totals_[link], 0.0, 0.0});
    end += std::exchange(counts_[link], static_cast<std::uint32_t>(load.links.size() - 1));  // now: its place
    totals_[link] = 0.0;
  }
  load.rates.resize(end);
  std::vector<std::uint32_t> next;
  next.reserve(load.links.size());
  for (std::size_t i = 0; i < load.links.size(); ++i) next.push_back(i == 0 ? 0 : load.links[i - 1].rates_end);
  for (const Entry& entry : entries_) {
    const std::uint32_t place = counts_[entry.link];
    load.rates[next[place]++] = {entry.stage, entry.bytes_per_second, entry.bytes_per_second / entry.flows};
    LinkLoad& link = load.links[place];
    link.peak = std::max(link.peak, entry.bytes_per_second);
    link.of_a_flow += entry.bytes_per_second;
    flows_[entry.link] += entry.flows;
  }
  for (LinkLoad& link : load.links) {
    if (const double flows = std::exchange(flows_[link.link], 0.0); flows > 0.0) link.of_a_flow /= flows;
  }
  for (const LinkId link : used_) counts_[link] = 0;
}

}  // namespace schedlab
