// What jobs do on a platform: how much work they bring, and how far they are.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "execution/platform/platform.hpp"

namespace schedlab {

namespace {

/// SWF writes -1 for what is missing.
double at_least_zero(double given) { return given > 0.0 ? given : 0.0; }

Work work_of(Slot slot, const JobTable& jobs, Time run) {
  Work work{0.0, 0.0, 0.0, run};
  if (jobs.attribute_names().empty()) return work;
  work.instructions = at_least_zero(jobs.attribute(slot, "instructions"));
  work.ipc = at_least_zero(jobs.attribute(slot, "ipc"));
  work.memory_volume = at_least_zero(jobs.attribute(slot, "memory_volume"));
  if (work.ipc == 0.0) work.instructions = 0.0;
  return work;
}

}  // namespace

std::optional<Time> Platform::alone_time(const JobSpec& job, const std::vector<std::string>& attributes) const {
  const auto value = [&](std::string_view name) {
    const auto found = std::find(attributes.begin(), attributes.end(), name);
    const auto place = static_cast<std::size_t>(found - attributes.begin());
    return place < job.attributes.size() ? at_least_zero(job.attributes[place]) : 0.0;
  };
  const Work work{value("instructions"), value("ipc"), 0.0, job.run};
  if (work.instructions == 0.0 || work.ipc == 0.0) return std::nullopt;
  const double alone = std::ceil(work.alone(spec().processors.front()));
  if (!(alone < 9.0e18)) throw InputError("job " + std::to_string(job.id) + " would run for more than 292 years");
  return static_cast<Time>(alone);
}

Time Platform::begin(Slot slot, JobTable& jobs, Time now) {
  const Job& job = jobs[slot];
  // An attempt may have less to do, because of what earlier ones kept, and more, because it writes checkpoints.
  const Time whole = nodes_fail_ ? job.work + job.kept : job.run;
  const double part = whole == job.run || whole == 0 ? 1.0 : static_cast<double>(job.run) / static_cast<double>(whole);
  keep_promise(slot);
  sockets_.run(slot, work_of(slot, jobs, whole), part, job.application != 0, now);
  return never;
}

Time Platform::work_done(Slot slot, const JobTable& jobs, Time now) const {
  const double part = sockets_.part_done(slot, now);
  return part >= 1.0 ? jobs[slot].run : static_cast<Time>(part * static_cast<double>(jobs[slot].run));
}

}  // namespace schedlab
