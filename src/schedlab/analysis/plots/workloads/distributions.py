"""Distributions of what jobs are: cumulative curves, and how far apart they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from schedlab.analysis.plots.drawing import (
    DURATIONS,
    axis_text,
    duration_axis,
    legend,
    legend_inches,
    numeric_axis,
    say,
)
from schedlab.analysis.plots.workloads.base import WIDTH, WorkloadPlot, apart, curve
from schedlab.analysis.style import FAINT, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.plots.workloads.base import ComparedWorkloads

    Numbers = NDArray[numpy.float64]

POINTS = 400
"""At which a distribution with more different values is drawn; the curve is exact there."""

MOST_DISTANCES = 4
"""That stand above a panel one by one."""


def titles_of(workloads: Sequence[dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """Returns title and unit of each characteristic that one of the workloads has values of."""
    found: dict[str, tuple[str, str]] = {}
    for facts in workloads:
        for name, values in facts["characteristics"].items():
            if values["count"]:
                found.setdefault(name, (values["title"], values["unit"]))
    return found


class Distributions(WorkloadPlot):
    """Share of jobs up to each inter-arrival time, run time, size, requested time and work."""

    name = "distributions"
    title = "Distributions of the jobs"

    def problem(self, shown: ComparedWorkloads) -> str | None:
        return None if titles_of(shown.facts) else "there are no jobs"

    def size_for(self, shown: ComparedWorkloads) -> tuple[float, float]:
        rows = math.ceil(len(titles_of(shown.facts)) / 2)
        return WIDTH, 0.8 + 2.45 * rows + legend_inches(shown.profiles, WIDTH)

    def draw(self, figure: Figure, shown: ComparedWorkloads) -> None:
        titles = titles_of(shown.facts)
        rows = math.ceil(len(titles) / 2)
        grid = figure.subplots(rows, 2, squeeze=False, sharey=True)
        for place, (name, (title, unit)) in enumerate(titles.items()):
            axes = grid[place // 2][place % 2]
            values = [
                profile.characteristics[name].values if name in profile.characteristics else None
                for profile in shown.profiles
            ]
            _draw_curves(axes, values, unit)
            axes.set_title(title, loc="left")
            axes.set_title(self._distances(shown, name), loc="right", size=8.5, color=FAINT)
            axes.set_ylim(0, 101)
            if not place % 2:
                axes.set_ylabel("jobs up to there (%)")
        for place in range(len(titles), rows * 2):
            grid[place // 2][place % 2].set_axis_off()
        legend(figure, shown.profiles, marker=True)

    def _distances(self, shown: ComparedWorkloads, name: str) -> str:
        found = [facts["characteristics"].get(name, {}).get("ks") for facts in shown.facts[1:]]
        known = [distance for distance in found if distance is not None]
        if not known:
            return ""
        if len(known) <= MOST_DISTANCES:
            return "KS " + " · ".join(map(_distance_text, known))
        return f"KS {min(known):.3f} to {max(known):.3f}"


def _distance_text(distance: float) -> str:
    return f"{distance:.3f}" if distance else "0"


def _draw_curves(axes: Axes, values: Sequence[Numbers | None], unit: str) -> None:
    present = [one for one in values if one is not None and len(one)]
    if not present:
        say(axes, "no values")
        return
    lowest = min(float(one[one > 0].min(initial=numpy.inf)) for one in present)
    highest = max(float(one.max()) for one in present)
    zeros = any((one <= 0).any() for one in present)
    if not math.isfinite(lowest):  # all are 0
        lowest, highest = 1.0, 1.0
    logarithmic = unit == "s" or highest / lowest > 30
    left = lowest / 2 if logarithmic else 0.0
    right = max(highest * 1.15, lowest * 10) if logarithmic else highest * 1.1
    places = _places(present, left, right, logarithmic)
    for index, one in enumerate(values):
        if one is None or not len(one):
            continue
        ordered = numpy.sort(one)
        share = numpy.searchsorted(ordered, places, side="right") / len(ordered) * 100
        if logarithmic:  # at the left edge: those that are 0, however small the next one is
            share[0] = numpy.searchsorted(ordered, 0.0, side="right") / len(ordered) * 100
        curve(axes, places, share, index, drawstyle="steps-post")
    if unit == "s":
        duration_axis(axes, "x", left, right, ticks=6)
        ticks = apart(list(axes.get_xticks()), left, right, 0.12)
        axes.set_xticks(ticks, labels=[DURATIONS[tick] for tick in ticks])
    elif logarithmic:
        _decades(axes, left, right)
    else:
        numeric_axis(axes, "x", 0.0, right, ticks=6)
    if zeros and logarithmic:
        _mark_zero(axes, left, right, unit)
    axes.set_xlabel("logarithmic" if unit == "s" else unit)


def _places(present: Sequence[Numbers], left: float, right: float, logarithmic: bool) -> Numbers:
    """Returns where curves are drawn: at each value if they are few."""
    distinct: set[float] = set()
    for one in present:
        distinct.update(map(float, numpy.unique(one)))
        if len(distinct) > POINTS:
            spaced = numpy.geomspace if logarithmic else numpy.linspace
            return spaced(left, right, POINTS)
    inside = [value for value in distinct if left < value < right]
    return numpy.array([left, *sorted(inside), right])


def _decades(axes: Axes, left: float, right: float) -> None:
    """Makes an axis of numbers logarithmic, with a tick at some decades."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    decades = range(math.floor(math.log10(left)), math.ceil(math.log10(right)) + 1)
    inside = [10.0**decade for decade in decades if left <= 10.0**decade <= right]
    shown = inside[:: max(1, math.ceil(len(inside) / 6))]
    if len(shown) < 3:
        shown = [step * 10.0**d for d in decades for step in (1, 2, 5)]
        shown = [tick for tick in shown if left <= tick <= right]
    axes.set_xticks(shown, labels=[axis_text(tick) for tick in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(left, right)


def _mark_zero(axes: Axes, left: float, right: float, unit: str) -> None:
    """Writes 0 at the left edge, and takes away a tick that would touch it."""
    width = math.log(right / left)
    ticks = [tick for tick in axes.get_xticks() if math.log(tick / left) > 0.09 * width]
    texts = [DURATIONS[tick] if unit == "s" else axis_text(tick) for tick in ticks]
    axes.set_xticks([left, *ticks], labels=["0", *texts])


class Distances(WorkloadPlot):
    """Kolmogorov-Smirnov distance of each characteristic from the real workload's."""

    name = "distances"
    title = "How far distributions are from those of the real workload"

    def problem(self, shown: ComparedWorkloads) -> str | None:
        return None if self._rows(shown) else "there is nothing to compare with"

    def _rows(self, shown: ComparedWorkloads) -> dict[str, tuple[str, list[float | None]]]:
        found = {}
        for name, (title, _) in titles_of(shown.facts).items():
            values = [facts["characteristics"].get(name, {}).get("ks") for facts in shown.facts]
            if any(value is not None for value in values):
                found[name] = (title, values)
        return found

    def size_for(self, shown: ComparedWorkloads) -> tuple[float, float]:
        row = max(0.36, 0.24 * (len(shown.profiles) - 1))  # so that numbers stand apart
        return WIDTH, 1.5 + row * len(self._rows(shown)) + legend_inches(shown.profiles, WIDTH)

    def draw(self, figure: Figure, shown: ComparedWorkloads) -> None:
        axes = figure.subplots()
        rows = self._rows(shown)
        others = len(shown.profiles) - 1
        for row, (_, values) in enumerate(rows.values()):
            for index, value in enumerate(values):
                if value is None:
                    continue
                style = look(index)
                offset = (index - 1 - (others - 1) / 2) * 0.72 / max(others, 3)
                axes.plot(
                    [value],
                    [row + offset],
                    marker=style.marker,
                    color=style.colour,
                    markersize=7,
                    linestyle="",
                    clip_on=False,
                    zorder=4,
                )
                axes.hlines(row + offset, 0, value, color=style.colour, linewidth=1.0)
                axes.annotate(
                    _distance_text(value),
                    (value, row + offset),
                    (7, 0),
                    textcoords="offset points",
                    va="center",
                    size=8.5,
                )
        highest = max(value for _, values in rows.values() for value in values if value is not None)
        axes.set_xlim(0, max(0.1, min(1.0, highest * 1.15)) * 1.06)
        axes.set_yticks(range(len(rows)), [title for title, _ in rows.values()])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0, pad=9)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("Kolmogorov-Smirnov distance (0: the same, 1: nothing in common)")
        if others > 1:
            legend(figure, shown.profiles, marker=True, skip=1)
