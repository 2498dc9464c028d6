"""Backfilling on its boundaries: each discipline has hypothesis examples of its own.

The properties of test_differential.py and test_planning.py spread theirs over orders, disciplines,
allocators, depths and events. Here is the plain case of each, with many equal times.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from conftest import no_fewer_than
from engine.test_planning import check
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import Job, Machine, Window
from oracles.boundary_cases import crowded, crowded_nodes, crowded_windows
from oracles.engine import SECOND, both

EXAMPLES = settings(max_examples=no_fewer_than(300))


@EXAMPLES
@given(case=crowded())
def test_easy(case):
    check(*case, order="fifo", discipline="easy")


@EXAMPLES
@given(case=crowded_nodes())
def test_easy_on_nodes(case):
    check(*case, order="fifo", discipline="easy")


@EXAMPLES
@given(case=crowded_windows())
def test_easy_around_windows(case):
    check(*case, order="fifo", discipline="easy")


@given(case=crowded(), reservations=st.sampled_from([2, None]))
def test_easy_with_more_reservations(case, reservations):
    check(*case, order="fifo", discipline="easy", reservations=reservations)


@EXAMPLES
@given(case=crowded())
def test_conservative(case):
    check(*case, order="fifo", discipline="conservative")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("discipline", ["conservative", "easy"])
def test_a_long_queue(seed, discipline):
    """Plans of more steps than a block holds, and jobs that are alike: these are moved together."""
    rng = random.Random(seed)
    jobs: list[Job] = []
    while len(jobs) < 250:
        run, tasks = rng.randint(1, 400), 2 ** rng.randint(0, 4) if seed % 2 else rng.randint(1, 16)
        estimate = run + rng.choice([0, rng.randint(0, 3 * run)])
        submit = jobs[-1].submit + rng.choice([0, 0, 20 * SECOND]) if jobs else 0
        for _ in range(rng.choice([1, 1, 8])):
            jobs.append(Job(len(jobs), submit, run * SECOND, estimate * SECOND, tasks))
    machine = Machine(((16,),))
    expected, actual = both(
        jobs,
        machine,
        order="fifo",
        discipline=discipline,
        reservations=None if discipline == "easy" and seed > 1 else 1,
    )
    assert actual == expected


@EXAMPLES
@given(case=crowded_nodes() | crowded_windows())
def test_conservative_on_nodes(case):
    check(*case, order="fifo", discipline="conservative")


@EXAMPLES
@given(
    case=crowded() | crowded_nodes() | crowded_windows(),
    order=st.sampled_from(["fifo", "sjf", "smallest"]),
    discipline=st.sampled_from(["easy", "conservative"]),
    tenths=st.sampled_from([3, 4, 6, 7]),
)
def test_times_within_a_second(case, order, discipline, tenths):
    """A job past its estimate is expected to end a second from now: several things may be due."""

    def in_tenths(thing, *names):
        return replace(thing, **{name: getattr(thing, name) * tenths for name in names})

    jobs, machine, *rest = case
    expected, actual = both(
        [in_tenths(job, "submit", "run", "estimate") for job in jobs],
        machine,
        windows=tuple(in_tenths(window, "start", "end") for window in (rest[0] if rest else ())),
        order=order,
        discipline=discipline,
    )
    assert actual == expected


# Four processors, two of them taken until 3. The head wants three: it is reserved for 3, and leaves
# one processor over then.
FOUR = Machine(((4,),))
TAKEN = Job(1, 0, 3, 3, 2)
HEAD = Job(2, 0, 5, 5, 3)


def starts(*behind, machine=FOUR, before=(TAKEN, HEAD), **choices):
    """Returns when the jobs behind the head start, in seconds; the engine equals the oracle."""
    jobs = [*before, *behind]
    records = check(jobs, machine, order="fifo", **({"discipline": "easy"} | choices))
    return [records[job.id].start // SECOND for job in jobs[len(before) - 1 :]]


def test_a_job_that_ends_at_the_shadow_time_takes_nothing_of_the_extra_processors():
    ends_with_it, outlasts_it = Job(3, 0, 3, 3, 1), Job(4, 0, 9, 9, 1)
    assert starts(ends_with_it, outlasts_it) == [3, 0, 0]


def test_a_job_that_ends_after_the_shadow_time_takes_of_the_extra_processors():
    first, second = Job(3, 0, 4, 4, 1), Job(4, 0, 4, 4, 1)
    assert starts(first, second) == [3, 0, 4]


def test_a_job_as_large_as_the_extra_processors_may_outlast_the_shadow_time():
    assert starts(Job(3, 0, 9, 9, 1)) == [3, 0]
    assert starts(Job(3, 0, 9, 9, 2)) == [3, 8]


def test_every_job_that_ends_at_the_shadow_time_leaves_its_processors():
    # Two end at 3: the first gives the head enough, what the second leaves is extra.
    before = (Job(1, 0, 3, 3, 2), Job(2, 0, 3, 3, 1), Job(3, 0, 5, 5, 3))
    assert starts(Job(4, 0, 9, 9, 1), before=before) == [3, 0]


# The same on two nodes of two cores with memory. The head wants three of the four cores.
NODES = Machine(((2, 2), (2, 2)))
NODES_TAKEN = Job(1, 0, 3, 3, 2, request=(1, 1))
NODES_HEAD = Job(2, 0, 5, 5, 3, request=(1, 1))


@pytest.mark.parametrize(
    ("behind", "expected"),
    [
        pytest.param([(3, 1), (9, 1)], [3, 0, 0], id="ends with it, then outlasts it"),
        pytest.param([(4, 1), (4, 1)], [3, 0, 4], id="the first takes what is left over"),
        pytest.param([(9, 2)], [3, 8], id="more than is left over"),
    ],
)
def test_the_same_on_nodes(behind, expected):
    jobs = [
        Job(3 + i, 0, length, length, tasks, request=(1, 1))
        for i, (length, tasks) in enumerate(behind)
    ]
    assert starts(*jobs, machine=NODES, before=(NODES_TAKEN, NODES_HEAD)) == expected


def test_a_node_that_two_windows_close_is_missing_once():
    # Node 0 is closed by both; the head is to have the whole of node 1 at 3.
    windows = tuple(Window(start, end, frozenset({0})) for start, end in ((1, 10), (2, 12)))
    before = (Job(1, 0, 3, 3, 3), Job(2, 0, 5, 5, 4))
    machine = Machine(((4,), (4,)))
    assert starts(Job(3, 0, 5, 5, 1), machine=machine, before=before, windows=windows) == [3, 8]
