// The waiting jobs in the order of a score that changes with the time, ranked only as deep as a pass looks.
//
// Jobs are kept in blocks. For a stretch of time each has a line that its score does not fall below, and its block one
// below all of these. A walk goes through the blocks by their lines, and works out scores only until a job is certain
// to come next. A block whose stretch is over gets lines for one twice as long; one that was often looked into in vain,
// for one half as long. So a score is worked out as often as it takes to know that the job is not next. Jobs for which
// the score is computed of the same numbers always have the same: of those of a block it is worked out for the first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "dispatch/orders.hpp"
#include "dispatch/schedulers/scheduler.hpp"

namespace schedlab {

/// What disciplines ask of the queue, as QueueInOrder answers it (scheduler.hpp); for orders that have lines. The queue
/// itself may be in any order.
class RankedJobs {
 public:
  void queued(const WaitingJob& job) { arrived_.push_back(job); }
  void begin(Dispatch& dispatch);

  /// The one after it, where that was started.
  WaitingQueue::Position first(Dispatch& dispatch) {
    const WaitingJob* job = next(dispatch, Any{}, Any{});
    if (job == nullptr) return {dispatch.queue().blocks(), 0};
    first_ = job->sequence;
    return find(dispatch, *job);
  }
  bool try_start(Dispatch& dispatch, WaitingQueue::Position& where, NodeLimit* limit = nullptr) {
    const Slot slot = dispatch.queue().at(where).slot;
    if (!dispatch.try_start(where, limit)) return false;
    remove(slot);
    return true;
  }
  /// Where the job is in the queue; past its end if it does not wait any more.
  static WaitingQueue::Position find(const Dispatch& dispatch, const WaitingJob& job) {
    const Job& known = dispatch.jobs()[job.slot];
    const bool waits = known.state == JobState::queued && static_cast<std::uint32_t>(known.sequence) == job.sequence;
    if (!waits) return {dispatch.queue().blocks(), 0};
    return dispatch.queue().find(waiting_entry(known, job.slot));
  }
  static void sort(Dispatch& dispatch, std::vector<WaitingJob>& jobs);

  template <class GoesOn, class MayHaveOne, class MayStart, class Start>
  void walk(Dispatch& dispatch, std::size_t depth, GoesOn goes_on, MayHaveOne may_have_one, MayStart may_start,
            Start start) {
    go_through(dispatch, depth, goes_on, may_have_one, may_start, start);
  }
  template <class GoesOn, class MayHaveOne, class MayStart, class Start>
  void walk_after_first(Dispatch& dispatch, std::size_t depth, GoesOn goes_on, MayHaveOne may_have_one,
                        MayStart may_start, Start start) {
    if (depth == no_depth_limit) begin_walk();  // among fewer jobs
    go_through(
        dispatch, depth, goes_on, may_have_one,
        [&](const WaitingJob& job) { return job.sequence != first_ && may_start(job); }, start);
  }

 private:
  static constexpr std::size_t block_size = JobExpression::batch;
  static constexpr std::size_t blocks_per_group = 32;
  static constexpr std::size_t scores_at_once = 8;
  /// After so many scores that were worked out in vain, the lines of a block are too far away.
  static constexpr std::uint32_t most_in_vain = 4 * block_size;
  static constexpr Time shortest_stretch = second;
  static constexpr Time longest_stretch = 315'360'000 * second;  // ten years
  /// For so many calls, by the time between the last ones, the order of the blocks is made at once.
  static constexpr Time calls_ahead = 8;

  struct Line {
    double start;
    double end;
  };
  struct Block {
    std::array<WaitingJob, block_size> jobs;
    std::array<Line, block_size> lines;
    std::array<bool, block_size> alike;  // the job always has the score of the one before it
    Line line{};                         // below all of them
    std::size_t size = 0;
    Time from = 0;
    Time stretch = 0;
    std::uint32_t in_vain = 0;  // scores, since there are these lines
    bool doubtful = false;      // of some job nothing is known, not even that it will have a score
    bool placed = false;        // among those in `by_bound_`,
    bool misplaced = false;     // and not where it belongs
    std::uint32_t rank = 0;     // least of the jobs
  };
  /// Of a block, or of what a walk left of it: no job of it has a lower rank, or score.
  struct Bound {
    double key;
    std::uint32_t rank;
    std::uint32_t block;
    bool operator<(const Bound& other) const {
      if (rank != other.rank) return rank < other.rank;
      return key != other.key ? key < other.key : block < other.block;
    }
    [[nodiscard]] bool certainly_after(const WaitingJob& job) const {
      return rank != job.rank ? job.rank < rank : job.key < key;
    }
  };
  /// A job that a walk looks at, and how many of `followers_` have its score, and come after it.
  struct Picked {
    WaitingJob job;
    std::uint32_t follower = 0;
    std::uint32_t followers = 0;
    bool operator<(const Picked& other) const { return job < other.job; }
  };
  /// Jobs of a block that a walk will look at, by what their scores are at least.
  struct Opened {
    Bound bound;  // of the first of them
    std::size_t next;
    std::size_t end;
  };
  struct Summary {
    WaitingSummary jobs;
    bool stale = true;
  };
  enum class Verdict : std::uint8_t { none, yes, no };
  struct Any {
    bool operator()(const WaitingSummary&) const { return true; }
    bool operator()(const WaitingJob&) const { return true; }
  };

