"""Box and whisker plots of distributions that were summed up elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from schedlab.analysis.plots.drawing import number_text, numeric_axis, say, wrapped
from schedlab.analysis.style import FAINT, INK, look

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Box(NamedTuple):
    """A distribution in six numbers: quantiles at 5, 25, 50, 75 and 95 %, and the mean."""

    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float
    mean: float


def box_of(values: polars.Series) -> Box | None:
    """Returns the box of values, by linear interpolation between them; None without values."""
    array = values.drop_nulls().to_numpy()
    array = array[np.isfinite(array)]
    if not len(array):
        return None
    return Box(*map(float, (*np.quantile(array, QUANTILES), array.mean())))


def weighted_box(values: NDArray[np.float64], weights: NDArray[np.float64]) -> Box | None:
    """Returns the box of weighted values; None where nothing weighs.

    A quantile is the smallest value up to which at least that share of the weight lies.
    """
    total = float(weights.sum())
    if not len(values) or total <= 0:
        return None
    distinct, index = np.unique(values, return_inverse=True)
    reached = np.cumsum(np.bincount(index, weights=weights)) / total
    places = np.searchsorted(reached, np.array(QUANTILES) - 1e-12, side="left")
    chosen = distinct[np.minimum(places, len(distinct) - 1)]
    return Box(*map(float, (*chosen, (values * weights).sum() / total)))


def draw_boxes(
    axes: Axes,
    boxes: Sequence[Box | None],
    labels: Sequence[str],
    *,
    xlabel: str,
    empty: str,
    limits: tuple[float, float] | None = None,
    numbers: bool = True,
    ticks: int = 7,
) -> None:
    """Draws a horizontal box for each label, the first one at the top.

    Args:
        axes: Where to.
        boxes: One for each label; None where there is nothing.
        labels: At the left.
        xlabel: Name and unit of the values.
        empty: What to say if there is no box at all.
        limits: Lowest and highest value of the axis, where several axes share them.
        numbers: Whether to write median, mean and 95 % at the right.
        ticks: At most about N.
    """
    present = [box for box in boxes if box is not None]
    if not present:
        say(axes, empty)
        return
    for index, box in enumerate(boxes):
        if box is not None:
            _draw_box(axes, box, index)
    axes.set_yticks(range(len(labels)), [wrapped(label) for label in labels])
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    lowest, highest = limits or box_limits(present)
    numeric_axis(axes, "x", lowest, highest, ticks)
    axes.set_xlabel(xlabel)
    if numbers:
        _write_numbers(axes, boxes)


def box_limits(boxes: Sequence[Box | None]) -> tuple[float, float]:
    """Returns the lowest and the highest value that the boxes show."""
    present = [box for box in boxes if box is not None]
    return min(min(box) for box in present), max(max(box) for box in present)


def _draw_box(axes: Axes, box: Box, index: int) -> None:
    style = look(index)
    low, quarter, median, three_quarters, high, mean = box
    statistics: dict[str, Any] = {
        **{"whislo": low, "q1": quarter, "med": median, "q3": three_quarters, "whishi": high},
        **{"mean": mean, "fliers": []},
    }
    axes.bxp(
        [statistics],
        positions=[index],
        widths=0.56,
        orientation="horizontal",
        showmeans=True,
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": _tint(style.colour), "edgecolor": style.colour, "linewidth": 1.2},
        whiskerprops={"color": style.colour, "linewidth": 1.2},
        capprops={"color": style.colour, "linewidth": 1.2},
        medianprops={"color": INK, "linewidth": 2.0, "solid_capstyle": "butt"},
        meanprops={
            **{"marker": "D", "markerfacecolor": "white", "markeredgecolor": INK},
            **{"markersize": 5.5, "markeredgewidth": 1.1},
        },
    )


def _tint(colour: str, share: float = 0.35) -> tuple[float, float, float]:
    """Returns a light shade of the colour."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def _write_numbers(axes: Axes, boxes: Sequence[Box | None]) -> None:
    """Writes median, mean and 95 % in columns right of the axes."""
    for column, (name, field) in enumerate((("median", 2), ("mean ◇", 5), ("95 %", 4))):
        points = 44.0 * (column + 1)
        axes.annotate(
            name,
            (1.0, 1.0),
            (points, 2.0),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            va="bottom",
            size=8.5,
            color=FAINT,
        )
        for index, box in enumerate(boxes):
            axes.annotate(
                "-" if box is None else number_text(box[field]),
                (1.0, index),
                (points, 0.0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha="right",
                va="center",
                size=9,
            )
