#include "execution/platform/thermal.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/errors.hpp"

namespace schedlab {

Thermal::Thermal(const ThermalSpec& spec, const PlatformSpec& platform, const Machine& machine) : spec_(spec) {
  if (!spec_.exists) return;
  std::uint32_t first = 0;
  for (std::size_t group = 0; group < platform.groups.size(); ++group) {
    const std::uint32_t end = first + machine.spec().groups[group].nodes;
    const std::uint32_t size = platform.groups[group].rack > 0 ? platform.groups[group].rack : end - first;
    for (; first < end; first = racks_.back().end) racks_.push_back({first, std::min(end - first, size) + first});
  }
  nodes_.resize(first);
  watts_.resize(first);
  targets_.resize(first);
}

void Thermal::begin(Time now, std::span<const double> watts) {
  begun_ = updated_ = now;
  next_ = later(now, spec_.every);
  watts_.assign(watts.begin(), watts.end());
  find_targets();
  for (std::size_t node = 0; node < nodes_.size(); ++node) nodes_[node].degrees = nodes_[node].hottest = targets_[node];
  sum_up();
  hottest_ever_ = hottest_;
}

/// The temperatures at which nothing would change any more at the power of the step.
void Thermal::find_targets() {
  for (const Rack& rack : racks_) {
    double sum = 0.0;
    for (std::uint32_t node = rack.first; node < rack.end; ++node) sum += watts_[node];
    for (std::uint32_t node = rack.first; node < rack.end; ++node) {
      const double before = node > rack.first ? watts_[node - 1] : 0.0;
      const double behind = node + 1 < rack.end ? watts_[node + 1] : 0.0;
      targets_[node] = spec_.supply + spec_.resistance * watts_[node] + spec_.recirculation * (sum - watts_[node]) +
                       spec_.neighbour * (before + behind);
    }
  }
}

void Thermal::advance_to(Time now) {
  find_targets();
  changed_.clear();
  const double seconds = in_seconds(now - updated_);
  const double gone = -std::expm1(-seconds / spec_.time_constant);  // of the way to the target
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    Node& node = nodes_[index];
    const double lacking = targets_[index] - node.degrees;
    node.degree_seconds += targets_[index] * seconds - lacking * spec_.time_constant * gone;
    node.degrees += lacking * gone;
    node.hottest = std::max(node.hottest, node.degrees);
    if (node.throttled) node.throttled_seconds += seconds;
    if (node.throttled ? node.degrees >= spec_.release : node.degrees <= spec_.limit) continue;
    node.throttled = !node.throttled;
    if (node.throttled) ++throttles_;
    throttled_ += node.throttled ? 1U : -1U;
    changed_.push_back(index);
  }
  updated_ = now;
  next_ = later(begun_, ((now - begun_) / spec_.every + 1) * spec_.every);
  sum_up();
  hottest_ever_ = std::max(hottest_ever_, hottest_);
}

void Thermal::sum_up() {
  hottest_ = -std::numeric_limits<double>::infinity();
  double sum = 0.0;
  for (const Node& node : nodes_) {
    hottest_ = std::max(hottest_, node.degrees);
    sum += node.degrees;
  }
  mean_ = sum / static_cast<double>(nodes_.size());
}

double Thermal::mean_ever() const {
  double sum = 0.0;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) sum += mean_ever(node);
  return sum / static_cast<double>(nodes_.size());
}

double Thermal::mean_ever(std::uint32_t node) const {
  if (updated_ == begun_) return nodes_[node].degrees;
  return nodes_[node].degree_seconds / in_seconds(updated_ - begun_);
}

double Thermal::throttled_node_seconds(Time now) const {
  double sum = 0.0;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) sum += throttled_seconds(node, now);
  return sum;
}

void Thermal::archive(Archive& archive) {
  if (!spec_.exists) return;
  const std::size_t nodes = nodes_.size();
  archive(nodes_, begun_, updated_, next_, hottest_, mean_, hottest_ever_, throttled_, throttles_);
  if (nodes_.size() != nodes) throw InputError("the saved state is of another machine");
}

void Thermal::validate() const {
  const auto throttled = std::count_if(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.throttled; });
  if (throttled != throttled_) throw std::logic_error("thermal: throttled nodes are counted wrong");
}

}  // namespace schedlab
