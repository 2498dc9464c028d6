#include "dispatch/schedulers/ranked_jobs.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace schedlab {

namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();
constexpr double highest = std::numeric_limits<double>::infinity();
constexpr std::size_t batch = JobExpression::batch;

/// Gives the jobs their scores at this time.
void score(const Dispatch& dispatch, std::span<WaitingJob> jobs) {
  std::array<Slot, batch> slots{};
  std::array<double, batch> keys{};
  for (std::size_t begin = 0; begin < jobs.size(); begin += batch) {
    const auto some = jobs.subspan(begin, std::min(batch, jobs.size() - begin));
    for (std::size_t i = 0; i < some.size(); ++i) slots[i] = some[i].slot;
    dispatch.order()->keys(dispatch, {slots.data(), some.size()}, keys.data());
    for (std::size_t i = 0; i < some.size(); ++i) some[i].key = keys[i];
  }
}

/// What a line is at a part of its stretch, rounded down by more than it takes.
double at(double start, double end, double part) {
  if (!std::isfinite(start) || !std::isfinite(end)) return std::min(start, end);
  return start + (end - start) * part - (std::abs(start) + std::abs(end)) * 0x1p-48;
}

/// How much of a time is over.
double part_of(Time from, Time until, Time now) {
  return static_cast<double>(now - from) / static_cast<double>(until - from);
}

}  // namespace

void RankedJobs::begin(Dispatch& dispatch) {
  const Time now = dispatch.now();
  if (size_ + arrived_.size() != dispatch.queue().size()) take_all(dispatch.queue());  // a state was loaded
  if (changes_ + arrived_.size() > size_ / 4 + 4 * block_size || effort_ > 16 * (size_ + 4 * block_size)) {
    group_anew(dispatch);
  } else {
    renew_due(dispatch);
    insert_arrived(dispatch);
  }
  for (const std::uint32_t block : doubtful_) {  // an order may refuse a job, wherever it would be
    const Block& held = blocks_[block];
    std::array<WaitingJob, block_size> jobs = held.jobs;
    if (held.doubtful) score(dispatch, {jobs.data(), held.size});
  }
  put_blocks_in_order(now);
  begin_walk();
}

void RankedJobs::take_all(const WaitingQueue& queue) {
  arrived_.clear();
  for (std::size_t block = 0; block < queue.blocks(); ++block) {
    arrived_.insert(arrived_.end(), queue.entries(block).begin(), queue.entries(block).end());
  }
  blocks_.clear();
  size_ = 0;
  changes_ = 4 * block_size;  // all are put into blocks anew
}

void RankedJobs::sort(Dispatch& dispatch, std::vector<WaitingJob>& jobs) {
  const std::size_t end = dispatch.queue().blocks();
  std::erase_if(jobs, [&](const WaitingJob& job) { return find(dispatch, job).block == end; });
  score(dispatch, jobs);
  std::sort(jobs.begin(), jobs.end());
}

/// Puts jobs into blocks by their scores at this time: those of a block have much in common then.
void RankedJobs::group_anew(Dispatch& dispatch) {
  std::vector<WaitingJob> all = std::move(arrived_);
  for (const Block& block : blocks_) all.insert(all.end(), block.jobs.begin(), block.jobs.begin() + block.size);
  score(dispatch, all);
  std::sort(all.begin(), all.end());
  const Time now = dispatch.now();
  if (!blocks_.empty()) stretch_ = std::clamp((now - grouped_at_) / 8, shortest_stretch, longest_stretch);
  grouped_at_ = now;
  changes_ = 0;
  effort_ = 0;
  arrived_.clear();
  blocks_.clear();
  summaries_.clear();
  groups_.clear();
  until_.clear();
  by_bound_.clear();
  places_.clear();
  misplaced_.clear();
  doubtful_.clear();
  worn_.clear();
  size_ = all.size();
  soonest_ = never;
  known_until_ = std::numeric_limits<Time>::min();
  for (std::size_t begin = 0; begin < all.size(); begin += block_size) {
    const std::uint32_t block = open_block(now);
    Block& opened = blocks_[block];
    opened.size = std::min(block_size, all.size() - begin);
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), opened.size, opened.jobs.begin());
    for (std::size_t i = 0; i < opened.size; ++i) {
      const Slot slot = opened.jobs[i].slot;
      if (slot >= block_of_.size()) block_of_.resize(slot + 1);
      block_of_[slot] = block;
    }
    renew(dispatch, block, stretch_);
  }
}

