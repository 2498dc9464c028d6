"""What the engine gets about a machine's network."""

from __future__ import annotations

from schedlab.fields import by_name

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from typing import Any

    from schedlab.system.definition import System
    from schedlab.system.network.definition import Network

_MEGA = 1e6  # memory bandwidths of processors are in MB/s
_GIGA = 1e9  # clocks are in GHz


def for_engine(system: System) -> dict[str, Any] | None:
    """Returns links, routing, messages, files and rates in bytes and seconds.

    None for a machine without a network.
    """
    network = system.network
    if network is None:
        return None
    return {
        **topology_fields(network),
        "messages": _messages(network),
        "files": _files(network),
        "compute": compute_rates(system),
    }


def topology_fields(network: Network) -> dict[str, Any]:
    """Returns nodes, routers, links and routing alone, in bytes and seconds."""
    return {
        "topology": network.topology,
        **network.engine_fields(),
        "host_bytes_per_second": network.host_bandwidth / 8,
        "host_delay_seconds": network.host_delay,
        "routing": network.routing,
    }


def compute_rates(system: System) -> dict[str, float] | None:
    """Returns what a core does in a second, or None where nothing says so.

    Without rates of its own, a network has those of the processor types: integer operations as
    many as cycles, floating-point ones by `flops_per_cycle`, and a core's share of the memory
    bandwidth. Of several types the slowest one counts, which is what a parallel job waits for.
    """
    network = system.network
    if network is not None and network.compute is not None:
        return by_name(network.compute)
    if not system.platform:
        return None
    from schedlab.system.platform import processor_types

    kinds = processor_types(system)
    memory = [
        kind.memory_bandwidth * _MEGA / kind.cores
        for kind in kinds
        if kind.memory_bandwidth is not None
    ]
    if len(memory) < len(kinds):
        return None
    return {
        "integer": min(kind.clock for kind in kinds) * _GIGA,
        "floating": min(kind.clock * kind.flops_per_cycle for kind in kinds) * _GIGA,
        "memory": min(memory),
    }


def _messages(network: Network) -> dict[str, Any]:
    rules = network.messages
    engine_rules = by_name(rules)
    engine_rules["injection"] = rules.injection or 0.0
    engine_rules["memory_bytes_per_second"] = engine_rules.pop("memory_bandwidth") / 8
    return engine_rules


def _files(network: Network) -> dict[str, float] | None:
    """Returns the bandwidths; 0 for one node: no limit of its own."""
    if network.files is None:
        return None
    return {
        "bytes_per_second": network.files.bandwidth,
        "node_bytes_per_second": network.files.node_bandwidth or 0.0,
    }
