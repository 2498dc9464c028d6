// The machine below its nodes, as a simulation sees it: sockets, states of nodes, power, caps, prices, temperatures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/data_board.hpp"
#include "base/series.hpp"
#include "execution/execution.hpp"
#include "execution/platform/least_power.hpp"
#include "execution/platform/node_states.hpp"
#include "execution/platform/platform_spec.hpp"
#include "execution/platform/power_caps.hpp"
#include "execution/platform/sockets.hpp"
#include "execution/platform/thermal.hpp"

namespace schedlab {

/// What happens to a platform from outside, but failures.
struct PowerConditions {
  std::vector<PowerCap> caps;
  Series price;   // money per kWh
  Series carbon;  // g per kWh
  SwitchOff switch_off;
  ThermalSpec thermal;
};

/// Joules by where they went.
struct Energy {
  double jobs = 0.0;
  double idle = 0.0;
  double transitions = 0.0;
  double sleeping = 0.0;
  double off = 0.0;

  [[nodiscard]] double sum() const { return jobs + idle + transitions + sleeping + off; }
  void add(const Energy& other) {
    jobs += other.jobs;
    idle += other.idle;
    transitions += other.transitions;
    sleeping += other.sleeping;
    off += other.off;
  }
};

/// A cap under which a job can never start.
struct CapTooLow {
  std::uint32_t group = PowerCap::whole_machine;
  double needed = 0.0;  // watts, at least
  double most = 0.0;    // that the cap ever allows from now on
};

struct NodeReport {
  Energy energy;
  double core_seconds = 0.0;  // of active cores
  std::array<double, node_states> seconds{};
};

/// Names of the numbers and tables that a platform publishes; they come first on the board.
std::vector<std::string> platform_numbers(const PlatformSpec& spec, const PowerConditions& conditions);
std::vector<std::string> platform_tables(const PowerConditions& conditions);

/// Jobs run on sockets, which say when their tasks end.
class Platform final : public Execution {
 public:
  /// Where `nodes_fail`, jobs have attempts, each a part of their work.
  Platform(PlatformSpec spec, const Machine& machine, PowerConditions conditions, std::size_t core_type,
           bool nodes_fail);

  // ---- what happens
  /// From now on power counts.
  void open(Time now);
  /// Gives the job cores on its nodes, wakes those that rest, and returns when all of them are on.
  [[gnu::noinline]] Time hold(Slot slot, const JobTable& jobs, Time now) override;
  /// Where the job runs an application, its tasks continue until that ends.
  [[gnu::noinline]] Time begin(Slot slot, JobTable& jobs, Time now) override;
  [[gnu::noinline]] JobState stop(Slot slot, JobTable& jobs, Time now) override;
  [[nodiscard]] Time work_done(Slot slot, const JobTable& jobs, Time now) const override;
  void forget(Slot slot) override { sockets_.forget(slot); }
  /// Tasks on a socket end, and with them the jobs whose last ones they are.
  void handle(std::uint32_t socket, Time now, std::vector<Slot>& ended) override {
    sockets_.finish_due(socket, now, ended);
  }
  /// Jobs with applications whose speed `settle` changed since this was asked for last.
  [[nodiscard]] std::vector<Slot> take_changed_speeds() { return sockets_.take_changed_speeds(); }
  /// How long a job takes that says what it does, alone on the first type of processors; none where it does not.
  [[nodiscard]] std::optional<Time> alone_time(const JobSpec& job, const std::vector<std::string>& attributes) const;
  void fail(std::uint32_t node, Time now) { states_.fail(node, now); }
  void repair(std::uint32_t node, Time now) { states_.repair(node, now); }
  /// What a policy asks for: a node no faster than a step; a node to rest; a node to wake.
  void set_step(std::uint32_t node, std::uint32_t step, Time now);
  /// A cap may keep it from going faster, from resting and from waking, where that takes power. `rest` is false where
  /// the node could not rest without caps, either.
  bool rest(std::uint32_t node, NodeState state, Time now);
  void wake(std::uint32_t node, Time now);

  /// When a node changes its state by itself, or a cap changes.
  [[nodiscard]] Time next_time() const override;
  /// When temperatures are worked out next; that calls no scheduler.
  [[nodiscard]] Time next_update() const { return thermal_.next_update(); }
  void advance_to(Time now);

  /// Speeds and power follow what changed; the next ends of tasks are due.
  std::span<const ExecutionDue> settle(Time now) override;
  [[nodiscard]] bool is_void(std::uint32_t socket, std::uint32_t version) const override {
    return sockets_.is_void(socket, version);
  }
  void publish(Time now, DataBoard& board) const override;

