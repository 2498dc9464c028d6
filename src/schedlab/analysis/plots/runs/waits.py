"""How long jobs waited: the whole distribution, and by size and estimate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import (
    DURATIONS,
    POINTS,
    draw_share,
    duration_axis,
    legend,
    legend_inches,
    say,
    wrapped,
)
from schedlab.analysis.plots.runs.slowdown import size_class
from schedlab.durations import DAY, HOUR, MINUTE
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup

LETTER_INCHES = 0.075
"""Width of a digit of the heat map's labels."""

FEW = 10
"""With fewer jobs than this, a cell of the heat map says how many."""


class WaitCdf(Plot):
    """Share of jobs that waited no longer than a time."""

    name = "wait-cdf"
    title = "Waiting times of jobs"

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height with room for the legend."""
        return 8.0, 4.6 + legend_inches(groups, 8.0)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a curve per group; jobs that did not wait are its height at the left edge."""
        axes = figure.subplots()
        waits = [np.sort(group.schedules.jobs("wait")["wait"].drop_nulls()) for group in groups]
        if not any(map(len, waits)):
            say(axes, "no job ran")
            return
        positive = [values[values > 0] for values in waits]
        lowest = min((float(values[0]) for values in positive if len(values)), default=1.0)
        highest = max((float(values[-1]) for values in positive if len(values)), default=60.0)
        left, right = max(min(lowest, 1.0) / 2, 0.0005), max(highest * 1.15, 20.0)
        moments = np.geomspace(left, right, POINTS)
        for index, values in enumerate(waits):
            if not len(values):
                continue
            share = np.searchsorted(values, moments, side="right") / len(values) * 100
            # At the left edge: those that did not wait at all, however short the next wait was.
            share[0] = np.searchsorted(values, 0.0, side="right") / len(values) * 100
            draw_share(axes, index, groups[index].label, moments, share)
        duration_axis(axes, "x", left, right)
        ticks = [left, *axes.get_xticks()]
        axes.set_xticks(ticks, ["0", *(DURATIONS[tick] for tick in ticks[1:])])
        axes.set_ylim(0, 101)
        axes.set_xlabel("wait (logarithmic; at the left edge, jobs that did not wait)")
        axes.set_ylabel("jobs that waited no longer (%)")
        legend(figure, groups, marker=True)


ESTIMATES = {
    **{float(count * MINUTE): f"{count} min" for count in (1, 10)},
    **{float(count * HOUR): f"{count} h" for count in (1, 4, 12)},
    **{float(count * DAY): f"{count} d" for count in (1, 2, 5)},
}
"""Upper edges of the classes of estimates, in seconds."""


class _Cells(NamedTuple):
    """Waits and numbers of jobs by class of estimates (rows) and of sizes (columns)."""

    wait: NDArray[np.float64]
    jobs: NDArray[np.int64]


