"""What plots share: headings, legends, labels, axes of time, and how numbers are written."""

from __future__ import annotations

import math
import os
import textwrap
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from schedlab.analysis.style import FAINT, look
from schedlab.durations import DAY, HOUR, MINUTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from schedlab.analysis.groups import RunGroup


class Labelled(Protocol):
    """What has a place in a legend: a group of runs, a workload."""

    @property
    def label(self) -> str: ...


TITLE_INCHES, CONTEXT_INCHES, MARGIN_INCHES = 0.26, 0.22, 0.08

DURATIONS = {
    **{0.001: "1 ms", 0.01: "10 ms", 0.1: "0.1 s", 1.0: "1 s", 10.0: "10 s"},
    **{1.0 * MINUTE: "1 min", 10.0 * MINUTE: "10 min", 1.0 * HOUR: "1 h", 10.0 * HOUR: "10 h"},
    **{10.0**power * DAY: f"{10**power:,} d" for power in range(5)},
}
"""Ticks of a logarithmic axis of durations, in seconds."""

POINTS = 300
"""At which a distribution is drawn; the values there are exact."""


def heading(figure: Figure, title: str, facts: str) -> None:
    """Writes the title, and below it what is shown, at the top, and leaves room for them."""
    width, height = figure.get_size_inches()
    left = MARGIN_INCHES / width
    characters = int((width - 2 * MARGIN_INCHES) / 0.105)
    lines = textwrap.wrap(title, characters)
    top = height - MARGIN_INCHES / 2
    if lines:
        figure.text(
            left, top / height, "\n".join(lines), va="top", size=12, weight="bold", parse_math=False
        )
        top -= TITLE_INCHES * len(lines)
    facts = textwrap.shorten(facts, int((width - 2 * MARGIN_INCHES) / 0.078))
    figure.text(left, top / height, facts, va="top", size=9, color=FAINT, parse_math=False)
    top -= CONTEXT_INCHES
    engine: Any = figure.get_layout_engine()
    engine.set(rect=(0, 0, 1, max(top / height, 0.2)), w_pad=0.06, h_pad=0.05)


def lay_out(figure: Figure) -> None:
    """Gives panels their places and sizes, as drawing does before anything else."""
    engine = figure.get_layout_engine()
    if engine is not None and figure.axes:
        with suppress(ValueError):  # as in matplotlib: where there is no room, places stay
            engine.execute(figure)


def context(groups: Sequence[RunGroup]) -> str:
    """Returns what was simulated, on one line."""
    runs = [result.run for group in groups for result in group.results]
    workloads = {os.path.basename(run["workload"]["path"] or "jobs from Python") for run in runs}
    systems = {run["system"]["name"] for run in runs}
    jobs = {run["counts"]["submitted"] for run in runs}
    repetitions = {len(group.results) for group in groups}
    parts = [groups[0].label] if len(groups) == 1 else []
    workload = workloads.pop() if len(workloads) == 1 else f"{len(workloads)} workloads"
    system = systems.pop() if len(systems) == 1 else f"{len(systems)} systems"
    parts.append(f"{workload} on {system}" if system else workload)
    phases = sorted({run["phase"] for run in runs if "phase" in run})
    parts.extend(f"{phase} phase" for phase in phases)
    if len(jobs) == 1:
        number = jobs.pop()
        parts.append(f"{number:,} job" + ("" if number == 1 else "s"))
    most = max(repetitions)
    if most > 1:
        parts.append(
            f"{most} repetitions" if len(repetitions) == 1 else f"up to {most} repetitions"
        )
    for status in ("interrupted", "failed"):
        early = sum(run["status"] == status for run in runs)
        if early:
            parts.append(status if len(runs) == 1 else f"{early} runs {status}")
    return " · ".join(parts)


def wrapped(label: str, width: int = 20) -> str:
    """Returns a label in lines of about N characters."""
    return "\n".join(textwrap.wrap(label, width, break_on_hyphens=False)) or label


def row_inches(groups: Sequence[Labelled], least: float, width: int = 20) -> float:
    """Returns how high a row must be, so that the longest label fits beside it."""
    lines = max(wrapped(group.label, width).count("\n") + 1 for group in groups)
    return max(least, 0.16 * lines + 0.08)


def _legend_rows(labels: Sequence[str], width: float) -> int:
    longest = max(map(len, labels))
    fitting = max(1, int(width / (0.085 * longest + 0.65)))
    return math.ceil(len(labels) / fitting)


