"""Tori of any number of dimensions."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.fields import Defined
from schedlab.system.network.definition import (
    LinkKind,
    Network,
    product,
    routing_field,
    topology_key,
)
from schedlab.system.network.network_fields import (
    delays_of,
    ports_of,
    rates_of,
    resolve,
    size,
    sizes,
)

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from schedlab.fields import Taking
    from schedlab.system.network.messages import ComputeRates, Files, Messages

AXES = "xyzwvuts"
"""Names of dimensions, the one in which router numbers run fastest first."""


class Torus(Network, Defined):
    """A grid of routers whose ends are joined in every dimension.

    Single numbers hold for all dimensions.
    """

    topology = "torus"
    routings = ("dimension-order", "valiant", "adaptive")
    topology_ = topology_key(topology)
    dimensions: Taking[tuple[int, ...], Sequence[int]] = sizes(
        "routers in each dimension, 1 to 8 of them; router numbers run fastest in the first",
        example="[16, 12, 24]",
    )
    bandwidth: Taking[tuple[float, ...], float | Sequence[float]] = rates_of(
        "of one link, one direction: one number, or one for each dimension", example="3.744e10"
    )
    delay: Taking[tuple[float, ...], float | Sequence[float]] = delays_of(
        "on a link: one number, or one for each dimension", example="1e-7"
    )
    host_bandwidth: float = Network.host_bandwidth
    host_delay: float = Network.host_delay
    nodes_per_router: int = size("nodes at each router", default=1)
    parallel_links: Taking[tuple[int, ...], int | Sequence[int]] = ports_of(
        "links side by side between two neighbours: one number, or one for each dimension"
    )
    routing: str = routing_field(topology, routings)
    messages: Messages = Network.messages
    files: Files | None = Network.files
    compute: ComputeRates | None = Network.compute
    preset = Network.preset

    def _complete(self) -> None:
        if not 1 <= len(self.dimensions) <= len(AXES):
            raise InputError(
                f"network.dimensions: must be 1 to {len(AXES)} numbers (are {len(self.dimensions)})"
            )
        resolve(self, AXES[: len(self.dimensions)])
        self._check_nodes()

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
