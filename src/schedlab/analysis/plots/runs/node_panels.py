"""Panels with nodes from top to bottom and time from left to right, made by pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.analysis.groups import RunGroup
    from schedlab.analysis.plots.time_axis import TimeAxis


def node_panels(
    figure: Figure,
    groups: Sequence[RunGroup],
    axis: TimeAxis,
    meaning: str,
    below: Sequence[float] = (),
) -> Any:
    """Returns a panel per group, with its axes and labels, and further ones below them.

    Args:
        figure: Where to.
        groups: Of whose first runs nodes are shown; node 0 is at the top.
        axis: Of time, which all panels share.
        meaning: What colours mean; stands beside the label of the axis.
        below: Heights of further panels, where that of a group is 1.
    """
    from matplotlib.ticker import MaxNLocator

    panels = figure.subplots(
        len(groups) + len(below),
        1,
        sharex=True,
        squeeze=False,
        height_ratios=[*(1.0 for _ in groups), *below],
    )[:, 0]
    for axes, group in zip(panels, groups, strict=False):
        axes.set_ylim(group.results[0].run["system"]["nodes"], 0)
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10], integer=True))
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.grid(visible=False)
        if len(groups) > 1:
            axes.set_title(group.label, loc="left", size=9)
    axis.show(panels[-1], inches=7.5)
    panels[-1].set_xlabel(f"{panels[-1].get_xlabel()}; {meaning}")
    figure.supylabel("node", size=10)
    return panels


def panel_pixels(axes: Axes) -> tuple[int, int]:
    """Returns width and height of a panel in pixels, once its figure is laid out."""
    box = axes.get_window_extent()
    return max(round(box.width), 1), max(round(box.height), 1)
