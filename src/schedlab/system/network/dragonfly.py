"""Dragonflies: groups of routers, joined all to all."""

from __future__ import annotations

from schedlab import decode
from schedlab.system.network.definition import (
    HOST,
    MAX_NODES,
    REST,
    LinkKind,
    Network,
    for_each,
    ports,
)
from schedlab.system.network.messages import rate, seconds

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from schedlab.system.network.messages import ComputeRates, Files, Messages

_SIZES = ("groups", "rows", "columns", "nodes_per_router", "links_between")
_LINKS = ("local_bandwidth", "local_delay", "global_bandwidth", "global_delay")


class Dragonfly(Network):
    """Groups of routers; routers in one row or one column of a group are joined all to all.

    Attributes:
        groups: How many groups.
        columns: Routers in each row of a group.
        rows: Rows of a group; 1: a group is all to all, the canonical dragonfly.
        nodes_per_router: Nodes at each router.
        links_between: Links between each two groups.
        local_parallel_links: Links side by side of two routers in one row, and in one column.
        local_bandwidth: Bit/s of one link inside a group, one direction.
        local_delay: Seconds on it.
        global_bandwidth: Bit/s of one link between groups, one direction.
        global_delay: Seconds on it.
    """

    __slots__ = (
        *("columns", "global_bandwidth", "global_delay", "links_between", "groups"),
        *("local_bandwidth", "local_delay", "local_parallel_links", "nodes_per_router", "rows"),
    )
    _fields = (
        *("groups", "columns", *_LINKS, *HOST, "rows", "nodes_per_router", "links_between"),
        *("local_parallel_links", *REST),
    )
    topology = "dragonfly"
    routings = ("minimal", "valiant", "adaptive")
    groups: int
    columns: int
    rows: int
    nodes_per_router: int
    links_between: int
    local_parallel_links: tuple[int, ...]
    local_bandwidth: float
    local_delay: float
    global_bandwidth: float
    global_delay: float

    def __init__(
        self,
        groups: int,
        columns: int,
        local_bandwidth: float,
        local_delay: float,
        global_bandwidth: float,
        global_delay: float,
        host_bandwidth: float,
        host_delay: float,
        rows: int = 1,
        nodes_per_router: int = 1,
        links_between: int = 1,
        local_parallel_links: int | Sequence[int] = 1,
        routing: str | None = None,
        messages: Messages | None = None,
        files: Files | None = None,
        compute: ComputeRates | None = None,
    ) -> None:
        """Builds a dragonfly; raises InputError."""
        sizes = (groups, rows, columns, nodes_per_router, links_between)
        for name, value in zip(_SIZES, sizes, strict=True):
            path = f"network.{name}"
            self._set(**{name: decode.whole_number(value, path, minimum=1, maximum=MAX_NODES)})
        self._set(
            local_parallel_links=for_each(
                local_parallel_links,
                "network.local_parallel_links",
                ("in a row", "in a column"),
                ports,
            ),
            local_bandwidth=rate(local_bandwidth, "network.local_bandwidth"),
            local_delay=seconds(local_delay, "network.local_delay"),
            global_bandwidth=rate(global_bandwidth, "network.global_bandwidth"),
            global_delay=seconds(global_delay, "network.global_delay"),
        )
        self._set_common(host_bandwidth, host_delay, routing, messages, files, compute)

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
