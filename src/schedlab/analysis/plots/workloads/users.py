"""Who submits the jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.analysis.plots.drawing import legend, numeric_axis
from schedlab.analysis.plots.workloads.base import WorkloadPlot, curve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.analysis.plots.workloads.base import ComparedWorkloads


class UserActivity(WorkloadPlot):
    """Share of jobs of each user, the most active first; and of all users up to that rank."""

    name = "users"
    title = "Activity of users"
    height = 3.9

    def problem(self, shown: ComparedWorkloads) -> str | None:
        some = any(facts["users"] for facts in shown.facts)
        return None if some else "no workload names users"

    def draw(self, figure: Figure, shown: ComparedWorkloads) -> None:
        ranked, reached = figure.subplots(1, 2)
        most, least, highest = 1, 100.0, 1.0
        for index, facts in enumerate(shown.facts):
            if not facts["users"]:
                continue
            jobs = numpy.array(facts["users"]["jobs_by_rank"], numpy.float64)
            percent = jobs / jobs.sum() * 100
            ranks = numpy.arange(1, len(jobs) + 1)
            most, least = max(most, len(jobs)), min(least, float(percent[-1]))
            highest = max(highest, float(percent[0]))
            curve(ranked, ranks, percent, index)
            curve(reached, ranks, numpy.cumsum(percent), index)
        numeric_axis(ranked, "y", least, highest, ticks=6)
        ranked.set_ylabel("jobs of the user (%)")
        reached.set_ylabel("jobs of all users up to that rank (%)")
        reached.set_ylim(0, 103)
        for axes in (ranked, reached):
            numeric_axis(axes, "x", 1, max(2, most), ticks=6)
            axes.set_xlabel("rank of the user by number of jobs")
        legend(figure, shown.profiles, marker=True)
