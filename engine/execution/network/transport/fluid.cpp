#include "execution/network/transport/fluid.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// A flow that ends within this part of a tick ends at it: rounding must not cost a whole tick.
constexpr double rounding_ticks = 1e-6;
constexpr double longest_ticks = 4e18;

/// What a link takes when each packet takes it for a whole number of ticks, which may be rounded down: a message alone
/// must not take longer as a flow than as packets.
double capacity_of(const Link& link, const WireRules& rules, bool leaves_node) {
  double ticks_per_byte = link.ticks_per_byte;
  if (leaves_node && rules.injection > 0.0) {
    ticks_per_byte = std::max(ticks_per_byte, ticks_per_second / rules.injection);
  }
  double most = 1.0 / ticks_per_byte;
  for (const std::uint32_t header : {rules.put_header, rules.get_header}) {
    const std::uint64_t packet = std::uint64_t{rules.packet} + header;
    const Tick ticks = leaves_node ? rules.hold(link, packet) : link.time_for(packet);
    if (ticks > 0) most = std::max(most, static_cast<double>(packet) / static_cast<double>(ticks));
  }
  return link.ports * most;
}

std::vector<double> capacities_of(const Topology& topology, const WireRules& rules) {
  constexpr std::uint16_t host_out = 0;  // place in the kinds of links
  std::vector<double> capacities;
  capacities.reserve(topology.links().size());
  for (const Link& link : topology.links()) capacities.push_back(capacity_of(link, rules, link.kind == host_out));
  return capacities;
}

/// Draws routes, and knows how full links are. Flows have no queues: a byte waits for one packet of each of the others,
/// as far as the link is taken.
class RouteByLoad final : public RouteChoice {
 public:
  RouteByLoad(const MaxMin& rates, std::uint64_t packet, Random& random)
      : rates_(&rates), packet_(static_cast<double>(packet)), random_(&random) {}

  [[nodiscard]] double backlog(LinkId link) const override {
    const double taken = rates_->load(link) / rates_->capacity(link);
    return taken * packet_ / rates_->capacity(link) * static_cast<double>(rates_->flows_on(link));
  }
  std::uint32_t draw(std::uint32_t n) override { return random_->below(n); }

 private:
  const MaxMin* rates_;
  double packet_;
  Random* random_;
};

}  // namespace

Fluid::Fluid(const TransportSpec& spec)
    : topology_(spec.topology),
      rules_(spec.rules),
      random_(spec.seed),
      pipeline_(spec.rules),
      rates_(capacities_of(*spec.topology, spec.rules), spec.accuracy) {
  const bool in_range = spec.accuracy >= 0.0 && spec.accuracy < 1.0;  // no NaN either
  if (!in_range) throw InputError("accuracy: must be from 0 up to below 1 (is " + std::to_string(spec.accuracy) + ")");
  carried_.assign(topology_->links().size(), 0.0);
}

std::uint32_t Fluid::send(MessageId message, std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Tick now) {
  now_ = now;
  RouteByLoad choice(rates_, std::uint64_t{rules_.packet} + rules_.header(bytes), random_);
  topology_->route(from, to, choice, there_);
  topology_->route(to, from, choice, back_);
  const AloneTimes alone = pipeline_.times(topology_->links(), there_, back_, bytes);
  const auto hops = static_cast<std::uint32_t>(there_.size()) - 2;

  if (message >= flows_.size()) flows_.resize(message + std::size_t{1});
  Flow& flow = flows_[message];
  flow.order = sent_++;
  flow.on_the_wire = static_cast<double>(rules_.on_the_wire(bytes));
  const auto replies = static_cast<double>(rules_.packets(bytes) * rules_.reply(bytes));
  const double back_share = flow.on_the_wire > 0.0 ? replies / flow.on_the_wire : 0.0;
  if (back_share == 0.0) back_.clear();
  rates_.set_way(message, there_, back_, back_share);
  // Where a node hands over slowly, its last packet arrives before the node could hand over another one.
  const Tick under_way = alone.delivered - rules_.send_overhead - rules_.receive_overhead;
  flow.whole = flow.left = std::min(flow.on_the_wire, rates_.most(message) * static_cast<double>(under_way));
  const Tick flowing =
      rules_.send_overhead + static_cast<Tick>(std::ceil(flow.left / rates_.most(message) - rounding_ticks));
  flow.delivered = std::max<Tick>(0, alone.delivered - flowing);
  flow.acknowledged = std::max<Tick>(0, alone.acknowledged - flowing);
  if (rules_.send_overhead == 0) {
    begin(message, now);
  } else {
    flow.stage = Stage::waiting;
    due_.push(now + rules_.send_overhead, {message, flow.drops, What::begin});
  }
  return hops;
}

