#include "bindings/execution/network/ranks/rank_memory.hpp"

#include <algorithm>
#include <bit>

#include "base/errors.hpp"

namespace schedlab::bindings {

namespace {

/// Whether nobody can change it.
bool unchangeable(PyObject* value) {
  const PyTypeObject* type = Py_TYPE(value);
  if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyUnicode_Type || type == &PyBytes_Type ||
      type == &PyBool_Type || value == Py_None) {
    return true;
  }
  if (type != &PyTuple_Type) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
    if (!unchangeable(PyTuple_GET_ITEM(value, i))) return false;
  }
  return true;
}

bool of_unchangeable(PyObject* list) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    if (!unchangeable(PyList_GET_ITEM(list, i))) return false;
  }
  return true;
}

nb::object state_text() { return nb::module_::import_("schedlab.state_text"); }

}  // namespace

nb::object copy_of(nb::handle value) {
  if (unchangeable(value.ptr())) return nb::borrow(value);
  if (Py_TYPE(value.ptr()) == &PyList_Type && of_unchangeable(value.ptr())) {
    return nb::steal(PyList_GetSlice(value.ptr(), 0, PyList_GET_SIZE(value.ptr())));
  }
  return nb::module_::import_("copy").attr("deepcopy")(value);
}

void archive_value(Archive& archive, nb::object& value) {
  std::string text;
  if (!archive.reading()) {
    try {
      const nb::object given = value.is_valid() ? value : nb::none();
      const auto bytes = nb::cast<nb::bytes>(state_text().attr("encode")(given, "a value that ranks exchange"));
      text.assign(bytes.c_str(), bytes.size());
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;
      throw InputError(nb::cast<std::string>(nb::str(error.value())));
    }
  }
  archive(text);
  if (archive.reading()) value = state_text().attr("decode")(nb::bytes(text.data(), text.size()));
}

RankMemory::Given& RankMemory::note() {
  if (given.empty() || given.back().resume != resumes) {
    given.emplace_back();
    given.back().resume = resumes;
  }
  return given.back();
}

std::vector<RankMemory::Result> RankMemory::results() const {
  std::vector<Result> all = looked_at;
  for (const OpenResult& result : open) {
    const ReceivedPointer data = result.data.lock();
    if (data != nullptr && !data->looked_at) all.push_back({result.resume, result.place, data});
  }
  std::sort(all.begin(), all.end(), [](const Result& a, const Result& b) {
    return a.resume != b.resume ? a.resume < b.resume : a.place < b.place;
  });
  return all;
}

void RankMemory::mark(const RankOperation& operation) {
  const auto add = [this](auto number) {
    fingerprint = (std::rotl(fingerprint, 5) ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15U;
  };
  const auto add_all = [&](const auto& numbers) {
    add(numbers.size());
    for (const auto number : numbers) add(number);
  };
  add(operation.kind);
  add(operation.immediate);
  add(operation.peer);
  add(operation.source);
  add(operation.tag);
  add(operation.communicator);
  add(operation.bytes);
  add(std::bit_cast<std::uint64_t>(operation.seconds));
  add(operation.collective);
  add(operation.algorithm);
  add(operation.colour);
  add(operation.key);
  add_all(operation.counts);
  add_all(operation.members);
  add_all(operation.requests);
}

const Received& ReceivedView::facts() {
  if (!data->looked_at) {
    data->looked_at = true;
    rank->looked_at.push_back({resume, place, data});
  }
  return data->facts;
}

nb::object ReceivedView::value() {
  facts();
  if (!data->value.is_valid()) return nb::none();
  if (!own.is_valid()) own = copy_of(data->value);
  return own;
}

nb::object view_of(const RankPointer& rank, std::uint32_t place, ReceivedPointer data) {
  std::vector<RankMemory::OpenResult>& open = rank->open;
  if (open.size() == open.capacity()) {  // before it grows: most of them are gone
    std::erase_if(open, [](const RankMemory::OpenResult& result) {
      const ReceivedPointer still = result.data.lock();
      return still == nullptr || still->looked_at;
    });
    open.reserve(std::max<std::size_t>(8, 2 * open.size()));
  }
  open.push_back({rank->resumes, place, data});
  return nb::cast(ReceivedView{rank, rank->resumes, place, std::move(data), {}});
}

void RankMemory::Given::archive(Archive& archive) {
  archive(resume, time_was_read, seconds, kind, communicator, place, size);
  if (kind == Kind::value) archive_value(archive, value);
}

void RankMemory::Result::archive(Archive& archive) {
  if (archive.reading()) data = std::make_shared<ReceivedData>();
  archive(resume, place, data->facts.source, data->facts.tag, data->facts.bytes);
  archive_value(archive, data->value);
}

void RankMemory::archive(Archive& archive) {
  std::vector<Result> kept;
  if (!archive.reading()) kept = results();
  archive(resumes, seconds, fingerprint, given, kept, requests, pending);
  if (archive.reading()) looked_at = std::move(kept);
}

}  // namespace schedlab::bindings
