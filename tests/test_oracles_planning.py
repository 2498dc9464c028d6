"""The oracles that plan nodes keep their promises.

With estimates that are never too short, whole seconds, and one dispatcher call per time:

- EASY: the first blocked job never starts later than any reservation it had.
- EASY with K reservations: within a call, nothing that starts stands in the way of a
  reservation.
- Conservative: no job ever starts later than any reservation it had.
- No node ever gives more than it has, and no job is on a node during a window that does
  not admit it.

What happens without whole seconds, or with a call per event, is shown at the end.
"""

from __future__ import annotations

import math
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import ALLOCATORS, ORDERS, Job, Machine, Window, disciplines, planning, simulate
from oracles.cases import mixed, plain
from oracles.checks import Schedule, check_capacity, check_promises, check_windows, head_bounds


def simulated(jobs, machine, windows=(), **choices):
    """Returns the schedule of a simulation."""
    promises: dict[int, list[tuple[int, int]]] = {}
    records = simulate(jobs, machine, windows=windows, promises=promises, **choices)
    assert records.keys() == {job.id for job in jobs}
    return Schedule(jobs, machine, windows, records, promises)


def check_places(machine, windows, places):
    check_capacity(machine, places)
    check_windows(windows, places)


@given(
    case=mixed(),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 4),
)
def test_easy_protects_its_head(case, allocator, depth):
    choices = {"order": "fifo", "discipline": "easy", "allocator": allocator, "depth": depth}
    schedule = simulated(*case, **choices, plan_nodes=True)
    check_places(schedule.machine, schedule.windows, schedule.places())
    check_promises(schedule)


@given(
    case=mixed(),
    allocator=st.sampled_from(ALLOCATORS),
)
def test_easy_from_its_schedule_alone(case, allocator):
    jobs, machine, windows = case
    # A job of no length lets a time have several calls, of which the records show one. The bounds
    # know of nodes alone, and of one set of them for each job.
    known = {"choices": (), "licenses": ()}
    jobs = [
        replace(job, run=max(job.run, 1), estimate=max(job.estimate, 1), **known) for job in jobs
    ]
    choices = {"order": "fifo", "discipline": "easy", "allocator": allocator}
    schedule = simulated(jobs, machine, windows, **choices, plan_nodes=True)
    for head, now, latest in head_bounds(schedule):
        assert schedule.records[head.id].start <= latest, (head, now)
        assert (now, latest) in schedule.promises[head.id]


@given(case=plain(), allocator=st.sampled_from(ALLOCATORS), depth=st.none() | st.integers(1, 4))
def test_easy_from_its_schedule_alone_by_counts(case, allocator, depth):
    jobs, machine, request = case
    jobs = [
        replace(job, run=max(1, min(job.run, job.estimate)), estimate=max(job.estimate, 1))
        for job in jobs
    ]
    choices = {"order": "fifo", "discipline": "easy", "allocator": allocator, "depth": depth}
    schedule = simulated(jobs, machine, **choices, processor=request, plan_nodes=False)
    check_places(schedule.machine, schedule.windows, schedule.places())
    check_promises(schedule)
    for head, now, latest in head_bounds(schedule):
        assert schedule.records[head.id].start <= latest, (head, now)
        assert (now, latest) in schedule.promises[head.id]


@given(
    case=mixed(),
    order=st.sampled_from(sorted(ORDERS)),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 4),
    reservations=st.sampled_from((2, 3, None)),
)
def test_pinned_reservations_stay_free(case, order, allocator, depth, reservations):
    calls = []

    def checked(now, queue, running, machine, windows, wanted, start, depth, second):
        places = [
            (r.job, now, max(r.start + r.job.estimate, now + second), r.nodes) for r in running
        ]

        def noted(job, rooms, limit=None):
            nodes = start(job, rooms, limit)
            if nodes is not None:
                places.append((job, now, now + max(job.estimate, second), nodes))
            return nodes

        arguments = (now, queue, running, machine, windows, wanted, noted, depth, second)
        reserved = easy_pinned(*arguments)
        jobs = {job.id: job for job in queue}
        for job_id, (at, nodes) in reserved.items():
            job = jobs[job_id]
            assert at > now
            places.append((job, at, at + max(job.estimate, second), nodes))
        check_places(machine, windows, places)
        assert wanted is None or len(reserved) <= wanted
        calls.append(reserved)
        return reserved

    easy_pinned = planning.easy_pinned
    with patch.object(planning, "easy_pinned", checked):
        schedule = simulated(
            *case,
            order=order,
            discipline="easy",
            allocator=allocator,
            depth=depth,
            reservations=reservations,
            plan_nodes=True,
        )
    assert sum(len(reserved) for reserved in calls) == sum(map(len, schedule.promises.values()))
    check_places(schedule.machine, schedule.windows, schedule.places())


