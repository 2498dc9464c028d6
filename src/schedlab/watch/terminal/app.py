"""The terminal monitor: a screen of panels that follows a run."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

import polars
from rich.markup import escape
from textual.app import App
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from schedlab.analysis.amounts import node_capacities
from schedlab.durations import duration_of
from schedlab.errors import InputError
from schedlab.watch.folder import open_run
from schedlab.watch.job_facts import in_words, job_facts
from schedlab.watch.live import LiveRun
from schedlab.watch.terminal.dialogs import (
    Ask,
    ChoiceDialog,
    FactsDialog,
    Help,
    Nodes,
    jobs_on,
    node_facts,
)
from schedlab.watch.terminal.frame import Frame, FrameMaker
from schedlab.watch.terminal.job_tables import JobTable, QueueTable, RunningTable
from schedlab.watch.terminal.node_map import NodeMap
from schedlab.watch.terminal.panels import Heading, Keys, Overview, Panel
from schedlab.watch.terminal.player import (
    EndOfRunError,
    LivePlayer,
    Player,
    ReplayPlayer,
    StoppedRunError,
)
from schedlab.watch.terminal.printable_lines import PrintableLines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.filter import LineFilter

    from schedlab.watch import RunView

SECONDS_BETWEEN_FRAMES = 0.1
SECONDS_BETWEEN_LOOKUPS = 1.0
"""Of a job that neither waits nor runs, in the files of a live run."""


class WatchApp(App[None]):
    """Follows a run until a user quits.

    Args:
        view: The run.
    """

    TITLE = "schedlab watch"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause"),
        Binding("s,right", "step"),
        Binding("left", "step_back"),
        Binding("plus,equals_sign", "speed(1)"),
        Binding("minus", "speed(-1)"),
        Binding("j", "jump"),
        Binding("f", "find"),
        Binding("r", "resource"),
        Binding("home", "edge(0)"),
        Binding("end", "edge(1)"),
        Binding("question_mark,h", "help"),
        Binding("q,ctrl+c", "leave", priority=False),
    ]
    CSS = """
    #_default { background: #1b1f26; color: #d6dbe2; }
    Heading, Overview, Keys { text-wrap: nowrap; text-overflow: ellipsis; }
    Heading { height: 2; padding: 0 1; }
    Keys { height: 1; }
    #upper { height: 11fr; }
    #lower { height: 12fr; }
    #upper > *, #lower > * {
        width: 1fr; height: 100%; border: round #3a404a; padding: 0 1;
        border-title-color: #d6dbe2; border-subtitle-color: #7a828e;
    }
    #upper > *:focus, #lower > *:focus { border: round #56B4E9; border-title-color: #56B4E9; }
    RunningTable { width: 6fr; }
    """

    def __init__(self, view: RunView) -> None:
        super().__init__()
        self._printable_lines = PrintableLines()
        self.player: Player = LivePlayer(view) if isinstance(view, LiveRun) else ReplayPlayer(view)
        self.maker = FrameMaker(view)
        self.frame: Frame | None = None
        self.stopped = False
        self._wake = asyncio.Event()
        self._redo = False
        self._looked_up: tuple[float, dict[str, Any] | None] = (0.0, None)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Returns what changes every line before it is shown."""
        return [*super().get_line_filters(), self._printable_lines]

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Heading()
            with Horizontal(id="upper"):
                yield Overview()
                yield NodeMap()
            with Horizontal(id="lower"):
                yield RunningTable()
                yield QueueTable()
            yield Keys()

    def on_mount(self) -> None:
        self.query_one(RunningTable).focus()
        self.run_worker(self._follow(), exit_on_error=True)

    def on_panel_resized(self) -> None:
        self._again()

    async def _follow(self) -> None:
        """Shows frame after frame; reading and counting is done in another thread."""
        while not self.stopped:
            began = monotonic()
            self._wake.clear()
            try:
                frame = await asyncio.to_thread(self._next_frame)
            except EndOfRunError:
                await self._turn_into_replay()
                continue
            except StoppedRunError:
                self._say_stopped()
                return
            except (InputError, OSError, polars.exceptions.PolarsError) as error:
                self._say_unreadable(error)
                return
            if frame is not None:
                first = self.frame is None
                self._show(frame)
                if first and isinstance(self.player, ReplayPlayer):  # so that no step waits for it
                    await asyncio.to_thread(self.player.view.next_time, frame.first)
            rest = SECONDS_BETWEEN_FRAMES - (monotonic() - began)
            try:
                await asyncio.wait_for(self._wake.wait(), max(rest, 0.03))
            except TimeoutError:
                continue

    def _next_frame(self) -> Frame | None:
        """Returns what is to be shown next; None where nothing has changed."""
        moment = self.player.next()
        if moment is None:
            if not self._redo or self.frame is None:
                return None
            moment = self.frame.moment
        self._redo = False
        try:
            return self.maker.make(moment)
        except (OSError, polars.exceptions.PolarsError):
            if not isinstance(self.player, LivePlayer):
                raise
            self.player.look_for_the_end()  # at which files change their names
            self._redo = True
            return None

    def _show(self, frame: Frame) -> None:
        self.frame = frame
        for panel in self.screen_stack[0].query(Panel):
            panel.show(frame, self.player)
        for screen in self.screen_stack[1:]:
            if isinstance(screen, FactsDialog) and screen.is_mounted:
                screen.update_facts()
        if self._fit():
            self._again()

    def _fit(self) -> bool:
        """Informs the maker of frames how large the panels are; True if that is news."""
        screen = self.screen_stack[0]
        size = screen.query_one(NodeMap).content_size
        sizes = ((size.width, size.height), screen.query_one(Overview).curve_width)
        if sizes == (self.maker.size, self.maker.bins):
            return False
        self.maker.size, self.maker.bins = sizes
        return True

    def _again(self) -> None:
        """Has the frame made again, though the run has not moved."""
        self._fit()
        self._redo = True
        self._wake.set()

    async def _turn_into_replay(self) -> None:
        path, kind = self.player.view.path, self.maker.kind
        try:
            view = await asyncio.to_thread(open_run, path)
        except InputError as error:
            self._say_unreadable(error)
            self.stopped = True
            return
        if isinstance(view, LiveRun):  # another run was started in the same folder
            self.player = LivePlayer(view)
        else:
            self.player = ReplayPlayer(view, at_end=True)
            status = escape(str(view.run["status"]))
            self.notify(f"The run is {status}. It can be replayed now: space, home, j.")
        self.maker = FrameMaker(view)
        if kind in self.maker.kinds:
            self.maker.kind = kind
        self._fit()

    def _say_stopped(self) -> None:
        text = "The run was stopped before its end. This is the last that it reported."
        self._say_ended("STOPPED", "before its end", text)

    def _say_unreadable(self, error: Exception) -> None:
        text = str(error) if isinstance(error, InputError) else f"It cannot be read: {error}"
        self._say_ended("ENDED", "nothing to replay", text)

    def _say_ended(self, badge: str, hint: str, text: str) -> None:
        self.stopped = True
        heading = self.screen_stack[0].query_one(Heading)
        heading.ended, heading.ended_hint = badge, hint
        heading.refresh()
        self.notify(escape(text), severity="warning", timeout=30)  # it may hold texts of files

    def _move(self, what: Any) -> None:
        """Does something to the run, unless it is gone."""
        if self.stopped:
            self.bell()
            return
        try:
            what()
        except InputError as error:
            self.notify(escape(str(error)), severity="warning")
        except OSError as error:
            self.notify(escape(f"The run cannot be reached: {error}"), severity="error")
        self._again()

    def action_pause(self) -> None:
        """Pauses, or continues."""
        self._move(self.player.toggle)

    def action_step(self) -> None:
        """Continues by one time point."""
        self._move(self.player.step)

    def action_step_back(self) -> None:
        """Goes back by one time point."""
        if isinstance(self.player, ReplayPlayer):
            self._move(self.player.back)
        else:
            self.notify("A live run cannot go back; it can be replayed when it is over.")

    def action_speed(self, direction: int) -> None:
        """Goes faster or slower."""
        self._move(self.player.faster if direction > 0 else self.player.slower)

    def action_edge(self, last: int) -> None:
        """Goes to the first or the last time."""
        view = self.player.view
        if isinstance(self.player, ReplayPlayer):
            self._move(partial(self.player.jump, view.last if last else view.first))
        else:
            self.notify(
                "A live run has no other time than now; it can be replayed when it is over."
            )

    def action_jump(self) -> None:
        """Asks for a time and goes there."""
        clock = self.player.clock
        example = "86400, 3d, 12h30m" + (
            ", 2003-01-31 12:00" if clock.start_time is not None else ""
        )
        if clock.start_time is not None and self.frame is not None:
            date = clock.text(self.frame.moment.time, seconds=False)
            example = f"86400, 3d, 12h30m, {date}"
        from_here = "+2h, -2h" if self.player.can_go_back else "+2h"
        self.push_screen(Ask("jump to", f"{example}; from here: {from_here}", self._jump_to))

    def _jump_to(self, text: str) -> None:
        words = text.strip()
        now = self.frame.moment.time if self.frame is not None else self.player.view.first
        offset = duration_of(words) if words[:1] in ("+", "-") else None
        time = now + offset if offset is not None else self.player.clock.parse(words)
        if self.stopped:
            raise InputError("the run is gone")
        self.player.jump(time)
        self._again()

    def action_find(self) -> None:
        """Asks for a job and shows everything about it."""
        self.push_screen(Ask("job", "the number of a job", self._find))

    def _find(self, text: str) -> None:
        number = int(text) if text.strip().isascii() and text.strip().isdigit() else None
        if number is None or self._row(number) is None:
            raise InputError(f"{text!r}: the run has no such job")
        self.call_later(self._show_job, number)

    def action_resource(self) -> None:
        """Shows the map of the next resource type."""
        kinds = self.maker.kinds
        self.maker.kind = kinds[(kinds.index(self.maker.kind) + 1) % len(kinds)]
        if self.stopped and self.frame is not None:
            self._show(self.maker.make(self.frame.moment))
        self._again()

    def action_help(self) -> None:
        """Shows the keys."""
        self.push_screen(Help())

    def action_leave(self) -> None:
        """Quits; asks what becomes of a run that would not continue at full speed."""
        player = self.player
        held = isinstance(player, LivePlayer) and (player.paused or player.speed is not None)
        if self.stopped or not held:
            self._leave()
            return
        how = "paused" if player.paused else f"at {player.speed_text()}"
        answers = [
            ("go", "let the run continue as fast as it can"),
            ("leave", f"leave it {how}; schedlab watch takes it up again"),
            ("stay", "stay here"),
        ]
        self.push_screen(ChoiceDialog(f"the run is {how}", answers), self._leave_as)

    def _leave_as(self, answer: str | None) -> None:
        if answer == "go" and isinstance(self.player, LivePlayer):
            self.player.let_go()
        if answer in ("go", "leave"):
            self._leave()

    def _leave(self) -> None:
        self.stopped = True
        self.exit()

    def on_job_table_job_picked(self, message: JobTable.JobPicked) -> None:
        self._show_job(message.job_id)

    def on_node_map_nodes_picked(self, message: NodeMap.NodesPicked) -> None:
        nodes = message.nodes
        if self.frame is None:
            return
        kinds = list(self.player.view.run["system"]["capacity"])
        capacities = node_capacities(self.player.view.run)

        def facts() -> list[tuple[str, str]]:
            assert self.frame is not None
            return node_facts(nodes, self.frame.held, capacities, kinds)

        title = f"node {nodes[0]}" if len(nodes) == 1 else f"nodes {nodes[0]} to {nodes[-1]}"
        screen = Nodes(title, facts, jobs_on(nodes, self.frame.held, kinds))
        self.push_screen(screen, self._show_job_if_any)

    def _show_job_if_any(self, job_id: int | None) -> None:
        if job_id is not None:
            self._show_job(job_id)

    def _show_job(self, job_id: int) -> None:
        self._looked_up = (0.0, None)
        self.push_screen(FactsDialog(f"job {job_id}", partial(self._job_in_words, job_id)))

    def _job_in_words(self, job_id: int) -> list[tuple[str, str]]:
        row = self._row(job_id)
        if row is None or self.frame is None:
            return [("", "is not known")]
        run, time = self.player.view.run, self.frame.moment.time
        return in_words(job_facts(row, run, time), run, time)

    def _row(self, job_id: int) -> dict[str, Any] | None:
        """Returns a job's row: from the frame where it is, else from the files, now and then."""
        if self.frame is not None and self.player.view.is_live:
            for jobs in (self.frame.moment.running, self.frame.moment.queue):
                found = jobs.filter(polars.col("job_id") == job_id)
                if not found.is_empty():
                    return found.row(0, named=True)
        when, row = self._looked_up
        if row is None or row["job_id"] != job_id or monotonic() - when > SECONDS_BETWEEN_LOOKUPS:
            with contextlib.suppress(OSError, polars.exceptions.PolarsError):  # see _next_frame
                row = self.player.view.job(job_id)
            self._looked_up = (monotonic(), row)
        return row