std::uint32_t RankedJobs::open_block(Time now) {
  const auto block = static_cast<std::uint32_t>(blocks_.size());
  blocks_.emplace_back();
  blocks_.back().stretch = stretch_;
  blocks_.back().from = now;
  summaries_.emplace_back();
  if (groups_.size() * blocks_per_group <= block) groups_.emplace_back();
  until_.push_back(later(now, stretch_));
  places_.push_back({0.0, 0, std::numeric_limits<std::uint32_t>::max()});
  return block;
}

/// Jobs that arrived go to the last block, whatever their scores; their lines are constant until the block is renewed.
void RankedJobs::insert_arrived(Dispatch& dispatch) {
  std::array<Slot, batch> slots{};
  std::array<double, batch> starts{};
  std::array<double, batch> ends{};
  for (std::size_t next = 0; next < arrived_.size();) {
    if (blocks_.empty() || blocks_.back().size == block_size) open_block(dispatch.now());
    const auto last = static_cast<std::uint32_t>(blocks_.size() - 1);
    Block& block = blocks_[last];
    if (block.size == 0) {
      block.from = dispatch.now();
      until_[last] = later(block.from, block.stretch);
    }
    soonest_ = std::min(soonest_, until_[last]);
    const std::size_t count = std::min(arrived_.size() - next, block_size - block.size);
    for (std::size_t i = 0; i < count; ++i) slots[i] = arrived_[next + i].slot;
    dispatch.order()->lower_lines(dispatch, {slots.data(), count}, until_[last], starts.data(), ends.data());
    for (std::size_t i = 0; i < count; ++i) {
      const WaitingJob& job = arrived_[next + i];
      const bool known = !std::isnan(starts[i]) && !std::isnan(ends[i]);
      const double least = known ? std::min(starts[i], ends[i]) : lowest;
      if (!known && !block.doubtful) doubtful_.push_back(last);
      block.doubtful = block.doubtful || !known;
      if (job.slot >= block_of_.size()) block_of_.resize(job.slot + 1);
      block_of_[job.slot] = last;
      if (!summaries_[last].stale) summaries_[last].jobs.add(job);
      block.jobs[block.size] = job;
      block.lines[block.size] = {least, least};
      block.alike[block.size] = false;
      ++block.size;
    }
    mark_stale(last);
    mark_misplaced(last);
    next += count;
  }
  changes_ += arrived_.size();
  size_ += arrived_.size();
  arrived_.clear();
}

/// Gives the jobs of a block lines for a stretch of time from now on.
void RankedJobs::renew(Dispatch& dispatch, std::uint32_t block, Time stretch) {
  Block& renewed = blocks_[block];
  renewed.stretch = std::clamp(stretch, shortest_stretch, longest_stretch);
  renewed.in_vain = 0;
  renewed.from = dispatch.now();
  until_[block] = later(renewed.from, renewed.stretch);
  soonest_ = std::min(soonest_, until_[block]);
  std::array<Slot, batch> slots{};
  std::array<double, batch> starts{};
  std::array<double, batch> ends{};
  // Not by their keys, which are of different times: of jobs that are alike the first to join the queue goes first.
  std::sort(renewed.jobs.begin(), renewed.jobs.begin() + renewed.size, [](const WaitingJob& a, const WaitingJob& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.sequence < b.sequence;
  });
  for (std::size_t i = 0; i < renewed.size; ++i) slots[i] = renewed.jobs[i].slot;
  dispatch.order()->find_alike(dispatch, {slots.data(), renewed.size}, renewed.alike.data());
  for (std::size_t i = 1; i < renewed.size; ++i) {
    if (renewed.jobs[i].rank != renewed.jobs[i - 1].rank) renewed.alike[i] = false;
  }
  dispatch.order()->lower_lines(dispatch, {slots.data(), renewed.size}, until_[block], starts.data(), ends.data());
  const bool was_doubtful = std::exchange(renewed.doubtful, false);
  for (std::size_t i = 0; i < renewed.size; ++i) {
    const bool known = !std::isnan(starts[i]) && !std::isnan(ends[i]);
    renewed.lines[i] = known ? Line{starts[i], ends[i]} : Line{lowest, lowest};
    renewed.doubtful = renewed.doubtful || !known;
  }
  if (renewed.doubtful && !was_doubtful) doubtful_.push_back(block);
  mark_misplaced(block);
}

