#include "execution/failures/failures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace schedlab {

namespace {

/// Above 0 and below 1.
double uniform(Random& random) { return (static_cast<double>(random.next() >> 11U) + 0.5) * 0x1p-53; }

Time length_of(double seconds) {
  constexpr auto most = static_cast<double>(longest_input_seconds);
  if (!(seconds < most)) return longest_input_seconds * second;
  return std::max<Time>(1, std::llround(seconds * 1e9));
}

/// A stream of its own for each unit of each process.
Random stream_of(std::uint64_t seed, std::uint32_t process, std::uint32_t id) {
  Random of_process(Random(seed).next() ^ process);
  return Random(Random(of_process.next() ^ id).next());
}

}  // namespace

Time DurationLaw::draw(Random& random) const {
  switch (kind) {
    case Kind::exponential:
      return length_of(-first * std::log(uniform(random)));
    case Kind::weibull:
      return length_of(first * std::pow(-std::log(uniform(random)), 1.0 / second));
    case Kind::lognormal: {
      const double radius = std::sqrt(-2.0 * std::log(uniform(random)));
      return length_of(first * std::exp(second * radius * std::cos(2.0 * std::numbers::pi * uniform(random))));
    }
    case Kind::fixed:
      break;
  }
  return length_of(first);
}

Time DurationLaw::mean() const {
  switch (kind) {
    case Kind::weibull:
      return length_of(first * std::tgamma(1.0 + 1.0 / second));
    case Kind::lognormal:
      return length_of(first * std::exp(second * second / 2.0));
    case Kind::exponential:
    case Kind::fixed:
      break;
  }
  return length_of(first);
}

FailureClock::FailureClock(const FailureSpec& spec, std::uint32_t nodes)
    : causes_(nodes), expected_(nodes), is_touched_(nodes) {
  for (const FailureProcess& process : spec.processes) {
    const auto number = static_cast<std::uint32_t>(laws_.size());
    laws_.push_back({process.between, process.repair, process.repair.mean()});
    for (const NodeRange& range : process.nodes) {
      for (std::uint32_t node = range.first; node < range.first + range.count; ++node) {
        const NodeRange only{node, 1};
        add_unit(number, node, spec.seed, {&only, 1});
      }
    }
    for (const FailureUnit& unit : process.units) add_unit(number, unit.id, spec.seed, unit.nodes);
  }
  double sum = 0.0;
  for (const DownTime& down : spec.trace) {
    trace_.push_back({down.start, down.node, true});
    trace_.push_back({down.end, down.node, false});
    sum += in_seconds(down.end - down.start);
  }
  if (!spec.trace.empty()) trace_expected_ = length_of(sum / static_cast<double>(spec.trace.size()));
  std::stable_sort(trace_.begin(), trace_.end(),
                   [](const TraceChange& a, const TraceChange& b) { return a.time < b.time; });
}

void FailureClock::add_unit(std::uint32_t process, std::uint32_t id, std::uint64_t seed,
                            std::span<const NodeRange> nodes) {
  units_.push_back({process, static_cast<std::uint32_t>(ranges_.size()), static_cast<std::uint32_t>(nodes.size()),
                    false, stream_of(seed, process, id)});
  ranges_.insert(ranges_.end(), nodes.begin(), nodes.end());
}

void FailureClock::begin(Time origin) {
  origin_ = origin;
  if (origin == never) return;
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) plan(unit, origin);
}

/// Draws when the unit changes next; beyond all time it never does.
void FailureClock::plan(std::uint32_t unit, Time from) {
  Unit& planned = units_[unit];
  const Laws& laws = laws_[planned.process];
  const Time time = later(from, (planned.down ? laws.repair : laws.between).draw(planned.random));
  if (time == never) return;
  heap_.push_back({time, unit});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

Time FailureClock::next_change() const {
  Time next = heap_.empty() ? never : heap_.front().time;
  if (next_in_trace_ < trace_.size()) next = std::min(next, trace_[next_in_trace_].time);
  return next == never ? never : std::max(next, origin_);
}

void FailureClock::advance(Time now) {
  touched_.clear();
  failed_.clear();
  repaired_.clear();
  prolonged_.clear();
  while (!heap_.empty() && heap_.front().time <= now) {
    const UnitChange due = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    Unit& unit = units_[due.unit];
    unit.down = !unit.down;
    for (std::uint32_t range = unit.first_range; range < unit.first_range + unit.ranges; ++range) {
      for (std::uint32_t i = 0; i < ranges_[range].count; ++i) {
        change(ranges_[range].first + i, unit.down, later(now, laws_[unit.process].expected));
      }
    }
    plan(due.unit, due.time);
  }
  for (; next_in_trace_ < trace_.size() && trace_[next_in_trace_].time <= now; ++next_in_trace_) {
    const TraceChange& due = trace_[next_in_trace_];
    change(due.node, due.fails, later(now, trace_expected_));
  }
  // Only what all changes of this time come to counts: where one cause ends as another begins, the node stays down.
  std::sort(touched_.begin(), touched_.end(), [](const Touched& a, const Touched& b) { return a.node < b.node; });
  for (const Touched& touched : touched_) {
    const std::uint32_t node = touched.node;
    is_touched_[node] = 0;
    if (touched.causes == 0 && causes_[node] > 0) failed_.push_back(node);
    if (touched.causes > 0 && causes_[node] == 0) repaired_.push_back(node);
    if (touched.causes > 0 && causes_[node] > 0 && expected_[node] > touched.expected) prolonged_.push_back(node);
    if (causes_[node] == 0) expected_[node] = 0;
  }
}

void FailureClock::change(std::uint32_t node, bool fails, Time expected) {
  if (is_touched_[node] == 0) {
    is_touched_[node] = 1;
    touched_.push_back({node, causes_[node], expected_[node]});
  }
  causes_[node] += fails ? 1 : -1;
  if (fails) expected_[node] = std::max(expected_[node], expected);
}

void FailureClock::archive(Archive& archive) {
  const std::size_t units = units_.size();
  const std::size_t nodes = causes_.size();
  archive(origin_, heap_, next_in_trace_, causes_, expected_);
  std::uint64_t count = units;
  archive(count);
  const bool other = count != units || causes_.size() != nodes || expected_.size() != nodes ||
                     next_in_trace_ > trace_.size() ||
                     std::any_of(heap_.begin(), heap_.end(), [&](const UnitChange& due) { return due.unit >= units; });
  if (other) throw InputError("the saved state is of other failures");
  for (Unit& unit : units_) archive(unit);
}

}  // namespace schedlab