  // Keeping the blocks (ranked_jobs.cpp).
  void take_all(const WaitingQueue& queue);
  void group_anew(Dispatch& dispatch);
  void insert_arrived(Dispatch& dispatch);
  void renew(Dispatch& dispatch, std::uint32_t block, Time stretch);
  void renew_due(Dispatch& dispatch);
  void find_line(std::uint32_t block);
  void put_blocks_in_order(Time now);
  void put_in_order(std::uint32_t block, Time now);
  void put_all_in_order(Time now);
  std::uint32_t open_block(Time now);
  void remove(Slot slot);
  [[nodiscard]] Bound bound_of(std::uint32_t block, Time now) const;
  [[nodiscard]] const WaitingSummary& summary(std::uint32_t block);
  [[nodiscard]] const WaitingSummary& group_summary(std::uint32_t group);
  void mark_misplaced(std::uint32_t block) {
    if (blocks_[block].misplaced) return;
    blocks_[block].misplaced = true;
    misplaced_.push_back(block);
  }
  void mark_stale(std::uint32_t block) { groups_[block / blocks_per_group].stale = true; }

  // Walking.
  void begin_walk();
  void open(std::uint32_t block, std::size_t first, Time now);
  void score_some(Dispatch& dispatch);
  const WaitingJob* take_scored();
  static bool later_opened(const Opened& a, const Opened& b) { return b.bound < a.bound; }
  static bool later_job(const Picked& a, const Picked& b) { return b < a; }

  template <class GoesOn, class MayHaveOne, class MayStart, class Start>
  void go_through(Dispatch& dispatch, std::size_t depth, GoesOn goes_on, MayHaveOne may_have_one, MayStart may_start,
                  Start start) {
    while (depth > 0 && goes_on()) {
      const WaitingJob* job =
          depth == no_depth_limit ? next(dispatch, may_have_one, may_start) : next(dispatch, Any{}, Any{});
      if (job == nullptr) return;
      if (depth != no_depth_limit) --depth;
      if (!may_start(*job)) continue;
      const WaitingJob candidate = *job;
      WaitingQueue::Position where = find(dispatch, candidate);
      start(candidate, where);
    }
  }

  /// The next job of the walk, with its score; null after the last one.
  template <class MayHaveOne, class MayStart>
  const WaitingJob* next(Dispatch& dispatch, MayHaveOne may_have_one, MayStart may_start) {
    for (;;) {
      const bool opens =
          next_block_ < by_bound_.size() && (opened_.empty() || by_bound_[next_block_] < opened_.front().bound);
      const bool ended = !opens && opened_.empty();
      if (!scored_.empty() &&
          (ended || (opens ? by_bound_[next_block_] : opened_.front().bound).certainly_after(scored_.front().job))) {
        return take_scored();
      }
      if (ended) return nullptr;
      if (!opens) {
        score_some(dispatch);
        continue;
      }
      const std::uint32_t block = by_bound_[next_block_++].block;
      if (!std::is_same_v<MayHaveOne, Any> && !may_have(block, may_have_one)) continue;
      const std::size_t first = picked_.size();
      const Block& opened = blocks_[block];
      bool leads = false;  // the last job that was picked, those that are alike
      for (std::size_t i = 0; i < opened.size; ++i) {
        leads = leads && opened.alike[i];
        if (!may_start(opened.jobs[i])) continue;
        if (leads) {
          followers_.push_back(opened.jobs[i]);
          ++picked_.back().followers;
          continue;
        }
        leads = true;
        picked_.push_back({opened.jobs[i], static_cast<std::uint32_t>(followers_.size()), 0});
        picked_.back().job.key = opened.lines[i].start;
        ends_.push_back(opened.lines[i].end);
      }
      open(block, first, dispatch.now());
    }
  }

  template <class MayHaveOne>
  bool may_have(std::uint32_t block, MayHaveOne may_have_one) {
    Verdict& verdict = verdicts_[block / blocks_per_group];
    if (verdict == Verdict::none) {
      verdict = may_have_one(group_summary(block / blocks_per_group)) ? Verdict::yes : Verdict::no;
    }
    return verdict == Verdict::yes && may_have_one(summary(block));
  }

  std::vector<Block> blocks_;  // some may be empty
  std::vector<Summary> summaries_;
  std::vector<Summary> groups_;  // of blocks that follow each other
  std::vector<Time> until_;      // the lines of a block hold
  std::vector<Bound> by_bound_;  // the blocks, with bounds that hold up to `known_until_`
  std::vector<Bound> places_;    // of blocks, there
  std::vector<std::uint32_t> misplaced_;
  std::vector<std::uint32_t> doubtful_;  // blocks; others may be among them
  std::vector<std::uint32_t> worn_;      // blocks that were looked into too often
  std::vector<std::uint32_t> block_of_;  // by slot
  std::vector<WaitingJob> arrived_;      // since the last call
  std::size_t size_ = 0;                 // jobs in blocks
  std::size_t changes_ = 0;              // since they were grouped
  std::size_t effort_ = 0;               // likewise: scores worked out, and what it took to open blocks
  Time grouped_at_ = 0;
  Time stretch_ = 60 * second;  // of new blocks
  Time soonest_ = never;        // end of the lines of a block
  Time known_from_ = 0;
  Time known_until_ = std::numeric_limits<Time>::min();
  Time calls_ = 0;  // since `known_from_`

  // Of the walk.
  std::uint32_t first_ = 0;     // the sequence of the job that came first
  std::size_t next_block_ = 0;  // of `by_bound_`
  std::vector<Opened> opened_;  // heap
  std::vector<Picked> picked_;  // of opened blocks
  std::vector<WaitingJob> followers_;
  std::vector<double> ends_;       // of the lines of those that are being picked
  std::vector<Picked> scored_;     // heap: jobs with their scores
  std::vector<Verdict> verdicts_;  // on groups
  WaitingJob current_{};
};

}  // namespace schedlab
