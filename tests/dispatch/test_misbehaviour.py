"""Policies that do what they should not: a clear error, or their own, and never a crash."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
import textwrap
import weakref

import pytest
from conftest import examples
from dispatch.policies import Fifo, GreedyWalk, policy
from hypothesis import given
from hypothesis import strategies as st

import schedlab
from schedlab import (
    AdditionalData,
    Allocator,
    Easy,
    Estimator,
    InputError,
    Job,
    Order,
    RejectJob,
    SchedlabError,
    Scheduler,
    Simulation,
    SimulationError,
    StartJob,
    WakeAt,
    Window,
)

FOUR = {"groups": {"all": {"nodes": 2, "resources": {"core": 2}}}}
"""Two nodes of two cores."""


def jobs(count=4, processors=2):
    return [Job(i, 0, 10, processors) for i in range(1, count + 1)]


def refused(scheduler, message, workload=None, error=SimulationError, **choices):
    """Runs into the error; afterwards the simulation cannot go on, but can be asked."""
    workload = jobs() if workload is None else workload
    simulation = Simulation(workload, system=FOUR, scheduler=scheduler, **choices)
    with pytest.raises(error, match=message) as caught:
        simulation.run()
    for go_on in (simulation.run, simulation.step, lambda: simulation.run(until=5)):
        with pytest.raises(SimulationError, match="cannot go on after an error"):
            go_on()
    assert sum(simulation.counts.values()) >= 0
    assert simulation.jobs_in("queued") is not None
    assert simulation.metrics["makespan"] >= 0
    return caught.value


def deciding(*decisions):
    """Returns a scheduler that makes decisions of functions of the state."""

    def schedule(self, state):
        return [decide(state) if callable(decide) else decide for decide in decisions]

    return policy(schedule)


# ------------------------------------------------------------------------------ their own errors


class OwnError(Exception):
    pass


def test_the_users_exception_comes_out_unchanged():
    surprise = OwnError("what", 7)

    def raising(self, state):
        raise surprise

    def yielding(self, state):
        yield state.queue[0]
        raise surprise

    for scheduler in (policy(raising), policy(yielding), Easy(order=lambda job: raising(1, 2))):
        assert refused(scheduler, "what", error=OwnError) is surprise
        assert surprise.__traceback__ is not None

    class Data(AdditionalData):
        update = raising

    class Hooks(AdditionalData):
        def update(self, state):
            return {}

        def started(self, job):
            raise surprise

    class Ends(Hooks):
        def started(self, job):
            pass

        def ended(self, job):
            raise surprise

    class Place(Allocator):
        def place(self, job, machine):
            raise surprise

    for choices in ({"data": [Data()]}, {"data": [Hooks()]}, {"data": [Ends()]}):
        assert refused("fifo", "what", error=OwnError, **choices) is surprise
    assert refused("easy", "what", error=OwnError, allocator=Place()) is surprise


def test_an_estimators_own_exception():
    class Estimate(Estimator):
        def estimate(self, job):
            raise OwnError("no idea")

    class Ends(Estimator):
        def estimate(self, job):
            return 5

        def ended(self, job):
            raise OwnError("no idea")

    for estimator in (Estimate(), Ends()):
        refused("fifo", "no idea", error=OwnError, estimate=estimator)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration])
def test_exceptions_that_mean_something_to_python(error):
    def raising(self, state):
        raise error("now")

    refused(policy(raising), "now", error=error)


def test_an_error_in_the_middle_of_a_run_leaves_no_files(tmp_path):
    def raising(self, state):
        if state.now > 5:
            raise OwnError("later")
        yield from state.queue.fitting()

    with pytest.raises(OwnError):
        schedlab.simulate(jobs(), system=FOUR, scheduler=policy(raising), out=tmp_path / "run")
    assert not (tmp_path / "run" / "run.json").exists()


def test_recursion():
    def without_end(self, state):
        return self.schedule(state)

    def without_end_either(self, state):
        yield from self.schedule(state)

    refused(policy(without_end), "recursion", error=RecursionError)
    refused(policy(without_end_either), "recursion", error=RecursionError)


def test_a_policy_without_its_method():
    refused(Scheduler(), r"Scheduler must define schedule\(state\)", error=NotImplementedError)


# ------------------------------------------------------------------------------ rubbish


@pytest.mark.parametrize("given", [7, 1.5, True, object(), math.nan, Scheduler, len])
def test_schedule_must_return_decisions(given):
    message = r"Mine\.schedule\(\) at 0\.0+ s: must return or yield decisions, not "
    refused(policy(lambda self, state: given), message)


@pytest.mark.parametrize(
    "given",
    [
        None,
        7,
        "job 1",
        b"x",
        [],
        {},
        object(),
        Job(1, 0, 10),
        StartJob,
        StartJob(None),
        StartJob(7),
        StartJob("job"),
        RejectJob(None),
        RejectJob(7),
        Fifo(),
    ],
)
def test_what_is_no_decision(given):
    message = (
        r"Mine\.schedule\(\) at 0\.0+ s: a decision is a waiting job, StartJob\(job, nodes\), "
        r"RejectJob\(job\) or WakeAt\(time\), not "
    )
    refused(policy(lambda self, state: [given]), message)


def test_text_is_no_list_of_decisions():
    refused(policy(lambda self, state: "easy"), "a decision is .* not 'e'")


def test_the_repr_of_rubbish_is_cut_and_its_errors_pass():
    class Long:
        def __repr__(self):
            return "x" * 10_000

    class Silent:
        def __repr__(self):
            raise OwnError("no repr")

    class Strange:
        def __repr__(self):
            return "\udc80 ä 漢字 \0"

    error = refused(deciding(Long()), "not xxx")
    assert len(str(error)) < 500
    refused(deciding(Silent()), "no repr", error=OwnError)
    refused(deciding(Strange()), "a decision is", error=Exception)


def test_a_repr_of_many_bytes_is_cut_between_characters():
    class Long:
        def __repr__(self):
            return "漢" * 200

    refused(deciding(Long()), "a decision is")


@pytest.mark.parametrize(
    ("decide", "message"),
    [
        ([lambda s: s.queue[0]] * 2, r"cannot start job 1 at 0\.0+ s: it is running, not queued"),
        (
            [lambda s: RejectJob(s.queue[0])] * 2,
            r"cannot reject job 1 at 0\.0+ s: it is rejected, not queued",
        ),
        (
            [lambda s: s.queue[0], lambda s: RejectJob(s.queue[0])],
            r"cannot reject job 1 at 0\.0+ s: it is running, not queued",
        ),
        (
            [lambda s: RejectJob(s.queue[0]), lambda s: s.queue[0]],
            r"cannot start job 1 at 0\.0+ s: it is rejected, not queued",
        ),
        (
            [lambda s, i=i: s.queue[i] for i in range(3)],
            r"cannot start job 3, which asks for 2 tasks of core 1; free are core 0; "
            r"ask machine\.fits\(job\) first",
        ),
        ([lambda s: StartJob(s.queue[0], [0, 2])], "job 1 .*no node 2; .* nodes 0 to 1"),
        ([lambda s: StartJob(s.queue[0], [-1, 0])], "no node -1"),
        ([lambda s: StartJob(s.queue[0], [0])], "asks for 2 tasks.*1 tasks? .*placed"),
        ([lambda s: StartJob(s.queue[0], [0, 0, 1])], "asks for 2 tasks.*3 tasks were placed"),
        ([lambda s: StartJob(s.queue[0], {0: 3})], "3 tasks on node 0, which has room for 2"),
        ([lambda s: StartJob(s.queue[0], {0: 2**62, 1: 2**62})], "tasks on node 0, which has room"),
        ([lambda s: StartJob(s.queue[0], {0: -2})], "node 0 would get -2 tasks"),
        ([lambda s: StartJob(s.queue[0], {2**70: 2})], "no node 1180591620717411303424"),
        ([lambda s: StartJob(s.queue[0], 5)], "give a list of nodes"),
        ([lambda s: StartJob(s.queue[0], math.nan)], "give a list of nodes"),
        ([lambda s: WakeAt(0)], "asks to be called at 0.0+ s, which is not in the future"),
        ([lambda s: WakeAt(-5)], "not in the future"),
        ([lambda s: WakeAt(1e-10)], "not in the future"),
        (
            [lambda s: StartJob(s.queue[0], [0, 0]), lambda s: StartJob(s.queue[1], [0, 1])],
            "core 0",
        ),
    ],
)
def test_decisions_that_cannot_be(decide, message):
    refused(deciding(*decide), message)


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf, 10**30, "soon", None, [1], 1j])
def test_times_that_are_none(time):
    error = refused(deciding(WakeAt(time)), "wake at must be a number of seconds", error=Exception)
    assert isinstance(error, SchedlabError)


def test_starting_a_job_against_what_was_reserved():
    def plan(self, state):
        first, head, last = state.queue
        yield first
        state.plan().reserve(head)
        yield last

    def reserve(self, state):
        first, head, last = state.queue
        yield first
        state.reserve(head)
        yield last

    def on_nodes(self, state):
        first, head, last = state.queue
        yield first
        state.reserve(head)
        yield StartJob(last, [1, 1])

    workload = [Job(1, 0, 10, 2), Job(2, 0, 10, 4), Job(3, 0, 100, 2)]
    message = "cannot start job 3.*would delay what was reserved.*ask allows"
    for walk in (plan, reserve, on_nodes):
        refused(policy(walk), message, workload)


def test_starting_a_job_into_a_window():
    windows = [Window(5, 9, "1")]
    refused(deciding(lambda s: StartJob(s.queue[0], [0, 1])), "window", windows=windows)
    everything = [Window(5, 9)]
    refused(deciding(lambda s: s.queue[0]), "cannot start job 1.*window", windows=everything)


# ------------------------------------------------------------------------------ other policies


@pytest.mark.parametrize("value", [None, "x", "5", [], {}, object(), 1j])
def test_an_order_must_give_a_number(value):
    for fixed in (False, True):
        message = r"order.*(job 1|number).*"
        error = refused(Easy(order=Order(lambda job: value, fixed)), message, error=Exception)
        assert isinstance(error, SimulationError)


@pytest.mark.parametrize("value", [math.nan, None, pytest.param(10**400, id="huge")])
def test_the_error_of_an_order_names_job_and_time(value):
    workload = [Job(1, 0, 50, 4), Job(2, 7, 10)]
    order = Order(lambda job: 0 if job.id == 1 else value)
    refused(Easy(order=order), r"order.*job 2 at 7\.0+ s", workload)


@pytest.mark.parametrize("value", [math.inf, -math.inf, -0.0, 1e308, True, 2**63])
def test_extreme_keys_are_keys(value):
    simulation = Simulation(jobs(), system=FOUR, scheduler=Easy(order=lambda job: value))
    simulation.run()
    assert simulation.counts["completed"] == 4


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "must give a number, not None"),
        ("x", "must give a number, not 'x'"),
        ("5", "must give a number, not '5'"),
        ([5], r"must give a number, not \[5\]"),
        (math.nan, "the estimate of job 1 is nan s; it must be from 0 to 126 years"),
        (math.inf, "the estimate of job 1 is inf"),
        (-1, "the estimate of job 1 is -1"),
        (-1e-12, "the estimate of job 1"),
        (1e300, "the estimate of job 1"),
        pytest.param(10**400, "too large", id="huge"),
    ],
)
def test_estimates_that_are_none(value, message):
    class Wrong(Estimator):
        def estimate(self, job):
            return value

    refused("easy", r"Wrong\.estimate\(\) at 0\.0+ s: .*" + message, estimate=Wrong())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "must return a dict, not None"),
        (7, "must return a dict, not 7"),
        ([("load", 1)], "must return a dict"),
        ({"other": 1}, '"other" is not one of the names that it said it publishes'),
        ({1: 1}, '"1" is not one of the names'),
        ({None: 1}, '"None" is not one of the names'),
        ({"load": None}, "load must give a number, not None"),
        ({"load": "x"}, "load must give a number, not 'x'"),
        ({"load": "5"}, "load must give a number, not '5'"),
        ({"load": {1: 1}}, "load must give a number"),
        ({"load": 10**400}, "load .* is too large"),
        ({"usage": 1}, "usage must be a dict, not 1"),
        ({"usage": [1]}, "usage must be a dict"),
        ({"usage": {"x": 1}}, "usage: keys must be whole numbers"),
        ({"usage": {1.5: 1}}, "usage: keys must be whole numbers"),
        ({"usage": {2**64: 1}}, "usage: keys must be whole numbers"),
        ({"usage": {1: None}}, "usage must give a number"),
        ({"usage": {1: "x"}}, "usage must give a number"),
    ],
)
def test_data_that_is_none(value, message):
    class Wrong(AdditionalData):
        publishes = ("load",)
        publishes_tables = ("usage",)

        def update(self, state):
            return value

    refused("fifo", r"Wrong\.update\(\) at 0\.0+ s: .*" + message, data=[Wrong()])


def test_a_number_that_is_none_stops_the_expression_that_reads_it():
    class Wrong(AdditionalData):
        publishes = ("load",)

        def update(self, state):
            return {"load": math.nan}

    refused("score:data.load * id", r'"data.load \* id".*job 1 at 0\.0+ s', data=[Wrong()])


class Fine(AdditionalData):
    publishes = ("load",)

    def update(self, state):
        return {"load": 1}


def changed(**attributes):
    return type("Changed", (Fine,), attributes)()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (Fine(), "data"),
        ([object()], "data.*object"),
        ([Fine], "data"),
        ([None], "data"),
        ("fifo", "data"),
        ([changed(publishes="load")], "publishes"),
        ([changed(publishes=(1,))], "publishes"),
        ([changed(publishes=None)], "publishes"),
        ([changed(publishes=("a b",))], "publishes|name"),
        ([changed(publishes_tables="load")], "publishes"),
        ([Fine(), Fine()], "load"),
        ([changed(publishes_tables=("load",))], "load"),
        ([changed(every=0)], "every"),
        ([changed(every=-1)], "every"),
        ([changed(every=math.nan)], "every"),
        ([changed(every="x")], "every"),
        ([changed(when="afterwards")], "when.*before.*after"),
        ([changed(when=None)], "when"),
    ],
)
def test_data_that_is_declared_wrongly(data, message):
    """Bad input fails when it is read, with an error of the package that says what is wrong."""
    with pytest.raises(InputError, match=message):
        Simulation(jobs(), system=FOUR, data=data)


# ------------------------------------------------------------------------------ after the call


def test_what_was_kept_is_refused_in_the_next_call():
    kept = {}

    def keep(self, state):
        if state.now == 0:
            kept["job"] = state.queue[0]
            kept["walk"] = iter(state.queue)
            kept["begun"] = iter(state.queue)
            next(kept["begun"])
            kept["fitting"] = state.queue.fitting()
            kept["reservation"] = state.reserve(state.queue[2])
            kept["plan"] = state.plan()
            kept["running"] = state.running
            yield from state.queue.fitting()
            return
        uses = {
            "job": lambda job: job.processors,
            "walk": next,
            "begun": next,
            "fitting": next,
            "reservation": lambda reservation: reservation.allows(state.queue[0]),
            "plan": lambda plan: plan.allows(state.queue[0]),
        }
        for name, use in uses.items():
            with pytest.raises(SimulationError, match="call"):
                use(kept[name])
        for use in (
            lambda: kept["plan"].earliest(state.queue[0]),
            lambda: kept["plan"].reserve(state.queue[0]),
            lambda: state.machine.fits(kept["job"]),
            lambda: state.machine.room(0, kept["job"]),
            lambda: state.machine.nodes_with_room(kept["job"]),
            lambda: state.reserve(kept["job"]),
            lambda: state.plan().earliest(kept["job"]),
            lambda: state.plan().reserve(kept["job"]),
            lambda: state.plan().allows(kept["job"]),
            lambda: state.reserve(state.queue[0]).allows(kept["job"]),
            lambda: state.queue.fitting(behind=kept["job"]),
            lambda: kept["job"]["power"],
        ):
            with pytest.raises(SimulationError, match="call"):
                use()
        assert (kept["job"].id, repr(kept["job"])) == (1, "<job 1>")
        assert kept["job"] == kept["job"]
        assert hash(kept["job"]) == hash(kept["job"])
        assert len(kept["running"]) == len(state.running)  # a view of the state is of any call
        yield from state.queue.fitting()

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(keep))
    simulation.run()
    assert simulation.counts["completed"] == 4


@pytest.mark.parametrize("wrap", [lambda job: job, StartJob, RejectJob])
def test_a_job_of_the_last_call_is_no_decision(wrap):
    def keep(self, state):
        if state.now == 0:
            self.kept = state.queue[3]
            yield from list(state.queue.fitting())[:2]
        else:
            yield wrap(self.kept)

    refused(policy(keep), "view of job 4 was used after the call")


def test_everything_after_the_end():
    kept = {}

    def keep(self, state):
        kept.update(state=state, queue=state.queue, machine=state.machine, running=state.running)
        kept.update(job=state.queue[0], walk=iter(state.queue), plan=state.plan())
        kept.update(reservation=state.reserve(state.queue[0]))
        yield from state.queue.fitting()

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(keep))
    simulation.run()
    uses = [
        lambda: kept["state"].now,
        lambda: kept["state"].data("x"),
        lambda: kept["state"].plan(),
        lambda: kept["state"].reserve(kept["job"]),
        lambda: len(kept["queue"]),
        lambda: kept["queue"][0],
        lambda: list(kept["queue"]),
        lambda: list(kept["queue"].fitting()),
        lambda: list(kept["queue"].fitting(behind=kept["job"])),
        lambda: len(kept["running"]),
        lambda: list(kept["running"]),
        lambda: kept["machine"].nodes,
        lambda: kept["machine"].processors,
        lambda: kept["machine"].free_processors,
        lambda: kept["machine"].capacity,
        lambda: kept["machine"].free,
        lambda: kept["machine"].node_free(0),
        lambda: kept["machine"].node_capacity(0),
        lambda: kept["machine"].fits(kept["job"]),
        lambda: kept["machine"].room(0, kept["job"]),
        lambda: kept["machine"].nodes_with_room(kept["job"]),
        lambda: kept["plan"].earliest(kept["job"]),
        lambda: kept["plan"].reserve(kept["job"]),
        lambda: kept["plan"].allows(kept["job"]),
        lambda: kept["reservation"].allows(kept["job"]),
        lambda: next(kept["walk"]),
        *[
            (lambda name=name: getattr(kept["job"], name))
            for name in dir(schedlab._engine.JobView)
            if not name.startswith("_") and name != "id"
        ],
    ]

    def all_are_refused():
        for number, use in enumerate(uses):
            try:
                use()
            except SimulationError as error:
                assert "call" in str(error)  # noqa: PT017
            else:
                pytest.fail(f"use {number} was not refused")

    all_are_refused()
    del simulation
    gc.collect()
    all_are_refused()  # the simulation is gone as well


def test_a_failed_reserve_outside_the_call_leaves_nothing_behind():
    kept = []

    def keep(self, state):
        if not kept:
            kept.extend([state, state.queue[3]])
        yield from state.queue.fitting()

    simulation = Simulation(jobs(8), system=FOUR, scheduler=policy(keep))
    simulation.step()
    state, job = kept
    for use in (lambda: state.reserve(job), state.plan):
        with pytest.raises(SimulationError, match="call"):
            use()
    simulation.run()
    assert (simulation.now, simulation.counts["completed"]) == (40, 8)


def test_replaced_reservations_and_plans():
    def walk(self, state):
        first, _second, third, fourth = state.queue
        old = state.reserve(third)
        new = state.reserve(fourth)
        with pytest.raises(SimulationError, match="reservation"):
            old.allows(first)
        assert new.allows(first) in (True, False)
        plan = state.plan()
        with pytest.raises(SimulationError, match="reservation"):
            new.allows(first)
        state.reserve(third)
        with pytest.raises(SimulationError, match="plan"):
            plan.allows(first)
        state.plan()
        with pytest.raises(SimulationError, match="plan"):
            plan.earliest(first)
        yield first

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(walk))
    simulation.step()
    assert simulation.jobs_in("running") == [1]


def test_views_of_jobs_that_left_the_queue_in_this_call():
    """They may be asked, and tell what is true of them."""

    def walk(self, state):
        first, second, *_ = state.queue
        yield first
        yield RejectJob(second)
        assert (first.state, second.state) == ("running", "rejected")
        assert (first.nodes, second.nodes) == ({0: 2}, {})
        for job in (first, second):
            assert job not in list(state.queue)
            assert [other.id for other in state.queue.fitting(behind=job)] == [3, 4]
            plans = (lambda: state.plan().reserve, lambda: state.plan().earliest)
            for ask in (lambda: state.reserve, *plans):
                try:
                    ask()(job)
                except SimulationError as error:
                    assert f"job {job.id}" in str(error)  # noqa: PT017

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(walk))
    simulation.step()
    assert simulation.counts["rejected"] == 1


@pytest.mark.parametrize("gone", ["running", "rejected"])
def test_no_reservation_for_a_job_that_does_not_wait(gone):
    def walk(self, state):
        first, second, *_ = state.queue
        yield first if gone == "running" else RejectJob(first)
        state.reserve(first)
        yield second

    refused(policy(walk), f"job 1 .*{gone}")


def test_walking_the_whole_queue_while_starting_jobs():
    """Queues of several blocks, which split, merge and vanish below the walk."""
    workload = [Job(i, 0, 1 + i % 5, 1 + i % 3) for i in range(3_000)]

    def walk(self, state):
        seen = []
        for job in state.queue:
            seen.append(job.id)
            if job.id % 3 == 0:
                yield RejectJob(job)
            elif state.machine.fits(job):
                yield job
        assert seen == sorted(set(seen))
        assert len(state.queue) + len(state.running) <= 3_000

    simulation = Simulation(workload, system=FOUR, scheduler=policy(walk))
    simulation.run()
    assert simulation.counts["rejected"] == 1_000
    assert simulation.counts["completed"] == 2_000


def test_several_walks_at_a_time():
    def walk(self, state):
        walks = [iter(state.queue), state.queue.fitting(), state.queue.fitting(2)]
        while True:
            found = [next(one, None) for one in walks]
            if not any(found):
                return
            for job in found:
                if job is not None and job.state == "queued" and state.machine.fits(job):
                    yield job

    simulation = Simulation(jobs(300, 1), system=FOUR, scheduler=policy(walk))
    simulation.run()
    assert simulation.counts["completed"] == 300


# ------------------------------------------------------------------------------ calls from within


class Inside(Scheduler):
    """Does something to its own simulation, then what FIFO does."""

    def __init__(self, act):
        self.act = act
        self.simulation = None
        self.told = []

    def _copy(self):
        other = Inside(self.act)
        other.simulation = self.simulation
        return other

    def schedule(self, state):
        if self.simulation is not None:
            try:
                self.act(self.simulation)
            except SchedlabError as error:
                self.told.append(str(error))
        return Fifo.schedule(self, state)


def inside(act):
    """Returns the policy and its simulation, not yet run."""
    scheduler = Inside(act)
    simulation = Simulation(jobs(), system=FOUR, scheduler=scheduler)
    scheduler.simulation = simulation
    return scheduler, simulation


@pytest.mark.parametrize(
    "act", [lambda s: s.step(), lambda s: s.run(), lambda s: s.run(until=3)], ids=range(3)
)
def test_a_simulation_is_not_run_from_within(act):
    scheduler, simulation = inside(act)
    simulation.run()  # the policy caught the errors, and goes on
    assert simulation.counts["completed"] == 4
    assert scheduler.told
    assert all("within" in text or "policy" in text for text in scheduler.told), scheduler.told


def test_a_fork_from_within_does_not_go_on():
    """It would begin in the middle of a time point."""
    forks = []
    _scheduler, simulation = inside(lambda s: forks.append(s.fork()))
    simulation.run()
    assert simulation.counts["completed"] == 4
    for fork in forks:
        with pytest.raises(SimulationError):
            fork.run()


def test_questions_and_speeds_from_within():
    def act(simulation):
        assert sum(simulation.counts.values()) > 0
        simulation.metrics  # noqa: B018
        simulation.jobs_in("held")
        for job in simulation.jobs_in("running"):
            simulation.set_speed(job, 0.5)

    scheduler, simulation = inside(act)
    simulation.run()
    assert simulation.counts["completed"] == 4
    assert scheduler.told == []


def test_speeds_from_hooks():
    class Slow(AdditionalData):
        simulation = None

        def update(self, state):
            return {}

        def started(self, job):
            self.simulation.set_speed(job.id, 0.5)

        def ended(self, job):
            with pytest.raises(SimulationError, match="not running"):
                self.simulation.set_speed(job.id, 2)

    slow = Slow()
    simulation = Simulation(jobs(), system=FOUR, data=[slow])
    slow.simulation = simulation
    simulation.run()
    assert (simulation.now, simulation.counts["completed"]) == (40, 4)


def test_the_speed_of_a_job_that_is_just_ending():
    """Its end is past; a speed of 0 must not move it behind all time."""

    class Stopping(AdditionalData):
        simulation = None

        def update(self, state):
            return {}

        def ended(self, job):
            try:
                self.simulation.set_speed(job.id, 0)
            except SimulationError as error:
                assert "not running" in str(error)  # noqa: PT017

    stopping = Stopping()
    simulation = Simulation(jobs(), system=FOUR, data=[stopping])
    stopping.simulation = simulation
    simulation.run()
    assert simulation.metrics["makespan"] == 20
    assert simulation.metrics["turnaround"]["max"] == 20


CRASHES = {
    "another simulation's job": """
        class Inner(Scheduler):
            def schedule(self, state):
                yield WRAP(self.foreign)

        class Outer(Scheduler):
            def schedule(self, state):
                inner = Inner()
                inner.foreign = list(state.queue)[-1]
                simulation = Simulation(jobs[:2], system=SMALL, scheduler=inner)
                try:
                    simulation.run()
                except SimulationError as error:
                    print("told:", error)
                yield state.queue[0]

        Simulation(jobs, system=LARGE, scheduler=Outer()).run()
    """,
    "another simulation's job in questions": """
        class Inner(Scheduler):
            def schedule(self, state):
                for ask in (
                    state.machine.fits,
                    state.machine.nodes_with_room,
                    lambda job: state.machine.room(0, job),
                    state.reserve,
                    state.reserve(state.queue[0]).allows,
                    lambda job: state.plan().allows(job),
                    lambda job: state.plan().earliest(job),
                    lambda job: state.plan().reserve(job),
                    lambda job: list(state.queue.fitting(behind=job)),
                ):
                    try:
                        ask(self.foreign)
                    except SimulationError as error:
                        print("told:", error)
                state.plan()  # without any reservation
                yield from state.queue.fitting()

        class Outer(Scheduler):
            def schedule(self, state):
                inner = Inner()
                inner.foreign = list(state.queue)[-1]
                Simulation(jobs[:2], system=SMALL, scheduler=inner).run()
                yield state.queue[0]

        Simulation(jobs, system=LARGE, scheduler=Outer()).run()
    """,
    "another dispatcher from within": """
        from schedlab.dispatch.schedulers import for_engine

        class Inner(Scheduler):
            def schedule(self, state):
                new = {**for_engine(schedlab.Easy()), "allocator": "first-fit", "seed": 0}
                try:
                    self.simulation[0].engine.set_dispatcher(new)
                except SimulationError as error:
                    print("told:", error)
                gc.collect()
                for job in state.queue:
                    if state.machine.fits(job):
                        yield job

        inner = Inner()
        inner.simulation = []
        simulation = Simulation(jobs, system=SMALL, scheduler=inner)
        inner.simulation.append(simulation)
        simulation.run()
    """,
    "a dict that changes while it is read": """
        class Clearing:
            def __init__(self, nodes):
                self.nodes = nodes

            def __index__(self):
                self.nodes.clear()
                gc.collect()
                return 2

            __float__ = __index__

        class Inner(Scheduler):
            def schedule(self, state):
                nodes = {}
                nodes[10**20] = Clearing(nodes)
                yield StartJob(state.queue[0], nodes)

        try:
            Simulation(jobs, system=LARGE, scheduler=Inner()).run()
        except SimulationError as error:
            print("told:", error)

        class Data(schedlab.AdditionalData):
            publishes_tables = ("usage",)

            def update(self, state):
                table = {}
                table.update({10**15 + i: Clearing(table) for i in range(9)})
                return {"usage": table}

        try:
            Simulation(jobs, system=LARGE, data=[Data()]).run()
        except (SimulationError, TypeError) as error:
            print("told:", error)
        print("told: nothing")
    """,
}


@pytest.mark.parametrize("wrap", ["", "StartJob", "RejectJob"])
@pytest.mark.parametrize("name", sorted(CRASHES))
def test_what_could_crash_the_interpreter(name, wrap):
    """In a process of its own, so that a crash fails one test only."""
    if wrap and "WRAP" not in CRASHES[name]:
        pytest.skip("has no decision to wrap")
    script = textwrap.dedent(
        """
        import gc
        import schedlab
        from schedlab import Job, RejectJob, Scheduler, Simulation, SimulationError, StartJob
        jobs = [Job(i, 0, 10, 2) for i in range(1, 60)]
        SMALL = {"groups": {"all": {"nodes": 1, "resources": {"core": 2, "mem": 3}}}}
        LARGE = {"groups": {"all": {"nodes": 200, "resources": {"core": 2}}}}
        """
    ) + textwrap.dedent(CRASHES[name]).replace("WRAP", wrap)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    assert "told:" in done.stdout


# ------------------------------------------------------------------------------ generators


def test_a_generator_is_closed_when_its_decision_is_refused():
    ends = []

    def careful(self, state):
        try:
            yield 7
        finally:
            ends.append(len(state.queue))  # still within the call

    refused(policy(careful), "a decision is")
    assert ends == [4]


def test_a_generator_that_yields_after_being_closed(recwarn):
    def stubborn(self, state):
        while True:
            try:
                yield 7
            except GeneratorExit:
                yield 8

    hook, told = sys.unraisablehook, []
    sys.unraisablehook = told.append
    try:
        refused(policy(stubborn), "a decision is .* not 7")
        gc.collect()
    finally:
        sys.unraisablehook = hook


def test_a_generator_that_catches_nothing_goes_on_after_no_error():
    """An error is not thrown into the generator: it cannot go on behind a refused decision."""
    went_on = []

    def careless(self, state):
        try:
            yield state.queue[0]
            yield state.queue[0]
            yield state.queue[0]
            went_on.append(True)
        except SchedlabError:
            went_on.append(True)

    refused(policy(careless), "free are core 0")
    assert went_on == []


def test_one_generator_for_all_calls():
    def endless(state):
        while True:
            yield from state.queue.fitting()
            yield WakeAt(state.now + 1)
            return

    class Reusing(Scheduler):
        generator = None

        def schedule(self, state):
            if self.generator is None:
                self.generator = endless(state)
            return self.generator

    with pytest.raises(SimulationError, match="queued"):
        Simulation(jobs(), system=FOUR, scheduler=Reusing()).run()


def test_an_iterator_of_the_queue_is_a_list_of_decisions():
    simulation = Simulation(
        jobs(), system=FOUR, scheduler=policy(lambda self, state: state.queue.fitting())
    )
    simulation.run()
    assert simulation.counts["completed"] == 4


def test_decisions_after_the_scheduler_was_told_to_wake():
    def often(self, state):
        for time in range(1, 2_000):
            yield WakeAt(time)
        if state.now > 3:
            yield from state.queue.fitting()

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(often))
    with pytest.raises(SimulationError, match="not in the future"):
        simulation.run()


# ------------------------------------------------------------------------------ forks


def test_policies_that_cannot_be_copied():
    class Locked(Fifo):
        def __init__(self):
            import threading

            self.lock = threading.Lock()

    simulation = Simulation(jobs(), system=FOUR, scheduler=Locked())
    simulation.step()
    message = (
        r"Locked cannot be copied for a fork \(.*lock.*\); give it get_state\(\) and set_state"
    )
    with pytest.raises(SimulationError, match=message):
        simulation.fork()
    simulation.run()  # it goes on: only the fork failed
    assert simulation.counts["completed"] == 4


def test_a_state_that_cannot_be_copied():
    class Locked(Fifo):
        def get_state(self):
            import threading

            return {"lock": threading.Lock()}

    simulation = Simulation(jobs(), system=FOUR, scheduler=Locked())
    with pytest.raises(SimulationError, match="Locked cannot be copied"):
        simulation.fork()
    simulation.run()


def test_views_that_were_kept_cannot_be_copied():
    class Keeping(Fifo):
        def schedule(self, state):
            self.kept = state.queue[0]
            return super().schedule(state)

    simulation = Simulation(jobs(), system=FOUR, scheduler=Keeping())
    simulation.step()
    with pytest.raises(SimulationError, match="Keeping cannot be copied"):
        simulation.fork()


@pytest.mark.parametrize("kind", ["allocator", "data", "estimate"])
def test_every_kind_of_policy_that_cannot_be_copied(kind):
    lock = __import__("threading").Lock()

    class Place(Allocator):
        own = None

        def __init__(self):
            self.lock = lock

        def place(self, job, machine):
            return [0] * job.processors

    class Data(AdditionalData):
        def __init__(self):
            self.lock = lock

        def update(self, state):
            return {}

    class Estimate(Estimator):
        def __init__(self):
            self.lock = lock

        def estimate(self, job):
            return 1

    choice = {"allocator": Place(), "data": [Data()], "estimate": Estimate()}[kind]
    simulation = Simulation(jobs(), system=FOUR, **{kind: choice})
    with pytest.raises(SimulationError, match="cannot be copied for a fork"):
        simulation.fork()


def test_a_fork_goes_its_own_way():
    class Counting(Fifo):
        def __init__(self):
            self.calls = []

        def schedule(self, state):
            self.calls.append(state.now)
            return super().schedule(state)

    counting = Counting()
    simulation = Simulation(jobs(8), system=FOUR, scheduler=counting)
    simulation.step()
    fork = simulation.fork()
    fork.run()
    assert counting.calls == [0]
    simulation.run()
    assert counting.calls == [0, 10, 20, 30]
    assert fork.metrics == simulation.metrics


def test_get_state_and_set_state():
    class Own(Fifo):
        def __init__(self, lock, count=0):
            self.lock = lock
            self.count = count

        def schedule(self, state):
            self.count += 1
            return super().schedule(state)

        def get_state(self):
            return self.count

        def set_state(self, state):
            self.count = state + 100

    own = Own(__import__("threading").Lock())
    simulation = Simulation(jobs(), system=FOUR, scheduler=own)
    simulation.step()
    fork = simulation.fork()
    fork.run()
    assert own.count == 1
    assert fork.counts["completed"] == 4


def test_a_fork_after_an_error_cannot_go_on():
    simulation = Simulation(jobs(), system=FOUR, scheduler=deciding(7))
    with pytest.raises(SimulationError):
        simulation.run()
    with pytest.raises(SimulationError):
        simulation.fork().run()


@pytest.mark.parametrize("cycle", [False, True], ids=["plain", "knows its simulation"])
def test_a_policy_goes_with_its_simulation(cycle):
    def run():
        scheduler = policy(lambda self, state: state.queue.fitting())
        simulation = Simulation(jobs(), system=FOUR, scheduler=scheduler)
        if cycle:
            scheduler.simulation = simulation
        simulation.run()
        return weakref.ref(scheduler)

    kept = run()
    gc.collect()
    assert kept() is None


# ------------------------------------------------------------------------------ fuzz

ACTIONS = st.tuples(
    st.sampled_from(
        [
            "start",
            "start",
            "start-on",
            "reject",
            "wake",
            "reserve",
            "allows",
            "plan",
            "plan-reserve",
            "plan-allows",
            "earliest",
            "walk",
            "fitting",
            "behind",
            "next",
            "item",
            "fits",
            "room",
            "with-room",
            "attribute",
            "keep",
            "use-kept",
            "running",
            "node-free",
            "data",
        ]
    ),
    st.integers(-2, 9),
    st.integers(-2, 5),
)


class Fuzzed(Scheduler):
    """Does what a list says, each time it is called; errors of the package are caught."""

    def __init__(self, actions, lenient):
        self.actions = actions
        self.lenient = lenient
        self.kept = []
        self.walks = []

    def schedule(self, state):
        held = {"plan": None, "reservation": None}
        for name, first, second in self.actions:
            try:
                decision = self.act(state, held, name, first, second)
            except (SimulationError, IndexError, KeyError, StopIteration, TypeError):
                continue
            if decision is not None:
                yield decision
        if self.lenient:
            yield from state.queue.fitting()

    def act(self, state, held, name, first, second):
        if name == "next":
            next(self.walks[first])
            return None
        if name == "walk":
            self.walks.append(iter(state.queue))
            return None
        if name == "running":
            self.kept.extend(state.running)
            return None
        if name == "node-free":
            state.machine.node_free(first)
            return None
        if name == "data":
            state.data("load")
            return None
        if name == "plan":
            held["plan"] = state.plan()
            return None
        job = self.kept[first] if name == "use-kept" else state.queue[first]
        if name == "keep":
            self.kept.append(job)
        elif name in ("start", "use-kept"):
            within = state.machine.fits(job)
            if held["reservation"] is not None:
                within = within and held["reservation"].allows(job)
            if held["plan"] is not None:
                within = within and held["plan"].allows(job)
            return job if within or not self.lenient else None
        elif name == "start-on":
            return StartJob(job, [second] * job.processors) if not self.lenient else None
        elif name == "reject":
            return RejectJob(job)
        elif name == "wake":
            return WakeAt(state.now + abs(second) + 0.5)
        elif name == "reserve":
            held["reservation"], held["plan"] = state.reserve(job), None
        elif name == "allows":
            held["reservation"].allows(job) if held["reservation"] else None
        elif name == "plan-reserve":
            held["plan"].reserve(job) if held["plan"] else None
        elif name == "plan-allows":
            held["plan"].allows(job) if held["plan"] else None
        elif name == "earliest":
            held["plan"].earliest(job) if held["plan"] else None
        elif name == "fitting":
            list(state.queue.fitting(second))
        elif name == "behind":
            list(state.queue.fitting(behind=job))
        elif name == "fits":
            state.machine.fits(job)
        elif name == "room":
            state.machine.room(second, job)
        elif name == "with-room":
            state.machine.nodes_with_room(job)
        elif name == "attribute":
            job["power"]
        return None


@examples(300)
@given(
    actions=st.lists(ACTIONS, max_size=25),
    lenient=st.booleans(),
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=12),
    window=st.none() | st.integers(0, 20),
    mixed=st.booleans(),
    allocator=st.sampled_from(["first-fit", "best-fit", "random"]),
)
def test_random_actions_never_crash(actions, lenient, sizes, window, mixed, allocator):
    workload = [
        Job(
            i,
            i // 3,
            1 + i % 4,
            size,
            1 + i % 5,
            tasks_per_node=1 + i % 2 if mixed and size < 3 else None,
            attributes={"power": i},
        )
        for i, size in enumerate(sizes)
    ]
    windows = [] if window is None else [Window(window, window + 5, "0")]
    simulation = Simulation(
        workload,
        system=FOUR,
        scheduler=Fuzzed(actions, lenient),
        windows=windows,
        allocator=allocator,
    )
    try:
        simulation.run(until=60)
    except SchedlabError as error:
        assert str(error)  # noqa: PT017
        with pytest.raises(SimulationError):
            simulation.run()
    counts = simulation.counts
    assert counts["submitted"] <= len(sizes)
    fork = None
    try:
        fork = simulation.fork()
    except SimulationError as error:
        assert "cannot be copied" in str(error) or "after an error" in str(error)  # noqa: PT017
    del simulation, fork


@examples(100)
@given(
    lies=st.lists(
        st.sampled_from([None, 0, -1, 3.5, "x", [], {}, [0], {0: 1}, math.nan, 2**40]), max_size=6
    ),
    scheduler=st.sampled_from(["fifo", "easy", "conservative", GreedyWalk()]),
)
def test_random_answers_of_an_allocator_never_crash(lies, scheduler):
    answers = iter(lies)

    class Lying(Allocator):
        def place(self, job, machine):
            return next(answers, machine.nodes_with_room(job)[:1] * job.processors)

        def _copy(self):
            return self

    simulation = Simulation(jobs(6, 1), system=FOUR, scheduler=scheduler, allocator=Lying())
    try:
        simulation.run()
    except SchedlabError as error:
        assert "job" in str(error)  # noqa: PT017
