"""A run at any moment, against a plain twin."""

from __future__ import annotations

import csv
import os
import tempfile

import polars
from conftest import examples, expand_nodes
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.analysis.amounts import amounts_per_task, node_capacities
from schedlab.watch import Replay
from schedlab.watch.moment import occupancy

KINDS = ("core", "mem", "gpu")


@st.composite
def workloads(draw):
    """Some jobs and a machine of two groups, on which nodes are shared or taken whole."""
    machine = {
        "processor": {"core": 1, "mem": draw(st.integers(0, 2))},
        "groups": {
            "thin": {"nodes": draw(st.integers(1, 3)), "resources": {"core": 4, "mem": 8}},
            "fat": {"nodes": 2, "resources": {"core": 8, "mem": 32, "gpu": 2}},
        },
    }
    jobs, submit = [], 0.0
    for number in range(draw(st.integers(1, 12))):
        submit += draw(st.sampled_from([0, 0, 1, 2.5, 10]))
        resources = draw(
            st.sampled_from([None, None, {"core": 2, "mem": 3}, {"core": 1, "gpu": 1}])
        )
        whole = resources is None and draw(st.booleans())
        jobs.append(
            sl.Job(
                number + 1,
                submit=submit,
                run=draw(st.sampled_from([0, 1, 3, 7.5, 20])),
                processors=draw(st.integers(1, 40 if number % 4 == 3 else 6)),
                resources=resources,
                whole_nodes=whole,
                user=draw(st.integers(-1, 3)),
            )
        )
    return jobs, machine, draw(st.sampled_from(["fifo", "easy"]))


def simulated(folder: str, workload, **more) -> tuple[Replay, list[dict[str, str]]]:
    jobs, machine, scheduler = workload
    sl.simulate(jobs, system=machine, scheduler=scheduler, out=folder, zero_run="keep", **more)
    with open(os.path.join(folder, "jobs.csv"), encoding="utf-8") as file:
        return Replay(folder), list(csv.DictReader(file))


def held_by(row: dict[str, str], machine) -> dict[int, dict[str, int]]:
    """What a job holds on each of its nodes: the plain twin of `occupancy`."""
    capacities = [
        group["resources"] for group in machine["groups"].values() for _ in range(group["nodes"])
    ]
    held = {}
    for node, tasks in expand_nodes(row["nodes"]):
        if row["amounts"] == "whole":
            held[node] = {kind: capacities[node].get(kind, 0) for kind in KINDS}
            continue
        each = machine["processor"]
        if row["amounts"]:
            each = {k: int(n) for k, _, n in (p.partition("=") for p in row["amounts"].split())}
        held[node] = {kind: each.get(kind, 0) * tasks for kind in KINDS}
    return held


def moments_of(rows) -> list[float]:
    times = {float(row[name]) for row in rows for name in ("submit", "start", "end") if row[name]}
    return sorted(times | {time + 0.25 for time in times})


@examples(60)
@given(workload=workloads(), timeline=st.sampled_from(["csv", "none"]))
def test_any_moment_is_what_the_rows_say(workload, timeline):
    with tempfile.TemporaryDirectory() as folder:
        replay, rows = simulated(folder, workload, timeline=timeline)
        for time in moments_of(rows):
            moment = replay.at(time)
            ran = [row for row in rows if row["start"]]
            running = {r["job_id"] for r in ran if float(r["start"]) <= time < float(r["end"])}
            queue = {
                row["job_id"]
                for row in rows
                if float(row["submit"]) <= time
                and row["state"] != "rejected"
                and not float(row["start"]) <= time
            }
            assert set(moment.running["job_id"].cast(str)) == running
            assert set(moment.queue["job_id"].cast(str)) == queue
            assert moment.counts["running"] == len(running)
            assert moment.counts["queued"] + moment.counts["held"] == len(queue)
            assert moment.counts["submitted"] == sum(float(r["submit"]) <= time for r in rows)
            ended = [row for row in ran if float(row["end"]) <= time]
            rejected = [r for r in rows if not r["start"] and float(r["submit"]) <= time]
            assert moment.done == len(ended) + len(rejected)
            used = dict.fromkeys(KINDS, 0)
            for row in ran:
                if row["job_id"] in running:
                    for amounts in held_by(row, workload[1]).values():
                        for kind in KINDS:
                            used[kind] += amounts[kind]
            assert moment.used == used


@examples(60)
@given(workload=workloads())
def test_occupancy_is_what_the_rows_say(workload):
    with tempfile.TemporaryDirectory() as folder:
        replay, rows = simulated(folder, workload)
        frame = replay.jobs()
        expected = sorted(
            (node, int(row["job_id"]), *(amounts[kind] for kind in KINDS))
            for row in rows
            for node, amounts in held_by(row, workload[1]).items()
        )
        held = occupancy(frame, replay.run)
        assert held.select("node", "job_id", *KINDS).rows() == expected
        without = frame.drop("amounts").filter(frame["amounts"].fill_null("") == "")
        assert occupancy(without, replay.run).height == sum(
            len(expand_nodes(row["nodes"])) for row in rows if row["amounts"] == ""
        )


@examples(60)
@given(workload=workloads())
def test_steps_visit_every_time_at_which_something_happens(workload):
    with tempfile.TemporaryDirectory() as folder:
        replay, rows = simulated(folder, workload)
        times = [time for time in moments_of(rows) if time % 0.5 == 0]
        forward, place = [], replay.next_time(times[0] - 1)
        while place is not None:
            forward.append(place)
            place = replay.next_time(place)
        backward, place = [], replay.previous_time(times[-1] + 1)
        while place is not None:
            backward.append(place)
            place = replay.previous_time(place)
        assert forward == backward[::-1] == times


def test_amounts_of_kinds_whose_names_contain_each_other():
    run = {"system": {"capacity": {"mem": 9, "gpu_mem": 9}, "processor": {"mem": 1}}}
    jobs = polars.DataFrame({"job_id": [1, 2], "amounts": ["gpu_mem=7", "mem=2 gpu_mem=3"]})
    assert amounts_per_task(jobs, run).rows() == [(0, 7), (2, 3)]


def test_nodes_count_group_after_group():
    groups = {"a": {"nodes": 2, "resources": {"core": 4}}, "b": {"nodes": 1, "resources": {"g": 1}}}
    nodes = node_capacities({"system": {"capacity": {"core": 8, "g": 1}, "groups": groups}})
    assert nodes.rows() == [(0, "a", 4, 0), (1, "a", 4, 0), (2, "b", 0, 1)]
