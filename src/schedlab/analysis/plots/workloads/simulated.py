"""What schedulers make of each workload, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schedlab.analysis.plots.drawing import axis_text, legend, legend_inches, number_text, say
from schedlab.analysis.plots.workloads.base import WIDTH, WorkloadPlot
from schedlab.analysis.style import look
from schedlab.durations import DAY, HOUR, MINUTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.analysis.plots.workloads.base import ComparedWorkloads

METRICS: tuple[tuple[str, tuple[str, str]], ...] = (
    ("mean wait", ("wait", "mean")),
    ("median wait", ("wait", "median")),
    ("95 % wait less than", ("wait", "p95")),
    ("mean bounded slowdown", ("bounded_slowdown", "mean")),
    ("95 % slowed down less than", ("bounded_slowdown", "p95")),
    ("utilization", ("utilization", "core")),
)

UNITS = (("d", float(DAY)), ("h", float(HOUR)), ("min", float(MINUTE)), ("s", 1.0))

MOST_NUMBERS = 14
"""Bars of a panel; more are too narrow for a number above each."""

DECADES = 50.0
"""Ratio of the largest to the smallest value above which an axis is logarithmic."""


class Simulated(WorkloadPlot):
    """Waits, bounded slowdowns and utilization of each workload under each scheduler."""

    name = "simulated"
    title = "The workloads simulated under the same schedulers"

    def problem(self, shown: ComparedWorkloads) -> str | None:
        return None if any(facts["simulated"] for facts in shown.facts) else "nothing was simulated"

    def size_for(self, shown: ComparedWorkloads) -> tuple[float, float]:
        return WIDTH, 5.4 + legend_inches(shown.profiles, WIDTH)

    def draw(self, figure: Figure, shown: ComparedWorkloads) -> None:
        schedulers = list(
            dict.fromkeys(name for facts in shown.facts for name in facts["simulated"])
        )
        grid = figure.subplots(2, 3)
        for axes, (title, path) in zip(grid.flat, METRICS, strict=True):
            values = [
                [_value(facts["simulated"].get(name), path) for facts in shown.facts]
                for name in schedulers
            ]
            unit, scale = _unit(path, values)
            scaled = [[None if v is None else v / scale for v in row] for row in values]
            axes.set_title(f"{title} ({unit})" if unit else title, loc="left")
            self._draw_bars(shown, axes, scaled, schedulers)
            if unit == "%":
                axes.set_yticks(range(0, 101, 20))
        legend(figure, shown.profiles, bars=True)

    def _draw_bars(
        self,
        shown: ComparedWorkloads,
        axes: Axes,
        values: list[list[float | None]],
        schedulers: list[str],
    ) -> None:
        known = [value for row in values for value in row if value is not None]
        if not known:
            say(axes, "not known")
            return
        highest = max(known)
        positive = [value for value in known if value > 0]
        logarithmic = bool(positive) and highest / min(positive) > DECADES
        bottom = min(positive) / 3 if logarithmic else 0.0
        width = 0.84 / len(shown.profiles)
        upright = len(shown.profiles) * len(schedulers) > 6
        for group, row in enumerate(values):
            for index, value in enumerate(row):
                if value is None:
                    continue
                style = look(index)
                place = group + (index - (len(row) - 1) / 2) * width
                axes.bar(
                    place,
                    max(value, bottom) - bottom,
                    width * 0.9,
                    bottom,
                    color=style.colour,
                    alpha=0.75,
                    hatch=style.hatch,
                    edgecolor="white",
                    linewidth=0,
                )
                if len(row) * len(values) > MOST_NUMBERS:
                    continue
                axes.annotate(
                    _short(value),
                    (place, max(value, bottom)),
                    (0, 2),
                    textcoords="offset points",
                    ha="center",
                    va="bottom",
                    rotation=90 if upright else 0,
                    size=8,
                )
        # The longest number stands upright above the highest bar: letters of 5 in 118 points.
        needed = (5 * max(len(_short(value)) for value in known) + 6) / 118
        room = needed / (1 - needed) if upright else 0.14
        if logarithmic:
            axes.set_yscale("log")
            axes.set_ylim(bottom, highest * (highest / bottom) ** room)
            axes.set_ylabel("logarithmic", size=8.5)
        else:
            axes.set_ylim(0, (highest or 1.0) * (1 + room))
        axes.yaxis.set_major_formatter(lambda value, _: axis_text(value))
        axes.set_xticks(range(len(schedulers)), schedulers)
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.55, len(schedulers) - 0.45)
        axes.grid(visible=False, axis="x")


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{number_text(value / (1e3 if letter == 'k' else size))}{letter}"
    return number_text(value)


def _value(run: dict[str, Any] | None, path: tuple[str, str]) -> float | None:
    value = ((run or {}).get(path[0]) or {}).get(path[1])
    return None if value is None else float(value)


def _unit(path: tuple[str, str], values: list[list[float | None]]) -> tuple[str, float]:
    if path[0] == "utilization":
        return "%", 0.01
    if path[0] != "wait":
        return "", 1.0
    highest = max((value for row in values for value in row if value is not None), default=0.0)
    return next(one for one in UNITS if highest >= 2 * one[1] or one[1] == 1)
