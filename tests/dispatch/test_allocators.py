"""Allocators written in Python."""

from __future__ import annotations

import pytest
from conftest import examples
from dispatch.policies import (
    EasyWalk,
    Fifo,
    PlanWalk,
    engine_windows,
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

import schedlab
import schedlab as sl
from schedlab import (
    Allocator,
    Blocking,
    Conservative,
    Easy,
    Greedy,
    InputError,
    Job,
    Simulation,
    SimulationError,
)

FOUR = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}


def fill(job, machine, nodes):
    """Returns {node: tasks}: as many on each node as fit, in the order given; None if too few."""
    placed, left = {}, job.processors
    for node in nodes:
        tasks = min(left, machine.room(node, job))
        if tasks:
            placed[node] = tasks
            left -= tasks
    return None if left else placed


class First(Allocator):
    def place(self, job, machine):
        return fill(job, machine, machine.nodes_with_room(job))


class FirstAsList(Allocator):
    """The same, as a list with a node for each task."""

    def place(self, job, machine):
        nodes = [n for n in machine.nodes_with_room(job) for _ in range(machine.room(n, job))]
        return nodes[: job.processors] if len(nodes) >= job.processors else None


class Last(Allocator):
    def place(self, job, machine):
        return fill(job, machine, reversed(range(machine.nodes)))


class ByLoad(Allocator):
    """Best fit, or worst fit."""

    def __init__(self, sign):
        self.sign = sign

    def place(self, job, machine):
        def freeness(node):
            total = 0.0
            capacity = machine.node_capacity(node)
            for kind, free in machine.node_free(node).items():
                if capacity[kind]:
                    total += free / capacity[kind]
            return total

        nodes = sorted(range(machine.nodes), key=lambda node: (self.sign * freeness(node), node))
        return fill(job, machine, nodes)


class OneEach(Allocator):
    """At most one task on a node."""

    def place(self, job, machine):
        nodes = machine.nodes_with_room(job)
        return nodes[: job.processors] if len(nodes) >= job.processors else None


TWINS = [
    (First, "first-fit"),
    (FirstAsList, "first-fit"),
    (lambda: ByLoad(1), "best-fit"),
    (lambda: ByLoad(-1), "worst-fit"),
]
SCHEDULERS = [
    "fifo",
    "fcfs-bf",
    "easy",
    "easy(order=shortest, depth=3)",
    "easy(reservations=2)",
    "easy(reservations=all)",
    "conservative",
    "conservative(order=largest)",
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
# Node 4 has one core and is no use to the head.
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
    places = [
        (job, got[job.id].start, got[job.id].end, got[job.id].nodes)
        for job in jobs
        if got[job.id].start is not None
    ]
    check_capacity(machine, places)
    if all(job.run <= job.estimate for job in jobs):
        check_windows(windows, places)


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
        self.asked = []

    def place(self, job, machine):
        self.asked.append(job.id)
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


def test_a_scheduler_in_python_is_told_that_the_allocator_refuses():
    simulation = Simulation(
        [Job(1, 0, 10, user=1)], system=FOUR, scheduler=Fifo(), allocator=Refusing()
    )
    with pytest.raises(SimulationError, match=r"cannot start job 1.*the allocator keeps it"):
        simulation.run()


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (7, r"give a list of nodes, one for each task, or a dict .* not 7"),
        ([0], r"1 tasks? .*placed"),
        ([], r"0 tasks were placed"),
        ({}, r"0 tasks were placed"),
        ([0, 0, 1], r"3 tasks were placed"),
        ([0] * 1000, r"1000 tasks on node 0|tasks on node 0, which has room for"),
        ([0, 2], r"no node 2; the machine has nodes 0 to 1"),
        ([0, -1], r"no node -1"),
        ([0, 2**31], "no node 2147483648"),
        ([0, 2**64], "no node 18446744073709551616"),
        ([0, "1"], "no node '1'"),
        ([0, 1.5], r"no node 1\.5"),
        ([0, None], "no node None"),
        ("01", "no node '0'"),
        ({0: 3}, r"3 tasks on node 0, which has room for 2: node 0 has free core 2"),
        ({0: 0, 1: 2}, "node 0 would get 0 tasks"),
        ({0: -1, 1: 3}, "node 0 would get -1 tasks"),
        ({0: 2**62}, r"4611686018427387904 tasks on node 0"),
        ({0: 2**63}, "must be a whole number"),
        ({0: 2**62, 1: 2**62}, "tasks on node"),
        ({0: 1.5}, "must be a whole number"),
        ({0: "2"}, "must be a whole number"),
        ({0: None}, "must be a whole number"),
        ({"all": 2}, "no node 'all'"),
    ],
)
def test_invalid_placements(nodes, message):
    class Wrong(Allocator):
        def place(self, job, machine):
            return nodes

    simulation = Simulation([Job(5, 3, 10, 2)], system=FOUR, allocator=Wrong())
    before = r"invalid nodes for job 5 at 3\.0+ s, which asks for 2 tasks of core 1: .*"
    with pytest.raises(SimulationError, match=before + f"({message})"):
        simulation.run()
    with pytest.raises(SimulationError, match="cannot go on after an error"):
        simulation.run()


