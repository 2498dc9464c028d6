"""A naive simulator of jobs on sockets that contend and draw power.

Jobs start in order of submission, and none before those ahead of it (FIFO, blocking). Tasks go to
the nodes in order, as many as fit, and fill the sockets of a node in order. At every event the
speed of everything that runs is computed anew, from nothing but who is where.

Times are whole nanoseconds; what remains of a share is an exact fraction of a nanosecond of its
time alone at nominal clock, and its end is rounded up. Speed factors are floats, so an engine that
keeps what remains as a float may be off by a few nanoseconds. Where that could change the order of
events, `Run.ambiguous` says so: compare such cases by something weaker than equality.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from . import contention

SECOND = 1_000_000_000
NEAR = 1_000
"""Nanoseconds within which an engine that rounds might swap two events."""


@dataclass(frozen=True)
class PlatformJob:
    """A job. What it does is what each of its cores does (IRMaSim's task).

    Attributes:
        id: Unique.
        submit: Nanoseconds.
        run: Nanoseconds that it takes at nominal clock on every processor, without instructions.
        tasks: How many tasks; they may be on different nodes.
        cores: Of one task, all on one node.
        instructions: Of one core; None: it takes `run`.
        ipc: Instructions per cycle.
        memory_volume: MB that one core moves.
        whole_nodes: Whether it takes idle nodes, and all their cores work for it.
    """

    id: int
    submit: int
    run: int = 0
    tasks: int = 1
    cores: int = 1
    instructions: float | None = None
    ipc: float = 1.0
    memory_volume: float = 0.0
    whole_nodes: bool = False

    def time_alone(self, operations_per_second: float) -> Fraction:
        """Return T0 in nanoseconds."""
        if self.instructions is None:
            return Fraction(self.run)
        seconds = contention.time_alone(self.instructions, self.ipc, operations_per_second)
        return Fraction(seconds * SECOND)


@dataclass(frozen=True)
class JobRecord:
    """What became of a job.

    Attributes:
        start: Nanoseconds.
        end: Nanoseconds, when its last share ended.
        nodes: (node, tasks there), ascending.
        energy: Joules of its shares.
        speed: The longest time alone of its shares over the time taken; 1 where none was taken.
    """

    start: int
    end: int
    nodes: tuple[tuple[int, int], ...]
    energy: float
    speed: float


@dataclass(frozen=True)
class Run:
    """What a simulation gave.

    Attributes:
        jobs: By id.
        energy: Joules, of `jobs` and `idle`, from the first submission to the last end.
        power: (nanoseconds, watts from then on) at every event; the last is at the last end.
        speeds: (nanoseconds, mean speed factor over active cores from then on), where some are.
        ambiguous: Whether a rounding error might put two events into another order.
        core_seconds: That cores were active.
        work: By id, nanoseconds of time alone that each share did, and was to do.
    """

    jobs: dict[int, JobRecord]
    energy: dict[str, float]
    power: list[tuple[int, float]]
    speeds: list[tuple[int, float]]
    ambiguous: bool
    core_seconds: float
    work: dict[int, list[tuple[Fraction, Fraction]]]


@dataclass
class _Socket:
    """A socket of a node.

    Attributes:
        kind: One of the platform's processors.
        base: Watts of the node that are booked here while it is on.
        free: Cores that no job holds.
    """

    kind: dict[str, Any]
    base: float
    free: int


@dataclass
class _Share:
    """The cores of a job on one socket, all at the same speed."""

    job: PlatformJob
    socket: _Socket
    cores: int
    alone: Fraction  # nanoseconds of time alone
    rate: float  # MB/s of each of its cores, alone
    done: Fraction = Fraction(0)
    speed: Fraction = Fraction(1)
    end: int = 0
    energy: float = 0.0
    active: bool = True
    history: list[tuple[int, Fraction]] = field(default_factory=list)  # (from when, speed)

    @property
    def exact(self) -> bool:
        """Whether any arithmetic gets its end right: it always ran whole nanoseconds at speed 1."""
        return all(speed == 1 for _, speed in self.history) and self.alone.denominator == 1

    def like(self, other: _Share) -> bool:
        """Return whether any arithmetic gives both the same end: they had the same life."""
        return self.alone == other.alone and self.history == other.history


@dataclass
class _Running:
    """A job that was started; it holds its cores until its last share has ended."""

    job: PlatformJob
    start: int
    nodes: tuple[tuple[int, int], ...]
    shares: list[_Share]


def simulate(
    platform: dict[str, Any],
    nodes: Sequence[int],
    jobs: Sequence[PlatformJob],
    step: int = 0,
) -> Run:
    """Return what FIFO with first-fit gives.

    At each time stamp ends, then arrivals, then starts; a job without work ends in a second round
    of the same time stamp.

    Args:
        platform: As `schedlab.system.platform.for_engine` makes it.
        nodes: How many nodes each of its groups has.
        jobs: In order of arrival where submit times are equal. Each must fit the idle machine.
        step: Frequency step of all sockets, 0 the nominal one.
    """
    return _Simulation(platform, nodes, jobs, step).run()


class _Simulation:
    """The state of one simulation."""

    def __init__(
        self,
        platform: dict[str, Any],
        nodes: Sequence[int],
        jobs: Sequence[PlatformJob],
        step: int,
    ) -> None:
        self.step = step
        self.nodes: list[list[_Socket]] = []
        for group, count in zip(platform["groups"], nodes, strict=True):
            for _ in range(count):
                kinds = [platform["processors"][index] for index in group["sockets"]]
                base = group["base"] / len(kinds)
                self.nodes.append([_Socket(kind, base, kind["cores"]) for kind in kinds])
        for job in jobs:
            room = sum(sum(socket.free for socket in node) // job.cores for node in self.nodes)
            if room < job.tasks:
                raise ValueError(f"job {job.id} does not fit the machine")
        self.arrivals = sorted(jobs, key=lambda job: job.submit)
        self.queue: list[PlatformJob] = []
        self.running: list[_Running] = []
        self.now = self.arrivals[0].submit if self.arrivals else 0
        self.records: dict[int, JobRecord] = {}
        self.work: dict[int, list[tuple[Fraction, Fraction]]] = {}
        self.idle_energy = 0.0
        self.power: list[tuple[int, float]] = []
        self.speeds: list[tuple[int, float]] = []
        self.ambiguous = False
        self.core_seconds = 0.0

    def run(self) -> Run:
        while (time := self._next_time()) is not None:
            self._look_for_ambiguity()
            self._advance(time)
            for share in [share for share in self._active() if share.end == self.now]:
                share.done = share.alone  # of the last nanosecond it needs only a part
                share.active = False
            for running in [r for r in self.running if not any(s.active for s in r.shares)]:
                self._end(running)
            while self.arrivals and self.arrivals[0].submit == self.now:
                self.queue.append(self.arrivals.pop(0))
            while self.queue and self._start(self.queue[0]):
                self.queue.pop(0)
            self._recompute()
        assert not self.queue
        assert not self.running
        jobs_energy = math.fsum(record.energy for record in self.records.values())
        return Run(
            self.records,
            {"jobs": jobs_energy, "idle": self.idle_energy},
            self.power,
            self.speeds,
            self.ambiguous,
            self.core_seconds,
            self.work,
        )

    def _next_time(self) -> int | None:
        """Return when something happens next."""
        times = [job.submit for job in self.arrivals[:1]] + [s.end for s in self._active()]
        return min(times, default=None)

    def _step(self, socket: _Socket) -> int:
        """Return the frequency step of a socket."""
        return self.step

    def _active(self) -> list[_Share]:
        return [share for r in self.running for share in r.shares if share.active]

    def _on(self, socket: _Socket) -> list[_Share]:
        return [share for share in self._active() if share.socket is socket]

    def _start(self, job: PlatformJob) -> bool:
        """Start a job if all its tasks fit."""
        placed = []
        remaining = job.tasks
        for number, node in enumerate(self.nodes):
            idle = all(socket.free == socket.kind["cores"] for socket in node)
            tasks = min(remaining, sum(socket.free for socket in node) // job.cores)
            if tasks and (idle or not job.whole_nodes):
                placed.append((number, tasks))
                remaining -= tasks
        if remaining:
            return False
        shares = []
        for number, tasks in placed:
            cores = tasks * job.cores
            if job.whole_nodes:
                cores = sum(socket.kind["cores"] for socket in self.nodes[number])
            for socket in self.nodes[number]:
                taken = min(cores, socket.free)
                if taken:
                    socket.free -= taken
                    cores -= taken
                    shares.append(self._share(job, socket, taken))
        self.running.append(_Running(job, self.now, tuple(placed), shares))
        return True

    def _share(self, job: PlatformJob, socket: _Socket, cores: int) -> _Share:
        alone = job.time_alone(socket.kind["operations_per_second"])
        rate = float(job.memory_volume / (alone / SECOND)) if alone else 0.0
        return _Share(job, socket, cores, alone, rate)

    def _end(self, running: _Running) -> None:
        """Give back the cores of a job and keep its record."""
        for share in running.shares:
            share.socket.free += share.cores
        self.running.remove(running)
        longest = max(share.alone for share in running.shares)
        taken = self.now - running.start
        self.records[running.job.id] = JobRecord(
            running.start,
            self.now,
            running.nodes,
            math.fsum(share.energy for share in running.shares),
            float(longest / taken) if taken else 1.0,
        )
        self.work[running.job.id] = [(share.done, share.alone) for share in running.shares]

    def _advance(self, time: int) -> None:
        """Let everything run on as it is until a time; it ends there at the latest."""
        elapsed = time - self.now
        seconds = elapsed / SECOND
        for node in self.nodes:
            for socket in node:
                shares = self._on(socket)
                core, shared, idle = socket.kind["steps"][self._step(socket)][1:]
                active = sum(share.cores for share in shares)
                self.core_seconds += active * seconds
                if not active:
                    self.idle_energy += (idle + socket.base) * seconds
                for share in shares:
                    watts = share.cores * (core + (shared + socket.base) / active)
                    share.energy += watts * seconds
        for share in self._active():
            share.done += elapsed * share.speed
        self.now = time

    def _recompute(self) -> None:
        """Give every share its speed and its end, and note what the machine draws."""
        watts, speed, cores = 0.0, 0.0, 0
        for node in self.nodes:
            for socket in node:
                shares = self._on(socket)
                active = sum(share.cores for share in shares)
                total_rate = math.fsum(share.cores * share.rate for share in shares)
                for share in shares:
                    self._give_speed(share, total_rate, active - 1)
                    speed += share.cores * float(share.speed)
                cores += active
                power = contention.power(active, *socket.kind["steps"][self._step(socket)][1:])
                watts += power + socket.base
        _note(self.power, self.now, watts)
        if cores:
            _note(self.speeds, self.now, speed / cores)

    def _give_speed(self, share: _Share, total_rate: float, others: int) -> None:
        kind = share.socket.kind
        constants = kind["contention"]
        slower = Fraction(kind["steps"][self._step(share.socket)][0]) / Fraction(
            kind["steps"][0][0]
        )
        pressing = float(slower)
        factor = contention.speed(
            None if constants is None else contention.Constants(*constants),
            share.rate * pressing,
            total_rate * pressing,
            others,
        )
        share.speed = Fraction(factor) * slower
        if not share.history or share.history[-1][1] != share.speed:
            share.history.append((self.now, share.speed))
        share.end = self.now + math.ceil((share.alone - share.done) / share.speed)

    def _look_for_ambiguity(self) -> None:
        """Note whether two events that come next are too near for floats to distinguish."""
        shares = self._active()
        submits = [job.submit for job in self.arrivals]
        for index, share in enumerate(shares):
            near = [
                other.end
                for other in shares[:index]
                if not (other.exact and share.exact) and not other.like(share)
            ]
            if not share.exact:
                near += submits
            if any(abs(share.end - time) <= NEAR for time in near):
                self.ambiguous = True


def _note(curve: list[tuple[int, float]], time: int, value: float) -> None:
    """Add a step to a curve; of several at one time the last one counts."""
    if curve and curve[-1][0] == time:
        curve.pop()
    curve.append((time, value))
