// Programs run without times, to learn what they send.
#include "execution/network/phase/pattern.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "execution/network/ranks/message_runs.hpp"

namespace schedlab {

namespace {

/// Every message takes one tick.
class StepTransport final : public Transport {
 public:
  std::uint32_t send(MessageId message, std::uint32_t /*from*/, std::uint32_t /*to*/, std::uint64_t /*bytes*/,
                     Tick now) override {
    due_ = now + 1;  // all that are on their way were sent at the same tick
    sent_.push_back(message);
    return 0;
  }
  [[nodiscard]] Tick next_time() override { return sent_.empty() ? never_tick : due_; }
  Tick advance(Tick limit, std::vector<Arrival>& arrivals) override {
    if (sent_.empty() || due_ > limit) return limit;
    for (const MessageId message : sent_) {
      arrivals.push_back({message, false});
      arrivals.push_back({message, true});
    }
    sent_.clear();
    return due_;
  }
  void drop(MessageId message) override { std::erase(sent_, message); }
  void shift(Tick by) override { due_ -= by; }
  [[nodiscard]] std::unique_ptr<Transport> clone() const override { return std::make_unique<StepTransport>(*this); }
  void archive(Archive& archive) override { archive(due_, sent_); }

 private:
  Tick due_ = 0;
  std::vector<MessageId> sent_;
};

class PatternObserver final : public TrafficObserver {
 public:
  explicit PatternObserver(const JobApplication& job) : ranks_(job.ranks), job_(job.job) { pattern_.ranks = job.ranks; }

  void computed(std::uint32_t rank, double seconds, Tick now) override {
    Computing& own = ranks_[rank];
    own.seconds = own.phase == now ? own.seconds + seconds : seconds;
    own.phase = now;
    PatternPhase& current = phase(now);
    current.compute_seconds = std::max(current.compute_seconds, own.seconds);
    pattern_.mean_compute_seconds += seconds / static_cast<double>(ranks_.size());
  }
  void sent(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Tick now) override {
    phase(now).flows.push_back({from, to, 1, bytes});
  }
  void used_files(std::uint32_t /*rank*/, std::uint64_t bytes, Tick now) override {
    phase(now).file_bytes += static_cast<double>(bytes);
  }

  Pattern take() {
    for (PatternPhase& each : pattern_.phases) merge(each.flows);
    return std::move(pattern_);
  }

 private:
  static constexpr std::size_t most_phases = 1'000'000;

  struct Computing {
    Tick phase = -1;
    double seconds = 0.0;
  };

  PatternPhase& phase(Tick now) {
    const auto place = static_cast<std::size_t>(now);
    if (place >= most_phases) {
      throw ApplicationError("job " + std::to_string(job_) + ": its application exchanges messages more than " +
                             std::to_string(most_phases) +
                             " times in one pass; mark it as iterative, or choose another fidelity than phase");
    }
    if (place >= pattern_.phases.size()) pattern_.phases.resize(place + 1);
    return pattern_.phases[place];
  }

  static void merge(std::vector<PatternFlow>& flows) {
    std::sort(flows.begin(), flows.end(), [](const PatternFlow& a, const PatternFlow& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    std::size_t kept = 0;
    for (const PatternFlow& flow : flows) {
      if (kept > 0 && flows[kept - 1].from == flow.from && flows[kept - 1].to == flow.to) {
        flows[kept - 1].messages += flow.messages;
        flows[kept - 1].bytes += flow.bytes;
      } else {
        flows[kept++] = flow;
      }
    }
    flows.resize(kept);
  }

  std::vector<Computing> ranks_;
  std::int64_t job_;
  Pattern pattern_;
};

}  // namespace

Pattern pattern_of(std::unique_ptr<Program> program, const JobApplication& job, const std::string& collectives) {
  PatternObserver observer(job);
  MessageRunsSpec spec;
  spec.transport.rules.memory_delay = 1;  // also of a rank to itself
  spec.transport.rules.memory_ticks_per_byte = 0.0;
  spec.collectives = collectives;
  MessageRuns runs(spec, std::make_unique<StepTransport>(), &observer);
  std::vector<std::uint32_t> nodes(job.ranks);
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) nodes[rank] = rank;
  const Program& running = *program;
  runs.start(0, job, std::move(program), std::move(nodes), 0);
  std::vector<Slot> ended;
  auto budget = std::numeric_limits<std::uint64_t>::max();
  runs.advance(never, budget, ended);
  Pattern pattern = observer.take();
  pattern.of_one_job = running.looked_at_job();
  return pattern;
}

}  // namespace schedlab
