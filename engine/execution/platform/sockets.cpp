#include "execution/platform/sockets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/errors.hpp"

namespace schedlab {

namespace {

Time time_needed(double work, double speed) {
  const double length = std::ceil(work / speed);
  return length < 9.0e18 ? static_cast<Time>(length) : never;
}

}  // namespace

Sockets::Sockets(PlatformSpec spec, const Machine& machine)
    : spec_(std::move(spec)),
      group_watts_(spec_.groups.size()),
      last_step_(spec_.groups.size()),
      group_step_(spec_.groups.size()) {
  for (std::uint32_t group = 0; group < spec_.groups.size(); ++group) {
    const NodeType& type = spec_.groups[group];
    std::vector<std::uint32_t> kinds;
    for (const std::uint32_t processor : type.sockets) {
      const auto known = std::find_if(kinds.begin(), kinds.end(),
                                      [&](std::uint32_t kind) { return kinds_[kind].processor == processor; });
      if (known != kinds.end()) {
        kinds.push_back(*known);
        continue;
      }
      Kind kind{group, processor, {}};
      const double base = type.base_watts / static_cast<double>(type.sockets.size());
      const ProcessorType& of = spec_.processors[processor];
      for (const FrequencyStep& step : of.steps) {
        kind.levels.push_back({step.core_watts, step.shared_watts + base, step.idle_watts + base, step.clock,
                               step.clock / of.steps.front().clock});
      }
      last_step_[group] = std::max(last_step_[group], static_cast<std::uint32_t>(of.steps.size()) - 1);
      kinds.push_back(static_cast<std::uint32_t>(kinds_.size()));
      kinds_.push_back(std::move(kind));
    }
    for (std::uint32_t node = 0; node < machine.spec().groups[group].nodes; ++node) {
      first_socket_.push_back(static_cast<std::uint32_t>(sockets_.size()));
      for (const std::uint32_t kind : kinds) {
        sockets_.emplace_back();
        sockets_.back().kind = kind;
        sockets_.back().watts = kinds_[kind].levels[0].idle_watts;
        group_watts_[group] += sockets_.back().watts;
      }
    }
  }
  first_socket_.push_back(static_cast<std::uint32_t>(sockets_.size()));
}

void Sockets::begin(Time now) {
  for (Socket& socket : sockets_) socket.updated = now;
}

void Sockets::touch(std::uint32_t index, Time now) {
  Socket& socket = sockets_[index];
  bring_up_to(socket, now);
  if (std::exchange(socket.touched, true)) return;
  touched_.push_back(index);
}

/// Adds up what happened since the last change, at the speeds and power that were settled then.
void Sockets::bring_up_to(Socket& socket, Time now) {
  if (now == socket.updated) return;
  const Time passed = now - socket.updated;
  const double seconds = in_seconds(passed);
  socket.updated = now;
  if (socket.active == 0) {
    socket.account.idle_joules += socket.watts * seconds;
  } else {
    socket.account.job_joules += socket.watts * seconds;
    socket.account.core_seconds += socket.active * seconds;
  }
  for (const std::uint32_t index : socket.shares) {
    Share& share = shares_[index];
    const double left = share.work_left - static_cast<double>(passed) * share.speed;
    share.work_left = share.endless ? left : std::max(0.0, left);
    share_joules_[index] += share.cores * socket.core_watts * seconds;
  }
}

std::uint32_t Sockets::new_share() {
  if (spare_shares_.empty()) {
    shares_.emplace_back();
    share_joules_.push_back(0.0);
    return static_cast<std::uint32_t>(shares_.size() - 1);
  }
  const std::uint32_t index = spare_shares_.back();
  spare_shares_.pop_back();
  shares_[index] = {};
  share_joules_[index] = 0.0;
  return index;
}

/// Least first.
double Sockets::preference(const Socket& socket, SocketOrder order) const {
  const auto free = static_cast<double>(processor(socket).cores - socket.held);
  if (order == SocketOrder::fullest) return free;
  if (order == SocketOrder::emptiest) return -free;
  if (order == SocketOrder::fastest) return -in_millionths(gflops(socket));
  if (order == SocketOrder::most_bandwidth) return in_millionths(total_rate(socket) - processor(socket).bandwidth);
  if (order == SocketOrder::least_power) return in_millionths(watts(kinds_[socket.kind], socket.step, socket.active));
  return 0.0;
}

void Sockets::hold(Slot slot, std::uint32_t node, std::uint32_t cores, SocketOrder order) {
  if (slot >= jobs_.size()) jobs_.resize(slot + 1);
  OfJob& job = jobs_[slot];
  const auto give = [&](std::uint32_t socket, std::uint32_t some) {
    const std::uint32_t index = new_share();
    shares_[index].slot = slot;
    shares_[index].socket = socket;
    shares_[index].cores = some;
    sockets_[socket].held += some;
    job.shares.push_back(index);
  };
  if (cores == 0) {
    if (job.shares.empty()) give(first_socket_[node], 0);  // it asks for other things alone
    return;
  }
  distribute(node, cores, order, give);
}

void Sockets::run(Slot slot, const Work& work, double part, bool endless, Time now) {
  OfJob& job = jobs_[slot];
  job.begun = true;
  job.work = 0.0;
  job.unfinished = static_cast<std::uint32_t>(job.shares.size());
  for (const std::uint32_t index : job.shares) {
    Share& share = shares_[index];
    const double alone = work.alone(processor(sockets_[share.socket]));
    share.rate = alone > 0.0 ? work.memory_volume / (alone / static_cast<double>(second)) : 0.0;
    share.endless = endless;
    share.work = share.work_left = endless ? 0.0 : alone * part;
    job.work = std::max(job.work, share.work);
    begin_share(index, now);
  }
}

void Sockets::begin_share(std::uint32_t index, Time now) {
  const Share& share = shares_[index];
  touch(share.socket, now);
  Socket& socket = sockets_[share.socket];
  socket.active += share.cores;
  socket.shares.push_back(index);
}

/// The share does nothing any more.
void Sockets::take_off(std::uint32_t index) {
  const Share& share = shares_[index];
  Socket& socket = sockets_[share.socket];
  socket.active -= share.cores;
  socket.shares.erase(std::find(socket.shares.begin(), socket.shares.end(), index));
}

void Sockets::finish_due(std::uint32_t index, Time now, std::vector<Slot>& ended) {
  touch(index, now);
  Socket& socket = sockets_[index];
  socket.planned = never;  // this was the plan
  for (std::size_t i = 0; i < socket.shares.size();) {
    Share& share = shares_[socket.shares[i]];
    if (share.finish > now) {
      ++i;
      continue;
    }
    share.work_left = 0.0;
    share.finish = never;
    take_off(socket.shares[i]);
    if (--jobs_[share.slot].unfinished == 0) ended.push_back(share.slot);
  }
}

void Sockets::release(Slot slot, Time now) {
  OfJob& job = jobs_[slot];
  for (const std::uint32_t index : job.shares) {
    const Share& share = shares_[index];
    Socket& socket = sockets_[share.socket];
    touch(share.socket, now);
    socket.held -= share.cores;
    if (std::find(socket.shares.begin(), socket.shares.end(), index) != socket.shares.end()) take_off(index);
    job.joules += share_joules_[index];
    if (share.endless) job.work = std::max(job.work, -share.work_left);
    spare_shares_.push_back(index);
  }
  job.shares.clear();
  job.unfinished = 0;
  job.begun = false;
}

void Sockets::set_on(std::uint32_t node, bool on, Time now) {
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    if (sockets_[index].on == on) continue;
    touch(index, now);
    sockets_[index].on = on;
  }
}

