// The reservation of a blocked job where counts of processors suffice: no node is looked at.
#pragma once

#include <cstdint>

#include "dispatch/schedulers/plans/head_on_counts.hpp"
#include "dispatch/schedulers/plans/reservation.hpp"

namespace schedlab {

class CountedReservation final : public Reservation {
 public:
  void make(const State& state, Slot blocked) override {
    head_ = HeadOnCounts::reserved(state.running(), state.now(), state.machine().free_processors(),
                                   state.jobs()[blocked].processors);
    spare_ = head_.spare();
  }

  [[nodiscard]] Time start() const override { return head_.shadow(); }
  [[nodiscard]] std::int64_t spare_processors() const override { return spare_; }

  NodeLimit* consider(const State& state, Slot candidate) override {
    processors_ = state.jobs()[candidate].processors;
    return processors_ > spare_ ? this : nullptr;
  }
  void keep() override { spare_ -= processors_; }
  void gives_back(const State&, Slot) override {}  // it was not counted among what is spare

  // For a job that needs more than is spare there is no node.
  [[nodiscard]] bool closed(std::uint32_t) const override { return true; }
  std::uint32_t at_most(std::uint32_t, std::uint32_t) override { return 0; }

 private:
  HeadOnCounts head_;
  std::int64_t spare_ = 0;
  std::int64_t processors_ = 0;  // of the job considered
};

}  // namespace schedlab