void RankedJobs::renew_due(Dispatch& dispatch) {
  const Time now = dispatch.now();
  for (const std::uint32_t block : worn_) {
    if (blocks_[block].in_vain >= most_in_vain) renew(dispatch, block, blocks_[block].stretch / 2);
  }
  worn_.clear();
  if (soonest_ >= now) return;
  soonest_ = never;
  for (std::uint32_t block = 0; block < until_.size(); ++block) {
    if (until_[block] < now && blocks_[block].size == 0) until_[block] = never;
    if (until_[block] < now) renew(dispatch, block, 2 * blocks_[block].stretch);
    soonest_ = std::min(soonest_, until_[block]);
  }
  std::erase_if(doubtful_, [&](std::uint32_t block) { return !blocks_[block].doubtful; });
}

void RankedJobs::find_line(std::uint32_t block) {
  Block& held = blocks_[block];
  held.line = {highest, highest};
  held.rank = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < held.size; ++i) {
    held.line = {std::min(held.line.start, held.lines[i].start), std::min(held.line.end, held.lines[i].end)};
    held.rank = std::min(held.rank, held.jobs[i].rank);
  }
}

RankedJobs::Bound RankedJobs::bound_of(std::uint32_t block, Time now) const {
  const Block& held = blocks_[block];
  const Time until = until_[block];
  const double soon = at(held.line.start, held.line.end, part_of(held.from, until, now));
  const double late = at(held.line.start, held.line.end, part_of(held.from, until, std::min(until, known_until_)));
  return {std::min(soon, late), held.rank, block};
}

/// Brings the blocks into order by bounds that hold for some calls.
void RankedJobs::put_blocks_in_order(Time now) {
  for (const std::uint32_t block : misplaced_) find_line(block);
  ++calls_;
  if (now > known_until_ || misplaced_.size() > 16 + by_bound_.size() / 16) {
    put_all_in_order(now);
  } else {
    for (const std::uint32_t block : misplaced_) put_in_order(block, now);
  }
  for (const std::uint32_t block : misplaced_) blocks_[block].misplaced = false;
  misplaced_.clear();
}

void RankedJobs::put_in_order(std::uint32_t block, Time now) {
  Block& held = blocks_[block];
  if (held.placed) by_bound_.erase(std::lower_bound(by_bound_.begin(), by_bound_.end(), places_[block]));
  held.placed = held.size > 0;
  if (!held.placed) return;
  places_[block] = bound_of(block, now);
  by_bound_.insert(std::lower_bound(by_bound_.begin(), by_bound_.end(), places_[block]), places_[block]);
}

void RankedJobs::put_all_in_order(Time now) {
  const bool few = blocks_.size() <= blocks_per_group;
  known_until_ = later(now, few ? 0 : (now - known_from_) * calls_ahead / calls_);
  known_from_ = now;
  calls_ = 0;
  for (const std::uint32_t block : misplaced_) {
    if (!blocks_[block].placed) by_bound_.push_back({0.0, 0, block});
    blocks_[block].placed = true;
  }
  std::erase_if(by_bound_, [&](const Bound& bound) {
    blocks_[bound.block].placed = blocks_[bound.block].size > 0;
    return !blocks_[bound.block].placed;
  });
  for (Bound& bound : by_bound_) {
    bound = bound_of(bound.block, now);
    places_[bound.block] = bound;
  }
  // Most are where they were.
  std::size_t moves = 0;
  for (std::size_t i = 1; i < by_bound_.size(); ++i) {
    const Bound moved = by_bound_[i];
    std::size_t to = i;
    for (; to > 0 && moved < by_bound_[to - 1]; --to, ++moves) by_bound_[to] = by_bound_[to - 1];
    by_bound_[to] = moved;
    if (moves > 8 * by_bound_.size()) return std::sort(by_bound_.begin(), by_bound_.end());
  }
}

