// What is free on each node over time, kept once for neighbours on which it is the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/bitset.hpp"
#include "base/time.hpp"
#include "machine/machine.hpp"
#include "machine/windows.hpp"

namespace schedlab {

/// A step function for each run of alike nodes: neighbours of one group, and of one part where there are windows. A run
/// is named by its first node.
class AlikeNodes {
 public:
  /// What is free from `from` on until the next step; the first step reaches back for ever, the last one on.
  struct Steps {
    std::vector<Time> from;
    std::vector<Amount> free;  // [step * types + type]

    [[nodiscard]] std::size_t size() const { return from.size(); }
    /// The step at a time.
    [[nodiscard]] std::size_t at(Time time) const {
      std::size_t step = 0;
      while (step + 1 < from.size() && from[step + 1] <= time) ++step;
      return step;
    }
    void archive(Archive& archive) { archive(from, free); }
  };

  /// All is free.
  void clear(const Machine& machine, const Windows& windows, Time now);
  /// Likewise where all there is are these amounts in one place.
  void clear(const std::vector<Amount>& amounts, Time now);
  /// Finds the runs of a plan that was read, of which only the nodes are stored.
  void restore(const Machine& machine, const Windows& windows) {
    if (runs_.next(0) == Bitset::npos) divide(machine, windows);
  }
  /// The same where there is one place.
  void restore_one() {
    borders_ = runs_ = Bitset(1);
    borders_.insert(0);
    runs_.insert(0);
  }

  /// What lies before `now` is of no interest any more; it is forgotten where something changes.
  void advance(Time now) { now_ = now; }

  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(steps_.size()); }
  [[nodiscard]] std::size_t types() const { return types_; }
  [[nodiscard]] std::uint32_t run_of(std::uint32_t node) const { return static_cast<std::uint32_t>(runs_.last(node)); }
  /// The first node after the run.
  [[nodiscard]] std::uint32_t end(std::uint32_t run) const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(runs_.next(std::size_t{run} + 1), nodes()));
  }
  [[nodiscard]] const Steps& steps(std::uint32_t run) const { return steps_[run]; }
  [[nodiscard]] const Amount* free(std::uint32_t run, std::size_t step) const {
    return steps_[run].free.data() + step * types_;
  }

  /// Adds `amount(run, type)` to what is free on N nodes from the first on, in [from, to).
  template <class AmountOf>
  void add(std::uint32_t first, std::uint32_t count, Time from, Time to, AmountOf amount) {
    const std::uint32_t end_of_nodes = first + count;
    begin_run(first);
    if (end_of_nodes < nodes()) begin_run(end_of_nodes);
    for (std::uint32_t run = first; run < end_of_nodes; run = end(run)) {
      Steps& steps = steps_[run];
      forget_past(steps);
      const std::size_t begin = cut(steps, from);
      const std::size_t stop = to == never ? steps.size() : cut(steps, to);
      for (std::size_t type = 0; type < types_; ++type) {
        const Amount more = amount(run, type);
        for (std::size_t step = begin; step < stop; ++step) steps.free[step * types_ + type] += more;
      }
      join_steps(steps, stop);
      join_steps(steps, begin);
    }
    for (std::uint32_t run = first; run <= end_of_nodes && run < nodes(); run = end(run)) join_runs(run);
  }

  /// Whether less than nothing is free anywhere, at any time from `from` on before `until`.
  [[nodiscard]] bool overfull(Time from, Time until) const;

  /// Stores nodes one by one: equal plans are equal bytes, however they came about.
  void archive(Archive& archive);
  void check_saved(std::uint32_t nodes, std::size_t types) const;

 private:
  void divide(const Machine& machine, const Windows& windows);
  void begin_run(std::uint32_t node);
  void join_runs(std::uint32_t run);
  [[nodiscard]] std::size_t cut(Steps& steps, Time time) const;
  void join_steps(Steps& steps, std::size_t step) const;
  void forget_past(Steps& steps) const;

  std::size_t types_ = 0;
  Time now_ = 0;
  std::vector<Steps> steps_;  // of the first node of each run
  Bitset runs_;
  Bitset borders_;  // nodes that are never in one run with the node before them
};

}  // namespace schedlab
