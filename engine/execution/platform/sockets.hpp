// What runs on which socket, how fast it goes there, and what power it takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "execution/execution.hpp"
#include "execution/platform/platform_spec.hpp"
#include "jobs/job.hpp"
#include "machine/machine.hpp"

namespace schedlab {

/// What a job does on each of its cores.
struct Work {
  double instructions = 0.0;  // 0: it takes its run time, on every processor at its nominal clock
  double ipc = 1.0;
  double memory_volume = 0.0;  // MB
  Time run = 0;

  /// Nanoseconds that it takes alone at the nominal clock.
  [[nodiscard]] double alone(const ProcessorType& processor) const {
    if (instructions <= 0.0) return static_cast<double>(run);
    return instructions / (ipc * processor.operations_per_second) * static_cast<double>(second);
  }
};

constexpr std::size_t most_sockets = 1024;  // of a node; system files are held to it

/// The cores of a job on one socket are a share: all go at one speed, and end together. Changes are noted as they come;
/// `settle` then works out speeds, power and the next end of every socket that was touched, once for all changes of a
/// moment.
class Sockets {
 public:
  Sockets(PlatformSpec spec, const Machine& machine);

  // ---- what happens
  /// From now on power counts.
  void begin(Time now);
  /// Gives a job cores of a node.
  void hold(Slot slot, std::uint32_t node, std::uint32_t cores, SocketOrder order);
  /// Lets the tasks of a job begin. The attempt is this part of the job's work, or lasts until the job is released.
  void run(Slot slot, const Work& work, double part, bool endless, Time now);
  /// Ends the shares of the socket that are due, and adds the jobs that ended with them to `ended`.
  void finish_due(std::uint32_t socket, Time now, std::vector<Slot>& ended);
  /// Takes a job off all its sockets.
  void release(Slot slot, Time now);
  /// Whether the node's sockets take power; nothing may run on one that is not on.
  void set_on(std::uint32_t node, bool on, Time now);
  /// The node goes no faster than at this step of its processors, where they have it, else at their last.
  void set_step(std::uint32_t node, std::uint32_t step, Time now);
  /// Likewise all nodes of a group.
  void set_group_step(std::uint32_t group, std::uint32_t step, Time now);
  [[nodiscard]] const std::vector<std::uint32_t>& group_steps() const { return group_step_; }
  /// The job's slot will be another's.
  void forget(Slot slot) {
    if (slot < jobs_.size()) jobs_[slot] = {};
  }

  /// Works out what changed; the result is valid until the next call.
  const std::vector<ExecutionDue>& settle(Time now);
  /// Jobs without an end of their own whose speed changed since this was asked for last.
  [[nodiscard]] std::vector<Slot> take_changed_speeds() { return std::exchange(changed_speeds_, {}); }
  /// Calls `visit(node, speed)` for each node of a job that has begun: the speed of the slowest of its shares there.
  template <class Visit>
  void visit_speeds(Slot slot, Visit visit) const {
    std::uint32_t node = 0;
    double slowest = 0.0;
    for (const std::uint32_t index : jobs_[slot].shares) {
      const std::uint32_t of = node_of(shares_[index].socket);
      if (slowest > 0.0 && of != node) visit(node, std::exchange(slowest, 0.0));
      node = of;
      slowest = slowest > 0.0 ? std::min(slowest, shares_[index].speed) : shares_[index].speed;
    }
    if (slowest > 0.0) visit(node, slowest);
  }

