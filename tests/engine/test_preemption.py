"""Preemption by queues and partitions: against a naive twin, forked, saved and loaded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from conftest import examples
from engine.test_failures import conditions_of, outages, plain_case, rules, ticks
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import cases
from oracles.engine import (
    ALLOCATORS,
    DISCIPLINES,
    ORDERS,
    SECOND,
    TYPES,
    engine_input,
    engine_windows,
    partition_of,
    records_of,
    rows_of,
    scaled,
    scaled_windows,
    seconds,
)
from oracles.failures import Outcome, Rule, simulate_failures
from oracles.model import Job, Machine
from oracles.node_lists import Ordered
from oracles.placement import Cluster
from oracles.yielding import Taking, Yielding

import schedlab
from schedlab import Preemption, Queue, Scheduler, Simulation

takings = st.builds(
    Taking,
    st.integers(1, 3),
    st.booleans(),
    st.just(0) | st.integers(1, 60),
    st.just(0) | st.integers(1, 60),
)
allocators = st.sampled_from((*ALLOCATORS, Ordered("contiguous"), Ordered("round-robin")))


def preemption(taking: Taking) -> Preemption:
    victims = "cancel" if taking.cancels else "requeue"
    return Preemption(taking.priority, victims, seconds(taking.grace), seconds(taking.exempt))


def _single(job: Job) -> list[Job]:
    """Returns the job as it would be in each of its partitions."""
    return [replace(part, choices=()) for part in job.parts()]


class Case:
    """Jobs of which some take room, by their users' queues or by their partitions."""

    def __init__(self, draw: Any, jobs: list[Job], machine: Machine, windows: bool = False) -> None:
        self.machine = machine
        every = (part for job in jobs for part in _single(job) if part.nodes is not None)
        classes = sorted({partition_of(part) for part in every})
        self.by_partition = bool(classes) and draw(st.booleans())
        if not self.by_partition:
            jobs = [Job(**{**vars(job), "user": draw(st.integers(0, 3))}) for job in jobs]
            classes = [0, 1, 2]  # the others take none
        given = {
            one: draw(takings) for one in classes if draw(st.sampled_from((True, True, False)))
        }
        assume(given)
        self.jobs, self.given = jobs, given
        of = self._first_partition if self.by_partition else (lambda job: job.user)
        self.taking = {job.id: given[of(job)] for job in jobs if of(job) in given}
        self.windows = ()
        if windows:
            self.windows = scaled_windows(draw(cases.some_windows(machine, jobs)))
        self.outages = draw(st.just([]) | outages(len(machine.capacity)))
        self.rule = draw(st.just(Rule()) | rules)
        self.order = draw(st.sampled_from(("fifo", "fifo", "sjf", "largest")))
        self.discipline = draw(st.sampled_from(sorted(DISCIPLINES)))
        self.arguments = {}
        if self.discipline != "blocking":
            self.arguments["depth"] = draw(st.none() | st.none() | st.integers(1, 4))
        if self.discipline == "easy":
            self.arguments["reservations"] = draw(st.sampled_from((1, 1, 2, None)))
        self.allocator = draw(st.just("first-fit") | allocators)

    def _first_partition(self, job: Job) -> str | None:
        """Returns that of several partitions which counts: the first in which it can start."""
        empty = Cluster(self.machine, "first-fit", 0)
        parts = _single(job)
        usable = [part for part in parts if empty.total_room(part) >= job.tasks]
        return partition_of((usable or parts)[0])

    def expected(self) -> Outcome:
        try:
            return self._simulated()
        except AssertionError as error:  # no nodes in a row will ever be enough for a job
            assume("contiguous" not in str(self.allocator) or "left waiting" not in str(error))
            raise

    def _simulated(self) -> Outcome:
        return simulate_failures(
            self.jobs,
            self.machine,
            self.outages,
            self.rule,
            discipline=self.discipline,
            order=self.order,
            second=SECOND,
            allocator=self.allocator,
            windows=self.windows,
            seed=3,
            kind=Yielding,
            taking=self.taking,
            **self.arguments,
        )

    def choices(self, scheduler: Scheduler | None = None) -> dict[str, Any]:
        types = TYPES[: len(self.machine.capacity[0])]
        tables, queues = {}, ()
        if self.by_partition:
            tables = {name: preemption(one).to_dict() for name, one in self.given.items()}
        else:
            queues = [
                Queue(f"q{user}", 0, f"user == {user}", preempt=preemption(one))
                for user, one in self.given.items()
            ]
            queues.append(Queue("rest"))
        jobs, system = engine_input(self.jobs, self.machine, types, tables)
        return {
            "workload": jobs,
            "system": system,
            "queues": queues,
            "scheduler": scheduler
            or DISCIPLINES[self.discipline](ORDERS[self.order], **self.arguments),
            "allocator": str(self.allocator),
            "windows": engine_windows(self.windows),
            "conditions": conditions_of(self.outages, self.rule),
            "seed": 3,
        }


