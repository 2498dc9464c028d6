"""Plots of workloads: of one, or of several side by side; one file per family."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from schedlab.analysis.plots.registry import WORKLOADS as PLOTS
from schedlab.analysis.plots.registry import picture_named
from schedlab.analysis.plots.rendering import render
from schedlab.analysis.plots.workloads.base import ComparedWorkloads, WorkloadPlot
from schedlab.analysis.style import MOST_GROUPS, require_matplotlib
from schedlab.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from schedlab.analysis.workload_profile import Profile

__all__ = ["PLOTS", "WorkloadPlot", "draw", "drawable", "workload_plot"]


def workload_plot(name: str) -> WorkloadPlot:
    """Returns the plot of that name.

    Raises:
        InputError: There is no such plot.
    """
    return cast("WorkloadPlot", picture_named("workloads", name))


def drawable(profiles: Sequence[Profile], facts: Sequence[dict[str, Any]]) -> list[str]:
    """Returns the names of the plots for which these workloads have something to show."""
    shown = ComparedWorkloads(profiles, facts)
    return [name for name in PLOTS if workload_plot(name).problem(shown) is None]


def draw(
    name: str,
    profiles: Sequence[Profile],
    facts: Sequence[dict[str, Any]],
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
        facts: Their facts.
        file: Ends in .png, .svg or .pdf. It appears when it is whole.
        size: Width and height in inches, instead of the plot's own.
        dpi: Pixels per inch; 150, in SVG files 76.
        title: Instead of the plot's own.

    Raises:
        InputError: There is no such plot, nothing to show, or more than can be distinguished.
    """
    require_matplotlib()
    chosen = workload_plot(name)
    if len(profiles) > MOST_GROUPS:
        raise InputError(
            f"plot {name}: {len(profiles)} workloads are more than one picture can distinguish; "
            f"choose at most {MOST_GROUPS} of them"
        )
    shown = ComparedWorkloads(profiles, facts)
    return render(chosen, shown, file, size=size, dpi=dpi, title=title)