void Sockets::set_step(std::uint32_t node, std::uint32_t step, Time now) {
  for (std::uint32_t index = first_socket_[node]; index < first_socket_[node + 1]; ++index) {
    if (sockets_[index].requested_step == step) continue;
    touch(index, now);
    sockets_[index].requested_step = step;
  }
}

void Sockets::set_group_step(std::uint32_t group, std::uint32_t step, Time now) {
  if (std::exchange(group_step_[group], step) == step) return;
  for (std::uint32_t index = 0; index < sockets_.size(); ++index) {
    if (kinds_[sockets_[index].kind].group == group) touch(index, now);
  }
}

const std::vector<ExecutionDue>& Sockets::settle(Time now) {
  dues_.clear();
  for (const std::uint32_t socket : touched_) plan(socket, now);
  touched_.clear();
  return dues_;
}

/// Speeds, power and the next end of a socket, by what is on it now.
void Sockets::plan(std::uint32_t index, Time now) {
  Socket& socket = sockets_[index];
  socket.touched = false;
  const Kind& kind = kinds_[socket.kind];
  const std::uint32_t before_step = socket.step;
  socket.step = std::min(std::max(socket.requested_step, group_step_[kind.group]),
                         static_cast<std::uint32_t>(kind.levels.size()) - 1);
  const Level& level = kind.levels[socket.step];

  const double power = socket.on ? watts(kind, socket.step, socket.active) : 0.0;
  group_watts_[kind.group] += power - socket.watts;
  socket.watts = power;
  socket.core_watts = socket.active > 0 ? level.core_watts + level.shared_watts / socket.active : 0.0;

  const ProcessorType& type = processor(socket);
  const double total = type.contends ? total_rate(socket) * level.factor : 0.0;
  const double others = socket.active > 1 ? socket.active - 1.0 : 0.0;
  double speeds = 0.0;
  Time next = never;
  for (const std::uint32_t of : socket.shares) {
    Share& share = shares_[of];
    double speed = level.factor;
    if (type.contends) speed *= type.contention.speed(share.rate * level.factor, total, others);
    if (speed != share.speed) {
      share.speed = speed;
      if (share.endless) {
        if (changed_speeds_.empty() || changed_speeds_.back() != share.slot) changed_speeds_.push_back(share.slot);
      } else {
        share.finish = later(now, time_needed(share.work_left, speed));
        if (share.finish == never) throw SimulationError("a task would run for more than 292 years");
      }
    }
    speeds += speed * share.cores;
    next = std::min(next, share.finish);
  }
  speed_sum_ += speeds - socket.speed_sum;
  socket.speed_sum = speeds;
  clock_sum_ += level.clock * socket.active - kind.levels[before_step].clock * socket.settled_active;
  active_cores_ += socket.active;
  active_cores_ -= socket.settled_active;
  socket.settled_active = socket.active;
  if (active_cores_ == 0) speed_sum_ = clock_sum_ = 0.0;  // no rounding stays

  if (next == socket.planned) return;
  ++socket.version;
  dues_.push_back({next, index, socket.version, std::exchange(socket.planned, next) != never});
}

