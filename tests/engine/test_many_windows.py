"""Many windows, on parts of the machine and on all of it: the engine equals the naive oracles."""

from __future__ import annotations

from random import Random

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import Window, cases
from oracles.engine import ALLOCATORS, ORDERS, both, scaled, scaled_windows

import schedlab as sl
from schedlab.errors import InputError
from schedlab.system.windows import MAX_WINDOWS

DISCIPLINES = ["blocking", "greedy", "easy", "easy", "conservative", "conservative"]


def many_windows(random: Random, nodes: int, jobs: int) -> tuple[Window, ...]:
    """Some dozens to hundreds, with many equal times; a few are long, some admit some jobs."""
    count = random.choice([1, 5, 20, 80])
    horizon = random.choice([30, 100, 200])
    sizes = [0, 0, 0, 1, 4]
    admitted = [frozenset(random.randint(1, jobs) for _ in range(size)) for size in sizes]
    windows = []
    for _ in range(count):
        start = random.randrange(horizon)
        length = random.choice([1, 1, 2, 3, 5, random.choice([12, horizon])])
        first = random.randrange(nodes)
        chosen = random.choice(
            [
                range(nodes),
                range(first, random.randint(first, nodes - 1) + 1),
                [first],
                [node for node in range(nodes) if random.random() < 0.5] or [first],
            ]
        )
        windows.append(Window(start, start + length, frozenset(chosen), random.choice(admitted)))
    return tuple(windows)


@examples(120)
@given(
    case=cases.mixed(),
    seed=st.integers(0, 10**6),
    order=st.sampled_from(sorted(ORDERS)),
    discipline=st.sampled_from(DISCIPLINES),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 6),
    reservations=st.sampled_from([1, 1, 2, None]),
    events=st.sampled_from(["time", "event"]),
)
def test_schedules_are_those_of_the_oracle(case, seed, **choices):
    jobs, machine, _ = case
    jobs = [scaled(job) for job in jobs if any(job.request)]
    if not jobs or not any(node[0] for node in machine.capacity):
        return
    windows = many_windows(Random(seed), len(machine.capacity), len(jobs))
    expected, actual = both(jobs, machine, windows=scaled_windows(windows), **choices)
    assert actual == expected


MACHINE = {"groups": {"thin": {"nodes": 12, "resources": {"core": 4}}, "fat": {"nodes": 4}}}
MACHINE["groups"]["fat"]["resources"] = {"core": 16}


def some_jobs(count: int) -> list[sl.Job]:
    random = Random(7)
    return [
        sl.Job(number, number * 500, random.randrange(1, 2400), processors=random.randint(1, 40))
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize("scheduler", ["fifo", "easy", "easy(reservations=3)", "conservative"])
@pytest.mark.parametrize("nodes", ["all", "fat", "0-3, 9"])
def test_as_many_as_are_allowed(scheduler, nodes):
    """Before windows were found by time, 3,000 of them did not end."""
    windows = [sl.Window(100, 700, nodes, every=3000, times=MAX_WINDOWS)]
    result = sl.simulate(some_jobs(150), system=MACHINE, scheduler=scheduler, windows=windows)
    assert result.run["counts"]["completed"] == 150
    for job in result.jobs.collect().iter_rows(named=True):
        closed = {"all": range(16), "fat": range(12, 16), "0-3, 9": [*range(4), 9]}[nodes]
        used = {n for text in job["nodes"].split() for n in _numbers(text.partition("*")[0])}
        if used & set(closed):
            assert (job["start"] - 700) % 3000 + job["end"] - job["start"] <= 2400


def _numbers(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def test_too_many_are_refused_before_they_are_made():
    """A thousand definitions of a hundred thousand each took minutes and gigabytes to count."""
    windows = [sl.Window(0, 1, every=1, times=MAX_WINDOWS)] * 1000
    with pytest.raises(InputError, match=r"windows: 100000000 in all; at most 100000 are possible"):
        sl.Simulation([], system=MACHINE, windows=windows)
    windows = [sl.Window(0, 1, when=f"user == {number}") for number in range(20_000)]
    with pytest.raises(InputError, match="20000 different conditions; at most 64 are possible"):
        sl.Simulation([], system=MACHINE, windows=windows)


def test_nodes_of_large_machines_are_not_listed_one_by_one():
    huge = {"groups": {"all": {"nodes": 1_000_000, "resources": {"core": 1}}}}
    windows = [sl.Window(time, time + 1, f"{time}-999999") for time in range(1000)]
    simulation = sl.Simulation([sl.Job(1, 0, 5)], system=huge, windows=windows)
    simulation.run()
    assert simulation.counts["completed"] == 1
