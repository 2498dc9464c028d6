// Programs that run again, in forks and loaded states: up to where they were, with what they were given then.
#include <utility>

#include "base/errors.hpp"
#include "bindings/execution/network/ranks/python_program.hpp"

namespace schedlab::bindings {

PythonProgram::PythonProgram(const PythonProgram& other)
    : Program(other),
      application_(other.application_),
      job_(other.job_),
      facts_(std::make_shared<JobFacts>(*other.facts_)),
      values_(other.values_),
      counts_(other.counts_),
      unused_(other.unused_) {
  generators_.resize(job_.ranks);
  memories_.resize(job_.ranks);
  for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
    if (other.memories_[rank] != nullptr) run_again(rank, *other.memories_[rank], other.ended(rank));
  }
}

void PythonProgram::run_again(std::uint32_t rank, const RankMemory& before, bool ended) {
  const std::vector<RankMemory::Result> results = before.results();
  auto result = results.begin();
  auto given = before.given.begin();
  bool going = true;
  try {
    begin(rank);
    RankMemory& own = *memories_[rank];
    RankOperation operation;
    while (own.resumes < before.resumes && going) {
      ++own.resumes;
      const bool noted = given != before.given.end() && given->resume == own.resumes;
      if (noted && given->time_was_read) own.seconds = given->seconds;
      while (result != results.end() && result->resume < own.resumes) ++result;
      nb::object outcome = nb::none();
      if (noted && given->kind == RankMemory::Given::Kind::value) {
        outcome = common(rank, given->value);
      } else if (noted && given->kind == RankMemory::Given::Kind::communicator) {
        outcome = communicator(rank, given->communicator, given->place, given->size);
      } else if (own.resumes > 1) {
        outcome = earlier_result_for_program(rank, operation, {result, results.end()});
      }
      if (noted) ++given;
      going = resume(rank, outcome, operation);
      if (going) release(operation.value);
    }
  } catch (const ApplicationError& error) {
    differs(rank, error.what());
  }
  RankMemory& own = *memories_[rank];
  if (going == ended || own.fingerprint != before.fingerprint) differs(rank);
  own.seconds = before.seconds;
  own.pending = before.pending;
}

nb::object PythonProgram::earlier_result_for_program(std::uint32_t rank, const RankOperation& operation,
                                                     std::span<const RankMemory::Result> results) {
  RankMemory& own = *memories_[rank];
  const auto one = [&](std::uint32_t place) {
    auto data = std::make_shared<ReceivedData>();
    for (const RankMemory::Result& result : results) {
      if (result.resume != own.resumes || result.place > place) break;
      if (result.place != place) continue;
      data->facts = result.data->facts;
      data->value = result.data->value;
    }
    return view_of(memories_[rank], place, std::move(data));
  };
  const bool receives = operation.kind == RankOperation::Kind::receive && operation.peer != nobody;
  switch (operation.kind) {
    case RankOperation::Kind::send:
    case RankOperation::Kind::receive:
      if (operation.immediate) {
        own.pending.emplace_back(++own.requests, receives ? 1 : 0);  // whether there will be a result
        return nb::int_(own.requests);
      }
      return receives ? one(0) : nb::none();
    case RankOperation::Kind::exchange:
      return operation.source != nobody ? one(0) : nb::none();
    case RankOperation::Kind::wait: {
      nb::list all;
      for (std::uint32_t i = 0; i < operation.requests.size(); ++i) {
        all.append(operation.requests[i] != 0 ? one(i) : nb::none());
      }
      return operation.immediate ? nb::object(all[0]) : all;
    }
    default:
      return nb::none();
  }
}

void PythonProgram::differs(std::uint32_t rank, const std::string& error) const {
  throw SimulationError("job " + std::to_string(job_.job) + ", rank " + std::to_string(rank) +
                        ": the program does not do the same when it is run again, as forks and saved simulations "
                        "do; it must depend on its arguments and on what mpi gives alone" +
                        (error.empty() ? "" : " (" + error + ")"));
}

void PythonProgram::archive(Archive& archive) {
  archive(facts_->repetitions, counts_, unused_);
  values_.resize(counts_.size());
  for (nb::object& value : values_) archive_value(archive, value);
  std::uint64_t operators = facts_->combining.size();
  archive(operators);
  facts_->combining.resize(operators);
  for (JobFacts::Combining& one : facts_->combining) archive(one.key);  // programs that run again bring the functions
  for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
    bool begun = memories_[rank] != nullptr;
    bool has_ended = ended(rank);
    archive(begun, has_ended);
    if (!begun) continue;
    RankMemory memory;
    if (!archive.reading()) {
      memories_[rank]->archive(archive);
      continue;
    }
    memory.archive(archive);
    run_again(rank, memory, has_ended);
  }
}

}  // namespace schedlab::bindings
