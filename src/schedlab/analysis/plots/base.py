"""The base classes of plots: of all, and of those of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from schedlab.analysis.groups import RunGroup
from schedlab.analysis.style import MOST_GROUPS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Shown = TypeVar("Shown", contravariant=True)
"""What a picture is drawn of."""


class Picture(Generic[Shown]):
    """Base of all plots, whatever they are drawn of.

    The first line of the docstring is what `schedlab plot --list` says of it.

    Attributes:
        name: What people type; part of messages.
        title: Stands above the picture.
        size: Width and height in inches.
        shown_type: What it is drawn of.
    """

    name = ""
    title = ""
    shown_type: type = object
    size: tuple[float, float] = (8.0, 5.0)

    def draw(self, figure: Figure, shown: Shown) -> None:
        """Draws into an empty figure whose layout engine leaves room for the title.

        Args:
            figure: Where to; `figure.subplots()` makes axes.
            shown: What to draw.
        """
        raise NotImplementedError(f"{type(self).__name__} must define draw(figure, shown)")

    def size_for(self, shown: Shown) -> tuple[float, float]:
        """Returns width and height in inches."""
        return self.size

    def title_for(self, shown: Shown) -> str:
        """Returns what stands above the picture."""
        return self.title

    def subtitle(self, shown: Shown) -> str:
        """Returns what is shown, on one line."""
        raise NotImplementedError(f"{type(self).__name__} must define subtitle(shown)")

    def problem(self, shown: Shown) -> str | None:
        """Returns why this cannot be drawn; None where it can."""
        return None

    def __str__(self) -> str:
        return self.name or f"{type(self).__module__}:{type(self).__qualname__}"


class Plot(Picture[Sequence[RunGroup]]):
    """Base of a plot of runs: of your own, and of all built-in ones.

    The first line of the docstring is what `schedlab plot --list` says of it.

    Attributes:
        name: What people type; part of messages.
        title: Stands above the picture.
        needs: What every run must have: the tables "jobs" and "timeline"; "platform", processors
            with a speed; "power", "failures", "temperature"; "network", jobs that may run
            applications; "alone", how long these would have taken alone; "link-use", that
            additional data.
        size: Width and height in inches.
        least_jobs: Runs with fewer get it in a report only where it is asked for.
        most_jobs: Runs with more, likewise; None: there is no limit.
        least_days: Of simulated time, likewise.
    """

    needs: tuple[str, ...] = ("jobs",)
    least_jobs = 0
    most_jobs: int | None = None
    least_days = 0.0

    def draw(self, figure: Figure, groups: Sequence[RunGroup]) -> None:
        """Draws into an empty figure whose layout engine leaves room for the title.

        Args:
            figure: Where to; `figure.subplots()` makes axes.
            groups: What is compared, from 1 to 12 groups.
        """
        raise NotImplementedError(f"{type(self).__name__} must define draw(figure, groups)")

    def size_for(self, groups: Sequence[RunGroup]) -> tuple[float, float]:
        """Returns width and height in inches for N groups."""
        return self.size

    def subtitle(self, groups: Sequence[RunGroup]) -> str:
        from schedlab.analysis.plots.drawing import context

        return context(groups)

    def problem(self, groups: Sequence[RunGroup]) -> str | None:
        """Returns what a run lacks, or that there are too many groups; None: it can be drawn."""
        from schedlab.analysis.plots.runs.needs import lacking

        if len(groups) > MOST_GROUPS:
            return (
                f"{len(groups)} dispatchers are more than one picture can distinguish; "
                f"choose at most {MOST_GROUPS} of them"
            )
        results = [result for group in groups for result in group.results]
        problems = (lacking(need, result) for need in self.needs for result in results)
        return next((problem for problem in problems if problem is not None), None)
