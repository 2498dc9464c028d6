#include "execution/network/ranks/message_runs.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "execution/network/ranks/phase_runs.hpp"

namespace schedlab {

MessageRuns::MessageRuns(MessageRunsSpec spec, Cloned<Programs> programs)
    : spec_(std::move(spec)),
      programs_(std::move(programs)),
      transport_(make_transport(spec_.transport)),
      files_(spec_.files) {}

MessageRuns::MessageRuns(MessageRunsSpec spec, std::unique_ptr<Transport> transport, TrafficObserver* observer)
    : spec_(std::move(spec)), transport_(std::move(transport)), observer_(observer), files_(spec_.files) {}

// ---------------------------------------------------------------------------------------------------- jobs

void MessageRuns::start(Slot slot, const JobApplication& job, std::vector<std::uint32_t> nodes, Time now) {
  auto program = programs_->make(job);
  std::string failure;
  try {
    if (program->iterations() == 0.0) {
      Patterns patterns(spec_.collectives);
      PhaseModel alone(spec_.transport.topology, spec_.transport.rules, spec_.files.bytes_per_second);
      const double pass_seconds = alone.iteration_seconds(*patterns.of(*program, job), nodes);
      program->set_iterations(patterns.passes(*program, pass_seconds, job));
    }
  } catch (const ApplicationError& error) {
    if (!spec_.errors_fail_jobs) throw;
    failure = error.what();
  }
  start(slot, job, std::move(program), std::move(nodes), now);
  if (!failure.empty()) fail_run(slot, failure);
}

void MessageRuns::start(Slot slot, const JobApplication& job, std::unique_ptr<Program> program,
                        std::vector<std::uint32_t> nodes, Time now) {
  move_epoch(now);
  if (slot >= runs_.size()) runs_.resize(slot + 1);
  Run& run = runs_[slot];
  run = Run{};
  run.running = run.known = true;
  run.serial = ++serials_;
  run.job = job;
  run.live = program->ranks();
  run.ranks.resize(run.live);
  run.communicators.resize(1);
  run.program = std::move(program);
  run.nodes = std::move(nodes);
  run.began = now_ = std::max(now_, tick_of(now));
  ++running_;
  if (running_ > 1) {
    for (Run& other : runs_) other.in_company = other.in_company || other.running;
  }
  set_timer(run.began, Timer::Kind::begin, slot, 0);
}

void MessageRuns::stop(Slot slot, Time now) {
  Run& run = runs_[slot];
  if (!run.running) return;
  now_ = std::max(now_, tick_of(now));
  // What the job leaves to others is theirs from now on, not from when something was last due.
  if (transport_->next_time() > now_) transport_->advance(now_, arrivals_);
  run.ended = elapsed_ticks(run);
  let_go(slot);
}

void MessageRuns::set_speeds(Slot slot, const NodeSpeeds& speeds, Time now) {
  Run& run = runs_[slot];
  if (!run.running) return;
  now_ = std::max(now_, tick_of(now));
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    const auto found =
        std::ranges::lower_bound(speeds, run.nodes[rank], {}, [](const auto& entry) { return entry.first; });
    run.in_company = run.in_company || found->second != 1.0;  // alone, it is at its nominal clock
    change_speed(slot, rank, found->second);
  }
}

/// A job's ranks go; what it has on the wires is forgotten.
void MessageRuns::let_go(Slot slot) {
  Run& run = runs_[slot];
  for (MessageId id = 0; id < messages_.size() && run.messages > 0; ++id) {
    const Message& message = messages_[id];
    if (message.slot != slot || !message.in_use) continue;
    const bool on_its_way = !message.arrived || !message.acknowledged;
    if (on_its_way && run.nodes[message.from] != run.nodes[message.to]) transport_->drop(id);
    recycle(id);
  }
  for (Arrival& arrival : arrivals_) {  // the number of a message may be used again before its arrival is looked at
    if (arrival.message != none && messages_[arrival.message].slot == slot) arrival.message = none;
  }
  const std::uint64_t owner = std::uint64_t{run.serial} << 32U;
  files_.drop(owner, owner + (std::uint64_t{1} << 32U), now_);
  for (const Rank& rank : run.ranks) {
    const double whole = (rank.ended ? rank.end_ticks : run.ended) / ticks_per_second;
    double computing = rank.computing;
    double in_files = rank.in_files;
    if (!rank.ended && rank.operation.kind == RankOperation::Kind::compute) {
      computing -= std::max(0.0, rank.busy_until - whole);
    }
    if (!rank.ended && rank.operation.kind == RankOperation::Kind::file) in_files += whole - rank.resumed;
    run.traffic.compute_seconds += computing;
    run.traffic.file_seconds += in_files;
    run.traffic.communication_seconds += std::max(0.0, whole - computing - in_files);
  }
  const auto ranks = static_cast<double>(run.ranks.size());
  run.traffic.compute_seconds /= ranks;
  run.traffic.file_seconds /= ranks;
  run.traffic.communication_seconds /= ranks;
  run.running = false;
  --running_;
}

