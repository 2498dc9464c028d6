"""The map of the nodes, coloured by job."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from schedlab.analysis.raster import job_colours
from schedlab.watch.terminal.map_picture import ABSENT, Owner, letter
from schedlab.watch.terminal.panels import Panel

if TYPE_CHECKING:
    from textual import events

    from schedlab.watch.terminal.frame import Frame
    from schedlab.watch.terminal.player import Player

GROUND = "#23272e"
_IDLE_STYLE = Style(color="#59616d", bgcolor=GROUND)
_LABEL_STYLE = Style(color="#7a828e")
_CURSOR_STYLE = Style(color="#000000", bgcolor="#ffffff", bold=True)


class NodeMap(Panel, can_focus=True):
    """A cell per node, or for several nodes where there are more than fit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1, 0)", show=False),
        Binding("right", "move(1, 0)", show=False),
        Binding("up", "move(0, -1)", show=False),
        Binding("down", "move(0, 1)", show=False),
        Binding("enter", "pick", show=False),
    ]
    BORDER_TITLE = "nodes"

    class NodesPicked(Message):
        """Nodes of a cell were picked."""

        def __init__(self, nodes: range) -> None:
            super().__init__()
            self.nodes = nodes

    cursor = 0
    _styles: ClassVar[dict[tuple[Owner, Owner], Style]] = {}

    def show(self, frame: Frame, player: Player) -> None:
        many = frame.layout.nodes_per_cell
        each = "a node a cell" if many == 1 else f"{many} nodes a cell"
        several = len(player.view.run["system"]["capacity"]) > 1
        hint = ", r: next" if several else ""
        nodes = f"{frame.layout.nodes:,} node{'s' if frame.layout.nodes > 1 else ''}"
        self.border_title = f"{nodes} by {frame.kind}{hint}"
        self.border_subtitle = f"{each}, {letter_hint(frame)}"
        self.cursor = min(self.cursor, frame.layout.cells - 1)
        super().show(frame, player)

    def render_line(self, y: int) -> Strip:
        frame = self.frame
        if frame is None or y >= frame.layout.rows:
            return Strip.blank(self.content_size.width, self.rich_style)
        layout = frame.layout
        first = y * layout.per_row
        label = str(first * layout.nodes_per_cell).rjust(layout.label - 1)
        segments = [Segment(f"{label} ", _LABEL_STYLE)]
        for cell in range(first, min(first + layout.per_row, layout.cells)):
            segments += self._cell(cell)
            if layout.gap:
                segments.append(Segment(" "))
        # A frame may be older than the size of the panel.
        strip = Strip(Segment.simplify(segments)).adjust_cell_length(self.content_size.width)
        return strip.apply_style(self.rich_style)

    def _cell(self, cell: int) -> list[Segment]:
        assert self.frame is not None
        picture, layout = self.frame.picture, self.frame.layout
        owner = picture.owners(cell)
        marked = self.has_focus and cell == self.cursor
        crowded = bool(picture.crowded[cell])
        segments: list[Segment] = []
        place = 0
        while place < layout.bar:
            left, right = owner[2 * place], owner[2 * place + 1]
            if left != right:
                segments.append(Segment("▌", self._style(left, right)))
                place += 1
                continue
            end = place + 1
            while end < layout.bar and owner[2 * end] == owner[2 * end + 1] == left:
                end += 1
            segments.append(self._piece(left, end - place))
            place = end
        if crowded:
            segments = _with_last(segments, "+", layout.bar)
        if marked:
            text = "".join(segment.text for segment in segments)
            return [Segment(text.replace("▌", "+"), _CURSOR_STYLE)]
        return segments

    def _piece(self, job: Owner, length: int) -> Segment:
        if not isinstance(job, int):
            return Segment(" " * length) if job == ABSENT else Segment("·" * length, _IDLE_STYLE)
        name = str(job)
        text = name.center(length) if len(name) <= length else letter(job).ljust(length)
        return Segment(text, self._style(job, job))

    def _style(self, left: Owner, right: Owner) -> Style:
        """Returns the style of a character with two jobs on it, or of one with a letter."""
        key = (left, right)
        known = self._styles.get(key)
        if known is None:
            if len(self._styles) > 20_000:
                self._styles.clear()
            if left == right:
                colour = colour_of(left)
                known = Style(color=ink_on(colour), bgcolor=hex_of(colour))
            else:
                known = Style(color=hex_of(colour_of(left)), bgcolor=hex_of(colour_of(right)))
            self._styles[key] = known
        return known

    def action_move(self, columns: int, rows: int) -> None:
        """Moves the cursor over the cells."""
        if self.frame is None:
            return
        cell = self.cursor + columns + rows * self.frame.layout.per_row
        if 0 <= cell < self.frame.layout.cells:
            self.cursor = cell
            self.refresh()

    def action_pick(self) -> None:
        """Asks for everything about the nodes under the cursor."""
        if self.frame is not None:
            self.post_message(self.NodesPicked(self.frame.layout.nodes_of(self.cursor)))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if self.frame is None or offset is None:
            return
        cell = self.frame.layout.cell_at(offset.x, offset.y)
        if cell is not None:
            self.cursor = cell
            self.action_pick()


def letter_hint(frame: Frame) -> str:
    """Returns what the marks of the map mean, as short as can be."""
    return "+: more jobs" if bool(frame.picture.crowded.any()) else "·: idle"


def _with_last(segments: list[Segment], mark: str, width: int) -> list[Segment]:
    """Returns the segments with a mark in place of the last character."""
    if width == 1:
        return [Segment(mark, segments[0].style)]
    *others, last = segments
    return [*others, Segment(last.text[:-1], last.style), Segment(mark, last.style)]


def colour_of(job: Owner) -> tuple[int, int, int]:
    """Returns the colour of a job; the ground where there is none."""
    if not isinstance(job, int):
        return (0x23, 0x27, 0x2E)
    red, green, blue = job_colours(numpy.array([abs(job)]))[0].tolist()
    return red, green, blue


def hex_of(colour: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def ink_on(colour: tuple[int, int, int]) -> str:
    """Returns black or white, whichever is read better on a colour."""
    red, green, blue = colour
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 115 else "#ffffff"
