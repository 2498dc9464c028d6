#include "machine/windows.hpp"

#include <numeric>
#include <utility>

#include "machine/machine.hpp"

namespace schedlab {

Windows::Windows(std::vector<Window> windows, std::vector<std::vector<NodeRange>> node_sets)
    : windows_(std::move(windows)), by_end_(windows_.size()), sets_(std::move(node_sets)) {
  std::stable_sort(windows_.begin(), windows_.end(),
                   [](const Window& a, const Window& b) { return a.start < b.start; });
  std::iota(by_end_.begin(), by_end_.end(), 0U);
  std::stable_sort(by_end_.begin(), by_end_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return windows_[a].end < windows_[b].end; });
  latest_end_.resize((windows_.size() + block - 1) / block);
  latest_end_of_blocks_.resize((windows_.size() + blocks - 1) / blocks);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    latest_end_[i / block] = std::max(latest_end_[i / block], windows_[i].end);
    latest_end_of_blocks_[i / blocks] = std::max(latest_end_of_blocks_[i / blocks], windows_[i].end);
    changes_.push_back(windows_[i].start);
    changes_.push_back(windows_[i].end);
  }
  std::sort(changes_.begin(), changes_.end());
  changes_.erase(std::unique(changes_.begin(), changes_.end()), changes_.end());
}

void Windows::divide(const std::vector<NodeGroup>& groups) {
  std::vector<std::uint32_t> borders = {0};
  for (const NodeGroup& group : groups) borders.push_back(borders.back() + group.nodes);
  const std::uint32_t nodes = borders.back();
  for (const auto& set : sets_) {
    for (const NodeRange& range : set) {
      borders.push_back(range.first);
      borders.push_back(range.first + range.count);
    }
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  part_of_.resize(nodes);
  for (std::size_t part = 0; part + 1 < borders.size(); ++part) {
    parts_.push_back({borders[part], borders[part + 1] - borders[part]});
    std::fill(part_of_.begin() + borders[part], part_of_.begin() + borders[part + 1], static_cast<std::uint32_t>(part));
  }
  for (auto& set : sets_) {
    for (NodeRange& range : set) {
      const std::uint32_t first = part_of_[range.first];
      range = {first, part_of_[range.first + range.count - 1] - first + 1};
    }
  }
}

bool Windows::advance(Time now) {
  const std::size_t before = next_;
  while (next_ < changes_.size() && changes_[next_] <= now) ++next_;
  while (passed_ < windows_.size() && windows_[passed_].end <= now) ++passed_;
  return next_ != before;
}

std::size_t Windows::first_from(Time time) const {
  const auto found = std::lower_bound(windows_.begin(), windows_.end(), time,
                                      [](const Window& window, Time wanted) { return window.start < wanted; });
  return static_cast<std::size_t>(found - windows_.begin());
}

std::size_t Windows::first_ending_after(Time time) const {
  const auto found = std::upper_bound(by_end_.begin(), by_end_.end(), time,
                                      [&](Time wanted, std::uint32_t window) { return wanted < windows_[window].end; });
  return static_cast<std::size_t>(found - by_end_.begin());
}

bool Windows::open(std::uint32_t node, const Job& job, Time from, Time to) const {
  const std::uint32_t part = part_of_[node];
  bool result = true;
  closed_to(job, from, to, [&](const Window& window) {
    for (const NodeRange& range : parts_of(window)) result = result && part - range.first >= range.count;
    return result;
  });
  return result;
}

}  // namespace schedlab