JobTraffic MessageRuns::traffic(Slot slot) {
  Run& run = runs_[slot];
  JobTraffic& traffic = run.traffic;
  if (run.running || traffic.alone_seconds != 0.0) return traffic;
  traffic.alone_seconds = std::numeric_limits<double>::quiet_NaN();
  if (run.live > 0 || !spec_.alone) return traffic;
  if (!run.in_company) {
    traffic.alone_seconds = run.ended / ticks_per_second;
    return traffic;
  }
  MessageRunsSpec spec = spec_;
  spec.alone = false;
  spec.errors_fail_jobs = true;
  MessageRuns alone(std::move(spec), {});
  alone.start(0, run.job, run.program->fresh(), run.nodes, 0);
  std::vector<Slot> ended;
  auto budget = std::numeric_limits<std::uint64_t>::max();
  while (ended.empty() && alone.next_tick() != never_tick) alone.advance(never, budget, ended);
  const Run& other = alone.runs_[0];
  if (other.live == 0) traffic.alone_seconds = other.ended / ticks_per_second;
  return traffic;
}

void MessageRuns::forget(Slot slot) {
  if (slot < runs_.size()) runs_[slot] = Run{};
}

std::vector<double> MessageRuns::carried(Time /*now*/) const { return transport_->carried(); }

// ---------------------------------------------------------------------------------------------------- the clock

Tick MessageRuns::tick_of(Time time) const {
  constexpr Time most = never_tick / ticks_per_nanosecond;
  const Time since = time - epoch_;
  return since >= most ? never_tick : std::max(since, -most) * ticks_per_nanosecond;
}

/// Ends of jobs fall on whole nanoseconds, rounded up.
Time MessageRuns::time_of(Tick tick) const { return epoch_ + (tick + ticks_per_nanosecond - 1) / ticks_per_nanosecond; }

/// Ticks are counted from a time that moves along: all that are kept become less. Nothing may be due before `now`.
void MessageRuns::move_epoch(Time now) {
  constexpr Time far = (Time{1} << 60U) / ticks_per_nanosecond;  // 13 days
  while (now - epoch_ >= far) {
    const Time since = std::min(now - epoch_, 2 * far);
    const Tick by = since * ticks_per_nanosecond;
    epoch_ += since;
    now_ = std::max<Tick>(now_ - by, 0);
    for (Timer& timer : timers_) timer.tick = std::max<Tick>(timer.tick - by, 0);  // before that: of jobs that are gone
    for (Run& run : runs_) {
      run.earlier += static_cast<double>(std::max<Tick>(by - run.began, 0));
      run.began = std::max<Tick>(run.began - by, 0);
    }
    transport_->shift(by);
    files_.shift(by);
  }
}

double MessageRuns::elapsed_ticks(const Run& run) const { return run.earlier + static_cast<double>(now_ - run.began); }

double MessageRuns::elapsed_seconds(const Run& run) const { return elapsed_ticks(run) / ticks_per_second; }

Tick MessageRuns::next_tick() {
  const Tick timer = timers_.empty() ? never_tick : timers_.front().tick;
  return std::min({timer, transport_->next_time(), files_.next_time()});
}

