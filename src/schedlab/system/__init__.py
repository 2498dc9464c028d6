"""What the machine is: groups of equal nodes, each node with amounts of any resource types.

Groups may have node types with processors, which have clocks, power and contention. These are
loaded when they are first used: machines without types do not pay for them. So is a network between
the nodes.
"""

from __future__ import annotations

from schedlab.system.definition import Group, System
from schedlab.system.load import load_system
from schedlab.system.partitions import Partition

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from schedlab.system.network import (
        ComputeRates,
        Dragonfly,
        FatTree,
        Files,
        Messages,
        Network,
        Torus,
    )
    from schedlab.system.node_types import NodePower, NodeType, Transition
    from schedlab.system.processors import Contention, FrequencyStep, Power, ProcessorType

__all__ = [
    "ComputeRates",
    "Contention",
    "Dragonfly",
    "FatTree",
    "Files",
    "FrequencyStep",
    "Group",
    "Messages",
    "Network",
    "NodePower",
    "NodeType",
    "Partition",
    "Power",
    "ProcessorType",
    "System",
    "Torus",
    "Transition",
    "load_system",
]

_HOMES = {
    "network": (
        *("ComputeRates", "Dragonfly", "FatTree", "Files", "Messages", "Network", "Torus"),
    ),
    "node_types": ("NodePower", "NodeType", "Transition"),
    "processors": ("Contention", "FrequencyStep", "Power", "ProcessorType"),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(__import__(f"schedlab.system.{home}", fromlist=[name]), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'schedlab.system' has no attribute {name!r}")
