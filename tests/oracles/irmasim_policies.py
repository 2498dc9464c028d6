"""Naive twins of IRMaSim's table II: which job next, and on which nodes and sockets.

Everything is looked up anew for each job that starts, from nothing but who is where.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import contention
from .placement import SplitMix64
from .platform_simulator import SECOND, PlatformJob, Run, _Running, _Simulation, _Socket


def in_millionths(value: float) -> int:
    """Return a number as it is compared: what is equal must not differ by rounding."""
    return math.floor(value * 1e6 + 0.5)


@dataclass(frozen=True)
class AskingJob(PlatformJob):
    """A job that says what it asks for.

    Attributes:
        requested_time: Nanoseconds.
        requested_memory: Of each of its cores.
    """

    requested_time: int = SECOND
    requested_memory: float = 0.0

    @property
    def all_cores(self) -> int:
        """Cores of all tasks."""
        return self.tasks * self.cores


JOB_SELECTIONS: dict[str, Callable[[AskingJob], float]] = {
    "submit": lambda _: 0,
    "shortest": lambda job: job.requested_time,
    "fewest-cores": lambda job: job.all_cores,
    "low-mem": lambda job: job.requested_memory * job.all_cores,
    "low-mem-bw": lambda job: job.memory_volume * job.all_cores / job.requested_time,
}
"""The least goes first; ties in order of submission. Beside them there is "random"."""


SOCKETS = {
    "high-gflops": "fastest",
    "high-core": "emptiest",
    "high-mem-bw": "most-bandwidth",
    "low-power": "least-power",
    "least-added-power": "fullest",
}
"""The order of sockets that goes with a resource selection; by number with the others."""


class SelectingSimulation(_Simulation):
    """Blocking by one of JOB_SELECTIONS, on the nodes and sockets that a selection prefers."""

    def __init__(
        self,
        platform: dict[str, Any],
        nodes: Sequence[int],
        jobs: Sequence[AskingJob],
        job_selection: str,
        resource_selection: str,
        memory: int = 0,
        seed: int = 0,
        sockets: str | None = None,
    ) -> None:
        super().__init__(platform, nodes, jobs, step=0)
        self.resource_selection = resource_selection
        self.sockets = sockets or SOCKETS.get(resource_selection, "by-number")
        self.memory = [memory] * len(self.nodes)
        self.draws = SplitMix64(seed)
        keys = JOB_SELECTIONS.get(job_selection)
        stream = SplitMix64(SplitMix64(seed ^ 0x6F72646572).next())
        # Jobs join the queue in this order, so the n-th draws the n-th number.
        drawn = {job.id: stream.next() for job in self.arrivals}
        self.key = {j.id: drawn[j.id] if keys is None else keys(j) for j in self.arrivals}

    def run(self) -> Run:
        """Simulate, keeping the queue in the order of the job selection."""
        order = self.key
        simulation = self

        class SortedQueue(list[PlatformJob]):
            def append(self, job: PlatformJob) -> None:
                super().append(job)
                self.sort(key=lambda one: order[one.id])  # stable: ties in order of arrival

        simulation.queue = SortedQueue()
        return super().run()

    # ------------------------------------------------------------------------ facts

    def active(self, socket: _Socket) -> int:
        """Return how many cores of a socket work."""
        return sum(share.cores for share in self._on(socket))

    def socket_watts(self, socket: _Socket, more: int = 0) -> float:
        """Return what a socket draws, or would with N more active cores."""
        watts = socket.kind["steps"][self._step(socket)][1:]
        return contention.power(self.active(socket) + more, *watts) + socket.base

    def socket_gflops(self, socket: _Socket) -> float:
        """Return the operations per nanosecond of a core, at the mean speed of those that work."""
        shares = self._on(socket)
        cores = sum(share.cores for share in shares)
        full = socket.kind["operations_per_second"] / 1e9
        if not cores:
            return full
        total = math.fsum(share.cores * share.rate for share in shares)
        constants = socket.kind["contention"]
        made = None if constants is None else contention.Constants(*constants)
        factors = [
            share.cores * contention.speed(made, share.rate, total, cores - 1) for share in shares
        ]
        return full * math.fsum(factors) / cores

    def socket_bandwidth(self, socket: _Socket) -> float:
        """Return MB/s that nobody asks for."""
        used = math.fsum(share.cores * share.rate for share in self._on(socket))
        return socket.kind["bandwidth"] - used

    def score(self, number: int, job: PlatformJob, room: int) -> float:
        """Return what a resource selection goes by; the least comes first."""
        node = self.nodes[number]
        idle = [socket for socket in node if socket.free]
        if self.resource_selection == "first-fit":
            return 0
        if self.resource_selection == "high-gflops":
            return -max(self.socket_gflops(socket) for socket in idle)
        if self.resource_selection == "high-core":
            return -sum(socket.free for socket in node)
        if self.resource_selection == "high-mem":
            return -self.memory[number]
        if self.resource_selection == "high-mem-bw":
            return -max(self.socket_bandwidth(socket) for socket in idle)
        if self.resource_selection == "low-power":
            return sum(self.socket_watts(socket) for socket in node)
        cores = min(room, job.tasks) * job.cores
        left, added = cores, 0.0
        for socket in self.sockets_in_order(node):
            taken = min(left, socket.free)
            left -= taken
            added += self.socket_watts(socket, taken) - self.socket_watts(socket)
        return added / cores

    def sockets_in_order(self, node: list[_Socket]) -> list[_Socket]:
        """Return the sockets of a node in the order in which they get tasks."""
        keys: dict[str, Callable[[_Socket], float]] = {
            "by-number": lambda _: 0,
            "fullest": lambda socket: socket.free,
            "emptiest": lambda socket: -socket.free,
            "fastest": lambda socket: -self.socket_gflops(socket),
            "most-bandwidth": lambda socket: -self.socket_bandwidth(socket),
            "least-power": self.socket_watts,
        }
        key = keys[self.sockets]
        return sorted(node, key=lambda socket: in_millionths(key(socket)))

    # -------------------------------------------------------------------- decisions

    def _start(self, job: PlatformJob) -> bool:
        """Start a job if all its tasks fit, on the nodes that are best before it starts."""
        assert isinstance(job, AskingJob)
        memory_of_task = int(job.requested_memory) * job.cores
        rooms = {
            number: min(
                sum(socket.free for socket in node) // job.cores,
                self.memory[number] // memory_of_task if memory_of_task else job.tasks,
            )
            for number, node in enumerate(self.nodes)
        }
        open_nodes = [number for number, room in rooms.items() if room]
        if sum(rooms.values()) < job.tasks:
            return False
        if self.resource_selection == "random":
            order = self._drawn(open_nodes, rooms, job.tasks)
        else:
            scores = {n: in_millionths(self.score(n, job, rooms[n])) for n in open_nodes}
            order = sorted(open_nodes, key=lambda n: (scores[n], n))
        placed, shares, remaining = [], [], job.tasks
        for number in order:
            tasks = min(remaining, rooms[number])
            if not tasks:
                break
            remaining -= tasks
            placed.append((number, tasks))
            self.memory[number] -= tasks * memory_of_task
            cores = tasks * job.cores
            for socket in self.sockets_in_order(self.nodes[number]):
                taken = min(cores, socket.free)
                if taken:
                    socket.free -= taken
                    cores -= taken
                    shares.append(self._share(job, socket, taken))
        self.running.append(_Running(job, self.now, tuple(sorted(placed)), shares))
        return True

    def _drawn(self, candidates: list[int], rooms: dict[int, int], tasks: int) -> list[int]:
        """Return nodes drawn until the tasks have room, one number each."""
        drawn: list[int] = []
        while sum(rooms[node] for node in drawn) < tasks:
            place = self.draws.below(len(candidates))
            drawn.append(candidates[place])
            candidates[place] = candidates[-1]
            candidates.pop()
        return drawn

    def _end(self, running: _Running) -> None:
        assert isinstance(running.job, AskingJob)
        for number, tasks in running.nodes:
            memory_of_task = int(running.job.requested_memory) * running.job.cores
            self.memory[number] += tasks * memory_of_task
        super()._end(running)


def simulate(
    platform: dict[str, Any],
    nodes: Sequence[int],
    jobs: Sequence[AskingJob],
    job_selection: str,
    resource_selection: str,
    *,
    memory: int = 0,
    seed: int = 0,
    sockets: str | None = None,
) -> Run:
    """Return what a pair of selections gives.

    Args:
        platform: As for `platform_simulator.simulate`.
        nodes: How many nodes each of its groups has.
        jobs: In order of arrival where submit times are equal. Each must fit the idle machine.
        job_selection: A key of JOB_SELECTIONS, or "random".
        resource_selection: Of the table, "least-added-power" or "first-fit".
        memory: Of each node.
        seed: Of both kinds of random choice.
        sockets: In which order those of a node get tasks; None: what goes with the selection.
    """
    given = (platform, nodes, jobs, job_selection, resource_selection, memory, seed, sockets)
    return SelectingSimulation(*given).run()
