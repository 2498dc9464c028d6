// What one pass through a pattern asks of each link, with ranks on given nodes, and how long it takes alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/archive.hpp"
#include "execution/network/phase/pattern.hpp"
#include "execution/network/topology/topology.hpp"
#include "execution/network/transport/pipeline.hpp"
#include "execution/network/transport/transport.hpp"

namespace schedlab {

/// Messages of one flow differ in size by one byte at most.
struct MessageSizes {
  explicit MessageSizes(const PatternFlow& flow)
      : small(flow.bytes / flow.messages), large_count(flow.bytes % flow.messages), count(flow.messages) {}

  [[nodiscard]] std::uint64_t largest() const { return large_count > 0 ? small + 1 : small; }
  template <class Measure>
  [[nodiscard]] double sum(const Measure& measure) const {
    const double larger = large_count > 0 ? static_cast<double>(large_count) * measure(small + 1) : 0.0;
    return larger + static_cast<double>(count - large_count) * measure(small);
  }

  std::uint64_t small;
  std::uint64_t large_count;
  std::uint64_t count;
};

/// How fast a stage would fill a link, were nobody else there.
struct StageRate {
  std::uint32_t stage;
  double bytes_per_second;
  double of_a_flow;  // of these, of one message

  void archive(Archive& archive) { archive(stage, bytes_per_second, of_a_flow); }
};

struct LinkLoad {
  LinkId link;
  std::uint32_t rates_end;  // of its rates in `JobLoad::rates`; they begin where those of the link before end
  double bytes;             // in a pass, headers and replies included
  double peak;              // the largest of the rates
  double of_a_flow;         // bytes per second of one message, mean over the rates

  void archive(Archive& archive) { archive(link, rates_end, bytes, peak, of_a_flow); }
};

/// One pass. A stage is a part of the pass that the links hold up: phases that send the same between the same ranks are
/// one, and files are the last one. The rest of the pass, computing and latency, takes as long as ever.
struct JobLoad {
  double alone_seconds = 0.0;
  double fixed_seconds = 0.0;         // of these, what no link holds up
  double file_seconds = 0.0;          // of these, files: the last of `stage_seconds`
  double compute_seconds = 0.0;       // mean over ranks
  double longest_compute = 0.0;       // seconds of `fixed_seconds`: of the slowest rank of each phase
  std::vector<double> stage_seconds;  // of these, at the links that hold up the stage
  std::vector<LinkLoad> links;        // link `links().size()` is the file system
  std::vector<StageRate> rates;
  double messages = 0.0;
  double bytes = 0.0;
  double hops = 0.0;
  double hop_bytes = 0.0;

  void archive(Archive& archive) {
    archive(alone_seconds, fixed_seconds, file_seconds, compute_seconds, longest_compute, stage_seconds, links, rates,
            messages, bytes, hops, hop_bytes);
  }
};

/// Maps patterns to links. Keeps nothing of a job but what saves work with the next one.
class LoadMapper {
 public:
  /// `file_bytes_per_second` 0: there is no file system.
  LoadMapper(std::shared_ptr<const Topology> topology, const WireRules& rules, double file_bytes_per_second);

  /// Rank i is on `nodes[i]`. Throws InputError where the pattern does not fit to nodes and network.
  std::shared_ptr<const JobLoad> map(const Pattern& pattern, const std::vector<std::uint32_t>& nodes);

  /// Bytes per second of each link, that of the file system last.
  [[nodiscard]] const std::vector<double>& capacities() const { return capacities_; }
  [[nodiscard]] LinkId file_link() const { return static_cast<LinkId>(capacities_.size() - 1); }

 private:
  /// Seconds from when a flow's sender begins until its receiver, and until it itself continues.
  struct FlowTime {
    double delivered;
    double acknowledged;
  };
  /// A phase and those like it.
  struct Kind {
    const PatternPhase* phase;
    double count;
    double drain_seconds;    // of the link that takes longest
    double seconds;          // of the flow that takes longest
    std::size_t first_time;  // of its flows in `times_`
    std::uint32_t stage;
  };
  /// Messages between two nodes, and the ways they take.
  struct Pair {
    std::uint32_t from;
    std::uint32_t to;
    std::size_t first_flow;  // in `order_`
    std::size_t first_way;   // in `way_ends_`
  };
  /// Kinds of the links there and back, and the bytes of a message.
  struct WayKey {
    std::uint64_t way;
    std::uint64_t bytes;
    bool operator==(const WayKey&) const = default;
  };
  struct WayHash {
    std::size_t operator()(const WayKey& key) const {
      const std::uint64_t mixed = (key.way ^ (key.bytes * 0xBF58476D1CE4E5B9U)) * 0x94D049BB133111EBU;
      return static_cast<std::size_t>(mixed ^ (mixed >> 31U));
    }
  };
  struct Entry {
    LinkId link;
    std::uint32_t stage;
    double bytes_per_second;
    double flows;
  };

  static constexpr std::size_t most_known = 1U << 18U;
  /// Routes of a flow where a network draws them.
  static constexpr std::size_t drawn_ways = 8;

  void check(const Pattern& pattern, const std::vector<std::uint32_t>& nodes) const;
  void find_kinds(const Pattern& pattern);
  [[nodiscard]] bool share_nodes(const std::vector<std::uint32_t>& nodes);
  void find_pairs(const Kind& kind, const std::vector<std::uint32_t>& nodes);
  void load_links(Kind& kind, const std::vector<std::uint32_t>& nodes, JobLoad& load);
  void add(LinkId link, double bytes, double flows);
  void note_loads(Kind& kind);
  void time_flows(Kind& kind);
  FlowTime time_of(const PatternFlow& flow, const Pair& pair);
  AloneTimes alone_times(std::span<const LinkId> there, std::span<const LinkId> back, std::uint64_t bytes);
  double pass_seconds(const Pattern& pattern);
  void run_clocks(const Pattern& pattern);
  void make_stages(double network_seconds, JobLoad& load);
  void list_links(JobLoad& load);

  std::shared_ptr<const Topology> topology_;
  WireRules rules_;
  Pipeline pipeline_;
  std::size_t ways_;  // of each flow
  std::vector<double> capacities_;
  std::vector<std::uint16_t> kind_of_link_;
  std::unordered_map<WayKey, AloneTimes, WayHash> known_;

  // What a call works with.
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;  // by phase
  bool nodes_are_shared_ = false;       // by ranks
  std::vector<bool> taken_;             // by node, false between calls
  std::vector<std::uint32_t> order_;    // flows of a phase, by pair
  std::vector<Pair> pairs_;
  std::vector<LinkId> links_on_ways_;  // there and back in turn
  std::vector<std::size_t> way_ends_;  // of each of these
  std::vector<FlowTime> times_;        // by kind and flow
  std::vector<double> clocks_;         // by rank
  std::vector<double> next_clocks_;
  std::vector<double> loads_;          // by link: bytes in the phase at hand, 0 between calls
  std::vector<double> flows_;          // by link: messages in the phase at hand, 0 between calls
  std::vector<double> totals_;         // by link: bytes in the pass, 0 between calls
  std::vector<std::uint32_t> counts_;  // by link: of entries, 0 between calls
  std::vector<LinkId> touched_;
  std::vector<LinkId> used_;
  std::vector<Entry> entries_;
  Path there_;
  Path back_;
};

}  // namespace schedlab
