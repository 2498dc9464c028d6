"""Who sends how much to whom: the traffic matrix of an application."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.analysis.groups import shortened
from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import axis_text, say
from schedlab.analysis.plots.networks.link_map import use_colours
from schedlab.analysis.plots.runs.network_of_run import network_of
from schedlab.analysis.traffic import traffic
from schedlab.units import byte_text, byte_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.analysis.groups import RunGroup
    from schedlab.analysis.traffic import Flows

CELLS = 256
"""Of a matrix in each direction; of more ranks, neighbours are taken together."""


class Traffic(Plot):
    """Bytes from each rank of an application to each other.

    Args:
        application: Its text; by default that of the run that sent the most bytes.
        ranks: How many; by default those of that job.
    """

    name = "traffic"
    title = "Traffic between ranks"
    needs = ("jobs", "network")

    def __init__(self, application: str | None = None, ranks: int | None = None) -> None:
        self._application, self._ranks = application, ranks

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        if len(groups) == 1:
            return 7.0, 6.2
        columns = min(3, len(groups))
        return 9.5, 0.9 + (0.8 * 9.5 / columns + 1.3) * math.ceil(len(groups) / columns)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a matrix per group, of its first run."""
        columns = min(3, len(groups))
        rows = math.ceil(len(groups) / columns)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, group in zip(panels, groups, strict=False):
            chosen = self._chosen(group)
            if chosen is None:
                say(axes, "no job ran an application")
            else:
                collectives = network_of(group.results[0]).messages.collectives
                flows = traffic(*chosen, collectives)
                draw_matrix(figure, axes, flows, chosen[1], small=len(groups) > 1)
                axes.set_title(
                    f"{shortened(chosen[0], 30 if len(groups) > 1 else 70)}\n{chosen[1]:,} ranks",
                    size=9,
                )
            if len(groups) > 1:
                axes.set_title(
                    f"{shortened(group.label, 30)}\n{axes.get_title()}".strip(), size=8.5
                )
        for axes in panels[len(groups) :]:
            axes.set_axis_off()

    def _chosen(self, group: RunGroup) -> tuple[str, int] | None:
        """Returns application and ranks; None where the run has none."""
        if self._application is not None and self._ranks is not None:
            return self._application, self._ranks
        texts = group.results[0].run["workload"].get("applications", [])
        frame = group.results[0].jobs
        names = frame.collect_schema().names()
        if not texts or "application" not in names:
            return None
        jobs = frame.select("application", "tasks", "bytes").collect()
        jobs = jobs.filter(polars.col("application") > 0, polars.col("bytes").is_not_null())
        if self._application is not None:
            places = [place for place, text in enumerate(texts, 1) if text == self._application]
            jobs = jobs.filter(polars.col("application").is_in(places))
        if self._ranks is not None:
            jobs = jobs.filter(polars.col("tasks") == self._ranks)
        if not jobs.height:
            return None
        row = jobs.sort("bytes", "tasks", descending=True).row(0, named=True)
        return texts[int(row["application"]) - 1], int(row["tasks"])


def draw_matrix(figure: Figure, axes: Axes, flows: Flows, ranks: int, small: bool = False) -> None:
    """Draws a matrix of bytes, senders down and receivers across."""
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.ticker import MaxNLocator

    matrix = flows.matrix(ranks, CELLS)
    sent = matrix[matrix > 0]
    total = float(sent.sum()) if len(sent) else 0.0
    if not len(sent):
        say(axes, "nothing is sent")
        return
    lowest, highest = float(sent.min()), float(sent.max())
    unit, factor = byte_unit(highest)
    scale: Any = (
        LogNorm(lowest / factor, highest / factor)
        if highest > 3 * lowest
        else Normalize(0.0, highest / factor)
    )
    colours = use_colours().with_extremes(bad="white")
    image = axes.imshow(
        np.ma.masked_equal(matrix, 0.0) / factor,
        norm=scale,
        cmap=colours,
        extent=(0, ranks, ranks, 0),
        interpolation="nearest",
        aspect="equal",
    )
    axes.grid(visible=False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(
            MaxNLocator(3 if small else 6, steps=[1, 2, 4, 5, 8, 10], integer=True)
        )
        axis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("to rank", size=9)
    axes.set_ylabel("from rank", size=9)
    bar: Any = figure.colorbar(image, ax=axes, shrink=0.75, aspect=25, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.minorticks_off()
    if isinstance(scale, LogNorm):
        ticks = _decades(lowest / factor, highest / factor)
        bar.set_ticks(ticks, labels=[axis_text(tick) for tick in ticks])
    each = -(-ranks // min(CELLS, ranks))
    pair = "between two ranks" if each == 1 else f"between {each} and {each} ranks"
    if small:
        bar.set_label(unit, size=8.5)
    else:
        bar.set_label(f"{unit} {pair}, {byte_text(total)} in all", size=9)


def _decades(lowest: float, highest: float) -> list[float]:
    """Returns ticks of a logarithmic scale: the ends, and decades between that are apart."""
    ticks = [
        10.0**power
        for power in range(math.ceil(math.log10(lowest)), math.floor(math.log10(highest)) + 1)
    ]
    return ticks if len(ticks) > 1 else [float(f"{lowest:.2g}"), float(f"{highest:.2g}")]
