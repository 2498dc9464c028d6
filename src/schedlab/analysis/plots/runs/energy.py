"""What energy and node-hours went into: stacked bars by dispatcher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from schedlab.analysis.plots.base import Plot
from schedlab.analysis.plots.drawing import (
    legend,
    legend_inches,
    number_text,
    row_inches,
    say,
    wrapped,
)
from schedlab.analysis.style import FAINT, GRID, PALETTE
from schedlab.units import energy_unit, mass_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from schedlab.analysis.groups import RunGroup


class StackedPart(NamedTuple):
    """What a part of a bar looks like."""

    label: str
    colour: str
    hatch: str = ""


ENERGY = {
    "jobs": StackedPart("jobs", PALETTE[0]),
    "idle": StackedPart("idle nodes", PALETTE[4], "///"),
    "transitions": StackedPart("switching", PALETTE[1], "xxx"),
    "sleeping": StackedPart("asleep", PALETTE[5], "..."),
    "off": StackedPart("off", FAINT, "\\\\\\"),
}
"""Parts of the energy of a run, by their names in run.json."""

NODE_HOURS = {
    "useful": StackedPart("useful", PALETTE[0]),
    "checkpoint": StackedPart("writing checkpoints", PALETTE[5], "..."),
    "lost": StackedPart("lost with failures", PALETTE[1], "xxx"),
    "idle": StackedPart("idle", GRID, "///"),
    "down": StackedPart("down", FAINT, "\\\\\\"),
}
"""Parts of the node-hours of a run, by their names in run.json."""


class _Stacked(Plot):
    """A stacked bar per group, of parts that a metric of run.json has."""

    needs: tuple[str, ...] = ()
    parts: dict[str, StackedPart]
    metric = ""

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns a height by the number of groups."""
        row = row_inches(groups, 0.48)
        labels = [part.label for part in self.parts.values()]
        return 9.0, 1.45 + row * max(len(groups), 2) + legend_inches((), 9.0, labels)

    def scale(self, most: float) -> tuple[str, float]:
        """Returns the label of the axis, and what one on it is."""
        raise NotImplementedError

    def note(self, group: RunGroup) -> str:
        """Returns the text at the end of a bar."""
        raise NotImplementedError

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws the bars: means over the repetitions."""
        axes = figure.subplots()
        means = [
            {part: mean_of(group, self.metric, part) for part in self.parts} for group in groups
        ]
        most = max(sum(values.values()) for values in means)
        if most <= 0:
            say(axes, "no job ran")
            return
        shown = {name: p for name, p in self.parts.items() if any(v[name] > 0 for v in means)}
        label, factor = self.scale(most)
        for index, (group, values) in enumerate(zip(groups, means, strict=True)):
            reach = _draw_bar(axes, index, shown, {name: values[name] / factor for name in shown})
            axes.annotate(
                self.note(group),
                (reach, index),
                (6, 0),
                textcoords="offset points",
                va="center",
                size=8.5,
            )
        axes.set_yticks(range(len(groups)), [wrapped(group.label) for group in groups])
        axes.set_ylim(max(len(groups), 2) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        longest = max(len(line) for group in groups for line in self.note(group).split("\n"))
        inches = float(figure.get_size_inches()[0]) - 2.2
        room = min(0.6, (0.075 * longest + 0.15) / inches)
        axes.set_xlim(0, most / factor / (1 - room))
        axes.set_xlabel(label)
        axes.xaxis.set_major_formatter(_plain)
        from matplotlib.patches import Patch

        handles = [
            Patch(facecolor=p.colour, hatch=p.hatch, edgecolor="white", linewidth=0, label=p.label)
            for p in shown.values()
        ]
        legend(figure, (), more=handles)


def _plain(value: float, _: object) -> str:
    return f"{value:,.10g}"


def _draw_bar(
    axes: Axes, index: int, parts: dict[str, StackedPart], values: dict[str, float]
) -> float:
    """Draws the parts of a bar one after the other; returns where it ends."""
    left = 0.0
    for name, part in parts.items():
        axes.barh(
            index,
            values[name],
            0.6,
            left=left,
            color=part.colour,
            hatch=part.hatch,
            edgecolor="white",
            linewidth=0.4,
        )
        left += values[name]
    return left


def mean_of(group: RunGroup, metric: str, part: str) -> float:
    """Returns the mean over repetitions of a part of a metric; 0 where it has no such part."""
    values: list[Any] = [run.metrics[metric].get(part) or 0.0 for run in group.results]
    return float(np.mean(values))


class Energy(_Stacked):
    """Energy by dispatcher and use; cost and CO₂ where known."""

    name = "energy"
    title = "Energy by dispatcher"
    needs = ("power",)
    parts = ENERGY
    metric = "energy"

    def scale(self, most: float) -> tuple[str, float]:
        """Returns the unit of the largest bar."""
        unit, factor = energy_unit(most)
        return f"energy ({unit})", factor

    def note(self, group: RunGroup) -> str:
        """Returns energy in all, with cost and CO₂ where they are known."""
        total = mean_of(group, "energy", "total")
        unit, factor = energy_unit(total)
        text = f"{number_text(total / factor)} {unit}"
        energy = group.results[0].metrics["energy"]
        more = []
        if "cost" in energy:
            more.append(f"cost {number_text(mean_of(group, 'energy', 'cost'))}")
        if "carbon" in energy:
            more.append(f"{mass_text(mean_of(group, 'energy', 'carbon'))} CO₂")
        return "\n".join([text, ", ".join(more)]) if more else text


class NodeHours(_Stacked):
    """Node-hours by dispatcher: useful, lost, idle, down and so on."""

    name = "node-hours"
    title = "What became of the node-hours"
    needs = ("failures",)
    parts = NODE_HOURS
    metric = "node_hours"

    def scale(self, most: float) -> tuple[str, float]:
        """Returns node-hours."""
        return "node-hours from the first submission to the last end", 1.0

    def note(self, group: RunGroup) -> str:
        """Returns the shares of what was useful and of what was lost."""
        whole = sum(mean_of(group, "node_hours", part) for part in NODE_HOURS) or 1.0
        useful, lost = (mean_of(group, "node_hours", part) / whole for part in ("useful", "lost"))
        return f"{useful:.1%} useful\n{lost:.2%} lost"
