"""Contention, caps, switching off, failures, checkpoints, prices and heat, all at once.

On one pool of nodes, in partitions with features, and with partitions whose jobs preempt others.
"""

import random

import pytest
from conftest import expand_nodes
from oracles.contention import NPB
from oracles.engine import rows_of
from oracles.everything_on import (
    CAP,
    CONDITIONS,
    DIVIDED,
    NODES,
    PREEMPTING,
    SYSTEM,
    UNCAPPED,
)

import schedlab as sl
from schedlab.workload import Job
from schedlab.workload.licenses import asked

NODES_OF = {"left": {*range(6)}, "right": {*range(2, 8)}, "all": {*range(8)}, None: {*range(6)}}
NODES_WITH = {"ib": {*range(4)}, "fast": {4, 5, 6, 7}, "!ib | fast & ib": {4, 5, 6, 7}}
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


def divided_jobs() -> list[Job]:
    """The same jobs; most are in a partition, and half need a feature."""
    draw = random.Random(2)
    return [
        job.replace(
            partition=draw.choice([*NODES_OF]),
            needs=draw.choice([None, None, None, *NODES_WITH]),
            licenses=draw.choice([None, None, "matlab:2", "matlab, scratch_gb:300"]),
        )
        for job in jobs()
    ]


MACHINES = pytest.mark.parametrize(
    ("system", "workload", "conditions"),
    [
        pytest.param(SYSTEM, jobs(), CONDITIONS, id="a pool"),
        pytest.param(DIVIDED, divided_jobs(), CONDITIONS, id="divided"),
        pytest.param(PREEMPTING, divided_jobs(), UNCAPPED, id="preempting"),
    ],
)


@pytest.mark.parametrize(
    ("system", "conditions"),
    [(DIVIDED, CONDITIONS), (PREEMPTING, UNCAPPED)],
    ids=["divided", "preempting"],
)
def test_jobs_stay_where_they_may_be(system, conditions):
    given = {job.id: job for job in divided_jobs()}
    for scheduler in SCHEDULERS:
        result = sl.simulate(
            given.values(), system=system, scheduler=scheduler, conditions=conditions
        )
        for row in rows_of(result, "jobs"):
            job = given[int(row["job_id"])]
            nodes = {node for node, _ in expand_nodes(row["nodes"])}
            assert nodes
            assert nodes <= NODES_OF[job.partition]
            assert nodes <= NODES_WITH.get(job.needs, nodes)


def test_licenses_are_never_more_than_there_are():
    given = {job.id: asked(job.licenses or "matlab:0") for job in divided_jobs()}
    for scheduler in SCHEDULERS:
        result = sl.simulate(
            divided_jobs(),
            system=DIVIDED,
            scheduler=scheduler,
            conditions=CONDITIONS,
            timeline="csv",
        )
        rows = [row for row in rows_of(result, "jobs") if row["interruptions"] == "0"]
        for row in rows:
            now = float(row["start"])
            present = [
                given[int(one["job_id"])]
                for one in rows
                if float(one["start"]) <= now < float(one["end"])
            ]
            for name, most in DIVIDED["licenses"].items():
                assert sum(amounts.get(name, 0) for amounts in present) <= most
        used = result.timeline.collect()["license_matlab"]
        assert (used.min(), used.max(), used[-1]) == (0, 3, 0)


@MACHINES
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_energy_and_node_hours_close_and_the_cap_holds(scheduler, system, workload, conditions):
    result = sl.simulate(
        workload,
        system=system,
        scheduler=scheduler,
        allocator="least-added-power",
        conditions=conditions,
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
    if "caps" in conditions:
        assert timeline["power"].max() <= CAP + energy["caps"][0]["most_above"] + 1e-6

    ended = metrics.get("preemption", {"requeued": 0, "cancelled": 0})
    assert (system is PREEMPTING) == (ended["requeued"] > 0) == (ended["cancelled"] > 0)
    assert result.counts["completed"] == 250 - ended["cancelled"]  # no job is lost
    hit = metrics["failures"]["interruptions"]
    assert hit > 0
    interruptions = result.interruptions.collect().height
    assert interruptions == hit + ended["requeued"] + ended["cancelled"]
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


@MACHINES
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_saved_and_loaded_in_the_middle(scheduler, system, workload, conditions, tmp_path):
    options = {"system": system, "scheduler": scheduler, "conditions": conditions}
    whole = sl.Simulation(workload, **options)
    whole.record_jobs(tmp_path / "whole.csv")
    whole.run()
    saved = sl.Simulation(workload, **options)
    saved.run(until=15_000)
    saved.save(tmp_path / "middle.state")
    loaded = sl.Simulation.load(tmp_path / "middle.state", workload=workload)
    loaded.record_jobs(tmp_path / "rest.csv")
    loaded.run()
    rest = (tmp_path / "rest.csv").read_text().splitlines()[1:]
    assert len(rest) > 50
    assert (tmp_path / "whole.csv").read_text().splitlines()[-len(rest) :] == rest
    assert loaded.engine.metrics() == whole.engine.metrics()
    assert loaded.engine.nodes() == whole.engine.nodes()
