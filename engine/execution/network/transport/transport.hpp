// How messages get from node to node: one interface, a file per level of fidelity.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "execution/network/topology/ticks.hpp"
#include "execution/network/topology/topology.hpp"

namespace schedlab {

using MessageId = std::uint32_t;

/// What goes over the wires beside a message's own bytes.
struct WireRules {
  std::uint32_t packet = 64;      // bytes of a message in a packet, at most
  std::uint32_t put_header = 32;  // beside them in a packet
  std::uint32_t put_reply = 9;    // of an acknowledgement, one for each packet; 0: none, the sender continues
                                  // when the last byte has left its node's link
  std::uint32_t get_header = 32;  // the same for messages of `switch_over` bytes and more
  std::uint32_t get_reply = 9;
  std::uint64_t switch_over = static_cast<std::uint64_t>(-1);
  double injection = 0.0;               // bytes per second that a node can hand over; 0: its link is the only limit
  Tick send_overhead = 0;               // software, before the first packet, and
  Tick receive_overhead = 0;            // after the last one
  double memory_ticks_per_byte = 16.0;  // from rank to rank in one node (5e11 bit/s),
  Tick memory_delay = 100'000;          // and before it

  [[nodiscard]] std::uint32_t header(std::uint64_t bytes) const {
    return bytes >= switch_over ? get_header : put_header;
  }
  [[nodiscard]] std::uint32_t reply(std::uint64_t bytes) const { return bytes >= switch_over ? get_reply : put_reply; }
  /// A message without bytes is a packet all the same.
  [[nodiscard]] std::uint64_t packets(std::uint64_t bytes) const {
    return bytes == 0 ? 1 : (bytes + packet - 1) / packet;
  }
  /// How long a port of a node's own link is taken by N bytes: longer than they are under way on it where
  /// the node hands over less than the link could take.
  [[nodiscard]] Tick hold(const Link& link, std::uint64_t bytes) const {
    if (injection <= 0.0) return link.time_for(bytes);
    const double ticks = static_cast<double>(bytes) * std::max(link.ticks_per_byte, ticks_per_second / injection);
    return static_cast<Tick>(ticks + 0.5);  // NOLINT(bugprone-incorrect-roundings): >= 0
  }
  /// All that the wires carry of a message, headers included.
  [[nodiscard]] std::uint64_t on_the_wire(std::uint64_t bytes) const { return bytes + packets(bytes) * header(bytes); }
};

/// A message reached its node (`delivered`), or its sender knows that it did.
struct Arrival {
  MessageId message;
  bool acknowledged;
};

/// Carries messages. Ids are the caller's, small numbers (tables are as long as the largest): each is delivered once
/// and acknowledged once, or dropped; after that it may be used again. The acknowledgement is the later one of the two
/// except where there are no replies, or `receive_overhead` is longer than the way back. Deterministic: what happens at
/// one tick happens in the order in which it was caused.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = default;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Why a message is more than can be carried, and what to do; empty where it can be.
  [[nodiscard]] virtual std::string refusal(std::uint32_t /*from*/, std::uint32_t /*to*/, std::uint64_t /*bytes*/,
                                            Tick /*now*/) const {
    return {};
  }
  /// A message leaves its node now; never one to the same node. Returns the hops between routers that it takes (its
  /// first packet, where they take several ways).
  virtual std::uint32_t send(MessageId message, std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                             Tick now) = 0;
  /// When something happens next; `never_tick` while nothing is on its way.
  [[nodiscard]] virtual Tick next_time() = 0;
  /// Handles what is due up to `limit`, but no further than to the first tick at which messages arrive: these are
  /// appended, and that tick is returned; else `limit`. Ticks of `send` and `advance` never decrease.
  virtual Tick advance(Tick limit, std::vector<Arrival>& arrivals) = 0;
  /// Its job was killed: nothing is to be heard of the message again. What is on the wires may stay there.
  virtual void drop(MessageId message) = 0;
  /// All times are less by `by` from now on: the epoch moved.
  virtual void shift(Tick by) = 0;

  /// What was handled so far, as the reference simulator counts: one for each arrival of a packet or acknowledgement at
  /// a router or node, and one (a timer) for each packet; message-level transports count arrivals of messages.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// Bytes that each link carried, headers and acknowledgements included.
  [[nodiscard]] virtual const std::vector<double>& carried() const { return carried_; }

  [[nodiscard]] virtual std::unique_ptr<Transport> clone() const = 0;
  virtual void archive(Archive& archive) = 0;

 protected:
  std::uint64_t events_ = 0;
  std::vector<double> carried_;
};

struct TransportSpec {
  std::string fidelity;  // "analytic", "fluid" or "packet"
  std::shared_ptr<const Topology> topology;
  WireRules rules;
  double accuracy = 0.02;  // of the fluid model: share by which rates may be off from fair
  std::uint64_t seed = 0;  // of routes that are drawn
};

/// Throws InputError for another fidelity.
std::unique_ptr<Transport> make_transport(const TransportSpec& spec);
std::unique_ptr<Transport> make_analytic(const TransportSpec& spec);
std::unique_ptr<Transport> make_fluid(const TransportSpec& spec);
std::unique_ptr<Transport> make_packets(const TransportSpec& spec);

}  // namespace schedlab