std::optional<Time> MessageRuns::advance(Time until, std::uint64_t& budget, std::vector<Slot>& ended) {
  if (!ended_.empty()) until = std::min(until, time_of(now_));  // the last call stopped in the middle of that time
  for (;;) {
    move_epoch(epoch_ + now_ / ticks_per_nanosecond);
    const Tick next = next_tick();
    const Tick limit = tick_of(until);
    if (next > limit || next == never_tick) break;
    if (budget == 0) return std::nullopt;
    const std::uint64_t before = events();
    handle(limit);
    const std::uint64_t handled = events() - before + 1;
    budget -= std::min(budget, handled);
    if (ended_.empty()) continue;
    until = time_of(now_);  // the rest of this nanosecond, and no more
  }
  ended.insert(ended.end(), ended_.begin(), ended_.end());
  ended_.clear();
  return until;
}

/// What is due next, by `limit`: timers, then what others send, then files.
void MessageRuns::handle(Tick limit) {
  const Tick timer = timers_.empty() ? never_tick : timers_.front().tick;
  const Tick files = files_.next_time();
  const Tick transport = transport_->next_time();
  if (timer <= std::min(files, transport)) {
    now_ = timer;
    return handle_timer();
  }
  if (files < transport) {
    now_ = files;
    file_ends_.clear();
    files_.advance(now_, file_ends_);
    const std::vector<std::uint64_t> done = file_ends_;
    for (const std::uint64_t owner : done) {
      for (Slot slot = 0; slot < runs_.size(); ++slot) {
        if (runs_[slot].running && runs_[slot].serial == owner >> 32U) {
          const auto rank = static_cast<std::uint32_t>(owner);
          Rank& state = runs_[slot].ranks[rank];
          state.in_files += elapsed_seconds(runs_[slot]) - state.resumed;
          --runs_[slot].activity;
          guarded(slot, [&] { resume(slot, rank, {}); });
          break;
        }
      }
    }
    return;
  }
  arrivals_.clear();
  const Tick reached = transport_->advance(std::min({limit, timer, files}), arrivals_);
  if (reached != never_tick) now_ = reached;
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    const Arrival arrival = arrivals_[i];
    if (arrival.message == none) continue;  // its job ended meanwhile
    const Slot slot = messages_[arrival.message].slot;
    guarded(slot, [&] { arrival.acknowledged ? acknowledge(arrival.message) : arrive(arrival.message); });
  }
}

void MessageRuns::set_timer(Tick tick, Timer::Kind kind, Slot slot, std::uint32_t what) {
  timers_.push_back({tick, ++sequence_, kind, slot, runs_[slot].serial, what});
  std::push_heap(timers_.begin(), timers_.end(), std::greater<>());
  ++runs_[slot].activity;
}

void MessageRuns::handle_timer() {
  std::pop_heap(timers_.begin(), timers_.end(), std::greater<>());
  const Timer timer = timers_.back();
  timers_.pop_back();
  Run& run = runs_[timer.slot];
  if (!run.running || run.serial != timer.serial) return;
  if (timer.kind == Timer::Kind::computed) {
    if (run.ranks[timer.what].compute_timer != timer.sequence) return;
    run.ranks[timer.what].compute_timer = 0;
  }
  --run.activity;
  guarded(timer.slot, [&] {
    switch (timer.kind) {
      case Timer::Kind::begin:
        for (std::uint32_t rank = 0; rank < run.ranks.size() && run.running; ++rank) {
          ++events_;
          resume(timer.slot, rank, {});
        }
        break;
      case Timer::Kind::computed:
        if (!compute(timer.slot, timer.what)) resume(timer.slot, timer.what, {});
        break;
      case Timer::Kind::copied:
        run.activity += 2;  // each of those that follow takes one
        arrive(timer.what);
        acknowledge(timer.what);
        break;
    }
  });
}

/// Does something for a job, and sees whether that leaves it stuck. Where errors fail jobs, the job ends with one.
template <class Work>
void MessageRuns::guarded(Slot slot, Work work) {
  try {
    work();
    if (!runs_[slot].running || runs_[slot].activity > 0) return;
    if (runs_[slot].live > 0) report_deadlock(runs_[slot]);
    end_run(slot);
  } catch (const ApplicationError& error) {
    if (!spec_.errors_fail_jobs) throw;
    fail_run(slot, error.what());
  }
}

void MessageRuns::fail_run(Slot slot, const std::string& failure) {
  Run& run = runs_[slot];
  run.failure = failure;
  run.ended = elapsed_ticks(run);
  let_go(slot);
  ended_.push_back(slot);
}

}  // namespace schedlab
