// Values beside the simulation's own, worked out while it runs: power, prices, shares of users.
#pragma once

#include <memory>

#include "dispatch/state.hpp"

namespace schedlab {

class AdditionalData {
 public:
  AdditionalData() = default;
  AdditionalData(const AdditionalData&) = default;
  AdditionalData& operator=(const AdditionalData&) = delete;
  virtual ~AdditionalData() = default;

  /// Publishes its values.
  virtual void update(const State& state, DataBoard& data) = 0;

  /// Time between updates; 0: at every time point.
  [[nodiscard]] virtual Time every() const { return 0; }
  /// Whether updates come after the scheduler's decision rather than before it.
  [[nodiscard]] virtual bool after_decision() const { return false; }

  /// Whether it follows every job that arrives: before anything is decided of it, and once it waits, is held or is
  /// rejected. It may publish values, which what is decided next goes by.
  [[nodiscard]] virtual bool follows_submissions() const { return false; }
  virtual void before_submission(const State&, Slot, DataBoard&) {}
  virtual void after_submission(const State&, Slot, DataBoard&) {}

  /// Whether it follows every start and end.
  [[nodiscard]] virtual bool follows_jobs() const { return false; }
  virtual void started(const State&, Slot) {}
  virtual void ended(const State&, Slot) {}

  /// Called once, when nothing more will happen.
  virtual void stop(const State&) {}

  [[nodiscard]] virtual std::unique_ptr<AdditionalData> clone() const = 0;
  virtual void archive(Archive&) {}
};

}  // namespace schedlab
