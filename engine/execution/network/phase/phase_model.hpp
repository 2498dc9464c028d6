// Jobs that repeat a pattern on shared links, for traces of many jobs: how fast each gets on beside the others.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "execution/network/phase/phase_load.hpp"
#include "execution/network/transport/job_traffic.hpp"
#include "jobs/job.hpp"

namespace schedlab {

/// A job takes for a pass what it takes alone, but each stage longer by 1 / speed, the speed of the stage being the
/// largest that its links allow. While it is on a link with all that its stage sends, it meets the others there as they
/// are on average (as a customer who arrives at a queue does, Reiser and Lavenberg 1980). With n flows that would have
/// the rate r in all, on a link of capacity C, its flows get the rate y of
///   n y + sum over other jobs k of load_k min(1, y / y_k) + s = C,
/// at most r / n, and its speed is n y / r. load_k is what k sends over the link in a pass over the length of its pass,
/// and y_k the rate of its flows. Flows that are slower for another reason leave their share: jobs that do nothing but
/// send share links as max-min fair flows do, and a job that seldom sends hardly slows down others. s is the share
/// `unevenness` of how much what the others send deviates from its mean, as they send in bursts: a phase waits for the
/// slowest of many links.
///
/// Speeds are found by going from job to job until no pass changes by more than `tolerance` of its length; only jobs
/// that meet on links that can be full are gone to.
class PhaseModel {
 public:
  static constexpr double usual_tolerance = 2e-3;
  /// Fitted: slowdowns of small random cases are then nearest to those of the fluid model.
  static constexpr double unevenness = 0.3;

  /// `file_bytes_per_second` 0: there is no file system.
  PhaseModel(std::shared_ptr<const Topology> topology, const WireRules& rules, double file_bytes_per_second,
             double tolerance = usual_tolerance);

  /// Seconds of one pass alone.
  double iteration_seconds(const Pattern& pattern, const std::vector<std::uint32_t>& nodes);
  /// What a pass asks of the network, for a caller who wants to know it before the start.
  std::shared_ptr<const JobLoad> map(const Pattern& pattern, const std::vector<std::uint32_t>& nodes);

  /// A job begins: rank i runs on `nodes[i]`, and all go through the pattern N times. Times never decrease.
  void start(Slot slot, const Pattern& pattern, double repeats, const std::vector<std::uint32_t>& nodes, Time now);
  void start(Slot slot, std::shared_ptr<const JobLoad> load, double repeats, Time now);
  /// The job is killed.
  void stop(Slot slot, Time now);
  /// From now on the ranks of a job that runs compute at this speed; at 1 before.
  void set_compute_speed(Slot slot, double speed, Time now);
  /// When the next job ends; `never` where none runs.
  [[nodiscard]] Time next_time();
  /// Handles everything up to and including `now`, and appends the jobs that ended, in the order of their ends.
  void advance(Time now, std::vector<Slot>& ended);

  [[nodiscard]] bool runs(Slot slot) const { return slot < runs_.size() && runs_[slot].state == State::runs; }
  [[nodiscard]] bool is_over(Slot slot) const { return slot < runs_.size() && runs_[slot].state == State::over; }
  /// Seconds of a pass alone over what it takes now.
  [[nodiscard]] double speed(Slot slot);
  /// Of a job that runs (up to the last time given), or has ended and was not yet forgotten.
  [[nodiscard]] JobTraffic traffic(Slot slot) const;
  void forget(Slot slot);
  /// Bytes that each link carried up to `now`, which is not before the last time given.
  [[nodiscard]] std::vector<double> carried(Time now) const;
  [[nodiscard]] std::size_t running() const { return running_; }

  void archive(Archive& archive);

