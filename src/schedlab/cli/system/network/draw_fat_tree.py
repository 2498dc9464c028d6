"""A fat tree: its levels of switches, and how wide the way between them is."""

from __future__ import annotations

from fractions import Fraction

from rich.text import Text

from schedlab.cli.system.network.amounts import bit_rate, delay, wires
from schedlab.cli.system.network.canvas import Canvas, shown_places
from schedlab.system.network.fat_tree import FatTree

WIDEST = 40
"""Columns of the bar of the level that carries most."""

_MOST_SHOWN = 1e9
_MOST_SWITCHES = 20
_BARS = 12  # column where bars and switches begin


def draw_fat_tree(network: FatTree) -> Text:
    """Returns the drawing of a fat tree, the top level first."""
    canvas = Canvas()
    totals = [network.nodes * network.host_bandwidth]
    totals += [
        kind.links * kind.ports * kind.bandwidth for kind in network.kinds_between_routers()[::2]
    ]
    row = 0
    for level in range(len(network.down) - 1, -1, -1):
        count = network.levels[level]
        canvas.put(2, row, f"level {level + 1}", "bold")
        _draw_row(canvas, row, count, "■", "cyan" if level else "yellow")
        note = f"{count:,} switch{'es' if count > 1 else ''}, {_ways(network, level)}"
        canvas.put(_BARS, row + 1, note, "dim")
        bar = max(1, round(WIDEST * totals[level] / max(totals)))
        for line in (row + 2, row + 3):
            canvas.across(_BARS, _BARS + bar, line, "█", "green")
        canvas.put(_BARS + bar + 2, row + 2, bit_rate(totals[level]) + " each way")
        canvas.put(_BARS + bar + 2, row + 3, _wires(network, level), "dim")
        row += 4
    canvas.put(2, row, "nodes", "bold")
    _draw_row(canvas, row, network.nodes, "●", "")
    canvas.put(_BARS, row + 1, f"{network.nodes:,} nodes", "dim")
    text = canvas.text().append("\n")
    for level, taper in enumerate(network.tapering, 1):
        ratio = Fraction(min(taper, _MOST_SHOWN)).limit_denominator(64)  # taper may be infinite
        exact = f"{ratio.numerator}:{ratio.denominator}" if ratio == taper else "about"
        kind = "tapered" if taper > 1 else "not tapered"
        text.append(f"\n  level {level} is {kind}: down to up {exact} ({taper:.3g})")
    return text


def _draw_row(canvas: Canvas, row: int, count: int, mark: str, style: str) -> None:
    """Draws N things in a row that is as wide as the widest bar."""
    places = shown_places(count, _MOST_SWITCHES)
    step = max(2, min(6, WIDEST // len(places)))
    for index, place in enumerate(places):
        canvas.put(_BARS + step * index, row, "⋯" if place is None else mark, style)


def _ways(network: FatTree, level: int) -> str:
    below = f"{network.down[level]:,} {'switches' if level else 'nodes'} below each"
    if level == len(network.up):
        return below
    return f"{below}, {network.up[level]:,} switches above"


def _wires(network: FatTree, level: int) -> str:
    if level == 0:
        return f"{bit_rate(network.host_bandwidth)} a node, {delay(network.host_delay)}"
    gap = level - 1
    return (
        f"{wires(network.parallel_links[gap], network.bandwidth[gap])}, {delay(network.delay[gap])}"
    )
