#include "dispatch/schedulers/preempting.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace schedlab {

namespace {

/// A job from when it joined the queue last until it leaves, or joins the queue again.
struct Attempt {
  Slot slot = no_slot;
  std::uint64_t sequence = 0;

  [[nodiscard]] bool is(const Job& job, JobState state) const { return job.state == state && job.sequence == sequence; }
  void archive(Archive& archive) { archive(slot, sequence); }
};

/// Jobs that are to end for a waiting one.
struct Announcement {
  std::uint32_t priority = 0;  // of the waiting job; there is one of each at most
  Attempt job;
  Time since = 0;
  Time until = 0;
  std::vector<Attempt> victims;  // in the order in which they were chosen

  void archive(Archive& archive) { archive(priority, job, since, until, victims); }
};

class Preempting final : public Scheduler {
 public:
  Preempting(PreemptionRules rules, Cloned<Scheduler> within) : rules_(std::move(rules)), within_(std::move(within)) {}

  [[nodiscard]] const Scheduler& policy() const override { return *within_; }
  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] bool changes_nodes() const override { return within_->changes_nodes(); }
  [[nodiscard]] std::unique_ptr<Scheduler> for_nodes() const override {
    std::unique_ptr<Scheduler> within = within_->for_nodes();
    if (!within) return nullptr;
    auto copy = std::make_unique<Preempting>(*this);
    copy->within_ = std::move(within);
    return copy;
  }
  void queued(const WaitingJob& job) override {
    within_->queued(job);
    if (!known_) return;
    joined_.push_back(job);
    if (joined_.size() > most_joined) known_ = false;  // others decide, and do not look at it
  }
  void ended(const RunningJob& job) override { within_->ended(job); }
  void windows_changed() override { within_->windows_changed(); }
  void machine_changed() override { within_->machine_changed(); }

  void dispatch(Dispatch& dispatch) override {
    within_->dispatch(dispatch);
    while (start_first(dispatch)) {
      within_->machine_changed();  // what it planned may not be possible any more
      within_->dispatch(dispatch);
    }
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Preempting>(*this); }
  void archive(Archive& archive) override {
    within_->archive(archive);
    archive(announced_);
  }
  void check_saved(const State& state) const override {
    within_->check_saved(state);
    const JobTable& jobs = state.jobs();
    for (const Announcement& one : announced_) {
      Archive::require(one.job.slot < jobs.slots(), "jobs are to end for one that is not there");
      const Job& job = jobs[one.job.slot];
      const bool waits = one.job.is(job, JobState::queued);
      Archive::require(!waits || rules_.priority(job.preemption) == one.priority, "jobs are to end for another job");
      Archive::require(announcement(one.priority) == &one, "jobs are to end for two jobs of a priority");
      check_victims(one, jobs);
    }
  }

 private:
  static void check_victims(const Announcement& announced, const JobTable& jobs) {
    std::vector<Slot> slots;
    for (const Attempt& one : announced.victims) {
      Archive::require(one.slot < jobs.slots(), "a job is to end that is not there");
      const bool is_outage = jobs[one.slot].outage && jobs[one.slot].sequence == one.sequence;
      Archive::require(!is_outage, "a job is to end that is none");
      slots.push_back(one.slot);
    }
    std::sort(slots.begin(), slots.end());
    Archive::require(std::adjacent_find(slots.begin(), slots.end()) == slots.end(), "a job is to end twice");
  }

  /// Starts the first job for which there is room, or room can be made; false where there is none.
  bool start_first(Dispatch& dispatch) {
    const JobTable& jobs = dispatch.jobs();
    std::erase_if(announced_,
                  [&](const Announcement& one) { return !one.job.is(jobs[one.job.slot], JobState::queued); });
    const std::vector<WaitingJob> firsts = first_of_each(dispatch);
    return std::any_of(firsts.begin(), firsts.end(), [&](const WaitingJob& job) { return start(dispatch, job); });
  }

