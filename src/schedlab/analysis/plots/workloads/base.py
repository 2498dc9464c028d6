"""What plots of workloads share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from schedlab.analysis.plots.base import Picture
from schedlab.analysis.plots.drawing import legend_inches
from schedlab.analysis.style import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from schedlab.analysis.workload_profile import Profile

    Facts = dict[str, Any]

WIDTH = 9.0
"""Inches; legible at half of it."""


class ComparedWorkloads(NamedTuple):
    """What pictures of workloads are drawn of: one workload or several, the real one first."""

    profiles: Sequence[Profile]
    facts: Sequence[Facts]


class WorkloadPlot(Picture[ComparedWorkloads]):
    """Base of a picture of one workload or several.

    Attributes:
        height: Inches without the legend.
    """

    shown_type = ComparedWorkloads
    height = 5.0

    def size_for(self, shown: ComparedWorkloads) -> tuple[float, float]:
        return WIDTH, self.height + legend_inches(shown.profiles, WIDTH)

    def subtitle(self, shown: ComparedWorkloads) -> str:
        first, *others = shown.profiles
        jobs = f"{first.columns.jobs:,} job" + ("" if first.columns.jobs == 1 else "s")
        if not others:
            return f"{first.label} · {jobs}"
        if len(others) == 1:
            other = others[0]
            return f"{first.label} ({jobs}) and {other.label} ({other.columns.jobs:,})"
        return f"{first.label} ({jobs}) and {len(others)} others"


def curve(axes: Axes, x: Any, y: Any, index: int, every: int = 5, **options: Any) -> None:
    """Draws the line of a workload, with about `every` markers where it has many points.

    Args:
        axes: Where to.
        x: Places.
        y: Values.
        index: Place of the workload, from which its look follows.
        every: How many markers.
        options: Of matplotlib's `plot`.
    """
    style = look(index)
    step = max(1, len(x) // every)
    # Markers of several curves must not hide one another.
    axes.plot(
        x,
        y,
        color=style.colour,
        linestyle=style.line,
        marker=style.marker,
        markerfacecolor="white",
        markevery=(min(index * step // 6, max(0, len(x) - 1)), step),
        # The real one is broad and below: others that are the same are seen on it.
        **{"linewidth": 1.3 if index else 2.6, "zorder": 2.5 + index / 100, **options},
    )


def apart(ticks: Sequence[float], left: float, right: float, share: float) -> list[float]:
    """Returns ticks of a logarithmic axis of which none is closer to the next than it must be.

    Args:
        ticks: In ascending order.
        left: Where the axis begins.
        right: Where it ends.
        share: Of the axis between two ticks, at least.
    """
    shown: list[float] = []
    for tick in ticks:
        if not shown or math.log(tick / shown[-1]) >= share * math.log(right / left):
            shown.append(tick)
    return shown


def percent_axis(axes: Axes) -> None:
    """Writes the y axis as percentages, without the sign, which the label has."""
    from matplotlib.ticker import FuncFormatter

    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
