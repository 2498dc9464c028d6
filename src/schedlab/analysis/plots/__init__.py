"""Plots of runs by name; `registry` has those of workloads, networks and platforms, too."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from schedlab.analysis.groups import groups_of
from schedlab.analysis.plots.base import Picture, Plot
from schedlab.analysis.plots.picture_files import ending_of
from schedlab.analysis.plots.registry import DRAWN_BY, drawn_of, picture_named
from schedlab.analysis.plots.registry import RUNS as PLOTS
from schedlab.analysis.plots.rendering import render
from schedlab.analysis.style import require_matplotlib
from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.naming import build, parse_call
from schedlab.trust import PERSON

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PLOTS", "Plot", "plot", "plot_named"]


@explained
def plot(
    plot: str | Picture[Any],
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
            Comparison, or a list of these; for plots of something else, that.
        file: Ends in .png, .svg or .pdf. It appears when it is whole.
        size: Width and height in inches, instead of the plot's own.
        dpi: Pixels per inch; 150, in SVG files 76.
        title: Instead of the plot's own.

    Raises:
        InputError: There is no such plot or run, a run lacks a table, or there are too many groups.
    """
    require_matplotlib()
    chosen = _chosen(plot)
    ending_of(file)  # what is wrong with it is said before runs are looked at
    shown = groups_of(runs) if isinstance(chosen, Plot) else runs
    if not isinstance(shown, chosen.shown_type):
        wanted = chosen.shown_type.__name__
        raise InputError(f"plot {chosen}: is drawn of a {wanted}, not of {shown!r}")
    return render(chosen, shown, file, size=size, dpi=dpi, title=title)


def _chosen(given: str | Picture[Any]) -> Picture[Any]:
    if isinstance(given, Picture):
        return given
    kind = drawn_of(given)
    return plot_named(given) if kind in (None, "runs") else picture_named(kind, given)


def plot_named(given: str | Plot) -> Plot:
    """Returns the plot of runs of that name, or the given one.

    Raises:
        InputError: The name or an argument is not known.
    """
    if isinstance(given, Plot):
        return given
    if not isinstance(given, str):
        hint = f"; did you mean {given.__name__}()?" if isinstance(given, type) else ""
        raise InputError(f"a plot is a name or a schedlab.Plot, not {given!r}{hint}")
    name = parse_call(given, "plot")[0]
    kind = drawn_of(name)
    if kind not in (None, "runs"):
        raise InputError(f"plot {name!r}: is drawn of {kind}, by {DRAWN_BY[kind]}")
    return cast("Plot", build("plot", given, Plot, PLOTS, origin=PERSON, prefixed=True))
