"""Runs on a platform for tests of plots, with made-up failures and temperatures in their files."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import polars

import schedlab as sl

PROCESSOR = {
    "cores": 4,
    "clock": 3.4,
    "memory_channels": 2,
    "memory_bandwidth": 38400,
    "power": {"core": 6.14, "shared": 5.59, "idle": 0.28},
    "contention": {
        **{"b": -1.85e-5, "c": 32000, "da": 1.75, "db": 3500, "dc": 45000, "dd": 3000, "k": 0.6}
    },
    "steps": [{"clock": 1.7, "core": 2.31, "shared": 1.59, "idle": 0.08}],
}
NODE = {
    "processors": {"i5": 2},
    "power": {"base": 20.0, "sleeping": 8.0, "off": 2.0},
    "transitions": {
        "off": {"down_seconds": 30, "down_power": 60, "up_seconds": 120, "up_power": 90}
    },
}


def platform(nodes=15, name="i5 cluster", power=True):
    """Returns a system of such nodes, in racks of five."""
    processor = dict(PROCESSOR)
    node = dict(NODE)
    if not power:
        processor.pop("power")
        processor.pop("steps")
        node = {"processors": NODE["processors"]}
    return {
        "name": name,
        "processors": {"i5": processor},
        "node_types": {"compute": node},
        "groups": {"compute": {"nodes": nodes, "type": "compute", "rack": 5}},
    }


CONDITIONS = {
    "switch_off": {"after": 600, "keep": 1},
    "caps": [{"watts": 900, "action": "slow"}],
}


def jobs(count=300, seed=1, nodes=15):
    """Returns jobs with memory traffic that loads such a machine by about a half."""
    random = Random(seed)
    made, now = [], 0.0
    for number in range(1, count + 1):
        now += random.expovariate(nodes / 900)
        run = round(random.lognormvariate(6, 1), 1)
        made.append(
            sl.Job(
                number,
                submit=round(now),
                run=run,
                processors=random.choice((1, 2, 4, 8, 16)),
                requested_time=run * 2 + 1,
                attributes={"memory_volume": random.uniform(0, 12000) * run},
            )
        )
    return made


def run_of(folder, count=300, nodes=15, seed=1, **options):
    """Returns a run, written to the folder with its timeline."""
    given = {"scheduler": "easy", "timeline": "csv", **options}
    return sl.simulate(jobs(count, seed, nodes), system=platform(nodes), out=folder, **given)


STATES = [
    (0, "down", 1000, 4000),
    (3, "off", 2000, 9000),
    (3, "booting", 9000, 9120),
    (5, "sleeping", 500, 12000),
    (7, "stopping", 100, 1300),
    (2, "down", 6000, 6000.5),
]
"""Times in which nodes of `with_failures` were not simply on."""

INTERRUPTIONS = [(7, 1, 200, 1000, 0, 0, 800, "0-1*2"), (9, 1, 5000, 6000, 2, 300, 700, "2*8")]
HOURS = {"useful": 60.0, "checkpoint": 2.0, "lost": 3.0, "idle": 30.0, "down": 5.0}


def with_failures(folder):
    """Returns the run of a folder with failures, as if its nodes had failed."""
    folder = Path(folder)
    lines = [",".join(map(str, row)) for row in STATES]
    (folder / "states.csv").write_text("\n".join(["node,state,start,end", *lines, ""]))
    lines = [",".join(map(str, row)) for row in INTERRUPTIONS]
    header = "job_id,attempt,start,end,node,kept_seconds,lost_seconds,nodes"
    (folder / "interruptions.csv").write_text("\n".join([header, *lines, ""]))
    run = json.loads((folder / "run.json").read_text())
    run["files"] = sorted({*run["files"], "states.csv", "interruptions.csv"})
    run["metrics"] |= {
        "failures": {
            **{"node_failures": 2, "interruptions": 2, "interrupted_jobs": 2, "given_up": 0},
            "lost_node_seconds": 3.0 * 3600,
            "down_node_seconds": 5.0 * 3600,
        },
        "node_hours": HOURS,
        "effective_utilization": 0.6,
        "availability": 0.95,
    }
    run.pop("tables", None)  # they are not what was written any more
    (folder / "run.json").write_text(json.dumps(run))
    return sl.Result.load(folder)


def with_heat(folder, limit=60.0):
    """Returns the run of a folder with temperatures that follow its power."""
    folder = Path(folder)
    table = polars.read_csv(folder / "timeline.csv", infer_schema_length=None)
    power = table["power"]
    table = table.with_columns(
        (18 + power / 18).alias("hottest"),
        (18 + power / 30).alias("mean_temperature"),
        (power / 2.7).alias("cooling"),
    )
    table.write_csv(folder / "timeline.csv")
    run = json.loads((folder / "run.json").read_text())
    run["conditions"] = {"text": "", "thermal": {"limit": limit}}
    run["metrics"]["thermal"] = {
        "hottest": float(table["hottest"].max()),
        "throttled_node_seconds": 7200.0,
        "throttles": 3,
        "cooling_energy": 3.6e6,
    }
    run.pop("tables", None)  # they are not what was written any more
    (folder / "run.json").write_text(json.dumps(run))
    return sl.Result.load(folder)
