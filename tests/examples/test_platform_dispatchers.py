"""examples/dispatchers: schedulers and allocators that know of power and failures."""

from __future__ import annotations

import gzip
import importlib
import math
import random
import sys
from itertools import islice
from pathlib import Path

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.testing import SCENARIOS, Scenario, check_allocator, check_scheduler

FOLDER = Path(__file__).parents[2] / "examples" / "dispatchers"
sys.path.insert(0, str(FOLDER))
awake_first, cheap_hours, power_easy, settled_nodes, study = (
    importlib.import_module(name)
    for name in ("awake_first", "cheap_hours", "power_easy", "settled_nodes", "study")
)
sys.path.remove(str(FOLDER))

MACHINE = {
    "processors": {
        "quad": {"cores": 4, "clock": 2.0, "power": {"core": 10, "shared": 6, "idle": 1}}
    },
    "node_types": {
        "node": {
            "processors": {"quad": 2},
            "power": {"base": 20, "off": 2},
            "transitions": {
                "off": {"down_seconds": 5, "down_power": 30, "up_seconds": 20, "up_power": 60}
            },
        }
    },
    "groups": {"node": {"nodes": 4, "type": "node"}},
}
IDLE, CORE = 88.0, 15.0
"""Watts of the idle machine, and that a core adds at most: that of an otherwise idle socket."""

SINGLE = {
    "processors": {"one": {"cores": 1, "clock": 2.0, "power": {"core": 9, "shared": 2, "idle": 1}}},
    "node_types": {"node": {"processors": {"one": 2}}},
    "groups": {"node": {"nodes": 4, "type": "node"}},
}
"""Eight processors that draw 1 W idle and 11 W at work."""


class Meter(sl.AdditionalData):
    """Publishes power and a cap where the machine has none."""

    publishes = ("power", "cap")

    def update(self, state):
        busy = state.machine.processors - state.machine.free_processors
        return {"power": 10.0 * busy, "cap": 10.0 * state.machine.processors}


def random_jobs(seed, count=40, widest=8, apart=60):
    draw = random.Random(seed)
    jobs, now = [], 0
    for number in range(1, count + 1):
        now += draw.choice((0, 0, draw.randrange(apart)))
        run = draw.randrange(1, 300)
        requested = run + draw.choice((0, draw.randrange(200)))
        jobs.append(sl.Job(number, now, run, draw.randrange(1, widest + 1), requested))
    return jobs


def starts(jobs, **parts):
    result = sl.simulate(jobs, **{"system": SINGLE, **parts})
    frame = result.jobs.sort("job_id").collect()
    return dict(zip(frame["job_id"], frame["start"], strict=True))


SEEDS = st.integers(0, 10**6)


# ---- conformance


def test_cheap_hours_conforms():
    check_scheduler(cheap_hours.CheapHours)


def test_power_easy_conforms():
    check_scheduler(lambda: power_easy.PowerEasy(10.0), data=lambda: [Meter()], skip=["too-large"])
    capped = Scenario(
        "capped",
        system=MACHINE,
        jobs=random_jobs(1, widest=12),
        options={"conditions": {"caps": [{"watts": IDLE + 13 * CORE}]}},
    )
    check_scheduler(lambda: power_easy.PowerEasy(CORE), scenarios=[capped], skip=SCENARIOS)


def test_settled_nodes_conforms():
    check_allocator(settled_nodes.SettledNodes)


def test_awake_first_conforms():
    resting = Scenario(
        "resting",
        system=MACHINE,
        jobs=random_jobs(2, widest=12),
        options={"conditions": {"switch_off": {"after": 10}}},
    )
    check_allocator(awake_first.AwakeFirst, scenarios=[resting], skip=SCENARIOS)


# ---- energy


@examples(40)
@given(seed=SEEDS)
def test_awake_first_is_least_added_power(seed):
    parts = {"system": MACHINE, "scheduler": "easy", "conditions": {"switch_off": {"after": 10}}}
    jobs = random_jobs(seed, widest=20)
    ours = sl.simulate(jobs, allocator=awake_first.AwakeFirst(), **parts)
    native = sl.simulate(jobs, allocator="least-added-power", **parts)
    assert sl.compare_schedules(ours, native).identical
    assert ours.metrics["energy"] == native.metrics["energy"]


