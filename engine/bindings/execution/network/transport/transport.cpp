#include "bindings/execution/network/transport/transport.hpp"

#include <nanobind/stl/pair.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "bindings/execution/network/topology/topology.hpp"

namespace schedlab::bindings {

namespace {

constexpr double most = std::numeric_limits<double>::max();
constexpr double longest_seconds = 3600.0;  // of what a message costs

nb::object field(const nb::dict& messages, const char* name) {
  if (!messages.contains(name)) throw InputError("network.messages." + std::string(name) + ": is missing");
  return messages[name];
}

[[noreturn]] void refuse(const char* name, const char* what, nb::handle given) {
  throw InputError("network.messages." + std::string(name) + ": must be " + what + ", not " + shown(given));
}

std::uint32_t bytes_of(const nb::dict& messages, const char* name, std::uint32_t least) {
  const nb::object given = field(messages, name);
  std::uint32_t value = 0;
  if (!nb::try_cast(given, value) || value < least) {
    refuse(name, least > 0 ? "a whole number of bytes, at least 1" : "a whole number of bytes", given);
  }
  return value;
}

double number_of(const nb::dict& messages, const char* name, const char* what, double highest) {
  const nb::object given = field(messages, name);
  double value = 0.0;
  if (!nb::try_cast(given, value) || !(value >= 0.0 && value <= highest)) refuse(name, what, given);
  return value;
}

Tick ticks_of(const nb::dict& messages, const char* name) {
  const double seconds = number_of(messages, name, "a number of seconds, an hour at most", longest_seconds);
  return static_cast<Tick>(std::llround(seconds * ticks_per_second));
}

WireRules messages_of(const nb::dict& network) {
  nb::dict messages;
  if (!network.contains("messages") || !nb::try_cast(nb::object(network["messages"]), messages)) {
    throw InputError("network.messages: must be the rules of messages");
  }
  return rules_from(messages);
}

/// A transport of its own, for tests and experiments with nothing but messages.
class OwnTransport {
 public:
  OwnTransport(const nb::dict& network, const std::string& fidelity, double accuracy, std::uint64_t seed)
      : topology_(topology_from(network)),
        transport_(make_transport({fidelity, topology_, messages_of(network), accuracy, seed})) {}

  [[nodiscard]] Transport& get() const { return *transport_; }

  std::uint32_t send(MessageId message, std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Tick tick) {
    for (const std::uint32_t node : {from, to}) {
      if (node < topology_->nodes()) continue;
      throw InputError("the network has nodes 0 to " + std::to_string(topology_->nodes() - 1) + ", not " +
                       std::to_string(node));
    }
    if (from == to) throw InputError("a message to the same node does not go over the network");
    go_to(tick);
    return transport_->send(message, from, to, bytes, tick);
  }

  std::vector<std::pair<MessageId, bool>> advance(Tick tick) {
    go_to(tick);
    std::vector<Arrival> arrivals;
    transport_->advance(tick, arrivals);
    std::vector<std::pair<MessageId, bool>> rows;
    rows.reserve(arrivals.size());
    for (const Arrival& arrival : arrivals) rows.emplace_back(arrival.message, arrival.acknowledged);
    return rows;
  }

  void shift(Tick by) {
    if (by > now_) throw InputError("by: is " + std::to_string(by) + ", later than now");
    now_ -= by;
    transport_->shift(by);
  }

  void archive(Archive& archive) { archive(now_, *transport_); }

 private:
  void go_to(Tick tick) {
    if (tick < now_) {
      throw InputError("tick: is " + std::to_string(tick) + ", before " + std::to_string(now_) + ", which has passed");
    }
    now_ = tick;
  }

  std::shared_ptr<const Topology> topology_;
  Cloned<Transport> transport_;
  Tick now_ = 0;
};

}  // namespace

WireRules rules_from(const nb::dict& messages) {
  WireRules rules;
  rules.packet = bytes_of(messages, "packet", 1);
  rules.put_header = bytes_of(messages, "put_header", 0);
  rules.put_reply = bytes_of(messages, "put_reply", 0);
  rules.get_header = bytes_of(messages, "get_header", 0);
  rules.get_reply = bytes_of(messages, "get_reply", 0);
  if (const nb::object given = field(messages, "switch_over"); !given.is_none()) {
    if (!nb::try_cast(given, rules.switch_over)) refuse("switch_over", "a whole number of bytes", given);
  }
  rules.injection = number_of(messages, "injection", "a number of bytes per second", most);
  rules.send_overhead = ticks_of(messages, "send_overhead");
  rules.receive_overhead = ticks_of(messages, "receive_overhead");
  const double memory =
      number_of(messages, "memory_bytes_per_second", "a number of bytes per second, more than 0", most);
  if (memory == 0.0) refuse("memory_bytes_per_second", "a number of bytes per second, more than 0", nb::float_(memory));
  rules.memory_ticks_per_byte = ticks_per_second / memory;
  rules.memory_delay = ticks_of(messages, "memory_delay");
  return rules;
}

void bind_transport(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<OwnTransport>(module, "Transport",
                           "Messages on a network that nothing else is on. Ticks are picoseconds, and never decrease.")
      .def(nb::init<nb::typed<nb::dict, nb::str, nb::any>, const std::string&, double, std::uint64_t>(), "network"_a,
           "fidelity"_a, "accuracy"_a = 0.02, "seed"_a = 0)
      .def("send", &OwnTransport::send, "message"_a, "from_node"_a, "to_node"_a, "bytes"_a, "tick"_a,
           "Sends a message under a number of the caller's; returns its hops between routers.")
      .def(
          "next_time",
          [](const OwnTransport& self) -> std::optional<Tick> {
            const Tick next = self.get().next_time();
            return next == never_tick ? std::nullopt : std::optional<Tick>(next);
          },
          "The tick at which something happens next; None while nothing is on its way.")
      .def(
          "advance", &OwnTransport::advance, "tick"_a,
          "Handles what happens up to a tick, but no more than the first tick at which messages arrive: their numbers, "
          "with False where the message was delivered and True where its sender knows.")
      .def(
          "drop", [](const OwnTransport& self, MessageId message) { self.get().drop(message); }, "message"_a,
          "Nothing will be heard of the message again.")
      .def("shift", &OwnTransport::shift, "by"_a, "All ticks are less by that much from now on.")
      .def_prop_ro("events", [](const OwnTransport& self) { return self.get().events(); })
      .def(
          "carried", [](const OwnTransport& self) { return self.get().carried(); },
          "Bytes that each link carried, headers and replies included.")
      .def(
          "fork", [](const OwnTransport& self) { return OwnTransport(self); },
          "A second transport that continues from this moment.")
      .def(
          "save",
          [](OwnTransport& self) {
            Archive archive;
            self.archive(archive);
            return nb::bytes(archive.bytes().data(), archive.bytes().size());
          },
          "Everything that changes while it runs.")
      .def(
          "load",
          [](OwnTransport& self, const nb::bytes& state) {
            Archive archive(std::string(state.c_str(), state.size()));
            self.archive(archive);
          },
          "state"_a, "Continues from where a transport of the same network was saved.");
}

}  // namespace schedlab::bindings