  /// The jobs to be looked at, those of the highest priority in front.
  std::vector<WaitingJob> first_of_each(const Dispatch& dispatch) {
    const JobTable& jobs = dispatch.jobs();
    find_waiting(dispatch);
    std::vector<WaitingJob> firsts;
    const auto priority = [&](Slot slot) { return rules_.priority(jobs[slot].preemption); };
    for (const Attempt& one : waiting_) {
      const WaitingJob job = waiting_entry(jobs[one.slot], one.slot);
      const auto place = std::find_if(firsts.begin(), firsts.end(), [&](const WaitingJob& other) {
        return priority(other.slot) <= priority(job.slot);
      });
      if (place == firsts.end() || priority(place->slot) != priority(job.slot)) {
        firsts.insert(place, job);
      } else if (job < *place) {
        *place = job;
      }
    }
    for (WaitingJob& job : firsts) {
      const Announcement* announced = announcement(priority(job.slot));
      if (announced != nullptr) job = waiting_entry(jobs[announced->job.slot], announced->job.slot);
    }
    return firsts;
  }

  /// Brings `waiting_` up to date.
  void find_waiting(const Dispatch& dispatch) {
    const JobTable& jobs = dispatch.jobs();
    if (!std::exchange(known_, true)) {
      const WaitingQueue& queue = dispatch.queue();
      joined_.clear();
      waiting_.clear();
      seen_ = 0;
      for (std::size_t block = 0; block < queue.blocks(); ++block) {
        joined_.insert(joined_.end(), queue.entries(block).begin(), queue.entries(block).end());
      }
      std::sort(joined_.begin(), joined_.end(),
                [](const WaitingJob& a, const WaitingJob& b) { return a.sequence < b.sequence; });
    }
    for (const WaitingJob& job : joined_) {
      if (job.sequence <= seen_) continue;  // it is said again of the whole queue where a scheduler takes over
      seen_ = job.sequence;
      if (jobs[job.slot].preemption != 0) waiting_.push_back({job.slot, job.sequence});
    }
    joined_.clear();
    std::erase_if(waiting_, [&](const Attempt& one) { return !one.is(jobs[one.slot], JobState::queued); });
  }

  [[nodiscard]] const Announcement* announcement(std::uint32_t priority) const {
    const auto found = std::find_if(announced_.begin(), announced_.end(),
                                    [&](const Announcement& one) { return one.priority == priority; });
    return found == announced_.end() ? nullptr : &*found;
  }
  void forget(std::uint32_t priority) {
    std::erase_if(announced_, [&](const Announcement& one) { return one.priority == priority; });
  }

  /// Starts the job if there is room, or room can be made now; else it may announce who is to end.
  bool start(Dispatch& dispatch, const WaitingJob& job) {
    const PreemptionRule& rule = rules_.of(dispatch.jobs()[job.slot].preemption);
    const Announcement* announced = announcement(rule.priority);
    const bool waits = announced != nullptr && dispatch.now() < announced->until;
    std::vector<Slot> victims;
    if (announced == nullptr) {
      victims = candidates(dispatch, rule);
    } else if (!waits) {
      victims = candidates(dispatch, rule, *announced);
    }
    if (!dispatch.choose_victims(job.slot, victims)) {
      if (waits) return false;
      if (announced != nullptr) {
        forget(rule.priority);
        return start(dispatch, job);
      }
      wake_for_exempt(dispatch, rule);
      return false;
    }
    if (!victims.empty() && announced == nullptr && rule.grace > 0) {
      announce(dispatch, job, rule, victims);
      return false;
    }
    forget(rule.priority);
    for (const Slot slot : victims) {
      if (rule.cancels) {
        dispatch.cancel(slot);
      } else {
        dispatch.requeue(slot, true);
      }
    }
    WaitingQueue::Position where = dispatch.queue().find(job);
    if (dispatch.try_start(where)) return true;
    throw SimulationError("room was made for job " + std::to_string(dispatch.jobs()[job.slot].id) +
                          ", but the allocator found no nodes for it");
  }

