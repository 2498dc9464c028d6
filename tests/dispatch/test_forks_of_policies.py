"""Forks copy policies, or say why they cannot; a policy goes with its simulation."""

from __future__ import annotations

import gc
import weakref

import pytest
from dispatch.misbehaviour import deciding, jobs
from dispatch.policies import FOUR, Fifo, policy

from schedlab import AdditionalData, Allocator, Estimator, Simulation, SimulationError


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
