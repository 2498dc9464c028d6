"""Allocators written in Python: they equal the native ones, or refuse, and nothing breaks."""

from __future__ import annotations

import pytest
from conftest import examples
from dispatch.naive_allocators import SCHEDULERS, ByLoad, First, FirstAsList, Last, OneEach
from dispatch.policies import (
    FOUR,
    EasyWalk,
    Fifo,
    PlanWalk,
    places,
    policy,
    records,
    schedule,
    starts,
    workloads,
)
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import Job as OracleJob
from oracles import Machine, Window
from oracles.checks import check_capacity, check_windows
from oracles.engine import engine_windows

import schedlab
import schedlab as sl
from schedlab import Greedy, Job, Simulation, SimulationError

TWINS = [
    (First, "first-fit"),
    (FirstAsList, "first-fit"),
    (lambda: ByLoad(1), "best-fit"),
    (lambda: ByLoad(-1), "worst-fit"),
]


@examples(300)
@given(
    workload=workloads(),
    twin=st.sampled_from(TWINS),
    scheduler=st.sampled_from(SCHEDULERS),
    dispatch_per=st.sampled_from(["time", "event"]),
)
def test_twins_of_the_native_allocators(workload, twin, scheduler, dispatch_per):
    """Under every discipline, around windows and reservations."""
    mine, native = twin
    choices = {"scheduler": scheduler, "dispatch_per": dispatch_per}
    expected = records(workload, allocator=native, **choices)
    assert records(workload, allocator=mine(), **choices) == expected


@examples(100)
@given(
    workload=workloads(),
    twin=st.sampled_from(TWINS),
    scheduler=st.sampled_from([Fifo, EasyWalk, PlanWalk]),
)
def test_twins_below_schedulers_in_python(workload, twin, scheduler):
    mine, native = twin
    expected = records(workload, allocator=native, scheduler=scheduler())
    assert records(workload, allocator=mine(), scheduler=scheduler()) == expected


# The head asks for three of four nodes of two cores; a job of single cores may cost it one of them.
# Node 4 has one core and is not a use to the head.
HALVES = {
    "groups": {
        "two": {"nodes": 4, "resources": {"core": 2}},
        "one": {"nodes": 1, "resources": {"core": 1}},
    }
}

HALF_USED = [Job(2, 0, 10, 2, tasks_per_node=1), Job(3, 0, 10, 3, resources={"core": 2})]


def test_a_filling_allocator_gets_as_far_as_the_native_one():
    """What a node may get depends on what the job already has on others.

    Two halves of nodes are free, each of which would cost the head a node; it can spare one.
    """
    jobs = [*HALF_USED, Job(4, 0, 100, 2)]
    expected = schedule(jobs, HALVES, scheduler="easy", allocator="first-fit")
    assert expected[4] == (0, 100, "completed", "0 4")

    class Filling(sl.Allocator):
        def place(self, job, machine):
            return machine.fill(job, machine.nodes_with_room(job))

    assert schedule(jobs, HALVES, scheduler="easy", allocator=Filling()) == expected


def test_asking_whether_a_job_fits_changes_nothing():
    class Careful(First):
        def place(self, job, machine):
            before = [machine.room(node, job) for node in range(machine.nodes)]
            machine.fits(job)
            assert [machine.room(node, job) for node in range(machine.nodes)] == before
            return super().place(job, machine)

    jobs = [*HALF_USED, Job(4, 0, 100, 1)]
    assert starts(jobs, HALVES, scheduler="easy", allocator=Careful()) == {2: 0, 3: 10, 4: 0}


@examples(120)
@given(
    workload=workloads(),
    allocator=st.sampled_from([First, Last, OneEach, lambda: ByLoad(1)]),
    scheduler=st.sampled_from([*SCHEDULERS, Fifo(), EasyWalk()]),
)
@example(
    workload=([OracleJob(1, 0, 10, 10, 2)], Machine(((2,), (2,))), ()),
    allocator=Last,
    scheduler="easy",
)
def test_whatever_the_allocator_capacity_and_windows_are_respected(workload, allocator, scheduler):
    jobs, machine, windows = workload
    if allocator is OneEach:  # may never find enough nodes
        jobs = [job for job in jobs if job.tasks == 1] or [OracleJob(1, 0, 10, 10, 1)]
        workload = (jobs, machine, windows)
    got = records(workload, allocator=allocator(), scheduler=scheduler)
    placed = places(workload, got)
    check_capacity(machine, placed)
    if all(job.run <= job.estimate for job in jobs):
        check_windows(windows, placed)


def test_last_fit():
    got = schedule([Job(1, 0, 10, 3), Job(2, 0, 10, 1)], FOUR, allocator=Last())
    assert [got[i][3] for i in (1, 2)] == ["0 1*2", "0"]


def test_one_task_on_each_node():
    got = schedule([Job(1, 0, 10, 2), Job(2, 0, 10, 2), Job(3, 0, 5, 1)], FOUR, allocator=OneEach())
    assert [got[i][3] for i in (1, 2, 3)] == ["0-1", "0-1", "0"]


