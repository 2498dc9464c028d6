"""Allocators and power caps that refuse a job which has room: what backfilling makes of it.

EASY and conservative backfilling plan on counts of processors, or on nodes. Both ways equal their
naive twins, and each other where one node is the whole machine or no reservation is tied to nodes.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from conftest import examples
from engine.test_differential import plain_workloads
from engine.test_ordered_allocators import ordered
from hypothesis import given
from hypothesis import strategies as st
from oracles import Job
from oracles.cases import mixed
from oracles.engine import (
    ORDERS,
    SECOND,
    TYPES,
    both,
    engine_records,
    engine_windows,
    scaled,
    scaled_windows,
)

import schedlab as sl

CHOICES = {
    "order": st.sampled_from(sorted(ORDERS)),
    "discipline": st.sampled_from(["easy", "conservative", "conservative"]),
    "depth": st.none() | st.integers(1, 5),
    "reservations": st.sampled_from([1, 2, None]),
    "events": st.sampled_from(["time", "event"]),
}


def check_contiguous(jobs, machine, allocator, windows=(), **choices):
    """Whether the engine equals the twin, even where jobs wait in vain."""
    with contextlib.suppress(RuntimeError):  # of the twin: jobs are left waiting
        expected, actual = both(jobs, machine, allocator=allocator, windows=windows, **choices)
        assert actual == expected
        return
    arguments = {"depth": choices["depth"]}
    if choices["discipline"] == "easy":
        arguments["reservations"] = choices["reservations"]
    kind = sl.Easy if choices["discipline"] == "easy" else sl.Conservative
    with pytest.raises(sl.SimulationError, match="the allocator found no nodes for it"):
        engine_records(
            jobs,
            machine,
            TYPES[: len(machine.capacity[0])],
            scheduler=kind(ORDERS[choices["order"]], **arguments),
            allocator=str(allocator),
            dispatch_per=choices["events"],
            windows=engine_windows(windows),
        )


@given(workload=plain_workloads(max_jobs=25), data=st.data(), on_nodes=st.booleans(), **CHOICES)
def test_contiguous_equals_its_twin(workload, data, on_nodes, **choices):
    jobs, machine = workload
    if on_nodes:  # one job that asks for more, when all others are there
        jobs = [*jobs, Job(999, jobs[-1].submit + SECOND, SECOND, SECOND, 1, tasks_per_node=1)]
    allocator = data.draw(ordered(len(machine.capacity), ("contiguous",)))
    check_contiguous(jobs, machine, allocator, **choices)


@given(case=mixed(), data=st.data(), **CHOICES)
def test_contiguous_around_windows_equals_its_twin(case, data, **choices):
    jobs, machine, windows = case
    planned = Job(999, 0, 1, 1, 1, tasks_per_node=1)
    jobs = [scaled(job) for job in [planned, *jobs] if any(job.request)]
    if not any(node[0] for node in machine.capacity):
        return
    allocator = data.draw(ordered(len(machine.capacity), ("contiguous",)))
    check_contiguous(jobs, machine, allocator, scaled_windows(windows), **choices)


class Choosy(sl.Allocator):
    """Refuses by what is free, and takes anything when the machine is empty."""

    def __init__(self, modulus: int) -> None:
        self.modulus = modulus

    def place(self, job, machine):
        idle = machine.free_processors == machine.processors
        if not idle and (machine.free_processors + job.id) % self.modulus == 0:
            return None
        return machine.fill(job, range(machine.nodes))


class Hesitant(sl.Allocator):
    """Refuses each job that has room as often as it says before it takes it."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.calls: dict[int, int] = {}

    def place(self, job, machine):
        if sum(machine.room(node, job) for node in range(machine.nodes)) < job.processors:
            return None
        self.calls[job.id] = self.calls.get(job.id, 0) + 1
        if self.calls[job.id] <= self.times:
            return None
        return machine.fill(job, range(machine.nodes))


def on_counts(job):
    """A job factory that changes nothing."""
    return job


def on_nodes(job):
    """A job factory that changes nothing but how backfilling plans."""
    return job


on_nodes.may_ask_beyond_processors = True


def outcome(jobs, **choices):
    """Returns jobs.csv as it is, or what went wrong."""
    try:
        result = sl.simulate(jobs, **choices)
    except sl.SimulationError as error:
        return str(error)
    return Path(result.path, "jobs.csv").read_bytes()


def twins_agree(jobs, allocator, **choices):
    """Whether both ways to plan write the same file; returns it."""
    counted = outcome(jobs, job_factory=on_counts, allocator=allocator(), **choices)
    planned = outcome(jobs, job_factory=on_nodes, allocator=allocator(), **choices)
    assert counted == planned
    return counted


REFUSING = st.one_of(
    st.integers(2, 4).map(lambda modulus: lambda: Choosy(modulus)),
    st.integers(1, 3).map(lambda times: lambda: Hesitant(times)),
    st.sampled_from(["first-fit", "best-fit", "contiguous(fit=best)"]).map(
        lambda name: lambda: name
    ),
)
ANY_RESERVATIONS = st.sampled_from(
    [
        *("easy", "easy(depth=2)", "easy(reservations=2)", "easy(reservations=all)"),
        *("easy(order=shortest)", "conservative", "conservative(depth=2)"),
        *("conservative(order=shortest)", "conservative(order=smallest, depth=1)"),
    ]
)