@given(
    case=plain(),
    order=st.sampled_from(sorted(ORDERS)),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 4),
    reservations=st.sampled_from((2, 3, None)),
)
def test_counted_reservations_stay_free(case, order, allocator, depth, reservations):
    def checked(now, queue, running, capacity, wanted, start, depth, second):
        stretches = [
            (now, max(r.start + r.job.estimate, now + second), r.job.tasks) for r in running
        ]

        def noted(job):
            stretches.append((now, now + max(job.estimate, second), job.tasks))
            return start(job)

        reserved = easy_counts(now, queue, running, capacity, wanted, noted, depth, second)
        jobs = {job.id: job for job in queue}
        for job_id, at in reserved.items():
            assert at > now
            stretches.append((at, at + max(jobs[job_id].estimate, second), jobs[job_id].tasks))
        for time in {start for start, _, _ in stretches}:
            assert sum(n for a, b, n in stretches if a <= time < b) <= capacity
        # The first of the reservations is EASY's.
        shadow = disciplines.easy(
            now,
            queue,
            running,
            capacity - sum(r.job.tasks for r in running),
            lambda job: True,
            depth,
            second,
        )
        assert dict(list(reserved.items())[:1]) == shadow
        return reserved

    jobs, machine, request = case
    easy_counts = disciplines.easy_counts
    with patch.object(disciplines, "easy_counts", checked):
        simulated(
            jobs,
            machine,
            order=order,
            discipline="easy",
            allocator=allocator,
            depth=depth,
            reservations=reservations,
            processor=request,
        )


@given(
    case=mixed(),
    order=st.sampled_from(sorted(ORDERS)),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 4),
)
def test_conservative_keeps_every_reservation(case, order, allocator, depth):
    choices = {"order": order, "discipline": "conservative", "allocator": allocator}
    schedule = simulated(*case, **choices, depth=depth, plan_nodes=True)
    check_places(schedule.machine, schedule.windows, schedule.places())
    check_promises(schedule)


@given(
    case=plain(),
    order=st.sampled_from(sorted(ORDERS)),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 4),
    events=st.sampled_from(("time", "single")),
    second=st.sampled_from((1, 3)),
)
def test_plain_easy_is_the_same_by_counts_and_by_nodes(
    case, order, allocator, depth, events, second
):
    jobs, machine, request = case
    choices = {
        "order": order,
        "discipline": "easy",
        "allocator": allocator,
        "depth": depth,
        "events": events,
        "second": second,
        "processor": request,
    }
    counts = simulated(jobs, machine, **choices, plan_nodes=False)
    nodes = simulated(jobs, machine, **choices, plan_nodes=True)
    assert counts.records == nodes.records
    assert counts.promises == nodes.promises


@given(
    case=mixed(),
    order=st.sampled_from(sorted(ORDERS)),
    discipline=st.sampled_from(("blocking", "greedy", "easy", "conservative")),
    allocator=st.sampled_from(ALLOCATORS),
    events=st.sampled_from(("time", "single")),
    reservations=st.sampled_from((1, 2, None)),
)
def test_capacity_and_windows_hold_everywhere(
    case, order, discipline, allocator, events, reservations
):
    schedule = simulated(
        *case,
        order=order,
        discipline=discipline,
        allocator=allocator,
        events=events,
        reservations=reservations,
    )
    check_places(schedule.machine, schedule.windows, schedule.places())


