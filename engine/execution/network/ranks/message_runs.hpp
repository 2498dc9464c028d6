// Applications at the level of messages: ranks that compute, send and wait, on top of a transport.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/cloned.hpp"
#include "execution/network/phase/pattern.hpp"
#include "execution/network/ranks/application_runs.hpp"
#include "execution/network/ranks/shared_files.hpp"
#include "execution/network/transport/transport.hpp"

namespace schedlab {

/// Hears of everything that a program does; see pattern.hpp.
class TrafficObserver {
 public:
  TrafficObserver() = default;
  TrafficObserver(const TrafficObserver&) = default;
  TrafficObserver& operator=(const TrafficObserver&) = default;
  virtual ~TrafficObserver() = default;

  virtual void computed(std::uint32_t rank, double seconds, Tick now) = 0;
  virtual void sent(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Tick now) = 0;
  virtual void used_files(std::uint32_t rank, std::uint64_t bytes, Tick now) = 0;
};

struct MessageRunsSpec {
  TransportSpec transport;
  FilesSpec files;
  std::string collectives = "reference";            // which algorithms are standard
  bool alone = false;                               // also work out how long jobs would have taken alone
  bool errors_fail_jobs = false;                    // an application that goes wrong ends its job, not the simulation
  std::uint32_t most_idle_operations = 10'000'000;  // of a rank in a row without any time passing: a loop never ends
};

class MessageRuns final : public ApplicationRuns {
 public:
  MessageRuns(MessageRunsSpec spec, Cloned<Programs> programs);
  /// On another transport than the fidelity says, whose messages an observer hears of.
  MessageRuns(MessageRunsSpec spec, std::unique_ptr<Transport> transport, TrafficObserver* observer);

  void check(const JobApplication& job) override { programs_->check(job); }
  void start(Slot slot, const JobApplication& job, std::vector<std::uint32_t> nodes, Time now) override;
  /// The same with a program that is there.
  void start(Slot slot, const JobApplication& job, std::unique_ptr<Program> program, std::vector<std::uint32_t> nodes,
             Time now);
  void stop(Slot slot, Time now) override;
  std::optional<Time> advance(Time until, std::uint64_t& budget, std::vector<Slot>& ended) override;
  void set_speeds(Slot slot, const NodeSpeeds& speeds, Time now) override;
  [[nodiscard]] bool has_ended(Slot slot) const override { return !runs_[slot].running; }
  [[nodiscard]] JobTraffic traffic(Slot slot) override;
  [[nodiscard]] std::string failure(Slot slot) const override { return runs_[slot].failure; }
  void forget(Slot slot) override;
  [[nodiscard]] bool knows(Slot slot) const override { return slot < runs_.size() && runs_[slot].known; }
  [[nodiscard]] std::vector<double> carried(Time now) const override;
  [[nodiscard]] std::unique_ptr<ApplicationRuns> clone() const override { return std::make_unique<MessageRuns>(*this); }
  void archive(Archive& archive) override;

  /// What was handled so far, as the reference simulator counts: also one for each rank that began.
  [[nodiscard]] std::uint64_t events() const override { return events_ + transport_->events(); }
  [[nodiscard]] const std::vector<Tick>& last_rank_ends() const override { return last_rank_ends_; }

 private:
  using Requests = std::vector<std::uint32_t>;

  /// Something a rank waits for, or will.
  struct Request {
    enum class Kind : std::uint8_t { unused, sends, receives };
    Kind kind = Kind::unused;
    bool done = false;
    bool awaited = false;
    Received received;

    void archive(Archive& archive);
  };

  struct PostedReceive {
    std::uint32_t context;
    std::int32_t source;  // rank of the job, or any_source
    std::int32_t tag;
    std::uint32_t request;

    void archive(Archive& archive) { archive(context, source, tag, request); }
  };

