// Applications by the phase model: what each sends is learnt once, how fast it gets on is worked out as jobs come and
// go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/cloned.hpp"
#include "execution/network/phase/pattern.hpp"
#include "execution/network/phase/phase_model.hpp"
#include "execution/network/ranks/application_runs.hpp"

namespace schedlab {

/// Patterns of programs, each learnt once.
class Patterns {
 public:
  explicit Patterns(std::string collectives) : collectives_(std::move(collectives)) {}

  /// What one pass of the program sends. Throws ApplicationError where it goes wrong.
  std::shared_ptr<const Pattern> of(const Program& program, const JobApplication& job);
  /// How many passes the program makes: its own number, or as many as fill the job's recorded run time alone, at
  /// least one.
  double passes(const Program& program, double pass_seconds, const JobApplication& job) const;

 private:
  /// Programs that send the same have the same key; `ranks` is how many they are.
  struct Key {
    std::string program;
    std::uint32_t ranks;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return std::hash<std::string>()(key.program) * 31 + key.ranks; }
  };

  /// Flows of patterns that are kept at most (100 MB of them); beyond, all are learnt anew.
  static constexpr std::size_t most_flows = 4'000'000;

  std::string collectives_;
  std::unordered_map<Key, std::shared_ptr<const Pattern>, KeyHash> known_;
  std::size_t flows_ = 0;  // of all that are known
};

class PhaseRuns final : public ApplicationRuns {
 public:
  PhaseRuns(PhaseModel model, std::string collectives, Cloned<Programs> programs, bool errors_fail_jobs)
      : model_(std::move(model)),
        patterns_(std::move(collectives)),
        programs_(std::move(programs)),
        errors_fail_jobs_(errors_fail_jobs) {}

  void check(const JobApplication& job) override { programs_->check(job); }
  void start(Slot slot, const JobApplication& job, std::vector<std::uint32_t> nodes, Time now) override;
  void stop(Slot slot, Time now) override;
  std::optional<Time> advance(Time until, std::uint64_t& budget, std::vector<Slot>& ended) override;
  void set_speeds(Slot slot, const NodeSpeeds& speeds, Time now) override;
  [[nodiscard]] bool has_ended(Slot slot) const override { return !model_.runs(slot); }
  [[nodiscard]] JobTraffic traffic(Slot slot) override;
  [[nodiscard]] std::string failure(Slot slot) const override;
  [[nodiscard]] const std::vector<Tick>& last_rank_ends() const override { return no_ends_; }
  [[nodiscard]] std::uint64_t events() const override { return events_; }
  void forget(Slot slot) override;
  [[nodiscard]] bool knows(Slot slot) const override {
    return model_.runs(slot) || model_.is_over(slot) || !failure(slot).empty();
  }
  [[nodiscard]] std::vector<double> carried(Time now) const override { return model_.carried(now); }
  [[nodiscard]] std::unique_ptr<ApplicationRuns> clone() const override { return std::make_unique<PhaseRuns>(*this); }
  void archive(Archive& archive) override;

 private:
  PhaseModel model_;
  Patterns patterns_;
  Cloned<Programs> programs_;
  bool errors_fail_jobs_;
  std::uint64_t events_ = 0;
  std::vector<std::pair<Slot, std::string>> failures_;  // of jobs that never began
  std::vector<Slot> failed_;                            // and were not yet reported
  std::vector<Tick> no_ends_;
};

}  // namespace schedlab
