"""Temperatures of nodes and the power of their cooling, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.analysis.plots.drawing import draw_stairs
from schedlab.analysis.plots.runs.gaps import masked_curves
from schedlab.analysis.plots.runs.over_time import Curve, Strips
from schedlab.analysis.style import INK
from schedlab.units import power_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedlab.analysis.groups import RunGroup
    from schedlab.analysis.plots.time_axis import TimeAxis


class Temperature(Strips):
    """Hottest node and mean over time, and power of the cooling."""

    name = "temperature"
    title = "Temperature and cooling over time"
    needs = ("timeline", "temperature")

    def quantities(self, groups: Sequence[RunGroup]) -> dict[str, str]:
        """Returns temperature and cooling."""
        most = max(
            (_most(run.timeline, "cooling") for group in groups for run in group.results),
            default=0.0,
        )
        self._unit, self._factor = power_unit(most or 1.0)
        limit = any(_limit(group) is not None for group in groups)
        mark = ", mean (dashed), limit (dotted)" if limit else ", mean (dashed)"
        return {"hottest": f"hottest{mark} (°C)", "cooling": f"cooling ({self._unit})"}

    def curves(
        self, group: RunGroup, axis: TimeAxis, bins: int, keys: Sequence[str]
    ) -> dict[str, Curve]:
        """Returns the hottest node and the cooling."""
        found = masked_curves(group, axis, bins, ["time", "hottest", "cooling"])
        cooling = Curve(*(part / self._factor for part in found["cooling"] if part is not None))
        return {"hottest": found["hottest"], "cooling": cooling}

    def add(self, axes: Any, key: str, group: RunGroup, axis: TimeAxis, bins: int) -> None:
        """Draws the mean and the limit of temperatures."""
        if key != "hottest":
            return
        places = axis.places(np.linspace(axis.first, axis.last, bins + 1))
        mean = masked_curves(group, axis, bins, ["time", "mean_temperature"])["mean_temperature"]
        draw_stairs(axes, mean.mean, places, color=INK, linewidth=0.9, linestyle=(0, (4, 2)))
        limit = _limit(group)
        if limit is not None:
            axes.axhline(limit, color=INK, linewidth=1.0, linestyle=(0, (1, 1.5)))

    def limit(self, axes: Any, key: str, highest: float) -> None:
        """Sets limits: temperatures do not begin at 0."""
        from matplotlib.ticker import MaxNLocator

        if key != "hottest":
            super().limit(axes, key, highest)
            axes.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
            axes.yaxis.set_major_formatter("{x:,.10g}")
            return
        axes.autoscale(axis="y")
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))


def _most(timeline: Any, name: str) -> float:
    return float(timeline.select(name).max().collect().item() or 0.0)


def _limit(group: RunGroup) -> float | None:
    """Returns the limit of temperatures that conditions gave, if any."""
    thermal = (group.results[0].run.get("conditions") or {}).get("thermal") or {}
    limit = thermal.get("limit")
    return None if limit is None else float(limit)
