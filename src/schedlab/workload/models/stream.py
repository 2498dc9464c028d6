"""Streams of jobs that are drawn: what models of workloads are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedlab.workload.distributions.special_functions import Array
    from schedlab.workload.models.cycle import Cycle

ROWS = 8_192
"""Jobs that a stream draws at a time: always N, that a job never depends on how many more
are asked for."""


class Block(NamedTuple):
    """Jobs of a stream, ROWS of them.

    Attributes:
        gaps: Seconds between each job and the one before, if the cycle had no ups and downs.
        columns: Of the job table; `run` and `allocated_processors` are among them.
    """

    gaps: Array
    columns: dict[str, Array]

    @property
    def work(self) -> Array:
        """Processor seconds of each job."""
        return self.columns["run"] * self.columns["allocated_processors"]


class Stream:
    """Jobs of one kind without end, in order of submission.

    Attributes:
        cycle: When they are submitted; None: at any time alike.
        drops_fractions: Whether the fraction of a second of every gap is dropped, so that all
            later jobs come earlier by it.
    """

    cycle: Cycle | None = None
    drops_fractions: bool = False

    def blocks(self, seed: str | int) -> Iterator[Block]:
        """Yields jobs, without end; the same for the same seed."""
        raise NotImplementedError(f"{type(self).__name__} must define blocks(seed)")

    def moments(self, points: Array) -> Array:
        """Returns when N points have passed, in seconds."""
        return points if self.cycle is None else self.cycle.times(points)

    def points(self, moments: Array) -> Array:
        """Returns the points that have passed by these moments."""
        return moments if self.cycle is None else self.cycle.points(moments)
