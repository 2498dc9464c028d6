// Room for a waiting job: which running jobs must end for it.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "simulation/job_life.hpp"
#include "simulation/open_nodes.hpp"

namespace schedlab {

namespace {

/// The machine without some of its jobs.
class Without {
 public:
  Without(const JobTable& jobs, const Machine& machine, const Cloned<Allocator>& allocator)
      : jobs_(jobs), machine_(machine), allocator_(allocator) {}

  void leave(Slot slot) {
    machine_.give_back(jobs_[slot], jobs_.amounts(slot));
    allocator_->given_back(machine_, jobs_[slot].placement);
  }
  void come_back(Slot slot) { machine_.take(jobs_[slot], jobs_.amounts(slot)); }

  /// Whether the job would start there; `job` is a copy, of which nothing is known that holds for another machine.
  [[nodiscard]] bool would_start(const State& state, Slot slot, const Job& job, NodeLimit* limit) {
    return allocator_->would_place({state, machine_, slot, job, jobs_.amounts(slot), limit});
  }

 private:
  const JobTable& jobs_;
  Machine machine_;
  Cloned<Allocator> allocator_;
};

}  // namespace

/// They are given back one after the other on a copy of the machine, until the job would start; then those are taken
/// in again without which it would all the same, the last first.
bool JobLife::choose_victims(Slot slot, std::vector<Slot>& running) {
  if (would_start(slot, nullptr)) {
    running.clear();
    return true;
  }
  if (!might_make_room(slot, running)) return false;
  Job job = jobs_[slot];
  job.refused_at = 0;
  std::optional<OpenNodes> open;
  if (!options_.windows.empty()) open.emplace(closed_nodes_, options_.windows, job, now_);
  Without rest(jobs_, machine_, allocator_);
  const auto starts = [&] {
    return machine_.node_sets().any(job, [&] { return rest.would_start(*this, slot, job, open ? &*open : nullptr); });
  };
  std::size_t chosen = 0;
  for (bool found = false; !found; found = starts()) {
    if (chosen == running.size()) return false;
    rest.leave(running[chosen++]);
  }
  running.resize(chosen);
  for (std::size_t i = chosen - 1; i-- > 0;) {  // the last one is needed
    rest.come_back(running[i]);
    if (starts()) {
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      rest.leave(running[i]);
    }
  }
  return true;
}

/// A quick look: whether there is enough of each resource without them, wherever it is.
bool JobLife::might_make_room(Slot slot, const std::vector<Slot>& running) const {
  const Job& job = jobs_[slot];
  for (std::size_t type = 0; type < machine_.types(); ++type) {
    Amount free = machine_.free(type);
    for (const Slot one : running) free += machine_.held(jobs_[one], jobs_.amounts(one), type);
    if (free < jobs_.amounts(slot)[type] * job.tasks) return false;
  }
  return !running.empty();
}

}  // namespace schedlab
