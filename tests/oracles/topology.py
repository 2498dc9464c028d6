"""Naive networks: links listed one after the other, ways found link by link in that list.

Ends of links are ("node", n) or ("router", r). Every topology lists the links out of the nodes,
those into them, and those between routers in the order of the engine's numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

End = tuple[str, int]
Draw = Callable[[int], int]
Backlog = Callable[[int], float]


class Network:
    """Links of a description for the engine, and the ways between its nodes."""

    shortest_always = False  # whatever the routing
    most_global: int | None = None  # links of this kind on a minimal way

    def __init__(
        self, network: dict[str, Any], nodes: int, routers: int, nodes_per_router: int
    ) -> None:
        self.routing = network["routing"]
        self.nodes = nodes
        self.routers = routers
        self.nodes_per_router = nodes_per_router
        self.links: list[tuple[End, End, str]] = []
        for node in range(nodes):
            self.links.append((("node", node), ("router", node // nodes_per_router), "host out"))
        for node in range(nodes):
            self.links.append((("router", node // nodes_per_router), ("node", node), "host in"))

    def connect(self, start: int, end: int, kind: str) -> None:
        """Add a link between two routers."""
        self.links.append((("router", start), ("router", end), kind))

    def link(self, start: int, end: int) -> int:
        """Return the number of the only link from one router to another one."""
        ends = (("router", start), ("router", end))
        (found,) = [number for number, link in enumerate(self.links) if link[:2] == ends]
        return found

    def links_of(self, routers: Sequence[int]) -> list[int]:
        """Return the links that join routers one after the other."""
        return [self.link(start, end) for start, end in pairwise(routers)]

    def way(self, start: int, end: int, to: int, draw: Draw, backlog: Backlog) -> list[int]:
        """Return the links from one router to another one, where the node `to` is."""
        raise NotImplementedError

    def route(self, start: int, to: int, draw: Draw, backlog: Backlog) -> list[int]:
        """Return the links from one node to another one."""
        if start == to:
            return []
        ends = (start // self.nodes_per_router, to // self.nodes_per_router)
        between = self.way(*ends, to, draw, backlog) if ends[0] != ends[1] else []
        return [start, *between, self.nodes + to]

    def distances(self, start: End) -> dict[End, int]:
        """Return the fewest links to every end, breadth first, of all ways that may be minimal."""
        follow: dict[End, list[tuple[End, str]]] = {}
        for first, second, kind in self.links:
            follow.setdefault(first, []).append((second, kind))
        found: dict[tuple[End, int], int] = {(start, 0): 0}
        queue = deque(found)
        while queue:
            end, used = queue.popleft()
            for second, kind in follow.get(end, []):
                now = used + (self.most_global is not None and kind == "global")
                if (second, now) not in found and (
                    self.most_global is None or now <= self.most_global
                ):
                    found[second, now] = found[end, used] + 1
                    queue.append((second, now))
        return {
            end: distance for (end, _), distance in sorted(found.items(), key=lambda item: -item[1])
        }


def cheaper(first: list[int], second: list[int], backlog: Backlog) -> list[int]:
    """Return the way whose hops times the longest backlog are less; the first one of equals."""

    def cost(links: list[int]) -> float:
        return len(links) * max((backlog(link) for link in links), default=0.0)

    return second if cost(second) < cost(first) else first


class Torus(Network):
    """Routers at whole coordinates, joined along every axis."""

    def __init__(self, network: dict[str, Any]) -> None:
        self.extents = network["dimensions"]
        # product() runs through its last factor fastest: the first axis is given last.
        places = [
            place[::-1] for place in product(*(range(extent) for extent in reversed(self.extents)))
        ]
        self.places = places
        self.index = {place: number for number, place in enumerate(places)}
        per_router = network["nodes_per_router"]
        super().__init__(network, per_router * len(places), len(places), per_router)
        for place in places:
            for axis, extent in enumerate(self.extents):
                steps = {1: (), 2: (1,)}.get(extent, (1, -1))
                for step in steps:
                    self.connect(
                        self.index[place],
                        self.index[self.moved(place, axis, step)],
                        "xyzwvuts"[axis],
                    )

    def moved(self, place: tuple[int, ...], axis: int, step: int) -> tuple[int, ...]:
        """Return the place a step further round an axis."""
        return (*place[:axis], (place[axis] + step) % self.extents[axis], *place[axis + 1 :])

    def ordered(self, start: int, end: int, backlog: Backlog) -> list[int]:
        """Return the way in dimension order."""
        links: list[int] = []
        place, target = self.places[start], self.places[end]
        for axis, extent in enumerate(self.extents):
            up = (target[axis] - place[axis]) % extent
            step = 1 if up <= extent - up else -1
            if self.routing == "adaptive" and extent > 2 and 2 * up == extent:
                first = [
                    self.link(self.index[place], self.index[self.moved(place, axis, step)])
                    for step in (1, -1)
                ]
                step = 1 if backlog(first[0]) <= backlog(first[1]) else -1
            while place[axis] != target[axis]:
                following = self.moved(place, axis, step)
                links.append(self.link(self.index[place], self.index[following]))
                place = following
        return links

    def way(self, start: int, end: int, to: int, draw: Draw, backlog: Backlog) -> list[int]:
        """Return the links between two routers."""
        minimal = self.ordered(start, end, backlog)
        if self.routing == "dimension-order":
            return minimal
        between = draw(self.routers)
        drawn = self.ordered(start, between, backlog) + self.ordered(between, end, backlog)
        return drawn if self.routing == "valiant" else cheaper(minimal, drawn, backlog)


class FatTree(Network):
    """Switches by their labels: level, branches from the top down, up-ports from the leaves."""

    shortest_always = True

    def __init__(self, network: dict[str, Any]) -> None:
        self.down, self.up = network["down"], network["up"]
        height = len(self.down)
        self.labels = [
            (level, branches, ports[::-1])
            for level in range(height)
            for branches in product(
                *(range(self.down[above]) for above in range(height - 1, level, -1))
            )
            for ports in product(*(range(self.up[below]) for below in range(level - 1, -1, -1)))
        ]
        self.index = {label: number for number, label in enumerate(self.labels)}
        leaves = [label for label in self.labels if label[0] == 0]
        super().__init__(network, len(leaves) * self.down[0], len(self.labels), self.down[0])
        for level in range(height - 1):
            suffix = f" {level}" if height > 2 else ""
            for _, branches, ports in [label for label in self.labels if label[0] == level]:
                for port in range(self.up[level]):
                    above = (level + 1, branches[:-1], (*ports, port))
                    self.connect(
                        self.index[level, branches, ports], self.index[above], "up" + suffix
                    )
            for _, branches, ports in [label for label in self.labels if label[0] == level + 1]:
                for branch in range(self.down[level + 1]):
                    below = (level, (*branches, branch), ports[:-1])
                    self.connect(
                        self.index[level + 1, branches, ports], self.index[below], "down" + suffix
                    )

    def way(self, start: int, end: int, to: int, draw: Draw, backlog: Backlog) -> list[int]:
        """Return the links between two leaves."""
        label, target = self.labels[start], self.labels[end]
        visited = [start]
        rest = to  # d-mod-k: digits of the destination's number, the first level's fastest
        while target[1][: len(label[1])] != label[1]:
            level, branches, ports = label
            above = [(level + 1, branches[:-1], (*ports, port)) for port in range(self.up[level])]
            rest, chosen = divmod(rest, self.up[level])
            if self.routing == "nearest-common-ancestor":
                chosen = draw(self.up[level])
            if self.routing == "adaptive":
                turn = [(chosen + step) % self.up[level] for step in range(self.up[level])]
                chosen = min(
                    turn, key=lambda port: backlog(self.link(visited[-1], self.index[above[port]]))
                )
            label = above[chosen]
            visited.append(self.index[label])
        while label[0] > 0:
            level, branches, ports = label
            label = (level - 1, target[1][: len(branches) + 1], ports[:-1])
            visited.append(self.index[label])
        return self.links_of(visited)


class Dragonfly(Network):
    """Routers (group, row, column); global links as a list of which joins which."""

    most_global = 1

    def __init__(self, network: dict[str, Any]) -> None:
        self.groups, rows, columns = network["groups"], network["rows"], network["columns"]
        self.places = list(product(range(rows), range(columns)))
        self.labels = [(group, *place) for group in range(self.groups) for place in self.places]
        self.index = {label: number for number, label in enumerate(self.labels)}
        per_router = network["nodes_per_router"]
        super().__init__(network, per_router * len(self.labels), len(self.labels), per_router)
        for group, row, column in self.labels:
            here = self.index[group, row, column]
            for other in [other for other in range(columns) if other != column]:
                self.connect(here, self.index[group, row, other], "row")
            for other in [other for other in range(rows) if other != row]:
                self.connect(here, self.index[group, other, column], "column")
        self.copies = network["links_between"]
        # A group's global links, dealt out evenly: to the next group, the one after it, ...
        order = [
            (copy, further) for copy in range(self.copies) for further in range(1, self.groups)
        ]
        self.gateway = {
            key: self.places[place * len(self.places) // len(order)]
            for place, key in enumerate(order)
        }
        self.numbers: dict[tuple[int, int, int], int] = {}
        for group in range(self.groups):
            for copy, further in order:
                target = (group + further) % self.groups
                self.numbers[group, target, copy] = len(self.links)
                self.connect(*self.ends(group, target, copy), "global")

    def ends(self, group: int, target: int, copy: int) -> tuple[int, int]:
        """Return the routers at the two ends of a global link."""
        there, back = (target - group) % self.groups, (group - target) % self.groups
        return self.index[group, *self.gateway[copy, there]], self.index[
            target, *self.gateway[copy, back]
        ]

    def local(self, start: int, end: int, backlog: Backlog) -> list[int]:
        """Return the way within a group: along the row, then along the column."""
        group, row, column = self.labels[start]
        _, last_row, last_column = self.labels[end]
        along = [
            self.index[label] for label in ((group, row, last_column), (group, last_row, column))
        ]
        corners = [
            self.links_of(
                [
                    router
                    for place, router in enumerate(way)
                    if place == 0 or router != way[place - 1]
                ]
            )
            for way in ([start, corner, end] for corner in along)
        ]
        return cheaper(*corners, backlog) if self.routing == "adaptive" else corners[0]

    def minimal(self, start: int, end: int, draw: Draw, backlog: Backlog) -> list[int]:
        """Return a way with one global link at most."""
        group, target = self.labels[start][0], self.labels[end][0]
        if group == target:
            return self.local(start, end, backlog)
        size = len(self.places)
        first = (
            draw(self.copies)
            if self.routing != "minimal"
            else (start % size + end % size) % self.copies
        )
        return self.over(start, target, end, first, backlog)

    def over(
        self, start: int, target: int, end: int | None, first: int, backlog: Backlog
    ) -> list[int]:
        """Return the shortest way to a router of another group, or to any of its routers."""
        group = self.labels[start][0]

        def ways(copy: int, backlog: Backlog) -> list[int]:
            leave, arrive = self.ends(group, target, copy)
            last = self.local(arrive, end, backlog) if end is not None else []
            return [*self.local(start, leave, backlog), self.numbers[group, target, copy], *last]

        turn = [(first + step) % self.copies for step in range(self.copies)]
        return ways(min(turn, key=lambda copy: len(ways(copy, backlog))), backlog)

    def way(self, start: int, end: int, to: int, draw: Draw, backlog: Backlog) -> list[int]:
        """Return the links between two routers."""
        minimal = self.minimal(start, end, draw, backlog) if self.routing != "valiant" else []
        if self.routing == "minimal":
            return minimal
        group, target = self.labels[start][0], self.labels[end][0]
        if group == target:
            middle = self.index[group, *self.places[draw(len(self.places))]]
            drawn = self.local(start, middle, backlog) + self.local(middle, end, backlog)
        elif self.groups == 2:
            drawn = self.minimal(start, end, draw, backlog)
        else:
            others = [other for other in range(self.groups) if other not in (group, target)]
            by = others[draw(len(others))]
            drawn = self.over(start, by, None, draw(self.copies), backlog)
            arrival = self.links[drawn[-1]][1][1]
            drawn = drawn + self.minimal(arrival, end, draw, backlog)
        return drawn if self.routing == "valiant" else cheaper(minimal, drawn, backlog)


NETWORKS: dict[str, Callable[[dict[str, Any]], Network]] = {
    "torus": Torus,
    "fat-tree": FatTree,
    "dragonfly": Dragonfly,
}