class Refusing(First):
    """Lets jobs of user 1 wait until a time."""

    def __init__(self, until=5):
        self.until = until
        self.now = 0
        self.calls = []

    def place(self, job, machine):
        self.calls.append(job.id)
        if job.user == 1 and job.submit + job.wait < self.until:
            return None
        return super().place(job, machine)


@pytest.mark.parametrize("scheduler", ["fifo", "fcfs-bf", "easy", "easy(reservations=2)"])
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "on nodes"])
def test_a_job_that_was_refused_is_asked_for_again(scheduler, plain):
    """At the next call of the scheduler, whatever made it."""
    jobs = [
        Job(1, 0, 20, 1),
        Job(2, 0, 20, 3, user=1),
        Job(3, 6, 1, 1, resources=None if plain else {"core": 1, "mem": 1}),
    ]
    system = {"groups": {"all": {"nodes": 2, "resources": {"core": 4, "mem": 4}}}}
    got = starts(jobs, system, scheduler=scheduler, allocator=Refusing())
    assert got == {1: 0, 2: 6, 3: 6}


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "on nodes"])
def test_a_job_behind_the_head_that_was_refused_is_asked_for_again(plain):
    jobs = [
        Job(1, 0, 20, 2),
        Job(2, 0, 20, 4),
        Job(3, 0, 10, 1, user=1),
        Job(4, 6, 1, 1, resources=None if plain else {"core": 1, "mem": 1}),
    ]
    system = {"groups": {"all": {"nodes": 2, "resources": {"core": 2, "mem": 4}}}}
    got = starts(jobs, system, scheduler="easy", allocator=Refusing())
    assert got == {1: 0, 2: 20, 3: 6, 4: 6}


def test_the_refusal_of_one_job_says_nothing_of_another():
    """Both ask for the same, and would run beyond the start of the head."""
    jobs = [
        Job(1, 0, 20, 2, resources={"core": 1, "mem": 1}),
        Job(2, 0, 20, 3),
        Job(3, 0, 50, 1, user=1),
        Job(4, 0, 50, 1, user=2),
    ]
    system = {"groups": {"all": {"nodes": 2, "resources": {"core": 2, "mem": 4}}}}
    got = starts(jobs, system, scheduler="easy", allocator=Refusing(15))
    assert got[4] == 0


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_job_that_is_never_placed(scheduler):
    simulation = Simulation(
        [Job(1, 0, 10), Job(2, 0, 10, user=1)],
        system=FOUR,
        scheduler=scheduler,
        allocator=Refusing(1e9),
    )
    with pytest.raises(SimulationError, match="job 2"):
        simulation.run()


def test_a_scheduler_in_python_sees_that_the_allocator_refuses():
    simulation = Simulation(
        [Job(1, 0, 10, user=1)], system=FOUR, scheduler=Fifo(), allocator=Refusing()
    )
    with pytest.raises(SimulationError, match=r"cannot start job 1.*the allocator keeps it"):
        simulation.run()


def test_room_counts_windows_and_reservations():
    seen = []

    class Looking(First):
        def place(self, job, machine):
            rooms = [machine.room(node, job) for node in range(machine.nodes)]
            seen.append((job.id, rooms, machine.nodes_with_room(job), machine.fits(job)))
            return super().place(job, machine)

    windows = (Window(50, 200, frozenset([0])),)
    starts(
        [Job(1, 0, 100, 1), Job(2, 0, 1, 1)],
        FOUR,
        allocator=Looking(),
        windows=engine_windows(windows),
    )
    assert seen == [(1, [0, 1], [1], True), (2, [1, 1], [0, 1], True)]


def test_a_fork_has_an_allocator_of_its_own():
    class Turning(First):
        def __init__(self):
            self.count = 0

        def place(self, job, machine):
            self.count += 1
            return {self.count % 2: 1}

    turning = Turning()
    jobs = [Job(i, i, 5) for i in range(4)]
    simulation = Simulation(jobs, system=FOUR, allocator=turning)
    simulation.step()
    fork = simulation.fork()
    fork.run()
    assert turning.count == 1
    assert fork.allocator.count == 4
    simulation.run()
    assert turning.count == 4


def test_the_allocator_is_named_in_the_result():
    result = schedlab.simulate([Job(1, 0, 9)], system=FOUR, allocator=First(), scheduler=Fifo())
    assert result.run["allocator"].endswith("naive_allocators:First")
    assert result.run["scheduler"].endswith("policies:Fifo")


def test_decisions_in_place_do_not_disturb_the_walk():
    """A scheduler in Python walks the queue while an allocator in Python places each job."""

    def walk(self, state):
        yield from state.queue.fitting()

    jobs = [Job(i, 0, 1 + i % 3, 1 + i % 3) for i in range(40)]
    expected = schedule(jobs, FOUR, scheduler=Greedy())
    assert schedule(jobs, FOUR, scheduler=policy(walk), allocator=First()) == expected
