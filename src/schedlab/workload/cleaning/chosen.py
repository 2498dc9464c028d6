"""Jobs that a user has inspected and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

from schedlab import decode
from schedlab.errors import InputError
from schedlab.workload.cleaning.rule import CleaningRule, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator


class Chosen(CleaningRule):
    """Takes out the jobs that all the given conditions name, as the filters of the archive do.

    The Parallel Workloads Archive writes "user=60 and (job>=254200 and job<=271542)" into the
    header of a cleaned log; that is `chosen(user=60, first_job=254200, last_job=271542)`.

    Args:
        user: Number of their owner.
        first_job: Least job number.
        last_job: Greatest job number.
        submit_until: Latest submit time, in the log's seconds, or as "3d".
        queue: Number of their queue.

    Raises:
        InputError: No condition is given.
    """

    name = "chosen"

    def __init__(
        self,
        user: float | None = None,
        first_job: float | None = None,
        last_job: float | None = None,
        submit_until: float | str | None = None,
        queue: float | None = None,
    ) -> None:
        self.user, self.queue = user, queue
        self.first_job, self.last_job = first_job, last_job
        self.submit_until = decode.duration(submit_until, "rule chosen: submit_until")
        given = [value for value in vars(self).values() if value is not None]
        if not given:
            raise InputError(
                "rule chosen: needs a condition, such as chosen(user=60) or chosen(last_job=10)"
            )
        for value in given:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InputError(f"rule chosen: conditions are numbers, not {value!r}")

    def find(self, jobs: polars.DataFrame) -> Iterator[Finding]:
        conditions = []
        for column, value in (("user", self.user), ("queue", self.queue)):
            if value is not None:
                conditions.append(polars.col(column) == value)
        if self.first_job is not None:
            conditions.append(polars.col("job") >= self.first_job)
        if self.last_job is not None:
            conditions.append(polars.col("job") <= self.last_job)
        if self.submit_until is not None:
            conditions.append(polars.col("submit") <= self.submit_until)
        yield Finding(str(self), polars.all_horizontal(conditions), "named by hand")
