"""Slowdown: how much longer a job took than it ran, per dispatcher and by size of the job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import polars

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import row_inches, say
from schedlab.analysis.plots.runs.boxes import Box, box_limits, box_of, draw_boxes
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from schedlab.analysis.groups import RunGroup

LABELS = {
    "slowdown": "slowdown: (wait + run) / run",
    "bounded_slowdown": "bounded slowdown: max(1, (wait + run) / max(run, 10 s))",
}


class Slowdown(Plot):
    """Slowdown of jobs, a box per dispatcher."""

    name = "slowdown"
    title = "Slowdown of jobs"
    column: ClassVar[str] = "slowdown"

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        return 8.0, 1.5 + row_inches(groups, 0.42) * max(len(groups), 2)

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a box per group."""
        boxes = [box_of(group.schedules.jobs(self.column)[self.column]) for group in groups]
        draw_boxes(
            figure.subplots(),
            boxes,
            [group.label for group in groups],
            xlabel=LABELS[self.column],
            empty=f"no job that ran has a {self.column.replace('_', ' ')}",
        )


class BoundedSlowdown(Slowdown):
    """Bounded slowdown of jobs: runs below 10 s count as 10 s."""

    name = "bounded-slowdown"
    title = "Bounded slowdown of jobs"
    column = "bounded_slowdown"


class SlowdownBySize(Plot):
    """Slowdown by number of tasks: 1, 2 to 4, 5 to 16 and so on.

    Args:
        metric: "slowdown" or "bounded-slowdown".
    """

    name = "slowdown-by-size"
    title = "Slowdown by size of the job"
    least_jobs = 50

    def __init__(self, metric: str = "slowdown") -> None:
        self.column = str(metric).replace("-", "_")
        if self.column not in LABELS:
            raise InputError(f"metric must be slowdown or bounded-slowdown, not {metric!r}")
        self.title = f"{self.column.replace('_', ' ').capitalize()} by size of the job"

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups and of size classes."""
        largest = max(_largest(group) for group in groups)
        rows = math.ceil(min(_class_of(largest) + 1, 12) / 3)
        return 9.0, 1.2 + rows * (0.55 + row_inches(groups, 0.26) * max(len(groups), 2))

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws a panel per class of sizes that occurs, with a box per group."""
        by_class: dict[int, list[Box | None]] = {}
        counts: dict[int, int] = {}
        for index, group in enumerate(groups):
            jobs = group.schedules.jobs("tasks", self.column).drop_nulls()
            classes = jobs.with_columns(size_class(polars.col("tasks")).alias("class"))
            for (number,), part in classes.partition_by("class", as_dict=True).items():
                boxes = by_class.setdefault(int(number), [None] * len(groups))
                boxes[index] = box_of(part[self.column])
                counts[int(number)] = max(counts.get(int(number), 0), part.height)
        shown = sorted(by_class)
        if not shown:
            say(figure.subplots(), f"no job that ran has a {self.column.replace('_', ' ')}")
            return
        columns = min(3, len(shown))
        rows = math.ceil(len(shown) / columns)
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        limits = box_limits([box for boxes in by_class.values() for box in boxes])
        for place, number in enumerate(shown):
            axes = panels[place // columns][place % columns]
            draw_boxes(
                axes,
                by_class[number],
                [group.label for group in groups],
                xlabel="",
                empty="",
                limits=limits,
                numbers=False,
                ticks=5,
            )
            many = f"{counts[number]:,} job" + ("s" if counts[number] > 1 else "")
            axes.set_title(f"{class_name(number)}  ({many})", loc="left", size=9)
            axes.tick_params(labelbottom=place + columns >= len(shown))
        for place in range(len(shown), rows * columns):
            panels[place // columns][place % columns].set_axis_off()
        figure.supxlabel(LABELS[self.column], size=10)


def size_class(tasks: polars.Expr) -> polars.Expr:
    """Returns the class of a number of tasks: 0 for 1, 1 for 2 to 4, 2 for 5 to 16 and so on."""
    # In whole numbers: a logarithm of 4 is rounded, and the edges would be on the wrong side.
    number = polars.lit(0)
    for power in range(16):
        number = number + (tasks > 4**power).cast(polars.Int32)
    return number


def _class_of(tasks: int) -> int:
    return sum(tasks > 4**power for power in range(16))


def class_name(number: int) -> str:
    """Returns what sizes a class holds, such as `5 to 16 tasks`."""
    return "1 task" if number == 0 else f"{4 ** (number - 1) + 1:,} to {4**number:,} tasks"


def _largest(group: RunGroup) -> int:
    value = group.first.jobs(polars.col("tasks").max())["tasks"][0]
    return int(value) if value is not None else 1
