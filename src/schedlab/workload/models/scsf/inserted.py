"""What was inserted into a workload, and the jobs of all of it as one table.

A share of three quarters inserts hundreds of thousands of workflows. A table for each costs 0.2 ms,
so those whose jobs are the same each time are only noted, and made together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars

from schedlab.workload.table import PREDECESSORS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class Footprint(NamedTuple):
    """What a member brings.

    Attributes:
        rows: Its jobs.
        repeated: Whether they are numbered from 0, for all times that it is inserted; else they are
            the jobs of one time.
        jobs: How many.
        core_seconds: Of all of them: processors times run time.
        largest: Processors of the largest.
    """

    rows: polars.DataFrame
    repeated: bool
    jobs: int
    core_seconds: float
    largest: float


class Inserted(NamedTuple):
    """A member that was inserted.

    Attributes:
        footprint: What it brings.
        first_job: The number of its first job.
        submit: When its jobs are submitted.
        number: How many members were inserted up to it: what the column `workflow` says.
    """

    footprint: Footprint
    first_job: int
    submit: float
    number: int


def footprint(rows: polars.DataFrame, repeated: bool) -> Footprint:
    """Returns what a member with these rows brings."""
    cores, run = rows["requested_processors"].to_numpy(), rows["run"].to_numpy()
    return Footprint(rows, repeated, rows.height, float(cores @ run), float(cores.max()))


def jobs_of(inserted: Iterable[Inserted]) -> polars.DataFrame:
    """Returns the jobs of all that was inserted, one at least; their order is not that of time."""
    groups: dict[int, list[Inserted]] = {}
    for one in inserted:
        groups.setdefault(id(one.footprint), []).append(one)
    tables = []
    for group in groups.values():
        made = group[0].footprint
        if made.repeated:
            columns = np.array([one[1:] for one in group], np.float64)
            tables.append(_shifted(made.rows, *columns.T))
        else:
            tables.append(made.rows)
    return polars.concat(tables, how="diagonal")


def _shifted(
    rows: polars.DataFrame,
    first_jobs: NDArray[np.float64],
    submits: NDArray[np.float64],
    numbers: NDArray[np.float64],
) -> polars.DataFrame:
    """Returns rows once for each of the numbers that their jobs begin with."""
    height = rows.height
    first = polars.Series("first", np.repeat(first_jobs, height))
    shifts = [
        polars.col("job") + first,
        polars.Series("submit", np.repeat(submits, height)),
        polars.Series("workflow", np.repeat(numbers, height)),
    ]
    if PREDECESSORS in rows.columns:
        shifts.append(polars.col(PREDECESSORS) + first.cast(polars.Int64))
    return rows[np.tile(np.arange(height), len(first_jobs))].with_columns(shifts)
