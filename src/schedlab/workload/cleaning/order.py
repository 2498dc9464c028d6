"""Jobs whose submit time is far from those of the rows around them."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy
import polars

from schedlab.durations import DAY
from schedlab.workload.cleaning.rule import CleaningRule, Finding, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from schedlab.workload.cleaning.rule import Log

    Times = NDArray[numpy.float64]


NEIGHBOURS = 9
"""Rows on each side that are compared with; five wrong ones in a row are too many for it."""

MOST = 0.01
"""Share of rows out of place from which on a log is in another order than that of time."""

FEW = 10
"""Rows that may be out of place in any log, however short."""

LEAST = 3
"""Rows on a side that there must be, so that one wrong row cannot outvote the others."""


class SubmitOrder(CleaningRule):
    """Takes out jobs submitted long before the rows ahead or long after those that follow.

    Such as rows written while a clock was wrong. Compared is with the median of the nine rows on
    either side, so a wrong row does not make its neighbours wrong, and nothing is found in a log
    that is sorted. Logs sorted by the end of jobs are out of order by as long as jobs wait and
    run: hence the generous default. Where more than 1 % of rows are out of place, the log is in
    another order than that of time, and nothing is taken out.

    Args:
        days: How far.
    """

    name = "order"

    def __init__(self, days: float = 90) -> None:
        within(self.name, "days", days, 0, 1e6)
        self.days = days
        self._tail: Times = numpy.empty(0)
        self._judged = 0  # of the tail
        self._before = 0  # rows before the tail
        self._misplaced: list[tuple[int, float]] = []
        self._next_row = 0

    def survey(self, jobs: polars.DataFrame) -> None:
        self._judge(numpy.concatenate([self._tail, jobs["submit"].to_numpy()]), NEIGHBOURS)

    def settle(self, log: Log) -> None:
        self._judge(self._tail, 0)
        found = len(self._misplaced)
        if found > max(FEW, MOST * log.rows):
            self.notes = (
                f"{found:,} of {log.rows:,} rows are far from those around them: the log is not "
                "in the order of time, so nothing is taken out for it",
            )
            self._misplaced = []

    def _judge(self, times: Times, held_back: int) -> None:
        """Judges rows that have not been, but the last ones, whose followers are still to come."""
        last = max(self._judged, len(times) - held_back)
        for row in self._suspects(times):
            if self._judged <= row < last and (distance := self._distance(times, row)):
                self._misplaced.append((self._before + int(row), distance / DAY))
        first = max(0, last - NEIGHBOURS)
        self._tail, self._judged = times[first:], last - first
        self._before += first

    def _suspects(self, times: Times) -> NDArray[numpy.intp]:
        """Returns the rows that are far from one neighbour at least: few, and all that matter."""
        far = numpy.zeros(len(times), bool)
        if not bool((times[1:] < times[:-1]).any()):
            return numpy.flatnonzero(far)
        for steps in range(1, min(NEIGHBOURS, len(times) - 1) + 1):
            back = times[:-steps] - times[steps:] > self.days * DAY
            far[:-steps] |= back
            far[steps:] |= back
        return numpy.flatnonzero(far)

    def _distance(self, times: Times, row: int) -> float:
        """Returns by how many seconds a time is too early (below 0) or too late; 0 if it is not."""
        time = float(times[row])
        for neighbours, side in (
            (times[max(0, row - NEIGHBOURS) : row], -1),
            (times[row + 1 : row + 1 + NEIGHBOURS], 1),
        ):
            if len(neighbours) >= LEAST:
                distance = time - float(numpy.median(neighbours))
                if side * distance > self.days * DAY:
                    return distance
        return 0.0

    def find(self, jobs: polars.DataFrame) -> Iterator[Finding]:
        first, self._next_row = self._next_row, self._next_row + jobs.height
        here = range(
            bisect_left(self._misplaced, (first,)), bisect_left(self._misplaced, (self._next_row,))
        )
        if not here:
            return
        early, late = numpy.zeros(jobs.height, bool), numpy.zeros(jobs.height, bool)
        evidence = [""] * jobs.height
        for place in here:
            row, days = self._misplaced[place]
            (early if days < 0 else late)[row - first] = True
            side = "before the rows ahead" if days < 0 else "after the rows that follow"
            evidence[row - first] = f"{abs(days):,.1f} days {side}"
        texts = polars.Series(evidence)
        yield Finding("submitted long before the rows ahead", polars.Series(early), texts)
        yield Finding("submitted long after the rows that follow", polars.Series(late), texts)