void Fluid::begin(MessageId message, Tick now) {
  Flow& flow = flows_[message];
  flow.stage = Stage::flowing;
  flow.updated = now;
  rates_.begin(message);
  set_rate(message, now);
}

void Fluid::end(MessageId message, Tick now) {
  Flow& flow = flows_[message];
  finishes_.remove(message);
  update(flow, now);
  add_carried(message, flow.left, carried_);
  flow.stage = Stage::absent;
  rates_.end(message);
}

Tick Fluid::next_time() {
  if (rates_.unsolved()) return now_;
  return std::min(finishes_.next_tick(), due_.next_tick());
}

Tick Fluid::advance(Tick limit, std::vector<Arrival>& arrivals) {
  const std::size_t before = arrivals.size();
  for (Tick tick = next_time(); tick <= limit && tick != never_tick; tick = next_time()) {
    now_ = tick;
    while (finishes_.next_tick() <= tick) {
      const MessageId message = finishes_.next_flow();
      Flow& flow = flows_[message];
      flow.left = 0.0;
      end(message, tick);
      due_.push(tick + flow.delivered, {message, flow.drops, What::delivered});
      due_.push(tick + flow.acknowledged, {message, flow.drops, What::acknowledged});
    }
    while (due_.next_tick() == tick) {
      const Due due = due_.pop();
      if (due.drops != flows_[due.message].drops) continue;
      if (due.what == What::begin) {
        begin(due.message, tick);
        continue;
      }
      ++events_;
      arrivals.push_back({due.message, due.what == What::acknowledged});
    }
    // What arrived may be answered at this very tick: that and all changes of now are solved together.
    if (arrivals.size() > before) return tick;
    if (!rates_.unsolved()) continue;
    for (const FlowId flow : rates_.solve()) set_rate(flow, tick);
#ifdef SCHEDLAB_VALIDATE
    rates_.validate();
#endif
  }
  if (limit != never_tick) now_ = limit;
  return limit;
}

void Fluid::set_rate(MessageId message, Tick now) {
  Flow& flow = flows_[message];
  update(flow, now);
  flow.rate = rates_.rate(message);
  const double ticks = flow.rate > 0.0 ? std::ceil(flow.left / flow.rate - rounding_ticks) : longest_ticks;
  const bool ends = ticks < longest_ticks;
  finishes_.set(message, ends ? now + std::max<Tick>(0, static_cast<Tick>(ticks)) : never_tick, flow.order);
}

void Fluid::update(Flow& flow, Tick now) {
  flow.left = std::max(0.0, flow.left - flow.rate * static_cast<double>(now - flow.updated));
  flow.updated = now;
}

/// Its flow ends at the tick of the last call of `send` or `advance`, and leaves its share to others.
void Fluid::drop(MessageId message) {
  if (message >= flows_.size()) return;
  Flow& flow = flows_[message];
  ++flow.drops;
  if (flow.stage == Stage::flowing) end(message, now_);
  flow.stage = Stage::absent;
}

void Fluid::add_carried(MessageId message, double left, std::vector<double>& carried) const {
  const Flow& flow = flows_[message];
  const double bytes = left > 0.0 ? flow.on_the_wire * (1.0 - left / flow.whole) : flow.on_the_wire;
  rates_.for_each_link(message, [&](LinkId link, double share) { carried[link] += share * bytes; });
}

const std::vector<double>& Fluid::carried() const {
  shown_ = carried_;
  for (MessageId message = 0; message < flows_.size(); ++message) {
    const Flow& flow = flows_[message];
    if (flow.stage != Stage::flowing) continue;
    const double since = flow.rate * static_cast<double>(now_ - flow.updated);
    add_carried(message, std::max(0.0, flow.left - since), shown_);
  }
  return shown_;
}

void Fluid::shift(Tick by) {
  finishes_.shift(by);
  due_.shift(by);
  for (Flow& flow : flows_) {
    if (flow.stage != Stage::flowing) continue;
    flow.updated -= by;
  }
  now_ = std::max<Tick>(now_ - by, 0);
}

void Fluid::archive(Archive& archive) {
  archive(events_, carried_, random_, rates_, flows_, finishes_, due_, sent_, now_);
}

std::unique_ptr<Transport> make_fluid(const TransportSpec& spec) { return std::make_unique<Fluid>(spec); }

}  // namespace schedlab
