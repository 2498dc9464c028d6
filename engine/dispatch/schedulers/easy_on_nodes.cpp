// EASY backfilling for any requests: several resource types, limits per node, whole nodes, windows.
//
// On requests for processors alone it decides as easy.cpp does; it only takes longer.
#include <algorithm>
#include <vector>

#include "dispatch/schedulers/head_reservation.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

namespace {

class EasyOnNodes final : public Scheduler {
 public:
  explicit EasyOnNodes(std::size_t depth) : depth_(depth) {}

  [[nodiscard]] bool needs_running() const override { return true; }
  [[nodiscard]] bool only_starts() const override { return true; }
  void queued(const WaitingJob& job) override { fresh_.push_back(job); }
  void ended(const RunningJob&) override { known_ = false; }
  void windows_changed() override { known_ = false; }
  void machine_changed() override { known_ = false; }

  void dispatch(Dispatch& dispatch) override {
    const WaitingQueue& queue = dispatch.queue();
    WaitingQueue::Position where{0, 0};
    while (!queue.empty() && dispatch.try_start(where)) {
      where = {0, 0};
      known_ = false;  // a new job that goes before the head
    }
    if (!queue.empty()) backfill(dispatch);
    fresh_.clear();
  }

  [[nodiscard]] std::unique_ptr<Scheduler> clone() const override { return std::make_unique<EasyOnNodes>(*this); }

 private:
  void backfill(Dispatch& dispatch) {
    now_ = dispatch.now();
    free_ = dispatch.machine().free_processors();
    const WaitingJob head = dispatch.queue().front();
    // While no job ends and the head is the same, its reservation stands, and a job that was passed over would be
    // passed over again. (Unless a running job outlasts its estimate and pushes the reservation back; or a job that
    // only the reservation kept out could now be put on other nodes, because a later one took the first.)
    alike_ = dispatch.windows().empty() && dispatch.refusals_last();
    const bool only_fresh = known_ && alike_ && !retry_ && depth_ == no_depth_limit &&
                            head.sequence == blocked_sequence_ && later(now_, second) <= reservation_.start();
    if (only_fresh) {
      reservation_.attach(dispatch, head.slot);
      backfill_fresh(dispatch);
    } else {
      reservation_.make(dispatch, head.slot);
      kept_out_.clear();
      retry_ = false;
      backfill_queue(dispatch);
    }
    known_ = true;
    blocked_sequence_ = head.sequence;
  }

  /// Whether one of the summarized jobs may start.
  [[nodiscard]] bool may_have_one(const WaitingSummary& jobs) const {
    return jobs.smallest <= free_ && (jobs.smallest <= reservation_.spare_processors() ||
                                      later(now_, jobs.shortest_within(free_)) <= reservation_.start());
  }

  /// Starts the job there if it fits and leaves the head alone; else `where` is as before.
  bool start(Dispatch& dispatch, const WaitingJob& entry, WaitingQueue::Position& where) {
    const bool ends_before = later(now_, entry.estimate) <= reservation_.start();
    if (entry.processors > free_ || (!ends_before && entry.processors > reservation_.spare_processors())) return false;
    if (ends_before) {
      if (!dispatch.try_start(where)) return false;
      reservation_.gives_back(dispatch, entry.slot);
    } else {
      const Job& job = dispatch.jobs()[entry.slot];
      const Rooms rooms = dispatch.machine().rooms(job, dispatch.jobs().amounts(entry.slot));
      if (rooms.total < job.tasks || (alike_ && kept_out_before(rooms.request, job.tasks))) return false;
      reservation_.consider(dispatch, entry.slot);
      if (!dispatch.try_start(where, &reservation_)) {
        kept_out_.push_back({rooms.request, job.tasks});
        return false;
      }
      reservation_.keep();
    }
    retry_ = retry_ || !kept_out_.empty();
    kept_out_.clear();
    free_ = dispatch.machine().free_processors();
    return true;
  }

  /// Whether the reservation kept out tasks of the same request, no more of them, and nothing was started since.
  [[nodiscard]] bool kept_out_before(std::uint64_t request, std::uint32_t tasks) const {
    return std::any_of(kept_out_.begin(), kept_out_.end(),
                       [&](const KeptOut& known) { return known.request == request && known.tasks <= tasks; });
  }

  void backfill_fresh(Dispatch& dispatch) {
    for (WaitingJob& job : fresh_) job.key = dispatch.jobs()[job.slot].key;
    std::sort(fresh_.begin(), fresh_.end());
    for (const WaitingJob& job : fresh_) {
      WaitingQueue::Position where = dispatch.queue().find(job);
      if (where.block < dispatch.queue().blocks() && job.sequence != blocked_sequence_) start(dispatch, job, where);
    }
  }

  void backfill_queue(Dispatch& dispatch) {
    walk_behind_head(
        dispatch.queue(), depth_, [] { return true; }, [&](const WaitingSummary& jobs) { return may_have_one(jobs); },
        [&](const WaitingJob& job, WaitingQueue::Position& where) { return start(dispatch, job, where); });
  }

  std::size_t depth_;
  HeadReservation reservation_;
  bool known_ = false;  // the reservation is that of the last call, and no job ended since
  bool alike_ = false;  // jobs of one request have one fate: no windows, and an allocator that does not change its mind
  struct KeptOut {
    std::uint64_t request;
    std::uint32_t tasks;
  };
  std::vector<KeptOut> kept_out_;  // had room, but were refused for the reservation's sake
  bool retry_ = false;             // and another was started since
  std::uint64_t blocked_sequence_ = 0;
  std::vector<WaitingJob> fresh_;  // joined the queue since the last call
  Time now_ = 0;
  std::int64_t free_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_easy_on_nodes(std::size_t depth) { return std::make_unique<EasyOnNodes>(depth); }

}  // namespace schedlab
