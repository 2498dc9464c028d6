"""How much work is submitted as time goes by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from schedlab.analysis.plots.drawing import draw_stairs, number_text
from schedlab.analysis.plots.workloads.base import WIDTH, WorkloadPlot, percent_axis
from schedlab.analysis.style import FAINT, INK, look
from schedlab.analysis.workload_profile import LONGEST_SPAN
from schedlab.durations import DAY, HOUR, MINUTE, WEEK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.analysis.plots.workloads.base import ComparedWorkloads

PERIODS = (("week", WEEK), ("day", DAY), ("hour", HOUR), ("minute", MINUTE))

LEAST_PERIODS = 8
"""Of the longest workload; shorter periods are taken for short ones."""


class Load(WorkloadPlot):
    """Work submitted in each week (day, hour), as a share of what the machine can do in it."""

    name = "load"
    title = "Offered load over time"

    def problem(self, shown: ComparedWorkloads) -> str | None:
        jobs = any(0 < profile.span < LONGEST_SPAN for profile in shown.profiles)
        return None if jobs else "no workload lasts longer than a moment and less than centuries"

    def size_for(self, shown: ComparedWorkloads) -> tuple[float, float]:
        rows = len(shown.profiles)
        return WIDTH, 1.1 + {1: 2.3, 2: 1.7}.get(rows, 1.15) * rows

    def draw(self, figure: Figure, shown: ComparedWorkloads) -> None:
        drawn = [profile.span for profile in shown.profiles if profile.span < LONGEST_SPAN]
        longest = max(drawn, default=1.0)
        name, period = next(
            (one for one in PERIODS if longest >= LEAST_PERIODS * one[1]), PERIODS[-1]
        )
        # Without a machine there is no share of it, and one unit must do for all.
        known = all(profile.cores is not None for profile in shown.profiles)
        scale = 100.0 if known else 1.0
        grid = figure.subplots(len(shown.profiles), 1, squeeze=False, sharex=True, sharey=True)
        for index, (profile, axes) in enumerate(zip(shown.profiles, grid[:, 0], strict=True)):
            axes.set_title(profile.label[:90], loc="left")
            if profile.span >= LONGEST_SPAN or not profile.columns.jobs:
                why = "spans centuries" if profile.columns.jobs else "no jobs"
                axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", color=FAINT)
                continue
            values = profile.load_per(period) * scale * (1.0 if known else profile.cores or 1.0)
            self._draw_row(axes, values, index)
            text = f"mean {number_text(values.mean())}, deviation {number_text(values.std())}"
            axes.set_title(
                f"{text}{' %' if known else ' cores'}", loc="right", size=8.5, color=FAINT
            )
        figure.supylabel(f"load of each {name} ({'%' if known else 'cores'})", size=10)
        axes = grid[-1, 0]
        axes.set_xlabel(f"{name}s since the first job")
        axes.set_xlim(0, max(1.0, longest / period))
        axes.set_ylim(bottom=0)

    def _draw_row(self, axes: Any, values: Any, index: int) -> None:
        style = look(index)
        edges = numpy.arange(len(values) + 1)
        draw_stairs(axes, values, edges, 0.0, fill=True, color=style.colour, alpha=0.3)
        draw_stairs(axes, values, edges, color=style.colour, linewidth=0.9)
        axes.hlines(values.mean(), 0, len(values), color=INK, linestyle=(0, (5, 3)), linewidth=1.0)
        percent_axis(axes)
