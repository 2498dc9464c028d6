// How long a message takes that meets nobody else on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "execution/network/topology/ticks.hpp"
#include "execution/network/topology/topology.hpp"
#include "execution/network/transport/transport.hpp"

namespace schedlab {

/// Counted from when the message is sent.
struct AloneTimes {
  Tick delivered;
  Tick acknowledged;
};

/// Packets of one message, one after the other over links with ports, store and forward: exactly the times at which the
/// packet transport delivers and acknowledges it where nobody else is on these links, without going through the
/// packets. An object keeps only memory that it uses again.
class Pipeline {
 public:
  explicit Pipeline(const WireRules& rules) : rules_(rules) {}

  /// Of a message that goes `there`, and whose replies come `back`.
  AloneTimes times(const std::vector<Link>& links, const Path& there, const Path& back, std::uint64_t bytes);

 private:
  /// A link, as the packets of the message see it.
  struct Stage {
    Tick full;   // that a packet takes
    Tick final;  // that the last one takes: it may be shorter
    Tick full_hold;
    Tick final_hold;  // after so long the port takes the next one: where a node hands over slower than its link, later
    Tick delay;
    std::uint16_t ports;
  };

  /// All links so far that have that many ports.
  struct Width {
    std::uint16_t ports;
    Tick hold;  // the longest of them
  };

  /// One of the last packets of the message.
  struct Late {
    Tick tick;
    bool final;
  };

  [[nodiscard]] Stage stage(const Link& link, bool leaves_node, std::uint64_t full, std::uint64_t final) const;
  void pass(const Stage& stage);
  void add_width(const Stage& stage);
  [[nodiscard]] Tick begin(std::uint64_t packet);

  WireRules rules_;
  Tick travelled_ = 0;         // time of the first packet up to the link at hand
  std::uint64_t earlier_ = 0;  // packets that are not among `late_`
  std::vector<Width> widths_;
  std::vector<Late> late_;   // in the order in which they come to the link at hand
  std::vector<Tick> free_;   // its ports: from when on
  std::vector<Tick> spent_;  // scratch of `begin`
};

}  // namespace schedlab
