"""What a network amounts to: routers, links, bandwidths, hops, latencies."""

from __future__ import annotations

from schedlab.fields import by_name
from schedlab.system.network.engine import compute_rates
from schedlab.system.network.fat_tree import FatTree
from schedlab.system.network.network_table import network_table

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system.definition import System
    from schedlab.system.network.definition import LinkKind, Network

SMALL_MESSAGE = 8
"""Bytes of the message whose latencies are reported, as benchmarks of MPI do."""


def network_facts(system: System) -> dict[str, Any] | None:
    """Returns what `schedlab system show` shows of the network; None where there is none.

    Bandwidths are in bit/s, of one direction; latencies in seconds, alone on the wires.
    """
    network = system.network
    if network is None:
        return None
    table = network_table(network)
    facts: dict[str, Any] = {
        "topology": network.topology,
        "text": network.text,
        "nodes": network.nodes,
        "routers": network.routers,
        "diameter": network.diameter,
        "bisection_bandwidth": network.bisection,
        "routing": network.routing,
        "links": [_kind(kind) for kind in network.link_kinds()],
        "latency": {
            "bytes": SMALL_MESSAGE,
            "nearest_seconds": network.latency(SMALL_MESSAGE, nearest(network)),
            "farthest_seconds": network.latency(SMALL_MESSAGE, network.farthest()),
        },
        "messages": table["messages"],
        "files": table.get("files"),
        "compute": compute_rates(system),
    }
    if isinstance(network, FatTree):
        facts["levels"] = list(network.levels)
        facts["tapering"] = list(network.tapering)
    return facts


def nearest(network: Network) -> tuple[LinkKind, ...]:
    """Returns the links between routers on the way to the nearest node."""
    if network.nodes > network.routers or isinstance(network, FatTree):
        return ()  # it is at the same router
    kinds = [kind for kind in network.kinds_between_routers() if kind.links]
    return tuple(kinds[:1])


def _kind(kind: LinkKind) -> dict[str, Any]:
    return {
        **by_name(kind),
        "total_bandwidth": kind.links * kind.ports * kind.bandwidth,
    }
