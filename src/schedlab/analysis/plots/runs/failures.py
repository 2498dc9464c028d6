"""Outages: which nodes were down when, and how many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars

from schedlab.analysis.coverage import Edges, shares
from schedlab.analysis.node_states import STATES, state_raster
from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import draw_stairs, lay_out, legend, legend_inches, say
from schedlab.analysis.plots.runs.node_panels import node_panels, panel_pixels
from schedlab.analysis.plots.runs.over_time import BINS_PER_INCH, BINS_WITH_MANY
from schedlab.analysis.plots.runs.state_bands import HIT, Bands
from schedlab.analysis.plots.time_axis import TimeAxis, simulated
from schedlab.analysis.style import IDLE_COLOUR, INK, NODE_STATES, look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup

SHADES = 12
FAINTEST = 0.35
"""How dark the shortest outage is, so that it is seen at all."""


class FailuresPlot(Plot):
    """Nodes that were down over time, and jobs that this ended."""

    name = "failures"
    title = "Failures of nodes"
    needs = ("failures",)

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        panels = 2.6 if len(groups) == 1 else max(1.0, 5.0 / len(groups)) * len(groups)
        return 9.0, 2.7 + panels + legend_inches(groups, 9.0, [HIT])

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a panel per group, of its first run, and below how many nodes were down."""
        from matplotlib.lines import Line2D
        from matplotlib.ticker import MaxNLocator

        axis = TimeAxis(groups)
        if axis.empty:
            say(figure.subplots(), "no job was submitted")
            return
        each = 2.6 if len(groups) == 1 else max(1.0, 5.0 / len(groups))
        panels = node_panels(figure, groups, axis, "red: the node is down", below=[1.3 / each])
        bands = [Bands.of_run(group.results[0], axis) for group in groups]
        hits = any(one.hits.height for one in bands)
        cross = Line2D([], [], linestyle="", marker="x", color=INK, markeredgewidth=1.1, label=HIT)
        legend(figure, groups, more=[cross] if hits else [])
        panels[-1].set_title("nodes down, mean", loc="left", size=9)
        panels[-1].yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        self._curves(figure, panels[-1], groups, bands, axis)
        lay_out(figure)  # now the panels have their size, and pixels are known
        for axes, group, band in zip(panels, groups, bands, strict=False):
            nodes = int(group.results[0].run["system"]["nodes"])
            left, right = axis.places([axis.first, axis.last])
            axes.imshow(
                _painted(band, nodes, axis, *panel_pixels(axes)),
                extent=(float(left), float(right), float(nodes), 0.0),
                aspect="auto",
                interpolation="nearest",
            )
            band.mark(axes, axis)

    def _curves(
        self,
        figure: Figure,
        axes: Axes,
        groups: Sequence[RunGroup],
        bands: Sequence[Bands],
        axis: TimeAxis,
    ) -> None:
        inches = float(figure.get_size_inches()[0]) * 0.85
        bins = int(inches * (BINS_PER_INCH if len(groups) <= 8 else BINS_WITH_MANY))
        edges = np.linspace(axis.first, axis.last, bins + 1)
        highest = 0.0
        for index, (group, band) in enumerate(zip(groups, bands, strict=True)):
            down = nodes_down(band.states, axis, bins)
            span = simulated(group.results[0].run)
            if span is None:
                continue
            down[edges[:-1] >= span[1]] = np.nan
            highest = max(highest, float(np.nan_to_num(down).max()))
            style = look(index)
            draw_stairs(
                axes,
                down,
                axis.places(edges),
                color=style.colour,
                linestyle=style.line,
                linewidth=1.2,
            )
        axes.set_ylim(-0.02 * (highest or 1.0), highest * 1.08 or 1.0)


def nodes_down(states: polars.DataFrame, axis: TimeAxis, bins: int) -> NDArray[np.float64]:
    """Returns how many nodes are down in each bin of the axis: the mean over it, exact."""
    down = states.filter(polars.col("state") == "down")
    across = bins / (axis.last - axis.first)
    begin, end = (
        np.clip((down[name].fill_null(axis.last).to_numpy() - axis.first) * across, 0.0, bins)
        for name in ("start", "end")
    )
    whole = Edges(begin, end, np.zeros(down.height), np.ones(down.height))
    count: NDArray[np.float64] = shares(whole, np.ones(down.height), bins, 1)[0]
    return np.clip(count, 0.0, None)


def _painted(band: Bands, nodes: int, axis: TimeAxis, width: int, height: int) -> NDArray[np.uint8]:
    """Returns a picture: the larger the share of a pixel that is down, the darker."""
    down = state_raster(band.states, nodes, axis.first, axis.last, width, height)
    share = np.ceil(down[STATES.index("down")] * SHADES - 1e-6) / SHADES
    depth = np.where(share > 0, FAINTEST + (1 - FAINTEST) * share, 0.0)[..., None]
    idle, dark = np.array(IDLE_COLOUR, float), np.array(NODE_STATES["down"][0], float)
    picture: NDArray[np.uint8] = (idle + (dark - idle) * depth).round().astype(np.uint8)
    return picture
