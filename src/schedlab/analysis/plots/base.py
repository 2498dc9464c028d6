"""The base class of plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from schedlab.analysis.groups import RunGroup


class Plot:
    """Base of a plot of your own, and of all built-in ones.

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

    name = ""
    title = ""
    needs: tuple[str, ...] = ("jobs",)
    size: tuple[float, float] = (8.0, 5.0)
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
        """Returns width and height in inches for so many groups."""
        return self.size

    def __str__(self) -> str:
        return self.name or f"{type(self).__module__}:{type(self).__qualname__}"
