// Jobs that run applications: on a network, which says when they end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/cloned.hpp"
#include "execution/execution.hpp"
#include "execution/network/ranks/application_runs.hpp"
#include "jobs/metrics.hpp"

namespace schedlab {

class Applications final : public Execution {
 public:
  /// Changes which rank of a job runs on which node, given a node for each rank, node after node filled.
  using Mapping = std::function<void(const Job&, std::vector<std::uint32_t>&)>;

  Applications(Cloned<ApplicationRuns> runs, Mapping mapping) : runs_(std::move(runs)), mapping_(std::move(mapping)) {}

  /// Throws InputError where the job's application cannot run.
  void check(const Job& job) { runs_->check(of(job)); }
  /// The nodes of the job that is about to be held, in the order of its ranks; empty where that is the order of its
  /// placement.
  Placement& nodes_in_order() { return nodes_in_order_; }

  // Not inlined: most jobs run no application, and pay nothing for it.
  [[gnu::noinline]] Time hold(Slot slot, const JobTable& jobs, Time now) override;
  [[gnu::noinline]] Time begin(Slot slot, JobTable& jobs, Time now) override;
  [[gnu::noinline]] JobState stop(Slot slot, JobTable& jobs, Time now) override;
  /// Checkpoints count the time that it ran.
  [[nodiscard]] Time work_done(Slot slot, const JobTable& jobs, Time /*now*/) const override {
    return jobs[slot].end - jobs[slot].start;
  }
  /// The job leaves for good: its sums are added.
  [[gnu::noinline]] void count(Slot slot, const Job& job);
  void forget(Slot slot) override { runs_->forget(slot); }
  std::optional<Time> advance(Time until, std::uint64_t& budget, std::vector<Slot>& ended) override;
  void set_speeds(Slot slot, const NodeSpeeds& speeds, Time now) { runs_->set_speeds(slot, speeds, now); }

  [[nodiscard]] bool knows(Slot slot) const { return held_.contains(slot) || runs_->knows(slot); }
  [[nodiscard]] ApplicationRuns& runs() const { return *runs_; }
  /// The node of each rank of the application that got its nodes last.
  [[nodiscard]] const std::vector<std::uint32_t>& rank_nodes() const { return rank_nodes_; }
  /// What went wrong, where that fails jobs: a text each.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }
  [[nodiscard]] const NetworkMetrics& metrics() const { return metrics_; }

  void archive(Archive& archive) override;

 private:
  static JobApplication of(const Job& job) { return {job.application, job.id, job.tasks, in_seconds(job.run)}; }

  Cloned<ApplicationRuns> runs_;
  Mapping mapping_;
  Placement nodes_in_order_;
  std::unordered_map<Slot, std::vector<std::uint32_t>> held_;  // nodes by rank, of jobs that have not begun
  std::vector<std::uint32_t> rank_nodes_;
  std::vector<std::string> errors_;
  NetworkMetrics metrics_;
};

}  // namespace schedlab
