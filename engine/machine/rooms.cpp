// How many tasks have room on which nodes: the one place where a request meets a node.
#include <algorithm>
#include <limits>

#include "machine/machine.hpp"

namespace schedlab {

namespace {

constexpr std::uint32_t most_tasks = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::uint32_t Machine::room(std::uint32_t node, const Job& job, const Amount* amounts) const {
  if (job.plain) return plain_room_[node];
  if (!node_sets_.has(job.node_set, node) || (job.whole_nodes && !idle(node))) return 0;
  return free_room(node, amounts, job.tasks_per_node > 0 ? job.tasks_per_node : most_tasks);
}

Rooms Machine::rooms_of_request(const Job& job, const Amount* amounts) const {
  if (const Request& hinted = requests_[job.request]; hinted.on.empty() || !hinted.matches(job, amounts)) {
    find_request(job, amounts);
  }
  Request& request = requests_[job.request];
  request.last_use = ++uses_;
  if (requests_vary_ || request.on.empty()) note_use(request.on.empty() ? nodes_ : 0);
  if (request.changes != changes() || request.on.empty()) bring_up_to_date(request, job, amounts);
  return request.rooms();
}

/// Some dozens of nodes for each question are more than it costs to look for room anew. On small machines it hardly
/// matters, so the mean is of fewer uses there, and both ways are tried often.
void Machine::note_use(std::uint64_t nodes) const {
  constexpr std::uint64_t unit = 16;
  const std::uint64_t uses = std::clamp<std::uint64_t>(nodes_, 4, 64);
  const std::uint64_t most = unit * uses * std::min<std::uint64_t>(48, (nodes_ + 1) / 2);
  const std::uint64_t since = uses_ - noted_uses_;
  noted_uses_ = uses_;
  nodes_per_use_ += unit * nodes;
  nodes_per_use_ -= nodes_per_use_ * since / (uses + since - 1);
  if (requests_vary_ ? nodes_per_use_ >= most / 4 : nodes_per_use_ <= most) return;
  requests_vary_ = !requests_vary_;
  given_back_.forget_all();  // it is only kept where requests vary
}

/// Where the rooms for the job's request are kept; the ones that nobody asked for the longest make way for it.
void Machine::find_request(const Job& job, const Amount* amounts) const {
  std::uint32_t oldest = 0;
  for (std::uint32_t i = 0; i < most_requests; ++i) {
    job.request = i;
    if (!requests_[i].on.empty() && requests_[i].matches(job, amounts)) return;
    if (requests_[i].last_use < requests_[oldest].last_use) oldest = i;
  }
  job.request = oldest;
  Request& request = requests_[oldest];
  request = Request();
  request.amounts.assign(amounts, amounts + types());
  request.tasks_per_node = job.tasks_per_node;
  request.whole_nodes = job.whole_nodes;
  request.node_set = job.node_set;
}

void Machine::bring_up_to_date(Request& request, const Job& job, const Amount* amounts) const {
  followed_ = true;
  if (request.on.empty() || request.changes < forgotten_changes_) {
    request.on.assign(nodes_, 0);
    request.open = Bitset(nodes_);
    request.total = 0;
    visit_rooms(job, amounts, most_tasks, [&](std::uint32_t node, std::uint32_t room) {
      request.on[node] = room;
      request.open.insert(node);
      request.total += room;
      return true;
    });
  } else {
    for (std::size_t i = request.changes - forgotten_changes_; i < changed_.size(); ++i) {
      const std::uint32_t node = changed_[i];
      const std::uint32_t now = room(node, job, amounts);
      std::uint32_t& known = request.on[node];
      if (now == known) continue;
      request.total += static_cast<std::int64_t>(now) - known;
      known = now;
      if (now > 0) {
        request.open.insert(node);
      } else {
        request.open.erase(node);
      }
    }
  }
  request.changes = changes();
}

void Machine::bring_levels_up_to_date() const {
  const auto look_at = [&](std::uint32_t node) {
    for (std::size_t type = 0; type < types(); ++type) levels_.set(node, type, free(node, type));
  };
  if (levels_.empty()) {
    std::vector<Amount> most(types());
    for (const NodeGroup& group : spec_.groups) {
      for (std::size_t type = 0; type < types(); ++type) most[type] = std::max(most[type], group.resources[type]);
    }
    levels_ = FreeLevels(most, nodes_);
    followed_ = true;
    levels_changes_ = 0;
  }
  if (levels_changes_ == 0 || levels_changes_ - 1 < forgotten_changes_) {
    for (std::uint32_t node = 0; node < nodes_; ++node) look_at(node);
  } else {
    for (std::size_t i = levels_changes_ - 1 - forgotten_changes_; i < changed_.size(); ++i) look_at(changed_[i]);
  }
  levels_changes_ = changes() + 1;
}

bool Machine::lacks_room(const Job& job, const Amount* amounts) const {
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (std::size_t type = 0; type < types(); ++type) {
    if (amounts[type] > 0) room = std::min(room, total_free_[type] / amounts[type]);
  }
  if (room >= job.tasks) {
    room = 0;
    visit_rooms(job, amounts, job.tasks, [&](std::uint32_t, std::uint32_t here) { return (room += here) < job.tasks; });
  }
  if (room < job.tasks) note_refusal(job, room);
  return room < job.tasks;
}

bool Machine::refuses_in_spite_of_gains(const Job& job, const Amount* amounts) const {
  constexpr std::uint64_t most_gains = 16;  // to look for room anew is cheaper than more of them
  const std::uint64_t end = given_back_.end();
  std::uint64_t room = job.known_room;
  if (!given_back_.has(job.refused_at) || end - job.refused_at > most_gains) room = job.tasks;
  for (std::uint64_t place = job.refused_at; place < end && room < job.tasks; ++place) {
    const GivenBack::Entry gain = given_back_[place];
    const std::uint32_t after = room_in(gain.after, gain.node, job, amounts);
    if (after > 0) room += after - std::min(after, room_in(gain.before, gain.node, job, amounts));
  }
  job.refused_at = room < job.tasks ? end : 0;
  job.known_room = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, job.tasks));
  return room < job.tasks;
}

}  // namespace schedlab
