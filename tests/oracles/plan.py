"""A naive plan of nodes over time: who is where, and the windows around it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .disciplines import expected_end, planned_length
from .model import Job, Machine, Running, Window
from .placement import Nodes, amounts, room


class Reservation(NamedTuple):
    """A place in the plan: when and on which nodes."""

    start: int
    nodes: Nodes


LICENSES = -1
"""Where occupations of the machine's licenses are: on no node."""


@dataclass(frozen=True)
class Occupation:
    """What one job takes on one node, or of the licenses, during [start, end)."""

    start: int
    end: int
    node: int
    amounts: list[int]


class Plan:
    """Who is on which node from now on, and the windows."""

    def __init__(
        self,
        now: int,
        running: Iterable[Running],
        machine: Machine,
        windows: Sequence[Window],
        second: int,
    ) -> None:
        """Start with the running jobs, until their expected ends."""
        self._now = now
        self._capacity = machine.capacity
        self._licenses = machine.licenses
        self._windows = windows
        self._second = second
        self._occupations: dict[int, list[Occupation]] = {}  # by job id
        for r in running:
            self._occupy(r.job, now, expected_end(r, now, second), r.nodes)

    def add(self, job: Job, start: int, nodes: Nodes) -> None:
        """Put a job on nodes from the start on, for its planned length."""
        self._occupy(job, start, self._end(job, start), nodes)

    def remove(self, job: Job) -> None:
        """Take a job out."""
        del self._occupations[job.id]

    def rooms(self, job: Job, start: int) -> list[int]:
        """Return for each node how many tasks of the job fit there throughout.

        Throughout is [start, start + its planned length). A node has no room if the job may
        not use it, or a window there does not admit the job; and none has while the job's
        licenses are not free.
        """
        if not self.licensed(job, start):
            return [0 for _ in self._capacity]
        return [self.room(node, job, start) for node in range(len(self._capacity))]

    def room(self, node: int, job: Job, start: int) -> int:
        """Return `rooms` of one node."""
        end = self._end(job, start)
        if not job.may_use(node):
            return 0
        if any(window.bars(job, node, start, end) for window in self._windows):
            return 0
        here = [o for o in self._on(node) if o.start < end and start < o.end]
        # The least is free where an occupation begins.
        times = {start} | {o.start for o in here if o.start > start}
        return min(room(self._free(node, here, t), self._capacity[node], job) for t in times)

    def licensed(self, job: Job, start: int) -> bool:
        """Return whether the job's licenses are free throughout, as `rooms` has it."""
        end = self._end(job, start)
        here = [o for o in self._on(LICENSES) if o.start < end and start < o.end]
        times = {start} | {o.start for o in here if o.start > start}
        return all(
            need <= have
            for t in times
            for need, have in zip(job.licenses, self._free(LICENSES, here, t), strict=False)
        )

    def licensed_beside(self, head: Job, at: int, job: Job) -> bool:
        """Return whether the head's licenses are free at a time if the other job starts now."""
        self.add(job, self._now, ())
        found = self.licensed(head, at)
        self.remove(job)
        return found

    def earliest(self, job: Job, since: int) -> int | None:
        """Return the earliest start not before `since`, None if there is none for ever.

        Room grows only where something ends: one of those times, or `since` itself.
        """
        ends = {o.end for parts in self._occupations.values() for o in parts}
        ends |= {int(w.end) for w in self._windows if w.end < math.inf}
        for time in sorted({since} | {end for end in ends if end > since}):
            if sum(self.rooms(job, time)) >= job.tasks:
                return time
        return None

    def earliest_part(self, job: Job, since: int) -> tuple[Job, int | None]:
        """Return the part of a job that can start first, the first of several, and when."""
        starts = [(self.earliest(part, since), part) for part in job.parts()]
        known = [(start, place) for place, (start, _) in enumerate(starts) if start is not None]
        return starts[min(known)[1]][::-1] if known else (job, None)

    def reserve(self, job: Job, since: int | None = None) -> Reservation | None:
        """Put a job at its earliest start from `since` on, on the first nodes by number."""
        job, start = self.earliest_part(job, self._now if since is None else since)
        if start is None:
            return None
        nodes = []
        left = job.tasks
        for node, most in enumerate(self.rooms(job, start)):
            if min(most, left) > 0:
                nodes.append((node, min(most, left)))
                left -= min(most, left)
        self.add(job, start, tuple(nodes))
        return Reservation(start, tuple(nodes))

    def loss(self, head: Job, at: int, job: Job, node: int, tasks: int) -> int:
        """Return by how many tasks the room for the head shrinks on a node.

        The head is to start at a given time; the other job would start now with N
        tasks on the node.
        """
        if tasks == 0:
            return 0
        before = self.room(node, head, at)
        self.add(job, self._now, ((node, tasks),))
        after = self.room(node, head, at)
        self.remove(job)
        return before - after

    def overfull(self) -> bool:
        """Return whether anywhere, from now on, more is planned than there is."""
        return any(
            min(self._free(o.node, self._on(o.node), max(o.start, self._now)), default=0) < 0
            for parts in self._occupations.values()
            for o in parts
        )

    def _end(self, job: Job, start: int) -> int:
        return start + planned_length(job, self._second)

    def _occupy(self, job: Job, start: int, end: int, nodes: Nodes) -> None:
        assert job.id not in self._occupations
        self._occupations[job.id] = [
            Occupation(start, end, node, amounts(self._capacity[node], job, tasks))
            for node, tasks in nodes
        ]
        if any(job.licenses):
            taken = [*job.licenses, *[0] * (len(self._licenses) - len(job.licenses))]
            self._occupations[job.id].append(Occupation(start, end, LICENSES, taken))

    def _on(self, node: int) -> list[Occupation]:
        return [o for parts in self._occupations.values() for o in parts if o.node == node]

    def _free(self, node: int, here: Sequence[Occupation], time: int) -> list[int]:
        """Return what those on a node leave free at a time; negative where it is overfull."""
        free = list(self._licenses if node == LICENSES else self._capacity[node])
        for o in here:
            if o.start <= time < o.end:
                free = [have - taken for have, taken in zip(free, o.amounts, strict=True)]
        return free
