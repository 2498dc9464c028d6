"""Machines with processors or a network and all that happens there, for plots about these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedlab.durations import DAY

if TYPE_CHECKING:
    from schedlab.workload import Job

CORES = 4
PROCESSOR: dict[str, Any] = {
    "cores": CORES,
    "clock": 3.4,
    "memory_bandwidth": 38_400,
    "power": {"core": 6.0, "shared": 5.0, "idle": 1.0},
    "contention": {
        **{"b": -1.85e-5, "c": 32000, "da": 1.75, "db": 3500, "dc": 45000, "dd": 3000, "k": 0.6},
    },
    "steps": [{"clock": 1.7, "core": 2.0, "shared": 2.0, "idle": 0.5}],
}
BASE_WATTS = 20.0
FULL_WATTS = 29.0
"""Of a processor whose cores are all active."""


def equipped(system: dict[str, Any]) -> dict[str, Any]:
    """Returns the same machine of processors with clocks, contention and power, in racks."""
    types, groups = {}, {}
    for name, group in system["groups"].items():
        others = {kind: n for kind, n in group["resources"].items() if kind != "core"}
        types[name] = {
            "processors": {"quad": group["resources"]["core"] // CORES},
            "resources": others,
            "power": {"base": BASE_WATTS, "off": 2.0},
            "transitions": {
                "off": {"down_seconds": 30, "down_power": 25, "up_seconds": 120, "up_power": 30}
            },
        }
        groups[name] = {"nodes": group["nodes"], "type": name, "rack": 2}
    return {**system, "processors": {"quad": PROCESSOR}, "node_types": types, "groups": groups}


def conditions(system: dict[str, Any]) -> dict[str, Any]:
    """Returns conditions of every kind for an equipped machine: cap, failures, prices, heat."""
    full = sum(
        group["nodes"]
        * (BASE_WATTS + FULL_WATTS * sum(system["node_types"][name]["processors"].values()))
        for name, group in system["groups"].items()
    )
    day = {"times": [0.0, 21_600.0, 64_800.0], "every": float(DAY)}
    return {
        "seed": 1,
        "failures": [
            {"between": "weibull(shape=0.7, scale=60000)", "repair": "exponential(mean=5000)"}
        ],
        "resubmission": {"from": "checkpoint", "interval": 1800, "cost": 30, "restart": 60},
        "switch_off": {"after": 600, "keep": 1},
        "caps": [
            {"watts": {**day, "values": [1.1 * full, 0.75 * full, 1.1 * full]}, "action": "slow"}
        ],
        "price": {**day, "values": [0.12, 0.31, 0.18]},
        "carbon": {**day, "values": [320.0, 140.0, 400.0]},
        "thermal": {"resistance": 0.08, "time_constant": 600.0, "supply": 18.0, "limit": 70.0},
    }


def connected(system: dict[str, Any]) -> dict[str, Any]:
    """Returns the same machine with its nodes in a torus, of several dimensions if they fit."""
    nodes = sum(group["nodes"] for group in system["groups"].values())
    dimensions, each = {6: ([3, 2], 1), 16: ([2, 2, 2], 2)}.get(nodes, ([nodes], 1))
    network = {
        "topology": "torus",
        "dimensions": dimensions,
        "nodes_per_router": each,
        "bandwidth": 1e9,
        "delay": 1e-6,
        "host_bandwidth": 4e9,
        "host_delay": 1e-6,
    }
    return {**system, "network": network}


def with_applications(jobs: list[Job]) -> list[Job]:
    """Returns the jobs, most of which run applications that fill their recorded times."""
    texts = (
        "stencil-2d(bytes=1M, iterations=run, compute=0.05)",
        "allreduce(bytes=4M, iterations=run, compute=0.01)",
        None,
        "even-odd(bytes=2M, iterations=run)",
    )
    return [job.replace(application=texts[job.id % len(texts)]) for job in jobs]
