"""The tables of jobs: as many columns as fit, and a cursor that stays with its job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from schedlab.durations import duration_text
from schedlab.watch.terminal.map_picture import letter
from schedlab.watch.terminal.node_map import colour_of, hex_of, ink_on
from schedlab.watch.terminal.panels import Panel

if TYPE_CHECKING:
    from textual import events

    from schedlab.watch.terminal.frame import Frame
    from schedlab.watch.terminal.player import Player

_HEAD_STYLE = Style(color="#7a828e")
_CURSOR_STYLE = Style(color="#000000", bgcolor="#56B4E9")
_PLACE_STYLE = Style(bgcolor="#2f353e")


class JobColumn(NamedTuple):
    """A column of a table; those of a higher rank go first where there is no room."""

    title: str
    width: int
    rank: int
    left: bool = False


class JobTable(Panel, can_focus=True):
    """Jobs, one a line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("enter", "pick", show=False),
    ]
    COLUMNS: ClassVar[tuple[JobColumn, ...]] = ()
    SWATCH = False

    class JobPicked(Message):
        """A job was picked."""

        def __init__(self, job_id: int) -> None:
            super().__init__()
            self.job_id = job_id

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.ids: list[int] = []
        self.cells: list[tuple[str, ...]] = []
        self.selected: int | None = None
        self._chosen = False  # before that, the cursor stays on the first line
        self.top = 0

    def rows_of(self, frame: Frame, player: Player) -> list[tuple[int, tuple[str, ...]]]:
        """Returns the number of each job and its cells, in the order of COLUMNS."""
        raise NotImplementedError

    def show(self, frame: Frame, player: Player) -> None:
        rows = self.rows_of(frame, player)
        place = self.place
        self.ids = [number for number, _ in rows]
        self.cells = [cells for _, cells in rows]
        if self.ids and not self._chosen:
            self.selected = self.ids[0]
        elif self.ids and self.selected not in self.ids:
            self.selected = self.ids[min(place, len(self.ids) - 1)]
        self._keep_in_sight()
        super().show(frame, player)

    @property
    def place(self) -> int:
        """The line of the cursor."""
        return self.ids.index(self.selected) if self.selected in self.ids else 0

    @property
    def _lines(self) -> int:
        return max(self.content_size.height - 1, 1)  # the first has the titles

    def _keep_in_sight(self) -> None:
        self.top = max(min(self.top, len(self.ids) - self._lines), 0)
        if self.place < self.top:
            self.top = self.place
        elif self.place >= self.top + self._lines:
            self.top = self.place - self._lines + 1

    def _shown_columns(self, width: int) -> list[int]:
        """Returns which columns fit, in their order."""
        room = width - (3 if self.SWATCH else 0)
        by_rank = sorted(range(len(self.COLUMNS)), key=lambda i: self.COLUMNS[i].rank)
        shown: list[int] = []
        for i in by_rank:
            needed = self.COLUMNS[i].width + 1
            if room < needed:
                break
            shown.append(i)
            room -= needed
        return sorted(shown)

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        shown = self._shown_columns(width)
        line = self.top + y - 1
        if y == 0:
            texts, style = tuple(column.title for column in self.COLUMNS), _HEAD_STYLE
        elif line < len(self.cells):
            texts, style = self.cells[line], Style()
            if self.ids[line] == self.selected:
                style = _CURSOR_STYLE if self.has_focus else _PLACE_STYLE
        else:
            return Strip.blank(width, self.rich_style)
        used = sum(self.COLUMNS[i].width + 1 for i in shown) + (3 if self.SWATCH else 0)
        spare = width - used
        parts = []
        for number, i in enumerate(shown):
            column = self.COLUMNS[i]
            if self.COLUMNS[shown[-1]].left:  # that one can use all of it
                room = column.width + (spare if i == shown[-1] else 0)
            else:
                room = column.width + min(spare * (number + 1) // len(shown), 40)
                room -= min(spare * number // len(shown), 40)
            text = texts[i] if len(texts[i]) <= room else texts[i][: room - 1] + "…"
            parts.append(text.ljust(room) if column.left else text.rjust(room))
        segments = [Segment(" ".join(parts).ljust(width), style)]
        if self.SWATCH:
            front = [self._swatch(line), Segment(" ")] if y else [Segment("   ")]
            segments = [*front, *segments]
        return Strip(segments).adjust_cell_length(width).apply_style(self.rich_style)

    def _swatch(self, line: int) -> Segment:
        colour = colour_of(self.ids[line])
        return Segment(
            f"{letter(self.ids[line])} ", Style(color=ink_on(colour), bgcolor=hex_of(colour))
        )

    def action_move(self, lines: int) -> None:
        """Moves the cursor."""
        if self.ids:
            self._chosen = True
            self.selected = self.ids[min(max(self.place + lines, 0), len(self.ids) - 1)]
            self._keep_in_sight()
            self.refresh()

    def action_page(self, pages: int) -> None:
        """Moves the cursor by what is in sight."""
        self.action_move(pages * self._lines)

    def action_pick(self) -> None:
        """Asks for everything about the job under the cursor."""
        if self.selected is not None and self.selected in self.ids:
            self.post_message(self.JobPicked(self.selected))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and offset.y > 0 and self.top + offset.y - 1 < len(self.ids):
            self._chosen, self.selected = True, self.ids[self.top + offset.y - 1]
            self.action_pick()

    def on_mouse_scroll_down(self) -> None:
        self.action_move(3)

    def on_mouse_scroll_up(self) -> None:
        self.action_move(-3)


class RunningTable(JobTable):
    """The running jobs, the last one that started first."""

    BORDER_TITLE = "running"
    SWATCH = True
    COLUMNS = (
        JobColumn("job", 7, 0),
        JobColumn("user", 5, 4),
        JobColumn("tasks", 6, 1),
        JobColumn("runs", 11, 2),
        JobColumn("of about", 11, 3),
        JobColumn(" nodes", 6, 5, left=True),
    )

    def rows_of(self, frame: Frame, player: Player) -> list[tuple[int, tuple[str, ...]]]:
        now = frame.moment.time
        self.border_title = _title("running", frame.moment.counts["running"], frame.running.height)
        columns = ("job_id", "user", "tasks", "start", "estimate", "nodes")
        return [
            (
                job,
                (
                    str(job),
                    "-" if user < 0 else str(user),
                    f"{tasks:,}",
                    duration_text(now - start),
                    duration_text(estimate),
                    f" {nodes or ''}",
                ),
            )
            for job, user, tasks, start, estimate, nodes in frame.running.select(columns).rows()
        ]


class QueueTable(JobTable):
    """The queued jobs in their order."""

    BORDER_TITLE = "queue"
    COLUMNS = (
        JobColumn("job", 7, 0),
        JobColumn("user", 5, 4),
        JobColumn("tasks", 6, 1),
        JobColumn("waits", 11, 2),
        JobColumn("estimate", 11, 3),
        JobColumn("submitted", 16, 5),
    )

    def rows_of(self, frame: Frame, player: Player) -> list[tuple[int, tuple[str, ...]]]:
        now, clock = frame.moment.time, player.clock
        counts = frame.moment.counts
        title = _title("queue", counts["queued"], frame.queue.height)
        self.border_title = title + (f", and {counts['held']:,} held" if counts["held"] else "")
        columns = ("job_id", "user", "tasks", "submit", "estimate")
        return [
            (
                job,
                (
                    str(job),
                    "-" if user < 0 else str(user),
                    f"{tasks:,}",
                    duration_text(now - submit),
                    duration_text(estimate),
                    clock.text(submit, seconds=False),
                ),
            )
            for job, user, tasks, submit, estimate in frame.queue.select(columns).rows()
        ]


def _title(name: str, count: int, shown: int) -> str:
    return f"{name}: {count:,}" + (f", {shown:,} shown" if shown < count else "")
