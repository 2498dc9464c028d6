// The waiting jobs that lack room, so that few of them are looked at when nodes get something back.
//
// Jobs whose tasks ask for about the same, each amount to a power of two, are a class. A class counts how many tasks of
// its least amounts may have got room since it began; a job in it is due once that is as much as it lacked when it
// joined. Until then it cannot fit, whatever was started meanwhile, and it is not looked at.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "jobs/job.hpp"
#include "machine/given_back.hpp"
#include "machine/machine.hpp"

namespace schedlab {

class WaitingByNeed {
 public:
  /// A job as it was when it was put here: it may have left the queue since.
  struct Member {
    Slot slot;
    std::uint64_t sequence;
  };

  [[nodiscard]] std::size_t size() const { return size_; }
  void clear() { *this = {}; }

  /// Puts a job here; all nodes together have room for no more than `room` of its tasks.
  void add(const Job& job, const Amount* amounts, std::size_t types, Slot slot, std::int64_t room) {
    Class& joined = classes_.try_emplace(key_of(job, amounts, types)).first->second;
    if (joined.due.empty()) joined = {{amounts, amounts + types}, job.whole_nodes, 0, {}};
    for (std::size_t type = 0; type < types; ++type) joined.least[type] = std::min(joined.least[type], amounts[type]);
    joined.due.push_back({joined.gained + job.tasks - room, {slot, job.sequence}});
    std::push_heap(joined.due.begin(), joined.due.end(), std::greater<>());
    ++size_;
  }

  /// Nodes got back what the log has from `from` on: takes out the jobs that may fit now, and calls `found(member)`
  /// with each, in any order.
  template <class Found>
  void given_back(const GivenBack& log, std::uint64_t from, std::size_t types, Found found) {
    if (from == log.end()) return;
    largest_.assign(types, 0);
    for (std::uint64_t place = from; place < log.end(); ++place) {
      for (std::size_t type = 0; type < types; ++type) {
        largest_[type] = std::max(largest_[type], log[place].after[type]);
      }
    }
    for (auto& [key, some] : classes_) {
      if (some.due.empty() || !goes_into(some.least, largest_)) continue;
      for (std::uint64_t place = from; place < log.end(); ++place) some.gained += most_gained(some, log[place]);
      while (!some.due.empty() && some.due.front().at <= some.gained) {
        found(some.due.front().member);
        std::pop_heap(some.due.begin(), some.due.end(), std::greater<>());
        some.due.pop_back();
        --size_;
      }
    }
  }

 private:
  struct Due {
    std::int64_t at;  // what its class has gained by then
    Member member;
    bool operator>(const Due& other) const { return at > other.at; }
  };
  struct Class {
    std::vector<Amount> least;  // that a task of a member asks for, per type
    bool whole_nodes = false;
    std::int64_t gained = 0;  // tasks of the least amounts that have got room, at most
    std::vector<Due> due;     // a heap, the least on top
  };

  static constexpr std::size_t classed_types = 10;  // further ones make no classes

  static std::uint64_t key_of(const Job& job, const Amount* amounts, std::size_t types) {
    std::uint64_t key = job.whole_nodes ? 1 : 0;
    for (std::size_t type = 0; type < std::min(types, classed_types); ++type) {
      key = key << 6U | static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(amounts[type])));
    }
    return key;
  }

  static bool goes_into(const std::vector<Amount>& wanted, const std::vector<Amount>& free) {
    return std::equal(wanted.begin(), wanted.end(), free.begin(), std::less_equal<>());
  }

  /// For how many tasks of a member a node may have got room at most: by what it has now, and by what of it is new,
  /// for which there may have been a rest of every other type.
  static std::int64_t most_gained(const Class& some, const GivenBack::Entry& gain) {
    constexpr Amount any = std::numeric_limits<std::uint32_t>::max();
    Amount fits = any;
    Amount gained = some.whole_nodes ? any : 0;  // the last bit that comes back makes a node whole
    for (std::size_t type = 0; type < some.least.size(); ++type) {
      const Amount fresh = gain.after[type] - gain.before[type];
      if (some.least[type] > 0) {
        fits = std::min(fits, times_in(gain.after[type], some.least[type]));
        if (fresh > 0) gained = std::max(gained, times_in(fresh, some.least[type]) + 1);
      } else if (type >= classed_types && fresh > 0) {
        gained = any;  // some member may ask for it
      }
    }
    return std::min(fits, gained);
  }

  std::map<std::uint64_t, Class> classes_;
  std::size_t size_ = 0;
  std::vector<Amount> largest_;  // kept for its memory
};

}  // namespace schedlab
