"""How far an experiment is, on the terminal: a bar for all runs, a line for each running one."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING

from schedlab.cli.progress import SECONDS_BEFORE_FIRST, SECONDS_BETWEEN_UPDATES
from schedlab.clock import Clock
from schedlab.durations import duration_text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from schedlab.experiment.children import Child
    from schedlab.experiment.processes import Progress

MOST_LINES = 16
"""Running simulations that are shown; the rest are counted."""

NUMBERS_WIDTH = 39
"""Columns of the terminal that the share, the speed and the date take, with the gaps."""


class ExperimentDisplay:
    """A display that goes away at the end; nothing where standard error is not a terminal.

    It can be given to `Experiment.run` as its `progress`.

    Args:
        quiet: Show nothing.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._next = monotonic() + SECONDS_BEFORE_FIRST
        self._live: Live | None = None

    def __enter__(self) -> ExperimentDisplay:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Shows how far an experiment is, if it is time to."""
        if not self._shown or (monotonic() < self._next and not progress.writes_tables):
            return
        self._next = monotonic() + SECONDS_BETWEEN_UPDATES
        if self._live is None:
            from rich.live import Live

            from schedlab.cli.terminal import Console

            console = Console(stderr=True)
            self._live = Live(console=console, transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(lines(progress, self._live.console.width), refresh=True)


def lines(progress: Progress, width: int) -> RenderableType:
    """Returns the display as rich draws it on a terminal of N columns."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    left = progress.seconds_left
    facts = [
        f"{progress.done} of {progress.total} runs",
        f"{len(progress.failures)} failed" if progress.failures else "",
        f"{duration_text(left)} left" if left is not None and progress.share < 1 else "",
        "writing tables" if progress.writes_tables else "",
    ]
    whole = Table.grid(expand=True, padding=(0, 1))
    whole.add_column(ratio=1)
    whole.add_column(no_wrap=True)
    whole.add_row(
        ProgressBar(total=1.0, completed=min(1.0, progress.share)),
        Text(" · ".join(fact for fact in facts if fact)),
    )
    runs = Table.grid(padding=(0, 1))
    runs.add_column(no_wrap=True)
    for _ in range(2):
        runs.add_column(justify="right", no_wrap=True)
    runs.add_column(no_wrap=True, style="dim")
    for child in progress.running[:MOST_LINES]:
        share = "" if child.share is None else f"{child.share:.0%}"
        begun = child.jobs > 0
        runs.add_row(
            Text(_cut(child.name, max(8, width - NUMBERS_WIDTH))),
            share,
            f"{child.jobs_per_second:,.0f} jobs/s" if begun else "",
            _moment(child),
        )
    more = len(progress.running) - MOST_LINES
    return Group(whole, runs, *([Text(f"and {more} more", "dim")] if more > 0 else []))


def _moment(child: Child) -> str:
    """Returns the simulated date of a run, or the code of the user's that does not return."""
    if child.stalled:
        return f"in {child.stalled}"
    begun = child.jobs > 0
    clock = Clock.of_header(child.start_time or None, child.zone)
    return clock.text(child.time, seconds=False) if begun else "starting"


def _cut(name: str, width: int) -> str:
    """Returns the name, without its beginning where it is too long: its end distinguishes runs."""
    return name if len(name) <= width else "…" + name[len(name) - width + 1 :]
