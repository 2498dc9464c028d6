// The models of execution of a simulation, together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/cloned.hpp"
#include "execution/execution.hpp"
#include "execution/network/ranks/applications.hpp"
#include "execution/platform/platform.hpp"
#include "execution/recorded.hpp"

namespace schedlab {

/// Which models there are, and which of them carry a job, is known here alone. A job is carried by the sockets of a
/// platform, by its application, or by both together: what the application says of it then holds; by its recorded time
/// where there is neither.
class Executions {
 public:
  void set_platform(Cloned<Platform> platform) { platform_ = std::move(platform); }
  void set_applications(Cloned<Applications> applications) { applications_ = std::move(applications); }
  /// Null where there is none.
  [[nodiscard]] Platform* platform() { return platform_ ? &*platform_ : nullptr; }
  [[nodiscard]] const Platform* platform() const { return platform_ ? &*platform_ : nullptr; }
  [[nodiscard]] Applications* applications() { return applications_ ? &*applications_ : nullptr; }
  [[nodiscard]] const Applications* applications() const { return applications_ ? &*applications_ : nullptr; }

  // ---- jobs
  /// How long a job that arrives takes, alone on the machine.
  [[nodiscard]] Time run_time(const JobSpec& job, const std::vector<std::string>& attributes) const {
    return platform_ ? platform_->alone_time(job, attributes).value_or(job.run) : job.run;
  }
  /// The job has its nodes. Returns when it can begin there.
  Time hold(Slot slot, const JobTable& jobs, Time now) {
    Time ready = now;
    visit(jobs[slot], [&](auto& model) { ready = std::max(ready, model.hold(slot, jobs, now)); });
    return ready;
  }
  /// It begins. Returns when it will end by itself; `never` where that is said only when it is there.
  Time begin(Slot slot, JobTable& jobs, Time now) {
    Time end = never;
    visit(jobs[slot], [&](auto& model) { end = model.begin(slot, jobs, now); });
    return end;
  }
  /// Whether a job that holds its nodes has begun there.
  [[nodiscard]] bool has_begun(Slot slot) const { return !platform_ || platform_->sockets().begun(slot); }
  /// The job leaves its nodes. Returns how.
  JobState stop(Slot slot, JobTable& jobs, Time now) {
    JobState state = JobState::completed;
    visit(jobs[slot], [&](auto& model) { state = model.stop(slot, jobs, now); });
    return state;
  }
  /// How much of the job's run time is done at its end, before it is stopped.
  [[nodiscard]] Time work_done(Slot slot, const JobTable& jobs, Time now) {
    Time done = 0;
    visit(jobs[slot], [&](auto& model) { done = model.work_done(slot, jobs, now); });
    return done;
  }
  /// Whether `begin` said when the job will end.
  [[nodiscard]] bool knows_end(const Job& job) const { return !platform_ && job.application == 0; }
  /// The slot will be another job's. One that ran an application is counted.
  void forget(Slot slot, const Job& job) {
    if (applications_) forget_application(slot, job);
    if (platform_) platform_->forget(slot);
  }

  // ---- what happens in them
  /// The first time point: power counts from now on.
  void open(Time now) {
    if (platform_) platform_->open(now);
  }
  /// Whether `advance` has something to do between events of the simulation.
  [[nodiscard]] bool work_by_themselves() const { return static_cast<bool>(applications_); }
  std::optional<Time> advance(Time until, std::uint64_t& budget, std::vector<Slot>& ended) {
    return applications_->advance(until, budget, ended);
  }
  /// Whether changes must be settled, and there are values to publish.
  [[nodiscard]] bool settle_changes() const { return static_cast<bool>(platform_); }
  /// What changed is worked out. Returns what is due next, valid until the next call.
  std::span<const ExecutionDue> settle(Time now) {
    const std::span<const ExecutionDue> dues = platform_->settle(now);
    if (applications_) pass_speeds_on(now);
    return dues;
  }
  void handle(std::uint32_t place, Time now, std::vector<Slot>& ended) { platform_->handle(place, now, ended); }
  [[nodiscard]] bool is_void(std::uint32_t place, std::uint32_t version) const {
    return platform_->is_void(place, version);
  }
  /// When nodes change their states or caps change; and when values are worked out, which calls no scheduler.
  [[nodiscard]] Time next_time() const { return platform_ ? platform_->next_time() : never; }
  [[nodiscard]] Time next_update() const { return platform_ ? platform_->next_update() : never; }
  void advance_to(Time now) {
    if (platform_) platform_->advance_to(now);
  }
  void fail(std::uint32_t node, Time now) {
    if (platform_) platform_->fail(node, now);
  }
  void repair(std::uint32_t node, Time now) {
    if (platform_) platform_->repair(node, now);
  }
  void publish(Time now, DataBoard& board) const { platform_->publish(now, board); }

  void archive(Archive& archive) {
    if (platform_) platform_->archive(archive);
    if (applications_) applications_->archive(archive);
  }
  void validate() const {
    if (platform_) platform_->validate();
  }
  /// Throws InputError where a saved job runs, and the models do not know it.
  void check_saved(Slot slot, const Job& job) const;
  [[nodiscard]] bool has_place(std::uint32_t place) const { return platform_ && place < platform_->sockets().count(); }

 private:
  template <class Visit>
  [[gnu::always_inline]] void visit(const Job& job, Visit visit) {
    if (platform_) visit(*platform_);
    if (job.application != 0) {
      visit(*applications_);
    } else if (!platform_) {
      visit(recorded_);
    }
  }
  [[gnu::noinline]] void forget_application(Slot slot, const Job& job);
  [[gnu::noinline]] void pass_speeds_on(Time now);

  RecordedTimes recorded_;
  Cloned<Platform> platform_;
  Cloned<Applications> applications_;
};

}  // namespace schedlab
