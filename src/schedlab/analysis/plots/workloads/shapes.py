"""Which sizes run how long: what a model that draws them apart loses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy

from schedlab.analysis.plots.drawing import DURATIONS, axis_text
from schedlab.analysis.plots.workloads.base import WIDTH, WorkloadPlot, apart
from schedlab.analysis.style import FAINT, PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.analysis.plots.workloads.base import ComparedWorkloads
    from schedlab.analysis.workload_profile import Profile

COLUMNS = 3
SHADES = ("#E3EEF5", PALETTE[0], "#00263B")
"""From few jobs to many: darker is more, whatever colours are seen."""

CELLS = 28
"""Of run times, from the shortest to the longest."""


class SizeAndRunTime(WorkloadPlot):
    """Share of jobs by cores and run time together, a panel for each workload."""

    name = "size-and-run-time"
    title = "Sizes and run times"

    def problem(self, shown: ComparedWorkloads) -> str | None:
        some = any(len(_pairs(profile)[0]) for profile in shown.profiles)
        return None if some else "no job has both cores and a run time above 0"

    def size_for(self, shown: ComparedWorkloads) -> tuple[float, float]:
        return WIDTH, 1.0 + 3.0 * _grid(shown)[0]

    def draw(self, figure: Figure, shown: ComparedWorkloads) -> None:
        from matplotlib.colors import LinearSegmentedColormap, LogNorm

        colours = LinearSegmentedColormap.from_list("jobs", SHADES)
        pairs = [_pairs(profile) for profile in shown.profiles]
        cores, run = (numpy.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
        size_edges = 2.0 ** numpy.arange(
            math.floor(math.log2(cores.min())) - 0.5, math.ceil(math.log2(cores.max())) + 1.5
        )
        run_edges = numpy.geomspace(run.min() * 0.95, max(run.max(), run.min() * 10) * 1.05, CELLS)
        shares = []
        for sizes, times in pairs:
            counts = numpy.histogram2d(sizes, times, (size_edges, run_edges))[0]
            shares.append(counts / max(1.0, counts.sum()) * 100)
        highest = max(float(one.max()) for one in shares)
        lowest = min(float(one[one > 0].min()) for one in shares if one.any())
        norm = LogNorm(max(highest / 10_000, min(lowest, highest / 10)), highest)
        rows, columns = _grid(shown)
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        drawn: Any = None
        for place, (profile, share) in enumerate(zip(shown.profiles, shares, strict=True)):
            axes = grid[place // columns][place % columns]
            axes.set_title(_short(profile.label, 84 // columns), loc="left", pad=18)
            axes.grid(visible=False)
            if not share.sum():
                axes.text(0.5, 0.5, "no such jobs", transform=axes.transAxes, ha="center")
                continue
            seen = numpy.ma.masked_equal(share.T, 0.0)
            drawn = axes.pcolormesh(size_edges, run_edges, seen, norm=norm, cmap=colours)
            found = profile.facts["correlations"]["cores_and_run_time"]
            axes.annotate(
                "" if found is None else f"rank correlation {_signed(found)}",
                (0, 1),
                (0, 4),
                xycoords="axes fraction",
                textcoords="offset points",
                size=8.5,
                color=FAINT,
            )
        for place in range(len(shown.profiles), rows * columns):
            grid[place // columns][place % columns].set_axis_off()
        _scales(grid[0][0], size_edges, run_edges)
        for line, row in enumerate(grid):
            row[0].set_ylabel("run time")
            for column, axes in enumerate(row):
                below = (line + 1) * columns + column
                if below >= len(shown.profiles):  # nothing below: the axis is written here
                    axes.set_xlabel("cores")
                    axes.tick_params(axis="x", labelbottom=True)
        bar = figure.colorbar(drawn, ax=list(grid.flat), label="jobs (%)", shrink=0.9, pad=0.02)
        _plain_ticks(bar)


def _grid(shown: ComparedWorkloads) -> tuple[int, int]:
    """Returns how many rows and columns of panels there are."""
    count = len(shown.profiles)
    columns = count if count < COLUMNS else 2 if count == 4 else COLUMNS
    return math.ceil(count / columns), columns


def _pairs(profile: Profile) -> tuple[Any, Any]:
    cores, run = profile.columns.cores, profile.columns.run
    known = (cores > 0) & (run > 0)
    return cores[known], run[known]


def _short(label: str, most: int) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _signed(number: float) -> str:
    text = f"{number:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "\N{MINUS SIGN}")


def _scales(axes: Axes, sizes: Any, times: Any) -> None:
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log")
    powers = [2.0**power for power in range(-3, 40) if sizes[0] <= 2.0**power <= sizes[-1]]
    shown = powers[:: max(1, math.ceil(len(powers) / 6))]
    axes.set_xticks(shown, labels=[axis_text(tick) for tick in shown])
    ticks = [tick for tick in DURATIONS if times[0] <= tick <= times[-1]]
    ticks = apart(ticks, times[0], times[-1], 0.06)
    axes.set_yticks(ticks, labels=[DURATIONS[tick] for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlim(sizes[0], sizes[-1])
    axes.set_ylim(times[0], times[-1])


def _plain_ticks(bar: Any) -> None:
    from matplotlib.ticker import FuncFormatter, NullLocator

    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: axis_text(value)))
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.outline.set_visible(False)
