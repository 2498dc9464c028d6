"""Policies that reach into their own simulation, or into another one, while they are called."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from dispatch.misbehaviour import jobs
from dispatch.policies import FOUR, Fifo

from schedlab import AdditionalData, SchedlabError, Scheduler, Simulation, SimulationError


class Inside(Scheduler):
    """Does something to its own simulation, then what FIFO does."""

    def __init__(self, act):
        self.act = act
        self.simulation = None
        self.errors = []

    def _copy(self):
        other = Inside(self.act)
        other.simulation = self.simulation
        return other

    def schedule(self, state):
        if self.simulation is not None:
            try:
                self.act(self.simulation)
            except SchedlabError as error:
                self.errors.append(str(error))
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
    simulation.run()  # the policy caught the errors, and continues
    assert simulation.counts["completed"] == 4
    assert scheduler.errors
    assert all("within" in text or "policy" in text for text in scheduler.errors), scheduler.errors


def test_a_simulation_is_not_forked_from_within():
    """The fork would begin in the middle of a time point."""
    forks = []
    scheduler, simulation = inside(lambda s: forks.append(s.fork()))
    simulation.run()
    assert simulation.counts["completed"] == 4
    assert forks == []
    assert all("fork" in text for text in scheduler.errors), scheduler.errors
    assert scheduler.errors


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
    assert scheduler.errors == []


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
    """Its end is past; a speed of 0 must not move it beyond all time."""

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
                    print("refused:", error)
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
                        print("refused:", error)
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
        from schedlab.dispatch import allocators
        from schedlab.dispatch.schedulers import for_engine
        from schedlab.trust import PERSON

        class Inner(Scheduler):
            def schedule(self, state):
                places = allocators.for_engine(schedlab.FirstFit(), self.simulation[0].system)
                new = {**for_engine(schedlab.Easy(), PERSON), **places, "seed": 0}
                try:
                    self.simulation[0].engine.set_dispatcher(new)
                except SimulationError as error:
                    print("refused:", error)
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
            print("refused:", error)

        class Data(schedlab.AdditionalData):
            publishes_tables = ("usage",)

            def update(self, state):
                table = {}
                table.update({10**15 + i: Clearing(table) for i in range(9)})
                return {"usage": table}

        try:
            Simulation(jobs, system=LARGE, data=[Data()]).run()
        except (SimulationError, TypeError) as error:
            print("refused:", error)
        print("refused: nothing")
    """,
}


@pytest.mark.parametrize(
    ("name", "wrap"),
    [
        (name, wrap)
        for name, script in sorted(CRASHES.items())
        for wrap in ("", "StartJob", "RejectJob")
        if not wrap or "WRAP" in script  # which has a decision to wrap
    ],
)
def test_what_could_crash_the_interpreter(name, wrap):
    """In a process of its own, so that a crash fails one test only."""
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
    assert "refused:" in done.stdout