@examples(40)
@given(seed=SEEDS)
def test_without_patience_it_is_easy(seed):
    jobs = random_jobs(seed)
    assert starts(jobs, scheduler=cheap_hours.CheapHours(patience=0)) == starts(
        jobs, scheduler="easy"
    )


TARIFF = {"price": {"times": [0, 7200], "values": [3, 1]}, "carbon": 100}


@pytest.mark.parametrize(
    ("run", "options", "start"),
    [
        (7200, {}, 7200),  # the whole job is cheap from there on
        (7200, {"patience": 3600}, 3600),  # half of it
        (7200, {"stretch": 0.25}, 1800),
        (7200, {"longest": 7199}, 0),
        (7200, {"by": "carbon"}, 0),  # the same at all times, so now
        (1000, {}, 0),  # too short to wait half an hour
    ],
)
def test_a_job_takes_its_cheapest_start(run, options, start):
    scheduler = cheap_hours.CheapHours(TARIFF, **options)
    assert starts([sl.Job(1, 0, run, 1)], scheduler=scheduler) == {1: start}


def test_who_is_held_back_lets_others_pass():
    jobs = [sl.Job(1, 0, 7200, 8), sl.Job(2, 10, 60, 8)]
    assert starts(jobs, scheduler=cheap_hours.CheapHours(TARIFF)) == {1: 7200, 2: 10}


def test_waiting_for_cheap_hours_costs_less():
    jobs = [sl.Job(n, 600 * n, 7200, 1) for n in range(1, 9)]
    cost = {}
    for scheduler in ("easy", cheap_hours.CheapHours(TARIFF)):
        result = sl.simulate(jobs, system=SINGLE, scheduler=scheduler, conditions=TARIFF)
        cost[str(scheduler)[:4]] = result.metrics["energy"]["cost"]
    easy, ours = cost.values()
    assert ours < 0.8 * easy


# ---- caps


@examples(40)
@given(seed=SEEDS)
def test_under_a_cap_that_does_not_bind_it_is_easy(seed):
    jobs = random_jobs(seed)
    conditions = {"caps": [{"watts": 88}]}
    ours = starts(jobs, scheduler=power_easy.PowerEasy(10.0), conditions=conditions)
    assert ours == starts(jobs, scheduler="easy")


@examples(40)
@given(seed=SEEDS, processors=st.integers(4, 8))
def test_watts_are_reserved_like_processors(seed, processors):
    """A cap for N processors is a machine of N: the same starts as EASY has there."""
    jobs = random_jobs(seed, widest=processors)
    conditions = {"caps": [{"watts": 8 + 10 * processors}]}
    ours = starts(jobs, scheduler=power_easy.PowerEasy(10.0), conditions=conditions)
    small = {"groups": {"node": {"nodes": processors, "resources": {"core": 1}}}}
    assert ours == starts(jobs, system=small, scheduler="easy")


def test_easy_starves_a_wide_job_under_a_cap_and_power_easy_does_not():
    small = [sl.Job(n, 40 * n, 100, 2, 100) for n in range(1, 60)]
    jobs = sorted([*small, sl.Job(100, 101, 50, 6, 50)], key=lambda job: job.submit)
    conditions = {"caps": [{"watts": 8 + 60}]}  # for six processors
    plain = sl.simulate(jobs, system=SINGLE, scheduler="easy", conditions=conditions)
    ours = sl.simulate(
        jobs, system=SINGLE, scheduler=power_easy.PowerEasy(10.0), conditions=conditions
    )
    wait = {}
    for name, result in (("plain", plain), ("ours", ours)):
        frame = result.jobs.collect()
        wait[name] = frame.filter(frame["job_id"] == 100)["wait"].item()
        energy = result.metrics["energy"]
        assert energy["peak_power"] <= 68 + 1e-6
        assert energy["caps"][0]["energy_above"] == 0
    assert wait["ours"] <= 100 < 1000 < wait["plain"]
    assert ours.metrics["energy"]["caps"][0]["refused_starts"] == 0
    assert plain.metrics["energy"]["caps"][0]["refused_starts"] > 0


