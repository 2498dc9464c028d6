#include "bindings/simulation/simulation_reports.hpp"

#include "base/errors.hpp"
#include "bindings/execution/failures/failures.hpp"
#include "bindings/execution/platform/platform_reports.hpp"

namespace schedlab::bindings {

std::uint64_t ended_jobs(const Simulation& simulation) {
  const Counts& counts = simulation.counts();
  return counts.completed + counts.killed + counts.failed;
}

namespace {

nb::object summary_of(const Distribution& values) {
  if (values.count() == 0) return nb::none();
  nb::dict result;
  result["mean"] = values.mean();
  result["median"] = values.quantile(0.5);
  result["p95"] = values.quantile(0.95);
  result["max"] = values.largest();
  return result;
}

/// What applications did on the network; None where none ran.
nb::object network_of(const Simulation& simulation) {
  const Applications* applications = simulation.application_jobs();
  if (applications == nullptr || applications->metrics().jobs == 0) return nb::none();
  const NetworkMetrics& sums = applications->metrics();
  nb::dict result;
  result["jobs"] = sums.jobs;
  result["compute"] = sums.compute_seconds;
  result["communication"] = sums.communication_seconds;
  result["file_access"] = sums.file_seconds;
  result["communication_share"] = sums.communication_shares / static_cast<double>(sums.jobs);
  result["messages"] = sums.messages;
  result["bytes"] = sums.bytes;
  result["mean_hops"] = sums.messages > 0.0 ? nb::object(nb::float_(sums.hops / sums.messages)) : nb::none();
  result["hop_bytes"] = sums.hop_bytes;
  result["slowdown"] = summary_of(sums.slowdown);
  return result;
}

/// The share of each license that was taken, over the whole run; None where there are none.
nb::object licenses_of(const Simulation& simulation, double makespan) {
  const Licenses& licenses = simulation.machine().licenses();
  if (licenses.kinds() == 0) return nb::none();
  nb::dict shares;
  for (std::size_t kind = 0; kind < licenses.kinds(); ++kind) {
    const License& license = licenses.all()[kind];
    const double whole = static_cast<double>(license.amount) * makespan;
    shares[license.name.c_str()] = whole > 0.0 ? simulation.busy_licenses()[kind] / whole : 0.0;
  }
  return shares;
}

}  // namespace

nb::dict counts_of(const Simulation& simulation) {
  const Counts& counts = simulation.counts();
  nb::dict result;
  result["submitted"] = counts.submitted;
  result["completed"] = counts.completed;
  result["killed"] = counts.killed;
  result["failed"] = counts.failed;
  result["rejected"] = counts.rejected;
  result["held"] = counts.held;
  result["queued"] = counts.queued;
  result["running"] = counts.running;
  return result;
}

nb::dict rejections_of(const Simulation& simulation) {
  nb::dict result;
  const RejectedJobsByReason& all = simulation.rejected();
  for (std::size_t why = 0; why < all.size(); ++why) {
    if (all[why].count == 0) continue;
    nb::dict alike;
    alike["jobs"] = all[why].count;
    alike["first_job"] = all[why].first;
    alike["because"] = all[why].text;
    result[std::string(rejection_names[why]).c_str()] = alike;
  }
  return result;
}

nb::dict metrics_of(const Simulation& simulation) {
  const JobMetrics& metrics = simulation.metrics();
  nb::dict result;
  result["wait"] = summary_of(metrics.wait);
  result["slowdown"] = summary_of(metrics.slowdown);
  result["bounded_slowdown"] = summary_of(metrics.bounded_slowdown);
  result["turnaround"] = summary_of(metrics.turnaround);
  const std::uint64_t ended = ended_jobs(simulation);
  const bool any_ran = ended > 0 || (simulation.outages() != nullptr && simulation.outages()->any_ended_early());
  const double makespan = any_ran ? in_seconds(simulation.last_end() - simulation.first_submit()) : 0.0;
  nb::dict utilization;
  const Machine& machine = simulation.machine();
  for (std::size_t type = 0; type < machine.types(); ++type) {
    const double whole = static_cast<double>(machine.capacity(type)) * makespan;
    utilization[machine.spec().types[type].c_str()] = whole > 0.0 ? simulation.busy()[type] / whole : 0.0;
  }
  result["utilization"] = utilization;
  if (const nb::object licenses = licenses_of(simulation, makespan); !licenses.is_none()) result["licenses"] = licenses;
  result["makespan"] = makespan;
  if (const nb::object energy = energy_of(simulation); !energy.is_none()) result["energy"] = energy;
  if (const nb::object thermal = thermal_of(simulation); !thermal.is_none()) result["thermal"] = thermal;
  if (const nb::object network = network_of(simulation); !network.is_none()) result["network"] = network;
  result["throughput_per_hour"] = makespan > 0.0 ? static_cast<double>(ended) * 3600.0 / makespan : 0.0;
  add_failure_metrics(result, simulation);
  return result;
}

nb::dict workload_report(const Simulation& simulation) {
  const SourceReport report = simulation.source().report();
  nb::dict skipped;
  for (const auto& entry : report.skipped) {
    nb::dict detail;
    detail["rows"] = entry.rows;
    if (entry.first_line > 0) {
      detail["first_line"] = entry.first_line;
    } else {
      detail["first_line"] = nb::none();
    }
    skipped[entry.reason.c_str()] = detail;
  }
  nb::dict result;
  result["rows"] = report.rows;
  result["bytes"] = report.bytes;
  result["checksum"] = report.checksum;
  result["skipped"] = skipped;
  result["comments"] = texts_of(report.comments, "replace");
  return result;
}

nb::object found_in_rows(const Simulation& simulation) {
  const std::optional<FoundInRows> found = simulation.source().report().found;
  if (!found) return nb::none();
  nb::dict result;
  result["jobs"] = found->jobs;
  result["other_processors"] = found->other_processors;
  result["own_tasks"] = found->own_tasks;
  result["other_memory"] = found->other_memory;
  result["no_memory"] = found->no_memory;
  result["own_memory"] = found->own_memory;
  result["no_user"] = found->no_user;
  result["with_predecessors"] = found->with_predecessors;
  return result;
}

nb::dict unheeded_predecessors_of(const Simulation& simulation) {
  nb::dict result;
  const auto all = simulation.unheeded_predecessors().names();
  for (std::size_t why = 0; why < all.size(); ++why) {
    if (all[why].count == 0) continue;
    result[std::string(unheeded_names[why]).c_str()] =
        nb::make_tuple(all[why].count, all[why].job, all[why].predecessor);
  }
  return result;
}

std::vector<Tick> rank_ends_of(const Simulation& simulation) {
  if (simulation.applications() == nullptr) return {};
  return simulation.applications()->last_rank_ends();
}

std::vector<double> carried_of(const Simulation& simulation) {
  if (simulation.applications() == nullptr) return {};
  return simulation.applications()->carried(simulation.now());
}

std::vector<std::int64_t> jobs_in(Simulation& simulation, const std::string& state) {
  std::vector<std::int64_t> ids;
  if (state != "held" && state != "queued" && state != "running") {
    throw InputError("jobs can be asked for in state held, queued or running, not \"" + state + "\"");
  }
  if (state == "queued") {
    simulation.sort_queue_to_look();
    const WaitingQueue& queue = simulation.queue();
    for (std::size_t block = 0; block < queue.blocks(); ++block) {
      for (const WaitingJob& job : queue.entries(block)) ids.push_back(simulation.jobs()[job.slot].id);
    }
    return ids;
  }
  for (Slot slot = 0; slot < simulation.jobs().slots(); ++slot) {
    const Job& job = simulation.jobs()[slot];
    if (name_of(job.state) == state && !job.outage) ids.push_back(job.id);
  }
  return ids;
}

}  // namespace schedlab::bindings
