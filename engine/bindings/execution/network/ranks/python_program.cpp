#include "bindings/execution/network/ranks/python_program.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace schedlab::bindings {

namespace {

bool is_input_error(const nb::python_error& error) {
  return nb::isinstance(error.value(), nb::module_::import_("schedlab.errors").attr("InputError"));
}

}  // namespace

PythonProgram::PythonProgram(nb::object application, const JobApplication& job, const JobFacts& facts)
    : application_(std::move(application)), job_(job), facts_(std::make_shared<JobFacts>(facts)) {
  generators_.resize(job_.ranks);
  memories_.resize(job_.ranks);
}

bool PythonProgram::next(std::uint32_t rank, double seconds, const Outcome& outcome, RankOperation& operation) {
  if (memories_[rank] == nullptr) begin(rank);
  RankMemory& memory = *memories_[rank];
  ++memory.resumes;
  memory.seconds = seconds;
  const nb::object given = memory.resumes == 1 ? nb::none() : result_for_program(rank, outcome, operation);
  return resume(rank, given, operation);
}

std::string PythonProgram::where(std::uint32_t rank) const {
  nb::object generator = generators_[rank];
  if (!generator.is_valid()) return "its beginning";
  std::string place = "its end";
  while (nb::hasattr(generator, "gi_frame") && !generator.attr("gi_frame").is_none()) {
    const auto file = nb::cast<std::string>(generator.attr("gi_code").attr("co_filename"));
    place = file.substr(file.rfind('/') + 1) + ":" +
            std::to_string(nb::cast<int>(generator.attr("gi_frame").attr("f_lineno")));
    generator = generator.attr("gi_yieldfrom");
  }
  return place;
}

ValueId PythonProgram::combine(const CollectiveCall& call, std::uint8_t combining, std::span<const ValueId> given,
                               std::uint32_t place, std::uint32_t rank) {
  nb::list values;
  for (const ValueId value : given) values.append(value == 0 ? nb::none() : values_[value - 1]);
  const nb::object function = combining == 0 ? nb::none() : facts_->combining[combining - 1].function;
  if (!function.is_valid()) differs(rank);
  try {
    const nb::object result = nb::module_::import_("schedlab.application.combining")
                                  .attr("combine")(std::string(name_of(call.kind)), function, values, call.root, place);
    return result.is_none() ? 0 : keep(result);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    fail(rank, where(rank), described(error));
  }
}

ValueId PythonProgram::share(ValueId value) {
  if (value != 0) ++counts_[value - 1];
  return value;
}

void PythonProgram::release(ValueId value) {
  if (value == 0 || --counts_[value - 1] > 0) return;
  values_[value - 1] = nb::none();
  unused_.push_back(value);
}

std::unique_ptr<Program> PythonProgram::fresh() const {
  JobFacts facts = *facts_;
  facts.combining.clear();
  return std::make_unique<PythonProgram>(application_, job_, facts);
}

std::unique_ptr<Program> PythonProgram::once() const {
  JobFacts facts = *facts_;
  facts.combining.clear();
  facts.repetitions = 1.0;
  return std::make_unique<PythonProgram>(application_.attr("once")(), job_, facts);
}

double PythonProgram::iterations() const {
  const nb::object given = application_.attr("iterations");
  return nb::isinstance<nb::str>(given) ? 0.0 : nb::cast<double>(given);
}

std::string PythonProgram::key() const {
  return nb::cast<std::string>(nb::str(nb::object(application_.attr("once")())));
}

bool PythonProgram::ended(std::uint32_t rank) const {
  return memories_[rank] != nullptr && !generators_[rank].is_valid();
}

void PythonProgram::begin(std::uint32_t rank) {
  auto memory = std::make_shared<RankMemory>();
  memory->rank = rank;
  memories_[rank] = memory;
  try {
    memory->in_program = true;
    generators_[rank] = application_.attr("program")(nb::cast(CommunicatorView{facts_, memory, 0, rank, job_.ranks}));
    memory->in_program = false;
  } catch (nb::python_error& error) {
    raise(error, rank);
  }
  if (PyIter_Check(generators_[rank].ptr()) == 0 || !nb::hasattr(generators_[rank], "send")) {
    fail(rank, "its program",
         "is not a generator: a program is a function with `yield` in it, and gives " + shown(generators_[rank]));
  }
}

bool PythonProgram::resume(std::uint32_t rank, const nb::object& given, RankOperation& operation) {
  RankMemory& memory = *memories_[rank];
  memory.dropped.clear();
  memory.in_program = true;
  PyObject* yielded = nullptr;
  const PySendResult result = PyIter_Send(generators_[rank].ptr(), given.ptr(), &yielded);
  const nb::object made = nb::steal(yielded);
  memory.in_program = false;
  if (result == PYGEN_ERROR) {
    nb::python_error error;
    raise(error, rank);
  }
  if (!memory.dropped.empty()) {
    fail(rank, memory.dropped, "makes an operation that it does not yield; write `yield mpi.send(...)`");
  }
  if (result == PYGEN_RETURN) {
    generators_[rank] = nb::object();
    return false;
  }
  PendingOperation* pending = nullptr;
  if (!nb::try_cast(made, pending) || pending == nullptr) {
    fail(rank, where(rank), "yields " + shown(made) + "; a program yields operations, such as mpi.compute(1.0)");
  }
  if (pending->taken()) fail(rank, where(rank), "yields an operation for the second time; make a new one");
  if (!pending->is_of(memories_[rank])) fail(rank, where(rank), "yields an operation of another rank's communicator");
  pending->take();
  operation = std::move(pending->operation);
  memory.mark(operation);
  try {
    operation.value = pending->value.is_valid() && !pending->value.is_none() ? keep(copy_of(pending->value)) : 0;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    fail(rank, where(rank), "gives a value that cannot be copied, as messages are: " + described(error));
  }
  if (operation.kind == RankOperation::Kind::wait) take_requests(rank, operation.requests);
  return true;
}

