"""Naive orders and disciplines: which waiting jobs start now.

A discipline gets the queue already ordered and calls `start(job)` for each job it
starts, in the order of starting; that returns False where the allocator refuses, which
some do though there is room. The backfilling ones count processors: every job asks
for the same single resource, so `free` and `capacity` are numbers of tasks.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from .model import Job, Machine, Running
from .placement import room

Start = Callable[[Job], bool]


def fewest_nodes(job: Job, machine: Machine) -> int:
    """Return how few nodes of the empty machine can hold the job, roomiest first."""
    first = job.parts()[0]
    usable = [node for i, node in enumerate(machine.capacity) if first.may_use(i)]
    rooms = sorted((room(node, node, job) for node in usable), reverse=True)
    nodes = placed = 0
    while placed < job.tasks:
        placed += rooms[nodes]
        nodes += 1
    return nodes


# Smallest key first. Sorting is stable, so ties stay in order of submission.
ORDERS: dict[str, Callable[[Job, Machine], int]] = {
    "fifo": lambda job, _: 0,
    "sjf": lambda job, _: job.estimate,
    "ljf": lambda job, _: -job.estimate,
    "smallest": lambda job, _: job.tasks,
    "largest": lambda job, _: -job.tasks,
    "shortest-nodehours": lambda job, machine: fewest_nodes(job, machine) * job.estimate,
    "longest-nodehours": lambda job, machine: -(fewest_nodes(job, machine) * job.estimate),
    "shortest-corehours": lambda job, _: job.tasks * job.request[0] * job.estimate,
    "longest-corehours": lambda job, _: -(job.tasks * job.request[0] * job.estimate),
}


def ordered(waiting: Iterable[Job], order: str, machine: Machine) -> list[Job]:
    """Return the waiting jobs, given in submission sequence, in the named order."""
    return sorted(waiting, key=lambda job: ORDERS[order](job, machine))


def expected_end(running: Running, now: int, second: int) -> int:
    """Return when a running job is expected to end: never before now + 1 s."""
    return max(running.start + running.job.estimate, now + second)


def planned_length(job: Job, second: int) -> int:
    """Return for how long a job is planned: its estimate, at least one second."""
    return max(job.estimate, second)


def blocking(queue: Sequence[Job], fits: Callable[[Job], bool], start: Start) -> None:
    """Start jobs in order; stop at the first that does not fit."""
    for job in queue:
        if not fits(job):
            break
        start(job)


def greedy(
    queue: Sequence[Job], fits: Callable[[Job], bool], start: Start, depth: int | None
) -> None:
    """Start jobs in order; skip those that do not fit; look at the first `depth` only."""
    for job in queue if depth is None else queue[:depth]:
        if fits(job):
            start(job)


def easy(
    now: int,
    queue: Sequence[Job],
    running: Sequence[Running],
    free: int,
    start: Start,
    depth: int | None,
    second: int,
) -> dict[int, int]:
    """EASY backfilling (Lifka 1995): only the first blocked job has a reservation.

    `depth` bounds how many of the jobs behind the blocked one are looked at. Returns the
    reserved start of the blocked job, if there is one, by its id.
    """
    releases = [(expected_end(r, now, second), r.job.tasks) for r in running]
    heads = 0
    while heads < len(queue) and queue[heads].tasks <= free and start(queue[heads]):
        job = queue[heads]
        free -= job.tasks
        releases.append((max(now + job.estimate, now + second), job.tasks))
        heads += 1
    if heads == len(queue):
        return {}

    blocked = queue[heads]
    available = free
    shadow: float = math.inf  # where it is refused while nothing runs
    for end, tasks in sorted(releases):
        available += tasks
        if available >= blocked.tasks:
            shadow = end
            break
    # What is left at the shadow time once the blocked job has started there.
    released = sum(tasks for end, tasks in releases if end <= shadow)
    extra = free + released - blocked.tasks

    behind = queue[heads + 1 :]
    for job in behind if depth is None else behind[:depth]:
        if job.tasks > free:
            continue
        ends_before = now + job.estimate <= shadow
        if (ends_before or job.tasks <= extra) and start(job):
            free -= job.tasks
            extra -= 0 if ends_before else job.tasks
    return {} if shadow == math.inf else {blocked.id: int(shadow)}


class Profile:
    """Free tasks over the time from now on, as steps (time, free from then on)."""

    def __init__(self, now: int, capacity: int) -> None:
        """Start with everything free for ever."""
        self._steps = [(now, capacity)]

    def add(self, start: int, duration: int, tasks: int) -> None:
        """Add free tasks (negative: take them) during [start, start + duration), from now on."""
        end = start + duration
        start = max(start, self._steps[0][0])
        if end <= start:
            return
        self._split(start)
        self._split(end)
        self._steps = [
            (time, free + tasks if start <= time < end else free) for time, free in self._steps
        ]

    def fits(self, start: int, duration: int, tasks: int) -> bool:
        """Return whether the tasks are free throughout [start, start + duration)."""
        place = max(bisect_right(self._steps, (start, math.inf)) - 1, 0)  # that holds start
        while place < len(self._steps) and self._steps[place][0] < start + duration:
            if self._steps[place][1] < tasks:
                return False
            place += 1
        return True

    def least(self) -> int:
        """Return the fewest free tasks from now on."""
        return min(free for _, free in self._steps)

    def earliest(self, duration: int, tasks: int, after: int = 0) -> int:
        """Return the earliest start: a hole opens at `after`, or later where a step begins."""
        times = [max(after, self._steps[0][0]), *(t for t, _ in self._steps if t > after)]
        return next(t for t in times if self.fits(t, duration, tasks))

    def _split(self, time: int) -> None:
        """Make a step begin at the time, which is not before now."""
        before = [step for step in self._steps if step[0] <= time]
        after = [step for step in self._steps if step[0] > time]
        if before[-1][0] < time:
            before.append((time, before[-1][1]))
        self._steps = before + after


def easy_counts(
    now: int,
    queue: Sequence[Job],
    running: Sequence[Running],
    capacity: int,
    reservations: int | None,
    start: Start,
    depth: int | None,
    second: int,
) -> dict[int, int]:
    """EASY backfilling with reservations for the first N blocked jobs.

    Args:
        now: Time of this call.
        queue: Waiting jobs in order.
        running: Running jobs.
        capacity: Tasks that fit the empty machine.
        reservations: How many blocked jobs get one, None for all.
        start: Starts a job.
        depth: Only N jobs behind the first blocked one are looked at.
        second: Length of a second.

    Returns:
        The reserved starts by job id, in order.
    """
    profile = Profile(now, capacity)
    for r in running:
        profile.add(now, expected_end(r, now, second) - now, -r.job.tasks)
    reserved: dict[int, int] = {}
    behind = 0  # jobs behind the first blocked one looked at
    for job in queue:
        if reserved and behind == depth:
            break
        behind += 1 if reserved else 0
        length = planned_length(job, second)
        at = profile.earliest(length, job.tasks)
        if at == now and start(job):
            pass
        elif reservations is None or len(reserved) < reservations:
            reserved[job.id] = at
        else:
            continue
        profile.add(at, length, -job.tasks)
    return reserved


def conservative(
    now: int,
    queue: Sequence[Job],
    running: Sequence[Running],
    capacity: int,
    reservations: dict[int, int],
    ended: bool,
    refused: bool,
    start: Start,
    depth: int | None,
    second: int,
) -> bool:
    """Conservative backfilling with kept reservations, as PySS does it.

    Args:
        now: Time of this call.
        queue: Waiting jobs in order.
        running: Running jobs.
        capacity: Tasks that fit the empty machine.
        reservations: Planned start of each job that has one, by job id; kept up to
            date here.
        ended: Whether any job ended since the previous call.
        refused: Whether the allocator refused a job that was due at the previous call.
        start: Starts a job.
        depth: Only the first N jobs of the queue get new reservations.
        second: Length of a second.

    Returns:
        Whether the allocator refused a job that was due.
    """
    profile = Profile(now, capacity)
    for r in running:
        profile.add(now, expected_end(r, now, second) - now, -r.job.tasks)

    def duration(job: Job) -> int:
        return planned_length(job, second)

    def reserve(job: Job, at: int) -> None:
        reservations[job.id] = at
        profile.add(at, duration(job), -job.tasks)

    reserved = [job for job in queue if job.id in reservations]
    for job in reserved:
        reserve(job, reservations[job.id])
    # Only a running job that outlasts its estimate, or an allocator that refuses, can stand in
    # the way of a reservation, and only of one that is due. Those take the earliest holes that
    # leave all others alone.
    if refused or any(reservations[job.id] < now for job in reserved) or profile.least() < 0:
        due = [job for job in reserved if reservations[job.id] < now + second]
        for job in due:
            profile.add(reservations[job.id], duration(job), job.tasks)
        for job in due:
            reserve(job, profile.earliest(duration(job), job.tasks))
    if ended:
        for job in reserved:
            profile.add(reservations[job.id], duration(job), job.tasks)
            reserve(job, profile.earliest(duration(job), job.tasks))
    for job in queue if depth is None else queue[:depth]:
        if job.id not in reservations:
            reserve(job, profile.earliest(duration(job), job.tasks))
    refused = False
    for job in queue:
        if reservations.get(job.id) != now:
            continue
        if start(job):
            del reservations[job.id]
        else:
            refused = True
            profile.add(now, duration(job), job.tasks)
            reserve(job, profile.earliest(duration(job), job.tasks, now + second))
    return refused
