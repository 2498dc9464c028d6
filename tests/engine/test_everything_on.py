"""Contention, caps, switching off, failures, checkpoints, prices and heat, all at once."""

import random

import pytest
from oracles.contention import NPB
from oracles.everything_on import CAP, CONDITIONS, NODES, SYSTEM

import schedlab as sl
from schedlab.workload import Job

SCHEDULERS = ["fifo", "easy", "conservative", "easy(reservations=3)", "fcfs-bf"]


def jobs() -> list[Job]:
    """Two thirds with instructions, the others with run times alone."""
    draw = random.Random(1)
    submit = 0.0
    made = []
    for number in range(1, 251):
        submit += draw.expovariate(1 / 150)
        work = draw.choice(list(NPB.values()))
        run = draw.randint(100, 2000)
        given = dict(zip(("instructions", "ipc", "memory_volume"), work, strict=True))
        attributes = given if draw.random() < 0.7 else dict.fromkeys(given, -1)
        made.append(
            Job(
                number,
                int(submit),
                run,
                draw.choice([1, 2, 4, 8, 16]),
                requested_time=run + draw.randint(0, 3000),
                attributes=attributes,
            )
        )
    return made


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_energy_and_node_hours_close_and_the_cap_holds(scheduler):
    result = sl.simulate(
        jobs(),
        system=SYSTEM,
        scheduler=scheduler,
        allocator="least-added-power",
        conditions=CONDITIONS,
        timeline="csv",
    )
    metrics, energy = result.metrics, result.metrics["energy"]
    parts = [energy[name] for name in ("jobs", "idle", "transitions", "sleeping", "off")]
    assert sum(parts) == pytest.approx(energy["total"], rel=1e-9)
    assert all(energy[name] > 0 for name in ("jobs", "idle", "transitions", "off"))
    rows = result.jobs.collect()
    assert rows["energy"].sum() == pytest.approx(energy["jobs"], rel=1e-9)
    timeline = result.timeline.collect()
    lengths = timeline["time"].diff().drop_nulls()
    assert (timeline["power"].head(len(lengths)) * lengths).sum() == pytest.approx(
        energy["total"], rel=1e-9
    )
    assert timeline["power"].max() <= CAP + energy["caps"][0]["most_above"] + 1e-6

    assert result.counts["completed"] == 250  # no job is lost
    assert metrics["failures"]["interruptions"] == result.interruptions.collect().height > 0
    assert sum(metrics["node_hours"].values()) == pytest.approx(NODES * metrics["makespan"] / 3600)


def test_failures_are_the_same_under_every_dispatcher():
    down = []
    for scheduler in SCHEDULERS:
        result = sl.simulate(jobs(), system=SYSTEM, scheduler=scheduler, conditions=CONDITIONS)
        states = result.states.collect()
        last = result.metrics["makespan"]
        rows = states.filter(states["state"] == "down").select("node", "start", "end").rows()
        down.append((last, set(rows)))
    common = min(last for last, _ in down)  # later ones are not seen by the run that ends first
    first = [{row for row in rows if row[2] < common} for _, rows in down]
    assert first[0]
    assert all(rows == first[0] for rows in first)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_saved_and_loaded_in_the_middle(scheduler, tmp_path):
    options = {"system": SYSTEM, "scheduler": scheduler, "conditions": CONDITIONS}
    whole = sl.Simulation(jobs(), **options)
    whole.record_jobs(tmp_path / "whole.csv")
    whole.run()
    saved = sl.Simulation(jobs(), **options)
    saved.run(until=15_000)
    saved.save(tmp_path / "middle.state")
    loaded = sl.Simulation.load(tmp_path / "middle.state", workload=jobs())
    loaded.record_jobs(tmp_path / "rest.csv")
    loaded.run()
    rest = (tmp_path / "rest.csv").read_text().splitlines()[1:]
    assert len(rest) > 50
    assert (tmp_path / "whole.csv").read_text().splitlines()[-len(rest) :] == rest
    assert loaded.engine.metrics() == whole.engine.metrics()
    assert loaded.engine.nodes() == whole.engine.nodes()