void PythonProgram::take_requests(std::uint32_t rank, std::vector<std::uint32_t>& requests) {
  auto& pending = memories_[rank]->pending;
  std::vector<std::uint32_t> sorted = requests;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t& request : requests) {
    const auto found =
        std::lower_bound(pending.begin(), pending.end(), std::pair<std::uint32_t, std::uint32_t>{request, 0});
    if (found == pending.end() || found->first != request) {
      fail(rank, where(rank), "waits for request " + std::to_string(request) + ", which was waited for before");
    }
    request = found->second;
  }
  std::erase_if(pending,
                [&](const auto& entry) { return std::binary_search(sorted.begin(), sorted.end(), entry.first); });
}

nb::object PythonProgram::result_for_program(std::uint32_t rank, const Outcome& outcome,
                                             const RankOperation& operation) {
  RankMemory& memory = *memories_[rank];
  switch (operation.kind) {
    case RankOperation::Kind::send:
    case RankOperation::Kind::receive:
      if (operation.immediate) {
        memory.pending.emplace_back(++memory.requests, outcome.request);
        return nb::int_(memory.requests);
      }
      if (operation.kind == RankOperation::Kind::send) return nb::none();
      return received(rank, outcome.received.front(), 0);
    case RankOperation::Kind::exchange:
      return received(rank, outcome.received.front(), 0);
    case RankOperation::Kind::wait: {
      if (operation.immediate) return received(rank, outcome.received.front(), 0);
      nb::list all;
      for (std::uint32_t i = 0; i < outcome.received.size(); ++i) all.append(received(rank, outcome.received[i], i));
      return all;
    }
    case RankOperation::Kind::collective: {
      if (outcome.value == 0) return nb::none();
      const nb::object value = values_[outcome.value - 1];
      release(outcome.value);
      return common(rank, value);
    }
    case RankOperation::Kind::split:
    case RankOperation::Kind::create:
      if (outcome.communicator == no_communicator) return nb::none();
      return communicator(rank, outcome.communicator, outcome.place, outcome.size);
    default:
      return nb::none();
  }
}

nb::object PythonProgram::received(std::uint32_t rank, const Received& facts, std::uint32_t place) {
  if (facts.source == nobody) return nb::none();  // of a send, or of nobody
  auto data = std::make_shared<ReceivedData>();
  data->facts = facts;
  if (facts.value != 0) {
    data->value = values_[facts.value - 1];
    release(facts.value);
  }
  return view_of(memories_[rank], place, std::move(data));
}

nb::object PythonProgram::common(std::uint32_t rank, const nb::object& value) {
  RankMemory::Given& given = memories_[rank]->note();
  given.kind = RankMemory::Given::Kind::value;
  given.value = value;
  return copy_of(value);
}

nb::object PythonProgram::communicator(std::uint32_t rank, std::uint32_t number, std::uint32_t place,
                                       std::uint32_t size) {
  RankMemory::Given& given = memories_[rank]->note();
  given.kind = RankMemory::Given::Kind::communicator;
  given.communicator = number;
  given.place = place;
  given.size = size;
  return nb::cast(CommunicatorView{facts_, memories_[rank], number, place, size});
}

ValueId PythonProgram::keep(const nb::object& value) {
  if (unused_.empty()) {
    values_.push_back(value);
    counts_.push_back(1);
    return static_cast<ValueId>(values_.size());
  }
  const ValueId id = unused_.back();
  unused_.pop_back();
  values_[id - 1] = value;
  counts_[id - 1] = 1;
  return id;
}

void PythonProgram::fail(std::uint32_t rank, const std::string& place, const std::string& what) const {
  throw ApplicationError("job " + std::to_string(job_.job) + ", rank " + std::to_string(rank) + ", at " + place + ": " +
                         what);
}

std::string PythonProgram::described(nb::python_error& error) {
  const nb::object value = nb::borrow(error.value());
  const std::string kind =
      is_input_error(error) ? "" : nb::cast<std::string>(nb::handle(value.type()).attr("__name__")) + ": ";
  return kind + nb::cast<std::string>(nb::str(nb::handle(value)));
}

void PythonProgram::raise(nb::python_error& error, std::uint32_t rank) const {
  if (!error.matches(PyExc_Exception)) throw error;
  constexpr int generator = 0x20;  // inspect.CO_GENERATOR
  std::string place = "its program";
  const bool ours = is_input_error(error);  // which the program's own line caused, whatever was called there
  for (nb::object trace = nb::borrow(error.traceback()); trace.is_valid() && !trace.is_none();
       trace = trace.attr("tb_next")) {
    const nb::object code = trace.attr("tb_frame").attr("f_code");
    if (ours && (nb::cast<int>(code.attr("co_flags")) & generator) == 0) continue;
    const auto file = nb::cast<std::string>(code.attr("co_filename"));
    place = file.substr(file.rfind('/') + 1) + ":" + std::to_string(nb::cast<int>(trace.attr("tb_lineno")));
  }
  fail(rank, place, described(error));
}

}  // namespace schedlab::bindings
