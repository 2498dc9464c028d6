"""Jobs on nodes over time, as a picture made by pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars

from schedlab.analysis.node_states import STATES
from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import lay_out, legend, legend_inches, say
from schedlab.analysis.plots.runs.node_panels import node_panels, panel_pixels
from schedlab.analysis.plots.runs.state_bands import Bands, band_handles
from schedlab.analysis.plots.time_axis import TimeAxis, moment_of, moment_text
from schedlab.analysis.raster import GanttRaster, gantt_raster, job_colours
from schedlab.analysis.style import IDLE_COLOUR
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup

MANY = (70, 70, 78)
"""Colour of pixels that hold many jobs, where they are busy all the time."""

SHADES = 12
"""Of busy pixels; more are not seen, and files would grow."""


class Gantt(Plot):
    """Jobs on nodes over time, made by pixel.

    Args:
        first: Where the picture begins: seconds of the workload's own clock, or a text such as 1d
            or a date.
        last: Where it ends.
    """

    name = "gantt"
    title = "Jobs on nodes"
    most_jobs = 20_000  # more of them are a grey area

    def __init__(self, first: float | str | None = None, last: float | str | None = None) -> None:
        self._first, self._last = first, last

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        height = 1.2 + (3.8 if len(groups) == 1 else max(1.15, 6.0 / len(groups)) * len(groups))
        bands = any(group.results[0].states is not None for group in groups)
        return 9.0, height + (legend_inches((), 9.0, list(STATES)) if bands else 0.0)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a panel per group, of its first run."""
        whole = TimeAxis(groups)
        if whole.empty:
            say(figure.subplots(), "no job was submitted")
            return
        first, last = (moment_of(given, whole) for given in (self._first, self._last))
        axis = TimeAxis(groups, first, last)
        if not axis.last > axis.first:
            requested, known = (
                f"from {moment_text(one.first, whole)} to {moment_text(one.last, whole)}"
                for one in (axis, whole)
            )
            raise InputError(
                f"plot {self.name}: there is no time {requested}; the simulation goes {known}"
            )
        meaning = "a colour per job, grey where a pixel holds several"
        panels = node_panels(figure, groups, axis, meaning)
        bands = [Bands.of_run(group.results[0], axis) for group in groups]
        legend(figure, (), more=band_handles(bands))
        lay_out(figure)  # now the panels have their size, and pixels are known
        for axes, group, band in zip(panels, groups, bands, strict=True):
            _draw_panel(axes, group, axis, band)


def _draw_panel(axes: Axes, group: RunGroup, axis: TimeAxis, bands: Bands) -> None:
    width, height = panel_pixels(axes)
    nodes = group.results[0].run["system"]["nodes"]
    columns = ("job_id", "start", "end", "nodes")
    jobs = group.first.jobs(*columns)
    if bands.interruptions.height:
        attempts = bands.interruptions.select(columns)
        jobs = polars.concat([jobs, attempts], how="vertical_relaxed")
    raster = gantt_raster(jobs, nodes, axis.first, axis.last, width, height)
    left, right = axis.places([axis.first, axis.last])
    axes.imshow(
        bands.painted(pixels(raster, nodes), raster.busy, nodes, axis),
        extent=(float(left), float(right), float(nodes), 0.0),
        aspect="auto",
        interpolation="nearest",
    )
    bands.mark(axes, axis)


def pixels(raster: GanttRaster, nodes: int) -> NDArray[np.uint8]:
    """Returns the colours of a raster: red, green and blue along a new last axis.

    A pixel has its job's colour if that job also holds the centre of the pixel before or after it;
    and where a row of pixels stands for more than one node, of the one above or below as well.
    Other pixels hold several small jobs, or a part of one, and are grey: the busier, the darker.
    """
    whole = _repeated(raster.job, axis=1)
    if nodes > len(raster.job):
        whole &= _repeated(raster.job, axis=0)
    busy = np.round(raster.busy * SHADES) / SHADES
    idle, many = np.array(IDLE_COLOUR, float), np.array(MANY, float)
    grey = idle + (many - idle) * (0.15 * (busy > 0) + 0.85 * busy)[..., None]
    return np.where(whole[..., None], job_colours(raster.job), grey).astype(np.uint8)


def _repeated(job: NDArray[np.int64], axis: int) -> NDArray[np.bool_]:
    """Returns where a neighbour along the axis has the same job."""
    moved = np.moveaxis(job, axis, 0)
    same = (moved[1:] == moved[:-1]) & (moved[1:] >= 0)
    found = np.zeros(moved.shape, bool)
    found[1:] |= same
    found[:-1] |= same
    return np.moveaxis(found, 0, axis)
