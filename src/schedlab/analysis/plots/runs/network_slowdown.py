"""How much longer applications took than alone, because others were on the wires."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import (
    POINTS,
    draw_share,
    legend,
    legend_inches,
    numeric_axis,
    row_inches,
    say,
)
from schedlab.analysis.plots.runs.boxes import box_of, draw_boxes
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars
    from matplotlib.figure import Figure

    from schedlab.analysis.groups import RunGroup

COLUMN = "network_slowdown"
LABEL = "slowdown by others: run time / run time alone on the same nodes"
KINDS = ("box", "cdf")


class NetworkSlowdown(Plot):
    """How much slower applications were than alone.

    Args:
        kind: "box", a box per dispatcher, or "cdf", the share of jobs below each slowdown.
    """

    name = "network-slowdown"
    title = "Slowdown of applications by others"
    needs = ("jobs", "network", "alone")

    def __init__(self, kind: str = "box") -> None:
        if kind not in KINDS:
            raise InputError(f"kind must be box or cdf, not {kind!r}")
        self.kind = kind

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        if self.kind == "cdf":
            return 8.0, 4.6 + legend_inches(groups, 8.0)
        return 8.0, 1.5 + row_inches(groups, 0.42) * max(len(groups), 2)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws the boxes or the curves."""
        axes = figure.subplots()
        values = [_slowdowns(group) for group in groups]
        if not any(map(len, values)):
            say(axes, "no job ran an application to its end")
        elif self.kind == "box":
            draw_boxes(
                axes,
                [box_of(one) for one in values],
                [group.label for group in groups],
                xlabel=LABEL,
                empty="",
            )
        else:
            self._draw_curves(figure, groups, values)

    def _draw_curves(
        self, figure: Figure, groups: Sequence[RunGroup], values: list[polars.Series]
    ) -> None:
        axes = figure.axes[0]
        arrays = [np.sort(one.to_numpy()) for one in values]
        highest = max(float(one[-1]) for one in arrays if len(one))
        lowest = min(float(one[0]) for one in arrays if len(one))
        left, right = min(lowest, 1.0), max(highest, 1.01)
        wide = right / left > 30
        places = np.geomspace(left, right, POINTS) if wide else np.linspace(left, right, POINTS)
        for index, one in enumerate(arrays):
            if len(one):
                share = np.searchsorted(one, places + 1e-12, side="right") / len(one) * 100
                draw_share(axes, index, groups[index].label, places, share)
        numeric_axis(axes, "x", left, right)
        axes.set_xlim(left, right)
        axes.set_ylim(0, 101)
        axes.set_xlabel(LABEL)
        axes.set_ylabel("jobs that were no slower (%)")
        legend(figure, groups, marker=True)


def _slowdowns(group: RunGroup) -> polars.Series:
    """Returns the finite ones."""
    found = group.schedules.jobs(COLUMN)[COLUMN].drop_nulls()
    return found.filter(found.is_finite())
