"""Queues of jobs that hardly ask for the same, on nodes of several kinds: engine = naive oracle.

What the engine remembers of jobs that it refused shows only where many wait, and for long.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import Job, Machine
from oracles.engine import ALLOCATORS, ORDERS, both, scaled
from oracles.placement import room

KINDS = ((16, 64, 0), (16, 256, 0), (16, 128, 4))


def site(seed: int, count: int, values: int) -> tuple[list[Job], Machine]:
    """Returns jobs that keep a queue, and nodes of three kinds."""
    draw = random.Random(seed)
    machine = Machine(tuple(KINDS[draw.choice((0, 0, 1, 2))] for _ in range(draw.randint(3, 9))))
    jobs: list[Job] = []
    submit = 0
    while len(jobs) < count:
        submit += draw.choice((0, 0, 1, 2, 4))
        estimate = draw.randint(1, 40)
        run = estimate if draw.random() < 0.3 else draw.randint(0, estimate + 3)
        request = (
            draw.choice((1, 2, 4, 8, 16)),
            max(1, 64 // values) * draw.randint(1, values),
            draw.randint(1, 4) if draw.random() < 0.15 else 0,
        )
        shape = {
            "tasks_per_node": draw.choice((None, None, None, None, 1, 3)),
            "whole_nodes": draw.random() < 0.1,
        }
        one = Job(0, 0, 0, 0, 1, request=request, **shape)
        most = sum(room(node, node, one) for node in machine.capacity)
        if most == 0:
            continue
        tasks = 1 if draw.random() < 0.5 else draw.randint(1, min(most, 24))
        number = len(jobs) + 1
        jobs.append(Job(number, submit, run, estimate, tasks, request=request, **shape))
    return [scaled(job) for job in jobs], machine


@given(
    seed=st.integers(0, 10**6),
    values=st.sampled_from((1, 3, 64)),
    order=st.sampled_from(("fifo", "fifo", *sorted(ORDERS))),
    discipline=st.sampled_from(("easy", "easy", "easy", "blocking", "greedy")),
    allocator=st.sampled_from(("first-fit", "first-fit", *ALLOCATORS)),
    depth=st.sampled_from((None, None, None, 5)),
)
def test_schedules_are_those_of_the_oracle(seed, values, order, discipline, allocator, depth):
    jobs, machine = site(seed, 45, values)
    choices = {"order": order, "discipline": discipline, "allocator": allocator}
    expected, actual = both(jobs, machine, depth=depth, **choices)
    assert actual == expected


@pytest.mark.parametrize("seed", range(3))
def test_long_queues(seed):
    jobs, machine = site(seed, 150, 64)
    expected, actual = both(jobs, machine, order="fifo", discipline="easy")
    assert actual == expected
