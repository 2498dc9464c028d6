"""Descriptions of small networks for the engine and its naive twin."""

from __future__ import annotations

from typing import Any

HOST = {"host_bytes_per_second": 2e10, "host_delay_seconds": 0.5e-6}


def torus(
    dimensions: list[int], nodes_per_router: int = 1, routing: str = "dimension-order"
) -> dict[str, Any]:
    """Return a torus whose axes differ in ports, bandwidth and delay."""
    count = len(dimensions)
    return {
        "topology": "torus",
        "dimensions": dimensions,
        "nodes_per_router": nodes_per_router,
        "ports": [1 + axis for axis in range(count)],
        "bytes_per_second": [1e9 * (axis + 1) for axis in range(count)],
        "delay_seconds": [1e-7 * axis for axis in range(count)],
        "routing": routing,
        **HOST,
    }


def fat_tree(down: list[int], up: list[int], routing: str = "d-mod-k") -> dict[str, Any]:
    """Return a fat-tree whose levels differ in ports."""
    return {
        "topology": "fat-tree",
        "down": down,
        "up": up,
        "ports": [1 + level for level in range(len(up))],
        "bytes_per_second": [7e9] * len(up),
        "delay_seconds": [7e-7] * len(up),
        "routing": routing,
        **HOST,
    }


def dragonfly(
    groups: int,
    rows: int,
    columns: int,
    links_between: int = 1,
    nodes_per_router: int = 1,
    routing: str = "minimal",
) -> dict[str, Any]:
    """Return a dragonfly with the bandwidths and delays of Aries."""
    return {
        "topology": "dragonfly",
        "groups": groups,
        "rows": rows,
        "columns": columns,
        "nodes_per_router": nodes_per_router,
        "links_between": links_between,
        "local_ports": [1, 3],
        "local_bytes_per_second": 5.25e9,
        "local_delay_seconds": 1e-7,
        "global_bytes_per_second": 4.75e9,
        "global_delay_seconds": 4e-7,
        "routing": routing,
        **HOST,
    }
