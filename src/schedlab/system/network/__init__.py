"""What connects the nodes of a machine: topologies, links, messages, a shared file system.

Loaded when a machine has a network: others do not pay for it.
"""

from __future__ import annotations

from schedlab.system.network.definition import LinkKind, Network
from schedlab.system.network.dragonfly import Dragonfly
from schedlab.system.network.engine import for_engine
from schedlab.system.network.fat_tree import FatTree
from schedlab.system.network.messages import ComputeRates, Files, Messages
from schedlab.system.network.torus import Torus

__all__ = [
    "ComputeRates",
    "Dragonfly",
    "FatTree",
    "Files",
    "LinkKind",
    "Messages",
    "Network",
    "Torus",
    "for_engine",
]
