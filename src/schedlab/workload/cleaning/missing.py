"""Jobs that lack what a simulation needs, and jobs of no length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

from schedlab.workload.cleaning.rule import CleaningRule, Finding, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedlab.workload.cleaning.rule import Log

CANCELLED = 5
"""The status of SWF for a job that was cancelled; before or after its start."""


class Missing(CleaningRule):
    """Takes out jobs without a submit time, a start, a run time or processors.

    Start times count only if the log records them at all: models and some logs do not, and their
    jobs are complete without.
    """

    name = "missing"

    def settle(self, log: Log) -> None:
        self._starts_are_recorded = log.given["wait"] > 0
        if log.rows and not self._starts_are_recorded:
            self.notes = ("no job has a start time: the log does not record them",)

    def find(self, jobs: polars.DataFrame) -> Iterator[Finding]:
        run, status = polars.col("run"), polars.col("status")
        never_held = polars.col("allocated_processors") <= 0
        yield Finding(
            "cancelled before it started",
            (status == CANCELLED) & ((run == -1) | ((run == 0) & never_held)),
            polars.when(run == 0)
            .then(polars.lit("status 5, run time 0, no processors allocated"))
            .otherwise(polars.lit("status 5, no run time")),
        )
        yield Finding("no submit time", polars.col("submit") == -1, "submit -1")
        if self._starts_are_recorded:
            yield Finding("no start time", polars.col("wait") == -1, "wait -1")
        yield Finding("no run time", run == -1, "run -1")
        yield Finding("no processors", size().is_in([-1.0, 0.0]), "none allocated, none requested")


class Zero(CleaningRule):
    """Takes out jobs that ran for no time at all. Not among the rules that apply by default."""

    name = "zero"

    def find(self, jobs: polars.DataFrame) -> Iterator[Finding]:
        yield Finding("run time 0", polars.col("run") == 0, "run 0")
