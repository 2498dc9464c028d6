"""When jobs come: by hour of the day, weekday and month."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.analysis.plots.drawing import legend, legend_inches, say
from schedlab.analysis.plots.workloads.base import WIDTH, WorkloadPlot, percent_axis
from schedlab.analysis.style import look
from schedlab.workload.local_time import MONTHS, WEEKDAYS
from schedlab.workload.statistics import shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.analysis.plots.workloads.base import ComparedWorkloads

TICKS = {
    "hour": [str(hour) if not hour % 3 else "" for hour in range(24)],
    "weekday": list(WEEKDAYS),
    "month": list(MONTHS),
}


class Calendar(WorkloadPlot):
    """Share of jobs in each hour of the day, on each weekday, in each month, by local time."""

    name = "calendar"
    title = "When jobs are submitted"

    def problem(self, shown: ComparedWorkloads) -> str | None:
        jobs = any(profile.columns.jobs for profile in shown.profiles)
        return None if jobs else "there are no jobs"

    def size_for(self, shown: ComparedWorkloads) -> tuple[float, float]:
        height = 5.2 if _dated(shown) else 3.2
        return WIDTH, height + legend_inches(shown.profiles, WIDTH)

    def draw(self, figure: Figure, shown: ComparedWorkloads) -> None:
        # Without a date of time 0, weekdays and months are not known.
        panels = figure.subplot_mosaic("AA;BC" if _dated(shown) else "A")
        for letter, name in zip("ABC", TICKS, strict=True):
            if letter in panels:
                self._draw_panel(shown, panels[letter], name)
        zones = {profile.zone_name for profile in shown.profiles if profile.start is not None}
        known = f" ({zones.pop()})" if len(zones) == 1 else ", local time"
        known = known if _dated(shown) else ", counted from time 0"
        panels["A"].set_xlabel(f"hour of the day{known}")
        legend(figure, shown.profiles, marker=True)

    def _draw_panel(self, shown: ComparedWorkloads, axes: Axes, name: str) -> None:
        bins = len(TICKS[name])
        places = numpy.arange(bins)
        highest = 0.0
        for index, facts in enumerate(shown.facts):
            jobs = facts["calendar"][name]["jobs"]
            # Hours since an unknown moment do not belong beside hours of the day.
            undated = _dated(shown) and shown.profiles[index].start is None
            if undated or not jobs or not sum(jobs):
                continue
            percent = shares(jobs) * 100
            highest = max(highest, float(percent.max()))
            style = look(index)
            if index == 0:  # the real one also as bars: what the others are compared with
                axes.bar(places, percent, width=0.86, color=style.colour, alpha=0.22, zorder=1)
            axes.plot(
                places,
                percent,
                color=style.colour,
                linestyle=style.line,
                marker=style.marker,
                markerfacecolor="white",
                linewidth=1.3 if index else 2.6,
                zorder=2.5 + index / 100,
            )
        if not highest:
            say(axes, "no date of time 0 is known")
            return
        axes.set_xticks(places, TICKS[name])
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.6, bins - 0.4)
        axes.set_ylim(0, highest * 1.1)
        axes.grid(visible=False, axis="x")
        percent_axis(axes)
        if name != "month":
            axes.set_ylabel("jobs (%)")
        if name != "hour":
            axes.set_xlabel(name)


def _dated(shown: ComparedWorkloads) -> bool:
    return any(profile.start is not None for profile in shown.profiles)
