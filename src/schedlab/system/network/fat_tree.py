"""Fat trees: levels of switches with several ways up."""

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
from schedlab.system.network.network_fields import delays_of, ports_of, rates_of, resolve, sizes

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from schedlab.fields import Taking
    from schedlab.system.network.messages import ComputeRates, Files, Messages

MAX_LEVELS = 8


class FatTree(Network, Defined):
    """An extended generalised fat tree of switches, level 1 next to the nodes.

    Single numbers hold for all levels.
    """

    topology = "fat-tree"
    routings = ("d-mod-k", "nearest-common-ancestor", "adaptive")
    topology_ = topology_key(topology)
    down: Taking[tuple[int, ...], Sequence[int]] = sizes(
        "for each level of switches, from the nodes up: nodes or switches below each switch",
        example="[20, 320]",
    )
    up: Taking[tuple[int, ...], Sequence[int]] = sizes(
        "for each level but the top one: switches above each switch", example="[8]"
    )
    bandwidth: Taking[tuple[float, ...], float | Sequence[float]] = rates_of(
        "of one link between switches, one direction: one number, or one for each level but the "
        "top one",
        example="3.744e10",
    )
    delay: Taking[tuple[float, ...], float | Sequence[float]] = delays_of(
        "on a link between switches, likewise", example="1e-7"
    )
    host_bandwidth: float = Network.host_bandwidth
    host_delay: float = Network.host_delay
    parallel_links: Taking[tuple[int, ...], int | Sequence[int]] = ports_of(
        "links side by side between two switches, likewise"
    )
    routing: str = routing_field(topology, routings)
    messages: Messages = Network.messages
    files: Files | None = Network.files
    compute: ComputeRates | None = Network.compute
    preset = Network.preset

    def _complete(self) -> None:
        below, above = len(self.down), len(self.up)
        if not 1 <= below <= MAX_LEVELS:
            raise InputError(f"network.down: must be 1 to {MAX_LEVELS} numbers (are {below})")
        if above != below - 1:
            raise InputError(
                f"network.up: has {above} numbers, network.down has {below}; give one for each "
                f"level but the top one, which is {below - 1}"
            )
        resolve(self, [f"level {level} to {level + 1}" for level in range(1, below)])
        self._check_nodes()

    @property
    def text(self) -> str:
        below = ", ".join(map(str, self.down))
        above = ", ".join(map(str, self.up)) or "none"
        return f"a fat-tree of down = {below} and up = {above}"

    @property
    def nodes(self) -> int:
        return product(self.down)

    @property
    def levels(self) -> tuple[int, ...]:
        """Switches of each level, from the nodes up."""
        return tuple(
            product(self.down[level + 1 :]) * product(self.up[:level])
            for level in range(len(self.down))
        )

    @property
    def tapering(self) -> tuple[float, ...]:
        """By level but the top one, bandwidth down from a switch over that up from it."""
        lower = [self.host_bandwidth, *self._widths()]
        return tuple(
            self.down[level] * lower[level] / (self.up[level] * lower[level + 1])
            for level in range(len(self.up))
        )

    @property
    def routers(self) -> int:
        return sum(self.levels)

    @property
    def bisection(self) -> float:
        # Half of what goes up at the narrowest level; of a single switch, half of its nodes.
        levels = [kind.links * kind.ports * kind.bandwidth / 2 for kind in self.farthest()]
        return min(levels, default=self.nodes * self.host_bandwidth / 2)

    def kinds_between_routers(self) -> tuple[LinkKind, ...]:
        kinds = []
        for level, above in enumerate(self.up):
            number = f" {level}" if len(self.up) > 1 else ""
            wire = (self.parallel_links[level], self.bandwidth[level], self.delay[level])
            links = self.levels[level] * above
            kinds += [
                LinkKind(f"up{number}", links, *wire),
                LinkKind(f"down{number}", links, *wire),
            ]
        return tuple(kinds)

    def farthest(self) -> tuple[LinkKind, ...]:
        return self.kinds_between_routers()

    def engine_fields(self) -> dict[str, Any]:
        return {
            "down": list(self.down),
            "up": list(self.up),
            "ports": list(self.parallel_links),
            "bytes_per_second": [bits / 8 for bits in self.bandwidth],
            "delay_seconds": list(self.delay),
        }

    def _widths(self) -> list[float]:
        """Returns the bandwidth between a switch and one above it, by level."""
        return [
            links * bits for links, bits in zip(self.parallel_links, self.bandwidth, strict=True)
        ]
