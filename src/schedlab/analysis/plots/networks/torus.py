"""A torus as a block of routers, of which three sides are seen; or as a plane, or a ring."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy

from schedlab.analysis.plots.networks.wires import (
    HOST_COLOUR,
    bare,
    host_text,
    widths,
    wire_legend,
    wire_text,
)
from schedlab.analysis.style import INK, PALETTE
from schedlab.system.network.torus import AXES, Torus

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Point = NDArray[numpy.float64]

SLANT = math.radians(30)
DEPTH = 0.62
"""How the third dimension is drawn: its angle, and its length beside that of the others."""


def draw_torus(figure: Figure, network: Torus) -> None:
    """Draws into an empty figure."""
    axes = figure.add_subplot()
    bare(axes)
    axes.set_aspect("equal")
    extents = [*network.dimensions[:3], 1, 1][:3]
    thick = widths(network.kinds_between_routers())
    if len(network.dimensions) == 1:
        _draw_ring(axes, extents[0], thick[0])
    else:
        _draw_block(axes, extents, thick)
    rows = [
        (
            PALETTE[place],
            thick[place],
            f"{AXES[place]}, {extent}: {wire_text(kind)}{_unseen(place)}",
        )
        for place, (extent, kind) in enumerate(
            zip(network.dimensions, network.kinds_between_routers(), strict=True)
        )
        if extent > 1
    ]
    wire_legend(axes, [*rows, (HOST_COLOUR, 0.0, host_text(network))])


def _unseen(place: int) -> str:
    return " (not drawn)" if place > 2 else ""


def _draw_ring(axes: Axes, extent: int, width: float) -> None:
    angles = numpy.linspace(0, 2 * math.pi, extent, endpoint=False) + math.pi / 2
    closed = numpy.append(angles, angles[0])
    axes.plot(numpy.cos(closed), numpy.sin(closed), color=PALETTE[0], linewidth=width)
    size = max(3.0, 60.0 / extent) ** 2 if extent < 400 else 1.0
    axes.scatter(numpy.cos(angles), numpy.sin(angles), size, color=INK, zorder=3)
    axes.set_xlim(-1.2, 1.2)
    axes.set_ylim(-1.2, 1.2)


def _projected(x: Point, y: Point, z: Point) -> Point:
    """Returns where routers are on paper: y goes down, z goes back, to the upper right."""
    across = x + z * DEPTH * math.cos(SLANT)
    return numpy.stack([across, -y + z * DEPTH * math.sin(SLANT)], axis=-1)


def _draw_block(axes: Axes, extents: list[int], thick: list[float]) -> None:
    """Draws the front (z = 0), the top (y = 0) and the right side (x at its end)."""
    from matplotlib.collections import LineCollection

    last = [extent - 1 for extent in extents]
    # Lines get thinner where there are many, in proportion.
    scale = min(1.0, 22.0 / max(extents))
    sides = ((0, 1, 2, 0.0), (0, 2, 1, 0.0), (1, 2, 0, float(last[0])))
    for first, second, fixed, at in sides:
        for along, other in ((first, second), (second, first)):
            if extents[along] < 2:
                continue
            steps = numpy.arange(extents[other], dtype=float)
            ends = []
            for end in (0.0, float(last[along])):
                point: list[Point] = [numpy.zeros(len(steps))] * 3
                point[along], point[other] = numpy.full(len(steps), end), steps
                point[fixed] = numpy.full(len(steps), at)
                ends.append(_projected(*point))
            lines = LineCollection(
                list(numpy.stack(ends, axis=1)),
                colors=PALETTE[along],
                linewidths=thick[along] * scale,
            )
            axes.add_collection(lines)
        grid = numpy.meshgrid(
            numpy.arange(extents[first], dtype=float), numpy.arange(extents[second], dtype=float)
        )
        places: list[Point] = [numpy.full(grid[0].size, at)] * 3
        places[first], places[second] = grid[0].ravel(), grid[1].ravel()
        dots = _projected(*places)
        axes.scatter(dots[:, 0], dots[:, 1], (5.5 * scale) ** 2, color=INK, zorder=3, linewidths=0)
    _draw_sizes(axes, extents, last)


def _draw_sizes(axes: Axes, extents: list[int], last: list[int]) -> None:
    """Draws an arrow along each dimension, with its name and how many routers it has."""
    right, up = last[2] * DEPTH * math.cos(SLANT), last[2] * DEPTH * math.sin(SLANT)
    room = 0.04 * (last[0] + right + last[1] + up) + 0.3
    corners = (0.0, float(last[0]), -float(last[1]))
    lines = (
        ((corners[0], corners[2] - room), (corners[1], corners[2] - room), 0.0),
        ((-room, 0.0), (-room, corners[2]), 90.0),
        (
            (corners[1] + 0.6 * room, corners[2] - 0.6 * room),
            (corners[1] + 0.6 * room + right, corners[2] - 0.6 * room + up),
            math.degrees(SLANT),
        ),
    )
    for place, (start, end, angle) in enumerate(lines):
        if extents[place] < 2:
            continue
        style = {"arrowstyle": "<->", "color": PALETTE[place], "linewidth": 1.2}
        axes.annotate("", xy=end, xytext=start, arrowprops=style)
        turned = math.radians(angle)
        away = 0.7 * room if place == 1 else -0.7 * room
        axes.text(
            (start[0] + end[0]) / 2 - away * math.sin(turned),
            (start[1] + end[1]) / 2 + away * math.cos(turned),
            f"{AXES[place]}: {extents[place]}{', ends joined' if extents[place] > 2 else ''}",
            color=PALETTE[place],
            ha="center",
            va="center",
            rotation=angle,
        )
    axes.set_xlim(-2.4 * room, last[0] + right + 1.6 * room)
    axes.set_ylim(-last[1] - 2.4 * room, up + 0.6 * room)
