"""Runs with failures: saved, forked, resumed, watched; and those that could never end."""

from __future__ import annotations

import os
import random

import polars
import pytest
from engine.test_failing_machines import FirstThatFit, check_run, jobs
from oracles.engine import rows_of

import schedlab as sl
from schedlab.conditions import Conditions, Failures, FailureTrace, Resubmission

MACHINE = {"groups": {"n": {"nodes": 6, "resources": {"core": 4, "mem": 8}}}}
OFTEN = Conditions(
    7,
    [
        Failures("weibull(shape=0.8, scale=300)", "lognormal(median=40, sigma=0.8)"),
        Failures("exponential(mean=900)", "fixed(seconds=25)", nodes="0-2"),
    ],
    FailureTrace([(2, 50, 90), (2, 80, 120), (3, 100, 101.5)]),
    Resubmission("checkpoint", interval=20, cost=1, restart=2, limit=12),
)


def rest_of(simulation: sl.Simulation, path) -> str:
    simulation.record_jobs(path)
    simulation.run()
    return path.read_text() + repr(simulation.metrics) + repr(simulation.counts)


@pytest.mark.parametrize("scheduler", ["fifo", "easy", "conservative", "easy(reservations=3)"])
@pytest.mark.parametrize("kind", ["plain", "all"])
def test_saved_and_forked_at_any_moment(scheduler, kind, tmp_path):
    workload = jobs(11, 80)
    if kind == "plain":
        workload = [sl.Job(j.id, j.submit, j.run, j.processors) for j in workload]
    draw = random.Random(scheduler + kind)

    def begun(moment: int) -> sl.Simulation:
        simulation = sl.Simulation(
            workload, system=MACHINE, scheduler=scheduler, conditions=OFTEN, allocator="random"
        )
        for _ in range(moment):
            assert simulation.step()
        return simulation

    for _ in range(4):
        simulation = begun(draw.randint(0, 90))
        simulation.save(tmp_path / "state")
        fork = simulation.fork()
        expected = rest_of(simulation, tmp_path / "whole.csv")
        loaded = sl.Simulation.load(tmp_path / "state", workload=workload)
        assert loaded.conditions == OFTEN
        assert rest_of(loaded, tmp_path / "loaded.csv") == expected
        assert rest_of(fork, tmp_path / "fork.csv") == expected


def test_another_dispatcher_takes_over_while_nodes_are_down(tmp_path):
    simulation = sl.Simulation(jobs(4), system=MACHINE, conditions=OFTEN)
    simulation.run(until=85)
    used = simulation.engine.used()
    for scheduler in ("easy", "conservative", "greedy", FirstThatFit()):
        fork = simulation.fork(scheduler=scheduler)
        assert fork.engine.used() == used
        fork.run()
        assert sum(fork.counts[k] for k in ("completed", "failed", "rejected", "killed")) == 120


