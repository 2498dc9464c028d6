"""Experiments on objects: schedulers, orders, jobs, readers and job factories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from experiment.inputs import experiment, identity

import schedlab as sl


class Mine(sl.Scheduler):
    """FIFO that stops after some jobs at a time."""

    def __init__(self, at_once=3):
        self.at_once = at_once

    def schedule(self, state):
        for started, job in enumerate(state.queue):
            if started >= limit(self) or not state.machine.fits(job):
                return
            yield job


def limit(scheduler):
    return scheduler.at_once


class Unsaved(Mine):
    def __init__(self):
        super().__init__(2)
        self.file = open(os.devnull)  # noqa: SIM115


def sized(job):
    return job.processors


@pytest.mark.usefixtures("folder")
def test_functions_that_order_nodes_run_in_processes_of_their_own():
    given = {"order": lambda system: range(system.nodes)[::-1]}
    made = experiment(schedulers=())
    made.add("easy", allocator=sl.FirstFit(**given), name="backwards")
    comparison = made.run()
    assert comparison.failures == []
    alone = sl.simulate("a.swf", system="m.toml", scheduler="easy", allocator=sl.FirstFit(**given))
    assert sl.compare_schedules(comparison.result("backwards/01"), alone).identical
    assert None not in [run.key for run in made.runs()]


@pytest.mark.usefixtures("folder")
def test_objects_run_in_processes_of_their_own():
    made = experiment(repeat=2)
    made.add(Mine(), name="mine")
    made.add(Mine(5), allocator="best-fit")
    made.add(sl.Easy(order=sized), name="by size")
    comparison = made.run()
    assert comparison.failures == []
    assert comparison.dispatchers == [
        "fifo+first-fit",
        "mine",
        "Mine(at_once=5)+best-fit",
        "by size",
    ]
    assert (Path("out/runs") / "mine" / "02" / "run.json").exists()
    alone = sl.simulate("a.swf", system="m.toml", scheduler=Mine())
    assert sl.compare_schedules(comparison.result("mine/01"), alone).identical
    before = {name: identity("out", name) for name in comparison.metrics["run"]}
    again = experiment(repeat=2)
    again.add(Mine(4), name="mine")
    again.add(Mine(5), allocator="best-fit")
    again.add(sl.Easy(order=sized), name="by size")
    again.run()
    changed = {name for name in before if identity("out", name) != before[name]}
    assert changed == {"mine/01", "mine/02"}


@pytest.mark.usefixtures("folder")
def test_objects_whose_state_is_unknown_are_never_reused():
    made = experiment(schedulers=Unsaved())
    (run,) = made.runs()
    assert run.key is None
    first = made.run()
    assert "never reused" in first.description["notes"][0]
    assert (
        "_io.TextIOWrapper" in first.description["notes"][0]
        or "file" in first.description["notes"][0]
    )
    before = identity("out", run.name)
    assert made.run().status == "complete"
    assert identity("out", run.name) != before


@pytest.mark.usefixtures("folder")
def test_jobs_readers_and_factories_as_objects():
    jobs = [sl.Job(n, submit=n, run=10, processors=600) for n in range(1, 31)]
    comparison = sl.Experiment(
        "out",
        workloads={"listed": jobs},
        systems="m.toml",
        schedulers=["fifo", "easy"],
        job_factory=lambda job: job if job.id % 2 else None,
    ).run()
    assert comparison.failures == []
    assert comparison.metrics["jobs_submitted"].to_list() == [15, 15]
    assert sl.Experiment("x", workloads=jobs, systems="m.toml").runs() == []