class WaitHeatmap(Plot):
    """Median wait by number of tasks and by estimated run time.

    Args:
        quantile: Which one instead of the median, 0.5: for example 0.9.
    """

    name = "wait-heatmap"
    least_jobs = 50

    def __init__(self, quantile: float = 0.5) -> None:
        if not isinstance(quantile, (int, float)) or not 0 <= quantile <= 1:
            raise InputError(f"quantile must be from 0 to 1, not {quantile!r}")
        self.quantile = quantile
        self._what = "median wait" if quantile == 0.5 else f"{quantile:.6g} quantile of waits"
        self.title = f"{self._what.capitalize()} by size and estimate"

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of panels."""
        columns = _columns(len(groups))
        lines = max(_panel_title(group, columns).count("\n") for group in groups)
        rows = math.ceil(len(groups) / columns)
        return (6.5 if columns == 1 else 9.0), 1.3 + (2.5 + 0.16 * lines) * rows

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a panel per group; all have the same colours."""
        from matplotlib.colors import LogNorm

        tables = [_table(group, self.quantile) for group in groups]
        joined = polars.concat(tables)
        if not joined.height:
            say(figure.subplots(), "no job ran")
            return
        sizes = list(range(int(joined["size"].min()), int(joined["size"].max()) + 1))  # type: ignore[arg-type]
        estimates = list(range(int(joined["row"].min()), int(joined["row"].max()) + 1))  # type: ignore[arg-type]
        longest = float(joined["value"].max())  # type: ignore[arg-type]
        norm = LogNorm(1.0, max(longest, 60.0))
        columns = _columns(len(groups))
        rows = math.ceil(len(groups) / columns)
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for index, group in enumerate(groups):
            axes = panels[index // columns][index % columns]
            cells = _cells(tables[index], sizes, estimates)
            image = axes.imshow(
                np.maximum(cells.wait, 1.0),
                norm=norm,
                cmap="cividis",
                aspect="auto",
                origin="lower",
            )
            inches = figure.get_size_inches()[0] * 0.75 / columns / len(sizes)
            _write_counts(axes, cells, norm, inches)
            if len(groups) > 1:
                axes.set_title(_panel_title(group, columns), loc="left", size=9)
            names = [_size_name(size) for size in sizes]
            # Beside each other they would overlap: numbers above 1,000 are wider than cells.
            turned = 90.0 if inches < LETTER_INCHES * (1 + max(map(len, names))) else 0.0
            axes.set_xticks(range(len(sizes)), names, rotation=turned)
            axes.set_yticks(range(len(estimates)), [_estimate_name(row) for row in estimates])
            axes.grid(visible=False)
            axes.tick_params(length=0, labelsize=8)
            axes.set_facecolor("#EFEFEF")
            axes.tick_params(labelbottom=index + columns >= len(groups))
        for place in range(len(groups), rows * columns):
            panels[place // columns][place % columns].set_axis_off()
        bar = figure.colorbar(image, ax=panels.ravel().tolist(), pad=0.01, fraction=0.05)
        inside = [tick for tick in DURATIONS if 1 <= tick <= norm.vmax]  # type: ignore[operator]
        bar.set_ticks(inside, labels=["≤ 1 s", *(DURATIONS[tick] for tick in inside[1:])])
        bar.minorticks_off()
        bar.set_label(self._what, size=9)
        figure.supxlabel(f"tasks, up to  (grey: no job; numbers: jobs, where below {FEW})", size=10)
        figure.supylabel("estimated run time, up to", size=10)


def _columns(panels: int) -> int:
    return 1 if panels == 1 else 2 if panels <= 4 else 3


def _panel_title(group: RunGroup, columns: int) -> str:
    return wrapped(group.label, 84 // columns)


def _table(group: RunGroup, quantile: float) -> polars.DataFrame:
    """Returns a quantile and the number of waits for each pair of classes that occurs."""
    row = polars.lit(0)
    for edge in ESTIMATES:
        row = row + (polars.col("estimate") > edge).cast(polars.Int32)
    jobs = group.schedules.jobs("tasks", "estimate", "wait").drop_nulls("wait")
    return (
        jobs.group_by(size_class(polars.col("tasks")).alias("size"), row.alias("row"))
        .agg(
            polars.col("wait").quantile(quantile, "linear").alias("value"),
            polars.len().alias("count"),
        )
        .sort("size", "row")
    )


def _cells(table: polars.DataFrame, sizes: list[int], estimates: list[int]) -> _Cells:
    wait = np.full((len(estimates), len(sizes)), np.nan)
    jobs = np.zeros(wait.shape, np.int64)
    for size, row, value, number in table.iter_rows():
        place = row - estimates[0], size - sizes[0]
        wait[place], jobs[place] = value, number
    return _Cells(wait, jobs)


def _write_counts(axes: Axes, cells: _Cells, norm: object, inches: float) -> None:
    """Writes the number of jobs into cells that have few."""
    if inches < 0.2:
        return
    for row, column in np.argwhere((cells.jobs > 0) & (cells.jobs < FEW)):
        dark = norm(max(cells.wait[row, column], 1.0)) < 0.55  # type: ignore[operator]
        axes.text(
            column,
            row,
            str(cells.jobs[row, column]),
            ha="center",
            va="center",
            size=7.5,
            color="white" if dark else "black",
        )


def _size_name(number: int) -> str:
    return f"{4**number:,}"


def _estimate_name(row: int) -> str:
    names = list(ESTIMATES.values())
    return names[row] if row < len(names) else f"> {names[-1]}"
