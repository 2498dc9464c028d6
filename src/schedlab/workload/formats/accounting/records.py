"""Records of a log of which several may be of one job: which count, and under what number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.workload.formats.accounting.log_names import LARGEST_NUMBER

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator

    from numpy.typing import NDArray

NO_SUBMIT = "no submit time"
SUPERSEDED = "older record of the same job"
EARLIER_RUN = "earlier run of a requeued job"


class Records:
    """Numbers and moments of the records of a log, in its order.

    Records with the same number and moment are one, seen twice (dumps overlap, or the job had not
    ended in the first): the last counts. Records with one number and different moments are runs of
    a job that was requeued. Each is a job: the first keeps the number, others get free ones.

    Args:
        numbers: Of jobs; -1 for one that is to get a free number.
        moments: When they came, as Unix times; below 0 or NaN for unknown.
        last_only: Of several runs of a job, only the last is used.

    Attributes:
        start: The first moment; 0 if there is none.
        in_order: Whether no record came before the one above it.
        used: How many count.
    """

    def __init__(self, numbers: array[int], moments: array[float], last_only: bool) -> None:
        self._numbers = numpy.array(numbers, dtype=numpy.int64)
        came = numpy.array(moments, dtype=float)
        self._unknown = ~(came >= 0)
        known = numpy.flatnonzero(~self._unknown)
        self.start = float(numpy.floor(came[known].min())) if known.size else 0.0
        self._superseded = numpy.zeros(came.size, dtype=bool)
        self._earlier = numpy.zeros(came.size, dtype=bool)
        if known.size:
            self._compare(known, came, last_only)
        counts = ~(self._unknown | self._superseded | self._earlier)
        self.used = int(counts.sum())
        in_use = came[counts]
        self.in_order = bool((in_use[1:] >= in_use[:-1]).all())

    def _compare(
        self, known: NDArray[numpy.int64], came: NDArray[numpy.float64], last_only: bool
    ) -> None:
        order = known[numpy.lexsort((known, came[known], self._numbers[known]))]
        number, moment = self._numbers[order], came[order]
        same = (number[1:] == number[:-1]) & (number[1:] >= 0) & (moment[1:] == moment[:-1])
        self._superseded[order[:-1][same]] = True
        order = order[~self._superseded[order]]
        number = self._numbers[order]
        again = (number[1:] == number[:-1]) & (number[1:] >= 0)
        free = number < 0
        if last_only:
            self._earlier[order[:-1][again]] = True
        else:
            free[1:] |= again
        needing = numpy.sort(order[free])
        self._numbers[needing] = self._free_numbers(needing.size)

    def _free_numbers(self, count: int) -> NDArray[numpy.int64]:
        """Returns numbers that no job has: above all, unless those are the largest there are."""
        following = int(self._numbers.max(initial=0)) + 1
        if following + count < LARGEST_NUMBER:
            return numpy.arange(following, following + count, dtype=numpy.int64)
        some = numpy.arange(1, self._numbers.size + count + 1, dtype=numpy.int64)
        return numpy.setdiff1d(some, self._numbers)[:count]

    def numbers_of(self, at: int, count: int) -> NDArray[numpy.float64]:
        """Returns the job numbers of some records."""
        return self._numbers[at : at + count].astype(float)

    def left_out(self, at: int, count: int) -> Iterator[tuple[str, NDArray[numpy.bool_]]]:
        """Yields reasons for which some of the records do not count, and which those are."""
        yield NO_SUBMIT, self._unknown[at : at + count]
        yield SUPERSEDED, self._superseded[at : at + count]
        yield EARLIER_RUN, self._earlier[at : at + count]
