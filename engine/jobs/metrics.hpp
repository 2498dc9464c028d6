// Metrics that are gathered while a simulation runs, in memory that does not grow with the number of jobs.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// Count, mean, maximum and quantiles of non-negative values. Quantiles come from a histogram whose bins are the
/// leading bits of the value: at most 0.1 % below the exact one, and exact for whole numbers below 2048.
class Distribution {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    largest_ = std::max(largest_, value);
    const std::size_t bin = bin_of(value);
    if (bin >= bins_.size()) bins_.resize(bin + bin / 2 + 1);
    ++bins_[bin];
  }

  void archive(Archive& archive) { archive(count_, sum_, largest_, bins_); }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean() const { return sum_ / static_cast<double>(count_); }
  [[nodiscard]] double largest() const { return largest_; }

  /// The value that a share of `q` of the values do not exceed (the lower one where it falls between two).
  [[nodiscard]] double quantile(double q) const {
    const auto rank = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
      seen += bins_[bin];
      if (seen >= rank && seen > 0) return std::min(lower_edge(bin), largest_);
    }
    return largest_;
  }

 private:
  // The leading 10 bits of the fraction and those of the exponent, counted from 2^-10: smaller values share bin 0.
  static constexpr unsigned fraction_bits = 10;
  static constexpr std::uint64_t origin = static_cast<std::uint64_t>(1023 - 10) << fraction_bits;

  static std::size_t bin_of(double value) {
    const std::uint64_t leading = std::bit_cast<std::uint64_t>(value) >> (52U - fraction_bits);
    return leading < origin ? 0 : static_cast<std::size_t>(leading - origin + 1);
  }
  static double lower_edge(std::size_t bin) {
    if (bin == 0) return 0.0;
    return std::bit_cast<double>((static_cast<std::uint64_t>(bin) - 1 + origin) << (52U - fraction_bits));
  }

  std::uint64_t count_ = 0;
  double sum_ = 0.0;
  double largest_ = 0.0;
  std::vector<std::uint32_t> bins_;
};

/// (wait + run) / run; not a number for a run of length zero.
inline double slowdown_of(Time wait, Time run) {
  return run > 0 ? static_cast<double>(wait + run) / static_cast<double>(run) : std::nan("");
}

/// Feitelson's bounded slowdown with a threshold of 10 s: max(1, (wait + run) / max(run, 10 s)).
inline double bounded_slowdown_of(Time wait, Time run) {
  return std::max(1.0, static_cast<double>(wait + run) / static_cast<double>(std::max(run, 10 * second)));
}

/// Of every job that ran.
class JobMetrics {
 public:
  void add(Time wait_time, Time run) {
    const double run_seconds = in_seconds(run);
    if (wait_time == 0) {  // many jobs: no divisions
      wait.add(0.0);
      turnaround.add(run_seconds);
      bounded_slowdown.add(1.0);
      if (run > 0) slowdown.add(1.0);
      return;
    }
    wait.add(in_seconds(wait_time));
    turnaround.add(in_seconds(wait_time + run));
    bounded_slowdown.add(bounded_slowdown_of(wait_time, run));
    if (run > 0) slowdown.add(slowdown_of(wait_time, run));
  }

  void archive(Archive& archive) { archive(wait, turnaround, slowdown, bounded_slowdown); }

  Distribution wait;
  Distribution turnaround;
  Distribution slowdown;          // of jobs with a run time above 0
  Distribution bounded_slowdown;  // run times below 10 s count as 10 s
};

/// Of every job that ran an application: sums over them. Times of a job are means over its ranks.
struct NetworkMetrics {
  std::uint64_t jobs = 0;
  double compute_seconds = 0.0;
  double communication_seconds = 0.0;
  double file_seconds = 0.0;
  double communication_shares = 0.0;  // of the job's run time
  double messages = 0.0;
  double bytes = 0.0;
  double hops = 0.0;
  double hop_bytes = 0.0;
  Distribution slowdown;  // against alone, of completed jobs of which that is known

  void archive(Archive& archive) {
    archive(jobs, compute_seconds, communication_seconds, file_seconds, communication_shares, messages, bytes, hops,
            hop_bytes, slowdown);
  }
};

}  // namespace schedlab
