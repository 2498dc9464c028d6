#include "execution/network/phase/phase_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "base/errors.hpp"

namespace schedlab {

PhaseModel::PhaseModel(std::shared_ptr<const Topology> topology, const WireRules& rules, double file_bytes_per_second,
                       double tolerance)
    : mapper_(std::move(topology), rules, file_bytes_per_second),
      tolerance_(tolerance),
      links_(mapper_.capacities().size()),
      sums_(mapper_.capacities().size()),
      carried_(mapper_.capacities().size() - 1) {
  for (std::size_t link = 0; link < sums_.size(); ++link) sums_[link].capacity = mapper_.capacities()[link];
}

std::shared_ptr<const JobLoad> PhaseModel::map(const Pattern& pattern, const std::vector<std::uint32_t>& nodes) {
  return mapper_.map(pattern, nodes);
}

double PhaseModel::iteration_seconds(const Pattern& pattern, const std::vector<std::uint32_t>& nodes) {
  return mapper_.map(pattern, nodes)->alone_seconds;
}

void PhaseModel::start(Slot slot, const Pattern& pattern, double repeats, const std::vector<std::uint32_t>& nodes,
                       Time now) {
  start(slot, mapper_.map(pattern, nodes), repeats, now);
}

void PhaseModel::start(Slot slot, std::shared_ptr<const JobLoad> load, double repeats, Time now) {
  go_to(now);
  if (slot >= runs_.size()) runs_.resize(slot + 1);
  Run& run = runs_[slot];
  if (run.state != State::none) throw InputError("slot " + std::to_string(slot) + ": has a job that is not forgotten");
  if (!(repeats >= 0.0) || std::isinf(repeats)) throw InputError("repeats: must be a number from 0 up");
  run = Run{};
  run.state = State::runs;
  run.load = std::move(load);
  run.repeats = repeats;
  run.left = repeats;
  run.joined = joined_++;
  run.started = now;
  run.since = now;
  run.pass_seconds = run.load->alone_seconds;
  run.speeds.assign(run.load->stage_seconds.size(), 1.0);
  ++running_;
  join_links(slot);
  wake(slot);
  note_change(slot);
}

void PhaseModel::stop(Slot slot, Time now) {
  go_to(now);
  if (known(slot).state != State::runs) throw InputError("slot " + std::to_string(slot) + ": its job is over");
  settle(runs_[slot]);
  finish(slot);
}

void PhaseModel::set_compute_speed(Slot slot, double speed, Time now) {
  go_to(now);
  if (known(slot).state != State::runs) throw InputError("slot " + std::to_string(slot) + ": its job is over");
  Run& run = runs_[slot];
  if (run.compute_speed == speed) return;
  const double longer = run.load->longest_compute * (1.0 / speed - 1.0 / run.compute_speed);
  stage_speeds_ = run.speeds;  // as they are, until others are found
  settle(run);
  run.compute_speed = speed;
  set_speeds(slot, run.pass_seconds + longer);
  wake(slot);
  note_change(slot);
}

Time PhaseModel::next_time() {
  find_speeds();
  while (!ends_.empty()) {
    const auto [time, slot] = ends_.front();
    if (runs_[slot].state == State::runs && runs_[slot].end == time) return time;
    std::ranges::pop_heap(ends_, std::greater());
    ends_.pop_back();
  }
  return never;
}

void PhaseModel::advance(Time now, std::vector<Slot>& ended) {
  for (Time next = next_time(); next <= now && next != never; next = next_time()) {
    go_to(next);
    const std::size_t first = ended.size();
    while (!ends_.empty() && ends_.front().first == next) {
      const Slot slot = ends_.front().second;
      std::ranges::pop_heap(ends_, std::greater());
      ends_.pop_back();
      Run& run = runs_[slot];
      if (run.state != State::runs || run.end != next) continue;
      run.end = never;  // the same end may be there twice
      ended.push_back(slot);
    }
    for (std::size_t i = first; i < ended.size(); ++i) {
      settle(runs_[ended[i]]);
      runs_[ended[i]].left = 0.0;
      finish(ended[i]);
    }
  }
  go_to(now);
}

double PhaseModel::speed(Slot slot) {
  find_speeds();
  const Run& run = known(slot);
  return run.pass_seconds > 0.0 ? run.load->alone_seconds / run.pass_seconds : 1.0;
}

JobTraffic PhaseModel::traffic(Slot slot) const {
  const Run& run = known(slot);
  const Time now = run.state == State::runs ? now_ : run.since;
  const double done = run.repeats - passes_left(run, now);
  const double since = in_seconds(now - run.since);
  JobTraffic traffic;
  const double passes = run.pass_seconds > 0.0 ? since / run.pass_seconds : 0.0;
  const double extra = run.extra_passes + passes * (1.0 / run.compute_speed - 1.0);
  traffic.compute_seconds = run.load->compute_seconds * (done + extra);
  traffic.file_seconds = run.file_seconds + passes * run.load->file_seconds / run.file_speed;
  traffic.communication_seconds =
      std::max(0.0, in_seconds(now - run.started) - traffic.compute_seconds - traffic.file_seconds);
  traffic.messages = run.load->messages * done;
  traffic.bytes = run.load->bytes * done;
  traffic.hops = run.load->hops * done;
  traffic.hop_bytes = run.load->hop_bytes * done;
  traffic.alone_seconds = run.load->alone_seconds * run.repeats;
  return traffic;
}

void PhaseModel::forget(Slot slot) {
  if (known(slot).state != State::over) throw InputError("slot " + std::to_string(slot) + ": its job runs");
  runs_[slot] = Run{};
}

std::vector<double> PhaseModel::carried(Time now) const {
  std::vector<double> carried = carried_;
  for (const Run& run : runs_) {
    if (run.state != State::runs) continue;
    const double done = run.repeats - passes_left(run, now);
    for (const LinkLoad& load : run.load->links) {
      if (load.link < carried.size()) carried[load.link] += load.bytes * done;
    }
  }
  return carried;
}

const PhaseModel::Run& PhaseModel::known(Slot slot) const {
  if (slot < runs_.size() && runs_[slot].state != State::none) return runs_[slot];
  throw InputError("slot " + std::to_string(slot) + ": has no job");
}

double PhaseModel::passes_left(const Run& run, Time now) const {
  if (now == run.since || run.pass_seconds <= 0.0) return run.left;
  return std::max(0.0, run.left - in_seconds(now - run.since) / run.pass_seconds);
}

/// Jobs that start or stop at one time change speeds together.
void PhaseModel::go_to(Time now) {
  if (now == now_) return;
  if (now < now_) throw InputError("times must not decrease");
  find_speeds();
  now_ = now;
}

/// What the job did at its speed so far is done.
void PhaseModel::settle(Run& run) {
  if (run.since == now_) return;
  if (run.pass_seconds > 0.0) {
    const double passes = in_seconds(now_ - run.since) / run.pass_seconds;
    run.file_seconds += passes * run.load->file_seconds / run.file_speed;
    run.extra_passes += passes * (1.0 / run.compute_speed - 1.0);
  }
  run.left = passes_left(run, now_);
  run.since = now_;
}

void PhaseModel::finish(Slot slot) {
  Run& run = runs_[slot];
  const double done = run.repeats - run.left;
  for (const LinkLoad& load : run.load->links) {
    if (load.link < carried_.size()) carried_[load.link] += load.bytes * done;
  }
  run.state = State::over;
  run.end = never;
  --running_;
  leave_links(slot);
}

void PhaseModel::find_end(Slot slot) {
  Run& run = runs_[slot];
  if (run.state != State::runs) return;
  const double nanoseconds = std::ceil(run.left * run.pass_seconds * static_cast<double>(second));
  const Time end = nanoseconds < static_cast<double>(never) ? later(run.since, static_cast<Time>(nanoseconds)) : never;
  if (end == run.end) return;
  run.end = end;
  if (end == never) return;
  ends_.push_back({end, slot});
  std::ranges::push_heap(ends_, std::greater());
}

void PhaseModel::Run::archive(Archive& archive) {
  archive(state, joined, repeats, left, started, since, end, pass_seconds, network_speed, file_speed, file_seconds,
          compute_speed, extra_passes, speeds);
  JobLoad held = load && !archive.reading() ? *load : JobLoad{};
  archive(held);
  if (archive.reading()) load = std::make_shared<const JobLoad>(std::move(held));
}

void PhaseModel::archive(Archive& archive) {
  if (!archive.reading()) find_speeds();
  archive(now_, joined_, running_, runs_, carried_);
  if (archive.reading()) rebuild_links();
  // As they are, for they have errors in their last digits that sums made anew do not have.
  for (std::size_t link = 0; link < sums_.size(); ++link) {
    if (links_[link].critical) archive(sums_[link]);
  }
}

/// Links as the jobs that run have made them.
void PhaseModel::rebuild_links() {
  ends_.clear();
  for (SharedLink& link : links_) link = SharedLink{};
  std::vector<Slot> order;
  for (Slot slot = 0; slot < runs_.size(); ++slot) {
    if (runs_[slot].state == State::runs) order.push_back(slot);
  }
  std::ranges::sort(order, {}, [&](Slot slot) { return runs_[slot].joined; });
  for (const Slot slot : order) {
    join_links(slot);
    if (runs_[slot].end != never) ends_.emplace_back(runs_[slot].end, slot);
  }
  std::ranges::make_heap(ends_, std::greater());
  for (const Slot slot : waiting_) runs_[slot].waits = false;
  waiting_.clear();
  changed_.clear();
}

}  // namespace schedlab