def check(case: Case) -> None:
    expected = case.expected()
    result = schedlab.simulate(**case.choices())
    assert records_of(result) == expected.records
    rows = rows_of(result, "interruptions")
    assert [(int(row["job_id"]), ticks(row["start"]), ticks(row["end"])) for row in rows] == [
        (one.job, one.start, one.end) for one in expected.interruptions
    ]
    ended = {
        by: [one.job for one in expected.interruptions if one.ended_by == by]
        for by in ("requeue", "cancel")
    }
    assert result.metrics["preemption"] == {
        "requeued": len(ended["requeue"]),
        "requeued_jobs": len(set(ended["requeue"])),
        "cancelled": len(ended["cancel"]),
    }
    hours = result.metrics["node_hours"]
    in_ticks = {name: value * 3600 * SECOND for name, value in hours.items()}
    assert in_ticks == pytest.approx({k: float(v) for k, v in expected.node_time.items()}, abs=1e-6)


@st.composite
def mixed_case(draw: st.DrawFn) -> tuple[list[Job], Machine]:
    machine = draw(cases.machines())
    jobs = [scaled(job) for job in draw(cases.mixed_jobs(machine)) if any(job.request)]
    assume(jobs)
    return jobs, machine


@examples(300)
@given(st.data())
def test_counts_against_oracle(data):
    check(Case(data.draw, *data.draw(plain_case())))


@examples(300)
@given(st.data())
def test_nodes_against_oracle(data):
    check(Case(data.draw, *data.draw(mixed_case()), windows=data.draw(st.booleans())))


def table(simulation: Simulation, path: Any) -> list[str]:
    """Returns the rows of the jobs that end from now on."""
    simulation.record_jobs(path)
    simulation.run()
    return path.read_text().splitlines()[1:]


@examples(60)
@given(data=st.data())
def test_forked_saved_and_loaded(data, tmp_path_factory):
    """At any moments, in chains, the rest is the same."""
    folder = tmp_path_factory.mktemp("states")
    given_jobs = plain_case() if data.draw(st.booleans()) else mixed_case()
    case = Case(data.draw, *data.draw(given_jobs))
    case.expected()  # or another case: no nodes in a row are enough
    choices = case.choices()
    whole = Simulation(**choices)
    rows = table(whole, folder / "whole.csv")
    simulation = Simulation(**choices)
    for time in sorted(data.draw(st.lists(st.integers(0, 40), max_size=3))):
        simulation.run(until=time)
        if data.draw(st.booleans()):
            simulation = simulation.fork()
        else:
            simulation.save(folder / "state")
            simulation = Simulation.load(folder / "state", workload=choices["workload"])
    rest = table(simulation, folder / "rest.csv")
    assert rows[len(rows) - len(rest) :] == rest
    assert simulation.counts == whole.counts
    assert simulation.metrics == whole.metrics


@examples(60)
@given(st.data())
def test_a_policy_that_knows_nothing_of_it(data):
    """In Python, in order until one does not fit, it gives the schedule of the built-in one."""
    case = Case(data.draw, *data.draw(plain_case()))
    case.discipline, case.arguments, case.allocator = "blocking", {}, "first-fit"
    result = schedlab.simulate(**case.choices(scheduler=InOrder(ORDERS[case.order])))
    assert records_of(result) == case.expected().records


class InOrder(Scheduler):
    def __init__(self, order: str) -> None:
        self.order = order

    def schedule(self, state):
        for job in state.queue:
            if not state.machine.fits(job):
                return
            yield job


@examples(60)
@given(st.data())
def test_decisions_one_by_one(data):
    """Stopped at every decision, the schedule is the same."""
    case = Case(data.draw, *data.draw(plain_case()))
    case.expected()
    whole = Simulation(**case.choices())
    whole.run()
    stepped = Simulation(**case.choices())
    stepped.engine.decide_all()
    assert stepped.metrics == whole.metrics
