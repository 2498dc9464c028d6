// Collective operations of ranks: entered one by one, carried out as messages, left with what came of them.
#include <algorithm>
#include <string>
#include <utility>

#include "execution/network/ranks/message_runs.hpp"

namespace schedlab {

std::uint32_t MessageRuns::size_of(const Run& run, std::uint32_t communicator) const {
  return static_cast<std::uint32_t>(communicator == 0 ? run.ranks.size()
                                                      : run.communicators[communicator].members.size());
}

std::uint32_t MessageRuns::member(const Run& run, std::uint32_t communicator, std::uint32_t place) const {
  return communicator == 0 ? place : run.communicators[communicator].members[place];
}

std::uint32_t MessageRuns::place_in(const Run& run, std::uint32_t communicator, std::uint32_t rank) const {
  return communicator == 0 ? rank : run.communicators[communicator].places.at(rank);
}

namespace {

/// How messages name an operation.
std::string described(RankOperation::Kind kind, const CollectiveCall& call, bool blocks) {
  if (kind == RankOperation::Kind::split) return "split";
  if (kind == RankOperation::Kind::create) return "create";
  std::string text(name_of(call.kind));
  const bool rooted = call.kind == Collective::bcast || call.kind == Collective::reduce ||
                      call.kind == Collective::gather || call.kind == Collective::scatter;
  if (rooted) text += "(root=" + std::to_string(call.root) + ")";
  text += " of " + (blocks ? std::string("a list of") : std::to_string(call.bytes)) + " bytes";
  if (call.algorithm != Algorithm::standard) text += " by " + std::string(name_of(call.algorithm));
  return text;
}

}  // namespace

/// The rank takes part in the next collective of its communicator, which all others must call alike.
bool MessageRuns::enter(Slot slot, std::uint32_t rank, Outcome& outcome) {
  Run& run = runs_[slot];
  Rank& state = run.ranks[rank];
  RankOperation& operation = state.operation;
  const std::uint32_t size = size_of(run, operation.communicator);
  const std::uint32_t place = place_in(run, operation.communicator, rank);

  auto counter = std::find_if(state.collectives.begin(), state.collectives.end(),
                              [&](const auto& entry) { return entry.first == operation.communicator; });
  if (counter == state.collectives.end()) counter = state.collectives.insert(counter, {operation.communicator, 0});
  const std::uint32_t number = counter->second++;

  CollectiveCall call;
  call.size = size;
  call.bytes = operation.bytes;
  if (operation.kind == RankOperation::Kind::collective) {
    call.kind = operation.collective;
    call.root = operation.peer == nobody ? 0 : static_cast<std::uint32_t>(operation.peer);
    call.algorithm = operation.algorithm;
    if (operation.peer != nobody && (operation.peer < 0 || call.root >= size)) {
      fail(run, rank,
           "names root " + std::to_string(operation.peer) + ", which is not there: the communicator has " +
               std::to_string(size) + " ranks");
    }
  } else {  // all must learn of all: 8 bytes each
    call.kind = operation.kind == RankOperation::Kind::split ? Collective::allgather : Collective::barrier;
    call.bytes = operation.kind == RankOperation::Kind::split ? 8 : 0;
  }

  const std::uint64_t key = (std::uint64_t{operation.communicator} << 32U) | number;
  const auto [found, first] = run.current.try_emplace(key, 0);
  if (first) {
    if (run.unused_instances.empty()) {
      found->second = static_cast<std::uint32_t>(run.instances.size());
      run.instances.emplace_back();
    } else {
      found->second = run.unused_instances.back();
      run.unused_instances.pop_back();
    }
    Instance& made = run.instances[found->second];
    made = Instance{};
    made.kind = operation.kind;
    made.call = call;
    made.counts = std::move(operation.counts);
    made.combining = operation.combining;
    made.communicator = operation.communicator;
    made.number = number;
    made.first = rank;
    made.left = size;
    if (!made.counts.empty()) made.offsets = block_offsets(call.kind, size, made.counts);
    std::uint64_t bytes = made.offsets.empty() ? call.bytes : made.offsets.back();
    if (!made.offsets.empty() && call.kind != Collective::reduce_scatter) bytes /= made.counts.size();
    made.standard = default_algorithm(call.kind, size, bytes, spec_.collectives);
    if (call.algorithm == Algorithm::standard) made.call.algorithm = made.standard;
    if (operation.kind != RankOperation::Kind::collective) made.colours.resize(size, {-1, 0});
  }
  state.instance = found->second;
  state.step = 0;
  Instance& instance = run.instances[state.instance];
  if (call.algorithm == Algorithm::standard && instance.call.kind == call.kind) call.algorithm = instance.standard;
  const bool alike = instance.kind == operation.kind && instance.call.kind == call.kind &&
                     instance.call.root == call.root && instance.call.bytes == call.bytes &&
                     instance.call.algorithm == call.algorithm && instance.combining == operation.combining &&
                     (first || instance.counts == operation.counts);
  if (!alike) {
    const std::string own = described(operation.kind, call, !operation.counts.empty());
    const std::string others = described(instance.kind, instance.call, !instance.counts.empty());
    const bool other_operator = instance.combining != operation.combining && instance.call.kind == call.kind;
    fail(run, rank,
         "calls " + own + " where rank " + std::to_string(instance.first) + " called " +
             (own != others    ? others
              : other_operator ? "it with another op"
                               : "it with other bytes") +
             "; all ranks of a communicator must call the same collectives in the same order");
  }
  if (operation.value != 0) {
    instance.values.resize(size, 0);
    instance.values[place] = operation.value;
  }
  if (operation.kind == RankOperation::Kind::split) {
    instance.colours[place] = {operation.colour, operation.key};
  } else if (operation.kind == RankOperation::Kind::create) {
    take_members(run, rank, instance, first);
  }
  return take_steps(slot, rank, outcome);
}

/// Those whom a rank wants in a communicator, which must be the same for all.
void MessageRuns::take_members(Run& run, std::uint32_t rank, Instance& instance, bool first) {
  const std::vector<std::uint32_t>& members = run.ranks[rank].operation.members;
  auto wanted = first ? std::move(instance.colours) : instance.colours;
  std::fill(wanted.begin(), wanted.end(), std::pair<std::int64_t, std::int64_t>{-1, 0});
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] >= wanted.size()) {
      fail(run, rank, "asks for a communicator with rank " + std::to_string(members[i]) + ", which is not there");
    }
    wanted[members[i]] = {0, static_cast<std::int64_t>(i)};
  }
  if (!first && wanted != instance.colours) {
    fail(run, rank,
         "calls create with other ranks than rank " + std::to_string(instance.first) + "; all must name the same");
  }
  instance.colours = std::move(wanted);
}

