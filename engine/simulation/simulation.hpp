// The simulation: a clock, and the one loop that everything happens in.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulation/job_life.hpp"
#include "simulation/standstill.hpp"
#include "simulation/timeline.hpp"
#include "simulation/wake_ups.hpp"

namespace schedlab {

/// Why `advance` returned.
enum class Progress : std::uint8_t {
  done,      // nothing is left to happen, or nothing before the time that was given
  more,      // it handled as many time points as were asked for
  decision,  // the scheduler must decide
};

/// The whole state is a value: a copy is a second simulation that continues from the same moment, without recorders.
class Simulation final : public JobLife {
 public:
  Simulation(MachineSpec machine, Cloned<JobSource> source, Dispatcher dispatcher, Cloned<Estimator> estimator,
             SimulationOptions options);
  [[nodiscard]] Simulation fork() const;

  /// Writes everything that changes while it runs; or reads it into a simulation that was just made of the same parts.
  void archive(Archive& archive);

  /// Lets other policies decide from now on.
  void set_dispatcher(Dispatcher dispatcher);
  /// Lets the queue be sorted by an order that gives the same keys, but is another object.
  void replace_order(Cloned<JobOrder> order) { order_ = std::move(order); }
  /// Lets go of all policies; nothing can be done with it any more.
  void abandon();

  void record_timeline(std::shared_ptr<TimelineRecorder> recorder) { timeline_.record_to(std::move(recorder)); }

  /// Handles the next time point; false when nothing is left to happen.
  bool step() { return advance(1, never) != Progress::done; }
  /// Handles at most N time points, none of them after `until`. It passes decisions, or stops at the next one.
  Progress advance(std::uint64_t time_points, Time until, bool to_decision = false);
  /// Whether it stands where the scheduler must decide: jobs wait, and something happened.
  [[nodiscard]] bool at_decision() const { return at_decision_; }
  /// Lets the scheduler decide, or another one instead of it, and handles the rest of the time point, or as much of it
  /// as comes before its next decision. The scheduler of the simulation forgets what it planned before another decided.
  [[gnu::noinline]] void decide(Scheduler* instead = nullptr);
  /// Calls `look(state)`, which must not continue the simulation; at a decision, it sees what the scheduler will see.
  template <class Look>
  auto look(Look look) {
    require_idle("be looked at");
    const Looking looking(*this);
    return look(state());
  }
  /// Lets `advance` return after the time point that is being handled; for code that it calls.
  void return_soon() { time_points_left_ = 0; }
  /// Ends it where it is, also after an error: additional data hears of it, once. It does so itself when nothing is
  /// left.
  void conclude();
  /// Changes how fast a running job works through its remaining run time; throws SimulationError if it is not running.
  void set_speed(std::int64_t job_id, double speed);

  /// When the next time point will be; `never` when nothing is left to happen.
  [[nodiscard]] Time next_time();
  [[nodiscard]] std::uint64_t time_points() const { return time_points_; }
  [[nodiscard]] std::int64_t dispatch_nanoseconds() const { return timeline_.decision_nanoseconds(); }
  /// Whether an error left it in the middle of something.
  [[nodiscard]] bool broken() const { return activity_ != Activity::none; }

 private:
  enum class Activity : std::uint8_t {
    none,
    step,
    look,    // a caller looks at it
    broken,  // an error left it in the middle of something
  };
  /// While a caller looks, nothing happens; and all that a scheduler may see is there.
  class Looking {
   public:
    explicit Looking(Simulation& simulation) : simulation_(simulation), kept_(simulation.keeps_running_) {
      simulation_.keep_running_jobs(true);
      simulation_.sort_queue_to_look();
      simulation_.activity_ = Activity::look;
    }
    ~Looking() {
      simulation_.activity_ = Activity::none;
      simulation_.keep_running_jobs(kept_);
    }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;

