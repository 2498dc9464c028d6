"""Jobs whose numbers cannot be true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

from schedlab.durations import DAY
from schedlab.workload.cleaning.rule import CleaningRule, Finding, number_text, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedlab.workload.cleaning.rule import Log


LATEST = 1e11
"""Seconds: 3,000 years. No clock of a batch system is that far from its zero."""

NOT_NEGATIVE = {
    "submit": "submit time",
    "wait": "wait",
    "run": "run time (it ends before it starts)",
    "allocated_processors": "number of processors",
    "requested_processors": "request of processors",
    "requested_time": "requested time",
    "requested_memory": "request of memory",
}
"""Fields in which a number below 0 is an error, unless it is the -1 of a missing value."""


class Impossible(CleaningRule):
    """Takes out jobs with negative times or requests, absurd times, or more than there is.

    Args:
        longest_days: No job runs for longer.
        overrun: No job runs for more than N times its requested time; None: it may. Many
            sites let jobs continue, so it is not checked by default.
    """

    name = "impossible"

    def __init__(self, longest_days: float = 366, overrun: float | None = None) -> None:
        within(self.name, "longest_days", longest_days, 0, LATEST)
        if overrun is not None:
            within(self.name, "overrun", overrun, 1, LATEST)
        self.longest_days = longest_days
        self.overrun = overrun
        self._processors: int | None = None

    def settle(self, log: Log) -> None:
        self._processors = log.processors
        if log.processors is None and log.rows:
            self.notes = (
                "the size of the machine is not known, so jobs beyond it are not looked for; "
                "--processors N (processors=N) says it",
            )

    def find(self, jobs: polars.DataFrame) -> Iterator[Finding]:
        for column, meaning in NOT_NEGATIVE.items():
            value = polars.col(column)
            # -0.5 and the like are below 0 and not the -1 of a missing value, either.
            negative = (value < 0) & (value != -1)
            yield Finding(f"negative {meaning}", negative, _named(column))
        for column in ("submit", "wait", "requested_time"):
            yield Finding("time out of range", polars.col(column) > LATEST, _named(column))
        run = polars.col("run")
        yield Finding(
            f"ran for more than {self.longest_days:g} days",
            run > self.longest_days * DAY,
            polars.format("{} days", (run / DAY).round(1)),
        )
        if self.overrun is not None:
            requested = polars.col("requested_time")
            yield Finding(
                f"ran for more than {self.overrun:g} times the requested time",
                (requested > 0) & (run > self.overrun * requested),
                polars.format(
                    "ran {} s, asked for {} s", number_text("run"), number_text("requested_time")
                ),
            )
        if self._processors is not None:
            for column in ("allocated_processors", "requested_processors"):
                yield Finding(
                    "more processors than the machine has",
                    polars.col(column) > self._processors,
                    polars.format("{}, of {}", _named(column), polars.lit(self._processors)),
                )


def _named(column: str) -> polars.Expr:
    return polars.format("{} {}", polars.lit(column), number_text(column))
