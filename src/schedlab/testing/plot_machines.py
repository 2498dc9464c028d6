"""Machines with processors and all that can happen to them, for plots that are about these."""

from __future__ import annotations

from typing import Any

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
    day = {"times": [0.0, 21_600.0, 64_800.0], "every": 86_400.0}
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
