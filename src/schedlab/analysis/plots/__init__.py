"""Plots by name: one file per family, and here how a name becomes a figure and a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from schedlab.analysis.groups import RunGroup, groups_of
from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.files import ending_of, new_figure, write_figure
from schedlab.analysis.plots.runs.needs import lacking
from schedlab.analysis.style import MOST_GROUPS, require_matplotlib, styled
from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.naming import build, not_taken, parse_call, part_class
from schedlab.trust import PERSON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

__all__ = ["PLOTS", "Plot", "plot", "plot_named"]

_HOME = "schedlab.analysis.plots.runs"

PLOTS = {
    "slowdown": f"{_HOME}.slowdown:Slowdown",
    "bounded-slowdown": f"{_HOME}.slowdown:BoundedSlowdown",
    "slowdown-by-size": f"{_HOME}.slowdown:SlowdownBySize",
    "wait-cdf": f"{_HOME}.waits:WaitCdf",
    "wait-heatmap": f"{_HOME}.waits:WaitHeatmap",
    "queue-size": f"{_HOME}.queue_size:QueueSize",
    "utilization": f"{_HOME}.over_time:Utilization",
    "free-nodes": f"{_HOME}.over_time:FreeNodes",
    "jobs-over-time": f"{_HOME}.over_time:JobsOverTime",
    "load-per-minute": f"{_HOME}.day:LoadPerMinute",
    "throughput": f"{_HOME}.throughput:Throughput",
    "gantt": f"{_HOME}.gantt:Gantt",
    "power": f"{_HOME}.power:Power",
    "energy": f"{_HOME}.energy:Energy",
    "clock": f"{_HOME}.power:Clock",
    "speed": f"{_HOME}.speed:Speed",
    "speed-map": f"{_HOME}.speed:SpeedMap",
    "failures": f"{_HOME}.failures:Failures",
    "node-hours": f"{_HOME}.energy:NodeHours",
    "temperature": f"{_HOME}.temperature:Temperature",
    "links": f"{_HOME}.links:LinkHeatMap",
    "link-use": f"{_HOME}.links:LinkUseOverTime",
    "placement": f"{_HOME}.placement:PlacementMap",
    "traffic": f"{_HOME}.traffic:Traffic",
    "network-slowdown": f"{_HOME}.network_slowdown:NetworkSlowdown",
    "cpu-time": f"{_HOME}.cost:CpuTime",
    "scalability": f"{_HOME}.cost:Scalability",
    "memory": f"{_HOME}.cost:Memory",
}
"""The built-in plots, in the order of a report."""


@explained
def plot(
    plot: str | Plot,
    runs: object,
    file: str | os.PathLike[str] | None = None,
    *,
    size: tuple[float, float] | None = None,
    dpi: float | None = None,
    title: str | None = None,
) -> Figure:
    """Returns a figure of some runs, and writes it to a file if one is named.

    Args:
        plot: A name, such as "slowdown" or "gantt(last=86400)"; `package.module:Class` or the name
            of an entry point in the group `schedlab.plots`; or a Plot.
        runs: A Result, the path of a run folder, a mapping from labels to one or several of them, a
            Comparison, or a list of these.
        file: Ends in .png, .svg or .pdf. It appears when it is whole.
        size: Width and height in inches, instead of the plot's own.
        dpi: Pixels per inch; 150, in SVG files 76.
        title: Instead of the plot's own.

    Raises:
        InputError: There is no such plot or run, a run lacks a table, or there are too many groups.
    """
    require_matplotlib()
    chosen = plot_named(plot)
    ending = ending_of(file)
    groups = groups_of(runs)
    _require(chosen, groups)
    # Names of machines and dispatchers are texts, whatever signs are in them; plots of others may
    # write formulas.
    with styled(formulas=not type(chosen).__module__.startswith("schedlab.")):
        from schedlab.analysis.plots.drawing import context, heading

        figure = new_figure(chosen.size_for(groups) if size is None else size, ending, dpi)
        heading(figure, chosen.title if title is None else title, context(groups))
        try:
            chosen.draw(figure, groups)
        except InputError:
            raise
        except Exception as error:
            error.add_note(f"plot {chosen}")  # so that the command line can say whose it was
            raise
        if file is not None:
            write_figure(figure, os.fsdecode(file), ending)
    return figure


def plot_named(given: str | Plot) -> Plot:
    """Returns the plot of that name, or the given one.

    Raises:
        InputError: The name or an argument is not known.
    """
    if isinstance(given, Plot):
        return given
    if not isinstance(given, str):
        hint = f"; did you mean {given.__name__}()?" if isinstance(given, type) else ""
        raise InputError(f"a plot is a name or a schedlab.Plot, not {given!r}{hint}")
    name, arguments = parse_call(given, "plot")
    if name not in PLOTS:
        return cast("Plot", build("plot", given, Plot, tuple(PLOTS), origin=PERSON))
    import inspect

    known = inspect.signature(part_class("plot", name, Plot, PLOTS, PERSON)).parameters
    for key in arguments:
        if key not in known:
            raise not_taken("plot", given, key, tuple(known))
    try:
        return cast("Plot", build("plot", given, Plot, PLOTS, origin=PERSON))
    except InputError as error:
        raise InputError(f"plot {given!r}: {error}") from None


def _require(chosen: Plot, groups: Sequence[RunGroup]) -> None:
    """Raises InputError where a run lacks something, or where there are too many groups."""
    if len(groups) > MOST_GROUPS:
        raise InputError(
            f"plot {chosen}: {len(groups)} dispatchers are more than one picture can tell apart; "
            f"choose at most {MOST_GROUPS} of them"
        )
    for need in chosen.needs:
        for result in (result for group in groups for result in group.results):
            problem = lacking(need, result)
            if problem is not None:
                raise InputError(f"plot {chosen}: {problem}")
