"""Whether two versions give the same results, byte for byte.

    python benchmarks/same_results.py write before.json     # with one version installed
    python benchmarks/same_results.py compare before.json   # with the other

Ten dispatchers on the whole of HPC2N, and runs with mixed requests, windows, failures, sockets,
caps, temperatures, and applications at four levels of fidelity. Of each run: checksums of jobs.csv
and of timeline.csv without its last three columns, which are times of the clock and memory, and of
tables such as interruptions.csv.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import schedlab as sl

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TRACES = os.path.join(os.path.dirname(ROOT), "shared", "traces")
DISPATCHERS = (
    *("reject", "fifo", "sjf", "ljf", "fcfs-bf", "easy", "easy(order=shortest, depth=100)"),
    *("easy(reservations=3, depth=50)", "conservative", "score:processors * estimate"),
)
SETH = {
    "system_name": "Seth",
    "start_time": 1027839845,
    "equivalence": {"processor": {"core": 2}},
    "groups": {"g0": {"core": 4, "mem": 1000000}},
    "resources": {"g0": 120},
}
MIXED = {
    "groups": {
        "thin": {"nodes": 12, "resources": {"core": 8, "mem": 32}},
        "fat": {"nodes": 4, "resources": {"core": 8, "mem": 128, "gpu": 2}},
    }
}
SOCKETS = {
    "processors": {
        "p": {
            **{"cores": 4, "clock": 3.4, "memory_bandwidth": 38400},
            "power": {"core": 6.14, "shared": 5.59, "idle": 0.28},
            "contention": {
                **{"b": -1.85e-5, "c": 32000, "da": 1.75, "db": 3500, "dc": 45000, "dd": 3000},
                "k": 0.6,
            },
            "steps": [{"clock": 2.5, "core": 3.51, "shared": 3.2, "idle": 0.16}],
        }
    },
    "node_types": {
        "n": {
            "processors": {"p": 2},
            "power": {"base": 20.0, "off": 2.0},
            "transitions": {
                "off": {"down_seconds": 30, "down_power": 60, "up_seconds": 120, "up_power": 90}
            },
        }
    },
    "groups": {"g": {"nodes": 8, "type": "n", "rack": 4}},
}
FAILURES = {
    "seed": 3,
    "failures": [
        {"between": "weibull(shape=0.7, scale=30000)", "repair": "exponential(mean=3000)"}
    ],
    "resubmission": {"from": "checkpoint", "interval": 300, "cost": 10, "restart": 20},
}
CAPS = {
    "caps": [{"watts": 520, "action": "slow"}],
    "switch_off": {"after": 300, "to": "off", "keep": 1},
}
THERMAL = {"thermal": {"resistance": 0.3, "time_constant": 600, "limit": 43, "recirculation": 0.01}}
TORUS = {
    "groups": {"node": {"nodes": 128, "resources": {"core": 4}}},
    "network": {
        **{"topology": "torus", "dimensions": [4, 4, 4], "nodes_per_router": 2},
        **{"bandwidth": 8e9, "delay": 1e-7, "host_bandwidth": 3.2e10, "host_delay": 5e-7},
    },
}
WORK = {"instructions": 2e12, "ipc": 1.1, "memory_volume": 3e11}


def jobs(count: int, shaped: bool = False, work: bool = False) -> list[sl.Job]:
    """Returns jobs that keep 128 cores busy: of several shapes, or with work for processors."""
    draw, submit, made = random.Random(count), 0.0, []
    for number in range(1, count + 1):
        submit += draw.expovariate(1 / 140)
        run = draw.randint(60, 2000)
        given: dict[str, Any] = {}
        if shaped and draw.random() < 0.5:
            kinds = {"core": draw.randint(1, 4), "mem": draw.randint(1, 32)}
            given["resources"] = {**kinds, **({"gpu": 1} if draw.random() < 0.2 else {})}
        if work:
            share = draw.choice((0, 0.2, 0.5))
            given["attributes"] = {name: value * share or -1 for name, value in WORK.items()}
        made.append(
            sl.Job(
                number,
                int(submit),
                run,
                draw.choice((1, 2, 4, 8, 16)),
                requested_time=run + draw.choice((0, 0, 600, 3000)),
                user=draw.randint(1, 5),
                predecessors=[number - 2] if draw.random() < 0.03 and number > 2 else [],
                **given,
            )
        )
    return made


def applications() -> list[sl.Job]:
    """Returns jobs of which most run an application on 8 to 32 nodes."""
    draw = random.Random(1)
    mix = (
        "stencil-3d(bytes=64k, iterations=5, compute=0.01)",
        "random-pairs(bytes=128k, iterations=5, compute=0.01)",
        "allreduce(bytes=64k, iterations=5)",
        None,
    )
    return [
        sl.Job(
            number,
            submit=number // 8,
            run=1.0,
            processors=draw.choice((8, 16, 27, 32)),
            **{"tasks_per_node": 1, "whole_nodes": True, "application": draw.choice(mix)},
        )
        for number in range(1, 61)
    ]


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the name of each run and the arguments of `simulate`."""
    hpc2n = os.path.join(TRACES, "HPC2N-2002-2.2-cln.swf.gz")
    if os.path.exists(hpc2n):
        for scheduler in DISPATCHERS:
            yield f"HPC2N {scheduler}", {"workload": hpc2n, "system": SETH, "scheduler": scheduler}
        slow = {"rules": "pyss", "scheduler": "easy"}
        yield "HPC2N as PySS", {"workload": hpc2n, "system": SETH, **slow}
    shaped = jobs(1000, shaped=True)
    for scheduler in ("fifo", "easy", "easy(reservations=3)", "conservative(depth=50)"):
        yield f"shapes {scheduler}", {"workload": shaped, "system": MIXED, "scheduler": scheduler}
    windows = [sl.Window(20_000, 30_000, "0-3"), sl.Window(60_000, 61_000)]
    for scheduler in ("easy", "conservative"):
        given = {"windows": windows, "scheduler": scheduler}
        yield f"windows {scheduler}", {"workload": shaped, "system": MIXED, **given}
    worked = jobs(400, work=True)
    conditions = {
        "sockets": {},
        "failures": FAILURES,
        "caps": CAPS,
        "thermal": THERMAL,
        "everything": {**FAILURES, **CAPS, **THERMAL},
    }
    for name, given in conditions.items():
        for scheduler in ("easy", "conservative"):
            more = {"conditions": given, "scheduler": scheduler, "enforce_limits": True}
            yield f"{name} {scheduler}", {"workload": worked, "system": SOCKETS, **more}
    yield "failing nodes", {"workload": shaped, "system": MIXED, "conditions": FAILURES}
    for fidelity in ("analytic", "fluid", "packet", "phase"):
        more = {"fidelity": fidelity, "scheduler": "easy"}
        yield f"applications {fidelity}", {"workload": applications(), "system": TORUS, **more}


