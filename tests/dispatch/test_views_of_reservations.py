"""Reservations as a scheduler in Python sees them, and the jobs that they leave room for."""

from __future__ import annotations

import random

import pytest
from conftest import examples
from dispatch.policies import policy, records, workloads
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab import Job, Window


def reserving(check):
    """EASY that calls `check(state, reservation, queue)` each time that it has reserved."""

    def schedule(self, state):
        for job in state.queue:
            if not state.machine.fits(job):
                break
            yield job
        else:
            return
        reservation = state.reserve(job)
        check(state, reservation, list(state.queue))
        for other in state.queue.fitting(behind=job):
            if reservation.allows(other):
                yield other
                check(state, reservation, list(state.queue))

    return policy(schedule)


def leaves_out_only_what_is_not_allowed(state, reservation, queue):
    allowed = [job for job in queue if reservation.allows(job)]
    assert [job for job in state.queue.fitting() if reservation.allows(job)] == allowed
    fitting = list(state.queue.fitting())
    assert [job for job in queue if state.machine.fits(job) and job in fitting] == fitting
    for place in (0, len(queue) // 2):
        behind = set(queue[place + 1 :])
        found = list(state.queue.fitting(behind=queue[place]))
        assert found == [job for job in fitting if job in behind]


@examples(100)
@given(workload=workloads())
def test_fitting_leaves_out_only_jobs_that_are_not_allowed(workload):
    mine = records(workload, scheduler=reserving(leaves_out_only_what_is_not_allowed))
    assert mine == records(workload, scheduler="easy")


def long_queue(seed, count, processors):
    """Jobs at about one time; few of those that fit end before the reserved one begins."""
    rng = random.Random(seed)
    sizes = [1, 2, 3, 7, 20, processors // 2, processors - 1, processors]
    return [
        Job(
            i + 1,
            i // 200,
            rng.choice((1, 30, 500)),
            rng.choice(sizes),
            requested_time=rng.choice((1, 40, 900)),
        )
        for i in range(count)
    ]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_blocks_of_a_long_queue_are_skipped_with_reason(seed):
    """Hundreds of jobs wait, so that blocks of the queue and groups of blocks are passed over."""
    system = {"groups": {"all": {"nodes": 32, "resources": {"core": 2}}}}
    seen = []

    def check(state, reservation, queue):
        if len(seen) % 40 == 0:
            leaves_out_only_what_is_not_allowed(state, reservation, queue)
        seen.append(len(queue))

    jobs = long_queue(seed, 3_000, 64)
    simulation = schedlab.Simulation(jobs, system=system, scheduler=reserving(check))
    for _ in range(60):
        simulation.step()
    assert max(seen) > 2_300


@examples(100)
@given(jobs=st.lists(st.tuples(*[st.integers(0, 9)] * 4), min_size=2, max_size=16))
def test_counts_and_nodes_give_the_same_answers(jobs):
    """A window in the far future makes the engine plan on nodes, and is of no other consequence."""
    groups = {"a": {"nodes": 2, "resources": {"core": 3}}}
    groups["b"] = {"nodes": 1, "resources": {"core": 4}}
    system = {"groups": groups}
    made = [
        Job(i, submit, run, 1 + size, requested_time=max(1, estimate))
        for i, (submit, run, size, estimate) in enumerate(sorted(jobs), 1)
    ]
    answers = {}

    def ask(windows):
        def check(state, reservation, queue):
            allowed = [reservation.allows(job) for job in queue]
            answers.setdefault(bool(windows), []).append((reservation.start, allowed))

        answers[bool(windows)] = []
        scheduler = reserving(check)
        return schedlab.simulate(made, system=system, scheduler=scheduler, windows=windows).metrics

    assert ask(()) == ask([Window(start=10**6, end=10**6 + 1, nodes="0")])
    assert answers[False] == answers[True]
