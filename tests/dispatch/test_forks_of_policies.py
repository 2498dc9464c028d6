"""Forks copy policies, or say why they cannot; a policy goes with its simulation."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from dispatch.misbehaviour import deciding, jobs
from dispatch.policies import FOUR, Fifo, policy

from schedlab import AdditionalData, Allocator, Estimator, Job, Simulation, SimulationError


def test_policies_that_cannot_be_copied():
    class Locked(Fifo):
        def __init__(self):
            self.lock = threading.Lock()

    simulation = Simulation(jobs(), system=FOUR, scheduler=Locked())
    simulation.step()
    message = (
        r"Locked cannot be copied for a fork \(.*lock.*\); give it get_state\(\) and set_state"
    )
    with pytest.raises(SimulationError, match=message):
        simulation.fork()
    simulation.run()  # it continues: only the fork failed
    assert simulation.counts["completed"] == 4


def test_a_state_that_cannot_be_copied():
    class Locked(Fifo):
        def get_state(self):
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
    lock = threading.Lock()

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
    assert fork.scheduler.calls == [0, 10, 20, 30]
    simulation.run()
    assert counting.calls == [0, 10, 20, 30]
    assert fork.metrics == simulation.metrics


class Remembering:
    """A policy that cannot be copied as it is, and whose `set_state` leaves a mark."""

    def __init__(self):
        self.lock = threading.Lock()
        self.calls = []
        self.taken_over = []

    def get_state(self):
        return self.calls

    def set_state(self, state):
        self.calls = state
        self.taken_over = [*state]


class RememberingScheduler(Remembering, Fifo):
    def schedule(self, state):
        self.calls.append(state.now)
        return super().schedule(state)


class RememberingAllocator(Remembering, Allocator):
    def place(self, job, machine):
        self.calls.append(job.id)
        free = [node for node in machine.nodes_with_room(job) if machine.room(node, job) == 2]
        return {free[0]: 2} if free else None


class RememberingEstimator(Remembering, Estimator):
    def estimate(self, job):
        self.calls.append(job.id)
        return 10


class RememberingData(Remembering, AdditionalData):
    publishes = ("calls",)

    def update(self, state):
        self.calls.append(state.now)
        return {"calls": len(self.calls)}


KINDS = {
    "scheduler": (RememberingScheduler, lambda simulation: simulation.scheduler),
    "allocator": (RememberingAllocator, lambda simulation: simulation.allocator),
    "estimate": (RememberingEstimator, lambda simulation: simulation.estimator),
    "data": (RememberingData, lambda simulation: simulation.data[0]),
}


def remembering(kind):
    """Returns a simulation half way with a policy of that kind, and what finds the policy."""
    make, find = KINDS[kind]
    made = make()
    workload = [Job(i, 5 * i, 10, 2) for i in range(1, 7)]
    simulation = Simulation(workload, system=FOUR, **{kind: [made] if kind == "data" else made})
    simulation.run(until=17)
    assert find(simulation) is made
    assert made.calls
    return simulation, find


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_get_state_and_set_state(kind):
    simulation, find = remembering(kind)
    own, before = find(simulation), [*find(simulation).calls]
    fork = simulation.fork()
    other = find(fork)
    assert other is not own
    assert other.taken_over == other.calls == before
    assert other.lock is own.lock  # all that the state has not is that of the original
    fork.run()
    after = other.calls
    assert len(after) > len(before)
    assert own.calls == before
    assert own.taken_over == []
    simulation.run()
    assert own.calls == after
    assert fork.metrics == simulation.metrics


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_set_state_gets_what_was_saved(kind, tmp_path):
    simulation, find = remembering(kind)
    simulation.save(tmp_path / "state")
    before = [*find(simulation).calls]
    fresh = KINDS[kind][0]()
    loaded = Simulation.load(
        tmp_path / "state",
        workload=[Job(i, 5 * i, 10, 2) for i in range(1, 7)],
        **{kind: [fresh] if kind == "data" else fresh},
    )
    assert find(loaded).taken_over == find(loaded).calls == before
    loaded.run()
    simulation.run()
    assert find(loaded).calls == find(simulation).calls
    assert loaded.metrics == simulation.metrics


def test_a_loaded_policy_has_no_other_attributes_than_were_saved(tmp_path):
    class Forgetting(Fifo):
        def __init__(self):
            self.first = True

        def schedule(self, state):
            vars(self).pop("first", None)
            self.last = state.now
            return super().schedule(state)

    simulation = Simulation(jobs(), system=FOUR, scheduler=Forgetting())
    simulation.step()
    simulation.save(tmp_path / "state")
    loaded = Simulation.load(tmp_path / "state", workload=jobs(), scheduler=Forgetting())
    assert vars(loaded.scheduler) == vars(simulation.scheduler) == {"last": 0}


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