  /// The running jobs that may give way, in the order in which they do.
  [[nodiscard]] std::vector<Slot> candidates(const Dispatch& dispatch, const PreemptionRule& rule) const {
    return lower(dispatch, rule,
                 [&](const Job& job) { return rule.exempt == 0 || later(job.start, rule.exempt) <= dispatch.now(); });
  }
  /// The same when a grace time is over.
  [[nodiscard]] std::vector<Slot> candidates(const Dispatch& dispatch, const PreemptionRule& rule,
                                             const Announcement& announced) const {
    std::vector<Slot> found;
    for (const Attempt& one : announced.victims) {
      if (one.is(dispatch.jobs()[one.slot], JobState::running)) found.push_back(one.slot);
    }
    const std::vector<Slot> since = lower(dispatch, rule, [&](const Job& job) {
      return job.start >= announced.since &&
             std::none_of(announced.victims.begin(), announced.victims.end(),
                          [&](const Attempt& one) { return one.sequence == job.sequence; });
    });
    found.insert(found.end(), since.begin(), since.end());
    return found;
  }

  /// Running jobs of lower priority: the lowest in front, of these those that started last, of these the highest ids.
  template <class Wanted>
  [[nodiscard]] std::vector<Slot> lower(const Dispatch& dispatch, const PreemptionRule& rule, Wanted wanted) const {
    const JobTable& jobs = dispatch.jobs();
    std::vector<Slot> found;
    const RunningJobs& running = dispatch.running();
    for (std::size_t block = 0; block < running.blocks(); ++block) {
      for (const RunningJob& entry : running.entries(block)) {
        const Job& job = jobs[entry.slot];
        if (!job.outage && rules_.priority(job.preemption) < rule.priority && wanted(job)) found.push_back(entry.slot);
      }
    }
    std::sort(found.begin(), found.end(), [&](Slot a, Slot b) {
      const std::uint32_t priority_of_a = rules_.priority(jobs[a].preemption);
      const std::uint32_t priority_of_b = rules_.priority(jobs[b].preemption);
      if (priority_of_a != priority_of_b) return priority_of_a < priority_of_b;
      return jobs[a].start != jobs[b].start ? jobs[a].start > jobs[b].start : jobs[a].id > jobs[b].id;
    });
    return found;
  }

  /// The next running job may be ended from then on.
  void wake_for_exempt(Dispatch& dispatch, const PreemptionRule& rule) const {
    if (rule.exempt == 0) return;
    Time next = never;
    for (const Slot slot : lower(dispatch, rule, [](const Job&) { return true; })) {
      const Time until = later(dispatch.jobs()[slot].start, rule.exempt);
      if (until > dispatch.now()) next = std::min(next, until);
    }
    if (next != never) dispatch.wake_at(next);
  }

  void announce(Dispatch& dispatch, const WaitingJob& job, const PreemptionRule& rule,
                const std::vector<Slot>& victims) {
    const Time now = dispatch.now();
    Announcement& one = announced_.emplace_back(rule.priority, Attempt{job.slot, job.sequence}, now,
                                                later(now, rule.grace), std::vector<Attempt>{});
    for (const Slot slot : victims) one.victims.push_back({slot, dispatch.jobs()[slot].sequence});
    dispatch.wake_at(one.until);
  }

  PreemptionRules rules_;
  Cloned<Scheduler> within_;
  std::vector<Announcement> announced_;
  // What follows is found again where it is not known, such as in a state that was saved.
  static constexpr std::size_t most_joined = 65'536;
  bool known_ = false;
  std::vector<WaitingJob> joined_;  // the queue since the last look
  std::uint32_t seen_ = 0;          // the last of them that was looked at
  std::vector<Attempt> waiting_;    // all that may preempt
};

}  // namespace

std::unique_ptr<Scheduler> make_preempting(PreemptionRules rules, Cloned<Scheduler> within) {
  return std::make_unique<Preempting>(std::move(rules), std::move(within));
}

}  // namespace schedlab
