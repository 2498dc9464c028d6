// Jobs and the queue as policies see them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bindings/dispatch/views.hpp"

namespace schedlab::bindings {

namespace {

nb::object attribute_of(const JobView& view, const std::string& name) {
  const double value = view.state().jobs().attribute(view.slot, name);
  if (std::isnan(value)) {
    throw nb::key_error(("job " + std::to_string(view.id) + " has no attribute \"" + name + "\"").c_str());
  }
  if (value == std::floor(value) && std::abs(value) < 9e15) return nb::int_(static_cast<std::int64_t>(value));
  return nb::float_(value);
}

nb::dict nodes_of(const JobView& view) {
  nb::dict result;
  for (const NodeRun& run : view.job().placement) {
    for (std::uint32_t node = run.first; node < run.first + run.count; ++node) result[nb::int_(node)] = run.tasks;
  }
  return result;
}

void bind_jobs_of(nb::module_& module) {
  using namespace nb::literals;
  const auto seconds = [](Time (*value)(const JobView&)) {
    return [value](const JobView& view) { return seconds_of(value(view)); };
  };
  nb::class_<JobView>(module, "JobView", "A job as a policy sees it, valid during the call.")
      .def_prop_ro("id", [](const JobView& view) { return view.id; })
      .def_prop_ro("user", [](const JobView& view) { return view.job().user; })
      .def_prop_ro(
          "processors", [](const JobView& view) { return view.job().tasks; }, "Number of tasks.")
      .def_prop_ro("submit", seconds([](const JobView& view) { return view.job().submit; }),
                   nb::for_getter(nb::sig("def submit(self) -> float")))
      .def_prop_ro("wait", seconds([](const JobView& view) {
                     const Job& job = view.job();
                     return (job.state == JobState::running ? job.start : view.state().now()) - job.submit;
                   }),
                   nb::for_getter(nb::sig("def wait(self) -> float")),
                   "Time since it was submitted, of a running job until it started.")
      .def_prop_ro("estimate", seconds([](const JobView& view) { return view.job().estimate; }),
                   nb::for_getter(nb::sig("def estimate(self) -> float")), "What is known of its run time.")
      .def_prop_ro("requested_time", seconds([](const JobView& view) { return view.job().requested_time(); }),
                   nb::for_getter(nb::sig("def requested_time(self) -> float")))
      .def_prop_ro("tasks_per_node",
                   [](const JobView& view) -> std::optional<std::uint32_t> {
                     const std::uint32_t most = view.job().tasks_per_node;
                     return most == 0 ? std::nullopt : std::optional(most);
                   })
      .def_prop_ro("whole_nodes", [](const JobView& view) { return view.job().whole_nodes; })
      .def_prop_ro(
          "fewest_nodes",
          [](const JobView& view) { return view.state().machine().fewest_nodes(view.job(), view.amounts()); },
          "Nodes of the empty machine that can hold it.")
      .def_prop_ro(
          "resources",
          [](const JobView& view) {
            return by_type(view.state().machine(), [&](std::size_t type) { return view.amounts()[type]; });
          },
          nb::for_getter(nb::sig("def resources(self) -> dict[str, int]")), "What each task asks for.")
      .def_prop_ro(
          "licenses",
          [](const JobView& view) {
            const Machine& machine = view.state().machine();
            const Amount* wanted = machine.licenses().amounts(view.job().licenses);
            return by_license(machine, [&](std::size_t kind) { return wanted[kind]; });
          },
          nb::for_getter(nb::sig("def licenses(self) -> dict[str, int]")), "What it takes of each license.")
      .def_prop_ro("state", [](const JobView& view) { return std::string(view.state_name()); })
      .def_prop_ro(
          "start",
          [](const JobView& view) -> nb::object {
            return view.job().state == JobState::running ? seconds_of(view.job().start) : nb::none();
          },
          nb::for_getter(nb::sig("def start(self) -> float | None")), "When it started; None while it waits.")
      .def_prop_ro("elapsed", seconds([](const JobView& view) {
                     return view.job().state == JobState::running ? view.state().now() - view.job().start : Time{0};
                   }),
                   nb::for_getter(nb::sig("def elapsed(self) -> float")), "For how long it has been running.")
      .def_prop_ro("expected_end", seconds([](const JobView& view) {
                     const Time now = view.state().now();
                     const Job& job = view.job();
                     if (job.state != JobState::running) return later(now, job.planned_length());
                     return std::max(job.estimated_end(), later(now, second));
                   }),
                   nb::for_getter(nb::sig("def expected_end(self) -> float")),
                   "By the estimate; of a waiting job if it started now.")
      .def_prop_ro(
          "interruptions", [](const JobView& view) { return view.job().interruptions; },
          "How many of its attempts ended early so far: nodes failed, or the scheduler requeued it.")
      .def_prop_ro("nodes", &nodes_of, nb::for_getter(nb::sig("def nodes(self) -> dict[int, int]")),
                   "Tasks on each node of a running job.")
      .def("__getitem__", &attribute_of, "name"_a, nb::sig("def __getitem__(self, name: str) -> float"),
           "An attribute beyond these, such as queue or what a job factory added.")
      .def("__eq__",
           [](const JobView& view, nb::handle other) {
             return nb::isinstance<JobView>(other) && nb::cast<const JobView&>(other).id == view.id;
           })
      .def("__hash__", [](const JobView& view) { return static_cast<Py_hash_t>(view.id); })
      .def("__repr__", [](const JobView& view) { return "<job " + std::to_string(view.id) + ">"; });
}

struct QueueView {
  ScopePointer scope;
};

/// Walks the queue; jobs may leave it meanwhile.
struct QueueIterator {
  ScopePointer scope;
  std::uint64_t call;
  std::optional<WaitingJob> last{};  // that it came to; it continues after it
  bool begun = false;
  bool fitting = false;                 // only jobs that have room by now, and that a reservation may allow
  std::optional<std::uint32_t> most{};  // only jobs that need no more free processors
  WaitingQueue::Position where{0, 0};
  std::size_t size = 0;  // of the queue when `where` was right

