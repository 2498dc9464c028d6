// Messages as packets, store and forward, that queue at the ports of links; one reply for each packet.

#include <cstddef>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "base/random.hpp"
#include "execution/network/topology/route_table.hpp"
#include "execution/network/transport/pool.hpp"
#include "execution/network/transport/ports.hpp"
#include "execution/network/transport/tick_queue.hpp"
#include "execution/network/transport/transport.hpp"

namespace schedlab {

namespace {

constexpr std::uint32_t no_flight = static_cast<std::uint32_t>(-1);

/// Packets under way at once: 2 GB in packets of 64 bytes. Each takes time, and where links are crowded memory.
constexpr std::uint64_t most_under_way = std::uint64_t{1} << 25U;
// For estimates: events in a second of real time where links are crowded, and what a packet takes in queues that grow.
constexpr std::uint64_t events_per_second = 10'000'000;
constexpr std::uint64_t bytes_per_packet = 64;

/// A message, until its last packet and reply are through.
struct Flight {
  MessageId message = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t there = 0;        // its way, where routes are fixed; else that of its first packet
  std::uint32_t back = 0;         // the way of its replies, where routes are fixed
  std::uint32_t reply = 0;        // bytes
  std::uint64_t full = 0;         // bytes of a packet on the wires
  std::uint64_t final = 0;        // bytes of the last one
  std::uint64_t waiting = 0;      // packets that are not yet under way
  std::uint64_t undelivered = 0;  // packets
  std::uint64_t unanswered = 0;   // packets
  Tick next_start = 0;            // of the next packet, on the link of its node,
  Tick hold = 0;                  // and how much later the one after it starts
  std::uint8_t unheard = 2;       // of its two arrivals
  bool dropped = false;

  void archive(Archive& archive) {
    archive(message, from, to, there, back, reply, full, final, waiting, undelivered, unanswered, next_start, hold,
            unheard, dropped);
  }
};

struct Due {
  enum class What : std::uint8_t {
    data,       // a packet comes to the end of a link
    reply,      // a reply does
    ready,      // the sender's software hands the message over
    left,       // the last packet leaves the link of its node, and nobody will reply
    delivered,  // the receiver's software is through
  };

  std::uint32_t flight;
  std::uint32_t route;
  std::uint16_t at;  // number of the link on the way
  What what;
  bool final;  // the last packet of its message

  void archive(Archive& archive) { archive(flight, route, at, what, final); }
};

/// What drawn and adaptive routes go by.
class Choice final : public RouteChoice {
 public:
  Choice(const Ports& ports, const std::vector<Link>& links, Random& random, Tick now)
      : ports_(ports), links_(links), random_(random), now_(now) {}

  [[nodiscard]] double backlog(LinkId link) const override {
    return static_cast<double>(ports_.wait(link, now_) + links_[link].delay);
  }
  std::uint32_t draw(std::uint32_t n) override { return random_.below(n); }

 private:
  const Ports& ports_;
  const std::vector<Link>& links_;
  Random& random_;
  Tick now_;
};

class Packets final : public Transport {
 public:
  explicit Packets(const TransportSpec& spec)
      : topology_(spec.topology),
        rules_(spec.rules),
        fixed_(topology_->fixed_routes()),
        random_(spec.seed),
        ports_(topology_->links()) {
    carried_.assign(topology_->links().size(), 0.0);
  }

  [[nodiscard]] std::string refusal(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                                    Tick now) const override {
    const std::uint64_t packets = rules_.packets(bytes);
    if (packets <= most_under_way - under_way_) return {};
    Random random = random_;  // a copy, so that nothing is drawn
    Choice choice(ports_, topology_->links(), random, now);
    Path path;
    topology_->route(from, to, choice, path);
    const std::uint64_t all = packets + under_way_;
    const std::uint64_t events = all * (path.size() * (rules_.reply(bytes) > 0 ? 2 : 1) + 1);
    return "a message of " + std::to_string(bytes) + " bytes is " + std::to_string(packets) + " packets of " +
           std::to_string(rules_.packet) + " bytes, and " + std::to_string(under_way_) +
           " others are under way, where " + std::to_string(most_under_way) + " can be. They would take some " +
           std::to_string(events / 1'000'000) + " million events, " + std::to_string(events / events_per_second) +
           " s and up to " + std::to_string(all * bytes_per_packet / 1'000'000) +
           " MB. Use --fidelity fluid (fidelity=\"fluid\"), or give network.messages of the system a larger packet";
  }

