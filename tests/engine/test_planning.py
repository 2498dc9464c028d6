"""The engine equals the naive oracles where nodes are planned: any requests, windows, depths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from oracles import Job, Machine, Window, cases, simulate
from oracles.engine import ALLOCATORS, ORDERS, SECOND, engine_records, seconds

import schedlab
from schedlab.system.windows import Window as EngineWindow


def scaled(job: Job) -> Job:
    """Returns the job with its whole seconds counted in the ticks of the differential tests."""
    from dataclasses import replace

    return replace(
        job,
        submit=job.submit * SECOND,
        run=job.run * SECOND,
        estimate=job.estimate * SECOND,
        request=tuple(job.request),
    )


def engine_windows(windows: tuple[Window, ...]) -> list[EngineWindow]:
    return [
        EngineWindow(
            seconds(window.start),
            seconds(window.end),
            ", ".join(map(str, sorted(window.nodes))),
            " or ".join(f"id == {job}" for job in sorted(window.admits)) or None,
        )
        for window in windows
    ]


def scheduler(discipline: str, order: str, depth: int | None, reservations: int | None):
    if discipline == "blocking":
        return schedlab.Blocking(ORDERS[order])
    if discipline == "greedy":
        return schedlab.Greedy(ORDERS[order], depth)
    if discipline == "conservative":
        return schedlab.Conservative(ORDERS[order], depth)
    return schedlab.Easy(ORDERS[order], depth, reservations)


CHOICES = {
    "order": st.sampled_from(sorted(ORDERS)),
    "discipline": st.sampled_from(["blocking", "greedy", "easy", "easy", "conservative"]),
    "allocator": st.sampled_from(ALLOCATORS),
    "depth": st.none() | st.integers(1, 6),
    "reservations": st.sampled_from([1, 1, 2, 3, None]),
    "events": st.sampled_from(["time", "event"]),
    "seed": st.integers(0, 3),
}


def both(jobs, machine, windows, order, discipline, allocator, depth, reservations, events, seed):
    """Returns the records of the oracle and of the engine."""
    types = ("core", "mem", "gpu")[: len(machine.capacity[0])]
    windows = tuple(Window(w.start * SECOND, w.end * SECOND, w.nodes, w.admits) for w in windows)
    jobs = [scaled(job) for job in jobs]
    expected = simulate(
        jobs,
        machine,
        order=order,
        discipline=discipline,
        allocator=allocator,
        depth=None if discipline == "blocking" else depth,
        events="single" if events == "event" else "time",
        seed=seed,
        second=SECOND,
        reservations=reservations if discipline == "easy" else 1,
        windows=windows,
    )
    actual = engine_records(
        jobs,
        machine,
        types,
        scheduler=scheduler(discipline, order, depth, reservations),
        allocator=allocator,
        dispatch_per=events,
        seed=seed,
        windows=engine_windows(windows),
    )
    return expected, actual


def test_a_job_that_goes_before_the_head_changes_its_reservation():
    """Found by the property below: the reservation of the last call was taken to stand."""
    jobs = [
        Job(4, 0, 0, 2, 6),
        Job(6, 0, 7, 7, 1, request=(2,)),
        Job(10, 6, 2, 2, 2),
        Job(11, 6, 0, 3, 2),
    ]
    machine = Machine(((4,), (3,)))
    expected, actual = both(jobs, machine, (), "ljf", "easy", "first-fit", None, 1, "time", 0)
    assert actual == expected
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
    expected, actual = both(jobs, machine, windows, **choices)
    assert actual == expected


@given(case=cases.plain(), **CHOICES)
def test_plain_requests_with_reservations(case, **choices):
    jobs, machine, _ = case
    jobs = [Job(j.id, j.submit, j.run, j.estimate, j.tasks, None, (1,)) for j in jobs]
    if not usable(machine, jobs):
        return
    expected, actual = both(jobs, machine, (), **choices)
    assert actual == expected
