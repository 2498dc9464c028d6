#include "machine/node_sets.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/errors.hpp"

namespace schedlab {

namespace {

constexpr std::size_t most_members = 8'000'000'000;  // a gigabyte, a bit for each node of each set

std::uint32_t overlap(const NodeRanges& ranges, std::uint32_t first, std::uint32_t count) {
  const std::uint32_t end = first + count;
  std::uint32_t sum = 0;
  auto range = std::partition_point(ranges.begin(), ranges.end(),
                                    [&](const NodeRange& one) { return one.first + one.count <= first; });
  for (; range != ranges.end() && range->first < end; ++range) {
    sum += std::min(end, range->first + range->count) - std::max(first, range->first);
  }
  return sum;
}

}  // namespace

NodeSets::NodeSets(std::vector<std::uint32_t> group_sizes) : group_sizes_(std::move(group_sizes)) {
  number_of({{0, nodes()}});
}

std::uint32_t NodeSets::nodes() const { return std::accumulate(group_sizes_.begin(), group_sizes_.end(), 0U); }

std::uint32_t NodeSets::number_of(const NodeRanges& ranges) {
  const auto [found, is_new] = numbers_.try_emplace(ranges, size());
  if (!is_new) return found->second;
  const std::size_t most = std::min(most_sets, most_members / std::max(1U, nodes()));
  if (sets_.size() > most) {
    numbers_.erase(found);
    throw InputError("jobs are restricted to more than " + std::to_string(most) +
                     " different sets of nodes, which is too many on " + std::to_string(nodes()) + " nodes");
  }
  Set set{ranges, Bitset(nodes()), {}};
  std::uint32_t first = 0;
  for (const std::uint32_t count : group_sizes_) {
    set.of_group.push_back(overlap(ranges, first, count));
    first += count;
  }
  for (const NodeRange& range : ranges) {
    for (std::uint32_t i = 0; i < range.count; ++i) set.members.insert(range.first + i);
  }
  sets_.push_back(std::move(set));
  return found->second;
}

std::uint32_t NodeSets::both(std::uint32_t one, std::uint32_t other) {
  if (one == all || one == other) return other;
  if (other == all) return one;
  const auto pair = std::minmax(one, other);
  if (const auto known = common_.find(pair); known != common_.end()) return known->second;
  NodeRanges shared;
  auto a = sets_[one].ranges.begin();
  auto b = sets_[other].ranges.begin();
  while (a != sets_[one].ranges.end() && b != sets_[other].ranges.end()) {
    const std::uint32_t first = std::max(a->first, b->first);
    const std::uint32_t end = std::min(a->first + a->count, b->first + b->count);
    if (first < end) shared.push_back({first, end - first});
    a->first + a->count == end ? ++a : ++b;
  }
  return common_[pair] = number_of(shared);
}

std::uint32_t NodeSets::choices_of(const std::vector<std::uint32_t>& sets) {
  const auto [found, is_new] = choice_numbers_.try_emplace(sets, static_cast<std::uint32_t>(choices_.size()));
  if (is_new) choices_.push_back(sets);
  return found->second;
}

std::uint32_t NodeSets::among(std::uint32_t set, std::uint32_t first, std::uint32_t count) const {
  return set == all ? count : overlap(sets_[set].ranges, first, count);
}

void NodeSets::archive(Archive& archive) {
  std::vector<NodeRanges> saved;
  saved.reserve(sets_.size());
  for (const Set& set : sets_) saved.push_back(set.ranges);
  archive(saved);
  std::vector<std::vector<std::uint32_t>> choices = choices_;
  archive(choices);
  if (!archive.reading()) return;
  NodeSets read(group_sizes_);
  Archive::require(saved.size() >= sets_.size(), "sets of nodes are missing");
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    Archive::require(saved[i] == sets_[i].ranges, "a set of nodes is another one");
  }
  for (std::size_t i = 1; i < saved.size(); ++i) {
    std::uint64_t next = 0;
    for (const NodeRange& range : saved[i]) {
      const bool sound = range.count > 0 && range.first >= next && std::uint64_t{range.first} + range.count <= nodes();
      Archive::require(sound, "a set of nodes is not of this machine");
      next = std::uint64_t{range.first} + range.count + 1;  // else the two were one range
    }
    Archive::require(read.number_of(saved[i]) == i, "a set of nodes is there twice");
  }
  Archive::require(!choices.empty() && choices.front().empty(), "choices of jobs are missing");
  for (std::size_t i = 1; i < choices.size(); ++i) {
    const bool known = std::all_of(choices[i].begin(), choices[i].end(), [&](auto set) { return set < saved.size(); });
    Archive::require(known && choices[i].size() > 1 && read.choices_of(choices[i]) == i,
                     "a choice of a job is not there");
  }
  *this = std::move(read);
}

}  // namespace schedlab
