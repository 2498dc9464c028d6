// The collectives of a communicator, as programs call them.
#include <algorithm>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "bindings/execution/network/ranks/communicator.hpp"
#include "execution/network/ranks/collectives.hpp"

namespace schedlab::bindings {

namespace {

std::uint8_t combining_number(JobFacts& job, const nb::object& op) {
  const bool named = nb::isinstance<nb::str>(op);
  if (!named && PyCallable_Check(op.ptr()) == 0) {
    throw InputError("op must be a name or a function of two values, not " + shown(op));
  }
  auto& known = job.combining;
  const auto number = [&](auto found) { return static_cast<std::uint8_t>(found - known.begin() + 1); };
  if (!named) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.function.is(op); });
    if (found != known.end()) return number(found);
  }
  const auto module = [] { return nb::module_::import_("schedlab.application.combining"); };
  const auto key = nb::cast<std::string>(named ? op : module().attr("key_of")(op));
  auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.key == key; });
  if (found == known.end()) {
    if (known.size() >= 250) throw InputError("op: more than 250 different operators; define the function once");
    found = known.insert(found, {key, {}});
  }
  if (!found->function.is_valid()) found->function = named ? nb::object(module().attr("operator_named")(op)) : op;
  return number(found);
}

/// Bytes of a collective: a number, or for blocks of different sizes a list of them by rank (of lists, for alltoall).
void take_bytes(RankOperation& made, nb::handle bytes, std::uint32_t size) {
  if (!nb::isinstance<nb::list>(bytes) && !nb::isinstance<nb::tuple>(bytes)) {
    made.bytes = bytes_from(bytes, "bytes");
    return;
  }
  const bool pairs = made.collective == Collective::alltoall;
  const auto require = [&](nb::handle list) {
    if (nb::len(list) == size) return;
    throw InputError("bytes must be one number, or one for each of the " + std::to_string(size) + " ranks, not " +
                     std::to_string(nb::len(list)) + " of them");
  };
  require(bytes);
  for (const nb::handle entry : bytes) {
    if (!pairs) {
      made.counts.push_back(bytes_from(entry, "bytes"));
      continue;
    }
    if (!nb::isinstance<nb::list>(entry) && !nb::isinstance<nb::tuple>(entry)) {
      throw InputError(
          "bytes of an alltoall of different blocks must be a list of lists: bytes[i][j] from rank i to rank j");
    }
    require(entry);
    for (const nb::handle cell : entry) made.counts.push_back(bytes_from(cell, "bytes"));
  }
}

PendingOperation collective(const CommunicatorView& self, Collective kind, nb::handle bytes, nb::handle root,
                            nb::object value, const nb::object& op, const std::string& algorithm) {
  RankOperation made = operation_on(self, RankOperation::Kind::collective);
  made.collective = kind;
  if (!root.is_none()) {
    made.peer = peer_from(root, "root");
    if (made.peer >= static_cast<std::int32_t>(self.size)) {
      throw InputError("root " + std::to_string(made.peer) + " is not there: the communicator has ranks 0 to " +
                       std::to_string(self.size - 1));
    }
  }
  if (algorithm != "standard") made.algorithm = algorithm_named(kind, algorithm);
  take_bytes(made, bytes, self.size);
  if (!op.is_none()) made.combining = combining_number(*self.job, op);
  return {self.rank, std::move(made), std::move(value)};
}

}  // namespace

