#include "dispatch/schedulers/plans/alike_nodes.hpp"

#include <functional>

namespace schedlab {

void AlikeNodes::clear(const Machine& machine, const Windows& windows, Time now) {
  types_ = machine.types();
  now_ = now;
  steps_.resize(machine.nodes());
  std::uint32_t node = 0;
  for (const NodeGroup& group : machine.spec().groups) {
    for (std::uint32_t i = 0; i < group.nodes; ++i, ++node) {
      steps_[node].from.assign(1, now);
      steps_[node].free = group.resources;
    }
  }
  divide(machine, windows);
}

void AlikeNodes::clear(const std::vector<Amount>& amounts, Time now) {
  types_ = amounts.size();
  now_ = now;
  steps_.assign(1, {{now}, amounts});
  restore_one();
}

void AlikeNodes::divide(const Machine& machine, const Windows& windows) {
  borders_ = Bitset(nodes());
  std::uint32_t node = 0;
  for (const NodeGroup& group : machine.spec().groups) {
    if (group.nodes > 0) borders_.insert(node);
    node += group.nodes;
  }
  if (!windows.empty()) {
    for (const NodeRange& part : windows.parts()) borders_.insert(part.first);
  }
  runs_ = Bitset(nodes());
  for (node = 0; node < nodes(); ++node) runs_.insert(node);
  for (node = 0; node < nodes(); ++node) join_runs(node);
}

void AlikeNodes::begin_run(std::uint32_t node) {
  if (runs_.contains(node)) return;
  steps_[node] = steps_[run_of(node)];
  runs_.insert(node);
}

/// Makes a run one with the run before it where both are alike from now on.
void AlikeNodes::join_runs(std::uint32_t run) {
  if (borders_.contains(run)) return;
  Steps& steps = steps_[run];
  Steps& before = steps_[run_of(run - 1)];
  if (steps.from.back() != before.from.back() && std::max(steps.from.back(), before.from.back()) > now_) return;
  forget_past(steps);
  forget_past(before);
  const bool alike = steps.size() == before.size() &&
                     std::equal(steps.from.begin() + 1, steps.from.end(), before.from.begin() + 1) &&
                     steps.free == before.free;
  if (alike) runs_.erase(run);
}

/// Makes a step begin at `time`, which is not before the first, and returns which.
std::size_t AlikeNodes::cut(Steps& steps, Time time) const {
  const auto after = std::upper_bound(steps.from.begin() + 1, steps.from.end(), time);
  const auto step = static_cast<std::size_t>(after - steps.from.begin()) - 1;
  if (steps.from[step] >= time) return step;
  steps.from.insert(after, time);
  const auto types = static_cast<std::ptrdiff_t>(types_);
  const auto values = static_cast<std::ptrdiff_t>(step) * types;
  steps.free.resize(steps.free.size() + types_);
  std::copy_backward(steps.free.begin() + values, steps.free.end() - types, steps.free.end());
  return step + 1;
}

/// Makes a step one with the step before it where both are equal.
void AlikeNodes::join_steps(Steps& steps, std::size_t step) const {
  if (step == 0 || step >= steps.from.size()) return;
  const auto values = steps.free.begin() + static_cast<std::ptrdiff_t>(step * types_);
  const auto types = static_cast<std::ptrdiff_t>(types_);
  if (!std::equal(values, values + types, values - types)) return;
  steps.from.erase(steps.from.begin() + static_cast<std::ptrdiff_t>(step));
  steps.free.erase(values, values + types);
}

void AlikeNodes::forget_past(Steps& steps) const {
  const std::size_t passed = steps.at(now_);
  if (passed == 0) return;
  steps.from.erase(steps.from.begin(), steps.from.begin() + static_cast<std::ptrdiff_t>(passed));
  steps.free.erase(steps.free.begin(), steps.free.begin() + static_cast<std::ptrdiff_t>(passed * types_));
}

bool AlikeNodes::overfull(Time from, Time until) const {
  for (std::uint32_t run = 0; run < nodes(); run = end(run)) {
    const Steps& steps = steps_[run];
    const std::size_t first = steps.at(from);
    for (std::size_t step = first; step < steps.size() && (step == first || steps.from[step] < until); ++step) {
      const Amount* amounts = free(run, step);
      if (std::any_of(amounts, amounts + types_, [](Amount amount) { return amount < 0; })) return true;
    }
  }
  return false;
}

void AlikeNodes::archive(Archive& archive) {
  std::vector<Steps> of_nodes;
  if (!archive.reading()) {
    of_nodes = steps_;
    // Where it was read, and nothing was done with it since, each node has its own steps still.
    for (std::uint32_t run = 0; runs_.next(0) != Bitset::npos && run < nodes(); run = end(run)) {
      forget_past(of_nodes[run]);
      of_nodes[run].from.front() = now_;
      for (std::uint32_t node = run + 1; node < end(run); ++node) of_nodes[node] = of_nodes[run];
    }
  }
  archive(types_, now_, of_nodes);
  if (!archive.reading()) return;
  steps_ = std::move(of_nodes);
  runs_ = Bitset();  // found when it is known what machine they are of
}

void AlikeNodes::check_saved(std::uint32_t nodes, std::size_t types) const {
  Archive::require(types_ == types && steps_.size() == nodes, "a plan is of another machine");
  for (const Steps& steps : steps_) {
    const bool ascends =
        std::adjacent_find(steps.from.begin(), steps.from.end(), std::greater_equal<>()) == steps.from.end();
    Archive::require(!steps.from.empty() && ascends, "steps of a plan do not ascend");
    Archive::require(steps.free.size() == steps.from.size() * types_, "steps of a plan are not whole");
  }
}

}  // namespace schedlab
