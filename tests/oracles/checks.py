"""What a right schedule fulfils, checked from the schedule alone.

Nothing here uses the oracles' own placement or plans: capacities, windows and earliest starts
follow from their definitions, second by second.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .model import Job, Machine, Record, Window
from .placement import Nodes

# A job on its nodes during [start, end).
Place = tuple[Job, int, int, Nodes]


@dataclass
class Schedule:
    """What one simulation was given, and what it did.

    Attributes:
        jobs: The workload.
        machine: The machine.
        windows: The windows.
        records: The record of each job, by job id.
        promises: Time of the call and reserved start of each reservation, by job id.
    """

    jobs: Sequence[Job]
    machine: Machine
    windows: Sequence[Window]
    records: Mapping[int, Record]
    promises: Mapping[int, Sequence[tuple[int, int]]]

    def places(self) -> list[Place]:
        """Return where each job ran that was not rejected, in order of submission."""
        places = []
        for job in sorted(self.jobs, key=lambda job: job.submit):
            record = self.records[job.id]
            if record.start is not None and record.end is not None:
                places.append((job, record.start, record.end, record.nodes))
        return places


def check_capacity(machine: Machine, places: Sequence[Place]) -> None:
    """No node ever gives more than it has; no job has too many tasks on a node, or too few."""
    for time in {start for _, start, _, _ in places}:
        present = [(job, nodes) for job, start, end, nodes in places if start <= time < end]
        for node, capacity in enumerate(machine.capacity):
            taken = _taken(machine, node, present)
            assert all(t <= c for t, c in zip(taken, capacity, strict=True)), (time, node)
    for job, _, _, nodes in places:
        assert sum(tasks for _, tasks in nodes) == job.tasks, job
        assert all(tasks <= (job.tasks_per_node or tasks) for _, tasks in nodes), job


def check_windows(windows: Iterable[Window], places: Sequence[Place]) -> None:
    """No job is on a node during a window that does not admit it."""
    for window in windows:
        for job, start, end, nodes in places:
            inside = any(node in window.nodes for node, _ in nodes)
            if inside and job.id not in window.admits:
                assert end <= window.start or start >= window.end, (job, window)


def check_node_sets(places: Iterable[Place]) -> None:
    """No job is on a node that it may not use; of several sets, it is in one."""
    for job, _, _, nodes in places:
        assert any(all(part.may_use(node) for node, _ in nodes) for part in job.parts()), job


def check_licenses(machine: Machine, places: Sequence[Place]) -> None:
    """Never are more licenses taken than there are."""
    for time in {start for _, start, _, _ in places}:
        present = [job for job, start, end, _ in places if start <= time < end]
        for i, most in enumerate(machine.licenses):
            assert sum(job.licenses[i] for job in present if job.licenses) <= most, (time, i)


def check_promises(schedule: Schedule) -> None:
    """Reservations only move earlier, and the job starts by the last of them."""
    for job_id, promised in schedule.promises.items():
        starts = [start for _, start in promised] + [schedule.records[job_id].start or 0]
        assert starts == sorted(starts, reverse=True), (job_id, promised, starts[-1])


def head_bounds(schedule: Schedule) -> Iterator[tuple[Job, int, int]]:
    """Yield (head, time, latest start EASY may give it) for first come, first served.

    At each time: the first job that waits on, and by brute force the first second after
    that at which it fits if no job behind it starts at that time or later. Right for jobs
    whose runs are at least a second: others let a time have several calls, of which the
    records show only one.
    """
    places = schedule.places()
    times = {t for job, start, end, _ in places for t in (job.submit, start, end)}
    times |= {int(t) for w in schedule.windows for t in (w.start, w.end) if t < math.inf}
    for now in sorted(times):
        waiting = [n for n, (job, start, _, _) in enumerate(places) if job.submit <= now < start]
        if waiting:
            first = waiting[0]
            running = [
                (job, start, end, nodes)
                for n, (job, start, end, nodes) in enumerate(places)
                if start <= now < end and (start < now or n < first)
            ]
            head = places[first][0]
            yield head, now, _earliest_second(schedule, head, now, running)


def _earliest_second(schedule: Schedule, head: Job, now: int, running: Sequence[Place]) -> int:
    """Return the first second after now at which the head fits beside the running jobs."""
    for time in range(now + 1, now + 10_000):
        present = [
            (job, nodes)
            for job, start, _, nodes in running
            if max(start + job.estimate, now + 1) > time
        ]
        total = 0
        for node, capacity in enumerate(schedule.machine.capacity):
            barred = any(
                node in w.nodes
                and head.id not in w.admits
                and w.start < time + max(head.estimate, 1)
                and time < w.end
                for w in schedule.windows
            )
            taken = _taken(schedule.machine, node, present)
            if barred or not head.may_use(node) or (head.whole_nodes and any(taken)):
                continue
            left = [has - t for has, t in zip(capacity, taken, strict=True)]
            tasks = 0
            while tasks < min(head.tasks, head.tasks_per_node or head.tasks) and all(
                (tasks + 1) * need <= has for need, has in zip(head.request, left, strict=False)
            ):
                tasks += 1
            total += tasks
        if total >= head.tasks:
            return time
    raise AssertionError(f"job {head.id} never fits")


def _taken(machine: Machine, node: int, present: Iterable[tuple[Job, Nodes]]) -> list[int]:
    """Return how much of each type the jobs take on a node."""
    taken = [0] * len(machine.capacity[node])
    for job, nodes in present:
        for n, tasks in nodes:
            if n == node:
                for resource, has in enumerate(machine.capacity[node]):
                    need = job.request[resource] if resource < len(job.request) else 0
                    taken[resource] += has if job.whole_nodes else tasks * need
    return taken
