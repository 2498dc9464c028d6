"""The conformance suites: what keeps the rules passes, and each broken rule is named."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
import time

import pytest

import schedlab as sl
from schedlab.dispatch.allocators import ALLOCATORS
from schedlab.dispatch.schedulers import SCHEDULERS
from schedlab.options import CHOICES
from schedlab.testing import (
    SCENARIOS,
    ConformanceError,
    Scenario,
    check_additional_data,
    check_allocator,
    check_estimator,
    check_scheduler,
    report,
    scenario,
)
from schedlab.testing import additional_data as data_rules

MACHINE = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}


def peek() -> dict[int, float]:
    """Returns the run times of the scenario that is being simulated: what no policy should do."""
    frame = sys._getframe(1)
    while frame is not None:
        for value in frame.f_locals.values():
            if isinstance(value, Scenario):
                return {job.id: job.run for job in value.jobs}
        frame = frame.f_back
    return {}


# ---------------------------------------------------------------------------------- what passes


@pytest.mark.parametrize("name", SCHEDULERS)
def test_built_in_schedulers(name):
    passed = check_scheduler(name).passed
    assert passed[report.ROOM] == 5 * len(SCENARIOS)
    assert passed[report.SAVES] == len(SCENARIOS)


@pytest.mark.parametrize("name", ALLOCATORS)
def test_built_in_allocators(name):
    assert check_allocator(name).passed["works under conservative"] == len(SCENARIOS)


@pytest.mark.parametrize("name", CHOICES["estimate"])
def test_built_in_estimates(name):
    assert (report.FUTURE in check_estimator(name).passed) == (name != "exact")


class Moody(sl.Scheduler):
    """Starts what fits, at the throw of a coin, and remembers whose jobs it started."""

    order = "shortest"

    def __init__(self):
        self.random = random.Random(7)
        self.starts = {}

    def schedule(self, state):
        for job in state.queue.fitting():
            if self.random.random() < 0.8:
                self.starts[job.user] = self.starts.get(job.user, 0) + 1
                yield job
        yield sl.WakeAt(state.now + 3)


class Contiguous(sl.Allocator):
    """Neighbouring nodes, from the first row of them that is long enough."""

    places_whatever_fits = False

    def place(self, job, machine):
        chosen, left = {}, job.processors
        for node in range(machine.nodes):
            room = machine.room(node, job)
            if room == 0:
                chosen, left = {}, job.processors
                continue
            chosen[node] = min(room, left)
            left -= chosen[node]
            if left == 0:
                return chosen
        return None


class LastFit(sl.Allocator):
    def place(self, job, machine):
        chosen, left = {}, job.processors
        for node in reversed(machine.nodes_with_room(job)):
            chosen[node] = min(left, machine.room(node, job))
            left -= chosen[node]
            if left == 0:
                return chosen
        return None


class Doubled(sl.Estimator):
    """Twice what the user's last job took."""

    def __init__(self, factor=2):
        self.factor = factor
        self.last = {}

    def estimate(self, job):
        return self.factor * self.last.get(job.user, job.requested_time)

    def ended(self, job):
        self.last[job.user] = job.elapsed


class Use(sl.AdditionalData):
    """Core-seconds of each user, halved every 50 s."""

    publishes = ("jobs_seen",)
    publishes_tables = ("use",)
    every = 5

    def __init__(self):
        self.use = {}
        self.seen = 0

    def ended(self, job):
        self.seen += 1
        self.use[job.user] = self.use.get(job.user, 0.0) + job.processors * job.elapsed

    def update(self, state):
        self.use = {user: use * 0.5 ** (5 / 50) for user, use in self.use.items()}
        return {"jobs_seen": self.seen, "use": self.use}


class FairShare(sl.Scheduler):
    order = "score:data.use[user]"

    def schedule(self, state):
        for job in state.queue:
            if not state.machine.fits(job):
                return
            yield job


def test_own_policies():
    said = str(check_scheduler(Moody))
    assert said.startswith("check_scheduler(Moody): ")
    assert "a saved simulation goes on alike (14 x)" in said
    refusals = check_allocator(Contiguous()).notes
    assert refusals[0] == "not tried under conservative, which needs places_whatever_fits"
    assert "0 of" not in next(note for note in refusals if note.startswith("under fcfs-bf"))
    assert "refused a job with room in 0 of" in str(check_allocator(LastFit))
    assert check_estimator(lambda: Doubled(3)).passed[report.FUTURE]
    assert check_additional_data(Use).passed[data_rules.CALLED] == len(SCENARIOS) - 1
    check_scheduler(FairShare, data=lambda: [Use()])


def test_scenarios_of_the_user():
    """They come on top; built-in ones can be left out."""
    own = Scenario("mine", MACHINE, [sl.Job(1, 0, 5, 8), sl.Job(2, 1, 5, 3)])
    some = check_scheduler("easy", scenarios=[own], skip=[n for n in SCENARIOS if n != "empty"])
    assert some.passed[report.REPEATS] == 2
    assert some.notes[0].startswith("skipped scenarios: one-node, ")
    with pytest.raises(sl.InputError, match="unknown scenario"):
        check_scheduler("easy", skip=["windoes"])
    with pytest.raises(sl.InputError, match="unknown scheduler"):
        check_scheduler("eazy")
    assert scenario("windows", 1).jobs != scenario("windows", 2).jobs
    assert scenario("windows", 1) == scenario("windows", 1)


def test_a_policy_that_may_starve_says_so():
    class Small(sl.Scheduler):
        may_starve = True

        def schedule(self, state):
            for job in state.queue.fitting():
                if job.processors < 6:
                    yield job

    assert "it may let jobs wait for ever (may_starve)" in check_scheduler(Small).notes


# ---------------------------------------------------------------------------------- what does not


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
        (lambda: LastFit(), report.MADE, "is no schedlab.Scheduler or schedlab.Discipline"),
    ],
)
def test_bad_schedulers(policy, rule, words):
    skip = ["resources", "whole-nodes"] if policy is IntoWindows else []
    with pytest.raises(ConformanceError) as caught:
        check_scheduler(policy, skip=skip)
    assert caught.value.rule == rule
    assert words in caught.value.found
    if rule != report.MADE:
        assert f"on scenario {caught.value.scenario}, seed 0" in str(caught.value)
        call = f'scenario("{caught.value.scenario}", seed=0).simulation('
        assert f"{call}scheduler={policy.__name__}()" in str(caught.value)


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
    with pytest.raises(ConformanceError) as caught:
        check_allocator(policy)
    assert caught.value.rule == rule
    assert words in caught.value.found
    assert f"allocator={policy.__name__}(), scheduler=" in str(caught.value)


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
    with pytest.raises(ConformanceError) as caught:
        check_estimator(RemembersElsewhere if estimate is None else lambda: Estimate(estimate))
    assert caught.value.rule == rule
    assert words in caught.value.found


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
    with pytest.raises(ConformanceError) as caught:
        check_additional_data(policy)
    assert caught.value.rule == rule
    assert words in caught.value.found


def test_wrongly_declared_additional_data():
    class Text(sl.AdditionalData):
        publishes = "power"

    with pytest.raises(sl.InputError, match="must be a tuple of names"):
        check_additional_data(Text)


def test_no_test_runner_is_needed():
    """Neither pytest nor hypothesis are imported."""
    code = "import schedlab.testing, sys; print({'pytest', 'hypothesis'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
