"""How much the links of the network were used: the whole run, and over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.analysis.curves import curves
from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import draw_stairs, say, wrapped
from schedlab.analysis.plots.networks.link_map import (
    draw_use,
    inches_of,
    kind_lines,
    panels_of,
    scale_bar,
    use_scale,
)
from schedlab.analysis.plots.runs.needs import LINK_USE
from schedlab.analysis.plots.runs.network_of_run import network_of
from schedlab.analysis.plots.runs.over_time import BINS_PER_INCH
from schedlab.analysis.plots.time_axis import TimeAxis
from schedlab.analysis.style import FAINT, INK, LINES, PALETTE
from schedlab.dispatch.link_use import LinkUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup
    from schedlab.results import Result


class LinkHeatMap(Plot):
    """Use of each link of the network over the whole run."""

    name = "links"
    title = "Use of links"
    needs = ("network",)

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups and the topology."""
        networks = [network_of(group.results[0]) for group in groups]
        return 9.5, 1.2 + sum(inches_of(network, len(groups)) + 0.5 for network in networks)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a row of panels per group, of its first run."""
        parts = [_carried(group.results[0]) for group in groups]
        networks = [network_of(group.results[0]) for group in groups]
        links = [network.links() for network in networks]
        counts = [panels_of(*pair) for pair in zip(networks, links, strict=True)]
        widest = max(counts)
        grid = figure.add_gridspec(len(groups), widest)
        scale = use_scale([part[1] for part in parts if part is not None])
        everywhere = []
        for row, (group, part) in enumerate(zip(groups, parts, strict=True)):
            if part is None:
                axes = figure.add_subplot(grid[row, :])
                say(axes, "no job ran an application")
                everywhere.append(axes)
                continue
            panels = (
                [figure.add_subplot(grid[row, :])]
                if counts[row] == 1
                else [figure.add_subplot(grid[row, place]) for place in range(counts[row])]
            )
            everywhere += panels
            bytes_carried, use = part
            draw_use(panels, networks[row], links[row], use, scale, len(groups))
            if len(groups) > 1:
                panels[0].set_title(wrapped(group.label, 100), loc="left", size=9, pad=14)
            else:
                makespan = group.results[0].metrics["makespan"]
                text = kind_lines(links[row].by_kind(list(bytes_carried), makespan))
                figure.supxlabel(text, size=8.5)
        if any(part is not None for part in parts):
            scale_bar(figure, everywhere, scale)


def _carried(result: Result) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Returns the bytes and the use of each link; None where nothing was recorded."""
    table = result.links
    if table is None:
        return None
    frame = table.select("bytes", "use").collect()
    return frame["bytes"].to_numpy(), frame["use"].to_numpy()


class LinkUseOverTime(Plot):
    """Use of links over time, by kind of link."""

    name = "link-use"
    title = "Use of links over time"
    needs = ("timeline", "network", "link-use")

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        return 9.0, 1.5 + (3.2 if len(groups) == 1 else 1.15 * len(groups))

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a strip per group, a line per kind."""
        axis = TimeAxis(groups)
        if axis.empty:
            say(figure.subplots(), "no job was submitted")
            return
        panels = figure.subplots(len(groups), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        bins = int(8.0 * BINS_PER_INCH)
        places = axis.places(np.linspace(axis.first, axis.last, bins + 1))
        handles: dict[str, Any] = {}
        highest = 0.0
        for axes, group in zip(panels, groups, strict=True):
            for number, (column, curve) in enumerate(_uses(group, axis, bins).items()):
                most = column == "link_use_max"
                line = draw_stairs(
                    axes,
                    100 * curve,
                    places,
                    color=INK if most else PALETTE[number % (len(PALETTE) - 1)],
                    linestyle=(0, (1, 1.2)) if most else LINES[number % len(LINES)],
                    linewidth=1.1,
                )
                name = column.removeprefix("link_use_").replace("_", " ")
                handles.setdefault("busiest link" if most else f"{name}, mean", line)
                highest = max(highest, 100 * float(curve.max(initial=0.0)))
            if len(groups) > 1:
                axes.set_ylabel(wrapped(group.label), rotation=0, ha="right", va="center", size=9)
        _show(list(panels), highest)
        axis.show(panels[-1], inches=7.5)
        if len(groups) == 1:
            panels[0].set_ylabel("use of links (%)")
        else:
            panels[0].set_title("use of links (%)", loc="left", size=9, color=FAINT)
        figure.legend(
            handles=list(handles.values()),
            labels=list(handles),
            loc="outside lower center",
            ncols=min(len(handles), 6),
            handlelength=3.2,
        )


def _show(panels: Sequence[Axes], highest: float) -> None:
    from matplotlib.ticker import MaxNLocator

    panels[0].set_ylim(-0.02 * (highest or 1.0), highest * 1.06 or 1.0)
    ticks = 5 if len(panels) == 1 else 3
    panels[0].yaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
    panels[0].yaxis.set_major_formatter("{x:,.10g}")


def _uses(group: RunGroup, axis: TimeAxis, bins: int) -> dict[str, NDArray[np.float64]]:
    """Returns the mean over repetitions of each number, in bins."""
    tables = []
    for run in group.schedules.runs:
        timeline = run.timeline()
        columns = [name for name in timeline.columns if name.startswith("link_use_")]
        # A number is about the time since the update before, and stands there until the next one.
        moved = timeline.with_columns(polars.col("time") - _every(run.results[0]))
        tables.append(curves(moved, axis.first, axis.last, bins, columns))
    names = [name for name in columns if all(name in table.columns for table in tables)]
    return {name: np.mean([table[name].to_numpy() for table in tables], axis=0) for name in names}


def _every(result: Result) -> float:
    """Returns the seconds between updates of the run's `link-use`."""
    from schedlab.naming import parse_call

    for text in result.run["data"]:
        name, arguments = parse_call(text, "additional data")
        if name in LINK_USE and "every" in arguments:
            return float(arguments["every"])
    return LinkUse().every or 0.0
