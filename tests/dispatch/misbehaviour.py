"""What the tests of policies that misbehave share."""

from __future__ import annotations

import pytest
from dispatch.policies import FOUR, policy

from schedlab import Job, Simulation, SimulationError


class OwnError(Exception):
    """An error that only a policy can have raised."""


def jobs(count=4, processors=2):
    return [Job(i, 0, 10, processors) for i in range(1, count + 1)]


def refused(scheduler, message, workload=None, error=SimulationError, system=FOUR, **choices):
    """Runs into the error; afterwards the simulation cannot continue, but can be asked."""
    workload = jobs() if workload is None else workload
    simulation = Simulation(workload, system=system, scheduler=scheduler, **choices)
    with pytest.raises(error, match=message) as caught:
        simulation.run()
    for go_on in (simulation.run, simulation.step, lambda: simulation.run(until=5)):
        with pytest.raises(SimulationError, match="cannot continue after an error"):
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
