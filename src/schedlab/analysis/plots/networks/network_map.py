"""Where routers and nodes of a network are in a picture: planes side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from schedlab.system.network import Dragonfly, FatTree, Torus
from schedlab.system.network.torus import AXES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from schedlab.system.network import Network

MOST_PLANES = 64
"""That one picture shows; of more the first ones."""

LEAVES_IN_A_PLANE = 32
LABEL_INCHES = 0.24
"""Above a plane, for what it is."""

WIDTH, HEIGHT = 8.2, 5.0
"""Of a picture, in inches."""


class Plane(NamedTuple):
    """What all planes have in common: cells across and down, and what these directions are."""

    across: int
    down: int
    across_name: str
    down_name: str


class NetworkMap:
    """Routers in planes, planes in rows.

    On a torus of three or more dimensions, a plane has the two longest ones, and there is one for
    each place in the others. On a fat-tree, rows of a plane are the switches of the first level; on
    a dragonfly, a plane is a group.

    Attributes:
        plane: The shape of a plane, in routers.
        planes: How many are drawn.
        left_out: How many are not.
        nodes_per_router: Cells of a router.
        columns: Planes in a row.
    """

    def __init__(self, network: Network, width: float = WIDTH, height: float = HEIGHT) -> None:
        """Arranges planes for a picture of that width and about that height, in inches."""
        self.network = network
        if isinstance(network, Torus):
            self._take_torus(network)
        elif isinstance(network, FatTree):
            self._take_fat_tree(network)
        else:
            assert isinstance(network, Dragonfly)
            self.plane = Plane(network.columns, network.rows, "router in a row", "row")
            self._names = [f"group {group}" for group in range(network.groups)]
            self.nodes_per_router = network.nodes_per_router
        self.planes = min(len(self._names), MOST_PLANES)
        self.left_out = len(self._names) - self.planes
        self._gap = max(1.0, self.cells_across / 14)
        self.columns = self._best_columns(width, height)
        self._room = self._room_with(self.columns, width)
        self.rows = math.ceil(self.planes / self.columns)

    @property
    def cells_across(self) -> float:
        """Width of a plane: a fat-tree's and a dragonfly's routers are as wide as their nodes."""
        wide = 1 if isinstance(self.network, Torus) else self.nodes_per_router
        return float(self.plane.across * wide)

    @property
    def width(self) -> float:
        """Of all planes together, in cells."""
        return self._width_of(self.columns)

    @property
    def height(self) -> float:
        """Of all planes together, in cells."""
        return self.rows * (self.plane.down + self._room)

    def router_places(self) -> NDArray[np.float64]:
        """Returns the centre of each router, x and y, not a number where it is not drawn."""
        plane, across, down = self._router_cells
        left, top = self._corner(plane)
        wide = self.cells_across / self.plane.across
        places = np.stack([left + (across + 0.5) * wide, top + down + 0.5], axis=1)
        places[plane >= self.planes] = np.nan
        return places

    def node_image(self, colours: NDArray[np.uint8]) -> list[tuple[NDArray[np.uint8], Extent]]:
        """Returns pictures of planes, a cell for each node, and where they are.

        Args:
            colours: Red, green and blue of each node, along the last axis.
        """
        plane, across, down = self._router_cells
        each = self.nodes_per_router
        nodes = np.arange(len(plane) * each)
        images = np.full(
            (len(self._names), self.plane.down, self.plane.across * each, 3), 255, np.uint8
        )
        router = nodes // each
        images[plane[router], down[router], across[router] * each + nodes % each] = colours
        found = []
        for number in range(self.planes):
            left, top = self._corner(np.array([number]))
            extent = (
                float(left[0]),
                float(left[0] + self.cells_across),
                float(top[0] + self.plane.down),
                float(top[0]),
            )
            found.append((images[number], extent))
        return found

    def frame(self, axes: Axes) -> None:
        """Sets limits of axes, and writes what each plane is."""
        axes.set_xlim(-0.5, self.width + 0.5)
        axes.set_ylim(self.height + 0.3, -0.3)
        axes.set_aspect("equal")
        axes.set_axis_off()
        if len(self._names) == 1 and not self._names[0]:
            return
        left, top = self._corner(np.arange(self.planes))
        for number in range(self.planes):
            axes.text(
                float(left[number] + self.cells_across / 2),
                float(top[number]) - 0.12 * self._room,
                self._names[number],
                ha="center",
                va="bottom",
                size=8,
            )

    def directions(self) -> str:
        """Returns what goes across and down."""
        text = f"across: {self.plane.across_name}, down: {self.plane.down_name}"
        return f"{text}; the first {self.planes} planes" if self.left_out else text

    def _corner(self, plane: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns left and top of planes."""
        column, row = plane % self.columns, plane // self.columns
        left = column * (self.cells_across + self._gap)
        top = row * (self.plane.down + self._room) + self._room
        return left.astype(np.float64), top.astype(np.float64)

    def inches(self, width: float = WIDTH) -> float:
        """Returns how high planes of that width together are."""
        return width * (self.height + 0.6) / (self.width + 1.0)

    def _width_of(self, columns: int) -> float:
        return columns * (self.cells_across + self._gap) - self._gap

    def _room_with(self, columns: int, width: float) -> float:
        """Returns the room of a label in cells, where N planes are that wide together."""
        return LABEL_INCHES * (self._width_of(columns) + 1.0) / width

    def _best_columns(self, width: float, height: float) -> int:
        """Returns how many planes in a row give a height that is nearest to that of the picture."""

        def distance(columns: int) -> float:
            rows = math.ceil(self.planes / columns)
            tall = rows * (self.plane.down + self._room_with(columns, width))
            return abs(math.log(tall / self._width_of(columns) * width / height))

        return min(range(1, self.planes + 1), key=lambda columns: (distance(columns), -columns))

    def _take_torus(self, network: Torus) -> None:
        extents = network.dimensions
        longest = sorted(range(len(extents)), key=lambda place: (-extents[place], place))
        across, down = longest[0], longest[1] if len(extents) > 1 else None
        others = [place for place in range(len(extents)) if place not in (across, down)]
        names = AXES
        coordinates = _torus_coordinates(extents)
        self.plane = Plane(
            extents[across],
            1 if down is None else extents[down],
            names[across],
            "" if down is None else names[down],
        )
        plane = np.zeros(len(coordinates), np.int64)
        labels = [""]
        for place in others:
            plane = plane * extents[place] + coordinates[:, place]
            labels = [
                f"{label}, {names[place]} = {value}" if label else f"{names[place]} = {value}"
                for label in labels
                for value in range(extents[place])
            ]
        row = np.zeros(len(coordinates), np.int64) if down is None else coordinates[:, down]
        self._cells = plane, coordinates[:, across], row
        self.plane_dimensions = (across, down)
        self._names = labels
        self.nodes_per_router = network.nodes_per_router

    def _take_fat_tree(self, network: FatTree) -> None:
        leaves = network.levels[0]
        rows = min(leaves, LEAVES_IN_A_PLANE)
        self.plane = Plane(1, rows, "node", "switch of the first level")
        self._names = [
            f"switches {first} to {min(first + rows, leaves) - 1}"
            for first in range(0, leaves, rows)
        ]
        self.nodes_per_router = network.down[0]

    @property
    def _router_cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Of each router (of a fat-tree, each of the first level): plane, across and down."""
        if isinstance(self.network, Torus):
            return self._cells
        size = self.plane.across * self.plane.down
        count = self.network.nodes // self.nodes_per_router
        router = np.arange(count)
        inside = router % size
        return router // size, inside % self.plane.across, inside // self.plane.across


Extent = tuple[float, float, float, float]


def _torus_coordinates(extents: tuple[int, ...]) -> NDArray[np.int64]:
    """Returns the coordinates of each router; the first dimension is fastest."""
    router = np.arange(math.prod(extents))
    columns = []
    for extent in extents:
        columns.append(router % extent)
        router = router // extent
    return np.stack(columns, axis=1)
