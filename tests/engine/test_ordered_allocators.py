"""Allocators by an order of the nodes equal their naive twins, and ranks follow the nodes taken."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from conftest import examples
from engine.test_differential import mixed_workloads, plain_workloads
from hypothesis import given
from hypothesis import strategies as st
from oracles import Job, Machine, simulate
from oracles.cases import mixed
from oracles.engine import (
    ALLOCATORS,
    DISCIPLINES,
    ORDERS,
    SECOND,
    TYPES,
    both,
    engine_records,
    engine_windows,
    records_of,
    scaled,
    scaled_windows,
    seconds,
)
from oracles.node_lists import Ordered

import schedlab as sl
from schedlab import _engine


@st.composite
def ordered(draw, nodes, names=("first-fit", "round-robin", "dual-end")):
    """An allocator for a machine of N nodes."""
    order = draw(st.just(()) | st.permutations(range(nodes)).map(tuple))
    return Ordered(
        draw(st.sampled_from(names)),
        order,
        draw(st.integers(1, min(3, nodes))),
        threshold=draw(st.integers(0, 8)),
        fit=draw(st.sampled_from(["first", "best"])),
    )


@examples(60)
@given(
    workload=plain_workloads(max_jobs=30),
    data=st.data(),
    order=st.sampled_from(sorted(ORDERS)),
    discipline=st.sampled_from(sorted(DISCIPLINES)),
    reservations=st.sampled_from([1, 2, None]),
    events=st.sampled_from(["time", "event"]),
)
def test_plain_requests(workload, data, **choices):
    allocator = data.draw(ordered(len(workload[1].capacity)))
    expected, actual = both(*workload, allocator=allocator, **choices)
    assert actual == expected


@examples(40)
@given(
    workload=mixed_workloads(), data=st.data(), discipline=st.sampled_from(["blocking", "greedy"])
)
def test_mixed_requests(workload, data, discipline):
    allocator = data.draw(ordered(len(workload[1].capacity)))
    expected, actual = both(*workload, allocator=allocator, order="fifo", discipline=discipline)
    assert actual == expected


@examples(60)
@given(
    case=mixed(),
    data=st.data(),
    discipline=st.sampled_from(["greedy", "easy", "conservative"]),
    reservations=st.sampled_from([1, 2]),
)
def test_around_windows_and_reservations(case, data, **choices):
    jobs, machine, windows = case
    jobs = [job for job in jobs if any(job.request)]
    if not any(node[0] for node in machine.capacity):
        return
    allocator = data.draw(ordered(len(machine.capacity)))
    expected, actual = both(
        [scaled(job) for job in jobs],
        machine,
        allocator=allocator,
        order="fifo",
        windows=scaled_windows(windows),
        **choices,
    )
    assert actual == expected


@examples(40)
@given(
    workload=plain_workloads(max_jobs=30),
    data=st.data(),
    discipline=st.sampled_from(["blocking", "greedy"]),
    whole=st.booleans(),
)
def test_contiguous(workload, data, discipline, whole):
    jobs, machine = workload
    if whole:  # all nodes alike, and each job's its own: requests that are not plain
        machine = Machine(tuple((2,) for _ in machine.capacity))
        jobs = [replace(job, limit=None, request=(2,), whole_nodes=True) for job in jobs]
    allocator = data.draw(ordered(len(machine.capacity), ("contiguous",)))
    expected, actual = both(jobs, machine, allocator=allocator, order="fifo", discipline=discipline)
    assert actual == expected


@examples(60)
@given(case=mixed(), data=st.data(), discipline=st.sampled_from(["greedy", "easy"]))
def test_contiguous_around_windows_and_reservations(case, data, discipline):
    """EASY with two reservations, which are made anew in every call."""
    jobs, machine, windows = case
    planned = Job(999, 0, 1, 1, 1, tasks_per_node=1)  # on nodes: counting knows no refusals
    jobs = [scaled(job) for job in [planned, *jobs] if any(job.request)]
    if not any(node[0] for node in machine.capacity):
        return
    allocator = data.draw(ordered(len(machine.capacity), ("contiguous",)))
    choices = {"allocator": allocator, "order": "fifo", "discipline": discipline, "reservations": 2}
    with contextlib.suppress(RuntimeError):  # of the twin: jobs are left waiting
        expected, actual = both(jobs, machine, windows=scaled_windows(windows), **choices)
        assert actual == expected
        return
    with pytest.raises(sl.SimulationError, match="the allocator found no nodes for it"):
        engine_records(
            jobs,
            machine,
            TYPES[: len(machine.capacity[0])],
            scheduler="fcfs-bf" if discipline == "greedy" else "easy(reservations=2)",
            allocator=str(allocator),
            windows=engine_windows(scaled_windows(windows)),
        )


@examples(40)
@given(
    workload=plain_workloads(max_jobs=30),
    data=st.data(),
    scheduler=st.sampled_from(
        ["easy", "easy(reservations=3)", "conservative", "conservative(depth=2)"]
    ),
    per_node=st.booleans(),
)
def test_contiguous_below_reservations(workload, data, scheduler, per_node):
    """Reservations count what is free; a job that finds no run when it is due keeps waiting."""
    jobs, machine = workload
    if per_node:  # then reservations look at nodes
        jobs = [*jobs, Job(999, jobs[-1].submit, 5, 5, 1, tasks_per_node=1)]
    allocator = data.draw(ordered(len(machine.capacity), ("contiguous",)))
    place = {n: i for i, n in enumerate(allocator.order or range(len(machine.capacity)))}
    records = engine_records(
        jobs, machine, TYPES[:1], scheduler=scheduler, allocator=str(allocator)
    )
    total = sum(amounts[0] for amounts in machine.capacity)
    assert {i for i, record in records.items() if record.state == "completed"} == {
        job.id for job in jobs if job.tasks <= total
    }
    for record in records.values():
        places = sorted(place[node] for node, _ in record.nodes)
        assert places == list(range(places[0], places[0] + len(places))) if places else True


class Looking(sl.Scheduler):
    """Starts whatever fits, and notes the ranks before."""

    def __init__(self):
        self.engine = None
        self.taken = {}

    def schedule(self, state):
        for job in state.queue:
            if state.machine.fits(job):
                taken = _engine.place(self.engine, job.id)
                if taken:
                    self.taken[job.id] = taken
                    yield job


@examples(60)
@given(workload=plain_workloads(max_jobs=20), data=st.data())
def test_ranks_follow_the_nodes_taken(workload, data):
    jobs, machine = workload
    names = ("first-fit", "round-robin", "dual-end", "contiguous")
    allocator = data.draw(st.sampled_from(ALLOCATORS) | ordered(len(machine.capacity), names))
    expected: dict[int, list[tuple[int, int]]] = {}
    simulate(
        jobs,
        machine,
        order="fifo",
        discipline="greedy",
        allocator=allocator,
        second=SECOND,
        taken=expected,
    )
    looking = Looking()
    simulation = sl.Simulation(
        [
            sl.Job(
                id=job.id,
                submit=seconds(job.submit),
                run=seconds(job.run),
                processors=job.tasks,
                requested_time=seconds(job.estimate),
            )
            for job in jobs
        ],
        system={
            "groups": {
                f"n{i}": {"nodes": 1, "resources": {"core": amounts[0]}}
                for i, amounts in enumerate(machine.capacity)
            }
        },
        scheduler=looking,
        allocator=str(allocator),
    )
    looking.engine = simulation.engine
    simulation.run()
    assert looking.taken == expected


class Backwards(sl.Allocator):
    def __init__(self, as_list):
        self.as_list = as_list

    def place(self, job, machine):
        nodes = [(n, machine.room(n, job)) for n in reversed(range(machine.nodes))]
        if sum(room for _, room in nodes) < job.processors:
            return None
        if not self.as_list:
            return machine.fill(job, [n for n, room in nodes if room])
        return [n for n, room in nodes for _ in range(room)][: job.processors]


@pytest.mark.parametrize("as_list", [True, False])
def test_ranks_follow_what_a_python_allocator_gives(as_list):
    looking = Looking()
    simulation = sl.Simulation(
        [sl.Job(1, submit=0, run=5, processors=5)],
        system={"groups": {"n": {"nodes": 4, "resources": {"core": 2}}}},
        scheduler=looking,
        allocator=Backwards(as_list),
    )
    looking.engine = simulation.engine
    simulation.run()
    assert looking.taken == {1: [(3, 2), (2, 2), (1, 1)]}


@pytest.mark.parametrize(
    "allocator", ["round-robin(partitions=2)", "dual-end(threshold=4)", "contiguous(fit=best)"]
)
def test_forked_and_saved(allocator, tmp_path):
    """A fork and a saved state continue as the simulation does, from any moment on."""
    jobs = [
        sl.Job(i, submit=i, run=3 + 7 * i % 11, processors=1 + i % 5, requested_time=2 + i % 9)
        for i in range(1, 40)
    ]
    system = {"groups": {"n": {"nodes": 6, "resources": {"core": 2}}}}

    def begun():
        return sl.Simulation(jobs, system=system, scheduler="easy", allocator=allocator)

    def rest(simulation):
        nodes = []
        while simulation.step():
            nodes.append(simulation.engine.jobs_in_flight(0))
        return nodes

    simulation = begun()
    for _ in range(25):
        simulation.step()
    simulation.save(tmp_path / "state")
    fork = simulation.fork()
    loaded = sl.Simulation.load(tmp_path / "state", workload=jobs)
    expected = rest(simulation)
    assert len(expected) > 20
    assert rest(fork) == expected
    assert rest(loaded) == expected


@pytest.mark.parametrize(
    ("allocator", "nodes"),
    [("round-robin", [0, 2, 0, 2]), ("first-fit(order=[1,2,0])", [1, 2, 1, 1])],
)
def test_repaired_nodes_are_given_back(allocator, nodes):
    """Node 1 is down for a while: then it goes to the tail of a round robin, and is found again."""
    result = sl.simulate(
        [sl.Job(i, submit=submit, run=1, processors=1) for i, submit in enumerate((0, 10, 20, 40))],
        system={"groups": {"n": {"nodes": 3, "resources": {"core": 1}}}},
        allocator=allocator,
        conditions=sl.Conditions(failure_trace=sl.FailureTrace([(1, 5, 15)])),
    )
    assert [record.nodes for record in records_of(result).values()] == [((n, 1),) for n in nodes]
