// Several queues with priorities and conditions of admission.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/job_expression.hpp"

namespace schedlab {

struct QueueRule {
  std::uint16_t rank;                 // least first
  std::optional<JobExpression> when;  // the condition; none: every job
  std::optional<double> number;       // by which jobs name it
  std::uint16_t preemption = 0;       // the number of the rule by which its jobs preempt others; 0: none
};

class QueueRules {
 public:
  QueueRules() = default;
  /// With `field`, the attribute by which jobs name their queue; else the first whose condition holds takes the job.
  QueueRules(std::vector<QueueRule> queues, std::optional<std::string> field)
      : queues_(std::move(queues)), field_(std::move(field)) {}

  [[nodiscard]] bool empty() const { return queues_.empty(); }

  /// The job's queue; null where no queue admits it.
  [[nodiscard]] const QueueRule* of(const State& state, Slot slot) const {
    const double named = field_ ? state.jobs().attribute(slot, *field_) : 0.0;
    for (const QueueRule& queue : queues_) {
      if (field_ && queue.number != named) continue;
      if (holds(queue, state, slot)) return &queue;
      if (field_) break;
    }
    return nullptr;
  }

 private:
  static bool holds(const QueueRule& queue, const State& state, Slot slot) {
    if (!queue.when) return true;
    double value = 0.0;
    queue.when->evaluate(state, {&slot, 1}, &value);
    return value != 0.0;
  }

  std::vector<QueueRule> queues_;
  std::optional<std::string> field_;
};

}  // namespace schedlab