@st.composite
def some_jobs(draw, processors):
    """Jobs for N processors; some outlast their estimate, some come in between seconds."""
    jobs, submit = [], 0.0
    for number in range(1, draw(st.integers(2, 25))):
        submit += draw(st.sampled_from([0, 0, 0.25, 1, 2, 5]))
        requested = draw(st.integers(1, 12))
        run = draw(st.sampled_from([requested, requested, requested - 0.5, requested + 3, 0]))
        size = draw(st.integers(1, processors))
        jobs.append(sl.Job(number, submit, run, size, requested_time=requested))
    return jobs


@examples(60)
@given(
    jobs=some_jobs(9),
    nodes=st.sampled_from([(1, 9), (3, 3), (9, 1)]),
    allocator=REFUSING,
    scheduler=st.sampled_from(["easy", "easy(depth=2)", "easy(order=shortest)"]),
)
def test_one_reservation_on_counts_and_on_nodes(jobs, nodes, allocator, scheduler):
    """It is tied to no nodes, so both ways are one algorithm on any machine."""
    groups = {"n": {"nodes": nodes[0], "resources": {"core": nodes[1]}}}
    twins_agree(jobs, allocator, system={"groups": groups}, scheduler=scheduler)


@examples(60)
@given(jobs=some_jobs(8), allocator=REFUSING, scheduler=ANY_RESERVATIONS)
def test_any_reservations_on_counts_and_on_nodes(jobs, allocator, scheduler):
    """On one node a place is a count. Conservative does not take a no without a cap."""
    system = {"groups": {"n": {"nodes": 1, "resources": {"core": 8}}}}
    twins_agree(jobs, allocator, system=system, scheduler=scheduler)


VARYING = {"times": [0, 7.5, 20, 40.25], "values": [50, 90, 40, 85]}


@examples(100)
@given(
    jobs=some_jobs(8),
    allocator=REFUSING,
    scheduler=ANY_RESERVATIONS,
    watts=st.sampled_from([1000, 80, 50, VARYING]),
)
def test_power_caps_on_counts_and_on_nodes(jobs, allocator, scheduler, watts):
    system = one_node(cores=8)
    caps = {"caps": [{"watts": watts}]}
    twins_agree(jobs, allocator, system=system, scheduler=scheduler, conditions=caps)


def one_node(cores: int) -> dict:
    """A node whose cores draw 10 W each."""
    power = {"core": 10, "shared": 0, "idle": 0}
    return {
        "processors": {"p": {"cores": cores, "clock": 2.0, "power": power}},
        "node_types": {"n": {"processors": {"p": 1}}},
        "groups": {"all": {"nodes": 1, "type": "n"}},
    }


def starts(jobs, **choices):
    """Returns when each job started."""
    rows = sl.simulate(jobs, **choices).jobs.collect().to_dicts()
    return {row["job_id"]: row["start"] for row in rows}


@pytest.mark.parametrize("job_factory", [on_counts, on_nodes])
def test_a_refused_job_keeps_a_place_in_the_plan(job_factory):
    """Job 2 is refused at 10 and 12, and takes the earliest place that leaves others theirs."""
    jobs = [
        sl.Job(1, 0, 10, 4, requested_time=10),
        sl.Job(9, 0, 15, 4, requested_time=15),
        sl.Job(2, 1, 10, 4, requested_time=10),  # at 10 by its cores, but not by its watts
        sl.Job(3, 2, 20, 4, requested_time=20),  # at 15
        sl.Job(4, 12, 5, 4, requested_time=5),  # close after job 2, which is to start at 12 by then
    ]
    caps = {"caps": [{"watts": {"times": [0, 8, 16], "values": [80, 40, 80]}}]}
    system = one_node(cores=8)
    found = starts(
        jobs, system=system, scheduler="conservative", conditions=caps, job_factory=job_factory
    )
    assert found == {1: 0, 9: 0, 2: 21, 3: 15, 4: 16}


@pytest.mark.parametrize("job_factory", [on_counts, on_nodes])
def test_a_refused_job_is_tried_at_the_next_call_however_soon(job_factory):
    """Nothing happens after the cap is raised, half a second after the job was refused."""
    jobs = [sl.Job(1, 0, 10, 8, requested_time=10)]
    caps = {"caps": [{"watts": {"times": [0, 0.5], "values": [40, 80]}}]}
    found = starts(
        jobs,
        system=one_node(cores=8),
        scheduler="conservative",
        conditions=caps,
        job_factory=job_factory,
    )
    assert found == {1: 0.5}


@pytest.mark.parametrize("job_factory", [on_counts, on_nodes])
def test_a_job_that_is_refused_for_ever_ends_the_run(job_factory):
    """A reservation that falls due is not an event, so nothing spins from second to second."""
    with pytest.raises(sl.SimulationError, match="nothing is left to happen, but 1 queued"):
        sl.simulate(
            [sl.Job(1, 0, 10, 2, requested_time=10)],
            system=one_node(cores=8),
            scheduler="conservative",
            conditions={"caps": [{"watts": 1000}]},
            allocator=Hesitant(10**9),
            job_factory=job_factory,
        )


def test_the_factory_makes_backfilling_plan_nodes():
    """The last job has room at 10 by counts; on nodes, it would have to change them at 20."""
    jobs = [
        *(sl.Job(i, 0, run, 1, requested_time=run) for i, run in ((1, 10), (2, 20), (3, 20))),
        sl.Job(4, 1, 10, 2, requested_time=10),
        sl.Job(5, 2, 15, 1, requested_time=15),
    ]
    choices = {"system": {"groups": {"n": {"nodes": 3, "resources": {"core": 1}}}}}
    choices["scheduler"] = "conservative"
    assert starts(jobs, job_factory=on_counts, **choices)[5] == 10
    assert starts(jobs, job_factory=on_nodes, **choices)[5] == 20
