"""How many jobs waited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import row_inches
from schedlab.analysis.plots.runs.boxes import Box, draw_boxes, weighted_box
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from schedlab.analysis.groups import RunGroup


class QueueSize(Plot):
    """Jobs in the queue, a box per dispatcher.

    Args:
        weight: "time": every second counts the same; "points": every time point does, as in
            AccaSim's figure.
    """

    name = "queue-size"
    title = "Queue size"
    needs = ("timeline",)

    def __init__(self, weight: str = "time") -> None:
        if weight not in ("time", "points"):
            raise InputError(f"weight must be time or points, not {weight!r}")
        self.weight = weight

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        return 8.0, 1.5 + row_inches(groups, 0.42) * max(len(groups), 2)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a box per group."""
        counted = "time" if self.weight == "time" else "time points"
        draw_boxes(
            figure.subplots(),
            [self._box(group) for group in groups],
            [group.label for group in groups],
            xlabel=f"jobs in the queue, share of {counted}",
            empty="there is no time in which jobs could wait",
        )

    def _box(self, group: RunGroup) -> Box | None:
        sizes, weights = [], []
        for run in group.schedules.runs:
            table = run.timeline("time", "queued")
            times = table["time"].to_numpy()
            sizes.append(table["queued"].to_numpy().astype(np.float64))
            if self.weight == "points":
                weights.append(np.ones(len(times)))
            else:  # what holds after the last time point holds for no time
                weights.append(np.diff(times, append=times[-1:]))
        return weighted_box(np.concatenate(sizes), np.concatenate(weights))
