"""Intervals for differences between two schedules of the same jobs, by a block bootstrap.

Jobs submitted near each other wait for the same reasons. A bootstrap that draws single jobs
takes them for independent, and its intervals are far too narrow. Here whole blocks of consecutive
submissions are drawn (Künsch 1989; Carlstein 1986), each with both schedules' values of its jobs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from schedlab.durations import WEEK

FEWEST_BLOCKS = 20
DRAWS = 10_000
LEVEL = 0.95
CELLS_AT_A_TIME = 4_000_000

Numbers = NDArray[numpy.float64]


class DifferenceEstimate(NamedTuple):
    """How a mean differs between two schedules; None for what cannot be determined.

    Attributes:
        jobs: Jobs that count: those that ran in both.
        baseline_mean: Over these, in the first schedule.
        mean: In the second.
        difference: mean - baseline_mean.
        difference_low: Lower end of the interval of the difference.
        difference_high: Upper end.
        change: mean / baseline_mean - 1; None where the baseline's is 0.
        change_low: Lower end of the interval of the change; None where it has none, because too
            many draws have a baseline of 0.
        change_high: Upper end.
    """

    jobs: int
    baseline_mean: float | None
    mean: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    change: float | None
    change_low: float | None
    change_high: float | None


class BlockBootstrap:
    """Draws blocks of jobs; the draws are the same for every pair of schedules.

    Args:
        submit: When each job was submitted.
        block_seconds: Length of a block. None: a week, halved until there are 20 blocks.
        draws: How many.
        seed: Of the draws.

    Attributes:
        block_of: The block of each job, from 0; blocks without jobs do not count.
        blocks: How many there are.
        block_seconds: Their length.
    """

    def __init__(
        self,
        submit: Numbers,
        block_seconds: float | None = None,
        draws: int = DRAWS,
        seed: int = 0,
    ) -> None:
        self.draws, self._seed = draws, seed
        self.block_of, self.block_seconds = blocks_of(submit, block_seconds)
        self.blocks = int(self.block_of.max()) + 1 if len(self.block_of) else 0

    def times_drawn(self) -> list[NDArray[numpy.int64]]:
        """Returns how often each block is in each draw, as matrices [draws, blocks]."""
        generator = numpy.random.Generator(numpy.random.PCG64(self._seed))
        most = max(1, CELLS_AT_A_TIME // max(1, self.blocks))
        matrices = []
        for first in range(0, self.draws, most):
            rows = min(most, self.draws - first)
            drawn = generator.integers(0, self.blocks, (rows, self.blocks))
            drawn += numpy.arange(rows)[:, None] * self.blocks
            counts = numpy.bincount(drawn.ravel(), minlength=rows * self.blocks)
            matrices.append(counts.reshape(rows, self.blocks))
        return matrices

    def estimate(self, baseline: Numbers, other: Numbers) -> DifferenceEstimate:
        """Returns how the mean of `other` differs from that of `baseline`.

        Args:
            baseline: A value per job; NaN for jobs that did not run.
            other: Likewise.
        """
        both = ~(numpy.isnan(baseline) | numpy.isnan(other))
        jobs = int(both.sum())
        if not jobs:
            return DifferenceEstimate(0, *[None] * 8)
        block_of = self.block_of[both]
        sums = numpy.stack(
            [
                numpy.bincount(block_of, values, self.blocks)
                for values in (baseline[both], other[both], numpy.ones(jobs))
            ],
            axis=1,
        )
        before, after = float(baseline[both].mean()), float(other[both].mean())
        change = after / before - 1 if before else None
        if len(numpy.unique(block_of)) < 2:
            return DifferenceEstimate(
                jobs, before, after, after - before, None, None, change, None, None
            )
        drawn = numpy.concatenate([times @ sums for times in self._weights()])
        drawn = drawn[drawn[:, 2] > 0]  # not those without a job
        differences = (drawn[:, 1] - drawn[:, 0]) / drawn[:, 2]
        with numpy.errstate(divide="ignore", invalid="ignore"):  # a draw in which nobody waits
            changes = drawn[:, 1] / drawn[:, 0] - 1
        changes[drawn[:, 1] == drawn[:, 0]] = 0.0
        low, high = _interval(differences)
        change_low, change_high = (None, None) if change is None else _interval(changes)
        return DifferenceEstimate(
            jobs, before, after, after - before, low, high, change, change_low, change_high
        )

    def _weights(self) -> list[Any]:
        if not hasattr(self, "_drawn"):
            self._drawn = [times.astype(numpy.float64) for times in self.times_drawn()]
        return self._drawn


def _interval(values: Numbers) -> tuple[float | None, float | None]:
    """Returns the interval that holds LEVEL of the values, between its percentiles.

    None where it has no end: a value that is not known must count as one that is too large, or the
    interval would be that of the draws which happen to suit it.
    """
    tail = (1 - LEVEL) / 2
    with numpy.errstate(invalid="ignore"):  # between two that are infinite
        low, high = numpy.quantile(values, [tail, 1 - tail])
    if not (numpy.isfinite(low) and numpy.isfinite(high)):
        return None, None
    return float(low), float(high)


def blocks_of(
    submit: Numbers, block_seconds: float | None = None
) -> tuple[NDArray[numpy.int64], float]:
    """Returns the block of each job, counted from 0 without empty ones, and the blocks' length."""
    length = block_seconds or float(WEEK)
    if not len(submit):
        return numpy.zeros(0, numpy.int64), length
    since_first = submit - submit.min()
    while True:
        numbers, block_of = numpy.unique(since_first // length, return_inverse=True)
        if block_seconds or len(numbers) >= FEWEST_BLOCKS or length <= 1:
            return block_of.astype(numpy.int64), length
        length /= 2
