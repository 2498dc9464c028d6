"""Errors of a policy's own come out unchanged, also from generators, which are closed."""

from __future__ import annotations

import gc
import sys

import pytest
from dispatch.misbehaviour import OwnError, jobs, refused
from dispatch.policies import FOUR, policy

import schedlab
from schedlab import (
    AdditionalData,
    Allocator,
    Easy,
    Estimator,
    SchedlabError,
    Scheduler,
    Simulation,
    SimulationError,
    WakeAt,
)

# ------------------------------------------------------------------------------ their own errors


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


def test_an_error_in_the_middle_of_a_run_leaves_what_ended_marked_as_failed(tmp_path):
    def raising(self, state):
        if state.now > 5:
            raise OwnError("later")
        yield from state.queue.fitting()

    with pytest.raises(OwnError):
        schedlab.simulate(jobs(), system=FOUR, scheduler=policy(raising), out=tmp_path / "run")
    result = schedlab.Result.load(tmp_path / "run")
    assert result.run["status"] == "failed"
    assert "OwnError: later" in result.run["error"]
    assert result.jobs.collect().height == result.counts["completed"] > 0
    assert not list((tmp_path / "run").glob("*.part"))


def test_recursion():
    def without_end(self, state):
        return self.schedule(state)

    def without_end_either(self, state):
        yield from self.schedule(state)

    refused(policy(without_end), "recursion", error=RecursionError)
    refused(policy(without_end_either), "recursion", error=RecursionError)


def test_a_policy_without_its_method():
    refused(Scheduler(), r"Scheduler must define schedule\(state\)", error=NotImplementedError)


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


def test_a_generator_that_yields_after_being_closed():
    def stubborn(self, state):
        while True:
            try:
                yield 7
            except GeneratorExit:
                yield 8

    hook, ignored = sys.unraisablehook, []
    sys.unraisablehook = ignored.append
    try:
        refused(policy(stubborn), "a decision is .* not 7")
        gc.collect()
    finally:
        sys.unraisablehook = hook
    assert "generator ignored GeneratorExit" in str(ignored[0].exc_value)


def test_a_generator_that_catches_nothing_goes_on_after_no_error():
    """An error is not thrown into the generator: it cannot continue after a refused decision."""
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


def test_decisions_after_the_scheduler_asked_to_be_woken():
    def often(self, state):
        for time in range(1, 2_000):
            yield WakeAt(time)
        if state.now > 3:
            yield from state.queue.fitting()

    simulation = Simulation(jobs(), system=FOUR, scheduler=policy(often))
    with pytest.raises(SimulationError, match="not in the future"):
        simulation.run()