# ---- failures


def test_long_jobs_avoid_what_was_just_repaired(tmp_path):
    trace = tmp_path / "down.csv"
    trace.write_text("node,start,end\n0,10,50\n2,10,70\n")
    conditions = {"failure_trace": {"file": str(trace)}}
    jobs = [
        sl.Job(1, 0, 5, 1),  # the processes begin at the first submission
        sl.Job(2, 80, 40, 3, 1000),  # long
        sl.Job(3, 80, 40, 1, 10),  # short
    ]
    result = sl.simulate(
        jobs,
        system=SINGLE,
        scheduler="easy",
        allocator=settled_nodes.SettledNodes(long=100),
        conditions=conditions,
    )
    nodes = dict(result.jobs.select("job_id", "nodes").collect().iter_rows())
    assert nodes[2] == "1*2 3"
    assert nodes[3] == "2"


@pytest.mark.parametrize("cost", [10, 60, 600])
@pytest.mark.parametrize("between", [3600, 86400, 2e6])
def test_daly_interval_loses_the_least_time(cost, between):
    """Against Daly's complete model of the time that a job takes, tried at other intervals."""

    def taken(interval):
        return between * math.expm1((interval + cost) / between) / interval

    best = settled_nodes.daly_interval(cost, between)
    assert taken(best) <= 1.001 * min(taken(best * factor / 50) for factor in range(10, 250))


def test_daly_interval_of_checkpoints_that_take_too_long():
    assert settled_nodes.daly_interval(100, 50) == 50


# ---- the study


@pytest.mark.parametrize("kind", ["energy", "cap", "failures"])
def test_study_prints_a_table_and_draws(kind, tmp_path, capsys):
    path = tmp_path / "jobs.swf"
    draw = random.Random(3)
    rows = []
    for number in range(1, 61):
        run, processors = draw.randrange(60, 20000), draw.randrange(1, 200)
        fields = (number, 600 * number, -1, run, processors, -1, -1, processors, 2 * run)
        rows.append(" ".join(map(str, (*fields, *[-1] * 9))))
    path.write_text("\n".join(rows) + "\n")
    means = study.study(kind, str(path), 1.0, 1, str(tmp_path / "out"))
    lines = capsys.readouterr().out.splitlines()
    assert [line[:20].strip() for line in lines[1 : 1 + len(means)]] == [n.strip() for n in means]
    assert all(math.isfinite(value) for row in means.values() for value in row)
    assert (tmp_path / "out" / f"{kind}.png").stat().st_size > 5_000
    columns = list(study.COLUMNS[kind])
    if kind == "cap":
        assert any(line.startswith("left out: ") for line in lines)
        peak = columns.index("peak (W)")
        assert all(row[peak] <= 19_000 for name, row in means.items() if name != "no cap")
    if kind == "energy":
        kilowatt_hours = {name: row[0] for name, row in means.items()}
        assert kilowatt_hours["packed, off"] < kilowatt_hours["nodes stay on"]


def test_what_the_dispatchers_gain_on_the_trace(trace, tmp_path, capsys):
    """Thirty days of HPC2N: what the tutorials say of more of it."""
    path = str(tmp_path / "hpc2n.swf")
    with gzip.open(trace("HPC2N-2002-2.2-cln.swf.gz"), "rt") as file:
        Path(path).write_text("".join(islice(file, 2500)))
    means = study.study("cap", path, 30.0, 1, str(tmp_path / "cap"))
    wait = list(study.COLUMNS["cap"]).index("wait (h)")
    assert means["easy, slow"][wait] < means["PowerEasy, refuse"][wait]
    assert means["PowerEasy, refuse"][wait] < means["easy, refuse"][wait]
    means = study.study("failures", path, 30.0, 1, str(tmp_path / "failures"))
    lost = list(study.COLUMNS["failures"]).index("lost (nh)")
    assert means["checkpoints, Daly"][lost] < means["from the start"][lost] / 2
