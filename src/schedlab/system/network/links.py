"""The links of a network, in the order in which bytes on them are counted."""

from __future__ import annotations

from schedlab import _engine
from schedlab.fields import Defined, unchecked
from schedlab.system.network.engine import topology_fields
from schedlab.system.network.fat_tree import FatTree

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedlab.system.network.definition import Network

HOST_OUT, HOST_IN = "host out", "host in"


class KindUse(Defined):
    """How much the links of one kind were used."""

    kind: str = unchecked('its name, such as "x" or "global"')
    links: int = unchecked("how many there are, one for each direction")
    used: int = unchecked("those that carried something")
    bytes: float = unchecked("that all of them carried, headers and acknowledgements included")
    mean: float = unchecked("of the used ones, the share of what they could have carried")
    highest: float = unchecked("that of the one that is used most")
    busiest: int = unchecked("its number")


class Links:
    """The links of a machine's network.

    Attributes:
        kinds: Names of kinds of links; the first two are those between nodes and routers.
        kind: Of each link, its place in `kinds`.
        ends: Of each link, the router (or node) that it leaves, and the one that it goes to.
        capacities: Of each link, bytes per second.
        dimensions: Names of the coordinates of routers; of a fat-tree, level and number.
    """

    def __init__(self, network: Network) -> None:
        topology = _engine.Topology(topology_fields(network))
        rows = topology.links
        self.kinds = tuple(topology.kinds)
        places = {name: place for place, name in enumerate(self.kinds)}
        self.kind = [places[row[2]] for row in rows]
        self.ends = [(row[0], row[1]) for row in rows]
        self.capacities = [row[3] * row[4] for row in rows]
        self._nodes_per_router = topology.nodes // topology.routers
        self._topology = topology
        self._levels = network.levels if isinstance(network, FatTree) else None
        self.dimensions: tuple[str, ...] = tuple(topology.dimension_names)
        if isinstance(network, FatTree):
            self._nodes_per_router = network.down[0]
            self.dimensions = ("level", "switch")

    def __len__(self) -> int:
        return len(self.kind)

    def router_of(self, node: int) -> int:
        """Returns the router that a node is at."""
        return node // self._nodes_per_router

    def coordinates(self, router: int) -> tuple[int, ...]:
        """Returns where a router is."""
        if self._levels is None:
            return tuple(self._topology.coordinates(router * self._nodes_per_router))
        for level, switches in enumerate(self._levels, 1):
            if router < switches:
                return level, router
            router -= switches
        raise AssertionError("a switch above the top")

    def routers(self, link: int) -> tuple[int, int]:
        """Returns the routers at both ends of a link; of a node's own it is the same one."""
        start, end = self.ends[link]
        kind = self.kinds[self.kind[link]]
        if kind == HOST_OUT:
            return self.router_of(start), end
        return (start, self.router_of(end)) if kind == HOST_IN else (start, end)

    def text(self, link: int) -> str:
        """Returns how people name a link: `node 5 → (0, 1, 0)`."""
        kind, (start, end) = self.kinds[self.kind[link]], self.ends[link]
        first = f"node {start}" if kind == HOST_OUT else _place(self.coordinates(start))
        last = f"node {end}" if kind == HOST_IN else _place(self.coordinates(end))
        return f"{first} → {last}"

    def use(self, carried: Sequence[float], seconds: float) -> list[float]:
        """Returns, for each link, the share of what it could have carried in that time."""
        if not seconds > 0:
            return [0.0] * len(carried)
        return [
            count / (capacity * seconds)
            for count, capacity in zip(carried, self.capacities, strict=True)
        ]

    def by_kind(self, carried: Sequence[float], seconds: float) -> list[KindUse]:
        """Returns how much links were used, kind by kind; kinds without links are left out."""
        use = self.use(carried, seconds)
        members: list[list[int]] = [[] for _ in self.kinds]
        for link, kind in enumerate(self.kind):
            members[kind].append(link)
        uses = []
        for name, links in zip(self.kinds, members, strict=True):
            if not links:
                continue
            used = [link for link in links if carried[link] > 0]
            busiest = max(links, key=use.__getitem__)
            uses.append(
                KindUse(
                    kind=name,
                    links=len(links),
                    used=len(used),
                    bytes=sum(carried[link] for link in used),
                    mean=sum(use[link] for link in used) / len(used) if used else 0.0,
                    highest=use[busiest],
                    busiest=busiest,
                )
            )
        return uses


def _place(coordinates: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, coordinates))})"
