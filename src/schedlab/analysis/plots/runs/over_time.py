"""The machine and the queue over time: a strip per dispatcher, a column per quantity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from schedlab.analysis.curves import curves
from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import draw_stairs, row_inches, say, wrapped
from schedlab.analysis.plots.time_axis import TimeAxis
from schedlab.analysis.raster import gantt_raster
from schedlab.analysis.style import FAINT, look
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup

BINS_PER_INCH, BINS_WITH_MANY = 42, 32
"""About two pixels each; fewer for more than 8 groups, so that SVG files stay small."""


class Curve(NamedTuple):
    """A quantity over time in bins: its mean, and between what it was; NaN where there is none."""

    mean: NDArray[np.float64]
    least: NDArray[np.float64] | None = None
    most: NDArray[np.float64] | None = None


class Strips(Plot):
    """A strip per group, which share the axis of time."""

    row = 0.72

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        row = row_inches(groups, self.row if len(groups) > 3 else 1.3)
        return 9.0, 1.35 + row * len(groups) + (1.0 if len(groups) == 1 else 0)

    def quantities(self, groups: Sequence[RunGroup]) -> dict[str, str]:
        """Returns what each column shows: key and title with unit."""
        raise NotImplementedError

    def curves(
        self, group: RunGroup, axis: TimeAxis, bins: int, keys: Sequence[str]
    ) -> dict[str, Curve]:
        """Returns the curves of a group for those of the quantities that it has."""
        raise NotImplementedError

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws the strips."""
        axis = TimeAxis(groups)
        quantities = self.quantities(groups)
        if axis.empty:
            say(figure.subplots(), "no job was submitted")
            return
        inches = figure.get_size_inches()[0] * 0.82 / len(quantities)
        bins = max(40, int(inches * (BINS_PER_INCH if len(groups) <= 8 else BINS_WITH_MANY)))
        places = axis.places(np.linspace(axis.first, axis.last, bins + 1))
        panels = figure.subplots(
            len(groups), len(quantities), sharex=True, sharey="col", squeeze=False
        )
        highest = dict.fromkeys(quantities, 0.0)
        for index, group in enumerate(groups):
            found = self.curves(group, axis, bins, list(quantities))
            for column, key in enumerate(quantities):
                axes = panels[index][column]
                if key not in found:
                    axes.text(0.5, 0.5, f"has no {key}", transform=axes.transAxes, color=FAINT)
                    continue
                curve, colour = found[key], look(index).colour
                if curve.least is not None and curve.most is not None:
                    draw_stairs(
                        axes,
                        curve.most,
                        places,
                        baseline=curve.least,
                        fill=True,
                        color=colour,
                        alpha=0.22,
                        rasterized=True,  # in SVG, a band is half of all points
                    )
                draw_stairs(axes, curve.mean, places, color=colour, linewidth=1.1)
                top = curve.mean if curve.most is None else curve.most
                highest[key] = max(highest[key], float(np.nan_to_num(top).max()))
                self.add(axes, key, group, axis, bins)
            if len(groups) > 1:
                panels[index][0].set_ylabel(
                    wrapped(group.label),
                    rotation=0,
                    ha="right",
                    va="center",
                    size=9,
                )
        for column, (key, title) in enumerate(quantities.items()):
            panels[0][column].set_title(title, loc="left")
            self.limit(panels[0][column], key, highest[key])
            axis.show(panels[-1][column], inches=inches)

    def add(self, axes: Any, key: str, group: RunGroup, axis: TimeAxis, bins: int) -> None:
        """Draws more into the panel of a group, such as a limit; by default nothing."""

    def limit(self, axes: Any, key: str, highest: float) -> None:
        """Sets limits and ticks of the axis of a quantity."""
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        axes.set_ylim(-0.02 * (highest or 1.0), highest * 1.06 or 1.0)  # a line at 0 is seen
        axes.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10], integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def timeline_curves(
    group: RunGroup, axis: TimeAxis, bins: int, columns: Sequence[str]
) -> dict[str, Curve]:
    """Returns the mean of the repetitions, and the least and the most of any of them."""
    tables = []
    for run in group.schedules.runs:
        table = run.timeline("time", *columns)
        tables.append(curves(table, axis.first, axis.last, bins))
    return {
        name: Curve(
            np.mean([table[name] for table in tables], axis=0),
            np.min([table[f"{name}_min"] for table in tables], axis=0),
            np.max([table[f"{name}_max"] for table in tables], axis=0),
        )
        for name in columns
    }


