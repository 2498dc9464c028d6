"""Tori of any number of dimensions."""

from __future__ import annotations

from schedlab import decode
from schedlab.errors import InputError
from schedlab.system.network.definition import (
    HOST,
    MAX_NODES,
    REST,
    LinkKind,
    Network,
    for_each,
    ports,
    product,
    whole_numbers,
)
from schedlab.system.network.messages import rate, seconds

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from schedlab.system.network.messages import ComputeRates, Files, Messages

AXES = "xyzwvuts"
"""Names of dimensions, the one in which router numbers run fastest first."""


class Torus(Network):
    """A grid of routers whose ends are joined in every dimension.

    Attributes:
        dimensions: Routers in each dimension; their numbers run fastest in the first.
        nodes_per_router: Nodes at each router.
        parallel_links: Links side by side between neighbours, by dimension.
        bandwidth: Bit/s of one link, one direction, by dimension.
        delay: Seconds on a link, by dimension.
    """

    __slots__ = ("bandwidth", "delay", "dimensions", "nodes_per_router", "parallel_links")
    _fields = (
        *("dimensions", "bandwidth", "delay", *HOST, "nodes_per_router", "parallel_links"),
        *REST,
    )
    topology = "torus"
    routings = ("dimension-order", "valiant", "adaptive")
    dimensions: tuple[int, ...]
    nodes_per_router: int
    parallel_links: tuple[int, ...]
    bandwidth: tuple[float, ...]
    delay: tuple[float, ...]

    def __init__(
        self,
        dimensions: Sequence[int],
        bandwidth: float | Sequence[float],
        delay: float | Sequence[float],
        host_bandwidth: float,
        host_delay: float,
        nodes_per_router: int = 1,
        parallel_links: int | Sequence[int] = 1,
        routing: str | None = None,
        messages: Messages | None = None,
        files: Files | None = None,
        compute: ComputeRates | None = None,
    ) -> None:
        """Builds a torus; single numbers hold for all dimensions; raises InputError."""
        sizes = whole_numbers(dimensions, "network.dimensions")
        if not 1 <= len(sizes) <= len(AXES):
            raise InputError(
                f"network.dimensions: must be 1 to {len(AXES)} numbers (are {len(sizes)})"
            )
        names = AXES[: len(sizes)]
        self._set(
            dimensions=sizes,
            nodes_per_router=decode.whole_number(
                nodes_per_router, "network.nodes_per_router", minimum=1, maximum=MAX_NODES
            ),
            parallel_links=for_each(parallel_links, "network.parallel_links", names, ports),
            bandwidth=for_each(bandwidth, "network.bandwidth", names, rate),
            delay=for_each(delay, "network.delay", names, seconds),
        )
        self._set_common(host_bandwidth, host_delay, routing, messages, files, compute)

    @property
    def text(self) -> str:
        size = " x ".join(map(str, self.dimensions))
        some = "1 node" if self.nodes_per_router == 1 else f"{self.nodes_per_router} nodes"
        return f"a torus of {size} with {some} per router"

    @property
    def nodes(self) -> int:
        return self.routers * self.nodes_per_router

    @property
    def routers(self) -> int:
        return product(self.dimensions)

    @property
    def bisection(self) -> float:
        # A ring is cut at two places; between two routers there is one link each way. Across an
        # odd extent the halves differ by one layer.
        cuts = [
            (self.routers // extent) * min(2, extent - 1) * links * bandwidth
            for extent, links, bandwidth in zip(
                self.dimensions, self.parallel_links, self.bandwidth, strict=True
            )
            if extent > 1
        ]
        return min(cuts, default=0.0)

    def kinds_between_routers(self) -> tuple[LinkKind, ...]:
        return tuple(
            LinkKind(
                AXES[place],
                self.routers * min(2, extent - 1),
                self.parallel_links[place],
                self.bandwidth[place],
                self.delay[place],
            )
            for place, extent in enumerate(self.dimensions)
        )

    def farthest(self) -> tuple[LinkKind, ...]:
        kinds = zip(self.kinds_between_routers(), self.dimensions, strict=True)
        return tuple(kind for kind, extent in kinds for _ in range(extent // 2))

    def engine_fields(self) -> dict[str, Any]:
        return {
            "dimensions": list(self.dimensions),
            "nodes_per_router": self.nodes_per_router,
            "ports": list(self.parallel_links),
            "bytes_per_second": [bits / 8 for bits in self.bandwidth],
            "delay_seconds": list(self.delay),
        }
