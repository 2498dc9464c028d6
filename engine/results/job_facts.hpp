// What the engine itself knows of a job beyond the columns of every jobs.csv, by the name of the column.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "execution/network/ranks/application_runs.hpp"
#include "execution/platform/platform.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// A job that leaves, at the time it does.
struct JobRecord {
  const Job& job;
  Slot slot;
  Time now;
  const Platform* platform;       // may be null
  ApplicationRuns* applications;  // may be null
};

struct JobFact {
  std::string_view name;
  double (*value)(const JobRecord&);
};

inline double joules_of(const JobRecord& record) {
  if (record.platform == nullptr || record.job.state == JobState::rejected) return std::nan("");
  return record.platform->sockets().joules(record.slot, record.now);
}

/// Of its last attempt, against alone at the nominal clock.
inline double mean_speed_of(const JobRecord& record) {
  const Time length = record.job.end - record.job.start;
  if (record.platform == nullptr || record.job.state != JobState::completed || length <= 0) return std::nan("");
  return record.platform->sockets().attempt_work(record.slot) / static_cast<double>(length);
}

/// Something of what its application did; not a number for jobs without one.
template <class Value>
double traffic_of(const JobRecord& record, Value value) {
  const bool ran = record.applications != nullptr && record.job.application != 0 &&
                   record.job.state != JobState::rejected && record.applications->knows(record.slot);
  return ran ? value(record.applications->traffic(record.slot)) : std::nan("");
}

/// How many times as long as alone.
inline double network_slowdown_of(const JobRecord& record) {
  if (record.job.state != JobState::completed) return std::nan("");
  const double seconds = in_seconds(record.job.end - record.job.start);
  return traffic_of(record, [seconds](const JobTraffic& traffic) { return seconds / traffic.alone_seconds; });
}

inline constexpr std::array job_facts = {
    JobFact{"speed", mean_speed_of},
    JobFact{"energy", joules_of},
    JobFact{"application",
            [](const JobRecord& record) {
              return record.job.application == 0 ? std::nan("") : static_cast<double>(record.job.application);
            }},
    JobFact{"compute",
            [](const JobRecord& record) {
              return traffic_of(record, [](const JobTraffic& traffic) { return traffic.compute_seconds; });
            }},
    JobFact{"communication",
            [](const JobRecord& record) {
              return traffic_of(record, [](const JobTraffic& traffic) { return traffic.communication_seconds; });
            }},
    JobFact{"file_access",
            [](const JobRecord& record) {
              return traffic_of(record, [](const JobTraffic& traffic) { return traffic.file_seconds; });
            }},
    JobFact{"messages",
            [](const JobRecord& record) {
              return traffic_of(record, [](const JobTraffic& traffic) { return traffic.messages; });
            }},
    JobFact{"bytes",
            [](const JobRecord& record) {
              return traffic_of(record, [](const JobTraffic& traffic) { return traffic.bytes; });
            }},
    JobFact{"mean_hops",
            [](const JobRecord& record) {
              return traffic_of(record, [](const JobTraffic& traffic) { return traffic.hops / traffic.messages; });
            }},
    JobFact{"hop_bytes",
            [](const JobRecord& record) {
              return traffic_of(record, [](const JobTraffic& traffic) { return traffic.hop_bytes; });
            }},
    JobFact{"network_slowdown", network_slowdown_of},
    JobFact{"interruptions", [](const JobRecord& record) { return static_cast<double>(record.job.interruptions); }},
    JobFact{"lost_seconds",
            [](const JobRecord& record) {
              const Time lost = record.job.lost;
              return nearest_decimal(lost / second, static_cast<std::int32_t>(lost % second));
            }},
};

inline JobFact job_fact(std::string_view name) {
  for (const JobFact& fact : job_facts) {
    if (fact.name == name) return fact;
  }
  throw InputError("nothing is known of jobs by the name \"" + std::string(name) + "\"");
}

}  // namespace schedlab
