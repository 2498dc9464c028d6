"""What dispatching costs: time per time point, time by queue size, memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import (
    legend,
    legend_inches,
    number_text,
    numeric_axis,
    row_inches,
    say,
    wrapped,
)
from schedlab.analysis.style import FAINT, GRID, INK, PALETTE, look
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup


MOST_BANDS = 4
"""More groups than that are drawn as lines alone: bands would cover each other."""


class _Bars(Plot):
    """A horizontal bar per group."""

    needs = ("timeline",)

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        return 8.0, 1.7 + row_inches(groups, 0.42) * max(len(groups), 2)


class CpuTime(_Bars):
    """Mean wall time per time point: dispatching and the rest.

    Named after the figure of AccaSim's that it is; both parts are of the wall clock.
    """

    name = "cpu-time"
    title = "Mean wall time per time point: dispatching and the rest"

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a stacked bar per group; the error bar is the deviation of the whole."""
        axes = figure.subplots()
        columns = ("dispatch_nanoseconds", "other_nanoseconds")
        means = [_means(group, *columns) for group in groups]
        if not any(len(mean) for mean in means):
            say(axes, "the simulation has no time point")
            return
        unit, factor = _time_unit(max(float(m.mean(axis=0).sum()) for m in means if len(m)))
        highest = 0.0
        for index, mean in enumerate(means):
            if not len(mean):
                continue
            dispatch, other = mean.mean(axis=0) / factor
            whole = mean.sum(axis=1) / factor
            deviation = _deviation(whole)
            axes.barh(index, dispatch, 0.6, color=PALETTE[0], edgecolor="white")
            axes.barh(
                index,
                other,
                0.6,
                left=dispatch,
                color=GRID,
                edgecolor=FAINT,
                hatch="///",
                linewidth=0.6,
            )
            _error_bar(axes, dispatch + other, index, deviation)
            reach = dispatch + other + deviation
            highest = max(highest, reach)
            text = f" {number_text(dispatch)} + {number_text(other)}"
            axes.annotate(
                text, (reach, index), xytext=(3, 0), textcoords="offset points", va="center", size=9
            )
        _finish_bars(axes, groups, highest, f"mean wall time per time point ({unit})")
        from matplotlib.patches import Patch

        handles = [
            Patch(facecolor=PALETTE[0], label="dispatching"),
            Patch(facecolor=GRID, edgecolor=FAINT, hatch="///", label="the rest"),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=2, borderaxespad=0.2)


class Memory(_Bars):
    """Memory of the simulator: the mean and the most."""

    name = "memory"
    title = "Memory of the simulator"

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a bar per group for the mean and a mark for the maximum."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        axes = figure.subplots()
        highest = 0.0
        for index, group in enumerate(groups):
            mean = _means(group, "memory_bytes")[:, :1] / 1e6
            if not len(mean):
                continue
            most = _table(group, polars.col("memory_bytes").max()) / 1e6
            value, peak, colour = float(mean.mean()), float(most.mean()), look(index).colour
            axes.barh(index, value, 0.6, color=colour, alpha=0.55, edgecolor=colour)
            axes.plot(peak, index, marker="D", markerfacecolor="white", markeredgecolor=INK)
            deviation = _deviation(mean[:, 0])
            _error_bar(axes, value, index, deviation)
            highest = max(highest, peak, value + deviation)
            axes.annotate(
                f"{number_text(value)}, most {number_text(peak)}",
                (max(value + deviation, peak), index),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                size=9,
            )
        if highest == 0:
            say(axes, "the simulation has no time point")
            return
        _finish_bars(axes, groups, highest, "memory of the process (MB)")
        handles: list[Any] = [
            Patch(facecolor=FAINT, alpha=0.55, label="mean over the time points"),
            Line2D(
                [],
                [],
                linestyle="",
                marker="D",
                markerfacecolor="white",
                markeredgecolor=INK,
                label="most",
            ),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=2, borderaxespad=0.2)