  std::uint32_t send(MessageId message, std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Tick now) override {
    Flight flight;
    flight.message = message;
    flight.from = from;
    flight.to = to;
    flight.reply = rules_.reply(bytes);
    flight.waiting = flight.undelivered = flight.unanswered = rules_.packets(bytes);
    flight.final = bytes - (flight.waiting - 1) * rules_.packet + rules_.header(bytes);
    flight.full = flight.waiting > 1 ? std::uint64_t{rules_.packet} + rules_.header(bytes) : flight.final;
    const std::uint64_t there_bytes = fixed_ ? rules_.on_the_wire(bytes) : flight.full;
    flight.there = route(from, to, there_bytes, now);
    const auto hops = static_cast<std::uint32_t>(path_.size()) - 2;
    if (fixed_ && flight.reply > 0) flight.back = route(to, from, flight.waiting * flight.reply, now);
    const std::uint32_t place = flights_.add(flight);
    under_way_ += flight.undelivered;
    if (message >= flight_of_.size()) flight_of_.resize(message + std::size_t{1}, no_flight);
    flight_of_[message] = place;
    if (rules_.send_overhead > 0) {
      due_.push(now + rules_.send_overhead, {place, 0, 0, Due::What::ready, false});
    } else {
      begin(place, now);
    }
    return hops;
  }

  Tick next_time() override { return due_.next_tick(); }

  Tick advance(Tick limit, std::vector<Arrival>& arrivals) override {
    const std::size_t before = arrivals.size();
    for (Tick tick = due_.next_tick(); tick <= limit && tick != never_tick; tick = due_.next_tick()) {
      do handle(due_.pop(), tick, arrivals);
      while (due_.next_tick() == tick);
      if (arrivals.size() > before) return tick;
    }
    return limit;
  }

  void drop(MessageId message) override {
    if (message >= flight_of_.size() || flight_of_[message] == no_flight) return;
    flights_[std::exchange(flight_of_[message], no_flight)].dropped = true;
  }

  void shift(Tick by) override {
    due_.shift(by);
    ports_.shift(by);
    for (Flight& flight : flights_) {
      if (flight.waiting > 0) flight.next_start -= by;
    }
  }

  [[nodiscard]] std::unique_ptr<Transport> clone() const override { return std::make_unique<Packets>(*this); }

  void archive(Archive& archive) override {
    archive(events_, carried_, random_, ports_, routes_, flights_, flight_of_, due_, under_way_);
  }

 private:
  [[nodiscard]] const Link& link(LinkId number) const { return topology_->links()[number]; }

  /// A path on which that many bytes will be carried.
  std::uint32_t route(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Tick now) {
    Choice choice(ports_, topology_->links(), random_, now);
    topology_->route(from, to, choice, path_);
    for (const LinkId number : path_) carried_[number] += static_cast<double>(bytes);
    return routes_.add(path_);
  }

  /// All packets enter the queue of the node's own link at once: they follow each other there, so that only the next
  /// one of them needs to be in `due_`.
  void begin(std::uint32_t place, Tick now) {
    Flight& flight = flights_[place];
    const LinkId own = routes_.link(flight.there, 0);
    flight.hold = rules_.hold(link(own), flight.full);
    const Tick before_final = static_cast<Tick>(flight.waiting - 1) * flight.hold;
    flight.next_start = ports_.take(own, now, before_final + rules_.hold(link(own), flight.final));
    if (flight.reply == 0) {
      const Tick left = flight.next_start + before_final + link(own).time_for(flight.final);
      due_.push(left, {place, 0, 0, Due::What::left, false});
    }
    launch(place, flight.there);
  }

  void launch(std::uint32_t place, std::uint32_t way) {
    Flight& flight = flights_[place];
    const bool final = --flight.waiting == 0;
    const Link& own = link(routes_.link(way, 0));
    const Tick under_way = own.time_for(final ? flight.final : flight.full) + own.delay;
    due_.push(flight.next_start + under_way, {place, way, 0, Due::What::data, final});
    flight.next_start += flight.hold;
    ++events_;  // its timer
  }

