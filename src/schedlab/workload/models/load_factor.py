"""By what gaps between jobs must be multiplied so that the jobs make up a load."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy

from schedlab.errors import InputError
from schedlab.workload.models.stream import ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedlab.workload.distributions.special_functions import Array
    from schedlab.workload.models.stream import Stream

MOST_ERROR = 0.01
HALVINGS = 60


def load_factor(
    streams: Sequence[Stream], jobs: int, seed: str | int, machine: int, load: float
) -> float:
    """Returns the factor with which the first jobs of all streams make up the load.

    The load is what `schedlab workload inspect` prints: processor seconds of all jobs over those
    of the machine between the first and the last submission. Gaps are multiplied before the cycle
    is applied, so hours of the day keep their shares. Needs 16 bytes for each job and stream.

    Args:
        streams: What is merged.
        jobs: How many come first.
        seed: As for the streams' `blocks`.
        machine: Processors.
        load: Wanted, 1 for all processors all the time.

    Raises:
        InputError: So few jobs cannot make up the load.
    """
    known = [_Known(stream, jobs, seed) for stream in streams]
    if jobs < 2 or not all(one.points[-1] > 0 for one in known):
        raise InputError("load: needs at least two jobs, and gaps between jobs above 0")

    def reached(factor: float) -> float:
        first = min(one.moment(0, factor) for one in known)
        low, high = 0.0, max(one.moment(-1, factor) for one in known)
        for _ in range(HALVINGS):  # for the moment by which N jobs are submitted
            middle = (low + high) / 2
            enough = sum(one.submitted(middle, factor) for one in known) >= jobs
            low, high = (low, middle) if enough else (middle, high)
        work = sum(one.work[one.submitted(high, factor)] for one in known)
        return float(work / (machine * (high - first))) if high > first else math.inf

    low, high = -40.0, 40.0  # of the factor's logarithm
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(math.exp(middle)) <= load else (middle, high)
    factor = math.exp(high)
    if not abs(reached(factor) / load - 1) <= MOST_ERROR:
        raise InputError(
            f"load: so few jobs ({jobs:,}) come to {reached(factor):.3g}, not to {load:g}; "
            "ask for more jobs, or for another load"
        )
    return factor


def checked_load(load: object) -> float | None:
    """Returns an offered load.

    Raises:
        InputError: It is not a number above 0.
    """
    number = isinstance(load, (int, float)) and not isinstance(load, bool)
    if load is not None and not (number and 0 < load <= 1e6):  # type: ignore[operator]
        raise InputError(f"load: must be a number above 0, not {load!r}")
    return load  # type: ignore[return-value]


class _Known:
    """The first jobs of a stream, as sums.

    Attributes:
        points: That pass before each job.
        work: Processor seconds of all jobs before each, and of all of them.
    """

    def __init__(self, stream: Stream, jobs: int, seed: str | int) -> None:
        self._stream = stream
        blocks = stream.blocks(seed)
        drawn = [next(blocks) for _ in range(0, jobs, ROWS)]
        self.points: Array = numpy.cumsum(numpy.concatenate([one.gaps for one in drawn])[:jobs])
        work = numpy.concatenate([one.work for one in drawn])[:jobs]
        self.work: Array = numpy.concatenate([[0.0], numpy.cumsum(work)])

    def moment(self, job: int, factor: float) -> float:
        """Returns when a job is submitted."""
        return float(self._stream.moments(numpy.array([self.points[job] * factor]))[0])

    def submitted(self, moment: float, factor: float) -> int:
        """Returns how many jobs are submitted up to a moment."""
        passed = float(self._stream.points(numpy.array([moment]))[0])
        return int(numpy.searchsorted(self.points, passed / factor, side="right"))
