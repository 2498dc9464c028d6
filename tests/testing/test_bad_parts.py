"""The conformance suites of allocators, estimators and additional data name each broken rule."""

from __future__ import annotations

import random
import sys

import pytest
from stateful_policies import LastFit
from testing.mutants import broken, peek

import schedlab as sl
from schedlab.testing import additional_data as data_rules
from schedlab.testing import (
    check_additional_data,
    check_allocator,
    check_estimator,
    report,
)


class TooFew(sl.Allocator):
    def place(self, job, machine):
        return machine.nodes_with_room(job)[:1]


class Overfull(sl.Allocator):
    def place(self, job, machine):
        return [0] * job.processors


class Refuses(sl.Allocator):
    def place(self, job, machine):
        return None


class RefusesAtTimes(LastFit):
    """Refuses jobs with room, and does not say so."""

    def place(self, job, machine):
        if machine.free_processors < machine.processors and job.id % 3 == 0:
            return None
        return super().place(job, machine)


class Shuffles(LastFit):
    def place(self, job, machine):
        nodes = machine.nodes_with_room(job)
        random.shuffle(nodes)
        chosen = {}
        for node in nodes:
            room = min(machine.room(node, job), job.processors - sum(chosen.values()))
            if room:
                chosen[node] = room
        return chosen if sum(chosen.values()) == job.processors else None


class ShufflesHidden(Shuffles):
    def __init__(self):
        random.seed(3)


@pytest.mark.parametrize(
    ("policy", "rule", "words"),
    [
        (TooFew, report.RETURNS, "tasks"),
        (Overfull, report.RETURNS, "node 0"),
        (Refuses, report.ENDS, "jobs that never start"),
        (RefusesAtTimes, report.RETURNS, "places_whatever_fits = False"),
        (Shuffles, report.REPEATS, "first row"),
        (ShufflesHidden, report.FORKS, "first row"),
    ],
)
def test_bad_allocators(policy, rule, words):
    error = broken(lambda: check_allocator(policy), rule, words)
    assert f"allocator={policy.__name__}(), scheduler=" in str(error)


class Estimate(sl.Estimator):
    def __init__(self, estimate):
        self.of = estimate

    def estimate(self, job):
        return self.of(job)

    def get_state(self):
        return None

    def set_state(self, state):
        pass


class RemembersElsewhere(sl.Estimator):
    last = {}  # noqa: RUF012 - the mistake

    def __init__(self):
        self.last.clear()

    def estimate(self, job):
        return self.last.get(job.user, job.requested_time)

    def ended(self, job):
        self.last[job.user] = job.elapsed


@pytest.mark.parametrize(
    ("estimate", "rule", "words"),
    [
        (lambda job: -1, report.RETURNS, "must be from 0 to 126 years"),
        (lambda job: float("nan"), report.RETURNS, "must be from 0 to 126 years"),
        (lambda job: "long", report.RETURNS, "must give a number, not 'long'"),
        (lambda job: random.random(), report.REPEATS, "first row"),
        (lambda job: peek()[job.id], report.FUTURE, "run times differ later"),
        (None, report.FORKS, "first row"),
    ],
)
def test_bad_estimators(estimate, rule, words):
    policy = RemembersElsewhere if estimate is None else lambda: Estimate(estimate)
    broken(lambda: check_estimator(policy), rule, words)


class Undeclared(sl.AdditionalData):
    def update(self, state):
        return {"power": 1.0}


class Infinite(sl.AdditionalData):
    publishes = ("power",)

    def update(self, state):
        return {"power": float("inf") if len(state.running) > 3 else 0.0}


class InfiniteTable(sl.AdditionalData):
    publishes_tables = ("use",)

    def update(self, state):
        return {"use": {3: float("nan")}}


class ChangesItsMind(sl.AdditionalData):
    every = 10

    def update(self, state):
        self.every = 20
        return {}


class Meddles(sl.AdditionalData):
    """Gets hold of the simulation, and slows jobs down."""

    def update(self, state):
        frame = sys._getframe(0)
        while frame is not None and not isinstance(frame.f_locals.get("simulation"), sl.Simulation):
            frame = frame.f_back
        for job in state.running:
            if frame is not None and job.id % 2:
                frame.f_locals["simulation"].set_speed(job.id, 0.9)
        return {}


class CountsElsewhere(sl.AdditionalData):
    publishes = ("ended_jobs",)
    count = [0]  # noqa: RUF012 - the mistake

    def __init__(self):
        self.count[0] = 0

    def ended(self, job):
        self.count[0] += 1

    def update(self, state):
        return {"ended_jobs": self.count[0]}


@pytest.mark.parametrize(
    ("policy", "rule", "words"),
    [
        (Undeclared, report.RETURNS, "not one of the names"),
        (Infinite, data_rules.FINITE, "power is inf"),
        (InfiniteTable, data_rules.FINITE, "use is {3: nan}"),
        (ChangesItsMind, data_rules.DECLARED, "became ((), (), 20, 'before')"),
        (Meddles, report.LENGTH, "runs for"),
        (CountsElsewhere, report.FORKS, "publishes other values"),
    ],
)
def test_bad_additional_data(policy, rule, words):
    broken(lambda: check_additional_data(policy), rule, words)


def test_wrongly_declared_additional_data():
    class Text(sl.AdditionalData):
        publishes = "power"

    with pytest.raises(sl.InputError, match="must be a tuple of names"):
        check_additional_data(Text)
