"""How far a long command is, on one line of the terminal; and durations as people read them."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from time import monotonic

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from schedlab.simulation import Simulation

SECONDS_BETWEEN_UPDATES = 0.1
SECONDS_BEFORE_FIRST = 0.3
"""What is done sooner shows no progress: it would only flicker."""

_UNITS = (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1))


class ProgressLine:
    """A line that shows what is done, the speed and the time left, and goes away at the end.

    It writes to standard error, and nothing where that is no terminal. It can be given to
    `simulate` as its `progress`.

    Args:
        label: Stands at the start of the line.
        quiet: Show nothing.
    """

    def __init__(self, label: str = "", quiet: bool = False) -> None:
        self._label = label
        self._shown = not quiet and sys.stderr.isatty()
        self._began = monotonic()
        self._next = self._began + SECONDS_BEFORE_FIRST
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._start_time: int | None = None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, simulation: Simulation) -> None:
        """Shows how far a simulation is, if it is time to."""
        if not self.due():
            return
        counts = simulation.counts
        done = sum(counts[state] for state in ("completed", "killed", "failed", "rejected"))
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

    def _update(self, share: float | None, text: str) -> None:
        if self._progress is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

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

    def _moment(self, simulation: Simulation) -> str:
        """Returns the simulated date, or the day and hour since time 0 where none is known."""
        if self._start_time is None:
            self._start_time = simulation.system.start_time or _header_start(simulation)
        now = float(simulation.now)
        if self._start_time:
            try:
                return datetime.fromtimestamp(self._start_time + now, UTC).strftime(
                    "%Y-%m-%d %H:%M"
                )
            except (OverflowError, ValueError, OSError):
                pass
        return f"day {now // 86_400:,.0f}, {now % 86_400 // 3600:02.0f} h"


def _header_start(simulation: Simulation) -> int:
    from schedlab.workload.header import header_fields

    start = header_fields(simulation.engine.workload_report()["comments"]).get("UnixStartTime", "")
    return int(start) if start.isascii() and start.isdigit() else 0


def duration_text(seconds: float | None) -> str:
    """Returns a duration in its two largest units, such as `3 h 12 min`; `-` for None."""
    if seconds is None:
        return "-"
    if 0 < seconds < 9.95 and seconds % 1:
        return f"{seconds:.1f} s"
    step = 3600 if seconds >= 86_400 else 60 if seconds >= 3600 else 1
    whole = round(seconds / step) * step
    parts: list[str] = []
    for name, size in _UNITS:
        if whole >= size and len(parts) < 2:
            parts.append(f"{whole // size:,} {name}")
            whole %= size
        elif parts:
            break
    return " ".join(parts) or "0 s"
