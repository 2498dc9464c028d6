"""Patterns: what is inserted when a trigger goes off (ScSF, section 3.4)."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol

import polars

from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np


class Member(Protocol):
    """What becomes jobs: a `Workflow`, a `PlainJob`, or your own class with this method."""

    def as_jobs(
        self, first_job: int, submit: float, workflow_number: int, handling: str
    ) -> polars.DataFrame:
        """Returns its jobs as rows of a job table, numbered from `first_job` on."""


class PlainJob:
    """A single job of a pattern.

    Args:
        cores: How many it asks for.
        run: Seconds that it runs.
        requested: Seconds that it asks for; None: as long as it runs.
    """

    def __init__(self, cores: int, run: float, requested: float | None = None) -> None:
        if not (cores >= 1 and run >= 0):
            raise InputError(f"a job needs cores and a run time, not {cores!r} and {run!r}")
        self.cores, self.run = cores, run
        self.requested = run if requested is None else requested

    def as_jobs(
        self, first_job: int, submit: float, workflow_number: int, handling: str
    ) -> polars.DataFrame:
        """Returns the job; its column `workflow` says of which insertion it is."""
        return self.job_rows(handling).with_columns(
            job=polars.lit(float(first_job)),
            submit=polars.lit(float(submit)),
            workflow=polars.lit(float(workflow_number)),
        )

    def job_rows(self, handling: str) -> polars.DataFrame:
        """Returns the job with the number 0, submitted at 0."""
        return polars.DataFrame(
            {
                "job": [0.0],
                "submit": [0.0],
                "run": [float(self.run)],
                "requested_processors": [float(self.cores)],
                "requested_time": [float(self.requested)],
                "workflow": [0.0],
            }
        )


class Pattern:
    """Base of a pattern of your own, and of all built-in ones."""

    def members(self, time: float, random: np.random.Generator) -> Iterator[tuple[float, Member]]:
        """Yields what to insert, each with the time of its submission.

        Args:
            time: When the trigger went off, seconds since the experiment phase began.
            random: Random numbers of the workload's seed; draw uniform ones alone.
        """
        raise NotImplementedError(f"{type(self).__name__} must define members()")


class FixedSequence(Pattern):
    """A fixed sequence, each time the same.

    Args:
        parts: Members or patterns, in order.
        gap: Seconds from one to the next.
    """

    def __init__(self, parts: Sequence[Member | Pattern], gap: float = 0) -> None:
        if not parts:
            raise InputError("a sequence needs at least one part")
        if not 0 <= gap < math.inf:
            raise InputError(f"the time between parts must be 0 or more, not {gap!r}")
        self.parts, self.gap = list(parts), gap

    def members(self, time: float, random: np.random.Generator) -> Iterator[tuple[float, Member]]:
        """Yields all parts."""
        for number, part in enumerate(self.parts):
            yield from _members(part, time + number * self.gap, random)


class WeightedChoice(Pattern):
    """One of several parts, at random.

    Args:
        choices: Pairs of weight and member or pattern, such as [(0.4, montage), (0.6, sipht)].
    """

    def __init__(self, choices: Sequence[tuple[float, Member | Pattern]]) -> None:
        weights = [weight for weight, _ in choices]
        if not weights or not all(0 <= w < math.inf for w in weights) or not sum(weights):
            raise InputError(f"weights must be 0 or more, and one above 0, not {weights!r}")
        self.choices = list(choices)
        self._ends = [sum(weights[: n + 1]) for n in range(len(weights))]

    def members(self, time: float, random: np.random.Generator) -> Iterator[tuple[float, Member]]:
        """Yields the part that a random number falls on."""
        place = bisect_right(self._ends, float(random.random()) * self._ends[-1])
        yield from _members(self.choices[place][1], time, random)


def _members(
    part: Member | Pattern, time: float, random: np.random.Generator
) -> Iterator[tuple[float, Member]]:
    if isinstance(part, Pattern):
        yield from part.members(time, random)
    else:
        yield time, part
