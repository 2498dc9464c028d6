"""Pictures of workloads by name: of one, or of several side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from schedlab.analysis.plots.drawing import heading
from schedlab.analysis.plots.files import ending_of, new_figure, write_figure
from schedlab.analysis.plots.workloads.autocorrelation import Autocorrelation
from schedlab.analysis.plots.workloads.base import WorkloadPlot
from schedlab.analysis.plots.workloads.calendar import Calendar
from schedlab.analysis.plots.workloads.distributions import Distances, Distributions
from schedlab.analysis.plots.workloads.load import Load
from schedlab.analysis.plots.workloads.shapes import SizeAndRunTime
from schedlab.analysis.plots.workloads.simulated import Simulated
from schedlab.analysis.plots.workloads.users import Users
from schedlab.analysis.style import MOST_GROUPS, require_matplotlib, styled
from schedlab.errors import InputError
from schedlab.naming import unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.analysis.workload_profile import Profile

__all__ = ["PLOTS", "WorkloadPlot", "draw", "drawable"]

PLOTS: dict[str, type[WorkloadPlot]] = {
    "distances": Distances,
    "distributions": Distributions,
    "calendar": Calendar,
    "load": Load,
    "autocorrelation": Autocorrelation,
    "users": Users,
    "size-and-run-time": SizeAndRunTime,
    "simulated": Simulated,
}
"""The plots, in the order of an overview."""


def drawable(profiles: Sequence[Profile], workloads: Sequence[dict[str, Any]]) -> list[str]:
    """Returns the names of the plots for which these workloads have something to show."""
    return [name for name, kind in PLOTS.items() if kind(profiles, workloads).empty() is None]


def draw(
    name: str,
    profiles: Sequence[Profile],
    workloads: Sequence[dict[str, Any]],
    file: str | os.PathLike[str] | None = None,
    *,
    size: tuple[float, float] | None = None,
    dpi: float | None = None,
    title: str | None = None,
) -> Figure:
    """Returns a figure of workloads, and writes it to a file if one is named.

    Args:
        name: Of PLOTS.
        profiles: The workloads, the real one first.
        workloads: Their facts.
        file: Ends in .png, .svg or .pdf. It appears when it is whole.
        size: Width and height in inches, instead of the plot's own.
        dpi: Pixels per inch; 150, in SVG files 76.
        title: Instead of the plot's own.

    Raises:
        InputError: There is no such plot, nothing to show, or more than can be told apart.
    """
    require_matplotlib()
    if name not in PLOTS:
        raise unknown("plot of workloads", name, tuple(PLOTS))
    if len(profiles) > MOST_GROUPS:
        raise InputError(
            f"plot {name}: {len(profiles)} workloads are more than one picture can tell apart; "
            f"choose at most {MOST_GROUPS} of them"
        )
    ending = ending_of(file)
    plot = PLOTS[name](profiles, workloads)
    reason = plot.empty()
    if reason is not None:
        raise InputError(f"plot {name}: {reason}")
    with styled(formulas=False):
        figure = new_figure(plot.inches() if size is None else size, ending, dpi)
        heading(figure, plot.title if title is None else title, _context(profiles))
        plot.draw(figure)
        if file is not None:
            write_figure(figure, os.fsdecode(file), ending)
    return figure


def _context(profiles: Sequence[Profile]) -> str:
    """Returns what is shown, on one line."""
    first = profiles[0]
    jobs = f"{first.columns.jobs:,} job" + ("" if first.columns.jobs == 1 else "s")
    others = len(profiles) - 1
    if not others:
        return f"{first.label} · {jobs}"
    if others == 1:
        other = profiles[1]
        return f"{first.label} ({jobs}) and {other.label} ({other.columns.jobs:,})"
    return f"{first.label} ({jobs}) and {others} others"