double Sockets::total_rate(const Socket& socket) const {
  double total = 0.0;
  for (const std::uint32_t index : socket.shares) {
    const Share& share = shares_[index];
    if (share.cores > 0) total += share.rate * share.cores;  // no traffic without cores, not even of an infinite rate
  }
  return total;
}

void Sockets::archive(Archive& archive) {
  archive(sockets_, shares_, share_joules_, spare_shares_, jobs_, group_watts_, group_step_, active_cores_, clock_sum_,
          speed_sum_);
  if (!archive.reading()) return;
  if (sockets_.size() != first_socket_.back() || group_step_.size() != spec_.groups.size()) {
    throw InputError("the saved state is of another machine");
  }
  for (const Socket& socket : sockets_) {
    if (socket.kind >= kinds_.size()) throw InputError("the saved state is of another machine");
  }
  check_saved_shares();
  if (!alike_.empty()) count_alike();
}

void Sockets::check_saved_shares() const {
  const std::size_t groups = spec_.groups.size();
  Archive::require(group_watts_.size() == groups, "the power of a group is missing");
  Archive::require(share_joules_.size() == shares_.size(), "the energy of a job's part is missing");
  enum : std::uint8_t { unused, spare, of_job };
  std::vector<std::uint8_t> use(shares_.size(), unused);
  for (const std::uint32_t index : spare_shares_) {
    Archive::require(index < shares_.size() && use[index] == unused, "a job's part is spare twice");
    use[index] = spare;
  }
  for (Slot slot = 0; slot < jobs_.size(); ++slot) {
    for (const std::uint32_t index : jobs_[slot].shares) {
      const bool sound = index < shares_.size() && use[index] == unused && shares_[index].slot == slot &&
                         shares_[index].socket < sockets_.size();
      Archive::require(sound, "a job's part is not where it should be");
      use[index] = of_job;
    }
  }
  std::vector<bool> works(shares_.size());
  for (std::uint32_t socket = 0; socket < sockets_.size(); ++socket) {
    const Socket& of = sockets_[socket];
    Archive::require(of.step < kinds_[of.kind].levels.size(), "a socket has no such step");
    const std::uint32_t cores = spec_.processors[kinds_[of.kind].processor].cores;
    Archive::require(std::max({of.held, of.active, of.settled_active}) <= cores, "a socket has fewer cores");
    for (const std::uint32_t index : of.shares) {
      const bool sound =
          index < shares_.size() && use[index] == of_job && shares_[index].socket == socket && !works[index];
      Archive::require(sound, "a job's part is not where it should be");
      works[index] = true;
    }
  }
}

void Sockets::validate() const {
  std::vector<std::uint32_t> held(sockets_.size());
  std::vector<std::uint32_t> active(sockets_.size());
  for (const OfJob& job : jobs_) {
    for (const std::uint32_t index : job.shares) held[shares_[index].socket] += shares_[index].cores;
  }
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    for (const std::uint32_t index : sockets_[i].shares) active[i] += shares_[index].cores;
    const bool sound = held[i] == sockets_[i].held && active[i] == sockets_[i].active && active[i] <= held[i] &&
                       held[i] <= processor(sockets_[i]).cores;
    if (!sound) throw std::logic_error("sockets: cores of socket " + std::to_string(i) + " are counted wrong");
  }
}

}  // namespace schedlab
