"""The engine equals the naive oracles where jobs share licenses, and name several partitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import Job, Machine, cases
from oracles.engine import (
    ALLOCATORS,
    DISCIPLINES,
    ORDERS,
    TYPES,
    both,
    engine_input,
    engine_windows,
    scaled,
    scaled_windows,
)
from oracles.node_lists import Ordered

import schedlab as sl

CHOICES = {
    "order": st.sampled_from(sorted(ORDERS)),
    "discipline": st.sampled_from(["greedy", "easy", "easy", "conservative", "conservative"]),
    "allocator": st.sampled_from([*ALLOCATORS, Ordered("contiguous")]),
    "depth": st.none() | st.integers(1, 6),
    "reservations": st.sampled_from([1, 1, 2, 3, None]),
    "events": st.sampled_from(["time", "event"]),
    "seed": st.integers(0, 3),
}


@st.composite
def scarce(draw: st.DrawFn) -> tuple[list[Job], Machine, tuple]:
    """Jobs that wait for licenses more than for nodes; some outlast their estimates."""
    machine = replace(draw(cases.machines()), licenses=draw(st.sampled_from([(2,), (3, 2), (5,)])))
    plain = draw(st.booleans())
    slip = draw(st.booleans())
    jobs = []
    for job in draw(cases.mixed_jobs(machine)):
        wanted = tuple(draw(st.integers(0, most)) for most in machine.licenses)
        changed = replace(job, licenses=wanted)
        if plain:
            changed = Job(job.id, job.submit, job.run, job.estimate, job.tasks, licenses=wanted)
        if slip and draw(st.booleans()):
            changed = replace(changed, run=changed.run + draw(st.integers(1, 4)))
        jobs.append(changed)
    windows = draw(cases.some_windows(machine, jobs)) if draw(st.booleans()) else ()
    return jobs, machine, windows


@st.composite
def divided(draw: st.DrawFn) -> tuple[list[Job], Machine, tuple]:
    """Most jobs may use any one of two or three sets of nodes, and are small enough for most."""
    machine = replace(draw(cases.machines()), licenses=draw(st.sampled_from([(), (), (2,)])))
    sets = draw(st.lists(cases.some_nodes(machine), min_size=2, max_size=4, unique=True))
    slip = draw(st.booleans())
    jobs = []
    for job in draw(cases.mixed_jobs(machine)):
        chosen = tuple(draw(st.lists(st.sampled_from(sets), min_size=2, max_size=3, unique=True)))
        changed = replace(job, nodes=chosen[0], choices=chosen, licenses=())
        if draw(st.integers(0, 3)) == 0:
            changed = replace(job, choices=())
        changed = replace(changed, tasks=min(job.tasks, draw(st.integers(1, 6))))
        if slip and draw(st.booleans()):
            changed = replace(changed, run=changed.run + draw(st.integers(1, 4)))
        jobs.append(changed)
    windows = draw(cases.some_windows(machine, jobs)) if draw(st.booleans()) else ()
    return jobs, machine, windows


def usable(machine: Machine, jobs: list[Job]) -> bool:
    return any(node[0] for node in machine.capacity) and all(any(job.request) for job in jobs)


@given(case=scarce() | divided(), **CHOICES)
def test_equal_to_the_oracle(case, **choices):
    jobs, machine, windows = case
    if not usable(machine, jobs):
        return
    jobs, windows = [scaled(job) for job in jobs], scaled_windows(windows)
    try:
        expected, actual = both(jobs, machine, windows=windows, **choices)
    except RuntimeError:  # of the oracle: for some jobs there are no nodes in a row, ever
        assume(False)
    assert actual == expected


@given(case=scarce() | divided(), at=st.lists(st.integers(0, 40), max_size=3), **CHOICES)
def test_the_same_after_saving_and_forks(case, at, **choices):
    """At each of these times the rest is up to a fork of what was loaded."""
    jobs, machine, windows = case
    if not usable(machine, jobs):
        return
    jobs, windows = [scaled(job) for job in jobs], scaled_windows(windows)
    arguments = {"depth": choices["depth"]}
    if choices["discipline"] == "easy":
        arguments["reservations"] = choices["reservations"]
    ours, system = engine_input(jobs, machine, TYPES[: len(machine.capacity[0])])
    options = {
        "system": system,
        "scheduler": DISCIPLINES[choices["discipline"]](ORDERS[choices["order"]], **arguments),
        "allocator": str(choices["allocator"]),
        "dispatch_per": choices["events"],
        "seed": choices["seed"],
        "windows": engine_windows(windows),
    }
    with TemporaryDirectory() as folder:
        file = Path(folder, "jobs.csv")
        whole = sl.Simulation(ours, **options)
        whole.record_jobs(file)
        try:
            whole.run()
        except sl.SimulationError:  # likewise
            assume(False)
        expected = file.read_text().splitlines()
        simulation, rows = sl.Simulation(ours, **options), expected[:1]
        for number, time in enumerate([*sorted(at), None]):
            file = Path(folder, f"rest{number}.csv")
            simulation.record_jobs(file)
            simulation.run(until=time)
            rows += file.read_text().splitlines()[1:]
            if time is None:
                break
            simulation.save(Path(folder, "state"))
            simulation = sl.Simulation.load(Path(folder, "state"), workload=ours).fork()
    assert rows == expected
    assert simulation.metrics == whole.metrics


def test_a_backfilled_job_leaves_the_licenses_of_the_head():
    """Node room for all: only the license says that job 3 must wait, and that job 4 need not."""
    machine = Machine(((9,),), licenses=(2,))
    jobs = [
        Job(1, 0, 10, 10, 1, licenses=(1,)),
        Job(2, 1, 5, 5, 1, licenses=(2,)),
        Job(3, 2, 20, 20, 1, licenses=(1,)),
        Job(4, 3, 20, 20, 1),
        Job(5, 4, 6, 6, 1, licenses=(1,)),
    ]
    for discipline in ("easy", "conservative"):
        expected, actual = both(
            [scaled(job) for job in jobs], machine, order="fifo", discipline=discipline
        )
        assert actual == expected
        starts = {number: record.start for number, record in actual.items()}
        assert starts == {1: 0, 2: 100, 3: 150, 4: 30, 5: 40}


@pytest.mark.parametrize("discipline", ["blocking", "greedy", "easy", "conservative"])
def test_more_than_there_is(discipline):
    machine = Machine(((9,),), licenses=(2, 0))
    jobs = [Job(1, 0, 1, 1, 1, licenses=(3,)), Job(2, 0, 1, 1, 1, licenses=(0, 1))]
    expected, actual = both(jobs, machine, order="fifo", discipline=discipline)
    assert actual == expected
    assert {record.state for record in actual.values()} == {"rejected"}
