"""Naive backfilling on single nodes: for any requests, and around windows.

The twins of the backfilling disciplines of `disciplines`, which only count processors.
"""

from collections.abc import Sequence
from typing import Protocol

from .model import Job, Machine, Running, Window
from .placement import Limit, Nodes
from .plan import Plan, Reservation


class Start(Protocol):
    """Starts a job now, its nodes chosen by the allocator."""

    def __call__(self, job: Job, rooms: Sequence[int], limit: Limit | None = None) -> Nodes | None:
        """Return where the job started, or None if not all its tasks got a place.

        Args:
            job: The job.
            rooms: Most tasks on each node.
            limit: What else bounds them, see `placement.Limit`.
        """


def easy_unpinned(
    now: int,
    queue: Sequence[Job],
    running: Sequence[Running],
    machine: Machine,
    windows: Sequence[Window],
    start: Start,
    depth: int | None,
    second: int,
) -> dict[int, int]:
    """EASY with one reservation: a time for the first blocked job, but no nodes.

    Jobs behind it may go anywhere as long as all its tasks still find room at that time.

    Args:
        now: Time of this call.
        queue: Waiting jobs in order.
        running: Running jobs.
        machine: The machine.
        windows: The windows.
        start: Starts a job.
        depth: Only N jobs behind the first blocked one are looked at.
        second: Length of a second.

    Returns:
        The reserved start of the blocked job, if there is one, by its id.
    """
    plan = Plan(now, running, machine, windows, second)

    def started(job: Job, limit: Limit | None = None) -> bool:
        return _started(plan, now, job, start, limit)

    waiting = list(queue)
    while waiting and started(waiting[0]):
        waiting.pop(0)
    if not waiting:
        return {}
    behind = waiting[1:]
    head, shadow = plan.earliest_part(waiting[0], now + second)
    for job in behind[:depth]:
        if shadow is None:
            started(job)
        else:
            started(job, _protection(plan, head, shadow, job))
    return {} if shadow is None else {head.id: shadow}


def _started(plan: Plan, now: int, job: Job, start: Start, limit: Limit | None = None) -> bool:
    """Start a job in the first of its sets in which that is possible, and plan it there."""
    for part in job.parts():
        nodes = start(part, plan.rooms(part, now), limit)
        if nodes is not None:
            plan.add(part, now, nodes)
            return True
    return False


def _protection(plan: Plan, head: Job, shadow: int, job: Job) -> Limit:
    """Return the limit that keeps room for all tasks of the head at the shadow time.

    A job that ends by then costs the head nothing. One that would still have licenses then
    that the head needs has no place anywhere.
    """
    if not plan.licensed_beside(head, shadow, job):
        return lambda placed, node, tasks: 0
    slack = sum(plan.rooms(head, shadow)) - head.tasks

    def limit(placed: Sequence[tuple[int, int]], node: int, tasks: int) -> int:
        left = slack - sum(plan.loss(head, shadow, job, n, k) for n, k in placed)
        return max(k for k in range(tasks + 1) if plan.loss(head, shadow, job, node, k) <= left)

    return limit


def easy_pinned(
    now: int,
    queue: Sequence[Job],
    running: Sequence[Running],
    machine: Machine,
    windows: Sequence[Window],
    reservations: int | None,
    start: Start,
    depth: int | None,
    second: int,
) -> dict[int, Reservation]:
    """EASY with reservations of nodes for the first N blocked jobs.

    Args:
        now: Time of this call.
        queue: Waiting jobs in order.
        running: Running jobs.
        machine: The machine.
        windows: The windows.
        reservations: How many blocked jobs get one, None for all.
        start: Starts a job.
        depth: Only N jobs behind the first blocked one are looked at.
        second: Length of a second.

    Returns:
        The reservations by job id, in order.
    """
    plan = Plan(now, running, machine, windows, second)
    reserved: dict[int, Reservation] = {}
    head = False  # whether a job is blocked
    behind = 0  # jobs behind the first blocked one looked at
    for job in queue:
        if head and behind == depth:
            break
        behind += 1 if head else 0
        if _started(plan, now, job, start):
            continue
        head = True
        if reservations is None or len(reserved) < reservations:
            reservation = plan.reserve(job)
            if reservation is not None:
                reserved[job.id] = reservation
    return reserved


def conservative_pinned(
    now: int,
    queue: Sequence[Job],
    running: Sequence[Running],
    machine: Machine,
    windows: Sequence[Window],
    reservations: dict[int, Reservation],
    changed: bool,
    refused: bool,
    start: Start,
    depth: int | None,
    second: int,
) -> bool:
    """Conservative backfilling with kept reservations of nodes.

    Args:
        now: Time of this call.
        queue: Waiting jobs in order.
        running: Running jobs.
        machine: The machine.
        windows: The windows.
        reservations: The reservation of each job that has one, by job id; kept up to
            date here.
        changed: Whether any job ended, or any window began or ended, since the previous
            call.
        refused: Whether the allocator refused a job that was due at the previous call.
        start: Starts a job.
        depth: Only the first N jobs of the queue get new reservations.
        second: Length of a second.

    Returns:
        Whether the allocator refused a job that was due.
    """
    plan = Plan(now, running, machine, windows, second)

    def reserve(job: Job, after: int = now) -> None:
        reservations.pop(job.id, None)
        reservation = plan.reserve(job, after)
        if reservation is not None:
            reservations[job.id] = reservation

    for job in queue:
        if job.id in reservations:
            plan.add(job, *reservations[job.id])
    # Only a running job that outlasts its estimate, or an allocator that refuses, can stand in
    # the way of a reservation, and only of one that is due. Those take the earliest places that
    # leave all others alone.
    if refused or any(r.start < now for r in reservations.values()) or plan.overfull():
        due = {i for i, r in reservations.items() if r.start < now + second}
        for job in queue:
            if job.id in due:
                plan.remove(job)
        for job in queue:
            if job.id in due:
                reserve(job)
    if changed:
        for job in queue:
            if job.id in reservations:
                plan.remove(job)
                reserve(job)
    for job in queue[:depth]:
        if job.id not in reservations:
            reserve(job)
    refused = False
    for job in queue:
        if job.id in reservations and reservations[job.id].start == now:
            del reservations[job.id]
            plan.remove(job)
            if not _started(plan, now, job, start):
                refused = True
                reserve(job, now + second)
    return refused
