"""The conformance suite of schedulers names each rule that is broken."""

from __future__ import annotations

import random
import textwrap
import time

import pytest
from stateful_policies import LastFit
from testing.mutants import broken, peek

import schedlab as sl
from schedlab.testing import ConformanceError, check_scheduler, report


class Greedy(sl.Scheduler):
    """The base of most mutants: right as it is."""

    def schedule(self, state):
        for job in state.queue.fitting():
            if self.wants(job, state):
                yield job

    def wants(self, job, state):
        return True


class Starves(Greedy):
    def wants(self, job, state):
        return job.processors < 6


class WakesForEver(sl.Scheduler):
    def schedule(self, state):
        yield sl.WakeAt(state.now + 1)


class Careless(sl.Scheduler):
    def schedule(self, state):
        yield from state.queue


class Overcommits(sl.Scheduler):
    def schedule(self, state):
        for job in state.queue:
            yield sl.StartJob(job, [0] * job.processors)


class IntoWindows(sl.Scheduler):
    """Looks at what is free, and not at windows."""

    def schedule(self, state):
        for job in state.queue:
            nodes, left = {}, job.processors
            for node in range(state.machine.nodes):
                free = state.machine.node_free(node)["core"]
                if min(free, left) > 0:
                    nodes[node] = min(free, left)
                    left -= nodes[node]
            if left == 0:
                yield sl.StartJob(job, nodes)


class Raises(sl.Scheduler):
    def schedule(self, state):
        return [job for job in state.queue if job.submit / (job.submit - 7) and False]


class Twice(sl.Scheduler):
    def schedule(self, state):
        job = state.queue[0]
        if state.machine.fits(job):
            yield job
            yield job


class Throws(Greedy):
    def wants(self, job, state):
        return len(state.running) == 0 or random.random() < 0.5


class LooksAtTheClock(Greedy):
    def wants(self, job, state):
        return len(state.running) == 0 or time.perf_counter_ns() // 100 % 2


class Hoards(Greedy):
    def __init__(self):
        self.seen = []

    def wants(self, job, state):
        self.seen.append(job)
        return self.seen[0].processors > 0


class KeepsViews(Greedy):
    def __init__(self):
        self.seen = []

    def wants(self, job, state):
        self.seen.append(job)
        return True


class OfTheClass(Greedy):
    """State in a class attribute: all copies share it."""

    calls = {"number": 0}  # noqa: RUF012 - the mistake

    def wants(self, job, state):
        self.calls["number"] += 1
        return len(state.running) == 0 or self.calls["number"] > 50


DRAW = random.Random()


class HiddenInTheModule(Greedy):
    """Repeats, because each new one seeds anew; but no fork and no file knows where it was."""

    def __init__(self):
        DRAW.seed(1)

    def wants(self, job, state):
        return len(state.running) == 0 or DRAW.random() < 0.5


class Counter:
    number = 0


class NoPlainData(Greedy):
    def __init__(self):
        self.counter = Counter()


class Forgets(Greedy):
    """Its get_state leaves something out."""

    def __init__(self):
        self.calls = 0

    def wants(self, job, state):
        self.calls += 1
        return len(state.running) == 0 or self.calls % 5

    def get_state(self):
        return {}

    def set_state(self, state):
        pass


class InSlots(Greedy):
    """What is in slots is not among the attributes that are saved."""

    __slots__ = ("calls",)

    def __init__(self):
        self.calls = 0

    def wants(self, job, state):
        self.calls = getattr(self, "calls", 0) + 1
        return len(state.running) == 0 or self.calls % 5


class Knows(Greedy):
    def wants(self, job, state):
        return len(state.running) == 0 or peek().get(job.id, 0) % 2


class OncePerTime(sl.Scheduler):
    """Takes a second call at one time for a mistake."""

    def __init__(self):
        self.last = -1.0

    def schedule(self, state):
        if state.now != self.last:
            self.last = state.now
            yield from state.queue.fitting()


class NeedsArguments(Greedy):
    def __init__(self, share):
        self.share = share


@pytest.mark.parametrize(
    ("policy", "rule", "words"),
    [
        (Starves, report.ENDS, "may_starve = True"),
        (WakesForEver, report.ENDS, "jobs that never start"),
        (Careless, report.RETURNS, "ask machine.fits"),
        (Overcommits, report.RETURNS, "node 0"),
        (IntoWindows, report.RETURNS, "a window begins there"),
        (Raises, report.NO_ERROR, "ZeroDivisionError"),
        (Twice, report.RETURNS, "job 1"),
        (Throws, report.REPEATS, "first row of jobs.csv that differs"),
        (LooksAtTheClock, report.REPEATS, "first row"),
        (Hoards, report.VIEWS, "keep job.id instead"),
        (KeepsViews, report.FORKS, "KeepsViews cannot be copied for a fork"),
        (OfTheClass, report.REPEATS, "first row"),
        (HiddenInTheModule, report.FORKS, "undisturbed and of the"),
        (NoPlainData, report.SAVES, "NoPlainData['counter'] is of type Counter"),
        (Forgets, report.SAVES, "first row"),
        (InSlots, report.SAVES, "first row"),
        (Knows, report.FUTURE, "both workloads are equal"),
        (OncePerTime, report.ENDS, "jobs that never start"),
        (NeedsArguments, report.MADE, "missing 1 required positional argument: 'share'"),
        (lambda: LastFit(), report.MADE, "is not a schedlab.Scheduler or schedlab.Discipline"),
    ],
)
def test_bad_schedulers(policy, rule, words):
    skip = ["resources", "whole-nodes", "partitions", "licenses"] if policy is IntoWindows else []
    error = broken(lambda: check_scheduler(policy, skip=skip), rule, words)
    if rule != report.MADE:
        assert f"on scenario {error.scenario}, seed 0" in str(error)
        call = f'scenario("{error.scenario}", seed=0).simulation('
        assert f"{call}scheduler={policy.__name__}()" in str(error)


def test_the_message_repeats_what_happened():
    """The code in it shows the mistake."""
    with pytest.raises(ConformanceError) as caught:
        check_scheduler(Careless)
    code = textwrap.dedent(str(caught.value).partition("to see it again:\n")[2])
    with pytest.raises(sl.SimulationError, match=r"ask machine\.fits"):
        exec(code, {"Careless": Careless})


def test_the_order_of_a_set(tmp_path, monkeypatch):
    """Texts hash differently in each process."""
    (tmp_path / "own_policies.py").write_text(
        textwrap.dedent("""
        import schedlab as sl

        class Hashed(sl.Scheduler):
            def schedule(self, state):
                for user in {f"user {job.user}" for job in state.queue}:
                    for job in state.queue.fitting():
                        if f"user {job.user}" == user:
                            yield job

        class Sorted(sl.Scheduler):
            def schedule(self, state):
                for user in sorted({f"user {job.user}" for job in state.queue}):
                    for job in state.queue.fitting():
                        if f"user {job.user}" == user:
                            yield job
        """)
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConformanceError) as caught:
        check_scheduler("own_policies:Hashed")
    assert caught.value.rule == report.PROCESSES
    assert report.PROCESSES in check_scheduler("own_policies:Sorted").passed
