#include "bindings/execution/network/ranks/communicator.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/errors.hpp"
#include "execution/network/ranks/collectives.hpp"

namespace schedlab::bindings {

std::string place_of_caller() {
  PyFrameObject* frame = PyEval_GetFrame();
  if (frame == nullptr) return "its program";
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const auto file = nb::cast<std::string>(code.attr("co_filename"));
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(PyFrame_GetLineNumber(frame));
}

PendingOperation::~PendingOperation() {
  if (rank_ == nullptr || !rank_->in_program || !rank_->dropped.empty()) return;
  rank_->dropped = place_of_caller();
}

std::optional<long long> whole(nb::handle given) {
  if (PyIndex_Check(given.ptr()) == 0) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Index(given.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  return overflow == 0 ? std::optional(value) : std::nullopt;
}

std::uint64_t bytes_from(nb::handle given, const char* name) {
  if (const auto bytes = whole(given); bytes) {
    if (*bytes >= 0 && *bytes <= (1LL << 50)) return static_cast<std::uint64_t>(*bytes);
  } else if (PyFloat_Check(given.ptr()) != 0) {
    const double bytes = PyFloat_AsDouble(given.ptr());
    if (bytes >= 0.0 && bytes < 1e15 && std::floor(bytes) == bytes) return static_cast<std::uint64_t>(bytes);
  }
  throw InputError(std::string(name) + " must be a whole number from 0 to 2**50, not " + shown(given));
}

namespace {

std::int32_t rank_from(nb::handle given, const char* name) {
  if (given.is_none()) return nobody;
  if (const auto rank = whole(given); rank) {
    if (*rank >= -1 && *rank < (1LL << 31)) return static_cast<std::int32_t>(*rank);
    throw InputError(std::string(name) + " " + std::to_string(*rank) + " is not there; ranks count from 0");
  }
  throw InputError(std::string(name) + " must be a rank, or None for no rank, not " + shown(given));
}

}  // namespace

std::int32_t peer_from(nb::handle given, const char* name) {
  const std::int32_t rank = rank_from(given, name);
  if (rank == any_source) throw InputError(std::string(name) + " must be one rank, not ANY (-1)");
  return rank;
}

RankOperation operation_on(const CommunicatorView& self, RankOperation::Kind kind) {
  RankOperation made;
  made.kind = kind;
  made.communicator = self.communicator;
  return made;
}

namespace {

std::int32_t tag_from(std::int64_t tag, bool any) {
  if (tag < (any ? -1 : 0) || tag > 0x7FFFFFFF) {
    throw InputError("tag must be from 0 to 2**31 - 1" + std::string(any ? ", or ANY" : "") + ", not " +
                     std::to_string(tag));
  }
  return static_cast<std::int32_t>(tag);
}

PendingOperation computing(const CommunicatorView& self, double seconds) {
  if (!(seconds >= 0.0) || std::isinf(seconds)) {
    throw InputError("seconds must be a number from 0 up, not " + std::to_string(seconds));
  }
  RankOperation made = operation_on(self, RankOperation::Kind::compute);
  made.seconds = seconds;
  return {self.rank, std::move(made)};
}

/// Counts of operations as time on a core, or on several: what of it takes longest hides nothing of the rest, as PPT
/// adds up integer, floating-point and memory operations.
PendingOperation counted(const CommunicatorView& self, double integer, double floating, double memory,
                         std::uint32_t threads) {
  const JobFacts& job = *self.job;
  if (job.integer <= 0.0) {
    throw InputError("operations: the system does not say how fast its cores are; add [network.compute] or processors");
  }
  if (!(integer >= 0.0 && floating >= 0.0 && memory >= 0.0) || threads == 0) {
    throw InputError("operations: counts must be numbers from 0 up, and threads at least 1");
  }
  const double seconds = integer / job.integer + floating / job.floating + memory / job.memory;
  return computing(self, seconds / threads);
}

PendingOperation files(const CommunicatorView& self, nb::handle bytes) {
  RankOperation made = operation_on(self, RankOperation::Kind::file);
  made.bytes = bytes_from(bytes, "bytes");
  return {self.rank, std::move(made)};
}

PendingOperation sending(const CommunicatorView& self, nb::handle to, nb::handle bytes, std::int64_t tag,
                         nb::object value, bool immediate) {
  RankOperation made = operation_on(self, RankOperation::Kind::send);
  made.peer = peer_from(to, "to");
  made.bytes = bytes_from(bytes, "bytes");
  made.tag = tag_from(tag, false);
  made.immediate = immediate;
  return {self.rank, std::move(made), std::move(value)};
}

PendingOperation receiving(const CommunicatorView& self, nb::handle source, std::int64_t tag, bool immediate) {
  RankOperation made = operation_on(self, RankOperation::Kind::receive);
  made.peer = rank_from(source, "source");
  made.tag = tag_from(tag, true);
  made.immediate = immediate;
  return {self.rank, std::move(made)};
}

PendingOperation exchanging(const CommunicatorView& self, nb::handle to, nb::handle bytes, nb::handle source,
                            std::int64_t tag, nb::object value) {
  RankOperation made = operation_on(self, RankOperation::Kind::exchange);
  made.peer = peer_from(to, "to");
  made.source = rank_from(source, "source");
  made.bytes = bytes_from(bytes, "bytes");
  made.tag = tag_from(tag, false);
  return {self.rank, std::move(made), std::move(value)};
}

PendingOperation waiting(const CommunicatorView& self, nb::handle requests, bool one) {
  RankOperation made = operation_on(self, RankOperation::Kind::wait);
  made.immediate = one;  // the outcome is one result, not a list
  const auto add = [&](nb::handle given) {
    const auto request = whole(given);
    if (!request) throw InputError("a request is what isend and irecv give, not " + shown(given));
    const auto& pending = self.rank->pending;  // in the order of their numbers
    const auto found = std::lower_bound(pending.begin(), pending.end(), *request,
                                        [](const auto& entry, long long number) { return entry.first < number; });
    if (found == pending.end() || found->first != *request) {
      throw InputError("request " + shown(given) + " was waited for before, or was never made");
    }
    made.requests.push_back(found->first);
  };
  if (one) {
    add(requests);
  } else {
    for (const nb::handle request : requests) add(request);
  }
  std::vector<std::uint32_t> sorted = made.requests;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    throw InputError("request " + std::to_string(*twice) + " is named twice");
  }
  return {self.rank, std::move(made)};
}

PendingOperation splitting(const CommunicatorView& self, nb::handle colour, std::int64_t key) {
  RankOperation made = operation_on(self, RankOperation::Kind::split);
  made.colour = -1;
  if (!colour.is_none()) {
    made.colour = whole(colour).value_or(-1);
    if (made.colour < 0) throw InputError("colour must be a whole number from 0 up, or None, not " + shown(colour));
  }
  made.key = key;
  return {self.rank, std::move(made)};
}

PendingOperation creating(const CommunicatorView& self, const std::vector<std::uint32_t>& ranks) {
  RankOperation made = operation_on(self, RankOperation::Kind::create);
  made.members = ranks;
  std::vector<std::uint32_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw InputError("create: a rank is named twice");
  }
  return {self.rank, std::move(made)};
}

/// dup: the same ranks in the same order.
PendingOperation duplicating(const CommunicatorView& self) {
  RankOperation made = operation_on(self, RankOperation::Kind::split);
  made.colour = 0;
  made.key = self.place;
  return {self.rank, std::move(made)};
}

nb::object random_of(const CommunicatorView& self) {
  self.job->looked_at = true;
  nb::object& random = self.rank->random;
  if (random.is_valid()) return random;
  // The text is hashed by random.Random itself, the same on all machines.
  const std::string seed =
      std::to_string(self.job->seed) + "/" + std::to_string(self.job->job) + "/" + std::to_string(self.rank->rank);
  random = nb::module_::import_("random").attr("Random")(seed);
  return random;
}

double now_of(const CommunicatorView& self) {
  RankMemory::Given& given = self.rank->note();
  given.time_was_read = true;
  given.seconds = self.rank->seconds;
  return self.rank->seconds;
}

}  // namespace