  struct Rank {
    RankOperation operation;  // the one it is at
    bool ended = false;
    std::uint32_t outstanding = 0;      // requests of `awaited` that are not done
    std::uint32_t instance = 0;         // of the collective it is in,
    std::uint32_t step = 0;             // and how far it is there
    std::uint32_t idle_operations = 0;  // in a row that took no time
    Requests awaited;
    std::vector<Request> requests;
    std::vector<std::uint32_t> unused_requests;
    std::vector<PostedReceive> posted;
    std::vector<MessageId> arrived;                                    // and not yet received, in order
    std::vector<std::pair<std::uint32_t, std::uint32_t>> collectives;  // called so far, by communicator
    std::unordered_map<std::uint64_t, MessageId> last_sent;            // still on its way, by receiver and context
    double resumed = -1.0;                                             // these in seconds of the job
    double busy_until = 0.0;                                           // computing
    double computing = 0.0;
    double compute_speed = 1.0;
    std::uint64_t compute_timer = 0;  // its sequence; an earlier one is void
    double in_files = 0.0;
    double end_ticks = 0.0;  // from the job's start, where it has ended

    void archive(Archive& archive);
  };

  /// A group of ranks that talk among themselves; the first one of a job is all its ranks, and has no list.
  struct Communicator {
    std::vector<std::uint32_t> members;                       // ranks of the job
    std::unordered_map<std::uint32_t, std::uint32_t> places;  // of ranks of the job among them

    void archive(Archive& archive) { archive(members, places); }
  };

  /// A collective operation that some ranks of a communicator have begun.
  struct Instance {
    RankOperation::Kind kind = RankOperation::Kind::collective;
    CollectiveCall call;  // its offsets are those below
    Algorithm standard = Algorithm::standard;
    std::vector<std::uint64_t> counts;   // of blocks of different sizes, as they were given
    std::vector<std::uint64_t> offsets;  // made of them
    std::uint8_t combining = 0;
    std::uint32_t communicator = 0;
    std::uint32_t number = 0;  // of the communicator's collectives
    std::uint32_t first = 0;   // rank that began it
    std::uint32_t left = 0;    // ranks that are not through
    bool combined = false;     // what all ranks get is known: `common`
    ValueId common = 0;
    std::vector<ValueId> values;                                 // by rank of the communicator, if any gives one
    std::vector<std::pair<std::int64_t, std::int64_t>> colours;  // split: colour and key by rank
    std::vector<std::pair<std::int64_t, std::uint32_t>> made;    // split, create: communicators by colour

    void archive(Archive& archive);
  };

  struct Run {
    bool running = false;
    bool known = false;
    bool in_company = false;  // another job ran at some time of its life
    JobApplication job;
    Cloned<Program> program;
    std::vector<std::uint32_t> nodes;  // by rank
    std::vector<Rank> ranks;
    std::vector<Communicator> communicators;
    std::vector<Instance> instances;
    std::vector<std::uint32_t> unused_instances;
    std::unordered_map<std::uint64_t, std::uint32_t> current;  // instances by communicator and number
    std::uint32_t live = 0;                                    // ranks that have not ended
    std::uint32_t messages = 0;                                // in the table
    std::uint64_t activity = 0;                                // messages and timers that will come back to it
    std::uint32_t serial = 0;  // of the run; a timer of an earlier run in the slot is void
    Tick began = 0;
    double earlier = 0.0;  // ticks that it ran before the epoch, where it began before that
    double ended = 0.0;    // ticks from its start
    JobTraffic traffic;
    std::string failure;

    void archive(Archive& archive);
  };

  struct Message {
    Slot slot = 0;
    std::uint32_t from = 0;  // ranks of the job
    std::uint32_t to = 0;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    std::uint64_t bytes = 0;
    ValueId value = 0;
    std::uint32_t request = 0;  // the sender's
    MessageId previous = none;  // on its way between the same two, and sent before
    MessageId next = none;      // sent after it
    bool in_use = false;
    bool arrived = false;
    bool in_order = false;  // nothing sent before is still on its way
    bool acknowledged = false;
    bool received = false;

    void archive(Archive& archive);
  };
  static constexpr MessageId none = static_cast<MessageId>(-1);

  /// What happens without the transport.
  struct Timer {
    enum class Kind : std::uint8_t { begin, computed, copied };
    Tick tick;
    std::uint64_t sequence;
    Kind kind;
    Slot slot;
    std::uint32_t serial;
    std::uint32_t what;  // rank or message

