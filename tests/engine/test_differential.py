"""The engine equals the naive oracles on random workloads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import Job, Machine, simulate
from oracles.cases import node_sets
from oracles.engine import ALLOCATORS, DISCIPLINES, ORDERS, SECOND, both, engine_records


@st.composite
def plain_workloads(draw, max_jobs=40):
    """Jobs that ask for processors only; some outlast their estimate, some have length zero."""
    machine = Machine(
        tuple((n,) for n in draw(st.lists(st.integers(1, 4), min_size=1, max_size=6)))
    )
    total = sum(amounts[0] for amounts in machine.capacity)
    unit = draw(st.sampled_from([1, SECOND]))
    lengths = st.integers(0, 12)
    jobs = []
    submit = 0
    for i in range(draw(st.integers(1, max_jobs))):
        submit += draw(st.integers(0, 4)) * unit
        estimate = max(1, draw(lengths)) * unit
        run = estimate if draw(st.booleans()) else draw(lengths) * unit
        jobs.append(
            Job(i + 1, submit, run, estimate, draw(st.integers(1, total + 1)), limit=estimate)
        )
    return jobs, machine


@given(
    workload=plain_workloads(),
    order=st.sampled_from(sorted(ORDERS)),
    discipline=st.sampled_from(sorted(DISCIPLINES)),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 6),
    events=st.sampled_from(["time", "event"]),
    enforce_limits=st.booleans(),
    seed=st.integers(0, 3),
)
def test_plain_requests(workload, **choices):
    expected, actual = both(*workload, **choices)
    assert actual == expected


@st.composite
def mixed_workloads(draw):
    """Several resource types, limits per node, whole nodes, sets of nodes, predecessors."""
    machine = Machine(
        tuple(
            draw(
                st.lists(
                    st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 2)),
                    min_size=1,
                    max_size=5,
                ).filter(lambda nodes: any(node[0] for node in nodes))
            )
        )
    )
    jobs = []
    submit = 0
    for i in range(draw(st.integers(1, 25))):
        submit += draw(st.integers(0, 3)) * SECOND
        request = draw(
            st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 1)).filter(any)
        )
        jobs.append(
            Job(
                id=i + 1,
                submit=submit,
                run=draw(st.integers(0, 8)) * SECOND,
                estimate=draw(st.integers(1, 8)) * SECOND,
                tasks=draw(st.integers(1, 5)),
                request=request,
                tasks_per_node=draw(st.none() | st.integers(1, 2)),
                whole_nodes=draw(st.booleans()) and draw(st.booleans()),
                predecessors=tuple(draw(st.lists(st.integers(1, i + 2), max_size=2, unique=True))),
                think=draw(st.integers(0, 3)) * SECOND,
                nodes=draw(node_sets(machine)),
            )
        )
    return jobs, machine


@given(
    workload=mixed_workloads(),
    order=st.sampled_from(sorted(ORDERS)),
    discipline=st.sampled_from(["blocking", "greedy"]),
    allocator=st.sampled_from(ALLOCATORS),
    events=st.sampled_from(["time", "event"]),
)
def test_mixed_requests(workload, **choices):
    expected, actual = both(*workload, seed=1, **choices)
    assert actual == expected


def test_reject_rejects_all():
    jobs = [Job(1, 0, 5, 5, 1), Job(2, 0, 5, 5, 9)]
    machine = Machine(((2,),))
    expected = simulate(
        jobs, machine, order="fifo", discipline="reject", allocator="first-fit", second=SECOND
    )
    actual = engine_records(jobs, machine, ("core",), scheduler="reject")
    assert actual == expected


@pytest.mark.parametrize(
    "discipline", ["easy", pytest.param("conservative", marks=pytest.mark.unsanitized)]
)
def test_long_queues(discipline):
    """Queues of several blocks, where summaries skip, split and merge."""
    import random

    draw = random.Random(7)
    machine = Machine(tuple((4,) for _ in range(8)))
    jobs, submit = [], 0
    for i in range(900):
        submit += draw.choice((0, 0, 1, 2)) * SECOND
        estimate = draw.randint(1, 60) * SECOND
        run = draw.choice((estimate, draw.randint(1, estimate), estimate + draw.randint(0, 30)))
        jobs.append(Job(i + 1, submit, run, estimate, draw.choice((1, 2, 4, 8, 16, 32, 5))))
    jobs = jobs[: 900 if discipline == "easy" else 180]  # the oracle's time grows with their cube
    for order in ("fifo", "sjf", "largest"):
        expected, actual = both(jobs, machine, order=order, discipline=discipline)
        assert actual == expected
