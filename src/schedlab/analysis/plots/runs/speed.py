"""How fast jobs ran beside their neighbours: the distribution, and where and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.analysis.amounts import share_of_node
from schedlab.analysis.coverage import Edges, shares
from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import POINTS, draw_share, lay_out, legend, legend_inches, say
from schedlab.analysis.plots.runs.node_panels import node_panels, panel_pixels
from schedlab.analysis.plots.time_axis import TimeAxis
from schedlab.analysis.spans import node_spans
from schedlab.analysis.style import IDLE_COLOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup
    from schedlab.results import Result


class Speed(Plot):
    """Share of jobs that ran no faster than a speed factor."""

    name = "speed"
    title = "Speed factors of jobs"
    needs = ("jobs", "platform")

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height with room for the legend."""
        return 8.0, 4.6 + legend_inches(groups, 8.0)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a curve per group."""
        axes = figure.subplots()
        speeds = [np.sort(group.schedules.jobs("speed")["speed"].drop_nulls()) for group in groups]
        if not any(map(len, speeds)):
            say(axes, "no job ran")
            return
        lowest = min(float(values[0]) for values in speeds if len(values))
        left = min(0.95, np.floor(lowest * 20 - 1) / 20)
        places = np.linspace(max(left, 0.0), 1.0, POINTS)
        for index, values in enumerate(speeds):
            if not len(values):
                continue
            # Rounding may leave a job that nobody slowed a hair below 1, or above.
            share = np.searchsorted(values, places - 1e-9, side="left") / len(values) * 100
            draw_share(axes, index, groups[index].label, places, share)
        axes.set_xlim(places[0], 1.0)
        axes.set_ylim(0, 101)
        axes.set_xlabel("speed factor: time alone at nominal clock / time taken")
        axes.set_ylabel("jobs that were slower (%)")
        legend(figure, groups, marker=True)


class SpeedMap(Plot):
    """Mean speed factor of the jobs on each node, over time."""

    name = "speed-map"
    title = "Speed factors on nodes"
    needs = ("jobs", "platform")

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        return 9.0, 1.2 + (3.6 if len(groups) == 1 else max(1.15, 6.0 / len(groups)) * len(groups))

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a panel per group, of its first run; all have the same colours."""
        from matplotlib.colors import Normalize

        axis = TimeAxis(groups)
        if axis.empty:
            say(figure.subplots(), "no job was submitted")
            return
        panels = node_panels(figure, groups, axis, "grey: no job ran")
        norm = Normalize(0.0, 1.0)
        colours = _colours()
        # The bar takes its room first: only then panels have their size, and pixels are known.
        from matplotlib.cm import ScalarMappable

        scale = ScalarMappable(norm, colours)
        bar = figure.colorbar(scale, ax=list(panels), pad=0.01, fraction=0.05, aspect=30)
        bar.set_label("mean speed factor", size=9)
        lay_out(figure)
        maps = [
            speed_raster(group.results[0], axis.first, axis.last, *panel_pixels(axes))
            for axes, group in zip(panels, groups, strict=True)
        ]
        seen = [one[np.isfinite(one)] for one in maps]
        lowest = min((float(values.min()) for values in seen if len(values)), default=0.9)
        norm.vmin = max(0.0, np.floor(min(lowest, 0.95) * 20) / 20)
        left, right = (float(place) for place in axis.places([axis.first, axis.last]))
        for axes, group, picture in zip(panels, groups, maps, strict=True):
            nodes = group.results[0].run["system"]["nodes"]
            axes.imshow(
                _painted(picture, norm, colours),
                extent=(left, right, float(nodes), 0.0),
                aspect="auto",
                interpolation="nearest",
            )


def _colours() -> Any:
    from matplotlib import colormaps

    return colormaps["viridis"]


SHADES = 32
"""Of speed; more are not seen, and files would grow."""


def _painted(picture: NDArray[np.float64], norm: Any, colours: Any) -> NDArray[np.uint8]:
    """Returns red, green and blue of each pixel."""
    share = np.round(np.asarray(norm(np.nan_to_num(picture, nan=1.0))) * SHADES) / SHADES
    painted = (colours(share)[..., :3] * 255).round().astype(np.uint8)
    idle = np.array(IDLE_COLOUR, np.uint8)
    return np.where(np.isfinite(picture)[..., None], painted, idle).astype(np.uint8)


def speed_raster(
    result: Result, first: float, last: float, width: int, height: int
) -> NDArray[np.float64]:
    """Returns the mean speed factor of each pixel, weighted by cores and time; NaN: no job ran.

    Row r covers the nodes from r * nodes / height to (r + 1) * nodes / height.
    """
    run = result.run
    nodes = int(run["system"]["nodes"])
    names = ["start", "end", "nodes", "speed", "amounts"]
    ran = result.jobs.select(names).drop_nulls(["start", "end", "speed"]).collect()
    spans = node_spans(ran)
    row = spans["job"].to_numpy()
    top, bottom = spans["first"].to_numpy(), spans["last"].to_numpy() + 1
    weight = share_of_node(ran, run, row, top, spans["tasks"].to_numpy()).astype(np.float64)
    across, down = width / (last - first), height / nodes
    begin, end = (
        np.clip((ran[name].cast(polars.Float64).to_numpy() - first) * across, 0.0, width)[row]
        for name in ("start", "end")
    )
    edges = Edges(begin, end, top * down, bottom * down)
    busy = shares(edges, weight, width, height)
    speed = ran["speed"].cast(polars.Float64).to_numpy()[row]
    work = shares(edges, weight * speed, width, height)
    # Sums of many rectangles are exact to rounding only: what is left of 0 is not a job.
    mean: NDArray[np.float64] = np.full(busy.shape, np.nan)
    np.divide(work, busy, out=mean, where=busy > 1e-6)
    return mean