  std::optional<JobView> next() {
    if (scope->state == nullptr || scope->call != call) {
      throw SimulationError("a walk through the queue was continued after the call in which it began");
    }
    const WaitingQueue& queue = scope->state->queue();
    if (begun && queue.size() != size) {
      where = last ? queue.after(*last) : WaitingQueue::Position{0, 0};
    } else if (begun) {
      ++where.index;
    }
    begun = true;
    size = queue.size();
    while (where.block < queue.blocks()) {
      constexpr std::size_t group = WaitingQueue::blocks_per_group;
      if (where.index == 0 && where.block % group == 0 && !may_have_one(queue.group_summary(where.block / group))) {
        where.block += group;
        continue;
      }
      const auto jobs = queue.entries(where.block);
      if (where.index >= jobs.size() || (where.index == 0 && !may_have_one(queue.summary(where.block)))) {
        where = {where.block + 1, 0};
        continue;
      }
      const WaitingJob& job = jobs[where.index];
      if (lets_through(job)) {
        last = job;
        return JobView(scope, job.slot);
      }
      ++where.index;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::int64_t limit() const {
    std::int64_t bound = std::numeric_limits<std::int64_t>::max();
    if (fitting) bound = scope->state->machine().free_processors();
    return most ? std::min<std::int64_t>(bound, *most) : bound;
  }

  /// Whether the scope's reservation leaves room for jobs that need that many processors for that long, or more.
  [[nodiscard]] bool reservation_leaves(std::uint32_t processors, Time estimate) const {
    const Reservation& reservation = *scope->reservation;
    return processors <= reservation.spare_processors() ||
           later(scope->state->now(), std::max(estimate, second)) <= reservation.start();
  }

  /// The job that has the reservation is not kept out by it, so blocks are skipped after it only.
  [[nodiscard]] bool is_past_reserved() const {
    const Slot slot = scope->reserved;
    return last && !(*last < waiting_entry(scope->state->jobs()[slot], slot));
  }

  [[nodiscard]] bool may_have_one(const WaitingSummary& jobs) const {
    const std::int64_t bound = limit();
    if (jobs.smallest > bound) return false;
    if (!fitting || !scope->reservation || !is_past_reserved()) return true;
    return reservation_leaves(jobs.smallest, jobs.shortest_within(bound));
  }

  [[nodiscard]] bool lets_through(const WaitingJob& job) const {
    if (job.processors > limit()) return false;
    if (!fitting) return true;
    const bool kept_out =
        scope->reservation && job.slot != scope->reserved && !reservation_leaves(job.processors, job.estimate);
    return !kept_out && fits_now(*scope->state, job.slot, nullptr);
  }
};

JobView queue_item(const QueueView& view, std::int64_t index) {
  const WaitingQueue& queue = view.scope->get().queue();
  const auto size = static_cast<std::int64_t>(queue.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) throw nb::index_error("no job of the queue has this number");
  std::size_t block = 0;
  auto left = static_cast<std::size_t>(index);
  while (left >= queue.entries(block).size()) left -= queue.entries(block++).size();
  return {view.scope, queue.entries(block)[left].slot};
}

QueueIterator queue_fitting(const QueueView& view, std::optional<std::uint32_t> processors, const JobView* behind) {
  QueueIterator walk{view.scope, view.scope->call};
  walk.fitting = !processors;
  walk.most = processors;
  if (behind != nullptr) {
    walk.last = waiting_entry(behind->in(view.scope).job(), behind->slot);
    walk.begun = true;
    walk.size = view.scope->get().queue().size() + 1;  // so that it looks for the place
  }
  return walk;
}

void bind_queue(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<QueueIterator>(module, "QueueIterator")
      .def(
          "__iter__", [](nb::handle self) { return self; }, nb::sig("def __iter__(self) -> QueueIterator"))
      .def(
          "__next__",
          [](QueueIterator& self) -> nb::object {
            auto job = self.next();
            if (job) return nb::cast(std::move(*job));
            PyErr_SetNone(PyExc_StopIteration);  // a C++ exception would take longer than the walk
            return {};
          },
          nb::sig("def __next__(self) -> JobView"));
  nb::class_<QueueView>(module, "QueueView", "The waiting jobs, in order.")
      .def("__len__", [](const QueueView& view) { return view.scope->get().queue().size(); })
      .def("__getitem__", &queue_item, "index"_a)
      .def(
          "__getitem__",
          [](const QueueView& view, const nb::slice& slice) {
            nb::list jobs;
            const auto [start, stop, step, length] = slice.compute(view.scope->get().queue().size());
            for (std::size_t i = 0; i < length; ++i)
              jobs.append(queue_item(view, start + static_cast<std::int64_t>(i) * step));
            return jobs;
          },
          "index"_a, nb::sig("def __getitem__(self, index: slice) -> list[JobView]"))
      .def("__iter__", [](const QueueView& view) { return QueueIterator{view.scope, view.scope->call}; })
      .def("fitting", &queue_fitting, "processors"_a.none() = nb::none(), nb::kw_only(), "behind"_a.none() = nb::none(),
           "The jobs, in order, that have room on the machine as it is when each is reached, without those that would "
           "delay the reserved job for their size and length alone; or, given a number, those that could do with that "
           "many free processors. Blocks of the queue that have none are skipped.");
}

}  // namespace

nb::object queue_view(const ScopePointer& scope) { return nb::cast(QueueView{scope}); }

void bind_queue_view(nb::module_& module) {
  bind_jobs_of(module);
  bind_queue(module);
}

}  // namespace schedlab::bindings
