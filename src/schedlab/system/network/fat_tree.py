"""Fat trees: levels of switches with several ways up."""

from __future__ import annotations

from schedlab.errors import InputError
from schedlab.system.network.definition import (
    HOST,
    REST,
    LinkKind,
    Network,
    for_each,
    listed,
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

MAX_LEVELS = 8


class FatTree(Network):
    """An extended generalised fat tree of switches, level 1 next to the nodes.

    Attributes:
        down: By level, nodes or switches below each switch.
        up: By level, switches above each switch; the top level has none, so one number less.
        bandwidth: Bit/s of one link, one direction, by level of the switch below.
        delay: Seconds on a link, by level.
        parallel_links: Links side by side between two switches, by level.
    """

    __slots__ = ("bandwidth", "delay", "down", "parallel_links", "up")
    _fields = ("down", "up", "bandwidth", "delay", *HOST, "parallel_links", *REST)
    topology = "fat-tree"
    routings = ("d-mod-k", "nearest-common-ancestor", "adaptive")
    down: tuple[int, ...]
    up: tuple[int, ...]
    bandwidth: tuple[float, ...]
    delay: tuple[float, ...]
    parallel_links: tuple[int, ...]

    def __init__(
        self,
        down: Sequence[int],
        up: Sequence[int],
        bandwidth: float | Sequence[float],
        delay: float | Sequence[float],
        host_bandwidth: float,
        host_delay: float,
        parallel_links: int | Sequence[int] = 1,
        routing: str | None = None,
        messages: Messages | None = None,
        files: Files | None = None,
        compute: ComputeRates | None = None,
    ) -> None:
        """Builds a fat tree; single numbers hold for all levels; raises InputError."""
        below = whole_numbers(down, "network.down")
        above = whole_numbers(up, "network.up") if listed(up, "network.up") else ()
        if not 1 <= len(below) <= MAX_LEVELS:
            raise InputError(f"network.down: must be 1 to {MAX_LEVELS} numbers (are {len(below)})")
        if len(above) != len(below) - 1:
            raise InputError(
                f"network.up: has {len(above)} numbers, network.down has {len(below)}; give one "
                f"for each level but the top one, which is {len(below) - 1}"
            )
        names = [f"level {level} to {level + 1}" for level in range(1, len(below))]
        self._set(
            down=below,
            up=above,
            bandwidth=for_each(bandwidth, "network.bandwidth", names, rate),
            delay=for_each(delay, "network.delay", names, seconds),
            parallel_links=for_each(parallel_links, "network.parallel_links", names, ports),
        )
        self._set_common(host_bandwidth, host_delay, routing, messages, files, compute)

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
