// How jobs of the phase model come to their speeds.
#include <algorithm>
#include <cmath>
#include <utility>

#include "execution/network/phase/phase_model.hpp"

namespace schedlab {

namespace {

constexpr double slack = 1e-12;      // of a link's capacity: sums of doubles
constexpr double near = 1e-9;        // of a link's capacity: as good as full
constexpr double most_uneven = 0.5;  // of a link's capacity
/// Visits of one job after which it goes half of the way only, and after which it stays where it is. The first number
/// is hardly ever reached; the second is there so that the search ends.
constexpr std::uint32_t steady_after = 30;
constexpr std::uint32_t most_visits = 1000;

}  // namespace

void PhaseModel::find_speeds() {
  while (!waiting_.empty()) {
    round_.swap(waiting_);
    waiting_.clear();
    std::ranges::sort(round_);
    for (const Slot slot : round_) {
      runs_[slot].waits = false;
      if (runs_[slot].state == State::runs) visit(slot);
    }
  }
  for (const Slot slot : changed_) {
    runs_[slot].visits = 0;
    runs_[slot].changes = false;
    find_end(slot);
  }
  changed_.clear();
}

void PhaseModel::visit(Slot slot) {
  Run& run = runs_[slot];
  if (++run.visits > most_visits) return;
  note_change(slot);
  find_stage_speeds(slot);
  const JobLoad& load = *run.load;
  double pass_seconds = load.fixed_seconds + load.longest_compute * (1.0 / run.compute_speed - 1.0);
  for (std::size_t stage = 0; stage < stage_speeds_.size(); ++stage) {
    double& speed = stage_speeds_[stage];
    if (run.visits > steady_after) speed = std::sqrt(speed * run.speeds[stage]);
    pass_seconds += load.stage_seconds[stage] / speed;
  }
  if (std::abs(pass_seconds - run.pass_seconds) > tolerance_ * run.pass_seconds) set_speeds(slot, pass_seconds);
}

/// The largest speeds of the job's stages beside the others as they are now.
void PhaseModel::find_stage_speeds(Slot slot) {
  Run& run = runs_[slot];
  const JobLoad& job = *run.load;
  order_critical(run);
  stage_speeds_.assign(run.speeds.size(), 1.0);
  const double passes_per_second = 1.0 / run.pass_seconds;
  for (const std::uint32_t place : run.critical) {
    const LinkLoad& load = job.links[place];
    const LinkSums& sums = sums_[load.link];
    const double of_others = std::max(0.0, sums.load - load.bytes * passes_per_second);
    // What does not limit the speed so far need not be examined more closely.
    const double free = sums.capacity * (1.0 - near) - of_others - sums.spread;
    if (load.peak <= free || needed(job, place, stage_speeds_) <= free) continue;
    const auto [loads, spread] = gather_others(load.link, slot);
    const double capacity = sums.capacity - std::min(spread, most_uneven * sums.capacity);
    for (std::uint32_t i = place == 0 ? 0 : job.links[place - 1].rates_end; i < load.rates_end; ++i) {
      const StageRate& rate = job.rates[i];
      double& speed = stage_speeds_[rate.stage];
      if (loads + speed * rate.bytes_per_second <= capacity * (1.0 + slack)) continue;
      speed = std::min(speed, most_speed(rate, capacity));
    }
  }
}

/// The most that a job's stages send over a link at some speeds, in bytes per second.
double PhaseModel::needed(const JobLoad& job, std::uint32_t place, const std::vector<double>& speeds) {
  double most = 0.0;
  for (std::uint32_t i = place == 0 ? 0 : job.links[place - 1].rates_end; i < job.links[place].rates_end; ++i) {
    most = std::max(most, speeds[job.rates[i].stage] * job.rates[i].bytes_per_second);
  }
  return most;
}

/// Into `others_`; the sum of their loads, and how uneven it is.
std::pair<double, double> PhaseModel::gather_others(LinkId link, Slot slot) {
  others_.clear();
  double loads = 0.0;
  double squares = 0.0;
  for (const Sharer& sharer : links_[link].sharers) {
    if (sharer.slot == slot) continue;
    const Run& other = runs_[sharer.slot];
    others_.push_back({sharer.bytes / other.pass_seconds, sharer.of_a_flow * speed_on(link, other)});
    loads += others_.back().load;
    squares += square_of_deviation(link, other, sharer.bytes, sharer.peak);
  }
  return {loads, unevenness * std::sqrt(squares)};
}

/// Solves  flows y + sum over others of load min(1, y / their rate of a flow) = capacity  for y, the rate of a flow.
/// The left side is concave and made of straight pieces: from 0 on, each step along the piece at hand ends at or before
/// the solution.
double PhaseModel::most_speed(const StageRate& rate, double capacity) const {
  double of_a_flow = 0.0;
  for (std::size_t step = 0; step <= others_.size(); ++step) {
    double free = capacity;
    double slope = rate.bytes_per_second / rate.of_a_flow;
    for (const Other& other : others_) {
      if (other.of_a_flow <= of_a_flow) {
        free -= other.load;
      } else {
        slope += other.load / other.of_a_flow;
      }
    }
    const double next = free / slope;
    if (next <= of_a_flow) break;
    of_a_flow = next;
  }
  return std::min(of_a_flow / rate.of_a_flow, 1.0);
}

void PhaseModel::set_speeds(Slot slot, double pass_seconds) {
  Run& run = runs_[slot];
  settle(run);
  const Pace before = static_cast<const Pace&>(run);
  run.pass_seconds = pass_seconds;
  run.speeds.swap(stage_speeds_);
  double alone = 0.0;
  double now = 0.0;
  for (std::size_t stage = 0; stage + 1 < run.speeds.size(); ++stage) {
    alone += run.load->stage_seconds[stage];
    now += run.load->stage_seconds[stage] / run.speeds[stage];
  }
  run.network_speed = now > 0.0 ? alone / now : 1.0;
  run.file_speed = run.speeds.back();
  for (const std::uint32_t place : run.critical) {
    const LinkLoad& load = run.load->links[place];
    const double load_change = load.bytes / run.pass_seconds - load.bytes / before.pass_seconds;
    const double squares_change = square_of_deviation(load.link, run, load.bytes, load.peak) -
                                  square_of_deviation(load.link, before, load.bytes, load.peak);
    const LinkSums& sums = sums_[load.link];
    set_sums(load.link, sums.load + load_change, std::max(0.0, sums.squares + squares_change), slot);
  }
}

void PhaseModel::join_links(Slot slot) {
  const JobLoad& job = *runs_[slot].load;
  for (std::uint32_t place = 0; place < job.links.size(); ++place) {
    const LinkLoad& load = job.links[place];
    SharedLink& link = links_[load.link];
    link.sharers.push_back({slot, place, load.bytes, load.bytes / job.alone_seconds, load.peak, load.of_a_flow});
    weigh(link, link.sharers.back());
    judge(load.link, true);
  }
}

void PhaseModel::leave_links(Slot slot) {
  for (const LinkLoad& load : runs_[slot].load->links) {
    SharedLink& link = links_[load.link];
    link.sharers.erase(std::ranges::find(link.sharers, slot, &Sharer::slot));
    link.alone = link.squares = link.peak = 0.0;
    for (const Sharer& sharer : link.sharers) weigh(link, sharer);
    judge(load.link, false);
  }
}

void PhaseModel::weigh(SharedLink& link, const Sharer& sharer) {
  link.alone += sharer.alone;
  const double most_deviation = std::min(2.0 * sharer.alone, 0.5 * sharer.peak);
  link.squares += most_deviation * most_deviation;
  link.peak = std::max(link.peak, sharer.peak);
}

/// Whether the link may be full with the jobs that are on it. Its sums are made anew, so that no error adds up.
void PhaseModel::judge(LinkId link, bool joined) {
  SharedLink& shared = links_[link];
  const double most = shared.alone + shared.peak + unevenness * std::sqrt(shared.squares);
  const bool was_critical = std::exchange(shared.critical, shared.sharers.size() > 1 && most > sums_[link].capacity);
  if (shared.critical != was_critical) {
    for (const Sharer& sharer : shared.sharers) note_critical(sharer);
  } else if (shared.critical && joined) {
    note_critical(shared.sharers.back());
  }
  if (!shared.critical && !was_critical) return;
  double load = 0.0;
  double squares = 0.0;
  for (const Sharer& sharer : shared.sharers) {
    load += sharer.bytes / runs_[sharer.slot].pass_seconds;
    squares += square_of_deviation(link, runs_[sharer.slot], sharer.bytes, sharer.peak);
  }
  set_sums(link, load, squares, no_slot);
  if (!shared.critical) sums_[link].load = sums_[link].squares = sums_[link].spread = 0.0;
}

/// The job's list is put in order when it is next needed.
void PhaseModel::note_critical(const Sharer& sharer) {
  Run& run = runs_[sharer.slot];
  run.critical.push_back(sharer.place);
  run.critical_in_order = false;
}

void PhaseModel::order_critical(Run& run) {
  if (std::exchange(run.critical_in_order, true)) return;
  const std::vector<LinkLoad>& links = run.load->links;
  std::ranges::sort(run.critical);
  const auto twice = std::ranges::unique(run.critical);
  run.critical.erase(twice.begin(), twice.end());
  std::erase_if(run.critical, [&](std::uint32_t place) { return !links_[links[place].link].critical; });
}

/// Wakes those whom the link slows down, or did: with them at their speeds it would be full.
void PhaseModel::set_sums(LinkId link, double load, double squares, Slot changed) {
  LinkSums& sums = sums_[link];
  const double spread = unevenness * std::sqrt(squares);
  const double free = sums.capacity * (1.0 - near) - std::max(load, sums.load) - std::max(spread, sums.spread);
  sums.load = load;
  sums.squares = squares;
  sums.spread = spread;
  const SharedLink& shared = links_[link];
  if (waiting_.size() + 1 >= running_ && changed != no_slot) return;  // all others are awake
  if (shared.peak <= free) return;
  for (const Sharer& sharer : shared.sharers) {
    const Run& run = runs_[sharer.slot];
    if (run.waits || sharer.slot == changed) continue;
    const double free_for_it = free + sharer.bytes / run.pass_seconds;
    if (sharer.peak <= free_for_it) continue;
    if (needed(*run.load, sharer.place, run.speeds) * (1.0 + 4.0 * tolerance_) > free_for_it) wake(sharer.slot);
  }
}

/// Of the mean deviation of what a job sends over a link, if that is either nothing or as much as it can: sent with the
/// probability q, it is 2 q (1 - q) of that much.
double PhaseModel::square_of_deviation(LinkId link, const Pace& pace, double bytes, double peak) const {
  const double load = bytes / pace.pass_seconds;
  const double most = peak * speed_on(link, pace);
  const double deviation = most > load ? 2.0 * load * (1.0 - load / most) : 0.0;
  return deviation * deviation;
}

void PhaseModel::wake(Slot slot) {
  if (std::exchange(runs_[slot].waits, true)) return;
  waiting_.push_back(slot);
}

void PhaseModel::note_change(Slot slot) {
  if (std::exchange(runs_[slot].changes, true)) return;
  changed_.push_back(slot);
}

}  // namespace schedlab
