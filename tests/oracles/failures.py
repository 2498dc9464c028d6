"""Nodes that fail, naively: the event loop of `simulator` with outages of a trace.

A node that is down is held by a running job without an owner, which is expected to end after the
mean length of all outages. Checkpoints are walked through one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from .model import Job, Machine, Record, Running, Window
from .node_lists import Ordered
from .placement import Cluster, Limit, Nodes
from .simulator import _plain, _Simulation


@dataclass(frozen=True)
class Rule:
    """How jobs continue after a failure.

    Attributes:
        interval: Work between two checkpoints; None for none.
        cost: Time that writing one takes.
        restart: Time that going on from one takes.
        limit: Attempts after which a job is given up; None for never.
    """

    interval: int | None = None
    cost: int = 0
    restart: int = 0
    limit: int | None = None

    def segments(self, work: int, resumed: bool) -> list[tuple[str, int]]:
        """Return what an attempt with this work left consists of, in order."""
        found = [("restart", self.restart)] if resumed else []
        while self.interval is not None and work > self.interval:
            found += [("work", self.interval), ("write", self.cost)]
            work -= self.interval
        return [*found, ("work", work)]

    def length(self, work: int, resumed: bool) -> int:
        """Return how long the attempt takes."""
        return sum(length for _, length in self.segments(work, resumed))

    def at_failure(self, work: int, resumed: bool, done: int) -> tuple[int, int, int]:
        """Return (useful, overhead, lost) of an attempt that a failure ends after so long."""
        elapsed = useful = overhead = 0
        kept = (0, 0)
        for kind, length in self.segments(work, resumed):
            elapsed += length
            if elapsed > done:
                break
            if kind == "work":
                useful += length
            else:
                overhead += length
            if kind == "write":
                kept = (useful, overhead)
        return (*kept, done - sum(kept))

    def at_end(self, work: int, resumed: bool, done: int) -> tuple[int, int, int]:
        """Return the same of an attempt that ends by itself, or is killed, after so long."""
        left, useful = done, 0
        for kind, length in self.segments(work, resumed):
            spent = min(left, length)
            left -= spent
            useful += spent if kind == "work" else 0
        return useful, done - useful, 0


@dataclass(frozen=True)
class Attempt:
    """A time during which a job held nodes: its parts add up to its length."""

    job: int
    start: int
    end: int
    nodes: Nodes
    useful: int
    overhead: int
    lost: int
    failed_node: int | None = None
    ended_by: str = "itself"  # or failure, requeue, cancel


@dataclass
class Failing(_Simulation):
    """A simulation whose nodes may fail; see `_Simulation`."""

    outages: Sequence[tuple[int, int, int]] = ()  # node, start, end
    rule: Rule = Rule()
    origin: int = 0
    down: dict[int, Running] = field(default_factory=dict)  # by node
    begun: set[tuple[int, int, int]] = field(default_factory=set)  # outages, so far
    left: dict[int, int] = field(default_factory=dict)  # work, by job id
    attempts: list[Attempt] = field(default_factory=list)  # in the order of their ends
    given_up: set[int] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    submitted: dict[int, Job] = field(default_factory=dict)
    joined: dict[int, int] = field(default_factory=dict)  # by job id: ascends as jobs are queued

    def run(self, one_call_per_time: bool) -> dict[int, Record]:
        """Simulate until nothing more can happen."""
        assert one_call_per_time
        self.submitted = {job.id: job for job in self.arrivals}
        self.left = {job.id: job.run for job in self.arrivals}
        self.origin = min(job.submit for job in self.arrivals)
        while self.arrivals or self.queue or self.held or self._jobs_running():
            changes = [t for _, *both in self.outages for t in both if t > self.now]
            times = [*self._event_times(), *(t for t in changes if t > self.origin)]
            assert times, f"jobs left waiting: {[*self.queue, *self.held]}"
            self.now = int(min(times))
            for r in [r for r in self.running if r.end == self.now]:
                self._end(r)
            self._fail_and_repair()
            for job in self._released():
                self._enqueue(job)
            while self._arriving():
                self._arrive(self.arrivals.pop(0))
            while self._changing():
                self._change()
            self._dispatch()
        return self.records

    def _event_times(self) -> list[float]:
        ends = [r.end for r in self._jobs_running()]
        held = [h.ready for h in self.held.values() if not h.waiting_for]
        return [*(job.submit for job in self.arrivals[:1]), *ends, *held, *self.changes[:1]]

    def _jobs_running(self) -> list[Running]:
        return [r for r in self.running if r.job.id >= 0]

    def _fail_and_repair(self) -> None:
        """Bring all nodes into the state of this time; queue the jobs that ran there again."""
        if not self.outages:
            return
        causes = {
            n: [o for o in self.outages if o[0] == n and o[1] <= self.now < o[2]]
            for n in range(len(self.machine.capacity))
        }
        new = [n for n, found in causes.items() if found and n not in self.down]
        up = [n for n in self.down if not causes[n]]
        later = [n for n in self.down if any(o not in self.begun for o in causes[n])]
        self.begun.update(o for found in causes.values() for o in found)
        hit = [r for r in self._jobs_running() if any(n in new for n, _ in r.nodes)]
        hit.sort(key=lambda r: self.joined[r.job.id])
        again = [r.job for r in hit if self._fail(r, new)]
        mean = Fraction(sum(end - start for _, start, end in self.outages), len(self.outages))
        for node in new:
            whole = Job(-1 - node, self.now, 0, mean, self._processors(node), whole_nodes=True)
            held = Running(whole, self.now, -1, "down", ((node, 1),))
            self.cluster._change(whole, node, 1, -1)
            self.running.append(held)
            self.down[node] = held
        for node in up:
            self.running.remove(self.down[node])
            self.cluster.release(self.down.pop(node).job, ((node, 1),))
        for node in later:
            old = self.down[node]
            job = replace(old.job, estimate=max(old.job.estimate, self.now + mean - old.start))
            self.down[node] = replace(old, job=job)
            self.running[self.running.index(old)] = self.down[node]
        if new or up or later:  # whoever keeps plans makes them anew
            self.reservations.clear()
            self.places.clear()
        for job in again:
            self._enqueue(self.shortened(job))

    def _processors(self, node: int) -> int:
        empty = self.machine.capacity[node]
        return min((have // need for have, need in zip(empty, (1,), strict=False)), default=0)

    def _enqueue(self, job: Job) -> None:
        super()._enqueue(job)
        self.joined[job.id] = 1 + max(self.joined.values(), default=0)

    def _resumed(self, job_id: int) -> bool:
        return self.left[job_id] < self.submitted[job_id].run

    def _length(self, job_id: int) -> int:
        return self.rule.length(self.left[job_id], self._resumed(job_id))

    def shortened(self, job: Job) -> Job:
        """Return the job with the estimate of its next attempt."""
        last = next(a for a in reversed(self.attempts) if a.job == job.id)
        if last.useful == 0:
            return job
        before = self.left[job.id] + last.useful
        was = self.rule.length(before, before < self.submitted[job.id].run)
        shorter = was - self._length(job.id)
        return replace(job, estimate=max(self.second, job.estimate - shorter))

    def interrupt(self, r: Running, ended_by: str, node: int | None = None) -> None:
        """End an attempt early."""
        job = r.job.id
        parts = self.rule.at_failure(self.left[job], self._resumed(job), self.now - r.start)
        self.attempts.append(Attempt(job, r.start, self.now, r.nodes, *parts, node, ended_by))
        self.running.remove(r)
        self.cluster.release(r.job, r.nodes)
        self.changed = True
        self.left[job] -= parts[0]

    def requeue(self, r: Running) -> None:
        """End an attempt; the job joins the queue again."""
        self.interrupt(r, "requeue")
        self._enqueue(self.shortened(r.job))

    def cancel(self, r: Running) -> None:
        """End a running job for good."""
        self.interrupt(r, "cancel")
        self.cancelled.add(r.job.id)
        self.records[r.job.id] = Record(r.start, self.now, "killed", r.nodes)
        for held in self.held.values():
            if r.job.id in held.waiting_for:
                held.waiting_for.remove(r.job.id)
                held.ready = max(held.ready, self.now + held.job.think)

    def _fail(self, r: Running, failed: list[int]) -> bool:
        """End an attempt because a node failed; return whether the job is tried again."""
        job = r.job.id
        self.interrupt(r, "failure", min(n for n, _ in r.nodes if n in failed))
        tried = sum(a.job == job and a.failed_node is not None for a in self.attempts)
        if tried != self.rule.limit:
            return True
        self.given_up.add(job)
        self.records[job] = Record(r.start, self.now, "failed", r.nodes)
        for held in list(self.held.values()):
            if job in held.waiting_for and held.job.id in self.held:
                self._reject(held.job)
        return False

    def _arrive(self, job: Job) -> None:
        gone = [p for p in job.predecessors if p in self.given_up and p in self.known]
        if gone:
            self.known.add(job.id)
            self._reject(job)
        else:
            super()._arrive(job)

    def _start_within(
        self, job: Job, rooms: Sequence[int], limit: Limit | None = None
    ) -> Nodes | None:
        nodes = self.cluster.place(job, rooms, limit)
        if nodes is None:
            return None
        length, state = self._length(job.id), "completed"
        if self.enforce_limits and job.limit is not None and length > job.limit:
            length, state = job.limit, "killed"
        del self.queue[job.id]
        self.running.append(Running(job, self.now, self.now + length, state, nodes))
        return nodes

    def _end(self, r: Running) -> None:
        job = r.job.id
        parts = self.rule.at_end(self.left[job], self._resumed(job), r.end - r.start)
        self.attempts.append(Attempt(job, r.start, r.end, r.nodes, *parts))
        super()._end(r)


@dataclass
class Outcome:
    """What became of the jobs, and of the time of the nodes.

    Attributes:
        records: The record of each job, by job id; of its last attempt.
        attempts: All attempts, in the order of their ends.
        node_time: useful, checkpoint, lost, idle and down, added up over the nodes.
    """

    records: dict[int, Record]
    attempts: list[Attempt]
    node_time: dict[str, Fraction]

    @property
    def interruptions(self) -> list[Attempt]:
        """Return the attempts that ended early."""
        return [a for a in self.attempts if a.ended_by != "itself"]


def simulate_failures(
    jobs: Sequence[Job],
    machine: Machine,
    outages: Sequence[tuple[int, int, int]],
    rule: Rule,
    *,
    discipline: str,
    order: str = "fifo",
    second: int = 1,
    depth: int | None = None,
    reservations: int | None = 1,
    enforce_limits: bool = False,
    allocator: str | Ordered = "first-fit",
    windows: Sequence[Window] = (),
    seed: int = 0,
    kind: type[Failing] = Failing,
    **own: Any,
) -> Outcome:
    """Return what happens on a machine whose nodes are down at the times of a trace.

    `kind` is a simulation of its own, for running jobs that are ended; `own` are further fields of
    it.
    """
    every = len(machine.capacity)
    plan_nodes = bool(windows) or not all(_plain(job, (1,), every) for job in jobs)
    simulation = kind(
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
        promises={},
        now=min(job.submit for job in jobs) - 1,
        outages=outages,
        rule=rule,
        **own,
    )
    records = simulation.run(one_call_per_time=True)
    in_vain = simulation.given_up | simulation.cancelled
    attempts = [_with_hindsight(a, in_vain) for a in simulation.attempts]
    spans = node_time(jobs, machine, outages, attempts)
    return Outcome(records, simulation.attempts, spans)


def _with_hindsight(attempt: Attempt, in_vain: set[int]) -> Attempt:
    """Return the attempt as it counts: what a job had kept that left early is lost."""
    if attempt.job not in in_vain:
        return attempt
    return replace(attempt, useful=0, lost=attempt.lost + attempt.useful)


def node_time(
    jobs: Sequence[Job],
    machine: Machine,
    outages: Sequence[tuple[int, int, int]],
    attempts: Sequence[Attempt],
) -> dict[str, Fraction]:
    """Return where the time of the nodes went, node by node and stretch by stretch.

    A job uses the share of a node that it holds of its cores.
    """
    by_id = {job.id: job for job in jobs}
    begin = min(job.submit for job in jobs)
    end = max((a.end for a in attempts), default=begin)
    spans = dict.fromkeys(("useful", "checkpoint", "lost", "idle", "down"), Fraction(0))
    for node, (cores, *_) in enumerate(machine.capacity):
        here = [(a, tasks) for a in attempts for n, tasks in a.nodes if n == node]
        times = {begin, end, *(t for a, _ in here for t in (a.start, a.end))}
        times |= {t for n, *both in outages if n == node for t in both}
        cuts = sorted(t for t in times if begin <= t <= end)
        for start, stop in pairwise(cuts):
            is_down = any(n == node and s <= start and stop <= e for n, s, e in outages)
            held = Fraction(0)
            for a, tasks in here:
                if not (a.start <= start and stop <= a.end):
                    continue
                job = by_id[a.job]
                share = Fraction(tasks * (job.request[0] if job.request else 0), cores or 1)
                share = Fraction(1) if job.whole_nodes else share
                held += share
                for name, part in (
                    ("useful", a.useful),
                    ("checkpoint", a.overhead),
                    ("lost", a.lost),
                ):
                    spans[name] += share * (stop - start) * Fraction(part, a.end - a.start)
            assert held <= 1
            assert held == 0 or not is_down, (node, start)
            spans["down" if is_down else "idle"] += (1 - held) * (stop - start)
    return spans
