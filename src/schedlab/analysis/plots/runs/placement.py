"""Where jobs are on the network, at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import legend, say, wrapped
from schedlab.analysis.plots.networks.network_map import HEIGHT, NetworkMap
from schedlab.analysis.plots.runs.network_of_run import network_of
from schedlab.analysis.plots.time_axis import TimeAxis, moment_of, moment_text
from schedlab.analysis.raster import job_colours
from schedlab.analysis.spans import node_spans
from schedlab.analysis.style import FAINT
from schedlab.system.network import Torus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup
    from schedlab.system.network import Network

LARGEST = 8
"""Jobs that the legend names."""


class PlacementMap(Plot):
    """Which job is on which node of the network at a moment.

    Args:
        time: Seconds of the workload's own clock, or a text such as 1d or a date; by default the
            first moment at which the most nodes are busy.
    """

    name = "placement"
    title = "Jobs on the network"
    needs = ("jobs", "network")

    def __init__(self, time: float | str | None = None) -> None:
        self._time = time

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups and the topology."""
        networks = [network_of(group.results[0]) for group in groups]
        maps = [NetworkMap(network, height=HEIGHT / len(groups)) for network in networks]
        legend_room = 0.5 if len(groups) == 1 else 0.0
        return 9.0, 1.0 + legend_room + sum(one.inches() + 0.7 for one in maps)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a panel per group, of its first run."""
        axis = TimeAxis(groups)
        panels = figure.subplots(len(groups), 1, squeeze=False)[:, 0]
        for axes, group in zip(panels, groups, strict=True):
            jobs = _ran(group)
            if not jobs.height:
                say(axes, "no job ran")
                continue
            given = moment_of(self._time, axis)
            time = _fullest(jobs) if given is None else given
            there = jobs.filter((polars.col("start") <= time) & (polars.col("end") > time))
            nodes = group.results[0].run["system"]["nodes"]
            owner = _owners(there, nodes)
            network = network_of(group.results[0])
            busy = int((owner >= 0).sum())
            title = (
                f"{moment_text(time, axis)}: {there.height:,} jobs on {busy:,} of {nodes:,} nodes"
            )
            draw_nodes(axes, network, job_colours(owner), len(groups))
            name = f"{wrapped(group.label, 100)}, " if len(groups) > 1 else ""
            axes.set_title(f"{name}{title}", loc="left", size=9, pad=12)
            if len(groups) == 1:
                legend(figure, (), more=_handles(there))


def draw_nodes(
    axes: Axes, network: Network, colours: NDArray[np.uint8], panels: int = 1, note: str = ""
) -> None:
    """Draws the nodes of a network, each a cell of a colour.

    Args:
        axes: Where to.
        network: The topology.
        colours: Red, green and blue of each node, along the last axis.
        panels: How many there are below each other in the figure.
        note: What else to say below.
    """
    layout = NetworkMap(network, height=HEIGHT / panels)
    for image, extent in layout.node_image(colours):
        axes.imshow(image, extent=extent, interpolation="nearest", aspect="equal")
        left, right, bottom, top = extent
        axes.plot(
            [left, right, right, left, left],
            [top, top, bottom, bottom, top],
            color=FAINT,
            linewidth=0.5,
        )
    layout.frame(axes)
    cells = (
        f"; a router has {layout.nodes_per_router} cells side by side, its nodes"
        if isinstance(network, Torus) and layout.nodes_per_router > 1
        else ""
    )
    axes.text(
        0.5,
        -0.01,
        f"{layout.directions()}{cells}{note}",
        transform=axes.transAxes,
        ha="center",
        va="top",
        size=8.5,
        color=FAINT,
    )


def _ran(group: RunGroup) -> polars.DataFrame:
    columns = ("job_id", "start", "end", "tasks", "nodes")
    return group.first.jobs(*columns).filter(polars.col("start").is_not_null())


def _fullest(jobs: polars.DataFrame) -> float:
    """Returns the first moment at which the most nodes are busy, counting shared ones twice."""
    held = node_spans(jobs)
    counts = (
        held.with_columns((polars.col("last") - polars.col("first") + 1).alias("nodes"))
        .group_by("job")
        .agg(polars.col("nodes").sum())
        .sort("job")
    )
    rows = jobs[counts["job"].to_list()]
    change = polars.concat(
        [
            polars.DataFrame({"time": rows["start"], "by": counts["nodes"].cast(polars.Int64)}),
            polars.DataFrame({"time": rows["end"], "by": -counts["nodes"].cast(polars.Int64)}),
        ]
    )
    level = change.group_by("time").agg(polars.col("by").sum()).sort("time")
    busy = level["by"].cum_sum()
    return float(level["time"][int(busy.arg_max() or 0)])


def _owners(jobs: polars.DataFrame, nodes: int) -> NDArray[np.int64]:
    """Returns the job on each node, of several the one with the most tasks there; -1: none."""
    owner = np.full(nodes, -1, np.int64)
    most = np.zeros(nodes, np.int64)
    ids = jobs["job_id"].to_numpy()
    for job, first, last, tasks in node_spans(jobs).iter_rows():
        cells = slice(first, last + 1)
        more = tasks > most[cells]
        owner[cells][more] = ids[job]
        most[cells][more] = tasks
    return owner


def _handles(jobs: polars.DataFrame) -> list[Any]:
    """Returns what a legend says of the largest jobs."""
    from matplotlib.patches import Patch

    shown = jobs.sort("tasks", "job_id", descending=[True, False]).head(LARGEST)
    return [
        Patch(
            facecolor=tuple(job_colours(np.array([job]))[0] / 255),
            label=f"job {job}: {tasks:,} task{'' if tasks == 1 else 's'}",
        )
        for job, tasks in shown.select("job_id", "tasks").iter_rows()
    ]