def checksums(given: dict[str, Any], folder: str) -> dict[str, str]:
    """Returns a checksum per table of a run."""
    sl.simulate(given.pop("workload"), out=folder, **given)
    found = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".csv"):
            continue
        with open(os.path.join(folder, name), "rb") as file:
            lines = file.read().splitlines()
        if name == "timeline.csv":
            lines = [line.rsplit(b",", 3)[0] for line in lines]
        found[name] = hashlib.sha256(b"\n".join(lines)).hexdigest()[:16]
    return found


def main() -> int:
    """Writes or compares; returns the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("file")
    parser.add_argument("--only", default="", help="runs whose name begins with this")
    chosen = parser.parse_args()
    found = {}
    for name, given in cases():
        if name.startswith(chosen.only):
            with tempfile.TemporaryDirectory() as folder:
                found[name] = checksums(given, os.path.join(folder, "run"))
            print(name, *found[name].values(), flush=True)
    if chosen.what == "write":
        with open(chosen.file, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=2)
        return 0
    with open(chosen.file, encoding="utf-8") as file:
        before = {name: tables for name, tables in json.load(file).items() if name in found}
    differ = [name for name in found if found[name] != before.get(name)]
    print(f"{len(found) - len(differ)} of {len(found)} runs are the same")
    print("\n".join(f"differs: {name}" for name in differ))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
