// What is said of applications that go wrong, and how their state is kept.
#include <algorithm>
#include <string>

#include "execution/network/ranks/message_runs.hpp"

namespace schedlab {

void MessageRuns::fail(const Run& run, std::uint32_t rank, const std::string& what) const {
  throw ApplicationError("job " + std::to_string(run.job.job) + ", rank " + std::to_string(rank) + ", at " +
                         run.program->where(rank) + ": " + what);
}

std::string MessageRuns::waits_for(const Run& run, std::uint32_t rank) const {
  const Rank& state = run.ranks[rank];
  const RankOperation::Kind kind = state.operation.kind;
  if (kind == RankOperation::Kind::split || kind == RankOperation::Kind::create)
    return "the others, to make a communicator";
  std::string text;
  if (kind == RankOperation::Kind::collective) {
    const Instance& instance = run.instances[state.instance];
    text = std::string(name_of(instance.call.kind)) + ", for ";
  }
  std::size_t listed = 0;
  for (const PostedReceive& posted : state.posted) {
    if (!state.requests[posted.request].awaited) continue;
    if (++listed > 3) return text + " and others";
    if (listed > 1) text += " and ";
    text += "a message from ";
    text +=
        posted.source == any_source
            ? std::string("any rank")
            : "rank " + std::to_string(place_in(run, posted.context / 2, static_cast<std::uint32_t>(posted.source)));
    if (posted.context % 2 == 0)
      text += posted.tag == any_tag ? " of any tag" : " of tag " + std::to_string(posted.tag);
    if (posted.context / 2 > 0) text += " in communicator " + std::to_string(posted.context / 2);
  }
  return text;
}

/// Nothing of the job is on its way any more, and ranks still wait.
void MessageRuns::report_deadlock(const Run& run) const {
  constexpr std::uint32_t most_listed = 8;
  std::string text = "job " + std::to_string(run.job.job) + ": deadlock: " + std::to_string(run.live) + " of " +
                     std::to_string(run.ranks.size()) + " ranks wait for what never comes";
  std::uint32_t listed = 0;
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    if (run.ranks[rank].ended) continue;
    if (++listed > most_listed) {
      text += "; and " + std::to_string(run.live - most_listed) + " more";
      break;
    }
    text +=
        "; rank " + std::to_string(rank) + ", at " + run.program->where(rank) + ": waits for " + waits_for(run, rank);
  }
  throw ApplicationError(text);
}

void MessageRuns::Request::archive(Archive& archive) {
  archive(kind, done, awaited, received.value, received.source, received.tag, received.bytes);
}

void MessageRuns::Message::archive(Archive& archive) {
  archive(slot, from, to, context, tag, bytes, value, request, previous, next, in_use, arrived, in_order, acknowledged,
          received);
}

namespace {

void archive_operation(Archive& archive, RankOperation& operation) {
  archive(operation.kind, operation.immediate, operation.peer, operation.source, operation.tag, operation.communicator,
          operation.bytes, operation.seconds, operation.value, operation.collective, operation.algorithm,
          operation.combining, operation.colour, operation.key, operation.counts, operation.members,
          operation.requests);
}

}  // namespace

void MessageRuns::Rank::archive(Archive& archive) {
  archive_operation(archive, operation);
  archive(ended, outstanding, instance, step, idle_operations, awaited, requests, unused_requests, posted, arrived,
          collectives, last_sent, resumed, busy_until, computing, compute_speed, compute_timer, in_files, end_ticks);
}

void MessageRuns::Instance::archive(Archive& archive) {
  archive(kind, call.kind, call.algorithm, call.size, call.root, call.bytes, standard, counts, offsets, combining,
          communicator, number, first, left, combined, common, values, colours, made);
}

void MessageRuns::Run::archive(Archive& archive) {
  archive(running, known, in_company, job, nodes, ranks, communicators, instances, unused_instances, current, live,
          messages, activity, serial, began, earlier, ended, traffic, failure);
}

void MessageRuns::archive(Archive& archive) {
  transport_->archive(archive);
  files_.archive(archive);
  archive(epoch_, now_, sequence_, events_, serials_, running_, runs_, messages_, unused_messages_, timers_, ended_,
          last_rank_ends_);
  if (archive.reading()) {
    for (const Timer& timer : timers_) Archive::require(timer.slot < runs_.size(), "a timer is of no job");
    for (const Slot slot : ended_) Archive::require(slot < runs_.size(), "a job that ended is not there");
    for (const Run& run : runs_) Archive::require(run.known || !run.running, "a job runs no program");
  }
  for (Run& run : runs_) {
    if (!run.known) continue;
    if (archive.reading()) run.program = programs_->make(run.job);
    run.program->archive(archive);
  }
}

}  // namespace schedlab