 private:
  enum class State : std::uint8_t { none, runs, over };
  struct Pace {
    double pass_seconds = 0.0;
    double network_speed = 1.0;  // mean of its stages
    double file_speed = 1.0;
  };
  struct Run : Pace {
    State state = State::none;
    std::shared_ptr<const JobLoad> load;
    std::uint64_t joined = 0;  // how many had started before
    double compute_speed = 1.0;
    double repeats = 0.0;
    double left = 0.0;  // passes, at `since`
    Time started = 0;
    Time since = 0;
    Time end = never;
    std::vector<std::uint32_t> critical;  // places in `load->links` of those that can be full
    bool critical_in_order = true;        // else some may be there twice, and some that were critical
    double file_seconds = 0.0;            // spent up to `since`
    double extra_passes = 0.0;            // likewise: by how many passes more it computed, because it was slower
    std::uint32_t visits = 0;             // while speeds are being found
    bool waits = false;                   // to be visited
    bool changes = false;                 // in `changed_`
    std::vector<double> speeds;           // by stage

    void archive(Archive& archive);
  };
  /// A job on a link.
  struct Sharer {
    Slot slot;
    std::uint32_t place;  // of the link in its `load->links`
    double bytes;         // in a pass
    double alone;         // bytes per second on average, as if it were alone
    double peak;          // bytes per second
    double of_a_flow;
  };
  struct SharedLink {
    double alone = 0.0;           // of all, as if each were alone: never less than they send
    double squares = 0.0;         // of deviations, summed up: never less than they are
    double peak = 0.0;            // the largest
    bool critical = false;        // it may be full
    std::vector<Sharer> sharers;  // in the order in which they started
  };
  /// What goes over a link, where it is critical: bytes per second of all its jobs on average, and how uneven.
  struct LinkSums {
    double capacity = 0.0;
    double load = 0.0;
    double squares = 0.0;  // of deviations
    double spread = 0.0;   // from their sum

    void archive(Archive& archive) { archive(load, squares, spread); }
  };
  struct Other {
    double load;
    double of_a_flow;  // bytes per second of one message, as they are now
  };
  using End = std::pair<Time, Slot>;

  [[nodiscard]] const Run& known(Slot slot) const;
  [[nodiscard]] double passes_left(const Run& run, Time now) const;
  void go_to(Time now);
  void settle(Run& run);
  void join_links(Slot slot);
  void leave_links(Slot slot);
  void finish(Slot slot);
  void find_speeds();
  void visit(Slot slot);
  void find_stage_speeds(Slot slot);
  [[nodiscard]] static double needed(const JobLoad& job, std::uint32_t place, const std::vector<double>& speeds);
  std::pair<double, double> gather_others(LinkId link, Slot slot);
  [[nodiscard]] double most_speed(const StageRate& rate, double capacity) const;
  void set_speeds(Slot slot, double pass_seconds);
  void weigh(SharedLink& link, const Sharer& sharer);
  void judge(LinkId link, bool joined);
  void note_critical(const Sharer& sharer);
  void order_critical(Run& run);
  void set_sums(LinkId link, double load, double squares, Slot changed);
  [[nodiscard]] double speed_on(LinkId link, const Pace& pace) const {
    return link == mapper_.file_link() ? pace.file_speed : pace.network_speed;
  }
  [[nodiscard]] double square_of_deviation(LinkId link, const Pace& pace, double bytes, double peak) const;
  void wake(Slot slot);
  void note_change(Slot slot);
  void find_end(Slot slot);
  void rebuild_links();

  LoadMapper mapper_;
  double tolerance_;
  Time now_ = 0;
  std::uint64_t joined_ = 0;
  std::size_t running_ = 0;
  std::vector<Run> runs_;          // by slot
  std::vector<SharedLink> links_;  // the file system last
  std::vector<LinkSums> sums_;     // by link
  std::vector<double> carried_;    // by link, of jobs that are over
  std::vector<Slot> waiting_;      // to be visited
  std::vector<End> ends_;          // a heap; those that are not their job's end any more are passed over
  std::vector<Slot> round_;
  std::vector<Slot> changed_;  // whose end may be another one
  std::vector<double> stage_speeds_;
  std::vector<Other> others_;
};

}  // namespace schedlab
