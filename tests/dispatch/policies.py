"""What the tests of policies in Python share: naive policies, random cases, and schedules.

The policies are what a user would write. They do no more than their names say, so they are also
the twins that the engine's own policies must equal.
"""

from __future__ import annotations

import csv
import random
from dataclasses import replace

from hypothesis import strategies as st
from oracles import Job, Machine, Window, cases
from oracles.checks import Schedule
from oracles.engine import ALLOCATORS, TYPES, engine_records, engine_windows, scaled, scaled_windows

import schedlab
from schedlab import Scheduler

FOUR = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
"""Two nodes of two cores."""

SETH = {"groups": {"seth": {"nodes": 120, "resources": {"core": 2}}}}
"""The machine of the HPC2N trace, without its memory."""

CHOICES = {
    "allocator": st.sampled_from(ALLOCATORS),
    "dispatch_per": st.sampled_from(["time", "event"]),
    "seed": st.integers(0, 3),
}


class Fifo(Scheduler):
    """Starts jobs in order until one does not fit."""

    def schedule(self, state):
        for job in state.queue:
            if not state.machine.fits(job):
                return
            yield job


class GreedyWalk(Scheduler):
    """Starts every job that fits, in order."""

    def schedule(self, state):
        for job in state.queue:
            if state.machine.fits(job):
                yield job


class EasyWalk(Scheduler):
    """EASY: the first job that does not fit is protected, those behind it may not delay it."""

    def __init__(self, depth=None):
        self.depth = depth

    def schedule(self, state):
        head = None
        for job in state.queue:
            if not state.machine.fits(job):
                head = job
                break
            yield job
        if head is None:
            return
        reservation = state.reserve(head)
        if self.depth is None:
            behind = state.queue.fitting(behind=head)
        else:
            place = [job.id for job in state.queue].index(head.id)
            behind = [state.queue[i] for i in range(place + 1, len(state.queue))][: self.depth]
        for job in behind:
            if reservation.allows(job):
                yield job


class PlanWalk(Scheduler):
    """Starts what leaves the reservations alone; the first N others get one; None: all."""

    def __init__(self, reservations=None, depth=None):
        self.reservations = reservations
        self.depth = depth

    def schedule(self, state):
        plan = state.plan()
        reserved = behind = 0
        for job in state.queue:
            if reserved and behind == self.depth:
                return
            behind += bool(reserved)
            if plan.allows(job):
                yield job
            elif self.reservations is None or reserved < self.reservations:
                plan.reserve(job)
                reserved += 1


DISCIPLINES = [
    "fifo",
    "sjf",
    "fcfs-bf",
    "easy",
    "easy(order=shortest, depth=2)",
    "easy(reservations=2)",
    "easy(reservations=all)",
    "conservative",
    "conservative(order=largest, depth=2)",
    "wfp3",
    Fifo(),
    GreedyWalk(),
    EasyWalk(),
    PlanWalk(),
]
"""Of every kind, built in and as above."""


def in_order(scheduler, order):
    """Returns the scheduler with another order of its queue."""
    scheduler.order = order
    return scheduler


def policy(function, **attributes):
    """Returns a scheduler whose schedule() is the function of (self, state)."""
    attributes = {"schedule": function, "__module__": __name__, **attributes}
    return type("Mine", (Scheduler,), attributes)()


# ------------------------------------------------------------------------------ cases


def usable(machine: Machine, jobs: list[Job]) -> bool:
    """Whether the engine takes it: a system has processors, a job asks for something."""
    return any(node[0] for node in machine.capacity) and bool(jobs)


@st.composite
def workloads(draw):
    """(jobs, machine, windows) in ticks: plain or mixed requests, half of them with windows."""
    if draw(st.booleans()):
        jobs, machine, windows = draw(cases.mixed())
        jobs = [job for job in jobs if any(job.request)]
    else:
        jobs, machine, _ = draw(cases.plain())
        jobs = [replace(job, request=(1,)) for job in jobs]
        windows = draw(cases.some_windows(machine, jobs)) if draw(st.booleans()) else ()
    if not usable(machine, jobs):
        jobs, machine = [Job(1, 0, 1, 1, 1)], Machine(((2,),))
        windows = ()
    return [scaled(job) for job in jobs], machine, scaled_windows(windows)


def random_jobs(count=200, seed=3, users=4):
    """Returns jobs for FOUR that ask for as long as they run, or for longer."""
    draw = random.Random(seed)
    submit, jobs = 0, []
    for i in range(1, count + 1):
        submit += draw.choice((0, 0, 1, 5))
        run = draw.choice((1, 2, 7, 30))
        requested = run * draw.choice((1, 2, 10))
        size = draw.randint(1, 4)
        jobs.append(schedlab.Job(i, submit, run, size, requested, user=draw.randrange(users)))
    return jobs


def plans_nodes(jobs: list[Job], windows: tuple[Window, ...]) -> bool:
    """Whether the engine plans nodes from the start, by part 2 of the specification."""
    plain = all(
        not any(job.request[1:])
        and job.request[0] == 1
        and not job.tasks_per_node
        and not job.whole_nodes
        for job in jobs
    )
    return bool(windows) or not plain


def places(case, got):
    """Returns where each job of a case ran, for the oracles' checks."""
    jobs, machine, windows = case
    return Schedule(jobs, machine, windows, got, {}).places()


def records(workload, **choices):
    """Returns the engine's records of a case."""
    jobs, machine, windows = workload
    types = TYPES[: len(machine.capacity[0])]
    return engine_records(jobs, machine, types, windows=engine_windows(windows), **choices)


def schedule(jobs, system, **choices):
    """Returns {id: (start, end, state, nodes)} with times as numbers, None where rejected."""
    result = schedlab.simulate(jobs, system=system, **choices)
    rows = {}
    with open(f"{result.path}/jobs.csv", newline="") as file:
        for row in csv.DictReader(file):
            times = [float(row[key]) if row[key] else None for key in ("start", "end")]
            rows[int(row["job_id"])] = (*times, row["state"], row["nodes"])
    return rows


def starts(jobs, system, **choices):
    """Returns {id: start}, None where rejected."""
    return {job: row[0] for job, row in schedule(jobs, system, **choices).items()}
