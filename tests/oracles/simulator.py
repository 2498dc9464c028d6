"""A naive event loop around the naive disciplines and allocators."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from . import disciplines
from .model import Held, Job, Machine, Record, Running
from .placement import Cluster

DISCIPLINES = ("blocking", "greedy", "easy", "conservative", "reject")


def simulate(
    jobs: Sequence[Job],
    machine: Machine,
    *,
    order: str,
    discipline: str,
    allocator: str,
    depth: int | None = None,
    events: str = "time",
    enforce_limits: bool = False,
    seed: int = 0,
    second: int = 1,
) -> dict[int, Record]:
    """Return the record of every job, by job id.

    Args:
        jobs: The workload. Jobs of equal submit time arrive in the order given.
        machine: The machine, idle at first.
        order: A key of `disciplines.ORDERS`.
        discipline: One of `DISCIPLINES`.
        allocator: One of `placement.ALLOCATORS`.
        depth: Depth limit of the backfilling disciplines.
        events: "time": at each time stamp completions, releases of held jobs,
            arrivals, then one dispatcher call; a job of length zero ends in a second
            round of the same time stamp. "single" (PySS): at each time stamp arrivals,
            completions, releases, with a dispatcher call after each one of them.
        enforce_limits: Whether a job is killed at its limit.
        seed: Seed of the random allocator.
        second: Length of a second in the unit of the jobs' times.
    """
    if discipline not in DISCIPLINES or events not in ("time", "single"):
        raise ValueError(f"unknown {discipline=} or {events=}")
    if len({job.id for job in jobs}) < len(jobs):
        raise ValueError("job ids must be unique")
    if discipline in ("easy", "conservative") and jobs:
        kinds = {(j.request, j.tasks_per_node, j.whole_nodes) for j in jobs}
        if kinds != {(jobs[0].request, None, False)}:
            raise ValueError("backfilling needs jobs whose tasks are all alike")
    simulation = _Simulation(
        arrivals=sorted(jobs, key=lambda job: job.submit),
        cluster=Cluster(machine, allocator, seed),
        empty=Cluster(machine, allocator, seed),
        order=order,
        discipline=discipline,
        depth=depth,
        enforce_limits=enforce_limits,
        second=second,
    )
    return simulation.run(one_call_per_time=events == "time")


@dataclass
class _Simulation:
    """The state of one simulation."""

    arrivals: list[Job]  # still to come, in order
    cluster: Cluster
    empty: Cluster  # nothing is ever placed here
    order: str
    discipline: str
    depth: int | None
    enforce_limits: bool
    second: int
    now: int = 0
    known: set[int] = field(default_factory=set)  # ids of jobs that arrived
    held: dict[int, Held] = field(default_factory=dict)  # in order of arrival
    queue: dict[int, Job] = field(default_factory=dict)  # in submission sequence
    running: list[Running] = field(default_factory=list)  # in start sequence
    records: dict[int, Record] = field(default_factory=dict)  # ended or rejected
    reservations: dict[int, int] = field(default_factory=dict)
    ended: bool = False  # whether any job ended since the last dispatcher call

    def run(self, one_call_per_time: bool) -> dict[int, Record]:
        """Simulate until nothing more can happen."""
        while times := self._event_times():
            self.now = min(times)
            if one_call_per_time:
                for r in self._ending():
                    self._end(r)
                for job in self._released():
                    self._enqueue(job)
                while self._arriving():
                    self._arrive(self.arrivals.pop(0))
            elif self._arriving():
                self._arrive(self.arrivals.pop(0))
            elif ending := self._ending():
                self._end(ending[0])
            elif released := self._released():
                self._enqueue(released[0])
            self._dispatch()
        if self.queue or self.held:
            raise RuntimeError(f"jobs left waiting: {[*self.queue, *self.held]}")
        return self.records

    def _event_times(self) -> list[int]:
        """Return the times of the next arrival, ends and releases.

        A reservation that falls due is no event: it can only be honoured when the jobs it
        waits for have ended.
        """
        return [
            *(job.submit for job in self.arrivals[:1]),
            *(r.end for r in self.running),
            *(held.ready for held in self.held.values() if not held.waiting_for),
        ]

    def _arrive(self, job: Job) -> None:
        """Submit a job: reject it, hold it for its predecessors, or queue it."""
        # A predecessor that has not arrived by now counts as ended.
        known = [p for p in job.predecessors if p in self.known]
        self.known.add(job.id)
        ends = [self.records[p].end for p in known if p in self.records]
        if None in ends or not self.empty.fits(job):
            self._reject(job)
            return
        waiting_for = {p for p in known if p not in self.records}
        ready = max([job.submit] + [end + job.think for end in ends if end is not None])
        if waiting_for or ready > self.now:
            self.held[job.id] = Held(job, waiting_for, ready)
        else:
            self._enqueue(job)

    def _arriving(self) -> bool:
        return bool(self.arrivals) and self.arrivals[0].submit == self.now

    def _ending(self) -> list[Running]:
        return [r for r in self.running if r.end == self.now]

    def _released(self) -> list[Job]:
        """Return the held jobs that may be queued now, in order of arrival."""
        ready = [h for h in self.held.values() if h.ready <= self.now]
        return [h.job for h in ready if not h.waiting_for]

    def _enqueue(self, job: Job) -> None:
        self.held.pop(job.id, None)
        self.queue[job.id] = job

    def _reject(self, job: Job) -> None:
        """Reject a job and with it every held job that waits for it."""
        self.records[job.id] = Record(None, None, "rejected", ())
        self.held.pop(job.id, None)
        self.queue.pop(job.id, None)
        for held in list(self.held.values()):
            if job.id in held.waiting_for and held.job.id in self.held:
                self._reject(held.job)

    def _start(self, job: Job) -> None:
        nodes = self.cluster.place(job)
        if nodes is None:
            raise RuntimeError(f"job {job.id} does not fit at {self.now}")
        length, state = job.run, "completed"
        if self.enforce_limits and job.limit is not None and job.run > job.limit:
            length, state = job.limit, "killed"
        del self.queue[job.id]
        self.running.append(Running(job, self.now, self.now + length, state, nodes))

    def _end(self, r: Running) -> None:
        """End a running job and let those that waited for it go on."""
        self.running.remove(r)
        self.cluster.release(r.job, r.nodes)
        self.records[r.job.id] = Record(r.start, r.end, r.state, r.nodes)
        self.ended = True
        for held in self.held.values():
            if r.job.id in held.waiting_for:
                held.waiting_for.remove(r.job.id)
                held.ready = max(held.ready, self.now + held.job.think)

    def _dispatch(self) -> None:
        """Call the discipline once."""
        now, depth, second, start = self.now, self.depth, self.second, self._start
        ended, self.ended = self.ended, False
        queue = disciplines.ordered(self.queue.values(), self.order)
        running = list(self.running)
        if not queue:
            return
        if self.discipline == "reject":
            for job in queue:
                self._reject(job)
        elif self.discipline == "blocking":
            disciplines.blocking(queue, self.cluster.fits, start)
        elif self.discipline == "greedy":
            disciplines.greedy(queue, self.cluster.fits, start, depth)
        elif self.discipline == "easy":
            free = self.cluster.total_room(queue[0])
            disciplines.easy(now, queue, running, free, start, depth, second)
        else:
            total, plan = self.empty.total_room(queue[0]), self.reservations
            disciplines.conservative(now, queue, running, total, plan, ended, start, depth, second)