def draw_share(
    axes: Axes, index: int, label: str, places: NDArray[np.float64], share: NDArray[np.float64]
) -> None:
    """Draws the curve of a group: the share of its jobs, in percent, at each of POINTS places."""
    style = look(index)
    axes.step(
        places,
        share,
        where="post",
        color=style.colour,
        linestyle=style.line,
        marker=style.marker,
        markevery=(index * 7, POINTS // 5),
        markerfacecolor="white",
        label=label,
    )


def draw_stairs(
    axes: Axes,
    values: NDArray[np.float64],
    places: NDArray[Any],
    baseline: NDArray[np.float64] | float | None = None,
    fill: bool = False,
    color: Any = None,
    **options: Any,
) -> Any:
    """Draws a curve of steps, or the area down to a baseline, and returns it.

    `Axes.stairs` does the same, but it looks for bends in each step, which takes longer than all
    else about a curve.

    Args:
        axes: Where to.
        values: Heights of the steps.
        places: Where steps begin, and where the last one ends.
        baseline: Where the area ends below; None: there is a line only.
        fill: Whether the area is filled.
        color: Of the area, or else of the line.
        options: Further properties of the patch.
    """
    from matplotlib.patches import StepPatch

    if color is not None:
        options["facecolor" if fill else "edgecolor"] = color
    if fill:
        options.setdefault("linewidth", 0)
    made: Any = StepPatch  # whose types are too narrow
    drawn = made(values, places, baseline=baseline, fill=fill, **options)
    axes.add_artist(drawn)
    axes.update_datalim(drawn.get_path().vertices)
    if baseline is not None:
        lowest = float(np.min(baseline))
        drawn.sticky_edges.y.append(lowest)
        axes.update_datalim([(places[0], lowest)])
    return drawn


def legend_inches(groups: Sequence[Labelled], width: float, more: Sequence[str] = ()) -> float:
    """Returns how high the legend is in a figure of that width, with labels of more than groups."""
    labels = [*(group.label for group in groups if len(groups) > 1), *more]
    return 0.19 * _legend_rows(labels, width) + 0.1 if labels else 0.0


def legend(
    figure: Figure,
    groups: Sequence[Labelled],
    marker: bool = False,
    bars: bool = False,
    skip: int = 0,
    more: Sequence[Any] = (),
) -> None:
    """Draws a legend of the groups at the bottom; a single group is not in it.

    Args:
        figure: Where to.
        groups: What is distinguished.
        marker: Whether lines have markers.
        bars: Whether groups are bars, not lines.
        skip: N groups at the beginning are not in the picture.
        more: Handles of what else is in the picture.
    """
    if len(groups) < 2 and not more:
        return
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for index, group in enumerate(groups[skip:] if len(groups) > 1 else (), skip):
        style = look(index)
        if bars:
            handles.append(
                Patch(
                    facecolor=style.colour,
                    alpha=0.75,
                    hatch=style.hatch,
                    edgecolor="white",
                    linewidth=0,
                    label=group.label,
                )
            )
            continue
        handles.append(
            Line2D(
                [],
                [],
                color=style.colour,
                linestyle=style.line,
                marker=style.marker if marker else "",
                label=group.label,
            )
        )
    handles += more
    labels = [str(handle.get_label()) for handle in handles]
    rows = _legend_rows(labels, float(figure.get_size_inches()[0]))
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=math.ceil(len(handles) / rows),
        handlelength=3.2,
        borderaxespad=0.2,
    )


def say(axes: Axes, text: str) -> None:
    """Writes into empty axes why they are empty."""
    axes.text(
        0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=FAINT, size=10
    )
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)


def number_text(value: float) -> str:
    """Returns a number with three significant digits, or all of its whole ones."""
    if not math.isfinite(value):
        return "-"
    if abs(value) >= 1e7:
        return f"{value:.2g}"
    if value == int(value):
        return f"{value:,.0f}"
    digits = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:,.{digits}f}"


def numeric_axis(axes: Axes, which: str, lowest: float, highest: float, ticks: int = 7) -> None:
    """Makes an axis logarithmic where its values span decades, with plain numbers.

    Args:
        axes: Of which.
        which: "x" or "y".
        lowest: The smallest value; at 0 or below, the axis is linear up to 1 and logarithmic above.
        highest: The largest value.
        ticks: At most about N.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    axis = getattr(axes, f"{which}axis")
    set_scale, set_limits = getattr(axes, f"set_{which}scale"), getattr(axes, f"set_{which}lim")
    if lowest <= 0 and highest > 20:
        set_scale("symlog", linthresh=1, linscale=0.4)
        decades = range(math.ceil(math.log10(highest)) + 1)
        step = max(1, math.ceil(len(decades) / (ticks - 1)))
        axis.set_ticks([0, *(10.0**decade for decade in decades[::step])])
        axis.set_minor_locator(NullLocator())
        set_limits(-0.15, highest * 1.5)
    elif lowest > 0 and highest / lowest > 30:
        set_scale("log")
        steps = (1.0, 2.0, 5.0) if highest / lowest < 200 and ticks > 5 else (1.0,)
        axis.set_major_locator(LogLocator(subs=steps, numticks=ticks + 4))
        axis.set_minor_locator(NullLocator())
        set_limits(lowest / 1.25, highest * 1.4)
    else:
        axis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
        highest = highest or 1.0
        span = (highest - lowest) or abs(highest)
        low = 0.0 if 0 <= lowest <= span else lowest - 0.05 * span
        set_limits(low, highest + 0.06 * span)
    axis.set_major_formatter(FuncFormatter(lambda value, _: axis_text(value)))


def axis_text(value: float) -> str:
    """Returns the text of a tick: 0.001, 0.5, 20, 5,000, 10⁶."""
    if value and (abs(value) >= 1e6 or abs(value) < 1e-4):
        exponent = math.floor(math.log10(abs(value)) + 1e-9)
        factor = value / 10**exponent
        front = "" if math.isclose(factor, 1) else f"{factor:g}·"
        return f"{front}10{str(exponent).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
    return f"{value:,.10g}"


def duration_axis(axes: Axes, which: str, lowest: float, highest: float, ticks: int = 12) -> None:
    """Makes an axis of seconds logarithmic, with ticks such as 10 s, 1 h and 1 d."""
    from matplotlib.ticker import NullLocator

    axis = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}scale")("log")
    inside = [tick for tick in DURATIONS if lowest <= tick <= highest]
    shown = inside[:: max(1, math.ceil(len(inside) / ticks))]
    axis.set_ticks(shown, labels=[DURATIONS[tick] for tick in shown])
    axis.set_minor_locator(NullLocator())
    getattr(axes, f"set_{which}lim")(lowest, highest)
