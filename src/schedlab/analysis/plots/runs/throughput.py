"""Jobs that ended, per hour, day or week, and in all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import (
    draw_stairs,
    legend,
    legend_inches,
    row_inches,
    say,
    wrapped,
)
from schedlab.analysis.plots.time_axis import TimeAxis
from schedlab.analysis.style import look
from schedlab.durations import DAY, HOUR, MINUTE, WEEK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup

PERIODS = (("minute", MINUTE), ("hour", HOUR), ("day", DAY), ("week", WEEK))
MOST_PERIODS = 220
"""More would be thinner than a line; then the next longer period is shown."""

POINTS = 300


class Throughput(Plot):
    """Jobs that ended per hour, day or week, and cumulated."""

    name = "throughput"
    title = "Throughput"

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        rows = (row_inches(groups, 0.62) + 0.1) * len(groups)
        return 9.0, 3.6 + rows + legend_inches(groups, 9.0)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a strip per group, and below all cumulated."""
        from matplotlib.ticker import MaxNLocator

        axis = TimeAxis(groups)
        if axis.empty:
            say(figure.subplots(), "no job was submitted")
            return
        name, seconds = _period(axis.last - axis.first)
        edges = np.arange(axis.first, axis.last + seconds, seconds)
        row = row_inches(groups, 0.62)
        panels = figure.subplots(
            len(groups) + 1,
            1,
            sharex=True,
            squeeze=False,
            height_ratios=[row] * len(groups) + [2.0],
        )[:, 0]
        moments = np.linspace(axis.first, axis.last, POINTS)
        places = axis.places(np.minimum(edges, axis.last))
        highest = 0.0
        for index, group in enumerate(groups):
            style, ends = look(index), _ends(group)
            count = np.mean([np.histogram(run, edges)[0] for run in ends], axis=0)
            done = np.mean([np.searchsorted(run, moments, side="right") for run in ends], axis=0)
            highest = max(highest, float(count.max()))
            draw_stairs(
                panels[index], count, places, 0.0, fill=True, color=style.colour, alpha=0.75
            )
            panels[-1].plot(
                axis.places(moments), done, color=style.colour, linestyle=style.line, linewidth=1.3
            )
            if len(groups) > 1:
                text = wrapped(group.label)
                panels[index].set_ylabel(text, rotation=0, ha="right", va="center", size=9)
        for axes in panels[:-1]:
            axes.set_ylim(0, highest * 1.08 or 1.0)
            axes.yaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10], integer=True))
            axes.yaxis.set_major_formatter("{x:,.0f}")
        panels[0].set_title(f"jobs that ended per {name}", loc="left")
        panels[-1].set_title("jobs that ended so far", loc="left")
        panels[-1].yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10], integer=True))
        panels[-1].yaxis.set_major_formatter("{x:,.0f}")
        panels[-1].set_ylim(0, max(panels[-1].get_ylim()[1], 1.0))
        axis.show(panels[-1], inches=6.5)
        legend(figure, groups)


def _period(length: float) -> tuple[str, float]:
    """Returns the shortest period of which there are not too many."""
    for name, seconds in PERIODS:
        if length / seconds <= MOST_PERIODS:
            return name, seconds
    return PERIODS[-1]


def _ends(group: RunGroup) -> list[NDArray[np.float64]]:
    """Returns the sorted ends of the jobs of each run."""
    return [np.sort(run.jobs("end")["end"].drop_nulls().to_numpy()) for run in group.schedules.runs]
