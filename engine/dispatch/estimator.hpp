// What a dispatcher knows of a job's run time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/errors.hpp"
#include "dispatch/state.hpp"
#include "jobs/job.hpp"

namespace schedlab {

class Estimator {
 public:
  Estimator() = default;
  Estimator(const Estimator&) = default;
  Estimator& operator=(const Estimator&) = delete;
  virtual ~Estimator() = default;

  /// Of a job that arrives, and has a slot already but no estimate there.
  [[nodiscard]] virtual Time estimate(const JobSpec& job, const State& state, Slot slot) = 0;
  /// Of a job that just ended.
  virtual void ended(const State&, Slot) {}
  [[nodiscard]] virtual std::unique_ptr<Estimator> clone() const = 0;
  virtual void archive(Archive&) {}
};

class RequestedTime final : public Estimator {
 public:
  [[nodiscard]] Time estimate(const JobSpec& job, const State&, Slot) override { return job.estimate; }
  [[nodiscard]] std::unique_ptr<Estimator> clone() const override { return std::make_unique<RequestedTime>(*this); }
};

class ExactTime final : public Estimator {
 public:
  [[nodiscard]] Time estimate(const JobSpec& job, const State&, Slot) override { return job.run; }
  [[nodiscard]] std::unique_ptr<Estimator> clone() const override { return std::make_unique<ExactTime>(*this); }
};

/// The mean of the user's last two runs, never above the requested time, which stands until two are known (Tsafrir,
/// Etsion, Feitelson 2007, EASY++).
class UserHistory final : public Estimator {
 public:
  [[nodiscard]] Time estimate(const JobSpec& job, const State&, Slot) override {
    const auto found = runs_.find(job.user);
    if (found == runs_.end() || found->second.known < 2) return job.estimate;
    const auto [a, b] = found->second.last;
    return std::min(job.estimate, a / 2 + b / 2 + (a % 2 + b % 2) / 2);
  }

  void ended(const State& state, Slot slot) override {
    const Job& job = state.jobs()[slot];
    Runs& runs = runs_[job.user];
    runs.last = {runs.last[1], job.end - job.start};
    runs.known = std::min(runs.known + 1, 2);
  }

  [[nodiscard]] std::unique_ptr<Estimator> clone() const override { return std::make_unique<UserHistory>(*this); }
  void archive(Archive& archive) override { archive(runs_); }

 private:
  struct Runs {
    std::array<Time, 2> last{};
    int known = 0;
    void archive(Archive& archive) {
      archive(last, known);
      Archive::require(known >= 0 && known <= 2, "run times of a user are miscounted");
    }
  };
  std::unordered_map<std::int64_t, Runs> runs_;
};

/// "requested", "exact" or "history".
inline std::unique_ptr<Estimator> make_estimator(std::string_view name) {
  if (name == "requested") return std::make_unique<RequestedTime>();
  if (name == "exact") return std::make_unique<ExactTime>();
  if (name == "history") return std::make_unique<UserHistory>();
  throw InputError("unknown estimate \"" + std::string(name) + "\"");
}

}  // namespace schedlab