   private:
    Simulation& simulation_;
    bool kept_;  // the running jobs were
  };
  /// While something happens, nothing else may; where an error ends it, nothing may any more.
  template <class Something>
  [[gnu::always_inline]] void busily(Something something) {
    const Activity before = std::exchange(activity_, Activity::step);
    try {
      something();
    } catch (...) {
      activity_ = Activity::broken;
      throw;
    }
    activity_ = before;
  }

  /// What the times of a source are to the loop.
  enum class Times : std::uint8_t {
    keep_going,  // while jobs wait, run or come
    only_look,   // they never keep it going, and alone they call nobody
    none,        // it is handled in every round
  };
  /// A kind of event that has times of its own.
  struct Source {
    EventKind kind;
    Times times;
    bool (Simulation::*exists)() const;
    Time (Simulation::*next_time)() const;  // null where it has no times
    void (Simulation::*handle)();
  };
  static const std::array<Source, 6> sources;
  /// Sets of them have a bit for each.
  template <class Fulfils>
  static constexpr std::uint32_t which(Fulfils fulfils);
  static const std::uint32_t before_arrivals;
  [[nodiscard]] static const Source& first_of(std::uint32_t bits);

  [[nodiscard]] bool has_failures() const { return static_cast<bool>(outages_); }
  [[nodiscard]] bool has_changes_to_settle() const { return executions_.settle_changes(); }
  [[nodiscard]] bool has_wake_ups() const { return wake_ups_.next_time() != never; }
  [[nodiscard]] bool has_windows() const { return !options_.windows.empty(); }
  [[nodiscard]] bool has_updates() const { return executions_.settle_changes() || !data_.empty(); }
  [[nodiscard]] Time next_failure() const { return outages_->clock.next_change(); }
  [[nodiscard]] Time next_power() const;
  [[nodiscard]] Time next_wake_up() const { return wake_ups_.next_time(); }
  [[nodiscard]] Time next_window() const { return options_.windows.next_change(); }
  [[nodiscard]] Time next_update() const;
  void change_nodes();
  void change_power();
  void drop_wake_ups() { wake_ups_.drop_due(now_); }
  void change_windows();
  void settle_and_publish();
  void update_data();

  void find_sources();
  void wake_at(Time time) override;
  void require_idle(const char* what) const;

  // The loop.
  [[nodiscard]] Time next_scheduled_time();
  [[gnu::noinline]] Time next_of_sources(Time next);
  bool let_executions_work(Time until, std::uint64_t budget);
  void handle_time_point(Time time, bool to_decision);
  void handle_rounds(bool to_decision);
  [[nodiscard]] const Source* source_due_first();
  void handle_single_event();
  void handle_updates();
  void end_time_point();
  [[gnu::always_inline]] void handle_queued_before(EventKind kind) {
    while (next_event_time() == now_ && events_.top().round() <= round_ && events_.top().kind() < kind) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
  }
  [[gnu::noinline]] void handle_sources(std::uint32_t some);
  void handle(const Event& event);
  [[nodiscard]] bool stops_to_decide(bool to_decision);
  void call_scheduler(Scheduler& scheduler);
  void order_and_dispatch(Scheduler& scheduler);
  void observe();
  /// Whether a job will come, begin, end or be released.
  [[nodiscard]] bool anything_comes() { return arrivals_.next_time() != never || next_event_time() != never; }
  Progress finish();
  void refuse_stopped() const;

  std::uint32_t active_sources_ = 0;  // bit i: there is, or was, something of `sources[i]`
  WakeUps wake_ups_;
  Timeline timeline_;
  Standstill standstill_;
  std::vector<Amount> used_;  // kept for its memory

  std::uint64_t time_points_ = 0;
  std::uint64_t time_points_left_ = 0;  // of this call of `advance`
  bool at_decision_ = false;
  bool stops_at_decisions_ = false;    // some advance did
  bool only_updates_are_due_ = false;  // at the next time nothing happens but updates
  bool nodes_change_ = false;          // at this time, by a platform
  bool stopped_ = false;               // additional data heard that it is over
  Activity activity_ = Activity::none;
};

}  // namespace schedlab
