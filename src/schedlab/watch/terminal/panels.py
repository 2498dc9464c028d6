"""The panels that are only looked at: title and clock, resources and curves, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.message import Message
from textual.widget import Widget

from schedlab.durations import duration_text
from schedlab.watch.machine_now import machine_words
from schedlab.watch.terminal.player import LivePlayer

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars

    from schedlab.watch.terminal.frame import Frame
    from schedlab.watch.terminal.player import Player

ACCENT, GOOD, WARN, DIM = "#56B4E9", "#3fbf8f", "#E69F00", "#7a828e"
_BLOCKS = " ▁▂▃▄▅▆▇█"
_CURVE_COLOURS = {"queued": "#E69F00", "running": "#56B4E9"}
_USED_COLOUR = "#3fbf8f"
_NOTE_WIDTH = 10
"""Columns of the text to the right of a curve: its scale."""


class Panel(Widget):
    """Something that shows a frame; nothing before the first one."""

    class Resized(Message):
        """What is shown must be made anew, for another size."""

    frame: Frame | None = None
    player: Player | None = None

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def show(self, frame: Frame, player: Player) -> None:
        """Shows another frame."""
        self.frame, self.player = frame, player
        self.refresh()


class Heading(Panel):
    """Two lines: what is watched and its state; the clock, the speed and how far it is."""

    ended = ""
    ended_hint = ""

    def render(self) -> Text:
        if self.frame is None or self.player is None:
            return Text("reading the run ...", DIM)
        width = self.size.width
        return Text("\n").join([self._title(width), self._clock(width)])

    def _title(self, width: int) -> Text:
        assert self.player is not None
        run = self.player.view.run
        live = isinstance(self.player, LivePlayer)
        if self.ended:
            badge = (f" {self.ended} ", f"bold black on {WARN}")
        elif live:
            badge = (" LIVE ", f"bold black on {GOOD}")
        else:
            badge = (" REPLAY ", f"bold black on {ACCENT}")
        left = Text.assemble(
            badge, " ", (run["scheduler"], "bold"), f" + {run['allocator']}", (" on ", DIM)
        )
        left.append(run["system"]["name"] or "a machine")
        folder = Text(self.player.view.path, DIM)
        if left.cell_len + folder.cell_len + 2 <= width:
            left.append(" " * (width - left.cell_len - folder.cell_len))
            left.append_text(folder)
        left.truncate(width, overflow="ellipsis")
        return left

    def _clock(self, width: int) -> Text:
        assert self.frame is not None
        assert self.player is not None
        frame, player = self.frame, self.player
        line = Text.assemble((player.clock.text(frame.moment.time, zone=True), "bold"), "  ")
        line.append_text(self._pace(player))
        share = self._share(frame, player)
        if share is None:
            line.append(f"  {frame.moment.done:,} jobs done")
        else:
            tail = f" {share:4.0%}"
            room = width - line.cell_len - len(tail) - 2
            if room >= 8:
                filled = round(share * room)
                line.append("  ")
                line.append("━" * filled, ACCENT)
                line.append("━" * (room - filled), "#3a404a")
            line.append(tail)
        line.truncate(width, overflow="ellipsis")
        return line

    def _pace(self, player: Player) -> Text:
        if self.ended:
            return Text(self.ended_hint, WARN)
        if isinstance(player, LivePlayer):
            if player.until is not None:
                return Text(f"» to {player.clock.text(player.until, seconds=False)}", GOOD)
            if player.paused:
                return _paused(player)
            pace = player.pace()
            text = Text(f"▶ {player.speed_text()}", GOOD)
            if pace is not None and pace[0] > 0 and player.speed is None:
                text = Text(f"▶ {duration_text(pace[0])}/s, {pace[1]:,.0f} jobs/s", GOOD)
            return text
        if player.paused:
            end = self.frame is not None and self.frame.moment.time >= self.frame.last
            return Text("■ at the end", f"bold {WARN}") if end else _paused(player)
        return Text(f"▶ {player.speed_text()}", GOOD)

    def _share(self, frame: Frame, player: Player) -> float | None:
        if isinstance(player, LivePlayer):
            return player.run.share_read
        span = frame.last - frame.first
        return (frame.moment.time - frame.first) / span if span else 1.0


def _paused(player: Player) -> Text:
    """Returns that the clock stands still, and at which speed it will continue."""
    return Text.assemble(("‖ paused", f"bold {WARN}"), (f", then {player.speed_text()}", DIM))


class Overview(Panel):
    """Counts of jobs, a gauge per resource type, and the curves of the run."""

    BORDER_TITLE = "machine"

    @property
    def curve_width(self) -> int:
        """Columns of a curve: what labels and notes leave."""
        return max(self.content_size.width - self._label_width - _NOTE_WIDTH, 10)

    @property
    def _label_width(self) -> int:
        kinds = self.player.view.run["system"]["capacity"] if self.player else ()
        return max(8, *(min(len(kind) + 6, 14) for kind in kinds)) if kinds else 8

    def render(self) -> Text:
        if self.frame is None or self.player is None:
            return Text()
        width, height = self.content_size.width, self.content_size.height
        capacity = {k: n for k, n in self.player.view.run["system"]["capacity"].items() if n}
        lines = _counts(self.frame.moment.counts, width)
        # The first of them say most; on a small screen the rest leaves room for gauges and curves.
        lines += _machine(self.frame.moment.numbers, width)[: max(1, height // 5)]
        gauges = _gauges(self.frame, capacity, width)
        room = max(height - len(lines) - 1, 1)  # a curve at least is worth a gauge
        if len(gauges) > room:
            left = len(gauges) - room + 1
            gauges = [*gauges[: room - 1], Text(f"and {left} more resource types", DIM)]
        lines += gauges
        lines += self._curves(capacity, height - len(lines))
        return Text("\n").join(lines[:height])

    def _curves(self, capacity: dict[str, int], height: int) -> list[Text]:
        assert self.frame is not None
        assert self.player is not None
        frame, label, width = self.frame, self._label_width, self.curve_width
        if frame.curves is None or height < 1:
            return []
        used = [k for k in capacity if (frame.curves[f"{k}_used_max"] > 0).any()]
        names = ["queued", "running", *(f"{kind}_used" for kind in used)][:height]
        axis = height >= len(names) * 2 + 1
        each = min((height - axis) // len(names), 6)
        span = frame.last - frame.first
        played = (frame.moment.time - frame.first) / span if span else 1.0
        reached = max(1, round(played * width))
        lines: list[Text] = []
        for name in names:
            kind = name.removesuffix("_used")
            # Of what is in use the mean says most, of jobs the peak.
            column = name if kind in capacity else f"{name}_max"
            values = _fitted(frame.curves, column, width)
            top = float(capacity[kind]) if kind in capacity else max([*values, 1.0])
            note = "100%" if kind in capacity else f"max {short(max(values, default=0))}"
            title = f"{kind} used" if kind in capacity else name
            colour = _CURVE_COLOURS.get(name, _USED_COLOUR)
            for row, text in enumerate(curve_rows(values, top, each)):
                heading = title[: label - 1].ljust(label) if row == each - 1 else " " * label
                line = Text(heading, DIM)
                line.append(text[:reached], colour)
                line.append(text[reached:], "#4a515c")
                line.append(f" {note}" if row == 0 else "", DIM)
                lines.append(line)
        if axis:
            clock = self.player.clock
            begin, end = (clock.text(t, seconds=False) for t in (frame.first, frame.last))
            if len(begin) + len(end) + 1 > width:
                begin, end = begin.split(" ")[0], end.split(" ")[0]
                if begin == "day":
                    begin, end = "start", "end"
            blank = max(width - len(begin) - len(end), 1)
            lines.append(Text(" " * label + begin + " " * blank + end, DIM))
        return lines


def _counts(counts: dict[str, int], width: int) -> list[Text]:
    parts = [("queued", "#E69F00"), ("running", "#56B4E9"), ("completed", "#3fbf8f")]
    parts += [(name, DIM) for name in ("killed", "failed", "rejected", "held") if counts[name]]
    return _in_lines(
        [
            Text.assemble((f"{counts[name]:,}", f"bold {colour}"), f" {name}")
            for name, colour in parts
        ],
        width,
    )


def _machine(numbers: Mapping[str, float], width: int) -> list[Text]:
    """Returns power, energy and nodes that are down or off; nothing where they are not known."""
    above = 0 < numbers.get("cap", 0.0) < numbers.get("power", 0.0) * (1 - 1e-9)
    items = []
    for label, text in machine_words(numbers):
        alarming = (label == "power" and above) or (label == "nodes down" and text != "0")
        items.append(Text.assemble((f"{label} ", DIM), (text, f"bold {WARN}" if alarming else "")))
    return _in_lines(items, width) if items else []


def _in_lines(items: list[Text], width: int) -> list[Text]:
    """Returns items one after the other, in as many lines as they need."""
    lines, line = [], Text()
    for item in items:
        if line.cell_len and line.cell_len + 3 + item.cell_len > width:
            lines.append(line)
            line = Text()
        if line.cell_len:
            line.append("   " if width > 50 else "  ")
        line.append_text(item)
    return [*lines, line]


def _gauges(frame: Frame, capacity: dict[str, int], width: int) -> list[Text]:
    """Returns a bar for each resource type: how much of it is in use."""
    widest = min(max(map(len, capacity), default=4), 10)
    amounts = {k: f"{short(frame.moment.used[k])} of {short(n)}" for k, n in capacity.items()}
    tail = max(map(len, amounts.values()), default=0)
    if width < widest + tail + 14:  # the share must do
        amounts, tail = dict.fromkeys(capacity, ""), 0
    bar = max(width - widest - tail - 8, 4)
    lines = []
    for kind, total in capacity.items():
        share = frame.moment.used[kind] / total
        filled = min(round(share * bar), bar)
        line = Text(f"{kind[:widest]:<{widest}} ", DIM)
        line.append("█" * filled, _USED_COLOUR)
        line.append("░" * (bar - filled), "#4a515c")
        line.append(f" {share:4.0%}", "bold")
        line.append(f" {amounts[kind]:>{tail}}")
        lines.append(line)
    return lines


def short(amount: float) -> str:
    """Returns a number with four digits or less, such as `812`, `12.3k`, `480M`."""
    size = float(amount)
    for unit in ("", "k", "M", "G", "T"):
        if size < 9999.5 or unit == "T":
            break
        size /= 1000
    if not unit:
        return f"{size:,.0f}" if size == int(size) or size >= 100 else f"{size:.1f}"
    return f"{size:,.0f}{unit}" if size >= 100 else f"{size:.1f}{unit}"


def curve_rows(values: list[float], top: float, height: int) -> list[str]:
    """Returns a curve as rows of block characters, the highest first; what is not 0 is seen."""
    eighths = [max(round(v / top * height * 8), 1 if v > 0 else 0) for v in values]
    return [
        "".join(_BLOCKS[min(max(value - 8 * row, 0), 8)] for value in eighths)
        for row in range(height - 1, -1, -1)
    ]


def _fitted(frame: polars.DataFrame, name: str, width: int) -> list[float]:
    """Returns N values of a curve, though it may have been made for another width."""
    values: list[Any] = frame[name].to_list()
    if len(values) == width:
        return values
    return [values[i * len(values) // width] for i in range(width)]


class Keys(Panel):
    """The keys, as many as fit; help gives them all."""

    def render(self) -> Text:
        if self.player is None:
            return Text()
        keys = [
            ("?", "help"),
            ("q", "quit"),
            ("space", "continue" if self.player.paused else "pause"),
            ("s", "step"),
            ("+ -", "speed"),
            ("j", "jump"),
            ("enter", "details"),
            ("r", "resource"),
            ("f", "find job"),
            ("tab", "panel"),
        ]
        if self.player.can_go_back:
            keys.insert(4, ("←", "back"))
            keys.append(("home end", "first, last"))
        line = Text(" ")
        for key, what in keys:
            item = Text.assemble((key, f"bold {ACCENT}"), f" {what}")
            if line.cell_len + item.cell_len + 2 > self.size.width:
                break
            if line.cell_len > 1:
                line.append("  ")
            line.append_text(item)
        return line