  // ---- questions
  [[nodiscard]] const PlatformSpec& spec() const { return spec_; }
  [[nodiscard]] bool is_void(std::uint32_t socket, std::uint32_t version) const {
    return sockets_[socket].version != version;
  }
  [[nodiscard]] bool unsettled() const { return !touched_.empty(); }
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(first_socket_.size() - 1); }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t node) const {
    return kinds_[sockets_[first_socket_[node]].kind].group;
  }
  [[nodiscard]] std::uint32_t cores(std::uint32_t node) const;  // of all its sockets
  [[nodiscard]] const std::vector<double>& group_watts() const { return group_watts_; }
  [[nodiscard]] double mean_clock() const;  // GHz, over active cores; not a number where none is
  [[nodiscard]] double mean_speed() const;
  [[nodiscard]] double node_watts(std::uint32_t node) const;  // of its sockets, by what runs there now
  /// Power of the node, if it were on and went no faster than this step, with N more cores at work.
  [[nodiscard]] double node_watts_with(std::uint32_t node, std::uint32_t cores, SocketOrder order,
                                       std::uint32_t step) const;
  /// By how much that grows with N more cores.
  [[nodiscard]] double node_watts_added(std::uint32_t node, std::uint32_t cores, SocketOrder order,
                                        std::uint32_t step) const;
  /// Power of the node's sockets by what runs there now, if policies let it go at this step.
  [[nodiscard]] double node_watts_at(std::uint32_t node, std::uint32_t step) const;
  /// Calls `visit(node, watts)` for the nodes of a job that waits for its tasks to begin: what they will add there, if
  /// the nodes go no faster than this step.
  template <class Visit>
  void visit_waiting(Slot slot, std::uint32_t step, Visit visit) const {
    std::uint32_t node = 0;
    double sum = 0.0;
    for (const std::uint32_t index : jobs_[slot].shares) {
      const Share& share = shares_[index];
      const Socket& socket = sockets_[share.socket];
      if (share.socket < first_socket_[node] || share.socket >= first_socket_[node + 1]) {
        if (sum > 0.0) visit(node, sum);
        sum = 0.0;
        node = node_of(share.socket);
      }
      const std::uint32_t at = std::max(socket.requested_step, step);
      sum +=
          watts(kinds_[socket.kind], at, socket.active + share.cores) - watts(kinds_[socket.kind], at, socket.active);
    }
    if (sum > 0.0) visit(node, sum);
  }
  /// 10^9 operations per second of a core, at the clock and the mean speed factor of its socket; and MB/s of memory
  /// traffic that what runs leaves. Both of the best socket with a free core; where none has one, 0 and minus infinity.
  [[nodiscard]] double node_gflops(std::uint32_t node) const;
  [[nodiscard]] double free_bandwidth(std::uint32_t node) const;
  [[nodiscard]] std::uint32_t step(std::uint32_t node) const { return sockets_[first_socket_[node]].step; }
  /// Starts counting sockets that are alike, for the next question.
  void count_alike();
  /// Power of all nodes of a group that are on, by what runs there now, if none went faster than this step.
  [[nodiscard]] double group_watts_at(std::uint32_t group, std::uint32_t step);
  [[nodiscard]] std::uint32_t last_step(std::uint32_t group) const { return last_step_[group]; }

  // ---- jobs
  [[nodiscard]] bool has(Slot slot) const { return slot < jobs_.size(); }
  [[nodiscard]] std::size_t count() const { return sockets_.size(); }
  [[nodiscard]] bool begun(Slot slot) const { return jobs_[slot].begun; }
  [[nodiscard]] bool has_ended(Slot slot) const { return begun(slot) && jobs_[slot].unfinished == 0; }
  /// Joules so far; of a job that runs, or was released just now.
  [[nodiscard]] double joules(Slot slot, Time now) const;
  /// Nanoseconds of work of its largest share, alone at the nominal clock; also just after it was released.
  [[nodiscard]] double attempt_work(Slot slot) const { return jobs_[slot].work; }
  /// How much of its work, from 0 to 1, the share has done that has done least.
  [[nodiscard]] double part_done(Slot slot, Time now) const;

  // ---- sums
  struct Account {
    double job_joules = 0.0;
    double idle_joules = 0.0;
    double core_seconds = 0.0;  // of active cores
  };
  [[nodiscard]] Account account(std::uint32_t node, Time now) const;
  [[nodiscard]] double node_joules(std::uint32_t node, Time now) const;

  void archive(Archive& archive);
  /// Throws std::logic_error where a count is wrong.
  void validate() const;

 private:
  /// What sockets of one processor type in one group take and do at each step; a node's base power is spread over its
  /// sockets.
  struct Level {
    double core_watts = 0.0;
    double shared_watts = 0.0;
    double idle_watts = 0.0;
    double clock = 0.0;
    double factor = 1.0;  // of the nominal clock
  };
  struct Kind {
    std::uint32_t group = 0;
    std::uint32_t processor = 0;
    std::vector<Level> levels;
  };
  struct Share {
    Slot slot = no_slot;
    std::uint32_t socket = 0;
    std::uint32_t cores = 0;
    double rate = 0.0;  // of each core alone at the nominal clock, MB/s
    double work = 0.0;
    double work_left = 0.0;  // at the socket's `updated`; below 0, what was done of a share without an end
    double speed = 0.0;      // 0: just begun
    Time finish = never;
    bool endless = false;  // another model says when its job ends

    void archive(Archive& archive) { archive(slot, socket, cores, rate, work, work_left, speed, finish, endless); }
  };
  struct Socket {
    std::uint32_t kind = 0;
    std::uint32_t held = 0;    // cores that jobs have
    std::uint32_t active = 0;  // cores that work
    std::uint32_t settled_active = 0;
    std::uint32_t requested_step = 0;  // step that it may not be faster than
    std::uint32_t step = 0;
    std::uint32_t version = 0;
    bool on = true;
    bool touched = false;
    Time planned = never;  // when a share ends next, by the last plan
    Time updated = 0;
    double watts = 0.0;
    double core_watts = 0.0;  // of an active core, with its part of what they share
    double speed_sum = 0.0;   // over active cores
    Account account;
    std::vector<std::uint32_t> shares;  // that work

    void archive(Archive& archive) {
      archive(kind, held, active, settled_active, requested_step, step, version, on, planned, updated, watts,
              core_watts, speed_sum, account.job_joules, account.idle_joules, account.core_seconds, shares);
    }
  };
  struct Counted {
    std::uint32_t requested_step = 0;
    std::uint32_t active = 0;
    bool on = false;
  };
  struct OfJob {
    std::vector<std::uint32_t> shares;
    std::uint32_t unfinished = 0;
    bool begun = false;
    double work = 0.0;    // of the largest share; of one without an end, what it had done when it was released
    double joules = 0.0;  // of shares that ended

    void archive(Archive& archive) { archive(shares, unfinished, begun, work, joules); }
  };

  void check_saved_shares() const;
  void touch(std::uint32_t socket, Time now);
  void bring_up_to(Socket& socket, Time now);
  void begin_share(std::uint32_t share, Time now);
  void take_off(std::uint32_t share);
  std::uint32_t new_share();
  /// Calls `give(socket, cores)` for each socket of the node that gives some of N cores, in this order.
  template <class Give>
  void distribute(std::uint32_t node, std::uint32_t cores, SocketOrder order, Give give) const;
  [[nodiscard]] double preference(const Socket& socket, SocketOrder order) const;
  [[nodiscard]] double gflops(const Socket& socket) const;
  [[nodiscard]] std::uint32_t node_of(std::uint32_t socket) const {
    const auto after = std::upper_bound(first_socket_.begin(), first_socket_.end(), socket);
    return static_cast<std::uint32_t>(after - first_socket_.begin()) - 1;
  }
  [[nodiscard]] double total_rate(const Socket& socket) const;
  [[nodiscard]] const ProcessorType& processor(const Socket& socket) const {
    return spec_.processors[kinds_[socket.kind].processor];
  }
  [[nodiscard]] double watts(const Kind& kind, std::uint32_t step, std::uint32_t active) const {
    const Level& level = kind.levels[std::min<std::size_t>(step, kind.levels.size() - 1)];
    return active == 0 ? level.idle_watts : level.core_watts * active + level.shared_watts;
  }
  void count_anew(std::uint32_t socket);
  void plan(std::uint32_t socket, Time now);

  PlatformSpec spec_;
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> first_socket_;  // of each node, and the end
  std::vector<Socket> sockets_;
  std::vector<Share> shares_;
  std::vector<double> share_joules_;
  std::vector<std::uint32_t> spare_shares_;
  std::vector<OfJob> jobs_;  // by slot
  std::vector<std::uint32_t> touched_;
  std::vector<ExecutionDue> dues_;
  std::vector<Slot> changed_speeds_;
  std::vector<double> group_watts_;
  std::vector<std::uint32_t> last_step_;  // of any processor of a group
  std::vector<std::uint32_t> group_step_;
  // Once it is asked for: how many sockets that are on have N active cores, by kind, step asked for, cores.
  std::vector<std::vector<std::vector<std::int64_t>>> alike_;
  std::vector<Counted> counted_;  // per socket: where alike_ has it
  std::uint64_t active_cores_ = 0;
  double clock_sum_ = 0.0;  // over active cores
  double speed_sum_ = 0.0;
};

