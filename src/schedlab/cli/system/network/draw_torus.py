"""A torus: one plane of routers with its links and wraps, and the planes behind it."""

from __future__ import annotations

from rich.text import Text

from schedlab.cli.system.network.amounts import bit_rate, delay, wires
from schedlab.cli.system.network.canvas import Canvas, shown_places
from schedlab.system.network.torus import AXES, Torus

COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red", "white", "bright_black")
MOST_COLUMNS, MOST_ROWS = 7, 5
"""Routers of the plane that are drawn; of longer dimensions the first ones and the last one."""

_SPACING = 8  # columns from router to router; rows are two apart
_LABELS = 8  # columns for the numbers of rows
_BEHIND = 3  # columns by which a plane sticks out behind the one before it


def draw_torus(network: Torus) -> Text:
    """Returns the drawing of a torus, with what its lines stand for below."""
    extents = (*network.dimensions, 1)  # a ring is drawn as a plane of one row
    columns = shown_places(extents[0], MOST_COLUMNS)
    rows = shown_places(extents[1], MOST_ROWS)
    planes = network.dimensions[2] if len(network.dimensions) > 2 else 1
    behind = min(planes - 1, 2)
    width = _LABELS + _SPACING * (len(columns) - 1) + 9
    height = 2 * len(rows) + 4
    canvas = Canvas()
    if planes > 1:
        for depth in range(behind, -1, -1):
            number = planes - 1 if depth == behind else depth
            title = " ⋯ " if depth == 1 and planes > 3 else f" z = {number} "
            place = (2 + _BEHIND * depth, behind - depth)
            canvas.frame(*place, width, height, title, COLOURS[2])
    _draw_plane(canvas, network, columns, rows, (4, behind + 1))
    return canvas.text().append("\n\n").append_text(_key(network))


def _draw_plane(
    canvas: Canvas,
    network: Torus,
    columns: list[int | None],
    rows: list[int | None],
    corner: tuple[int, int],
) -> None:
    left, top = corner[0] + _LABELS, corner[1] + 2
    right, bottom = left + _SPACING * (len(columns) - 1), top + 2 * (len(rows) - 1)
    xs = [left + _SPACING * place for place in range(len(columns))]
    ys = [top + 2 * place for place in range(len(rows))]
    doubled = [links > 1 for links in (*network.parallel_links, 1)]
    across, down = "─═"[doubled[0]], "│║"[doubled[1]]
    drawn = list(zip(columns, xs, strict=True))
    for y, number in zip(ys, rows, strict=True):
        if number is None:
            continue
        canvas.across(left, right, y, across, COLOURS[0])
        if network.dimensions[0] > 2:
            canvas.put(left - 3, y, f"◄{across * 2}", COLOURS[0])
            canvas.put(right + 1, y, f"{across * 2}►", COLOURS[0])
        if len(network.dimensions) > 1:
            canvas.put(left - _LABELS, y, f"y={number}", "dim")
    for number, x in drawn:
        if number is None:
            continue
        if len(network.dimensions) > 1:
            canvas.down(x, top, bottom, down, COLOURS[1])
            if network.dimensions[1] > 2:
                canvas.put(x, top - 1, "▲", COLOURS[1])
                canvas.put(x, bottom + 1, "▼", COLOURS[1])
        canvas.put(x, top - 2, f"x={number}", "dim")
    for y, row in zip(ys, rows, strict=True):
        for column, x in drawn:
            if row is None and column is None:
                canvas.put(x, y, "⋱")
            elif row is None:
                canvas.put(x, y, "⋮", COLOURS[1])
            elif column is None:
                canvas.put(x - 1, y, " ⋯ ", COLOURS[0])
            else:
                canvas.put(x, y, "●", "bold")


def _key(network: Torus) -> Text:
    """Returns what the lines and dots stand for."""
    text = Text()
    nodes = network.nodes_per_router
    some = "1 node" if nodes == 1 else f"{nodes} nodes"
    host = f"{bit_rate(network.host_bandwidth)}, {delay(network.host_delay)}"
    text.append("  ●  ", "bold").append(f"router with {some}: {host} each\n")
    for place, extent in enumerate(network.dimensions):
        links = wires(network.parallel_links[place], network.bandwidth[place])
        text.append(f"  {AXES[place]}  ", COLOURS[place])
        text.append(f"{extent:,} router{'s' if extent > 1 else ''}")
        if extent > 1:
            ring = " in a ring" if extent > 2 else ""
            text.append(f"{ring}: {links}, {delay(network.delay[place])} a hop")
            text.append(_ends(place) if extent > 2 else "", "dim")
        text.append("\n")
    text.rstrip()
    return text


def _ends(place: int) -> str:
    """Returns how the drawing shows that the ends of a dimension are joined."""
    if place > 2:
        return " (not drawn)"
    return (" (◄ ►)", " (▲ ▼)", ", last plane to first")[place]
