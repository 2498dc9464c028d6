"""How far a long command is, on one line of the terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic

from schedlab.durations import duration_text
from schedlab.job_states import ENDED

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

    from rich.progress import Progress, TaskID

    from schedlab.clock import Clock
    from schedlab.simulation import Simulation

SECONDS_BETWEEN_UPDATES = 0.1
SECONDS_BEFORE_FIRST = 0.3
"""What is done sooner shows no progress: it would only flicker."""

SECONDS_BEFORE_STALLED = 2.0
"""A single call of a policy that takes longer is named."""


@contextmanager
def busy(text: str) -> Iterator[None]:
    """Shows on a terminal what takes its time, where nobody can say how far it is."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Timer

    from rich.text import Text

    from schedlab.cli.terminal import Console

    spinner = Console(stderr=True).status(Text(text))
    timer = Timer(SECONDS_BEFORE_FIRST, spinner.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        spinner.stop()


class ProgressLine:
    """A line that shows what is done, the speed and the time left, and goes away at the end.

    It writes to standard error, and nothing where that is not a terminal. It can be given to
    `simulate` as its `progress`. While code of the user's does not return, it says which.

    Args:
        label: Stands at the start of the line.
        quiet: Show nothing.
        folder: Where the run is written, through which others may pause it.
    """

    def __init__(self, label: str = "", quiet: bool = False, folder: str | None = None) -> None:
        self._label, self._folder = label, folder
        self._shown = not quiet and sys.stderr.isatty()
        self._began = monotonic()
        self._next = self._began + SECONDS_BEFORE_FIRST
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._clock: Clock | None = None
        self._paused_at: float | None = None
        self._over: Event | None = None  # set when the line goes away
        self._share: float | None = None

    def __enter__(self) -> ProgressLine:
        if self._shown:
            import threading

            self._over, self._writing = threading.Event(), threading.RLock()
            self._watcher = threading.Thread(
                target=self._watch, args=(threading.get_ident(), self._over), daemon=True
            )
            self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._over is not None:
            self._over.set()
            self._watcher.join()
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, simulation: Simulation) -> None:
        """Shows how far a simulation is, if it is time to."""
        if not self.due():
            return
        if simulation.paused:
            self._show_paused(simulation)
            return
        self._paused_at = None
        counts = simulation.counts
        done = sum(counts[state] for state in ENDED)
        self.show(done, "jobs", simulation.share_read, self._moment(simulation))

    def due(self) -> bool:
        """Returns whether the line is shown and the last update is long enough ago."""
        return self._shown and monotonic() >= self._next

    def show(self, done: int, unit: str, share: float | None, moment: str = "") -> None:
        """Updates the line.

        Args:
            done: How many are done.
            unit: Of what.
            share: Part of the input that was read, or None if it is not known.
            moment: The simulated date or time.
        """
        elapsed = monotonic() - self._began
        parts = [f"{done:,} {unit}", moment, f"{done / elapsed:,.0f} {unit}/s"]
        if share is not None:
            parts.insert(0, f"{share:.0%}")
            # The first hundredth says too little; after the last, what was read must still end.
            if 0.01 <= share < 1:
                parts.append(f"{duration_text(elapsed * (1 - share) / share)} left")
        self._update(share, " · ".join(part for part in parts if part))
        self._next = monotonic() + SECONDS_BETWEEN_UPDATES

    def _watch(self, thread: int, over: Event) -> None:
        """Says what a thread is busy with while it does not update the line itself."""
        from schedlab.simulation.user_code_position import of_thread

        while not over.wait(SECONDS_BEFORE_STALLED / 4):
            silent = monotonic() - max(self._next, self._began)
            where = of_thread(thread) if silent > SECONDS_BEFORE_STALLED else None
            if where is not None:
                text = f"{where} has been running for {duration_text(silent)}; Ctrl-C ends it"
                self._update(self._share, text)

    def _update(self, share: float | None, text: str) -> None:
        """Shows a text; by the command, or by the thread that watches it."""
        if self._over is None:  # it is not a context
            self._draw(share, text)
        else:
            with self._writing:
                self._draw(share, text)

    def _draw(self, share: float | None, text: str) -> None:
        self._share = share
        if self._progress is None:
            from rich.progress import BarColumn, Progress, TextColumn

            from schedlab.cli.terminal import Console

            label = [TextColumn(self._label, markup=False)] if self._label else []
            self._progress = Progress(
                *label,
                BarColumn(bar_width=None),
                TextColumn("{task.description}", markup=False),
                console=Console(stderr=True),
                transient=True,
                auto_refresh=False,
                expand=True,
            )
            self._task = self._progress.add_task("", total=None)
            self._progress.start()
        assert self._task is not None
        total = None if share is None else 1.0
        self._progress.update(
            self._task, total=total, completed=share or 0.0, description=text, refresh=True
        )

    def _show_paused(self, simulation: Simulation) -> None:
        """Says that the run waits for a user; that time counts in no speed."""
        now = monotonic()
        if self._paused_at is not None:
            self._began += now - self._paused_at
        self._paused_at = now
        from shlex import quote

        watching = f"schedlab watch {quote(self._folder)}" if self._folder else ""
        where = f", continue with: {watching}" if watching else ""
        self._update(simulation.share_read, f"{self._moment(simulation)} · paused{where}")
        self._next = monotonic() + SECONDS_BETWEEN_UPDATES

    def _moment(self, simulation: Simulation) -> str:
        """Returns the simulated date, or the day and hour since time 0 where none is known."""
        if self._clock is None:
            from schedlab.clock import Clock

            self._clock = Clock.of_header(simulation.start_time, simulation.header)
        return self._clock.text(float(simulation.now), seconds=False)