template <class Give>
void Sockets::distribute(std::uint32_t node, std::uint32_t cores, SocketOrder order, Give give) const {
  const std::uint32_t first = first_socket_[node];
  const std::uint32_t end = first_socket_[node + 1];
  const auto offer = [&](std::uint32_t index) {
    const std::uint32_t some = std::min(cores, processor(sockets_[index]).cores - sockets_[index].held);
    if (some > 0) give(index, some);
    cores -= some;
  };
  if (order == SocketOrder::by_number) {
    for (std::uint32_t index = first; index < end && cores > 0; ++index) offer(index);
    return;
  }
  std::array<std::uint64_t, (most_sockets + 63) / 64> offered;  // bit per socket; nodes have a few
  std::fill_n(offered.begin(), (end - first + 63) / 64, std::uint64_t{0});
  for (std::uint32_t left = end - first; left > 0 && cores > 0; --left) {
    std::uint32_t best = end;
    double least = 0.0;
    for (std::uint32_t index = first; index < end; ++index) {
      const std::uint32_t place = index - first;
      const bool had = ((offered[place / 64] >> (place % 64)) & 1U) != 0;
      if (had || sockets_[index].held == processor(sockets_[index]).cores) continue;
      const double value = preference(sockets_[index], order);
      if (best == end || value < least) {
        best = index;
        least = value;
      }
    }
    if (best == end) return;
    offered[(best - first) / 64] |= std::uint64_t{1} << ((best - first) % 64);
    offer(best);
  }
}

}  // namespace schedlab