/// Does the rank's steps until one must be waited for; true when it is through.
bool MessageRuns::take_steps(Slot slot, std::uint32_t rank, Outcome& outcome) {
  Run& run = runs_[slot];
  Rank& state = run.ranks[rank];
  const std::uint32_t place = place_in(run, run.instances[state.instance].communicator, rank);
  Step step;
  for (;;) {
    Instance& instance = run.instances[state.instance];
    CollectiveCall call = instance.call;
    call.offsets = instance.offsets;
    const bool more = collective_step(call, place, state.step, step);
    if (more) {
      ++state.step;
      const std::uint32_t context = instance.communicator * 2 + 1;
      const auto tag = static_cast<std::int32_t>(instance.number);
      if (step.to >= 0) {
        const std::uint32_t to = member(run, instance.communicator, static_cast<std::uint32_t>(step.to));
        state.awaited.push_back(post_send(slot, rank, to, context, tag, step.send_bytes, 0));
      }
      if (step.from >= 0) {
        const auto from =
            static_cast<std::int32_t>(member(run, instance.communicator, static_cast<std::uint32_t>(step.from)));
        state.awaited.push_back(post_receive(slot, rank, from, context, tag));
      }
      if (!step.wait) continue;
    }
    Outcome ignored;
    if (!finish_wait(state, ignored)) return false;
    if (more) continue;
    leave_collective(slot, rank, outcome);
    return true;
  }
}

/// The rank is through; what it gets depends on what ranks gave that must all have begun by now.
void MessageRuns::leave_collective(Slot slot, std::uint32_t rank, Outcome& outcome) {
  Run& run = runs_[slot];
  const std::uint32_t index = run.ranks[rank].instance;
  Instance& instance = run.instances[index];
  const std::uint32_t place = place_in(run, instance.communicator, rank);
  if (instance.kind != RankOperation::Kind::collective) {
    outcome.communicator = make_communicator(run, instance, place);
    if (outcome.communicator != no_communicator) {
      outcome.place = place_in(run, outcome.communicator, rank);
      outcome.size = size_of(run, outcome.communicator);
    }
  } else if (!instance.values.empty()) {
    CollectiveCall call = instance.call;
    call.offsets = instance.offsets;
    const bool common =
        call.kind == Collective::bcast || call.kind == Collective::allreduce || call.kind == Collective::allgather;
    if (!common || !instance.combined) {
      outcome.value = run.program->combine(call, instance.combining, instance.values, place, rank);
      instance.combined = true;
      if (common) instance.common = run.program->share(outcome.value);
    } else {
      outcome.value = run.program->share(instance.common);
    }
  }
  if (--instance.left > 0) return;
  if (instance.common != 0) run.program->release(instance.common);
  for (const ValueId value : instance.values) {
    if (value != 0) run.program->release(value);
  }
  run.current.erase((std::uint64_t{instance.communicator} << 32U) | instance.number);
  instance = Instance{};
  run.unused_instances.push_back(index);
}

/// The communicator of those that gave the same colour, in the order of their keys; made by the first that asks.
std::uint32_t MessageRuns::make_communicator(Run& run, Instance& instance, std::uint32_t place) {
  const std::int64_t colour = instance.colours[place].first;
  if (colour < 0) return no_communicator;
  for (const auto& [known, communicator] : instance.made) {
    if (known == colour) return communicator;
  }
  std::vector<std::pair<std::int64_t, std::uint32_t>> chosen;
  for (std::uint32_t other = 0; other < instance.colours.size(); ++other) {
    if (instance.colours[other].first == colour) chosen.emplace_back(instance.colours[other].second, other);
  }
  std::sort(chosen.begin(), chosen.end());
  Communicator made;
  made.members.reserve(chosen.size());
  for (const auto& [key, other] : chosen) {
    const std::uint32_t rank = member(run, instance.communicator, other);
    made.places.emplace(rank, static_cast<std::uint32_t>(made.members.size()));
    made.members.push_back(rank);
  }
  const auto number = static_cast<std::uint32_t>(run.communicators.size());
  run.communicators.push_back(std::move(made));
  instance.made.emplace_back(colour, number);
  return number;
}

}  // namespace schedlab
