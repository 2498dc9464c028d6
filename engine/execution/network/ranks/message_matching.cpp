// Messages between ranks: sent, carried, and matched with receives as MPI demands it.
#include <algorithm>
#include <cmath>

#include "execution/network/ranks/message_runs.hpp"

namespace schedlab {

/// Contexts are numbered by communicator: even ones for messages of programs, odd ones for those of collectives.
std::uint64_t MessageRuns::receiver_key(const Message& message) {
  return (std::uint64_t{message.to} << 32U) | message.context;
}

std::uint32_t MessageRuns::post_send(Slot slot, std::uint32_t rank, std::uint32_t to, std::uint32_t context,
                                     std::int32_t tag, std::uint64_t bytes, ValueId value) {
  Run& run = runs_[slot];
  MessageId id = 0;
  if (unused_messages_.empty()) {
    id = static_cast<MessageId>(messages_.size());
    messages_.emplace_back();
  } else {
    id = unused_messages_.back();
    unused_messages_.pop_back();
  }
  const std::uint32_t request = new_request(run.ranks[rank], Request::Kind::sends);
  Message& message = messages_[id];
  message = Message{};
  message.in_use = true;
  message.slot = slot;
  message.from = rank;
  message.to = to;
  message.context = context;
  message.tag = tag;
  message.bytes = bytes;
  message.value = value;
  message.request = request;
  const auto [last, first] = run.ranks[rank].last_sent.try_emplace(receiver_key(message), id);
  if (!first) {
    message.previous = last->second;
    messages_[last->second].next = id;
    last->second = id;
  }
  ++run.messages;
  run.traffic.messages += 1.0;
  run.traffic.bytes += static_cast<double>(bytes);
  if (observer_ != nullptr) observer_->sent(rank, to, bytes, now_);
  const std::uint32_t here = run.nodes[rank];
  const std::uint32_t there = run.nodes[to];
  if (here == there) {
    const WireRules& rules = spec_.transport.rules;
    const auto copying = static_cast<Tick>(std::llround(static_cast<double>(bytes) * rules.memory_ticks_per_byte));
    set_timer(now_ + rules.memory_delay + copying, Timer::Kind::copied, slot, id);
    return request;
  }
  if (const std::string why = transport_->refusal(here, there, bytes, now_); !why.empty()) fail(run, rank, why);
  const std::uint32_t hops = transport_->send(id, here, there, bytes, now_);
  run.activity += 2;  // it arrives, and is acknowledged
  run.traffic.hops += hops;
  run.traffic.hop_bytes += static_cast<double>(hops) * static_cast<double>(bytes);
  return request;
}

/// The message is at its node. Between two ranks messages do not overtake each other: it may be offered to receives
/// when those that were sent before have come.
void MessageRuns::arrive(MessageId id) {
  {
    Message& message = messages_[id];
    --runs_[message.slot].activity;
    message.arrived = true;
    if (message.previous != none) return;
  }
  while (id != none && messages_[id].arrived) {
    Message& message = messages_[id];
    Run& run = runs_[message.slot];
    const MessageId next = message.next;
    if (next == none) {
      run.ranks[message.from].last_sent.erase(receiver_key(message));
    } else {
      messages_[next].previous = none;
    }
    message.in_order = true;
    offer(id);
    id = next;
  }
}

void MessageRuns::acknowledge(MessageId id) {
  Message& message = messages_[id];
  const Slot slot = message.slot;
  const std::uint32_t from = message.from;
  const std::uint32_t request = message.request;
  --runs_[slot].activity;
  message.acknowledged = true;
  if (message.received) recycle(id);
  finish_request(slot, from, request);
}

/// The first receive that was posted and wants it gets the message; else it waits at its rank.
void MessageRuns::offer(MessageId id) {
  const Message& message = messages_[id];
  const Slot slot = message.slot;
  const std::uint32_t to = message.to;
  Rank& rank = runs_[slot].ranks[to];
  const auto wants = [&](const PostedReceive& posted) {
    return posted.context == message.context &&
           (posted.source == any_source || posted.source == static_cast<std::int32_t>(message.from)) &&
           (posted.tag == any_tag || posted.tag == message.tag);
  };
  const auto posted = std::find_if(rank.posted.begin(), rank.posted.end(), wants);
  if (posted == rank.posted.end()) {
    rank.arrived.push_back(id);
    return;
  }
  const std::uint32_t request = posted->request;
  rank.posted.erase(posted);
  receive(slot, to, request, id);
  finish_request(slot, to, request);
}

std::uint32_t MessageRuns::post_receive(Slot slot, std::uint32_t rank, std::int32_t from, std::uint32_t context,
                                        std::int32_t tag) {
  Rank& state = runs_[slot].ranks[rank];
  const std::uint32_t request = new_request(state, Request::Kind::receives);
  const auto fits = [&](MessageId id) {
    const Message& message = messages_[id];
    return message.context == context && (from == any_source || static_cast<std::int32_t>(message.from) == from) &&
           (tag == any_tag || message.tag == tag);
  };
  const auto found = std::find_if(state.arrived.begin(), state.arrived.end(), fits);
  if (found == state.arrived.end()) {
    state.posted.push_back({context, from, tag, request});
    return request;
  }
  const MessageId id = *found;
  state.arrived.erase(found);
  receive(slot, rank, request, id);
  state.requests[request].done = true;
  return request;
}

void MessageRuns::receive(Slot slot, std::uint32_t rank, std::uint32_t request, MessageId id) {
  Run& run = runs_[slot];
  Message& message = messages_[id];
  const std::uint32_t source = place_in(run, message.context / 2, message.from);
  run.ranks[rank].requests[request].received = {message.value, static_cast<std::int32_t>(source), message.tag,
                                                message.bytes};
  message.received = true;
  if (message.acknowledged) recycle(id);
}

void MessageRuns::recycle(MessageId id) {
  --runs_[messages_[id].slot].messages;
  messages_[id] = Message{};
  unused_messages_.push_back(id);
}

}  // namespace schedlab