void bind_communicator(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<PendingOperation>(module, "Operation", "What a rank does next; a program yields it.");
  nb::class_<ReceivedView>(module, "Received", "What came of a receive.")
      .def_prop_ro(
          "value", [](ReceivedView& self) { return self.value(); },
          nb::for_getter(nb::sig("def value(self) -> typing.Any")))
      .def_prop_ro("source", [](ReceivedView& self) { return self.facts().source; })
      .def_prop_ro("tag", [](ReceivedView& self) { return self.facts().tag; })
      .def_prop_ro("bytes", [](ReceivedView& self) { return self.facts().bytes; });
  nb::class_<CommunicatorView> type(module, "Communicator",
                                    "Ranks that talk among themselves, as one of them sees it.");
  type.attr("ANY") = -1;
  const auto none = nb::none();
  type.def_prop_ro("rank", [](const CommunicatorView& self) { return self.place; })
      .def_prop_ro("size", [](const CommunicatorView& self) { return self.size; })
      .def_prop_ro("now", &now_of, "Seconds since the job began.")
      .def_prop_ro(
          "job",
          [](const CommunicatorView& self) {
            self.job->looked_at = true;
            return self.job->job;
          },
          "The job's number.")
      .def_prop_ro(
          "run_time",
          [](const CommunicatorView& self) -> std::optional<double> {
            self.job->looked_at = true;
            if (self.job->run_seconds < 0.0) return std::nullopt;
            return self.job->run_seconds;
          },
          "The job's recorded run time in seconds, if it has one.")
      .def_prop_ro(
          "repetitions", [](const CommunicatorView& self) { return static_cast<std::uint64_t>(self.job->repetitions); },
          "How many iterations fill the recorded run time.")
      .def_prop_ro("random", &random_of, nb::for_getter(nb::sig("def random(self) -> typing.Any")),
                   "The rank's own random.Random.")
      .def("compute", &computing, "seconds"_a, "Computes for so long.")
      .def("operations", &counted, "integer"_a = 0.0, "floating"_a = 0.0, "memory"_a = 0.0, "threads"_a = 1,
           "Computes that many operations, and moves that many bytes of memory, on the cores of the system.")
      .def("read", &files, "bytes"_a, "Reads from the shared file system.")
      .def("write", &files, "bytes"_a, "Writes to the shared file system.")
      .def(
          "send",
          [](const CommunicatorView& self, nb::handle to, nb::handle bytes, std::int64_t tag, nb::object value) {
            return sending(self, to, bytes, tag, std::move(value), false);
          },
          "to"_a.none(), "bytes"_a, "tag"_a = 0, "value"_a.none() = none, "Sends, and waits until it arrived.")
      .def(
          "isend",
          [](const CommunicatorView& self, nb::handle to, nb::handle bytes, std::int64_t tag, nb::object value) {
            return sending(self, to, bytes, tag, std::move(value), true);
          },
          "to"_a.none(), "bytes"_a, "tag"_a = 0, "value"_a.none() = none, "Sends; gives a request to wait for.")
      .def(
          "recv",
          [](const CommunicatorView& self, nb::handle source, std::int64_t tag) {
            return receiving(self, source, tag, false);
          },
          "source"_a.none() = any_source, "tag"_a = any_tag, "Waits for a message; gives a Received.")
      .def(
          "irecv",
          [](const CommunicatorView& self, nb::handle source, std::int64_t tag) {
            return receiving(self, source, tag, true);
          },
          "source"_a.none() = any_source, "tag"_a = any_tag, "Receives; gives a request to wait for.")
      .def("sendrecv", &exchanging, "to"_a.none(), "bytes"_a, "source"_a.none() = any_source, "tag"_a = 0,
           "value"_a.none() = none, "Sends and receives at the same time; gives a Received.")
      .def(
          "wait", [](const CommunicatorView& self, nb::handle request) { return waiting(self, request, true); },
          "request"_a, "Waits for a request; gives a Received, or None of a send.")
      .def(
          "waitall", [](const CommunicatorView& self, nb::handle requests) { return waiting(self, requests, false); },
          "requests"_a, "Waits for all of them; gives a list.")
      .def("split", &splitting, "colour"_a.none(), "key"_a = 0,
           "Gives a communicator of the ranks of the same colour, in the order of their keys; None for colour None.")
      .def("create", &creating, "ranks"_a, "Gives a communicator of these ranks, in this order; None to others.")
      .def("dup", &duplicating, "Gives another communicator of the same ranks.");
  bind_collective_calls(type);
}

}  // namespace schedlab::bindings