@given(
    case=mixed(),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 4),
    reservations=st.sampled_from((2, 3, None)),
)
def test_the_first_of_several_reservations_is_kept(case, allocator, depth, reservations):
    """In order of submission, and what EASY with one reservation would promise."""

    def checked(now, queue, running, machine, windows, wanted, start, depth, second):
        places = {}

        def noted(job, rooms, limit=None):
            places[job.id] = start(job, rooms, limit)
            return places[job.id]

        arguments = (now, queue, running, machine, windows)
        reserved = easy_pinned(*arguments, wanted, noted, depth, second)
        first = dict(list(reserved.items())[:1])
        ahead = {}
        for job_id, nodes in places.items():
            if nodes is None:
                break
            ahead[job_id] = nodes
        shadow = planning.easy_unpinned(
            *arguments, lambda job, rooms, limit=None: ahead.get(job.id), depth, second
        )
        assert shadow == {job_id: place.start for job_id, place in first.items()}
        for job_id, place in first.items():
            heads.setdefault(job_id, []).append(place.start)
        return reserved

    heads: dict[int, list[int]] = {}
    easy_pinned = planning.easy_pinned
    with patch.object(planning, "easy_pinned", checked):
        schedule = simulated(
            *case,
            order="fifo",
            discipline="easy",
            allocator=allocator,
            depth=depth,
            reservations=reservations,
            plan_nodes=True,
        )
    for job_id, starts in heads.items():
        starts.append(schedule.records[job_id].start)
        assert starts == sorted(starts, reverse=True), (job_id, starts)


@given(
    case=mixed(),
    late=st.lists(st.integers(0, 7), min_size=16, max_size=16),
    order=st.sampled_from(sorted(ORDERS)),
    discipline=st.sampled_from(("easy", "conservative")),
    allocator=st.sampled_from(ALLOCATORS),
    depth=st.none() | st.integers(1, 4),
    events=st.sampled_from(("time", "single")),
    reservations=st.sampled_from((1, 2, None)),
    second=st.sampled_from((1, 3)),
)
def test_jobs_that_outlast_their_estimates_only_delay(
    case, late, order, discipline, allocator, depth, events, reservations, second
):
    """Every job still gets its turn, and no node gives more than it has."""
    jobs, machine, windows = case
    jobs = [replace(job, run=job.run + more) for job, more in zip(jobs, late, strict=False)]
    schedule = simulated(
        jobs,
        machine,
        windows,
        order=order,
        discipline=discipline,
        allocator=allocator,
        depth=depth,
        events=events,
        reservations=reservations,
        second=second,
        plan_nodes=True,
    )
    check_capacity(machine, schedule.places())
    # By its estimate, each was let in rightly.
    check_windows(
        windows,
        [
            (job, start, start + max(job.estimate, second), nodes)
            for job, start, _, nodes in schedule.places()
        ],
    )


# Where the promises end. A running job is expected to end no sooner than in one second, so
# within the last second before its end the reservation that waits for it moves back, and a job
# of one second starts in its place.
LAST_SECOND = [
    Job(id=1, submit=0, run=100, estimate=100, tasks=1),
    Job(id=2, submit=0, run=50, estimate=50, tasks=2),
    Job(id=3, submit=95, run=10, estimate=10, tasks=1),
]

# The same with a call per event: when the first of two jobs has ended, the other, which ends at
# the same time, is expected to run for one more second.
BETWEEN_EVENTS = [
    Job(id=1, submit=0, run=10, estimate=10, tasks=1),
    Job(id=2, submit=0, run=10, estimate=10, tasks=1),
    Job(id=3, submit=0, run=5, estimate=5, tasks=2),
    Job(id=4, submit=0, run=1, estimate=1, tasks=1),
]


@pytest.mark.parametrize("plan_nodes", [False, True])
@pytest.mark.parametrize("discipline", ["easy", "conservative"])
@pytest.mark.parametrize(
    ("jobs", "late", "choices", "promised", "started"),
    [
        (LAST_SECOND, 2, {"second": 10}, 100, 105),
        (BETWEEN_EVENTS, 3, {"events": "single"}, 10, 11),
    ],
)
def test_known_broken_promises(plan_nodes, discipline, jobs, late, choices, promised, started):
    schedule = simulated(
        jobs,
        Machine(((2,),)),
        order="fifo",
        discipline=discipline,
        allocator="first-fit",
        plan_nodes=plan_nodes,
        **choices,
    )
    assert schedule.promises[late][0] == (0, promised)
    assert schedule.records[late].start == started


def test_endless_window():
    """A head that can never start holds no job back, and is left waiting."""
    windows = (Window(0, math.inf, frozenset({0})),)
    jobs = [Job(1, 0, 5, 5, 3), Job(2, 0, 5, 5, 1)]
    for discipline in ("easy", "conservative"):
        with pytest.raises(RuntimeError, match=r"left waiting: \[1\]"):
            simulated(
                jobs,
                Machine(((2,), (2,))),
                windows,
                order="fifo",
                discipline=discipline,
                allocator="first-fit",
            )
