"""Rows that say again what another row has said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import polars

from schedlab.workload.cleaning.rule import CleaningRule, Finding, number_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from schedlab.workload.cleaning.rule import Log

PARTS = (2.0, 3.0, 4.0)
"""Statuses of SWF for part of a job that was stopped and continued later."""


class Duplicates(CleaningRule):
    """Takes out all but one of the rows with the same job number.

    The first of them stays. But where a job was stopped and continued, SWF may have a row for each
    part (status 2, 3 or 4) beside the one that sums them up: then the parts go. The numbers of all
    jobs are kept meanwhile, 9 bytes each.
    """

    name = "duplicates"

    def __init__(self) -> None:
        self._numbers: list[NDArray[numpy.float64]] = []
        self._whole: list[NDArray[numpy.bool_]] = []
        self._repeated = self._summed = numpy.empty(0)
        self._kept: set[float] = set()

    def survey(self, jobs: polars.DataFrame) -> None:
        self._numbers.append(jobs["job"].to_numpy())
        self._whole.append(~numpy.isin(jobs["status"].to_numpy(), PARTS))

    def settle(self, log: Log) -> None:
        if not self._numbers:
            return
        numbers, whole = numpy.concatenate(self._numbers), numpy.concatenate(self._whole)
        self._numbers, self._whole = [], []
        if bool((numbers[1:] > numbers[:-1]).all()):
            return  # as most logs are: nothing to sort
        found, counts = numpy.unique(numbers, return_counts=True)
        self._repeated = found[(counts > 1) & (found != -1)]
        self._summed = numpy.intersect1d(self._repeated, numbers[whole])

    def find(self, jobs: polars.DataFrame) -> Iterator[Finding]:
        if not len(self._repeated):
            return
        numbers = jobs["job"].to_numpy()
        repeated = numpy.isin(numbers, self._repeated)
        part = repeated & numpy.isin(jobs["status"].to_numpy(), PARTS)
        part &= numpy.isin(numbers, self._summed)
        yield Finding(
            "part of a job that another row sums up",
            polars.Series(part),
            polars.format("job {}, status {}", number_text("job"), number_text("status")),
        )
        again = numpy.zeros(len(numbers), bool)
        for row in numpy.flatnonzero(repeated & ~part):
            number = float(numbers[row])
            again[row] = number in self._kept
            self._kept.add(number)
        yield Finding(
            "job number of another job",
            polars.Series(again),
            polars.format("job {} is in an earlier row", number_text("job")),
        )
