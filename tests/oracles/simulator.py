"""A naive event loop around the naive disciplines and allocators."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from . import disciplines, planning
from .model import Held, Job, Machine, Record, Running, Window
from .node_lists import Ordered
from .placement import Cluster, Limit, Nodes
from .plan import Reservation

DISCIPLINES = ("blocking", "greedy", "easy", "conservative", "reject")


def simulate(
    jobs: Sequence[Job],
    machine: Machine,
    *,
    order: str,
    discipline: str,
    allocator: str | Ordered,
    depth: int | None = None,
    events: str = "time",
    enforce_limits: bool = False,
    seed: int = 0,
    second: int = 1,
    reservations: int | None = 1,
    windows: Sequence[Window] = (),
    processor: tuple[int, ...] = (1,),
    plan_nodes: bool | None = None,
    promises: dict[int, list[tuple[int, int]]] | None = None,
    taken: dict[int, list[tuple[int, int]]] | None = None,
) -> dict[int, Record]:
    """Return the record of every job, by job id.

    Args:
        jobs: The workload. Jobs of equal submit time arrive in the order given.
        machine: The machine, idle at first.
        order: A key of `disciplines.ORDERS`.
        discipline: One of `DISCIPLINES`.
        allocator: One of `placement.ALLOCATORS`, or one by an order of the nodes.
        depth: Depth limit of the backfilling disciplines.
        events: "time": at each time stamp completions, releases of held jobs,
            arrivals, then one dispatcher call; a job of length zero ends in a second
            round of the same time stamp. "single" (PySS): at each time stamp arrivals,
            completions, releases, with a dispatcher call after each one of them. Starts
            and ends of windows make a call of their own where nothing else happens.
        enforce_limits: Whether a job is killed at its limit.
        seed: Seed of the random allocator.
        second: Length of a second in the unit of the jobs' times.
        reservations: How many blocked jobs EASY reserves for, None for all.
        windows: Times during which nodes are kept for some jobs, or for none.
        processor: What one task of a plain job requests.
        plan_nodes: Whether the backfilling disciplines plan single nodes; otherwise they
            count processors. None: if there are windows or jobs that are not plain.
        promises: Gets the reservations of backfilling: by job id, for each dispatcher
            call after which the job waits with a reservation, the time of the call and
            the reserved start.
        taken: Gets the nodes of each job that ran, and tasks there, in the order of ranks.
    """
    if discipline not in DISCIPLINES or events not in ("time", "single"):
        raise ValueError(f"unknown {discipline=} or {events=}")
    if len({job.id for job in jobs}) < len(jobs):
        raise ValueError("job ids must be unique")
    if reservations is not None and reservations < 1:
        raise ValueError("EASY needs at least one reservation")
    if any(window.end <= window.start for window in windows):
        raise ValueError("a window must end after its start")
    if plan_nodes is None:
        every = len(machine.capacity)
        plan_nodes = bool(windows) or not all(_plain(job, processor, every) for job in jobs)
    if discipline in ("easy", "conservative") and jobs and not plan_nodes:
        if windows:
            raise ValueError("backfilling around windows needs planned nodes")
        if not all(_plain(job, jobs[0].request, len(machine.capacity)) for job in jobs):
            raise ValueError("counting processors needs jobs whose tasks are all alike")
    simulation = _Simulation(
        arrivals=sorted(jobs, key=lambda job: job.submit),
        machine=machine,
        cluster=Cluster(machine, allocator, seed, second),
        empty=Cluster(machine, allocator, seed, second),
        order=order,
        discipline=discipline,
        depth=depth,
        enforce_limits=enforce_limits,
        second=second,
        wanted=reservations,
        windows=windows,
        changes=sorted(t for w in windows for t in (w.start, w.end) if t < math.inf),
        plan_nodes=plan_nodes,
        promises={} if promises is None else promises,
    )
    records = simulation.run(one_call_per_time=events == "time")
    if taken is not None:
        taken.update(simulation.cluster.taken)
    return records


def _plain(job: Job, processor: tuple[int, ...], nodes: int) -> bool:
    """Return whether the job asks for processors only, wherever they are of that many nodes."""
    anywhere = job.nodes is None or len(job.nodes) == nodes
    alike = all(a == b for a, b in zip_longest(job.request, processor, fillvalue=0))
    shaped = job.tasks_per_node is not None or job.whole_nodes or any(job.licenses)
    return alike and anywhere and not shaped and not job.choices


@dataclass
class _Simulation:
    """The state of one simulation."""

    arrivals: list[Job]  # still to come, in order
    machine: Machine
    cluster: Cluster
    empty: Cluster  # nothing is ever placed here
    order: str
    discipline: str
    depth: int | None
    enforce_limits: bool
    second: int
    wanted: int | None  # reservations of EASY
    windows: Sequence[Window]
    changes: list[float]  # starts and ends of windows still to come, in order
    plan_nodes: bool
    promises: dict[int, list[tuple[int, int]]]
    now: int = 0
    known: set[int] = field(default_factory=set)  # ids of jobs that arrived
    held: dict[int, Held] = field(default_factory=dict)  # in order of arrival
    queue: dict[int, Job] = field(default_factory=dict)  # in submission sequence
    running: list[Running] = field(default_factory=list)  # in start sequence
    records: dict[int, Record] = field(default_factory=dict)  # ended or rejected
    reservations: dict[int, int] = field(default_factory=dict)  # by counts
    places: dict[int, Reservation] = field(default_factory=dict)  # with planned nodes
    changed: bool = False  # whether a job ended, or a window changed, since the last call
    refused: bool = False  # whether conservative's last call had a due job refused

    def run(self, one_call_per_time: bool) -> dict[int, Record]:
        """Simulate until nothing more can happen."""
        while times := self._event_times():
            self.now = int(min(times))
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
            while self._changing():  # with the first event of its time, or alone
                self._change()
            self._dispatch()
        if self.queue or self.held:
            raise RuntimeError(f"jobs left waiting: {[*self.queue, *self.held]}")
        return self.records

    def _event_times(self) -> list[float]:
        """Return the times of the next arrival, ends, releases and change of a window.

        A reservation that falls due is not an event: it can only be honoured when the jobs it
        waits for have ended.
        """
        return [
            *(job.submit for job in self.arrivals[:1]),
            *(r.end for r in self.running),
            *(held.ready for held in self.held.values() if not held.waiting_for),
            *self.changes[:1],
        ]

    def _arrive(self, job: Job) -> None:
        """Submit a job: reject it, hold it for its predecessors, or queue it."""
        # A predecessor that has not arrived by now counts as ended.
        known = [p for p in job.predecessors if p in self.known]
        self.known.add(job.id)
        ends = [self.records[p].end for p in known if p in self.records]
        usable = [part for part in job.parts() if self.empty.total_room(part) >= job.tasks]
        if None in ends or not usable:
            self._reject(job)
            return
        if job.choices:
            choices = tuple(part.nodes for part in usable if part.nodes is not None)
            job = replace(job, nodes=choices[0], choices=choices)
        waiting_for = {p for p in known if p not in self.records}
        ready = max([job.submit] + [end + job.think for end in ends if end is not None])
        if waiting_for or ready > self.now:
            self.held[job.id] = Held(job, waiting_for, ready)
        else:
            self._enqueue(job)

    def _arriving(self) -> bool:
        return bool(self.arrivals) and self.arrivals[0].submit == self.now

    def _changing(self) -> bool:
        return bool(self.changes) and self.changes[0] == self.now

    def _change(self) -> None:
        """Let a window begin or end."""
        self.changes.pop(0)
        self.changed = True

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

    def _rooms(self, job: Job) -> list[int]:
        """Return how many tasks of the job may be placed on each node now."""
        end = self.now + disciplines.planned_length(job, self.second)
        return [
            0 if any(w.bars(job, node, self.now, end) for w in self.windows) else room
            for node, room in enumerate(self.cluster.rooms(job))
        ]

    def _fits(self, job: Job) -> bool:
        return any(self.cluster.fits(part, self._rooms(part)) for part in job.parts())

    def _start(self, job: Job) -> bool:
        """Start a job that fits; return whether the allocator had nodes for it."""
        started = any(
            self._start_within(part, self._rooms(part)) is not None for part in job.parts()
        )
        if not started and not self.cluster.may_refuse:
            raise RuntimeError(f"job {job.id} does not fit at {self.now}")
        return started

    def _start_due(
        self, job: Job, rooms: Sequence[int], limit: Limit | None = None
    ) -> Nodes | None:
        """Start a job whose reservation is a place, so that only the allocator can refuse."""
        nodes = self._start_within(job, rooms, limit)
        assert nodes is not None or self.cluster.may_refuse or job.choices
        return nodes

    def _start_within(
        self, job: Job, rooms: Sequence[int], limit: Limit | None = None
    ) -> Nodes | None:
        """Start a job with bounds for each node, see `Cluster.place`."""
        nodes = self.cluster.place(job, rooms, limit)
        if nodes is None:
            return None
        length, state = job.run, "completed"
        if self.enforce_limits and job.limit is not None and job.run > job.limit:
            length, state = job.limit, "killed"
        del self.queue[job.id]
        self.running.append(Running(job, self.now, self.now + length, state, nodes))
        return nodes

    def _end(self, r: Running) -> None:
        """End a running job and let those that waited for it continue."""
        self.running.remove(r)
        self.cluster.release(r.job, r.nodes)
        self.records[r.job.id] = Record(r.start, r.end, r.state, r.nodes)
        self.changed = True
        for held in self.held.values():
            if r.job.id in held.waiting_for:
                held.waiting_for.remove(r.job.id)
                held.ready = max(held.ready, self.now + held.job.think)

    def _dispatch(self) -> None:
        """Call the discipline once."""
        depth = self.depth
        changed, self.changed = self.changed, False
        queue = disciplines.ordered(self.queue.values(), self.order, self.machine)
        if not queue:
            return
        if self.discipline == "reject":
            for job in queue:
                self._reject(job)
        elif self.discipline == "blocking":
            disciplines.blocking(queue, self._fits, self._start)
        elif self.discipline == "greedy":
            disciplines.greedy(queue, self._fits, self._start, depth)
        else:
            backfill = self._backfill_nodes if self.plan_nodes else self._backfill_counts
            for job_id, start in backfill(queue, changed).items():
                self.promises.setdefault(job_id, []).append((self.now, start))

    def _backfill_counts(self, queue: list[Job], ended: bool) -> dict[int, int]:
        """Call a backfilling discipline that counts; return the reserved starts."""
        now, depth, second, start = self.now, self.depth, self.second, self._start
        running = list(self.running)
        if self.discipline == "easy" and self.wanted == 1:
            free = self.cluster.total_room(queue[0])
            return disciplines.easy(now, queue, running, free, start, depth, second)
        total = self.empty.total_room(queue[0])
        if self.discipline == "easy":
            return disciplines.easy_counts(
                now, queue, running, total, self.wanted, start, depth, second
            )
        plan = self.reservations
        self.refused = disciplines.conservative(
            now, queue, running, total, plan, ended, self.refused, start, depth, second
        )
        return plan

    def _backfill_nodes(self, queue: list[Job], changed: bool) -> dict[int, int]:
        """Call a backfilling discipline that plans nodes; return the reserved starts."""
        known = (self.now, queue, list(self.running), self.machine, self.windows)
        last = (self._start_within, self.depth, self.second)
        if self.discipline == "easy" and self.wanted == 1:
            return planning.easy_unpinned(*known, *last)
        if self.discipline == "easy":
            places = planning.easy_pinned(*known, self.wanted, *last)
        else:
            places = self.places
            last = (self._start_due, self.depth, self.second)
            self.refused = planning.conservative_pinned(
                *known, places, changed, self.refused, *last
            )
        return {job_id: place.start for job_id, place in places.items()}
