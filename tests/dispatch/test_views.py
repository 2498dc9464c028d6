"""What a scheduler in Python is shown of jobs, queue and machine."""

from __future__ import annotations

import pytest
from conftest import examples
from dispatch.policies import FOUR, policy, records, starts, workloads
from hypothesis import given

from schedlab import Greedy, Job


def test_what_a_generator_sees_follows_its_decisions():
    seen = []

    def watch(self, state):
        for job in state.queue:
            before = (state.machine.free_processors, len(state.queue), len(state.running))
            yield job
            after = (state.machine.free_processors, len(state.queue), len(state.running))
            seen.append((before, after, job.state, job.start, job.nodes, job.elapsed, job.wait))

    starts([Job(1, 0, 10, 1), Job(2, 0, 10, 3)], FOUR, scheduler=policy(watch))
    assert seen == [
        ((4, 2, 0), (3, 1, 1), "running", 0, {0: 1}, 0, 0),
        ((3, 1, 1), (0, 0, 2), "running", 0, {0: 1, 1: 2}, 0, 0),
    ]


def test_views_have_what_is_known():
    jobs = [
        Job(7, 1, 100, 2, 30.5, user=3, tasks_per_node=1, attributes={"queue": 4, "power": 1.5}),
        Job(8, 2, 10, 1, whole_nodes=True),
    ]
    seen = {}

    def look(self, state):
        for job in state.queue:
            seen[job.id, state.now] = (
                job.user,
                job.processors,
                job.submit,
                job.wait,
                job.estimate,
                job.requested_time,
                job.tasks_per_node,
                job.whole_nodes,
                job.resources,
                job.start,
                job.expected_end,
                job.nodes,
            )
            assert repr(job) == f"<job {job.id}>"
            assert job == state.queue[list(state.queue).index(job)]
            assert len({job, job}) == 1
            assert job != job.id
        for job in state.queue:
            if job.id == 7:
                assert (job["queue"], job["power"]) == (4, 1.5)
                with pytest.raises(KeyError, match='job 7 has no attribute "nope"'):
                    job["nope"]
                yield job
            elif state.now >= 100:
                yield job
        if state.now == 45:
            (running,) = state.running
            assert (running.id, running.elapsed, running.wait) == (7, 44, 0)
            assert running.expected_end == 46  # past its estimate: in a second, as far as is known

    def run(at):
        return starts([*jobs, Job(9, at, 1)], FOUR, scheduler=policy(look))

    run(45)
    assert seen[7, 1] == (3, 2, 1, 0, 30.5, 30.5, 1, False, {"core": 1}, None, 31.5, {})
    assert seen[8, 45][3] == 43
    assert seen[8, 2][5:8] == (10, None, True)


def test_data_of_the_machine():
    system = {
        "processor": {"core": 2},
        "groups": {
            "thin": {"nodes": 2, "resources": {"core": 4, "mem": 10}},
            "fat": {"nodes": 1, "resources": {"core": 8}},
        },
    }
    jobs = [Job(1, 0, 10, 3, resources={"core": 1, "mem": 4}), Job(2, 0, 10, 5)]

    def look(self, state):
        first, second = state.queue
        machine = state.machine
        assert (machine.nodes, machine.processors, machine.free_processors) == (3, 8, 8)
        assert machine.capacity == {"core": 16, "mem": 20} == machine.free
        assert machine.node_capacity(2) == {"core": 8, "mem": 0}
        assert [machine.room(node, first) for node in range(3)] == [2, 2, 0]
        assert machine.nodes_with_room(first) == [0, 1]
        assert [machine.room(node, second) for node in range(3)] == [2, 2, 4]
        yield first
        assert machine.free == {"core": 13, "mem": 8}
        assert machine.node_free(0) == {"core": 2, "mem": 2}
        assert machine.free_processors == 1 + 1 + 4
        assert list(state.queue.fitting()) == [second]
        assert list(state.queue.fitting(4)) == []
        for wrong in (-1, 3, 2**40):
            with pytest.raises(IndexError, match="nodes 0 to 2"):
                machine.node_free(wrong)
        yield second

    assert starts(jobs, system, scheduler=policy(look)) == {1: 0, 2: 0}


@examples(100)
@given(workload=workloads())
def test_fitting_jobs_are_those_that_fit(workload):
    # Rooms are those of the first set of nodes, and licenses belong to none.
    by_rooms = {job.id for job in workload[0] if not job.choices and not any(job.licenses)}

    def look(self, state):
        queue = list(state.queue)
        fits = [job for job in queue if state.machine.fits(job)]
        assert list(state.queue.fitting()) == fits
        for place, job in enumerate(queue):
            assert state.queue[place] == state.queue[place - len(queue)] == job
            behind = [other for other in queue[place + 1 :] if other in fits]
            assert list(state.queue.fitting(behind=job)) == behind
            rooms = [state.machine.room(n, job) for n in range(state.machine.nodes)]
            if job.id in by_rooms:
                assert (sum(rooms) >= job.processors) == (job in fits)
            assert state.machine.nodes_with_room(job) == [n for n, r in enumerate(rooms) if r]
        with pytest.raises(IndexError):
            state.queue[len(queue)]
        yield from state.queue.fitting()

    mine = records(workload, scheduler=policy(look))
    assert mine == records(workload, scheduler=Greedy())


def test_fitting_jobs_that_could_do_with_so_many_processors():
    """A task of two cores needs two of them; one that asks for memory alone needs none."""
    seen = []

    def look(self, state):
        seen.append([[job.id for job in state.queue.fitting(most)] for most in range(4)])
        yield from state.queue

    jobs = [
        Job(1, 0, 1, 1),
        Job(2, 0, 1, 1, resources={"core": 2}),
        Job(3, 0, 1, 3, resources={"mem": 1}),
        Job(4, 0, 1, 1, whole_nodes=True),
    ]
    system = {"groups": {"all": {"nodes": 5, "resources": {"core": 2, "mem": 3}}}}
    starts(jobs, system, scheduler=policy(look))
    assert seen[0] == [[3], [1, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]