def test_interrupted_runs_are_resumed(tmp_path, monkeypatch):
    import schedlab.simulation.core as core

    trace = tmp_path / "trace.swf"
    rows = [
        [n, n // 2, -1, 5 + n % 47, 2, -1, -1, 1 + n % 9, 60, -1, 1, n % 5, 1, -1, 1, -1, -1, -1]
        for n in range(1, 1500)
    ]
    sl.write_swf(trace, rows)
    given = {"system": MACHINE, "scheduler": "easy", "conditions": OFTEN, "timeline": "csv"}
    whole = sl.simulate(trace, **given, out=tmp_path / "whole")
    monkeypatch.setattr(core, "SLICE_SECONDS", 0.0)
    steps = 0

    def stop(_: sl.Simulation) -> None:
        nonlocal steps
        steps += 1
        if steps == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sl.simulate(trace, **given, out=tmp_path / "run", checkpoint_every=1e-9, progress=stop)
    assert {"states.csv.part", "interruptions.csv.part"} <= set(os.listdir(tmp_path / "run"))
    resumed = sl.resume(tmp_path / "run")
    assert sorted(os.listdir(tmp_path / "run")) == sorted(os.listdir(tmp_path / "whole"))
    for name in ("jobs", "states", "interruptions"):
        same = (tmp_path / "run" / f"{name}.csv").read_bytes()
        assert same == (tmp_path / "whole" / f"{name}.csv").read_bytes()
    assert resumed.metrics == whole.metrics
    check_run(whole)


def test_frames(tmp_path):
    result = sl.simulate(jobs(3), system=MACHINE, conditions=OFTEN, timeline="csv", out=tmp_path)
    states, interruptions = result.states.collect(), result.interruptions.collect()
    assert states.schema["start"] == interruptions.schema["lost_seconds"] == polars.Float64
    assert result.jobs.collect()["lost_seconds"].sum() > 0
    timeline = result.timeline.collect()
    assert 0 < timeline["nodes_down"].max() <= 6
    assert timeline["core_used"].max() <= 24 - 4 * timeline["nodes_down"].min()
    full = timeline.filter(polars.col("core_used") + 4 * polars.col("nodes_down") > 24)
    assert full.is_empty()
    failures = result.metrics["failures"]
    line = f"{failures['interruptions']} interruptions of {failures['interrupted_jobs']} jobs"
    assert line in str(result.summary)
    none = sl.simulate(jobs(3, 5), system=MACHINE)
    assert none.states is None
    assert none.interruptions is None
    assert "failures" not in none.metrics
    never = {"failure_trace": {"outages": [[0, 1e6, 2e6]]}}
    empty = sl.simulate([sl.Job(1, 0, 5)], system=MACHINE, conditions=never)
    assert empty.states.collect().schema["end"] == polars.Float64
    assert empty.interruptions.collect().is_empty()
    assert empty.metrics["availability"] == 1.0


def test_speeds_count():
    """At half speed, half of the work is kept that there would have been."""
    again = {"from": "checkpoint", "interval": 10, "cost": 0, "restart": 0}
    conditions = {"failure_trace": {"outages": [[0, 50, 60]]}, "resubmission": again}
    simulation = sl.Simulation([sl.Job(1, 0, 100, 4)], system=MACHINE, conditions=conditions)
    simulation.run(until=0)
    simulation.set_speed(1, 0.5)
    simulation.run()
    hours = simulation.metrics["node_hours"]
    assert hours["useful"] * 3600 == pytest.approx(40 + 80)  # 20 s of work at half speed, then 80
    assert hours["lost"] * 3600 == pytest.approx(10)
    assert simulation.now == 50 + 80


def test_jobs_that_could_never_end_are_errors():
    hopeless = {"failures": [{"between": "fixed(seconds=50)", "repair": "fixed(seconds=1)"}]}
    with pytest.raises(sl.SimulationError, match="was interrupted 10000 times"):
        sl.simulate([sl.Job(1, 0, 100)], system=MACHINE, conditions=hopeless)
    limited = {**hopeless, "resubmission": {"limit": 3}}
    result = sl.simulate([sl.Job(1, 0, 100)], system=MACHINE, conditions=limited)
    (row,) = rows_of(result, "jobs")
    assert (row["state"], row["interruptions"], row["lost_seconds"]) == ("failed", "3", "150")
    assert result.counts["failed"] == 1


def test_jobs_that_wait_for_one_that_is_given_up_are_rejected():
    trace = {"failure_trace": {"outages": [[0, 5, 6]]}, "resubmission": {"limit": 1}}
    work = [
        sl.Job(1, 0, 10, 24),
        sl.Job(2, 1, 10, predecessors=[1]),
        sl.Job(3, 2, 10, predecessors=[2]),
        sl.Job(4, 20, 10, predecessors=[1]),
    ]
    result = sl.simulate(work, system=MACHINE, conditions=trace)
    states = {row["job_id"]: row["state"] for row in rows_of(result, "jobs")}
    assert states == {"1": "failed", "2": "rejected", "3": "rejected", "4": "rejected"}


def test_a_queue_that_nobody_can_serve_is_an_error():
    class Nobody(sl.Scheduler):
        def schedule(self, state):
            return []

    trace = {"failure_trace": {"outages": [[0, 5, 6], [1, 8, 9]]}}
    with pytest.raises(sl.SimulationError, match="nothing is left to happen"):
        sl.simulate([sl.Job(1, 0, 10)], system=MACHINE, scheduler=Nobody(), conditions=trace)


@pytest.mark.whole_trace
def test_a_real_trace(trace):
    """No job is lost and no node-hour, and failures are the same under both dispatchers."""
    process = Failures("weibull(shape=0.7, scale=2e6)", "lognormal(median=7200, sigma=1)")
    given = {
        "system": {"groups": {"node": {"nodes": 120, "resources": {"core": 2}}}},
        "conditions": Conditions(1, [process]),
    }
    results = [
        sl.simulate(trace("HPC2N-2002-2.2-cln.swf.gz"), scheduler=scheduler, **given)
        for scheduler in ("fifo", "easy")
    ]
    ends = min(result.run["time"]["now"] for result in results)
    down = [
        r.states.filter(polars.col("end") < ends).collect().sort("node", "start") for r in results
    ]
    assert down[0].equals(down[1])
    assert down[0].height > 5000
    for result in results:
        counts, metrics = result.counts, result.metrics
        assert counts["completed"] == counts["submitted"] > 200_000
        assert metrics["failures"]["interruptions"] == result.interruptions.collect().height > 4000
        hours = metrics["node_hours"]
        assert sum(hours.values()) == pytest.approx(120 * metrics["makespan"] / 3600)
        jobs_held = metrics["utilization"]["core"] * 120 * metrics["makespan"] / 3600
        assert hours["useful"] + hours["lost"] == pytest.approx(jobs_held)


@pytest.mark.parametrize("limit", [None, 3])
def test_what_counts_as_lost(limit):
    """A restart is lost where no checkpoint was written after it, and overhead where one was."""
    again = {"from": "checkpoint", "interval": 100, "cost": 5, "restart": 10}
    if limit is not None:
        again["limit"] = limit
    result = sl.simulate(
        [sl.Job(1, 0, 250)],
        system={"groups": {"n": {"nodes": 1, "resources": {"core": 1}}}},
        conditions={
            "failure_trace": {"outages": [[0, 150, 160], [0, 300, 310], [0, 340, 350]]},
            "resubmission": again,
        },
    )
    found = result.interruptions.select("start", "end", "kept_seconds", "lost_seconds").collect()
    assert found.rows() == [
        (0, 150, 100, 45),  # 100 work, 5 checkpoint, 45 lost
        (160, 300, 100, 25),  # 10 restart, 100 work, 5 checkpoint, 25 lost
        (310, 340, 0, 30),  # 10 restart, 20 work: all of it lost
    ]
    (row,) = rows_of(result, "jobs")
    hours = {name: round(value * 3600) for name, value in result.metrics["node_hours"].items()}
    if limit is None:  # a fourth attempt: 10 restart, 50 work
        assert (row["state"], row["end"], row["lost_seconds"]) == ("completed", "410", "100")
        assert hours == {"useful": 250, "checkpoint": 30, "lost": 100, "down": 30, "idle": 0}
    else:  # what checkpoints kept is lost, too; what it took to keep it is not
        assert (row["state"], row["end"], row["lost_seconds"]) == ("failed", "340", "300")
        assert hours == {"useful": 0, "checkpoint": 20, "lost": 300, "down": 20, "idle": 0}