void bind_collective_calls(nb::class_<CommunicatorView>& type) {
  using namespace nb::literals;
  const auto none = nb::none();
  const nb::int_ nothing(0);
  const auto root = nb::int_(0);
  const auto call = [](const CommunicatorView& self, Collective kind, nb::handle bytes, nb::handle from,
                       nb::object value, const nb::object& op, const std::string& algorithm) {
    return collective(self, kind, bytes, from, std::move(value), op, algorithm);
  };
  type.def(
      "barrier",
      [call](const CommunicatorView& self, const std::string& algorithm) {
        return call(self, Collective::barrier, nb::int_(0), nb::none(), nb::object(), nb::none(), algorithm);
      },
      "algorithm"_a = "standard", "Waits until all ranks of the communicator are here.");
  type.def(
      "bcast",
      [call](const CommunicatorView& self, nb::handle bytes, nb::handle from, nb::object value,
             const std::string& algorithm) {
        return call(self, Collective::bcast, bytes, from, std::move(value), nb::none(), algorithm);
      },
      "bytes"_a, "root"_a = root, "value"_a.none() = none, "algorithm"_a = "standard",
      "Gives the root's value to all.");
  type.def(
      "reduce",
      [call](const CommunicatorView& self, nb::handle bytes, nb::handle from, nb::object value, const nb::object& op,
             const std::string& algorithm) {
        return call(self, Collective::reduce, bytes, from, std::move(value), op, algorithm);
      },
      "bytes"_a, "root"_a = root, "value"_a.none() = none, "op"_a = "sum", "algorithm"_a = "standard",
      "Combines the values of all at the root.");
  type.def(
      "allreduce",
      [call](const CommunicatorView& self, nb::handle bytes, nb::object value, const nb::object& op,
             const std::string& algorithm) {
        return call(self, Collective::allreduce, bytes, nb::none(), std::move(value), op, algorithm);
      },
      "bytes"_a, "value"_a.none() = none, "op"_a = "sum", "algorithm"_a = "standard",
      "Combines the values of all, for all.");
  type.def(
      "gather",
      [call](const CommunicatorView& self, nb::handle bytes, nb::handle from, nb::object value,
             const std::string& algorithm) {
        return call(self, Collective::gather, bytes, from, std::move(value), nb::none(), algorithm);
      },
      "bytes"_a, "root"_a = root, "value"_a.none() = none, "algorithm"_a = "standard",
      "Gives the root a list of the values of all.");
  type.def(
      "scatter",
      [call](const CommunicatorView& self, nb::handle bytes, nb::handle from, nb::object values,
             const std::string& algorithm) {
        return call(self, Collective::scatter, bytes, from, std::move(values), nb::none(), algorithm);
      },
      "bytes"_a, "root"_a = root, "values"_a.none() = none, "algorithm"_a = "standard",
      "Gives each rank its entry of the root's list.");
  type.def(
      "allgather",
      [call](const CommunicatorView& self, nb::handle bytes, nb::object value, const std::string& algorithm) {
        return call(self, Collective::allgather, bytes, nb::none(), std::move(value), nb::none(), algorithm);
      },
      "bytes"_a, "value"_a.none() = none, "algorithm"_a = "standard", "Gives all a list of the values of all.");
  type.def(
      "alltoall",
      [call](const CommunicatorView& self, nb::handle bytes, nb::object values, const std::string& algorithm) {
        return call(self, Collective::alltoall, bytes, nb::none(), std::move(values), nb::none(), algorithm);
      },
      "bytes"_a, "values"_a.none() = none, "algorithm"_a = "standard",
      "Gives each rank its entry of everybody's list.");
  type.def(
      "reduce_scatter",
      [call](const CommunicatorView& self, nb::handle bytes, nb::object values, const nb::object& op,
             const std::string& algorithm) {
        return call(self, Collective::reduce_scatter, bytes, nb::none(), std::move(values), op, algorithm);
      },
      "bytes"_a, "values"_a.none() = none, "op"_a = "sum", "algorithm"_a = "standard",
      "Combines everybody's lists, and gives each rank its entry.");
  type.def(
      "scan",
      [call](const CommunicatorView& self, nb::handle bytes, nb::object value, const nb::object& op,
             const std::string& algorithm) {
        return call(self, Collective::scan, bytes, nb::none(), std::move(value), op, algorithm);
      },
      "bytes"_a, "value"_a.none() = none, "op"_a = "sum", "algorithm"_a = "standard",
      "Combines the values of the ranks up to this one.");
}

}  // namespace schedlab::bindings
