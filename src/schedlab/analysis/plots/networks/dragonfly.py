"""A dragonfly: its groups in a circle, each joined to each, and one group in full."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy

from schedlab.analysis.plots.networks.wires import (
    HOST_COLOUR,
    WIDEST,
    bare,
    host_text,
    widths,
    wire_legend,
    wire_text,
)
from schedlab.analysis.style import FAINT, INK, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.system.network import Dragonfly

MOST_GROUPS = 60
MOST_ROUTERS = 24
"""Groups, and routers in a row or column of one, that are drawn."""


def draw_dragonfly(figure: Figure, network: Dragonfly) -> None:
    """Draws into an empty figure: the groups at the left, one of them at the right."""
    row, column, between = network.kinds_between_routers()
    in_row, in_column = widths((row, column))
    if network.groups == 1:
        right = figure.add_subplot()
    else:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
        _draw_groups(left, network)
        joined = f"two groups: {wire_text(between, network.links_between)}"
        wire_legend(left, [(PALETTE[2], WIDEST / 2, joined)], columns=1)
    _draw_group(right, network, in_row, in_column)
    inside = []
    if network.columns > 1:
        inside.append((PALETTE[0], in_row, f"in a row: {wire_text(row)}"))
    if network.rows > 1:
        inside.append((PALETTE[1], in_column, f"in a column: {wire_text(column)}"))
    inside.append((HOST_COLOUR, 0.0, host_text(network)))
    wire_legend(right, inside, columns=1)


def _draw_groups(axes: Axes, network: Dragonfly) -> None:
    from matplotlib.collections import LineCollection

    bare(axes)
    axes.set_aspect("equal")
    count = min(network.groups, MOST_GROUPS)
    angles = math.pi / 2 - numpy.linspace(0, 2 * math.pi, count, endpoint=False)
    places = numpy.stack([numpy.cos(angles), numpy.sin(angles)], axis=1)
    chords = [places[[a, b]] for a in range(count) for b in range(a)]
    thin = max(0.2, min(1.6, 40.0 / max(len(chords), 1)))
    axes.add_collection(LineCollection(chords, colors=PALETTE[2], linewidths=thin, alpha=0.8))
    size = max(60.0, min(700.0, 9000.0 / count))
    axes.scatter(
        places[:, 0],
        places[:, 1],
        size,
        color="white",
        edgecolors=PALETTE[2],
        zorder=3,
        linewidths=1.4,
    )
    for number, (x, y) in enumerate(places):
        axes.text(x, y, str(number), ha="center", va="center", size=8, zorder=4)
    shown = f" ({count} drawn)" if count < network.groups else ""
    axes.set_title(f"{network.groups:,} groups{shown}, each joined to each")
    axes.set_xlim(-1.25, 1.25)
    axes.set_ylim(-1.25, 1.25)


def _draw_group(axes: Axes, network: Dragonfly, in_row: float, in_column: float) -> None:
    """Draws routers in rows and columns, and the links of the first router of each line."""
    bare(axes)
    columns, rows = (min(extent, MOST_ROUTERS) for extent in (network.columns, network.rows))
    tall = max(1.0, columns / max(rows, 1) * 0.8)
    for y in range(rows):
        for x in range(1, columns):
            _arc(axes, (0, -y * tall), (x, -y * tall), in_row, PALETTE[0], 0.18)
    for x in range(columns):
        for y in range(1, rows):
            _arc(axes, (x, 0), (x, -y * tall), in_column, PALETTE[1], 0.12)
    grid = [(x, -y * tall) for y in range(rows) for x in range(columns)]
    xs, ys = zip(*grid, strict=True)
    axes.scatter(xs, ys, max(12.0, 420.0 / max(columns, rows)), color=INK, zorder=3, linewidths=0)
    per = "1 node" if network.nodes_per_router == 1 else f"{network.nodes_per_router} nodes"
    size = (
        f"{network.rows} x {network.columns} routers"
        if network.rows > 1
        else f"{network.columns} routers"
    )
    axes.set_title(f"One group: {size} with {per} each")
    if network.rows * network.columns > 1:
        note = "lines of the first router in each row and column"
        axes.text(0.5, 0.0, note, transform=axes.transAxes, ha="center", size=8, color=FAINT)
    axes.set_ylim(-(rows - 1) * tall - 0.16 * (rows * tall), None)


def _arc(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    width: float,
    colour: str,
    bend: float,
) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-",
            connectionstyle=f"arc3,rad={-bend}",
            color=colour,
            linewidth=max(0.4, width * 0.4),
            alpha=0.8,
            shrinkA=0,
            shrinkB=0,
        )
    )