class Scalability(Plot):
    """Dispatching time by the number of waiting jobs.

    Args:
        statistic: Of the calls with about N jobs: "median"; or "mean", which a few calls that the
            operating system held up can dominate.
    """

    name = "scalability"
    title = "Dispatching time by queue size"
    needs = ("jobs", "timeline")

    def __init__(self, statistic: str = "median") -> None:
        if statistic not in ("median", "mean"):
            raise InputError(f'statistic: must be "median" or "mean", not {statistic!r}')
        self.statistic = statistic

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height with room for the legend."""
        return 8.0, 4.6 + legend_inches(groups, 8.0)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a line per group; the band is the deviation between repetitions."""
        axes = figure.subplots()
        found = [_by_queue_size(group, self.statistic) for group in groups]
        shown = [table for table in found if table.height]
        if not shown:
            say(axes, "no job waited when the scheduler was called")
            return
        unit, factor = _time_unit(max(float(table["time"].max()) for table in shown))  # type: ignore[arg-type]
        for index, table in enumerate(found):
            if not table.height:
                continue
            style = look(index)
            size, time = table["size"].to_numpy(), table["time"].to_numpy() / factor
            deviation = table["deviation"].to_numpy() / factor
            if len(groups) <= MOST_BANDS:
                axes.fill_between(
                    size,
                    np.maximum(time - deviation, time / 100),
                    time + deviation,
                    color=style.colour,
                    alpha=0.15,
                    linewidth=0,
                )
            axes.plot(
                size,
                time,
                color=style.colour,
                linestyle=style.line,
                linewidth=1.3,
                marker=style.marker,
                markerfacecolor="white",
                markevery=max(1, len(size) // 8) if len(size) > 1 else 1,
            )
        joined = polars.concat(shown)
        numeric_axis(axes, "x", float(joined["size"].min()), float(joined["size"].max()))  # type: ignore[arg-type]
        low, high = (float(v) / factor for v in (joined["time"].min(), joined["time"].max()))  # type: ignore[arg-type]
        numeric_axis(axes, "y", low, high)
        axes.set_xlabel("jobs that waited when the scheduler was called")
        axes.set_ylabel(f"{self.statistic} wall time of dispatching ({unit})")
        legend(figure, groups, marker=True)


def _table(group: RunGroup, *values: polars.Expr) -> NDArray[np.float64]:
    """Returns a row for each repetition with a time point."""
    rows = [run.timeline(*values).cast(polars.Float64).rows()[0] for run in group.runs]
    return np.array([row for row in rows if None not in row], np.float64).reshape(-1, len(values))


def _means(group: RunGroup, *columns: str) -> NDArray[np.float64]:
    """Returns the means over the time points, a row for each repetition."""
    return _table(group, *(polars.col(name).mean() for name in columns))


def _by_queue_size(group: RunGroup, statistic: str) -> polars.DataFrame:
    """Returns the columns size, time and deviation (between repetitions), in nanoseconds."""
    parts = []
    waiting = None
    alike = len(group.schedules.results) == 1
    for run in group.runs:
        if waiting is None or not alike:  # repetitions of one schedule share their queue sizes
            waiting = _waiting(run)
        times = run.timeline("dispatch_nanoseconds")["dispatch_nanoseconds"]
        table = polars.DataFrame({"waiting": waiting, "time": times}).filter(polars.col("time") > 0)
        parts.append(
            table.group_by(_bin(polars.col("waiting")).alias("bin")).agg(
                polars.col("waiting").mean(), getattr(polars.col("time"), statistic)(), polars.len()
            )
        )
    return (
        polars.concat(parts)
        .group_by("bin")
        .agg(
            _weighted("waiting").alias("size"),
            _weighted("time").alias("time"),
            polars.col("time").std().fill_null(0.0).alias("deviation"),
        )
        .filter(polars.col("size") > 0)
        .sort("size")
    )


def _weighted(name: str) -> polars.Expr:
    """Returns the mean of a column over repetitions, each weighing as many calls as it had."""
    return (polars.col(name) * polars.col("len")).sum() / polars.col("len").sum()


def _waiting(run: RunGroup) -> polars.Series:
    """Returns how many jobs waited when the scheduler was called, for each time point.

    The timeline has the queue after the decision; those that started then had waited too. With a
    call per event several rows have one time, and the queue after the decision is all there is.
    """
    timeline = run.timeline("time", "queued")
    if run.results[0].run["options"].get("dispatch_per") == "event":
        return timeline["queued"]
    started, jobs = np.unique(run.jobs("start")["start"].drop_nulls(), return_counts=True)
    times = timeline["time"].to_numpy()
    place = np.searchsorted(started, times)
    known = np.append(started, np.inf)[place] == times
    return timeline["queued"] + np.where(known, np.append(jobs, 0)[place], 0)


def _bin(size: polars.Expr) -> polars.Expr:
    """Returns the class of a queue size: its own up to 10, then 10 per decade."""
    large = (size.cast(polars.Float64).log10() * 10).floor()
    return polars.when(size <= 10).then(size.cast(polars.Float64)).otherwise(large + 10)


def _deviation(values: NDArray[np.float64]) -> float:
    """Returns the standard deviation of the repetitions; 0 for a single one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def _error_bar(axes: Axes, x: float, y: float, deviation: float) -> None:
    if deviation > 0:
        axes.errorbar(x, y, xerr=deviation, color=INK, capsize=3, linewidth=1.2)


def _finish_bars(axes: Axes, groups: Sequence[RunGroup], highest: float, label: str) -> None:
    axes.set_yticks(range(len(groups)), [wrapped(group.label) for group in groups])
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0, highest * 1.3)  # room for the numbers
    axes.set_xlabel(label)


def _time_unit(nanoseconds: float) -> tuple[str, float]:
    """Returns a unit in which the largest value has few digits, and how many ns it is."""
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= factor:
            return unit, factor
    return "ns", 1.0
