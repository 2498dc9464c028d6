// Times at which policies asked to be called.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"

namespace schedlab {

class WakeUps {
 public:
  void add(Time time) {
    heap_.push_back(time);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  [[nodiscard]] Time next_time() const { return heap_.empty() ? never : heap_.front(); }
  void drop_due(Time now) {
    while (!heap_.empty() && heap_.front() <= now) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
    }
  }
  void archive(Archive& archive) { archive(heap_); }

 private:
  std::vector<Time> heap_;  // the earliest on top
};

}  // namespace schedlab
