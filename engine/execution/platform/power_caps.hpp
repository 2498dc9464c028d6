// Bounds on the power of the machine or of a group, and by how much they were exceeded all the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/archive.hpp"
#include "base/series.hpp"
#include "base/time.hpp"

namespace schedlab {

struct PowerCap {
  static constexpr std::uint32_t whole_machine = static_cast<std::uint32_t>(-1);

  Series watts;
  std::uint32_t group = whole_machine;
  bool slow = false;  // frequencies are lowered before starts are refused

  [[nodiscard]] bool covers(std::uint32_t of) const { return group == whole_machine || group == of; }
  /// Sum over the groups that it covers.
  [[nodiscard]] double sum(const std::vector<double>& group_watts) const {
    if (group != whole_machine) return group_watts[group];
    double total = 0.0;
    for (const double of_group : group_watts) total += of_group;
    return total;
  }
};

class PowerCaps {
 public:
  /// What happened under a cap.
  struct Account {
    double seconds_above = 0.0;
    double joules_above = 0.0;
    double most_above = 0.0;  // watts
    std::uint64_t refused = 0;
    double seconds_slowed = 0.0;

    void archive(Archive& archive) { archive(seconds_above, joules_above, most_above, refused, seconds_slowed); }
  };

  PowerCaps() = default;
  explicit PowerCaps(std::vector<PowerCap> caps) : caps_(std::move(caps)), accounts_(caps_.size()) {}

  [[nodiscard]] bool empty() const { return caps_.empty(); }
  [[nodiscard]] const std::vector<PowerCap>& all() const { return caps_; }
  [[nodiscard]] const std::vector<Account>& accounts() const { return accounts_; }
  [[nodiscard]] bool any_slow() const {
    return std::any_of(caps_.begin(), caps_.end(), [](const PowerCap& cap) { return cap.slow; });
  }

  /// Whether one of them is for the whole machine.
  [[nodiscard]] bool of_machine() const { return of_machine(caps_); }
  [[nodiscard]] static bool of_machine(const std::vector<PowerCap>& caps) {
    return std::any_of(caps.begin(), caps.end(),
                       [](const PowerCap& cap) { return cap.group == PowerCap::whole_machine; });
  }

  /// Adds what groups drew, `group_watts` each, from one time to another, between which no cap changed.
  void add(const std::vector<double>& group_watts, const std::vector<std::uint32_t>& group_steps, Time from, Time to) {
    const double seconds = in_seconds(to - from);
    for (std::size_t i = 0; i < caps_.size(); ++i) {
      const double above = caps_[i].sum(group_watts) - caps_[i].watts.at(from);
      for (std::uint32_t group = 0; group < group_steps.size(); ++group) {
        if (!caps_[i].slow || group_steps[group] == 0 || !caps_[i].covers(group)) continue;
        accounts_[i].seconds_slowed += seconds;
        break;
      }
      if (above <= tolerance) continue;
      accounts_[i].seconds_above += seconds;
      accounts_[i].joules_above += above * seconds;
      accounts_[i].most_above = std::max(accounts_[i].most_above, above);
    }
  }
  void add_refusal(std::size_t cap) {
    ++accounts_[cap].refused;
    refused_by_ = cap;
  }

  /// Remembers that the last refusal was of a plain job with that many tasks, on the nodes that any such job would get.
  void remember_refused(std::uint32_t tasks) {
    if (tasks >= refused_.size()) refused_.resize(tasks + 1);
    refused_[tasks] = {moment_, refused_by_};
  }
  /// Whether one with as many was refused, and nothing happened since; then this one is, too.
  bool refuse_again(std::uint32_t tasks) {
    if (tasks >= refused_.size() || refused_[tasks].moment != moment_) return false;
    add_refusal(refused_[tasks].cap);
    return true;
  }
  /// Something happened that may change power.
  void forget_refused() { ++moment_; }

  /// Of the whole machine; not a number where only groups have one.
  [[nodiscard]] double watts(Time now) const {
    double least = std::numeric_limits<double>::quiet_NaN();
    for (const PowerCap& cap : caps_) {
      if (cap.group != PowerCap::whole_machine) continue;
      const double value = cap.watts.at(now);
      if (!(least <= value)) least = value;
    }
    return least;
  }

  [[nodiscard]] Time next_change(Time now) const {
    Time next = never;
    for (const PowerCap& cap : caps_) next = std::min(next, cap.watts.next_change(now));
    return next;
  }

  void archive(Archive& archive) {
    const std::size_t caps = caps_.size();
    archive(accounts_);
    if (accounts_.size() != caps) throw InputError("the saved state is of other power caps");
  }

  static constexpr double tolerance = 1e-6;  // watts, against rounding

 private:
  std::vector<PowerCap> caps_;
  std::vector<Account> accounts_;

  /// Only to be faster.
  struct Refused {
    std::uint64_t moment = 0;
    std::size_t cap = 0;
  };
  std::vector<Refused> refused_;  // by tasks
  std::uint64_t moment_ = 1;
  std::size_t refused_by_ = 0;  // the last time
};

}  // namespace schedlab
