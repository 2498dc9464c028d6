#include "machine/closed_nodes.hpp"

namespace schedlab {

Time first_open(const Windows& windows, const Machine& machine, const Job& job, const Amount* amounts, Time from,
                ClosedParts& parts) {
  if (job.not_before == never || job.not_before > from) return job.not_before;
  std::vector<std::int64_t> rooms;
  std::int64_t open = 0;
  std::vector<Amount> capacity(machine.types());
  for (const NodeRange& part : windows.parts()) {
    for (std::size_t type = 0; type < capacity.size(); ++type) capacity[type] = machine.node_capacity(part.first, type);
    const std::int64_t room =
        room_for(amounts, capacity.size(), job.tasks_per_node, [&](std::size_t type) { return capacity[type]; });
    rooms.push_back(room * machine.node_sets().among(job.node_set, part.first, part.count));
    open += rooms.back();
  }
  const auto flipped = [&](std::uint32_t part) { open += parts.closed(part) ? -rooms[part] : rooms[part]; };
  Time time = from;
  parts.begin(windows, job, time, flipped);
  while (open < job.tasks && time != never) {
    time = parts.next_end();
    if (time != never) parts.advance(time, flipped);
  }
  job.not_before = time;
  return time;
}

}  // namespace schedlab
