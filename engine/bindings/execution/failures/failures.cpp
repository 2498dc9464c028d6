#include "bindings/execution/failures/failures.hpp"

#include <nanobind/stl/pair.h>

#include <string>
#include <utility>

#include "base/errors.hpp"

namespace schedlab::bindings {

namespace {

using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::vector<NodeRange> ranges_from(const Ranges& given) {
  std::vector<NodeRange> ranges;
  for (const auto& [first, count] : given) ranges.push_back({first, count});
  return ranges;
}

DurationLaw law_from(nb::handle given) {
  const auto [name, first, second] = nb::cast<std::tuple<std::string, double, double>>(given);
  using Kind = DurationLaw::Kind;
  const Kind kind = name == "exponential" ? Kind::exponential
                    : name == "weibull"   ? Kind::weibull
                    : name == "lognormal" ? Kind::lognormal
                                          : Kind::fixed;
  if (kind == Kind::fixed && name != "fixed") throw InputError("unknown distribution \"" + name + "\"");
  return {kind, first, second};
}

}  // namespace

FailureSpec failures_from(const nb::dict& given, std::uint64_t seed) {
  FailureSpec spec;
  spec.seed = seed;
  for (const nb::handle item : given["processes"]) {
    FailureProcess process;
    process.between = law_from(item["between"]);
    process.repair = law_from(item["repair"]);
    process.nodes = ranges_from(nb::cast<Ranges>(item["nodes"]));
    for (const auto& [id, nodes] : nb::cast<std::vector<std::pair<std::uint32_t, Ranges>>>(item["units"])) {
      process.units.push_back({id, ranges_from(nodes)});
    }
    spec.processes.push_back(std::move(process));
  }
  for (const nb::handle item : given["trace"]) {
    const auto [node, start, end] = nb::cast<std::tuple<std::uint32_t, nb::object, nb::object>>(item);
    spec.trace.push_back({node, time_from(start, "start"), time_from(end, "end")});
  }
  if (const nb::object interval = given["interval"]; !interval.is_none()) {
    spec.checkpoints = {time_from(interval, "interval"), time_from(given["cost"], "cost"),
                        time_from(given["restart"], "restart")};
  }
  spec.attempts = nb::cast<std::uint32_t>(given["limit"]);
  spec.by_scheduler = nb::cast<bool>(given["by_scheduler"]);
  return spec;
}

void add_failure_metrics(nb::dict& metrics, const Simulation& simulation) {
  const Outages* outages = simulation.outages();
  if (outages == nullptr) return;
  const FailureCounts& counts = outages->counts;
  const NodeSeconds& seconds = outages->seconds;
  if (outages->nodes_fail) {
    nb::dict failures;
    failures["node_failures"] = counts.node_failures;
    failures["interruptions"] = counts.interruptions;
    failures["interrupted_jobs"] = counts.interrupted_jobs;
    failures["given_up"] = counts.given_up;
    failures["lost_node_seconds"] = seconds.lost;
    failures["down_node_seconds"] = seconds.down;
    metrics["failures"] = failures;
  }
  if (outages->by_scheduler) {
    nb::dict preemption;
    preemption["requeued"] = outages->preemptions.requeued;
    preemption["requeued_jobs"] = outages->preemptions.requeued_jobs;
    preemption["cancelled"] = outages->preemptions.cancelled;
    metrics["preemption"] = preemption;
  }
  const bool any = simulation.last_end() >= simulation.first_submit();
  const double length = any ? in_seconds(simulation.last_end() - simulation.first_submit()) : 0.0;
  const double all = static_cast<double>(simulation.machine().nodes()) * length;
  const double idle = all - seconds.useful - seconds.checkpoint - seconds.lost - seconds.down;
  nb::dict hours;
  hours["useful"] = seconds.useful / 3600.0;
  hours["checkpoint"] = seconds.checkpoint / 3600.0;
  hours["lost"] = seconds.lost / 3600.0;
  hours["idle"] = idle / 3600.0;
  hours["down"] = seconds.down / 3600.0;
  metrics["node_hours"] = hours;
  metrics["effective_utilization"] = all > 0.0 ? seconds.useful / all : 0.0;
  metrics["availability"] = all > 0.0 ? 1.0 - seconds.down / all : 1.0;
}

}  // namespace schedlab::bindings
