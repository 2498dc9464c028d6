"""The engine equals the naive oracles where nodes are planned: any requests, windows, depths."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from oracles import Job, Machine, cases
from oracles.engine import ALLOCATORS, ORDERS, SECOND, both, scaled, scaled_windows

CHOICES = {
    "order": st.sampled_from(sorted(ORDERS)),
    "discipline": st.sampled_from(["blocking", "greedy", "easy", "easy", "conservative"]),
    "allocator": st.sampled_from(ALLOCATORS),
    "depth": st.none() | st.integers(1, 6),
    "reservations": st.sampled_from([1, 1, 2, 3, None]),
    "events": st.sampled_from(["time", "event"]),
    "seed": st.integers(0, 3),
}


def check(jobs, machine, windows=(), **choices):
    """Returns the records, the same of oracle and engine; the times given are whole seconds."""
    jobs = [scaled(job) for job in jobs]
    expected, actual = both(jobs, machine, windows=scaled_windows(windows), **choices)
    assert actual == expected
    return actual


def test_a_job_that_goes_before_the_head_changes_its_reservation():
    """Found by the property below: the reservation of the last call was taken to stand."""
    jobs = [
        Job(4, 0, 0, 2, 6),
        Job(6, 0, 7, 7, 1, request=(2,)),
        Job(10, 6, 2, 2, 2),
        Job(11, 6, 0, 3, 2),
    ]
    machine = Machine(((4,), (3,)))
    actual = check(jobs, machine, order="ljf", discipline="easy")
    assert actual[10].start == 6 * SECOND


def usable(machine: Machine, jobs: list[Job]) -> bool:
    """Whether the engine takes it: a system has processors, a job asks for something."""
    return any(node[0] for node in machine.capacity) and all(any(job.request) for job in jobs)


@given(case=cases.mixed(), **CHOICES)
def test_any_requests_and_windows(case, **choices):
    jobs, machine, windows = case
    jobs = [job for job in jobs if any(job.request)]
    if not usable(machine, jobs):
        return
    check(jobs, machine, windows, **choices)


@given(case=cases.plain(), **CHOICES)
def test_plain_requests_with_reservations(case, **choices):
    jobs, machine, _ = case
    jobs = [Job(j.id, j.submit, j.run, j.estimate, j.tasks, None, (1,)) for j in jobs]
    if not usable(machine, jobs):
        return
    check(jobs, machine, **choices)


@given(case=cases.mixed(), copies=st.integers(2, 4), **CHOICES)
def test_nodes_that_are_alike_for_a_while(case, copies, **choices):
    """Each node several times, in one group: plans keep neighbours that are alike as one."""
    jobs, machine, windows = case
    jobs = [replace(job, tasks=job.tasks * copies) for job in jobs if any(job.request)]
    if not usable(machine, jobs):
        return
    machine = replace(machine, capacity=sum(((node,) * copies for node in machine.capacity), ()))
    check(jobs, machine, windows, **choices)
