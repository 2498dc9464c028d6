"""How much of each resource the jobs of a table take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.workload.table import TASK

if TYPE_CHECKING:
    import polars
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]


def processors(table: polars.DataFrame) -> Numbers:
    """Returns the processors of each job: requested, or allocated where that is missing; or -1."""
    requested = table["requested_processors"].to_numpy()
    allocated = table["allocated_processors"].to_numpy()
    return numpy.where(requested > 0, requested, numpy.where(allocated > 0, allocated, -1.0))


def amounts(table: polars.DataFrame, cores_per_processor: float = 1.0) -> dict[str, Numbers]:
    """Returns what each job takes of each resource, all its tasks together, by resource.

    `core` is always there: what its tasks take, or its processors where the table or the row has no
    tasks; -1 where neither is known. Of others, a job without a number takes 0.

    Args:
        table: A complete job table.
        cores_per_processor: What the machine counts as one processor of a log.
    """
    count = processors(table)
    cores = numpy.where(count > 0, count * cores_per_processor, -1.0)
    found = {"core": cores}
    tasks = table["tasks"].to_numpy() if "tasks" in table.columns else numpy.full(len(cores), -1.0)
    # Without a number of tasks each processor is one.
    tasks = numpy.where(tasks > 0, tasks, count)
    for name in table.columns:
        if name.startswith(TASK):
            each = table[name].to_numpy()
            kind = name.removeprefix(TASK)
            known = (each >= 0) & (tasks > 0)
            without = cores if kind == "core" else numpy.zeros(len(cores))
            if kind == "core":
                known &= each > 0
            found[kind] = numpy.where(known, each * tasks, without)
    return found