  // ---- questions
  [[nodiscard]] const PlatformSpec& spec() const { return sockets_.spec(); }
  [[nodiscard]] const Sockets& sockets() const { return sockets_; }
  [[nodiscard]] const NodeStates& states() const { return states_; }
  [[nodiscard]] const PowerCaps& caps() const { return caps_; }
  [[nodiscard]] const PowerConditions& conditions() const { return conditions_; }
  [[nodiscard]] const Thermal& thermal() const { return thermal_; }
  [[nodiscard]] SocketOrder socket_order() const { return order_; }
  void set_socket_order(SocketOrder order) { order_ = order; }
  /// A cap that will never let the job start, wherever and whenever; none where one might. Nodes may save power in
  /// these ways beside those that the conditions have.
  [[nodiscard]] std::optional<CapTooLow> never_allowed(const Job& job, const Amount* amounts, const NodeSets& node_sets,
                                                       Time now, PowerSavings savings) const;
  /// Whether a cap will refuse the job on whatever nodes it gets, which is then counted. A quick look: where the answer
  /// is no, `allows` may still refuse it.
  bool refuses_anywhere(const Job& job, const Amount* amounts, Time now);
  /// Whether a cap refuses the plain job since it refused one of its size, and nothing was settled meanwhile: for
  /// allocators that place jobs of one size alike.
  bool refuses_again(const Job& job) { return caps_.refuse_again(job.tasks); }
  void remember_refused(const Job& job) { caps_.remember_refused(job.tasks); }
  /// Whether every cap lets the job start on its nodes; a refusal is counted.
  bool allows(const Job& job, const Amount* amounts, Time now);
  [[nodiscard]] double watts() const { return watts_; }
  [[nodiscard]] double node_watts(std::uint32_t node) const { return sockets_.node_watts(node) + states_.watts(node); }
  /// What the node's power grows by with N more active cores; a node at rest must wake for them.
  [[nodiscard]] double added_watts(std::uint32_t node, std::uint32_t cores) const;
  [[nodiscard]] double node_gflops(std::uint32_t node) const { return sockets_.node_gflops(node); }
  [[nodiscard]] double free_bandwidth(std::uint32_t node) const { return sockets_.free_bandwidth(node); }
  /// Whether the bandwidth of all processor types in use is known.
  [[nodiscard]] bool has_bandwidth() const;
  /// Cores of a node that N tasks (at least one) of the job load: all of them where it takes whole nodes.
  [[nodiscard]] std::uint32_t cores(std::uint32_t node, const Job& job, const Amount* amounts,
                                    std::uint32_t tasks) const {
    return job.whole_nodes ? sockets_.cores(node) : static_cast<std::uint32_t>(amounts[core_type_]) * tasks;
  }

  // ---- sums, from the beginning to now
  [[nodiscard]] double joules(Time now) const { return joules_ + watts_ * in_seconds(now - integrated_); }
  [[nodiscard]] double cost(Time now) const { return cost_ + priced(conditions_.price, now); }
  [[nodiscard]] double carbon_grams(Time now) const { return carbon_ + priced(conditions_.carbon, now); }
  [[nodiscard]] double peak_watts(Time now) const {
    return now > integrated_ ? std::max(peak_watts_, watts_) : peak_watts_;
  }
  [[nodiscard]] double cooling_watts() const { return watts_ / thermal_.spec().cooling_performance(); }
  [[nodiscard]] double cooling_joules(Time now) const { return joules(now) / thermal_.spec().cooling_performance(); }
  [[nodiscard]] NodeReport report(std::uint32_t node, Time now) const;
  [[nodiscard]] Energy energy(Time now) const;
  std::vector<StateInterval>& ended_states() { return states_.ended(); }

  void archive(Archive& archive) override;
  void validate() const override {
    sockets_.validate();
    thermal_.validate();
  }

 private:
  void integrate(Time now);
  void keep_to_caps(Time now);
  void follow_states(Time now);
  void follow_temperatures(Time now);
  [[nodiscard]] std::uint32_t step_of(std::uint32_t node) const;
  void keep_promise(Slot slot);
  [[nodiscard]] double promised(const PowerCap& cap, std::uint32_t step);
  [[nodiscard]] bool leave_room(std::uint32_t node, double more, Time now, bool all = true);
  [[nodiscard]] double watts_under(const PowerCap& cap, std::uint32_t step);
  [[nodiscard]] double priced(const Series& series, Time now) const {
    return series.empty() ? 0.0 : watts_ * series.integral(integrated_, now) / 3.6e6;
  }
  [[nodiscard]] std::uint32_t slowest(const PowerCap& cap) const;

  Sockets sockets_;
  NodeStates states_;
  PowerConditions conditions_;
  PowerCaps caps_;
  LeastPower least_power_;
  double least_of_core_ = 0.0;  // watts that it adds under the first cap
  Thermal thermal_;
  std::size_t core_type_;
  bool nodes_fail_;
  SocketOrder order_ = SocketOrder::by_number;
  std::vector<std::uint32_t> requested_steps_;  // per node, by policies
  std::vector<Slot> waiting_;                   // whose nodes are waking: jobs to which their power is promised
  // Nodes, and what a job would add there; empty between calls.
  std::vector<std::pair<std::uint32_t, double>> to_come_;
  std::vector<double> group_watts_;  // as it was settled
  std::vector<double> state_watts_;  // the part of it that is not of sockets
  double watts_ = 0.0;
  Time integrated_ = 0;
  double joules_ = 0.0;
  double cost_ = 0.0;
  double carbon_ = 0.0;
  double peak_watts_ = 0.0;
};

}  // namespace schedlab
