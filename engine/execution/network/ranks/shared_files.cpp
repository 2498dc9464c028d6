#include "execution/network/ranks/shared_files.hpp"

#include <algorithm>
#include <cmath>

namespace schedlab {

namespace {

constexpr double most_ticks = 1e18;  // after which a stream that takes longer is looked at again

}  // namespace

void SharedFiles::start(std::uint64_t owner, std::uint32_t node, double bytes, Tick now) {
  carry_to(now);
  streams_.push_back({owner, node, bytes, 0.0, never_tick});
  changed_ = true;
}

void SharedFiles::drop(std::uint64_t first, std::uint64_t last, Tick now) {
  carry_to(now);
  const auto gone = std::remove_if(streams_.begin(), streams_.end(),
                                   [&](const Stream& stream) { return stream.owner >= first && stream.owner < last; });
  if (gone == streams_.end()) return;
  streams_.erase(gone, streams_.end());
  changed_ = true;
}

void SharedFiles::advance(Tick now, std::vector<std::uint64_t>& ended) {
  carry_to(now);
  const auto goes_on = [now](const Stream& stream) { return stream.end > now || stream.left > stream.rate; };
  const auto gone = std::stable_partition(streams_.begin(), streams_.end(), goes_on);
  for (auto stream = gone; stream != streams_.end(); ++stream) ended.push_back(stream->owner);
  streams_.erase(gone, streams_.end());
  changed_ = true;
}

void SharedFiles::shift(Tick by) {
  updated_ = streams_.empty() ? 0 : updated_ - by;
  if (next_ != never_tick) next_ -= by;
  for (Stream& stream : streams_) stream.end -= by;
}

void SharedFiles::carry_to(Tick now) {
  if (now == updated_) return;
  for (Stream& stream : streams_) {
    stream.left = std::max(0.0, stream.left - stream.rate * static_cast<double>(now - updated_));
  }
  updated_ = now;
}

/// Every node's streams could share what the node can do; of these wishes the least are met first, and the others share
/// equally what is left.
void SharedFiles::share() {
  changed_ = false;
  std::unordered_map<std::uint32_t, std::uint32_t> on_node;
  for (const Stream& stream : streams_) ++on_node[stream.node];
  const double whole = spec_.bytes_per_second / ticks_per_second;
  const double node = spec_.node_bytes_per_second / ticks_per_second;
  std::vector<std::pair<double, std::size_t>> wishes;
  wishes.reserve(streams_.size());
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    wishes.emplace_back(node > 0.0 ? node / on_node[streams_[i].node] : whole, i);
  }
  std::sort(wishes.begin(), wishes.end());
  double left = whole;
  auto others = static_cast<double>(streams_.size());
  next_ = never_tick;
  for (const auto& [wish, place] : wishes) {
    Stream& stream = streams_[place];
    stream.rate = std::min(wish, left / others);
    left -= stream.rate;
    others -= 1.0;
    const double ticks = std::min(std::ceil(stream.left / stream.rate), most_ticks);
    stream.end = updated_ + static_cast<Tick>(ticks);
    next_ = std::min(next_, stream.end);
  }
}

}  // namespace schedlab
