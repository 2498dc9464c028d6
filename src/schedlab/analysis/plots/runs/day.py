"""The machine over the minutes of a day."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.analysis.curves import curves
from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import DURATIONS, legend, legend_inches, say
from schedlab.analysis.plots.time_axis import simulated
from schedlab.analysis.style import look
from schedlab.clock import Clock
from schedlab.durations import DAY
from schedlab.errors import InputError
from schedlab.workload.local_time import local_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup

MINUTES = 1440
STEP = 5
"""A value is shown for every fifth minute: on paper, a line's width."""

USE_INCHES = 2.2
"""Height of the panel of utilization."""


class LoadPerMinute(Plot):
    """Mean utilization and median wait per minute of the day.

    Args:
        window: Minutes around each minute that count too: 30 means from 15 before to 15 after it.
        resource: Of which resource; by default the one that is used most.
    """

    name = "load-per-minute"
    title = "Utilization and wait per minute of the day"
    needs = ("jobs", "timeline")
    least_jobs = 50
    least_days = 2.0

    def __init__(self, window: int = 30, resource: str | None = None) -> None:
        if not isinstance(window, int) or not 1 <= window <= MINUTES:
            raise InputError(f"window must be from 1 to {MINUTES} minutes, not {window!r}")
        self.window = window
        self.resource = resource

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups, with room for the legend."""
        waits = _wait_inches(groups) * len(groups)
        return 8.0, 1.1 + USE_INCHES + waits + legend_inches(groups, 8.0)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws utilization above and waits below, a panel per group: medians of waits jump."""
        ratios = [USE_INCHES, *(_wait_inches(groups) for _ in groups)]
        top, *panels = figure.subplots(len(ratios), 1, sharex=True, height_ratios=ratios)
        minutes = np.arange(0, MINUTES + 1, STEP)
        kind = self._kind(groups)
        highest, shown = 0.0, False
        for index, (group, axes) in enumerate(zip(groups, panels, strict=True)):
            style = look(index)
            if len(groups) > 1:
                axes.set_title(group.label, loc="left", size=9, pad=3)
            look_of: dict[str, Any] = {"color": style.colour, "linestyle": style.line}
            uses = [self._utilization(run, kind) for run in group.schedules.runs]
            known = [value for value in uses if value is not None]
            if known:
                top.plot(minutes, np.mean(known, axis=0)[minutes % MINUTES], **look_of)
            waits = np.concatenate([_waits(run) for run in group.schedules.runs])
            median = self._medians(waits, minutes % MINUTES)
            if np.isfinite(median).any():
                shown = True
                highest = max(highest, float(np.nanmax(median)))
                _area(axes, minutes, median, style.colour)
        if not shown:
            for axes in (top, *panels):
                say(axes, "no job ran")
            return
        for axes in panels:
            _wait_axis(axes, highest, _wait_inches(groups) - 0.25)
        top.set_ylim(0, 102)
        top.set_ylabel(f"mean {kind} in use (%)")
        middle = panels[len(panels) // 2]
        text = "median wait of jobs\nsubmitted then"
        middle.set_ylabel(text, y=0.5 if len(panels) % 2 else 1.0)
        bottom = panels[-1]
        bottom.set_xlim(0, MINUTES)
        bottom.set_xticks(range(0, MINUTES + 1, 180), [f"{h:02d}:00" for h in range(0, 25, 3)])
        clock = _clock(groups)
        bottom.set_xlabel(f"minute of the day ({clock}; each with {self.window} minutes around it)")
        legend(figure, groups)

    def _kind(self, groups: Sequence[RunGroup]) -> str:
        used: dict[str, float | None] = groups[0].results[0].metrics["utilization"]
        if self.resource is None:
            return max(used, key=lambda kind: used[kind] or 0.0)
        if self.resource not in used:
            known = ", ".join(used)
            raise InputError(f"plot {self.name}: no resource {self.resource!r}; known: {known}")
        return self.resource

    def _utilization(self, run: RunGroup, kind: str) -> NDArray[np.float64] | None:
        """Returns the mean share in use in the window around each minute, in per cent."""
        facts = run.results[0].run
        first, last = simulated(facts) or (0.0, 0.0)
        capacity = facts["system"]["capacity"].get(kind)
        if not last > first or not capacity:
            return None
        clock = Clock.of_run(facts)
        shift = float(clock.start_time or 0)
        # Whole minutes of the clock; of the first and the last only the part within the run counts.
        begin = math.floor((first + shift) / 60)
        end = math.ceil((last + shift) / 60)
        name = f"{kind}_used"
        table = run.timeline("time", name)
        found = curves(table, begin * 60 - shift, end * 60 - shift, end - begin, [name])
        seconds = np.full(end - begin, 60.0)
        seconds[0] -= first + shift - begin * 60
        seconds[-1] -= end * 60 - (last + shift)
        minute = (_of_day(60.0 * np.arange(begin, end, dtype=np.float64), clock) // 60).astype(
            np.int64
        )
        used = np.bincount(minute, weights=found[name].to_numpy() * 60.0, minlength=MINUTES)
        there = np.bincount(minute, weights=seconds, minlength=MINUTES)
        area, time = self._around(used), self._around(there)
        share: NDArray[np.float64] = np.full(MINUTES, np.nan)
        np.divide(area * (100 / capacity), time, out=share, where=time > 0)
        return share

    def _around(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Returns the sum of the values of the window around each minute; days are a circle."""
        before = self.window // 2
        total = np.cumsum(np.concatenate(([0.0], np.tile(values, 3))))
        start = MINUTES + np.arange(MINUTES) - before
        return np.asarray(total[start + self.window] - total[start])

    def _medians(
        self, waits: NDArray[np.float64], minutes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Returns the median wait of the jobs that were submitted in the window."""
        minute, wait = waits[:, 0], waits[:, 1]
        order = np.argsort(minute, kind="stable")
        minute, wait = minute[order], wait[order]
        around = np.concatenate((minute - MINUTES, minute, minute + MINUTES))
        values = np.tile(wait, 3)
        begin = np.searchsorted(around, minutes - self.window // 2, side="left")
        end = np.searchsorted(around, minutes - self.window // 2 + self.window, side="left")
        return np.array(
            [np.median(values[a:b]) if b > a else np.nan for a, b in zip(begin, end, strict=True)]
        )


def _waits(run: RunGroup) -> NDArray[np.float64]:
    """Returns the minute of the day (with its fraction) and the wait of each job that ran."""
    jobs = run.jobs("submit", "wait").drop_nulls("wait")
    clock = Clock.of_run(run.results[0].run)
    moments = jobs["submit"].to_numpy() + float(clock.start_time or 0)
    return np.column_stack((_of_day(moments, clock) / 60.0, jobs["wait"].to_numpy()))


def _of_day(moments: NDArray[np.float64], clock: Clock) -> NDArray[np.float64]:
    """Returns the seconds since midnight, by the clocks of the trace's zone, of Unix times.

    Where no start is known, days begin with the workload's time 0.
    """
    if clock.start_time is None:
        return np.asarray(moments % float(DAY))
    return local_seconds(moments, clock.zone) % float(DAY)


def _clock(groups: Sequence[RunGroup]) -> str:
    runs = [result.run for group in groups for result in group.results]
    clocks = [Clock.of_run(run) for run in runs]
    zones = {clock.zone_name if clock.start_time is not None else None for clock in clocks}
    if len(zones) > 1:
        return "each workload's own clock"
    return zones.pop() or "workload's clock, from time 0"


def _area(axes: Any, minutes: NDArray[np.int64], values: NDArray[np.float64], colour: str) -> None:
    """Draws a curve and fills it down to 0, with as few points as show it: SVG files are text."""
    known = np.isfinite(values)
    begins = np.flatnonzero(known & ~np.concatenate(([False], known[:-1])))
    ends = np.flatnonzero(known & ~np.concatenate((known[1:], [False]))) + 1
    for begin, end in zip(begins, ends, strict=True):
        x, y = minutes[begin:end], values[begin:end]
        bend = np.ones(len(y), bool)
        bend[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
        x, y = x[bend], y[bend]
        axes.fill([x[0], *x, x[-1]], [0, *y, 0], color=colour, alpha=0.3, linewidth=0)
        axes.plot(x, y, color=colour, linewidth=1.0)


def _wait_inches(groups: Sequence[RunGroup]) -> float:
    """Returns the height of a panel of waits, its title included."""
    return max(0.8, 2.4 / len(groups))


def _wait_axis(axes: Any, highest: float, inches: float) -> None:
    """Makes an axis of waits that begins at 0 and is logarithmic above a second.

    Args:
        axes: Of which.
        highest: The longest wait shown.
        inches: About how high the axis is; ticks that would stand too close are left out.
    """
    from matplotlib.ticker import NullLocator

    axes.set_yscale("symlog", linthresh=1, linscale=0.5)
    end = max(highest * 2, 10.0)
    decades = 0.5 + math.log10(end)
    ticks: list[float] = []
    above = math.inf
    for tick in sorted((tick for tick in DURATIONS if 1 <= tick <= end), reverse=True):
        place = (0.5 + math.log10(tick)) / decades * inches
        if place >= 0.2 and above - place >= 0.2:
            ticks.append(tick)
            above = place
    axes.set_yticks([0, *ticks], ["0", *(DURATIONS[tick] for tick in ticks)])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(-0.12, end)  # a line at 0 is seen
