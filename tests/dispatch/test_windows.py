"""Windows: what maintenance and advance reservations do to schedules."""

from __future__ import annotations

import pytest
from conftest import examples
from dispatch.policies import (
    DISCIPLINES,
    FOUR,
    EasyWalk,
    places,
    policy,
    records,
    schedule,
    starts,
    workloads,
)
from hypothesis import given
from hypothesis import strategies as st
from oracles.checks import check_capacity, check_windows
from oracles.engine import ALLOCATORS

from schedlab import Job, Queue, Simulation, Window


def test_maintenance():
    """By the estimates no job is on the nodes during it; one that outlasts its estimate stays."""
    jobs = [Job(1, 0, 10, 1), Job(2, 0, 11, 1), Job(3, 0, 30, 1, requested_time=10)]
    assert starts(jobs, FOUR, scheduler="fcfs-bf", windows=[Window(10, 20)]) == {1: 0, 2: 20, 3: 0}


def test_half_open():
    windows = [Window(10, 20)]
    assert starts([Job(1, 0, 10)], FOUR, windows=windows) == {1: 0}
    assert starts([Job(1, 0, 10.000000001)], FOUR, windows=windows) == {1: 20}
    assert starts([Job(1, 20, 5)], FOUR, windows=windows) == {1: 20}
    # A job is planned for a second at least.
    assert starts([Job(1, 9.5, 0.1)], FOUR, windows=windows) == {1: 20}


def test_some_nodes():
    windows = [Window(10, 20, "1")]
    got = schedule([Job(1, 0, 15, 2), Job(2, 0, 15, 2)], FOUR, windows=windows)
    assert got[1][3] == "0*2"
    assert got[2][0] == 15
    assert starts([Job(1, 0, 15, 3)], FOUR, windows=windows) == {1: 20}


def test_an_advance_reservation():
    windows = [Window(10, 20, when="user == 7 and processors <= 2")]
    jobs = [
        Job(1, 0, 15, 1, user=7),
        Job(2, 0, 15, 1, user=1),
        Job(3, 12, 5, 2, user=7),
        Job(4, 12, 1, 3, user=7),
    ]
    got = starts(jobs, FOUR, scheduler="fcfs-bf", windows=windows)
    assert got == {1: 0, 2: 20, 3: 12, 4: 20}


def test_overlapping_windows_must_all_admit():
    windows = [Window(10, 20, when="user == 1"), Window(15, 30, "0", when="user == 2")]
    jobs = [Job(1, 10, 4, 4, user=1), Job(2, 10, 8, 4, user=1), Job(3, 16, 1, 2, user=2)]
    got = starts(jobs, FOUR, scheduler="fcfs-bf", windows=windows)
    assert got == {1: 10, 2: 30, 3: 20}


def test_windows_that_come_again():
    windows = [Window(10, 15, every=20, times=3)]
    times = [starts([Job(1, submit, 10)], FOUR, windows=windows)[1] for submit in range(0, 60, 5)]
    assert times == [0, 15, 15, 15, 20, 35, 35, 35, 40, 55, 55, 55]
    once = [
        Window(10, 15),
        Window(30, 35),
        Window(50, 55),
    ]
    for submit, expected in zip(range(0, 60, 5), times, strict=True):
        assert starts([Job(1, submit, 10)], FOUR, windows=once)[1] == expected


def test_back_to_back_repetition_is_one_long_window():
    assert starts([Job(1, 1, 1)], FOUR, windows=[Window(0, 5, every=5, times=4)]) == {1: 20}


def test_sixty_four_conditions_are_possible():
    windows = [Window(10 * i, 10 * i + 10, when=f"user == {i}") for i in range(64)]
    jobs = [Job(i, 0, 10, user=i) for i in range(64)]
    got = starts(jobs, FOUR, scheduler="fcfs-bf", windows=windows)
    assert got == {i: 10 * i for i in range(64)}


def test_many_windows():
    windows = [Window(10, 11, every=2, times=20_000, nodes="0")]
    assert starts([Job(1, 0, 3, 4)], FOUR, windows=windows) == {1: 0}
    assert starts([Job(1, 9, 3, 4)], FOUR, windows=windows) == {1: 40_009}
    assert starts([Job(1, 9, 3, 2)], FOUR, windows=windows) == {1: 9}


@examples(250)
@given(
    case=workloads(),
    scheduler=st.sampled_from(DISCIPLINES),
    allocator=st.sampled_from(ALLOCATORS),
    dispatch_per=st.sampled_from(["time", "event"]),
)
def test_every_discipline_respects_windows(case, scheduler, allocator, dispatch_per):
    jobs, machine, windows = case
    if isinstance(scheduler, EasyWalk) and allocator != "first-fit":
        allocator = "first-fit"  # see test_allows_answers_for_the_allocator_in_use
    got = records(case, scheduler=scheduler, allocator=allocator, dispatch_per=dispatch_per)
    assert set(got) == {job.id for job in jobs}
    placed = places(case, got)
    check_capacity(machine, placed)
    if all(job.run <= job.estimate for job in jobs):
        check_windows(windows, placed)
    else:  # those that keep to their estimates do
        check_windows(windows, [place for place in placed if place[0].run <= place[0].estimate])


def test_the_begin_and_end_of_a_window_are_calls_if_anybody_waits():
    calls = []

    def look(self, state):
        calls.append(state.now)
        yield from state.queue.fitting()

    windows = [Window(10, 20), Window(50, 60, "0"), Window(1_000, 1_001)]
    Simulation([Job(1, 0, 25)], system=FOUR, scheduler=policy(look), windows=windows).run()
    assert calls == [0, 10, 20]


def test_windows_do_not_keep_a_simulation_alive():
    windows = [Window(100, 200, every=200, times=9)]
    simulation = Simulation([Job(1, 0, 5)], system=FOUR, windows=windows)
    simulation.run()
    assert simulation.now == 5


@pytest.mark.parametrize("scheduler", [d for d in DISCIPLINES if isinstance(d, str)])
def test_a_window_that_never_ends_as_far_as_anybody_sees(scheduler):
    windows = [Window(10, 4e9)]
    got = starts([Job(1, 0, 5), Job(2, 6, 5)], FOUR, scheduler=scheduler, windows=windows)
    assert got == {1: 0, 2: 4e9}


def test_windows_admit_by_attributes_and_requests():
    jobs = [
        Job(1, 0, 50, attributes={"gold": 1}),
        Job(2, 0, 50, attributes={"gold": 0}),
        Job(3, 0, 50, resources={"core": 2}, attributes={"gold": 0}),
    ]
    windows = [Window(10, 20, when="gold or request.core > 1")]
    got = starts(jobs, FOUR, scheduler="fcfs-bf", windows=windows)
    assert got == {1: 0, 2: 20, 3: 0}


def test_a_fork_keeps_windows_and_queues():
    windows = [Window(10, 20, every=30, times=4)]
    queues = [Queue("a", 1, "user == 1"), Queue("b")]
    jobs = [Job(i, i, 5, 1 + i % 4, user=i % 2) for i in range(40)]
    simulation = Simulation(jobs, system=FOUR, scheduler="easy", windows=windows, queues=queues)
    simulation.run(until=25)
    fork = simulation.fork()
    fork.run()
    simulation.run()
    assert fork.metrics == simulation.metrics
