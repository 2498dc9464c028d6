"""A machine and conditions that have everything: contention, caps, heat, failures, prices.

And the same machine in partitions, with features.
"""

NODES = 8
CAP = 520
SYSTEM = {
    "name": "everything",
    "processors": {
        "p": {
            "cores": 4,
            "clock": 3.4,
            "memory_bandwidth": 38400,
            "power": {"core": 6.14, "shared": 5.59, "idle": 0.28},
            "contention": {
                **{"b": -1.85e-5, "c": 32000, "da": 1.75, "db": 3500, "dc": 45000, "dd": 3000},
                "k": 0.6,
            },
            "steps": [
                {"clock": 2.5, "core": 3.51, "shared": 3.2, "idle": 0.16},
                {"clock": 1.7, "core": 2.31, "shared": 1.59, "idle": 0.08},
            ],
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
    "groups": {"g": {"nodes": NODES, "type": "n", "rack": 4}},
}
_HALF = {"nodes": NODES // 2, "type": "n", "rack": 4}
DIVIDED = {
    **SYSTEM,
    "groups": {"g": {**_HALF, "features": ["ib"]}, "h": {**_HALF, "features": ["fast"]}},
    "partitions": {
        "left": {"nodes": "0-5"},
        "right": {"nodes": "2-7", "max_time": "2h"},
        "all": {},
    },
    "default_partition": "left",
    "licenses": {"matlab": 3, "scratch_gb": 1000},
}
CONDITIONS = {
    "seed": 3,
    "failures": [
        {"between": "weibull(shape=0.7, scale=30000)", "repair": "exponential(mean=3000)"},
        {"per": "rack", "between": "exponential(mean=90000)", "repair": "fixed(seconds=600)"},
    ],
    "resubmission": {"from": "checkpoint", "interval": 300, "cost": 10, "restart": 20},
    "switch_off": {"after": 300, "to": "off", "keep": 1},
    "caps": [{"watts": CAP, "action": "slow"}],
    "price": {"times": [0, 28800, 72000], "values": [0.1, 0.3, 0.2], "every": 86400},
    "carbon": 250,
    "thermal": {"resistance": 0.3, "time_constant": 600, "limit": 43, "recirculation": 0.01},
}
UNCAPPED = {name: part for name, part in CONDITIONS.items() if name != "caps"}
"""For a machine whose jobs preempt others, which does not go together with caps."""

PREEMPTING = {
    **DIVIDED,
    "partitions": {
        **DIVIDED["partitions"],
        "right": {
            **DIVIDED["partitions"]["right"],
            "preempt": {"priority": 1, "grace": 120, "exempt": 60},
        },
        "all": {"preempt": {"priority": 2, "victims": "cancel"}},
    },
}
"""Divided; jobs of two partitions take room from others."""
