"""Machines that fail: what must hold under every dispatcher, and of the failures themselves."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import polars
import pytest
from conftest import expand_nodes
from oracles.engine import rows_of

import schedlab as sl
from schedlab.conditions import Conditions, Failures, FailureTrace, Resubmission

MACHINE = {"groups": {"n": {"nodes": 6, "resources": {"core": 4, "mem": 8}}}}
OFTEN = Conditions(
    7,
    [Failures("weibull(shape=0.8, scale=300)", "lognormal(median=40, sigma=0.8)")],
    FailureTrace([(2, 50, 90), (2, 80, 120), (3, 100, 101.5)]),
    Resubmission("checkpoint", interval=20, cost=1, restart=2, limit=12),
)


class FirstThatFit(sl.Scheduler):
    """Looks at everything there is to see, then starts what fits."""

    def schedule(self, state: sl.State):
        for job in state.running:
            assert job.id > 0
            assert job.nodes
        assert len(list(state.running)) == len(state.running)
        assert state.data("nodes_down") == state.machine.nodes_down
        for job in state.queue.fitting():
            assert job.interruptions >= 0
            yield job


def jobs(seed: int, count: int = 120) -> list[sl.Job]:
    """Of all kinds: plain, with memory, whole nodes, limits per node, predecessors."""
    draw = random.Random(seed)
    made: list[sl.Job] = []
    submit = 0
    for number in range(1, count + 1):
        submit += draw.choice((0, 0, 3, 10))
        run = draw.randint(0, 60)
        kind = draw.choice(("plain", "plain", "memory", "whole", "spread"))
        made.append(
            sl.Job(
                number,
                submit,
                run,
                draw.randint(1, 10),
                requested_time=run + draw.randint(0, 30),
                resources={"core": 1, "mem": draw.randint(0, 4)} if kind == "memory" else None,
                whole_nodes=kind == "whole",
                tasks_per_node=2 if kind == "spread" else None,
                predecessors=[draw.randint(1, number - 1)] if number % 7 == 0 else (),
            )
        )
    return made


def check_run(result: sl.Result) -> None:
    """No job is lost, nothing runs on a node that is down, and every node-second is counted."""
    counts = result.counts
    ended = ("completed", "killed", "failed", "rejected")
    assert (
        counts["submitted"] == sum(counts[state] for state in ended) == len(rows_of(result, "jobs"))
    )
    down: dict[int, list[tuple[float, float]]] = {}
    for row in rows_of(result, "states"):
        assert row["state"] == "down"
        down.setdefault(int(row["node"]), []).append((float(row["start"]), float(row["end"])))
    for spans in down.values():
        assert all(a[1] < b[0] for a, b in pairwise(sorted(spans)))
    used: dict[int, list[tuple[float, int, int]]] = {}
    for row in (*rows_of(result, "jobs"), *rows_of(result, "interruptions")):
        if not row["start"] or float(row["start"]) == float(row["end"]):
            continue
        start, end = float(row["start"]), float(row["end"])
        for node, tasks in expand_nodes(row["nodes"]):
            assert all(end <= s or e <= start for s, e in down.get(node, ())), (row, node)
            used.setdefault(node, []).extend([(start, 1, tasks), (end, 0, -tasks)])
    for changes in used.values():
        level = 0
        for _, _, tasks in sorted(changes):
            level += tasks
            assert level <= 4
    hours = result.metrics["node_hours"]
    whole = 6 * result.metrics["makespan"] / 3600
    assert all(value > -1e-9 for value in hours.values())
    assert sum(hours.values()) == pytest.approx(whole)
    assert result.metrics["effective_utilization"] == pytest.approx(hours["useful"] / whole)
    assert result.metrics["availability"] == pytest.approx(1 - hours["down"] / whole)
    interruptions = rows_of(result, "interruptions")
    assert result.metrics["failures"]["interruptions"] == len(interruptions) > 0
    lost = {}
    for row in interruptions:
        lost[row["job_id"]] = lost.get(row["job_id"], 0.0) + float(row["lost_seconds"])
    for row in rows_of(result, "jobs"):
        if row["state"] != "failed":
            assert float(row["lost_seconds"]) == pytest.approx(lost.get(row["job_id"], 0.0))


DISPATCHERS = (
    "fifo",
    "greedy",
    "easy",
    "easy(order=shortest)",
    "easy(reservations=3)",
    "easy(depth=2)",
    "conservative",
    "conservative(depth=5)",
    "easy(order=wfp3)",
    FirstThatFit,
)


@pytest.mark.parametrize("scheduler", DISPATCHERS)
@pytest.mark.parametrize("kind", ["plain", "all", "windows", "events"])
def test_every_dispatcher_survives(scheduler, kind):
    workload = jobs(3)
    more: dict[str, object] = {}
    if kind == "plain":
        workload = [sl.Job(j.id, j.submit, j.run, j.processors) for j in workload]
    elif kind == "windows":
        more["windows"] = [sl.Window(60, 140, "0-2"), sl.Window(200, 260, "4", "user == -1")]
    elif kind == "events":
        more["dispatch_per"] = "event"
    made = scheduler if isinstance(scheduler, str) else scheduler()
    for allocator in ("first-fit", "worst-fit"):
        result = sl.simulate(
            workload, system=MACHINE, scheduler=made, allocator=allocator, conditions=OFTEN, **more
        )
        check_run(result)


def test_failures_are_those_of_the_seed_under_every_dispatcher():
    def down_times(scheduler, conditions=OFTEN):
        made = scheduler if isinstance(scheduler, str) else scheduler()
        result = sl.simulate(jobs(5), system=MACHINE, scheduler=made, conditions=conditions)
        rows = [(row["node"], row["start"], row["end"]) for row in rows_of(result, "states")]
        return result.run["time"]["now"], rows

    runs = [down_times(scheduler) for scheduler in DISPATCHERS]
    common = min(end for end, _ in runs)
    common_rows = [sorted(row for row in rows if float(row[2]) < common) for _, rows in runs]
    assert len(common_rows[0]) > 10
    assert all(one == common_rows[0] for one in common_rows)
    other = down_times("fifo", Conditions(8, OFTEN.failures, None, OFTEN.resubmission))[1]
    assert not {row[1] for row in other} & {row[1] for row in common_rows[0]} - {"50"}


def test_a_node_fails_alike_whatever_other_nodes_there_are():
    failures = {"failures": [{"between": "exponential(mean=200)", "repair": "fixed(seconds=9)"}]}
    work = [sl.Job(1, 1000, 5000)]
    rows = []
    for nodes in (3, 50):
        system = {"groups": {"n": {"nodes": nodes, "resources": {"core": 1}}}}
        conditions = {**failures, "resubmission": {"limit": 1}}
        result = sl.simulate(work * 1, system=system, conditions=conditions, seed=3)
        rows.append([tuple(r.values()) for r in rows_of(result, "states") if r["node"] == "2"])
    shorter = min(map(len, rows))
    assert rows[0][: shorter - 1] == rows[1][: shorter - 1]


def outages_of(between: str, repair: str, nodes: int, until: float) -> polars.DataFrame:
    """Returns the outages of a machine on which nothing else happens; node 0 does not fail."""
    groups = {
        "front": {"nodes": 1, "resources": {"core": 1, "gpu": 1}},
        "others": {"nodes": nodes, "resources": {"core": 1}},
    }
    process = {"between": between, "repair": repair, "nodes": "others"}
    work = [sl.Job(1, 0, until, resources={"gpu": 1})]
    result = sl.simulate(work, system={"groups": groups}, conditions={"failures": [process]})
    return result.states.collect().filter(polars.col("end") < until)


@pytest.mark.parametrize(
    ("law", "mean", "deviation"),
    [
        ("exponential(mean=500)", 500, 500),
        ("weibull(shape=0.7, scale=400)", 400 * math.gamma(1 + 1 / 0.7), None),
        ("weibull(shape=2, scale=400)", 400 * math.gamma(1.5), None),
        ("lognormal(median=300, sigma=0.5)", 300 * math.exp(0.125), None),
        ("fixed(seconds=123.5)", 123.5, 0),
    ],
)
def test_moments_of_draws(law, mean, deviation):
    frame = outages_of(law, law, 200, 40_000)
    lengths = (frame["end"] - frame["start"]).to_list()
    frame = frame.sort("node", "start")
    assert frame["node"].unique(maintain_order=True).to_list() == list(range(1, 201))
    rows = frame.select("node", "start", "end").rows()
    gaps = [b[1] - a[2] for a, b in pairwise(rows) if a[0] == b[0]]
    for values in (lengths, gaps):
        assert len(values) > 3000
        # Long ones are cut off at the end of the run, so the mean is a little low.
        assert sum(values) / len(values) == pytest.approx(mean, rel=0.05)
    if deviation is not None:
        found = math.sqrt(sum((v - mean) ** 2 for v in lengths) / len(lengths))
        assert found == pytest.approx(deviation, rel=0.1, abs=1e-6)


def test_racks_fail_as_one():
    groups = {
        "front": {"nodes": 1, "resources": {"core": 1, "gpu": 1}},
        "racks": {"nodes": 10, "resources": {"core": 1}, "rack": 4},
    }
    process = {"between": "exponential(mean=300)", "repair": "exponential(mean=60)", "per": "rack"}
    work = [sl.Job(1, 0, 20_000, resources={"gpu": 1})]

    def down_times(nodes: str) -> dict[int, list[tuple[float, float]]]:
        conditions = {"failures": [{**process, "nodes": nodes}]}
        result = sl.simulate(work, system={"groups": groups}, conditions=conditions)
        found: dict[int, list[tuple[float, float]]] = {}
        for row in result.states.collect().rows(named=True):
            found.setdefault(row["node"], []).append((row["start"], row["end"]))
        return found

    whole = down_times("racks")
    assert sorted(whole) == list(range(1, 11))
    for rack in (range(1, 5), range(5, 9), range(9, 11)):  # the last one is not full
        assert all(whole[node] == whole[rack[0]] for node in rack)
    assert len({tuple(whole[node]) for node in (1, 5, 9)}) == 3
    assert len(whole[1]) > 20
    part = down_times("2, 4-6")  # a rack fails as it does, whichever of its nodes are meant
    assert part == {node: whole[node] for node in (2, 4, 5, 6)}


def test_failures_cost_the_same_on_a_platform_whose_cores_have_one_speed():
    """What an attempt had done when it failed is asked of the platform, where there is one."""
    platform = {
        "processors": {"p": {"cores": 4, "clock": 2, "power": {"core": 9, "shared": 1, "idle": 0}}},
        "node_types": {"n": {"processors": {"p": 1}}},
        "groups": {"n": {"nodes": 6, "type": "n"}},
    }
    plain = {"groups": {"n": {"nodes": 6, "resources": {"core": 4}}}}
    workload = [sl.Job(j.id, j.submit, j.run, j.processors) for j in jobs(3)]
    one, other = (
        sl.simulate(workload, system=system, scheduler="easy", conditions=OFTEN)
        for system in (platform, plain)
    )
    for table in ("jobs", "interruptions"):
        rows, expected = rows_of(one, table), rows_of(other, table)
        assert len(rows) == len(expected) > 0
        for row, same in zip(rows, expected, strict=True):
            for name in same:
                exact = name not in ("start", "end", "wait", "lost_seconds", "kept_seconds")
                if exact and "slowdown" not in name:
                    assert row[name] == same[name]
                else:  # speeds are fractions, so ends are rounded to the next nanosecond
                    numbers = [float(value or "nan") for value in (row[name], same[name])]
                    assert numbers[0] == pytest.approx(numbers[1], abs=1e-5, nan_ok=True)
    for name, value in other.metrics["failures"].items():
        assert one.metrics["failures"][name] == pytest.approx(value, abs=1e-5)
    for name, value in other.metrics["node_hours"].items():
        assert one.metrics["node_hours"][name] == pytest.approx(value, abs=1e-8)


def test_a_node_that_fails_at_the_last_moment_was_not_down_for_any_time():
    conditions = Conditions(failure_trace=FailureTrace([(1, 10, 20)]))
    result = sl.simulate([sl.Job(1, 0, 10, 4)], system=MACHINE, conditions=conditions)
    assert result.metrics["makespan"] == 10
    assert rows_of(result, "states") == []


def test_a_job_that_writes_no_checkpoint_spends_no_time_on_them():
    conditions = Conditions(
        failure_trace=FailureTrace([(5, 1, 2)]),
        resubmission=Resubmission("checkpoint", interval=50, cost=1, restart=2),
    )
    result = sl.simulate([sl.Job(1, 0, 36, 4)], system=MACHINE, conditions=conditions)
    assert result.metrics["node_hours"]["checkpoint"] == 0  # not a nanosecond
    assert result.metrics["node_hours"]["useful"] == pytest.approx(0.01)