def test_nodes_that_are_in_use():
    class Stubborn(Allocator):
        def place(self, job, machine):
            return [0] * job.processors

    simulation = Simulation([Job(1, 0, 9), Job(2, 0, 9, 2)], system=FOUR, allocator=Stubborn())
    with pytest.raises(SimulationError, match=r"2 tasks on node 0, which has room for 1.*core 1"):
        simulation.run()


def test_more_than_a_node_may_get():
    class Stubborn(Allocator):
        def place(self, job, machine):
            return [0] * job.processors

    jobs = [Job(1, 0, 9, 2, tasks_per_node=1)]
    with pytest.raises(SimulationError, match=r"at most 1 on a node.*which has room for 1"):
        Simulation(jobs, system=FOUR, allocator=Stubborn()).run()
    jobs = [Job(1, 0, 9), Job(2, 0, 9, whole_nodes=True)]
    with pytest.raises(SimulationError, match=r"job 2 .*on whole nodes.*which has room for 0"):
        Simulation(jobs, system=FOUR, allocator=Stubborn()).run()


def test_a_choice_that_a_window_forbids_is_no_error():
    """The allocator need not know of windows; its job waits."""

    class Stubborn(Allocator):
        def place(self, job, machine):
            return [0] * job.processors

    windows = [schedlab.Window(5, 20, "0")]
    for scheduler in (Blocking(), Greedy(), Easy(), Easy(reservations=2)):
        choices = {"scheduler": scheduler, "allocator": Stubborn(), "windows": windows}
        got = starts([Job(1, 0, 9)], FOUR, **choices)
        assert got == {1: 20}, scheduler


def test_a_choice_that_a_window_forbids_under_conservative():
    """Its reservation is due, but not on those nodes: an error that says so."""

    class Stubborn(Allocator):
        def place(self, job, machine):
            return [0] * job.processors

    windows = [schedlab.Window(5, 20, "0")]
    simulation = Simulation(
        [Job(1, 0, 9)],
        system=FOUR,
        scheduler=Conservative(),
        allocator=Stubborn(),
        windows=windows,
    )
    with pytest.raises(SimulationError, match=r"job 1\b.*allocator"):
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


def test_the_machine_of_an_allocator_is_that_of_the_call():
    class Keeping(First):
        def place(self, job, machine):
            self.kept = (job, machine)
            return super().place(job, machine)

    keeping = Keeping()
    Simulation([Job(1, 0, 9)], system=FOUR, allocator=keeping).run()
    job, machine = keeping.kept
    with pytest.raises(SimulationError, match="job 1 was used after the call"):
        job.processors  # noqa: B018
    with pytest.raises(SimulationError, match="outside the call"):
        machine.free_processors  # noqa: B018
    with pytest.raises(SimulationError, match="call"):
        machine.room(0, job)


@pytest.mark.parametrize("given", [First, 3, None, object(), "first_fit"])
def test_what_is_no_allocator(given):
    with pytest.raises(InputError, match="allocator"):
        Simulation([Job(1, 0, 9)], system=FOUR, allocator=given)


def test_an_allocator_without_place():
    with pytest.raises(NotImplementedError, match=r"Allocator must define place\(job, machine\)"):
        Simulation([Job(1, 0, 9)], system=FOUR, allocator=Allocator()).run()


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
    simulation.run()
    assert turning.count == 4


def test_the_allocator_is_named_in_the_result():
    result = schedlab.simulate([Job(1, 0, 9)], system=FOUR, allocator=First(), scheduler=Fifo())
    assert result.run["allocator"].endswith("test_allocators:First")
    assert result.run["scheduler"].endswith("policies:Fifo")


def test_decisions_in_place_do_not_disturb_the_walk():
    """A scheduler in Python walks the queue while an allocator in Python places each job."""

    def walk(self, state):
        yield from state.queue.fitting()

    jobs = [Job(i, 0, 1 + i % 3, 1 + i % 3) for i in range(40)]
    expected = schedule(jobs, FOUR, scheduler=Greedy())
    assert schedule(jobs, FOUR, scheduler=policy(walk), allocator=First()) == expected
