// The reservation of the first blocked job, on nodes but not tied to any.
//
// It is a time and the machine as it will be then, by the estimates. Another job that would still run at that time may
// take what the reserved one does not need: as long as the nodes together keep room for it, no matter which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/schedulers/plans/reservation.hpp"
#include "dispatch/state.hpp"
#include "machine/closed_nodes.hpp"

namespace schedlab {

class HeadReservation final : public Reservation {
 public:
  /// Finds the earliest time at which the job can start by the estimates; `start()` is `never` if there is none.
  void make(const State& state, Slot head) override;

  /// Says anew where things are: they may have moved in memory since the last call of the scheduler.
  void attach(const State& state, Slot head);

  [[nodiscard]] Time start() const override { return start_; }
  [[nodiscard]] std::int64_t spare_processors() const override { return spare_processors_; }
  NodeLimit* consider(const State& state, Slot candidate) override;
  void begin() override;
  [[nodiscard]] bool closed(std::uint32_t node) const override;
  [[nodiscard]] bool quick() const override { return true; }
  std::uint32_t at_most(std::uint32_t node, std::uint32_t tasks) override;
  void take(std::uint32_t node, std::uint32_t tasks) override;
  void keep() override;
  void gives_back(const State& state, Slot started) override;

 private:
  [[nodiscard]] Amount* free_on(std::uint32_t node) { return free_.data() + node * machine_->types(); }
  [[nodiscard]] std::uint32_t head_room(std::uint32_t node);
  [[nodiscard]] std::uint32_t room_with(std::uint32_t node, std::uint32_t tasks);
  void look_at(std::uint32_t node);
  void make_in_set(const State& state);
  void release(const Job& job, const Amount* amounts);
  [[nodiscard]] bool totals_suffice() const;
  [[nodiscard]] bool licenses_suffice() const;
  void count_rooms();
  void find_start(const State& state);
  void find_start_between_windows(const State& state);
  void flip(std::uint32_t part);
  [[nodiscard]] std::int64_t room_of_part(std::uint32_t part);
  void close_parts();
  void count_spare_processors();

  const Machine* machine_ = nullptr;  // of the call
  const Windows* windows_ = nullptr;
  const Job* head_ = nullptr;
  Job head_in_set_;  // where it may use one of several sets: as it is in that of the reservation
  const Amount* head_amounts_ = nullptr;
  Time start_ = never;
  std::int64_t room_ = 0;   // of all nodes for the head, at start_
  std::int64_t slack_ = 0;  // what it does not need of it
  std::int64_t spare_processors_ = 0;

  // The nodes looked at, as they will be at start_; the others are as they were when it was made.
  std::uint32_t generation_ = 0;
  std::vector<std::uint32_t> seen_;   // per node: the generation in which it was looked at
  std::vector<std::uint32_t> nodes_;  // looked at in this generation
  std::vector<Amount> free_;          // [node * types + type]
  std::vector<std::uint32_t> rooms_;  // per node, for the head; kept once `counting_`
  // Where there are windows, while a start is looked for.
  bool between_windows_ = false;
  ClosedParts closed_parts_;              // to the head
  std::int64_t closed_room_ = 0;          // of room_, what is on closed nodes
  std::vector<std::int64_t> part_rooms_;  // -1: not known yet
  std::vector<Amount> totals_;            // free then, per type
  std::vector<Amount> licenses_;          // free then; once the start is known, without those of the head
  bool counting_ = false;

  // The job being placed.
  const Job* job_ = nullptr;
  const Amount* amounts_ = nullptr;
  ClosedNodes closed_nodes_;
  bool takes_licenses_ = false;  // of the head
  std::int64_t slack_left_ = 0;
  struct Taken {
    std::uint32_t node;
    std::uint32_t tasks;
  };
  std::vector<Taken> taken_;
  std::vector<Amount> scratch_;
};

}  // namespace schedlab
