"""Rhythm and memory of a workload: how alike what comes later is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.analysis.plots.drawing import legend, say
from schedlab.analysis.plots.workloads.base import WorkloadPlot, curve
from schedlab.analysis.style import FAINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.analysis.plots.workloads.base import ComparedWorkloads


class Autocorrelation(WorkloadPlot):
    """Autocorrelation of the jobs per hour, of inter-arrival times and of run times."""

    name = "autocorrelation"
    title = "Autocorrelation"
    height = 5.2

    def problem(self, shown: ComparedWorkloads) -> str | None:
        names = ("jobs_per_hour", "interarrival", "run_time")
        some = any(facts["autocorrelation"][name] for facts in shown.facts for name in names)
        return None if some else "there are too few jobs"

    def draw(self, figure: Figure, shown: ComparedWorkloads) -> None:
        panels = figure.subplot_mosaic(
            [["jobs_per_hour", "jobs_per_hour"], ["interarrival", "run_time"]]
        )
        for name, title, label in (
            ("jobs_per_hour", "jobs submitted per hour", "lag (days)"),
            ("interarrival", "inter-arrival times (logarithms)", "lag (jobs)"),
            ("run_time", "run times (logarithms)", "lag (jobs)"),
        ):
            self._draw_panel(shown, panels[name], name)
            panels[name].set_title(title, loc="left")
            panels[name].set_xlabel(label)
        for name in ("jobs_per_hour", "interarrival"):
            panels[name].set_ylabel("autocorrelation")
        legend(figure, shown.profiles, marker=True)

    def _draw_panel(self, shown: ComparedWorkloads, axes: Axes, name: str) -> None:
        hourly = name == "jobs_per_hour"
        longest = 0.0
        lowest, highest = 0.0, 0.1
        for index, facts in enumerate(shown.facts):
            values = numpy.array(facts["autocorrelation"][name][1:])  # at lag 0 it is 1
            if not len(values):
                continue
            lags = numpy.arange(1, len(values) + 1) / (24 if hourly else 1)
            longest = max(longest, float(lags[-1]))
            lowest, highest = min(lowest, values.min()), max(highest, values.max())
            curve(axes, lags, values, index, every=14 if hourly else 8)
        if not longest:
            say(axes, "too few jobs")
            return
        axes.axhline(0, color=FAINT, linewidth=0.8)
        axes.set_xlim(0, longest)
        room = 0.06 * (highest - lowest)
        axes.set_ylim(lowest - room, highest + room)
        if hourly and longest > 2:
            axes.set_xticks(range(int(longest) + 1))
