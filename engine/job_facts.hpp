// What the engine itself knows of a job beyond the columns of every jobs.csv, by the name of the column.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "errors.hpp"
#include "job.hpp"
#include "platform.hpp"

namespace schedlab {

/// A job that leaves, at the time it does.
struct JobRecord {
  const Job& job;
  Slot slot;
  Time now;
  const Platform* platform;  // may be null
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

inline constexpr std::array job_facts = {
    JobFact{"speed", mean_speed_of},
    JobFact{"energy", joules_of},
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
