// Messages that never meet: each takes the time that it takes alone.

#include <cstddef>
#include <utility>

#include "execution/network/topology/route_draws.hpp"
#include "execution/network/transport/pipeline.hpp"
#include "execution/network/transport/tick_queue.hpp"
#include "execution/network/transport/transport.hpp"

namespace schedlab {

namespace {

class Analytic final : public Transport {
 public:
  explicit Analytic(const TransportSpec& spec)
      : topology_(spec.topology), rules_(spec.rules), pipeline_(spec.rules), draws_(spec.seed) {
    carried_.assign(topology_->links().size(), 0.0);
  }

  std::uint32_t send(MessageId message, std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Tick now) override {
    topology_->route(from, to, draws_, there_);
    topology_->route(to, from, draws_, back_);
    const AloneTimes times = pipeline_.times(topology_->links(), there_, back_, bytes);
    if (message >= uses_.size()) uses_.resize(message + std::size_t{1}, 0);
    due_.push(now + times.delivered, {message, uses_[message], false});
    due_.push(now + times.acknowledged, {message, uses_[message], true});
    const auto forward = static_cast<double>(rules_.on_the_wire(bytes));
    const auto replies = static_cast<double>(rules_.packets(bytes) * rules_.reply(bytes));
    for (const LinkId link : there_) carried_[link] += forward;
    for (const LinkId link : back_) carried_[link] += replies;
    return static_cast<std::uint32_t>(there_.size()) - 2;
  }

  Tick next_time() override { return due_.next_tick(); }

  Tick advance(Tick limit, std::vector<Arrival>& arrivals) override {
    const std::size_t before = arrivals.size();
    for (Tick tick = due_.next_tick(); tick <= limit && tick != never_tick; tick = due_.next_tick()) {
      while (due_.next_tick() == tick) {
        const Due due = due_.pop();
        if (due.use != uses_[due.message]) continue;
        ++events_;
        arrivals.push_back({due.message, due.acknowledged});
      }
      if (arrivals.size() > before) return tick;
    }
    return limit;
  }

  void drop(MessageId message) override {
    if (message < uses_.size()) ++uses_[message];
  }

  void shift(Tick by) override { due_.shift(by); }

  [[nodiscard]] std::unique_ptr<Transport> clone() const override { return std::make_unique<Analytic>(*this); }

  void archive(Archive& archive) override { archive(events_, carried_, draws_, uses_, due_); }

 private:
  struct Due {
    MessageId message;
    std::uint32_t use;  // of its id: what is due of a message that was dropped is due to nobody
    bool acknowledged;

    void archive(Archive& archive) { archive(message, use, acknowledged); }
  };

  std::shared_ptr<const Topology> topology_;
  WireRules rules_;
  Pipeline pipeline_;
  RouteDraws draws_;
  std::vector<std::uint32_t> uses_;  // of each id: how many messages of it were dropped
  TickQueue<Due> due_;
  Path there_;
  Path back_;
};

}  // namespace

std::unique_ptr<Transport> make_analytic(const TransportSpec& spec) { return std::make_unique<Analytic>(spec); }

}  // namespace schedlab