  void handle(Due due, Tick tick, std::vector<Arrival>& arrivals) {
    switch (due.what) {
      case Due::What::data:
      case Due::What::reply:
        ++events_;
        move(due, tick, arrivals);
        return;
      case Due::What::ready:
        begin(due.flight, tick);
        return;
      case Due::What::left:
        report(due.flight, true, arrivals);
        return;
      case Due::What::delivered:
        report(due.flight, false, arrivals);
        return;
    }
  }

  /// A packet or reply came to the end of a link: on to the next one, or it is there.
  void move(Due due, Tick tick, std::vector<Arrival>& arrivals) {
    const bool first = due.at == 0 && due.what == Due::What::data;
    const LinkId next = routes_.link(due.route, ++due.at);
    if (next == no_link) {
      if (due.what == Due::What::data) {
        arrive(due, tick, arrivals);
      } else {
        answer(due, arrivals);
      }
      return;
    }
    const Flight& flight = flights_[due.flight];
    const std::uint64_t bytes = due.what == Due::What::reply ? flight.reply : due.final ? flight.final : flight.full;
    const Tick time = link(next).time_for(bytes);
    due_.push(ports_.take(next, tick, time) + time + link(next).delay, due);
    if (first && flight.waiting > 0) {
      const std::uint64_t following = flight.waiting == 1 ? flight.final : flight.full;
      launch(due.flight, fixed_ ? flight.there : route(flight.from, flight.to, following, tick));
    }
  }

  /// A packet came to its node.
  void arrive(Due due, Tick tick, std::vector<Arrival>& arrivals) {
    Flight& flight = flights_[due.flight];
    if (!fixed_) routes_.remove(due.route);
    if (flight.reply > 0) {
      const std::uint32_t back = fixed_ ? flight.back : route(flight.to, flight.from, flight.reply, tick);
      const LinkId own = routes_.link(back, 0);
      const Tick start = ports_.take(own, tick, rules_.hold(link(own), flight.reply));
      const Tick under_way = link(own).time_for(flight.reply) + link(own).delay;
      due_.push(start + under_way, {due.flight, back, 0, Due::What::reply, due.final});
    }
    --under_way_;
    if (--flight.undelivered > 0) return;
    if (rules_.receive_overhead > 0) {
      due_.push(tick + rules_.receive_overhead, {due.flight, 0, 0, Due::What::delivered, false});
    } else {
      report(due.flight, false, arrivals);
    }
  }

  /// A reply came to the sender.
  void answer(const Due& due, std::vector<Arrival>& arrivals) {
    if (!fixed_) routes_.remove(due.route);
    if (--flights_[due.flight].unanswered == 0) report(due.flight, true, arrivals);
  }

  void report(std::uint32_t place, bool acknowledged, std::vector<Arrival>& arrivals) {
    Flight& flight = flights_[place];
    if (!flight.dropped) arrivals.push_back({flight.message, acknowledged});
    if (--flight.unheard > 0) return;
    if (!flight.dropped) flight_of_[flight.message] = no_flight;
    if (fixed_) {
      routes_.remove(flight.there);
      if (flight.reply > 0) routes_.remove(flight.back);
    }
    flights_.remove(place);
  }

  std::shared_ptr<const Topology> topology_;
  WireRules rules_;
  bool fixed_;
  Random random_;
  Ports ports_;
  RouteTable routes_;
  Pool<Flight> flights_;
  std::vector<std::uint32_t> flight_of_;  // of each id of a message that may still be heard of
  TickQueue<Due> due_;
  std::uint64_t under_way_ = 0;  // packets
  Path path_;
};

}  // namespace

std::unique_ptr<Transport> make_packets(const TransportSpec& spec) {
  const std::vector<Link>& links = spec.topology->links();
  for (const Link& link : links) {
    if (link.kind == 0 && link.ports != 1) throw InputError("packets: the link that leaves a node must have one port");
  }
  return std::make_unique<Packets>(spec);
}

}  // namespace schedlab
