"""Estimators written in Python."""

from __future__ import annotations

import collections
import random

import pytest
from conftest import examples
from dispatch.policies import FOUR, policy, random_jobs, records, schedule, starts, workloads
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab import Estimator, InputError, Job, Simulation


class MeanOfTwo(Estimator):
    """The mean of the user's last two run times, at most what was asked for."""

    def __init__(self):
        self.ended_runs = collections.defaultdict(list)

    def estimate(self, job):
        last = self.ended_runs[job.user][-2:]
        if len(last) < 2:
            return job.requested_time
        return min(sum(last) / 2, job.requested_time)

    def ended(self, job):
        self.ended_runs[job.user].append(job.elapsed)


@pytest.mark.parametrize("scheduler", ["fifo", "sjf", "easy", "easy(order=sjf)", "conservative"])
def test_the_mean_of_a_users_last_two_runs_is_history(scheduler):
    jobs = random_jobs()
    expected = schedule(jobs, FOUR, scheduler=scheduler, estimate="history")
    assert schedule(jobs, FOUR, scheduler=scheduler, estimate=MeanOfTwo()) == expected
    if scheduler != "fifo":
        assert schedule(jobs, FOUR, scheduler=scheduler) != expected


class Requested(Estimator):
    def estimate(self, job):
        return job.requested_time


@examples(60)
@given(
    case=workloads(),
    scheduler=st.sampled_from(["sjf", "easy", "conservative", "easy(reservations=2)"]),
)
def test_an_estimator_that_repeats_what_was_asked_for(case, scheduler):
    expected = records(case, scheduler=scheduler)
    assert records(case, scheduler=scheduler, estimate=Requested()) == expected


class Guess(Estimator):
    def __init__(self, seed):
        self.random = random.Random(seed)

    def estimate(self, job):
        return job.requested_time * self.random.random()


def test_random_estimates_are_those_of_their_generator():
    jobs = random_jobs()
    first = schedule(jobs, FOUR, scheduler="easy", estimate=Guess(1))
    assert schedule(jobs, FOUR, scheduler="easy", estimate=Guess(1)) == first
    assert schedule(jobs, FOUR, scheduler="easy", estimate=Guess(2)) != first


def test_a_fork_guesses_on_its_own():
    jobs = random_jobs()
    simulation = Simulation(jobs, system=FOUR, scheduler="easy", estimate=Guess(1))
    simulation.run(until=50)
    fork = simulation.fork()
    fork.run()
    simulation.run()
    assert fork.metrics == simulation.metrics


def test_what_an_estimator_is_shown():
    seen = {}

    class Looking(Estimator):
        def estimate(self, job):
            seen[job.id] = (job.requested_time, job.processors, job.user, job["power"], job.submit)
            return 7.5

        def ended(self, job):
            seen[job.id] += (job.elapsed, job.nodes, job.start)

    jobs = [Job(1, 3, 20, 2, 60, user=9, attributes={"power": 5})]
    shown = []

    def look(self, state):
        shown.extend((job.estimate, job.requested_time) for job in state.queue)
        yield from state.queue

    starts(jobs, FOUR, estimate=Looking(), scheduler=policy(look))
    assert seen == {1: (60, 2, 9, 5, 3, 20, {0: 2}, 3)}
    assert shown == [(7.5, 60)]


def test_an_estimator_does_not_learn_the_run_time():
    shown = []

    class Looking(Estimator):
        def estimate(self, job):
            shown.append((job.estimate, job.expected_end, job.elapsed))
            return 5

    starts([Job(1, 0, 1234, requested_time=60)], FOUR, estimate=Looking())
    assert 1234 not in shown[0]


def test_the_estimator_is_named_in_the_result():
    result = schedlab.simulate([Job(1, 0, 9)], system=FOUR, estimate=Requested())
    assert result.run["options"]["estimate"].endswith("test_estimators:Requested")


def test_an_estimator_sees_killed_jobs_too():
    seen = []

    class Looking(Requested):
        def ended(self, job):
            seen.append((job.id, job.elapsed))

    jobs = [Job(1, 0, 50, 1, 20), Job(2, 0, 5, 1, 20), Job(3, 0, 5, 9)]
    starts(jobs, FOUR, estimate=Looking(), enforce_limits=True)
    assert seen == [(2, 5), (1, 20)]


@pytest.mark.parametrize("given", [Requested, 3, None.__class__, object(), "histroy"])
def test_what_is_no_estimator(given):
    with pytest.raises(InputError, match="estimat"):
        Simulation([Job(1, 0, 1)], system=FOUR, estimate=given)
