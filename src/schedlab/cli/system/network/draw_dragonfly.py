"""A dragonfly: the routers of one group, and the groups it is joined to."""

from __future__ import annotations

from rich.text import Text

from schedlab.cli.system.network.amounts import bit_rate, delay, wires
from schedlab.cli.system.network.canvas import Canvas, shown_places
from schedlab.system.network.dragonfly import Dragonfly

MOST_COLUMNS, MOST_ROWS, MOST_GROUPS = 8, 6, 7
"""Routers of a group and groups that are drawn; of more the first ones and the last one."""

_SPACING = 5
_ROW, _COLUMN, _GLOBAL = "cyan", "yellow", "green"


def draw_dragonfly(network: Dragonfly) -> Text:
    """Returns the drawing of a dragonfly, with what its lines stand for below."""
    columns = shown_places(network.columns, MOST_COLUMNS)
    rows = shown_places(network.rows, MOST_ROWS)
    canvas = Canvas()
    width, height = max(14, _SPACING * len(columns) + 2), 2 * len(rows) + 1
    others = shown_places(network.groups, MOST_GROUPS)[1:]
    height = max(height, 2 * len(others) + 1)
    canvas.frame(2, 0, width, height, " group 0 ", _GLOBAL)
    _draw_group(canvas, network, columns, rows)
    for index, number in enumerate(others):
        row = 1 + 2 * index
        if number is None:
            canvas.put(2 + width + 5, row, "⋮", _GLOBAL)
            continue
        canvas.put(1 + width, row, "├" + "━" * 9 + "┤", _GLOBAL)
        canvas.put(12 + width, row, f" group {number}", "bold")
    return canvas.text().append("\n\n").append_text(_key(network))


def _draw_group(
    canvas: Canvas, network: Dragonfly, columns: list[int | None], rows: list[int | None]
) -> None:
    left, top = 5, 1
    in_row, in_column = ("─═"[network.local_parallel_links[0] > 1], "│║"[_several(network)])
    for y in range(len(rows)):
        canvas.across(left, left + _SPACING * (len(columns) - 1), top + 2 * y, in_row, _ROW)
    for x in range(len(columns)):
        for y in range(len(rows) - 1):
            canvas.put(left + _SPACING * x, top + 2 * y + 1, in_column, _COLUMN)
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            place = (left + _SPACING * x, top + 2 * y)
            if row is None:
                canvas.across(place[0] - 2, place[0] + _SPACING - 2, place[1], " ")
                canvas.put(*place, "⋮" if column is not None else "⋱", _COLUMN)
            elif column is None:
                canvas.put(place[0] - 1, place[1], " ⋯ ", _ROW)
            else:
                canvas.put(*place, "●", "bold")
    gap = columns.index(None) if None in columns else None
    if gap is not None:  # no column is drawn there
        for y in range(len(rows) - 1):
            canvas.put(left + _SPACING * gap, top + 2 * y + 1, " ")


def _several(network: Dragonfly) -> bool:
    return network.local_parallel_links[1] > 1


def _key(network: Dragonfly) -> Text:
    """Returns what the lines and dots stand for."""
    nodes = network.nodes_per_router
    some = "1 node" if nodes == 1 else f"{nodes} nodes"
    host = f"{bit_rate(network.host_bandwidth)}, {delay(network.host_delay)}"
    in_row, in_column = (
        f"{wires(links, network.local_bandwidth)}, {delay(network.local_delay)}"
        for links in network.local_parallel_links
    )
    text = Text("  ●  ", "bold").append(f"router with {some}: {host} each\n", "not bold")
    if network.columns > 1:
        text.append("  ─  ", _ROW).append(f"each two routers of a row: {in_row}\n", "not bold")
    if network.rows > 1:
        text.append("  │  ", _COLUMN)
        text.append(f"each two routers of a column: {in_column}\n", "not bold")
    if network.groups > 1:
        between = f"{network.links_between} x {bit_rate(network.global_bandwidth)}"
        text.append("  ━  ", _GLOBAL)
        text.append(
            f"each two of {network.groups:,} groups: {between}, {delay(network.global_delay)}",
            "not bold",
        )
    text.rstrip()
    return text
