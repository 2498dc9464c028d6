// Messages as flows that share links fairly.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "execution/network/transport/finish_queue.hpp"
#include "execution/network/transport/max_min.hpp"
#include "execution/network/transport/pipeline.hpp"
#include "execution/network/transport/tick_queue.hpp"
#include "execution/network/transport/transport.hpp"

namespace schedlab {

/// A message is a flow of its bytes and headers over all links of its way at once, at its max-min fair rate; its
/// replies load the way back as it goes. When all is carried, the message is delivered after what its way takes beyond
/// that: a message that never has to share arrives when the packets of one alone do. Without replies the sender
/// continues when all is carried.
///
/// With an accuracy above 0 rates are nearly fair: each flow has all that its way could take, or is held up by a link
/// that is full except for at most this share, on which no flow is faster by more than about twice this share. Replies
/// may fill a link beyond what it can carry by this share at most. A message that need not share is exact. Rates far
/// from a change are left as they are; an accuracy of 0 leaves nothing out, and takes long where many thousands of
/// flows depend on each other.
class Fluid final : public Transport {
 public:
  explicit Fluid(const TransportSpec& spec);

  std::uint32_t send(MessageId message, std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Tick now) override;
  [[nodiscard]] Tick next_time() override;
  Tick advance(Tick limit, std::vector<Arrival>& arrivals) override;
  void drop(MessageId message) override;
  void shift(Tick by) override;
  [[nodiscard]] const std::vector<double>& carried() const override;
  [[nodiscard]] std::unique_ptr<Transport> clone() const override { return std::make_unique<Fluid>(*this); }
  void archive(Archive& archive) override;

 private:
  enum class Stage : std::uint8_t { absent, waiting, flowing };  // waiting: for the software of its sender
  enum class What : std::uint8_t { begin, delivered, acknowledged };

  /// Numbered by the message; one that is carried in full is none any more.
  struct Flow {
    Stage stage = Stage::absent;
    std::uint32_t drops = 0;  // of messages of this number: what is due of them is due to nobody
    std::uint64_t order = 0;
    double on_the_wire = 0.0;
    double whole = 0.0;  // bytes that take as long as the message at most; all on the wire, as a rule
    double left = 0.0;   // of them
    double rate = 0.0;
    Tick updated = 0;       // when `left` was left
    Tick delivered = 0;     // after the end of the flow,
    Tick acknowledged = 0;  // both

    void archive(Archive& archive) {
      archive(stage, drops, order, on_the_wire, whole, left, rate, updated, delivered, acknowledged);
    }
  };
  struct Due {
    MessageId message;
    std::uint32_t drops;
    What what;

    void archive(Archive& archive) { archive(message, drops, what); }
  };

  void begin(MessageId message, Tick now);
  void end(MessageId message, Tick now);
  void add_carried(MessageId message, double left, std::vector<double>& carried) const;
  void set_rate(MessageId message, Tick now);
  void update(Flow& flow, Tick now);

  std::shared_ptr<const Topology> topology_;
  WireRules rules_;
  Random random_;
  Pipeline pipeline_;
  MaxMin rates_;
  std::vector<Flow> flows_;
  FinishQueue finishes_;
  TickQueue<Due> due_;
  std::uint64_t sent_ = 0;
  Tick now_ = 0;

  // ---- memory that is used again
  Path there_;
  Path back_;
  mutable std::vector<double> shown_;
};

}  // namespace schedlab
