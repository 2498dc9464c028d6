"""A fat tree: levels of switches above the nodes, joined by lines as wide as their bandwidth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.analysis.plots.networks.wires import bare, widths, wire_legend, wire_text
from schedlab.analysis.style import FAINT, INK, PALETTE
from schedlab.system.network import LinkKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.system.network import FatTree

MOST_SWITCHES, MOST_NODES = 25, 4
"""Switches of a level, and nodes of a switch, that are drawn; of more the first and last ones."""

WIDTH, STEP = 16.0, 2.6


def draw_fat_tree(figure: Figure, network: FatTree) -> None:
    """Draws into an empty figure, the nodes at the bottom."""
    axes = figure.add_subplot()
    bare(axes)
    host = network.link_kinds()[0]
    ways = (host, *network.kinds_between_routers()[::2])
    thick = widths(ways)
    shown = [_shown(count, MOST_SWITCHES) for count in network.levels]
    spots = [dict(zip(places, _spread(len(places)), strict=True)) for places in shown]
    for level in range(len(network.up)):
        _draw_gap(axes, network, level, spots, thick[level + 1])
    _draw_nodes(axes, network, spots[0], thick[0])
    for level, places in enumerate(spots):
        height = STEP * (level + 1)
        _draw_switches(axes, list(places.values()), height, PALETTE[level % len(PALETTE)])
        _label(axes, height, network.levels[level], level)
    axes.set_xlim(-4.6, WIDTH + 0.8)
    axes.set_ylim(0.2, STEP * len(network.down) + 0.5)
    wire_legend(axes, [_row(network, level, ways, thick) for level in range(len(ways))])


def _row(
    network: FatTree, level: int, ways: tuple[LinkKind, ...], thick: list[float]
) -> tuple[str, float, str]:
    name = "nodes to level 1" if level == 0 else f"level {level} to {level + 1}"
    taper = f", taper {network.tapering[level - 1]:.3g}" if level else ""
    return _colour(level), thick[level], f"{name}: {wire_text(ways[level])}{taper}"


def _colour(level: int) -> str:
    return FAINT if level == 0 else PALETTE[(level - 1) % len(PALETTE)]


def _shown(count: int, most: int) -> list[int]:
    """Returns which of N to draw: all, or the first ones and the last ones."""
    if count <= most:
        return list(range(count))
    half = most // 2
    return [*range(half), *range(count - half, count)]


def _spread(count: int) -> list[float]:
    """Returns places along the width."""
    if count == 1:
        return [WIDTH / 2]
    return [float(x) for x in numpy.linspace(0, WIDTH, count)]


def _draw_gap(
    axes: Axes, network: FatTree, level: int, spots: list[dict[int, float]], width: float
) -> None:
    """Draws the links between a level and the next one, of switches that are both drawn."""
    from matplotlib.collections import LineCollection

    copies = 1
    for above in network.up[:level]:
        copies *= above
    down, up = network.down[level + 1], network.up[level]
    lines = []
    for place, x in spots[level].items():
        subtree, copy = divmod(place, copies)
        for port in range(up):
            upper = (subtree // down) * copies * up + port * copies + copy
            if upper in spots[level + 1]:
                lines.append(
                    [(x, STEP * (level + 1)), (spots[level + 1][upper], STEP * (level + 2))]
                )
    share = min(1.0, 60.0 / max(len(lines), 1))
    axes.add_collection(
        LineCollection(
            lines, colors=_colour(level + 1), linewidths=max(0.25, width * share), alpha=0.75
        )
    )


def _draw_switches(axes: Axes, xs: list[float], height: float, colour: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    wide = min(1.2, 0.7 * WIDTH / max(len(xs), 1))
    for x in xs:
        axes.add_patch(
            FancyBboxPatch(
                (x - wide / 2, height - 0.18),
                wide,
                0.36,
                boxstyle="round,pad=0.02,rounding_size=0.08",
                facecolor="white",
                edgecolor=colour,
                linewidth=1.4,
                zorder=3,
            )
        )


def _draw_nodes(axes: Axes, network: FatTree, leaves: dict[int, float], width: float) -> None:
    count = min(network.down[0], MOST_NODES)
    room = WIDTH / max(len(leaves), 1) * 0.75
    for x in leaves.values():
        xs = x + (
            numpy.linspace(-0.5, 0.5, count) * min(room, 2.0) if count > 1 else numpy.zeros(1)
        )
        for node in xs:
            axes.plot([x, node], [STEP, STEP * 0.35], color=FAINT, linewidth=min(width, 0.9))
        axes.scatter(xs, [STEP * 0.35] * count, 9, color=INK, zorder=3, linewidths=0)
    some = f"{network.nodes:,} nodes\n{network.down[0]:,} at each switch"
    axes.text(-0.9, STEP * 0.35, some, ha="right", va="center", size=9)


def _label(axes: Axes, height: float, count: int, level: int) -> None:
    drawn = len(_shown(count, MOST_SWITCHES))
    left_out = f"\n({drawn} drawn)" if drawn < count else ""
    text = f"level {level + 1}: {count:,} switch{'es' if count > 1 else ''}{left_out}"
    axes.text(-0.9, height, text, ha="right", va="center", size=9)