/// The job was started.
void RankedJobs::remove(Slot slot) {
  const std::uint32_t block = block_of_[slot];
  Block& held = blocks_[block];
  std::size_t index = 0;
  while (held.jobs[index].slot != slot) ++index;
  summaries_[block].stale = summaries_[block].stale || !summaries_[block].jobs.remove(held.jobs[index]);
  mark_stale(block);
  const auto shift = [&](auto& of_jobs) {
    std::copy(of_jobs.begin() + index + 1, of_jobs.begin() + held.size, of_jobs.begin() + index);
  };
  const bool was_alike = held.alike[index];
  shift(held.jobs);
  shift(held.lines);
  shift(held.alike);
  --held.size;
  if (index < held.size) held.alike[index] = held.alike[index] && was_alike;
  mark_misplaced(block);
  --size_;
  ++changes_;
}

void RankedJobs::begin_walk() {
  next_block_ = 0;
  opened_.clear();
  picked_.clear();
  followers_.clear();
  scored_.clear();
  verdicts_.assign(groups_.size(), Verdict::none);
}

/// The jobs picked from the first one on are of that block; they have the starts of their lines as keys.
void RankedJobs::open(std::uint32_t block, std::size_t first, Time now) {
  const double part = part_of(blocks_[block].from, until_[block], now);
  for (std::size_t i = first; i < picked_.size(); ++i) {
    picked_[i].job.key = at(picked_[i].job.key, ends_[i - first], part);
  }
  ends_.clear();
  effort_ += scores_at_once;
  if (first == picked_.size()) return;
  std::sort(picked_.begin() + static_cast<std::ptrdiff_t>(first), picked_.end());
  opened_.push_back({{picked_[first].job.key, picked_[first].job.rank, block}, first, picked_.size()});
  std::push_heap(opened_.begin(), opened_.end(), later_opened);
}

/// Works out the scores of the first jobs of what is opened.
void RankedJobs::score_some(Dispatch& dispatch) {
  std::pop_heap(opened_.begin(), opened_.end(), later_opened);
  Opened& left = opened_.back();
  const std::size_t count = std::min(scores_at_once, left.end - left.next);
  std::array<WaitingJob, scores_at_once> jobs;
  for (std::size_t i = 0; i < count; ++i) jobs[i] = picked_[left.next + i].job;
  score(dispatch, {jobs.data(), count});
  for (std::size_t i = 0; i < count; ++i) {
    scored_.push_back(picked_[left.next + i]);
    scored_.back().job.key = jobs[i].key;
    std::push_heap(scored_.begin(), scored_.end(), later_job);
  }
  Block& looked_into = blocks_[left.bound.block];
  if (looked_into.in_vain < most_in_vain && looked_into.in_vain + count >= most_in_vain) {
    worn_.push_back(left.bound.block);
  }
  looked_into.in_vain += static_cast<std::uint32_t>(count);
  effort_ += count;
  left.next += count;
  if (left.next == left.end) {
    opened_.pop_back();
    return;
  }
  left.bound.key = picked_[left.next].job.key;
  left.bound.rank = picked_[left.next].job.rank;
  std::push_heap(opened_.begin(), opened_.end(), later_opened);
}

/// The first of those that have their scores; the next one that is alike takes its place.
const WaitingJob* RankedJobs::take_scored() {
  std::pop_heap(scored_.begin(), scored_.end(), later_job);
  Picked& taken = scored_.back();
  current_ = taken.job;
  if (taken.followers == 0) {
    scored_.pop_back();
    return &current_;
  }
  taken.job = followers_[taken.follower++];
  taken.job.key = current_.key;
  --taken.followers;
  std::push_heap(scored_.begin(), scored_.end(), later_job);
  return &current_;
}

const WaitingSummary& RankedJobs::summary(std::uint32_t block) {
  Summary& known = summaries_[block];
  if (known.stale) {
    known = {{}, false};
    for (std::size_t i = 0; i < blocks_[block].size; ++i) known.jobs.add(blocks_[block].jobs[i]);
  }
  return known.jobs;
}

const WaitingSummary& RankedJobs::group_summary(std::uint32_t group) {
  Summary& known = groups_[group];
  if (known.stale) {
    known = {{}, false};
    const std::size_t end = std::min(blocks_.size(), (std::size_t{group} + 1) * blocks_per_group);
    for (std::size_t block = group * blocks_per_group; block < end; ++block) {
      known.jobs.add(summary(static_cast<std::uint32_t>(block)));
    }
  }
  return known.jobs;
}

}  // namespace schedlab
