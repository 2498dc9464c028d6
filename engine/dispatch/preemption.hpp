// Preemption: jobs of some queues or partitions take room from running jobs of lower priority.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace schedlab {

/// What the jobs of a queue or a partition may do to running jobs of lower priority.
struct PreemptionRule {
  std::uint32_t priority = 0;  // above 0, which is that of jobs without a rule
  bool cancels = false;        // those jobs are over; else they join the queue again
  Time grace = 0;              // for which they run on
  Time exempt = 0;             // a job that has run for less is left alone
};

/// By number from 1 on; a job's number is `Job::preemption`, 0 where it may not preempt.
class PreemptionRules {
 public:
  PreemptionRules() = default;
  explicit PreemptionRules(std::vector<PreemptionRule> rules) : rules_(std::move(rules)) {}

  [[nodiscard]] bool empty() const { return rules_.empty(); }
  [[nodiscard]] std::size_t size() const { return rules_.size(); }
  [[nodiscard]] const PreemptionRule& of(std::uint16_t number) const { return rules_[number - 1]; }
  [[nodiscard]] std::uint32_t priority(std::uint16_t number) const { return number == 0 ? 0 : of(number).priority; }

 private:
  std::vector<PreemptionRule> rules_;
};

}  // namespace schedlab
