"""What describes a machine and what happens to it: systems, conditions, windows and queues."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import yaml
from fuzz.harness import Sample, Target, run_command

PLATFORM = """name = "i5 cluster"
start_time = 1027839845
[processors.i5-7500]
cores = 4
clock = 3.4
memory_channels = 2
memory_bandwidth = 38400
power = { core = 6.14, shared = 5.59, idle = 0.28 }
contention = { b = -1.85e-5, c = 32000, da = 1.75, db = 3500, dc = 45000, dd = 3000, k = 0.6 }
steps = [
  { clock = 2.5, core = 3.51, shared = 3.20, idle = 0.16 },
  { clock = 1.7, core = 2.31, shared = 1.59, idle = 0.08 },
]
[processors.i5-slow]
like = "i5-7500"
clock = 1.7
steps = [{ clock = 1.2, core = 2.31, shared = 1.59, idle = 0.08 }]
[node_types.fast]
processors = { i5-7500 = 1 }
resources = { mem = 8_388_608 }
power = { base = 60.0, off = 5.0 }
transitions = { off = { down_seconds = 60, down_power = 100, up_seconds = 180, up_power = 120 } }
[node_types.slow]
like = "fast"
processors = { i5-slow = 1 }
[groups.fast]
nodes = 12
type = "fast"
rack = 6
[groups.slow]
nodes = 4
type = "slow"
rack = 2
"""
TORUS = """name = "torus"
processor = { core = 2 }
[groups.compute]
nodes = 32
resources = { core = 16 }
[network]
topology = "torus"
dimensions = [4, 2, 2]
nodes_per_router = 2
parallel_links = [2, 1, 2]
bandwidth = 3.744e10
delay = 0.10875e-6
host_bandwidth = 1.6e11
host_delay = 0.635e-6
[network.messages]
switch_over = 4096
[network.files]
bandwidth = 1.6e11
[network.compute]
integer = 2.4e9
floating = 9.6e9
memory = 5.33e9
"""
FAT_TREE = """[groups.compute]
nodes = 16
resources = { core = 4 }
[network]
topology = "fat-tree"
down = [4, 4]
up = [4]
bandwidth = 1e11
delay = 1e-7
host_bandwidth = 1e11
host_delay = 1e-7
"""
DRAGONFLY = """[groups.compute]
nodes = 72
resources = { core = 4 }
[network]
topology = "dragonfly"
groups = 9
columns = 4
rows = 1
nodes_per_router = 2
links_between = 1
local_bandwidth = 1e11
local_delay = 1e-7
global_bandwidth = 1e11
global_delay = 1e-6
host_bandwidth = 1e11
host_delay = 1e-7
"""
ACCASIM = {
    "system_name": "Seth - HPC2N",
    "start_time": 1027839845,
    "equivalence": {"processor": {"core": 2}},
    "groups": {"g0": {"core": 4, "mem": 1000000}, "g1": {"core": 8, "gpu": 2}},
    "resources": {"g0": 120, "g1": 3},
}
_I5 = {
    **{"type": "CPU", "cores": 4, "clock_rate": 3.4, "mem_bw": 38.4, "dpflops_per_cycle": 1},
    **{"min_power": 0.05, "dynamic_power": 6.14, "static_power": 5.59, "b": -1.85e-5, "c": 32000},
    **{"da": 1.75, "db": 3500, "dc": 45000, "dd": 3000},
}
IRMASIM = {
    "platform": {
        "lab": {
            "id": "lab",
            "clusters": [{"id": "c0", "nodes": [{"type": "fast", "number": 8}], "local_links": {}}],
            "model_name": "modelV1",
        }
    },
    "node": {
        "fast": {
            "processors": [{"type": "i5", "number": 1}],
            "memory": {"type": "DDR4-2400", "capacity": 8},
        }
    },
    "processor": {"i5": _I5},
}
CONDITIONS = """seed = 1
[[failures]]
nodes = "0-1"
between = "weibull(shape=0.7, scale=2.6e6)"
repair = "exponential(mean=14400)"
[[failures]]
per = "rack"
between = "exponential(mean=1e7)"
repair = "lognormal(median=7200, sigma=1)"
[resubmission]
from = "checkpoint"
interval = 3600
cost = 60
[switch_off]
after = 600
keep = 2
[[caps]]
watts = 9000
[[caps]]
name = "night"
file = "cap.csv"
every = 86400
group = "fast"
action = "slow"
[price]
file = "price.csv"
[carbon]
times = [0, 28800, 72000]
values = [40, 300, 40]
every = 86400
[thermal]
resistance = 0.15
time_constant = 600
limit = 75
"""
FAILURE_TRACE = """[failure_trace]
file = "outages.csv"
"""
WINDOWS = """[[windows]]
name = "service"
start = 86400
end = 100800
nodes = "fast"
every = 604800
times = 4
[[windows]]
name = "course"
start = 50
end = 210
nodes = "0-3"
when = "user == 7"
"""
QUEUES = """[[queues]]
name = "capability"
priority = 2
when = "processors >= 0.2 * machine.processors"
[[queues]]
name = "normal"
priority = 1
"""


def _in_all_formats(stem: str, table: object, toml: str | None = None) -> dict[str, bytes]:
    """Returns a table as files of each format."""
    files = {
        f"{stem}.json": json.dumps(table).encode(),
        f"{stem}.yaml": yaml.safe_dump(table).encode(),
    }
    return {**files, f"{stem}.toml": toml.encode()} if toml else files


def _systems() -> list[Sample]:
    files: dict[str, bytes] = {}
    for stem, toml in (("i5", PLATFORM), ("torus", TORUS), ("tree", FAT_TREE), ("fly", DRAGONFLY)):
        files |= _in_all_formats(stem, tomllib.loads(toml), toml)
    files |= _in_all_formats("seth", ACCASIM) | _in_all_formats("lab", IRMASIM)
    return [Sample(name, {name: content}) for name, content in files.items()]


def _beside() -> list[Sample]:
    """Returns files that go with the platform: conditions, windows, queues."""
    others = {
        "platform.toml": PLATFORM.encode(),
        "price.csv": b"time,price\n0,0.4\n50,-0.01\n",
        "cap.csv": b"time,watts\n0,5000\n43200,9000\n",
        "outages.csv": b"node,start,end\n3,100,300\n4,120.5,130\n",
    }
    samples = []
    for stem, toml in (
        ("conditions", CONDITIONS),
        ("conditions", FAILURE_TRACE),
        ("windows", WINDOWS),
        ("queues", QUEUES),
    ):
        for name, content in _in_all_formats(stem, tomllib.loads(toml), toml).items():
            damaged = (
                name,
                *(("price.csv", "cap.csv", "outages.csv") if stem == "conditions" else ()),
            )
            samples.append(Sample(name, {**others, name: content}, damaged))
    return samples


def _few_jobs(system: object, **options: object) -> None:
    import schedlab as sl

    jobs = [sl.Job(i, submit=10 * i, run=50, processors=1 + i % 4, user=7) for i in range(1, 8)]
    sl.simulate(jobs, system=system, scheduler="easy", **options)


def _simulate_on(name: str, folder: Path) -> None:
    from schedlab.system import load_system

    _few_jobs(load_system(folder / name))


def _show(name: str, folder: Path) -> None:
    run_command("system", "show", str(folder / name), codes=(0, 2))


def _simulate_beside(name: str, folder: Path) -> None:
    _few_jobs(str(folder / "platform.toml"), **{name.partition(".")[0]: str(folder / name)})


TARGETS = [
    Target("systems", _systems, _simulate_on),
    Target("systems-shown", _systems, _show),
    Target("conditions", _beside, _simulate_beside),
]
