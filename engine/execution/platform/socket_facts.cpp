// What a platform's sockets are asked: power, speeds and sums, as they are or as they would be.
#include <algorithm>
#include <cstddef>
#include <limits>

#include "execution/platform/sockets.hpp"

namespace schedlab {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void Sockets::count_alike() {
  alike_.clear();
  for (const Kind& kind : kinds_) {
    const std::size_t cores = spec_.processors[kind.processor].cores;
    alike_.emplace_back(kind.levels.size(), std::vector<std::int64_t>(cores + 1));
  }
  counted_.assign(sockets_.size(), {});
  for (std::uint32_t socket = 0; socket < sockets_.size(); ++socket) count_anew(socket);
}

void Sockets::count_anew(std::uint32_t index) {
  const Socket& socket = sockets_[index];
  Counted& counted = counted_[index];
  auto& of_kind = alike_[socket.kind];
  if (counted.on) --of_kind[counted.requested_step][counted.active];
  counted = {std::min(socket.requested_step, static_cast<std::uint32_t>(of_kind.size()) - 1), socket.active, socket.on};
  if (counted.on) ++of_kind[counted.requested_step][counted.active];
}

double Sockets::group_watts_at(std::uint32_t group, std::uint32_t step) {
  for (const std::uint32_t socket : touched_) count_anew(socket);
  double sum = 0.0;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (kinds_[kind].group != group) continue;
    for (std::uint32_t requested_step = 0; requested_step < alike_[kind].size(); ++requested_step) {
      const auto& by_cores = alike_[kind][requested_step];
      for (std::uint32_t active = 0; active < by_cores.size(); ++active) {
        if (by_cores[active] == 0) continue;
        sum += static_cast<double>(by_cores[active]) * watts(kinds_[kind], std::max(requested_step, step), active);
      }
    }
  }
  return sum;
}

double Sockets::mean_clock() const {
  return active_cores_ > 0 ? clock_sum_ / static_cast<double>(active_cores_) : nothing;
}

double Sockets::mean_speed() const {
  return active_cores_ > 0 ? speed_sum_ / static_cast<double>(active_cores_) : nothing;
}

double Sockets::node_watts(std::uint32_t node) const {
  double sum = 0.0;
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    const Socket& socket = sockets_[index];
    if (socket.on) sum += watts(kinds_[socket.kind], socket.step, socket.active);
  }
  return sum;
}

std::uint32_t Sockets::cores(std::uint32_t node) const {
  std::uint32_t sum = 0;
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    sum += processor(sockets_[index]).cores;
  }
  return sum;
}

double Sockets::node_watts_at(std::uint32_t node, std::uint32_t step) const {
  double sum = 0.0;
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    const Socket& socket = sockets_[index];
    const Kind& kind = kinds_[socket.kind];
    if (socket.on) sum += watts(kind, std::max(step, group_step_[kind.group]), socket.active);
  }
  return sum;
}

double Sockets::node_watts_with(std::uint32_t node, std::uint32_t cores, SocketOrder order, std::uint32_t step) const {
  double sum = 0.0;
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    const Socket& socket = sockets_[index];
    sum += watts(kinds_[socket.kind], std::max(socket.requested_step, step), socket.active);
  }
  distribute(node, cores, order, [&](std::uint32_t index, std::uint32_t some) {
    const Socket& socket = sockets_[index];
    const std::uint32_t at = std::max(socket.requested_step, step);
    sum += watts(kinds_[socket.kind], at, socket.active + some) - watts(kinds_[socket.kind], at, socket.active);
  });
  return sum;
}

/// Added up from what changes, rather than as a difference of sums, in which rounding shows.
double Sockets::node_watts_added(std::uint32_t node, std::uint32_t cores, SocketOrder order, std::uint32_t step) const {
  double sum = 0.0;
  distribute(node, cores, order, [&](std::uint32_t index, std::uint32_t some) {
    const Socket& socket = sockets_[index];
    const Kind& kind = kinds_[socket.kind];
    const Level& level =
        kind.levels[std::min<std::size_t>(std::max(socket.requested_step, step), kind.levels.size() - 1)];
    sum += level.core_watts * some + (socket.active == 0 ? level.shared_watts - level.idle_watts : 0.0);
  });
  return sum;
}

double Sockets::gflops(const Socket& socket) const {
  const ProcessorType& type = processor(socket);
  const Level& level = kinds_[socket.kind].levels[socket.step];
  const double full = type.operations_per_second / 1e9 * level.factor;
  if (!type.contends || socket.active == 0) return full;
  const double total = total_rate(socket) * level.factor;
  double speeds = 0.0;  // anew: speeds are settled only when all starts of a moment are known
  for (const std::uint32_t index : socket.shares) {
    const Share& share = shares_[index];
    speeds += share.cores * type.contention.speed(share.rate * level.factor, total, socket.active - 1.0);
  }
  return full * speeds / socket.active;
}

double Sockets::node_gflops(std::uint32_t node) const {
  double best = 0.0;
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    if (sockets_[index].held < processor(sockets_[index]).cores) best = std::max(best, gflops(sockets_[index]));
  }
  return best;
}

double Sockets::free_bandwidth(std::uint32_t node) const {
  double best = -std::numeric_limits<double>::infinity();
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    const Socket& socket = sockets_[index];
    if (socket.held < processor(socket).cores) best = std::max(best, processor(socket).bandwidth - total_rate(socket));
  }
  return best;
}

double Sockets::joules(Slot slot, Time now) const {
  const OfJob& job = jobs_[slot];
  double sum = job.joules;
  for (const std::uint32_t index : job.shares) {
    sum += share_joules_[index];
    const Socket& socket = sockets_[shares_[index].socket];
    if (shares_[index].finish == never && !shares_[index].endless) continue;  // it has ended, or not begun
    sum += shares_[index].cores * socket.core_watts * in_seconds(now - socket.updated);
  }
  return sum;
}

double Sockets::part_done(Slot slot, Time now) const {
  if (!jobs_[slot].begun) return 0.0;
  double least = 1.0;
  for (const std::uint32_t index : jobs_[slot].shares) {
    const Share& share = shares_[index];
    if (share.finish == never || share.work <= 0.0) continue;  // it has ended
    const auto passed = static_cast<double>(now - sockets_[share.socket].updated);
    least = std::min(least, 1.0 - std::max(0.0, share.work_left - passed * share.speed) / share.work);
  }
  return least;
}

Sockets::Account Sockets::account(std::uint32_t node, Time now) const {
  Account sum;
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    const Socket& socket = sockets_[index];
    const double seconds = in_seconds(now - socket.updated);
    const double pending = socket.watts * seconds;
    sum.job_joules += socket.account.job_joules + (socket.active > 0 ? pending : 0.0);
    sum.idle_joules += socket.account.idle_joules + (socket.active > 0 ? 0.0 : pending);
    sum.core_seconds += socket.account.core_seconds + socket.active * seconds;
  }
  return sum;
}

double Sockets::node_joules(std::uint32_t node, Time now) const {
  double sum = 0.0;
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    const Socket& socket = sockets_[index];
    sum += socket.account.job_joules + socket.account.idle_joules + socket.watts * in_seconds(now - socket.updated);
  }
  return sum;
}

}  // namespace schedlab
