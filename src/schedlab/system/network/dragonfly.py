"""Dragonflies: groups of routers, joined all to all."""

from __future__ import annotations

from schedlab.fields import Defined
from schedlab.system.network.definition import (
    LinkKind,
    Network,
    routing_field,
    topology_key,
)
from schedlab.system.network.network_fields import delay_of, ports_of, rate_of, resolve, size

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from schedlab.fields import Taking
    from schedlab.system.network.messages import ComputeRates, Files, Messages

_SIZES = ("groups", "rows", "columns", "nodes_per_router", "links_between")


class Dragonfly(Network, Defined):
    """Groups of routers; routers in one row or one column of a group are joined all to all."""

    topology = "dragonfly"
    routings = ("minimal", "valiant", "adaptive")
    topology_ = topology_key(topology)
    groups: int = size("groups of routers", example="15")
    columns: int = size("routers in a row of a group, each joined to each", example="16")
    local_bandwidth: float = rate_of(
        "of one link inside a group, one direction", "bit/s", example="4.2e10"
    )
    local_delay: float = delay_of("on a link inside a group", example="1e-7")
    global_bandwidth: float = rate_of(
        "of one link between groups, one direction", "bit/s", example="3.8e10"
    )
    global_delay: float = delay_of("on a link between groups", example="1e-7")
    host_bandwidth: float = Network.host_bandwidth
    host_delay: float = Network.host_delay
    rows: int = size(
        "rows of a group; routers in one column are joined each to each. With 1, a group is all to "
        "all, the canonical dragonfly",
        default=1,
    )
    nodes_per_router: int = size("nodes at each router", default=1)
    links_between: int = size("links between each two groups", default=1)
    local_parallel_links: Taking[tuple[int, ...], int | Sequence[int]] = ports_of(
        "links side by side of two routers: one number, or two, in a row and in a column"
    )
    routing: str = routing_field(topology, routings)
    messages: Messages = Network.messages
    files: Files | None = Network.files
    compute: ComputeRates | None = Network.compute
    preset = Network.preset

    def _complete(self) -> None:
        resolve(self, ("in a row", "in a column"))
        self._check_nodes()

    @property
    def text(self) -> str:
        some = "1 node" if self.nodes_per_router == 1 else f"{self.nodes_per_router} nodes"
        return (
            f"a dragonfly of {self.groups} groups of {self.rows} x {self.columns} routers "
            f"with {some} each"
        )

    @property
    def nodes(self) -> int:
        return self.routers * self.nodes_per_router

    @property
    def routers(self) -> int:
        return self.groups * self.rows * self.columns

    @property
    def bisection(self) -> float:
        if self.groups > 1:
            return _cut(self.groups) * self.links_between * self.global_bandwidth
        in_row, in_column = self.local_parallel_links
        cuts = [
            lines * _cut(extent) * links * self.local_bandwidth
            for extent, lines, links in (
                (self.columns, self.rows, in_row),
                (self.rows, self.columns, in_column),
            )
            if extent > 1
        ]
        return min(cuts, default=0.0)

    def kinds_between_routers(self) -> tuple[LinkKind, ...]:
        in_row, in_column = self.local_parallel_links
        local = (self.local_bandwidth, self.local_delay)
        pairs = self.groups * (self.groups - 1)
        return (
            LinkKind("row", self.routers * (self.columns - 1), in_row, *local),
            LinkKind("column", self.routers * (self.rows - 1), in_column, *local),
            LinkKind(
                *("global", pairs * self.links_between, 1),
                *(self.global_bandwidth, self.global_delay),
            ),
        )

    def farthest(self) -> tuple[LinkKind, ...]:
        row, column, between = self.kinds_between_routers()
        inside = (*([row] if self.columns > 1 else []), *([column] if self.rows > 1 else []))
        return inside if self.groups == 1 else (*inside, between, *inside)

    def engine_fields(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in _SIZES},
            "local_ports": list(self.local_parallel_links),
            "local_bytes_per_second": self.local_bandwidth / 8,
            "local_delay_seconds": self.local_delay,
            "global_bytes_per_second": self.global_bandwidth / 8,
            "global_delay_seconds": self.global_delay,
        }


def _cut(count: int) -> int:
    """Returns how many pairs a cut in the middle parts, where each is joined to each."""
    return (count // 2) * (count - count // 2)
