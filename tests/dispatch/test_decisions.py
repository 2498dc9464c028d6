"""What a scheduler in Python may decide: start, reject, wake, and beside reservations."""

from __future__ import annotations

import pytest
from dispatch.policies import FOUR, policy, schedule, starts

import schedlab
from schedlab import Job, RejectJob, SimulationError, StartJob, WakeAt


def test_wake_at_calls_again():
    calls = []

    def later(self, state):
        calls.append(state.now)
        if state.now < 7.5:
            yield WakeAt(7.5)
            return
        yield from state.queue

    jobs = [Job(1, 0, 10), Job(2, 3, 10)]
    assert starts(jobs, FOUR, scheduler=policy(later)) == {1: 7.5, 2: 7.5}
    assert calls == [0, 3, 7.5]


def test_wake_at_does_not_keep_a_simulation_alive():
    def eager(self, state):
        yield WakeAt(state.now + 1_000)
        yield from state.queue

    simulation = schedlab.Simulation([Job(1, 0, 10)], system=FOUR, scheduler=policy(eager))
    simulation.run()
    assert simulation.now == 10


def test_a_policy_that_waits_for_nothing_is_an_error():
    simulation = schedlab.Simulation(
        [Job(1, 0, 10)], system=FOUR, scheduler=policy(lambda self, state: [])
    )
    with pytest.raises(SimulationError, match=r"1 queued and 0 held .* first is job 1"):
        simulation.run()


def test_wakes_of_one_time_are_one_call():
    calls = []

    def often(self, state):
        calls.append(state.now)
        if state.now < 3:
            yield WakeAt(5)
            yield WakeAt(4)
            yield WakeAt(4)
        elif state.now == 5:
            yield from state.queue

    starts([Job(1, 0, 1), Job(2, 2, 1)], FOUR, scheduler=policy(often))
    assert calls == [0, 2, 4, 5]


def test_reject_job():
    def picky(self, state):
        for job in state.queue:
            if job.processors > 2:
                yield RejectJob(job)
            elif state.machine.fits(job):
                yield job

    jobs = [Job(1, 0, 10, 3), Job(2, 0, 10, 2), Job(3, 1, 10, 2), Job(4, 2, 5, 4)]
    assert schedule(jobs, FOUR, scheduler=policy(picky)) == {
        1: (None, None, "rejected", ""),
        2: (0, 10, "completed", "0*2"),
        3: (1, 11, "completed", "1*2"),
        4: (None, None, "rejected", ""),
    }


def test_rejecting_a_job_rejects_those_that_depend_on_it():
    jobs = [Job(1, 0, 10), Job(2, 0, 10, predecessors=[1]), Job(3, 0, 1, predecessors=[2])]

    def picky(self, state):
        return [RejectJob(job) for job in state.queue]

    states = {job: row[2] for job, row in schedule(jobs, FOUR, scheduler=policy(picky)).items()}
    assert states == dict.fromkeys((1, 2, 3), "rejected")


@pytest.mark.parametrize(
    ("nodes", "shown"),
    [
        ([1, 1, 0], "0 1*2"),
        ((0, 1, 1), "0 1*2"),
        ({1: 2, 0: 1}, "0 1*2"),
        ({1: 1, 0: 2}, "0*2 1"),
        (iter([1, 0, 1]), "0 1*2"),
        (range(3), "0-2"),
        ({0, 2, 1}, "0-2"),
        ({2: 1, 1: 1, 0: 1}.keys(), "0-2"),
        (None, "0*2 1"),
    ],
)
def test_start_job_on_nodes(nodes, shown):
    system = {"groups": {"all": {"nodes": 3, "resources": {"core": 2}}}}

    def exact(self, state):
        return [StartJob(job, nodes) for job in state.queue]

    assert schedule([Job(1, 0, 10, 3)], system, scheduler=policy(exact))[1][3] == shown


def test_start_job_takes_numbers_of_numpy():
    numpy = pytest.importorskip("numpy")

    def exact(self, state):
        rooms = numpy.array([state.machine.room(n, job) for n in range(2) for job in state.queue])
        for job in state.queue:
            yield StartJob(job, numpy.flatnonzero(rooms))

    assert schedule([Job(1, 0, 10, 2)], FOUR, scheduler=policy(exact))[1][3] == "0-1"


def test_start_job_takes_any_mapping():
    """As its types say; a mapping that is not a dict must not be read as a list of its keys."""
    from types import MappingProxyType

    def exact(self, state):
        return [StartJob(job, MappingProxyType({0: 1, 1: 2})) for job in state.queue]

    assert schedule([Job(1, 0, 10, 3)], FOUR, scheduler=policy(exact))[1][3] == "0 1*2"


def test_start_job_works_beside_a_reservation():
    """A job on nodes of the user's choice counts like one that the allocator placed."""
    seen = []

    def walk(self, state):
        first, head, *others = state.queue
        yield StartJob(first, [1])
        reservation = state.reserve(head)
        seen.append(reservation.start)
        for job in others:
            allowed = reservation.allows(job)
            seen.append((job.id, allowed))
            if allowed:
                yield StartJob(job, [state.machine.nodes_with_room(job)[-1]])

    jobs = [Job(1, 0, 10, 1), Job(2, 0, 10, 3), Job(3, 0, 50, 1), Job(4, 0, 50, 1)]
    simulation = schedlab.Simulation(jobs, system=FOUR, scheduler=policy(walk))
    simulation.step()
    assert seen == [10, (3, True), (4, False)]
    assert simulation.jobs_in("running") == [1, 3]


def test_the_reservation_ends_with_its_job():
    """After the reserved job was rejected or started, nothing is protected any more."""

    def rejecting(self, state):
        if len(state.queue) < 3:
            return
        first, head, last = state.queue
        yield first
        state.reserve(head)
        yield RejectJob(head)
        yield last

    jobs = [Job(1, 0, 10, 2), Job(2, 0, 10, 4), Job(3, 0, 100, 2)]
    assert starts(jobs, FOUR, scheduler=policy(rejecting)) == {1: 0, 2: None, 3: 0}

    def starting(self, state):
        first, head, last = state.queue
        yield first
        state.reserve(head)
        yield head
        yield last

    jobs = [Job(1, 0, 10, 1), Job(2, 0, 10, 1), Job(3, 0, 100, 2)]
    assert starts(jobs, FOUR, scheduler=policy(starting)) == {1: 0, 2: 0, 3: 0}