    bool operator>(const Timer& other) const {
      return tick != other.tick ? tick > other.tick : sequence > other.sequence;
    }
    void archive(Archive& archive) { archive(tick, sequence, kind, slot, serial, what); }
  };

  // The clock.
  [[nodiscard]] Tick tick_of(Time time) const;
  [[nodiscard]] Time time_of(Tick tick) const;
  void move_epoch(Time now);
  [[nodiscard]] double elapsed_ticks(const Run& run) const;
  [[nodiscard]] double elapsed_seconds(const Run& run) const;
  [[nodiscard]] Tick next_tick();
  void handle(Tick limit);
  void set_timer(Tick tick, Timer::Kind kind, Slot slot, std::uint32_t what);
  void handle_timer();
  template <class Work>
  void guarded(Slot slot, Work work);

  // Ranks.
  void resume(Slot slot, std::uint32_t rank, const Outcome& outcome);
  bool begin(Slot slot, std::uint32_t rank, Outcome& outcome);
  bool compute(Slot slot, std::uint32_t rank);
  void change_speed(Slot slot, std::uint32_t rank, double speed);
  void complete(Slot slot, std::uint32_t rank);
  static bool finish_wait(Rank& rank, Outcome& outcome);
  void end_rank(Slot slot, std::uint32_t rank);
  void end_run(Slot slot);
  void fail_run(Slot slot, const std::string& failure);
  void let_go(Slot slot);
  static std::uint32_t new_request(Rank& rank, Request::Kind kind);
  void finish_request(Slot slot, std::uint32_t rank, std::uint32_t request);

  // Messages.
  std::uint32_t post_send(Slot slot, std::uint32_t rank, std::uint32_t to, std::uint32_t context, std::int32_t tag,
                          std::uint64_t bytes, ValueId value);
  std::uint32_t post_receive(Slot slot, std::uint32_t rank, std::int32_t from, std::uint32_t context, std::int32_t tag);
  void arrive(MessageId id);
  void acknowledge(MessageId id);
  void offer(MessageId id);
  void receive(Slot slot, std::uint32_t rank, std::uint32_t request, MessageId id);
  void recycle(MessageId id);

  // Collectives.
  bool enter(Slot slot, std::uint32_t rank, Outcome& outcome);
  bool take_steps(Slot slot, std::uint32_t rank, Outcome& outcome);
  void leave_collective(Slot slot, std::uint32_t rank, Outcome& outcome);
  void take_members(Run& run, std::uint32_t rank, Instance& instance, bool first);
  std::uint32_t make_communicator(Run& run, Instance& instance, std::uint32_t place);
  [[nodiscard]] std::uint32_t place_in(const Run& run, std::uint32_t communicator, std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t member(const Run& run, std::uint32_t communicator, std::uint32_t place) const;
  [[nodiscard]] std::uint32_t size_of(const Run& run, std::uint32_t communicator) const;

  [[nodiscard]] static std::uint64_t receiver_key(const Message& message);
  [[noreturn]] void fail(const Run& run, std::uint32_t rank, const std::string& what) const;
  [[noreturn]] void report_deadlock(const Run& run) const;
  [[nodiscard]] std::string waits_for(const Run& run, std::uint32_t rank) const;

  MessageRunsSpec spec_;
  Cloned<Programs> programs_;
  Cloned<Transport> transport_;
  TrafficObserver* observer_ = nullptr;
  SharedFiles files_;
  Time epoch_ = 0;
  Tick now_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t events_ = 0;
  std::uint32_t serials_ = 0;
  std::uint32_t running_ = 0;
  std::vector<Run> runs_;  // by slot
  std::vector<Message> messages_;
  std::vector<MessageId> unused_messages_;
  std::vector<Timer> timers_;  // a heap, the next one on top
  std::vector<Slot> ended_;
  std::vector<Tick> last_rank_ends_;
  std::vector<Arrival> arrivals_;  // kept for their memory
  std::vector<std::uint64_t> file_ends_;
};

/// What a program sends in which phase. Throws ApplicationError where it goes wrong.
Pattern pattern_of(std::unique_ptr<Program> program, const JobApplication& job, const std::string& collectives);

}  // namespace schedlab