class Utilization(Strips):
    """Share of each resource that is in use, over time.

    Args:
        resource: Only this one; by default all that some job used.
    """

    name = "utilization"
    title = "Utilization over time"
    needs = ("timeline",)

    def __init__(self, resource: str | None = None) -> None:
        self.resource = resource

    def quantities(self, groups: Sequence[RunGroup]) -> dict[str, str]:
        """Returns the resources."""
        used: dict[str, float] = {}
        for group in groups:
            for result in group.results:
                for kind, share in result.metrics["utilization"].items():
                    used[kind] = max(used.get(kind, 0.0), share or 0.0)
        if self.resource is not None:
            if self.resource not in used:
                raise InputError(
                    f"plot {self.name}: there is no resource {self.resource!r}; known: "
                    + ", ".join(used)
                )
            chosen = [self.resource]
        else:
            chosen = [kind for kind, share in used.items() if share] or list(used)[:1]
        return {kind: f"{kind} in use (%)" for kind in chosen}

    def curves(
        self, group: RunGroup, axis: TimeAxis, bins: int, keys: Sequence[str]
    ) -> dict[str, Curve]:
        """Returns the share of each resource that the machine has, in per cent."""
        capacity = group.results[0].run["system"]["capacity"]
        kinds = [kind for kind in keys if capacity.get(kind)]
        found = timeline_curves(group, axis, bins, [f"{kind}_used" for kind in kinds])
        return {
            kind: Curve(*(part * (100 / capacity[kind]) for part in found[f"{kind}_used"]))
            for kind in kinds
        }

    def limit(self, axes: Any, key: str, highest: float) -> None:
        """Sets the axis from 0 to 100 %."""
        axes.set_ylim(-3, 104)
        axes.set_yticks([0, 50, 100])


class FreeNodes(Strips):
    """Number of nodes on which nothing runs, over time."""

    name = "free-nodes"
    title = "Free nodes over time"

    def quantities(self, groups: Sequence[RunGroup]) -> dict[str, str]:
        """Returns the one quantity."""
        return {"nodes": "nodes on which nothing runs, mean"}

    def curves(
        self, group: RunGroup, axis: TimeAxis, bins: int, keys: Sequence[str]
    ) -> dict[str, Curve]:
        """Returns the mean number of free nodes, exactly, from where jobs ran."""
        means = []
        for run in group.schedules.runs:
            nodes = run.results[0].run["system"]["nodes"]
            jobs = run.jobs("job_id", "start", "end", "nodes")
            raster = gantt_raster(jobs, nodes, axis.first, axis.last, bins, 1)
            means.append(nodes * (1.0 - raster.busy[0].astype(np.float64)))
        return {"nodes": Curve(np.mean(means, axis=0))}


class JobsOverTime(Strips):
    """Running and queued jobs over time."""

    name = "jobs-over-time"
    title = "Running and queued jobs over time"
    needs = ("timeline",)

    def quantities(self, groups: Sequence[RunGroup]) -> dict[str, str]:
        """Returns both."""
        return {"running": "running jobs", "queued": "queued jobs"}

    def curves(
        self, group: RunGroup, axis: TimeAxis, bins: int, keys: Sequence[str]
    ) -> dict[str, Curve]:
        """Returns both curves."""
        return timeline_curves(group, axis, bins, ("running", "queued"))

    def limit(self, axes: Any, key: str, highest: float) -> None:
        """Sets a logarithmic axis where the numbers span decades."""
        if highest <= 200:
            super().limit(axes, key, highest)
            return
        from matplotlib.ticker import FuncFormatter, NullLocator

        axes.set_yscale("symlog", linthresh=10, linscale=0.8)
        ticks = [10.0**power for power in range(1, 9) if 10.0**power <= highest * 1.3]
        axes.set_yticks([0, *ticks[:: 1 if len(ticks) < 3 else 2]])
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.set_ylim(-0.4, highest * 1.3)
