"""Draws the figures of examples/scsf_workloads.py, and works out the course of waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars

from schedlab.analysis.phases import (
    median_wait_by_minute,
    phase_windows,
    utilization_by_minute,
)
from schedlab.analysis.style import INK, look, styled
from schedlab.durations import HOUR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    import schedlab as sl
    from schedlab.workload.models.scsf import WorkloadModel


COURSE_HOURS = 4
"""Of submission, over which waits are averaged to see how they continue over time."""


def draw_utilization(runs: dict[str, list[sl.Result]], name_of_machine: str, file: str) -> None:
    """Draws the utilization of each minute, a strip per case: one seed, and the mean of all."""
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 1.7 * len(runs) + 0.7), layout="constrained")
        panels = figure.subplots(len(runs), 1, sharex=True)
        for index, (name, results) in enumerate(runs.items()):
            axes, style = panels[index], look(index)
            tables = [
                utilization_by_minute(result, phase_windows(result)["experiment"][1])
                for result in results
            ]
            hours = tables[0]["time"] / HOUR
            mean = np.mean([table["utilization"] for table in tables], axis=0)
            one = tables[0]["utilization"]
            axes.plot(hours, one * 100, color=style.colour, linewidth=0.6, alpha=0.55)
            axes.plot(hours, mean * 100, color=INK, linewidth=1.3)
            axes.set_title(name, loc="left")
            axes.set_ylim(-3, 104)
            axes.set_ylabel("cores in\nuse (%)")
            mark_phases(axes, results[0])
        panels[-1].set_xlabel("time (h); grey: fill and stabilization")
        panels[-1].set_xlim(0, None)
        figure.suptitle(
            f"Utilization of each minute, {name_of_machine} cores: one seed, in black the mean of "
            "several"
        )
        figure.savefig(file, dpi=120)


def draw_waits(
    runs: dict[str, list[sl.Result]], wished_hours: float, name_of_machine: str, file: str
) -> None:
    """Draws the median wait of the jobs of each minute, and the course over all seeds."""
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 2.4 * len(runs) + 0.7), layout="constrained")
        panels = figure.subplots(len(runs), 1, sharex=True, sharey=True)
        for index, (name, results) in enumerate(runs.items()):
            axes, style = panels[index], look(index)
            table = median_wait_by_minute(results[0])
            axes.plot(
                table["time"] / HOUR,
                table["median_wait"] / HOUR,
                style.marker,
                markersize=2.5,
                color=style.colour,
                alpha=0.5,
            )
            course = course_of_waits(results)
            middle = course["begin"] + COURSE_HOURS / 2
            axes.fill_between(
                middle, course["lowest"], course["highest"], color=INK, alpha=0.12, linewidth=0
            )
            axes.plot(middle, course["mean"], color=INK, linewidth=1.6)
            axes.axhline(wished_hours, color=INK, linewidth=0.8, linestyle="--")
            axes.set_title(name, loc="left")
            axes.set_ylabel("wait (h)")
            mark_phases(axes, results[0])
        panels[-1].set_xlabel("time of submission (h); grey: fill and stabilization")
        panels[-1].set_xlim(0, None)
        panels[-1].set_ylim(0, None)
        _legend_of_waits(figure, len(results))
        figure.suptitle(f"Wait by time of submission, {name_of_machine} cores, EASY")
        figure.savefig(file, dpi=120)


def _legend_of_waits(figure: Figure, seeds: int) -> None:
    """Draws what the marks of figure 12 are."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    dots = {"linestyle": "", "marker": look(1).marker, "markersize": 4}
    handles = [
        Line2D([], [], color=look(1).colour, label="median of each minute, one seed", **dots),
        Line2D([], [], color=INK, linewidth=1.6, label=f"mean of {COURSE_HOURS} h, {seeds} seeds"),
        Patch(facecolor=INK, alpha=0.12, label="from the lowest to the highest seed"),
        Line2D([], [], color=INK, linewidth=0.8, linestyle="--", label="desired"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))


def course_of_waits(results: list[sl.Result]) -> polars.DataFrame:
    """Returns mean waits in hours by time of submission, the jobs of the fill left out.

    Columns: `begin` of the hours, `mean` over the jobs of all seeds, and the means of the seeds
    with the `lowest` and the `highest`.
    """
    jobs = [
        result.jobs.filter(polars.col("phase") > 1).select(
            (polars.col("submit") // (COURSE_HOURS * HOUR) * COURSE_HOURS).alias("begin"),
            polars.col("wait") / HOUR,
            polars.lit(seed).alias("seed"),
        )
        for seed, result in enumerate(results)
    ]
    by_seed = (
        polars.concat(jobs)
        .group_by("begin", "seed")
        .agg(polars.len(), polars.col("wait").sum().alias("total"))
    )
    one = polars.col("total") / polars.col("len")
    return (
        by_seed.group_by("begin")
        .agg(
            (polars.col("total").sum() / polars.col("len").sum()).alias("mean"),
            one.min().alias("lowest"),
            one.max().alias("highest"),
        )
        .sort("begin")
        .collect()
    )


def draw_cumulative(
    axes: Axes, model: WorkloadModel, name: str, label: str, drawn: np.ndarray
) -> None:
    """Draws the shares of jobs up to each value, of the log and of what was generated."""
    unit = 60 if "(min)" in label else 1
    of = model.variables[name]
    other = type(of).of(drawn, of.bin_size, of.value)
    for index, one in enumerate((of, other)):
        style = look(index)
        axes.step(
            np.maximum(one.upper_edges / unit, 0.5),
            one.cumulative_counts / one.total,
            where="post",
            color=style.colour,
            linestyle=style.line,
            linewidth=2.6 - 1.2 * index,
        )
    axes.set_xscale("log")
    axes.set_xlabel(label)
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("share of jobs")


def panels_legend(figure: Figure) -> None:
    """Draws which line is which."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=look(i).colour, linestyle=look(i).line, label=label)
        for i, label in enumerate(("log", "generated"))
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def mark_phases(axes: Axes, result: sl.Result) -> None:
    """Draws what is before the experiment phase grey."""
    begin = phase_windows(result)["experiment"][0]
    axes.axvspan(0, begin / HOUR, color="#EEEEEE", zorder=0)
