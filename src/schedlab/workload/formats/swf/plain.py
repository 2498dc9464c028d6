"""Job tables as plain SWF: 18 whole numbers a row, which every parser of the format reads.

What 18 whole numbers cannot say is counted.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy
import polars

from schedlab.workload.swf import FIELDS
from schedlab.workload.table import PREDECESSORS, TASK, TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

FRACTIONS = "fractions"
"""What rows lose that are rounded."""

PHASES = "Phases"
"""The line of the header from which the column `phase` follows."""

MEMORY = f"{TASK}mem"
MOST_PER_NODE = "tasks_per_node"


class PlainRows(NamedTuple):
    """Rows of plain SWF.

    Attributes:
        table: The 18 fields, in whole numbers.
        losses: What they cannot say, and how many rows had it.
        with_predecessor: Rows whose one predecessor went to field 17.
    """

    table: polars.DataFrame
    losses: Counter[str]
    with_predecessor: int


def plain_rows(table: polars.DataFrame, header: Mapping[str, str], memory_kb: int) -> PlainRows:
    """Returns rows of plain SWF for those of a complete table.

    Args:
        table: Of any columns.
        header: Of the file.
        memory_kb: KB of one unit of `task_mem`.
    """
    table = _with_processors(table)
    columns = {name: table[name].to_numpy() for name in FIELDS}
    losses = _lost_columns(table, header)
    with_predecessor = 0
    if PREDECESSORS in table.columns:
        counts = table[PREDECESSORS].list.len().to_numpy()
        single = (counts == 1) & (columns["preceding_job"] <= 0)
        first = table[PREDECESSORS].list.first().cast(polars.Float64).fill_null(-1).to_numpy()
        repeated = (counts == 1) & (columns["preceding_job"] == first)
        columns["preceding_job"] = numpy.where(single, first, columns["preceding_job"])
        with_predecessor = int(numpy.count_nonzero(single))
        losses[PREDECESSORS] += int(numpy.count_nonzero((counts > 0) & ~single & ~repeated))
    if MEMORY in table.columns:
        columns["requested_memory"] = _memory_per_processor(table, memory_kb)
    rounded = {name: whole(name, values) for name, values in columns.items()}
    changed = numpy.zeros(table.height, bool)
    for name, values in columns.items():
        if rounded[name] is not values:
            changed |= rounded[name] != values
    losses[FRACTIONS] += int(numpy.count_nonzero(changed))
    return PlainRows(polars.DataFrame(rounded), +losses, with_predecessor)


def _with_processors(table: polars.DataFrame) -> polars.DataFrame:
    """Returns the table with processors for jobs of which only tasks are known."""
    if "tasks" not in table.columns:
        return table
    tasks, requested = polars.col("tasks"), polars.col("requested_processors")
    cores = polars.lit(1.0)
    if f"{TASK}core" in table.columns:
        each = polars.col(f"{TASK}core")
        cores = polars.when(each > 0).then(each).otherwise(1.0)
    missing = (tasks > 0) & (requested <= 0) & (polars.col("allocated_processors") <= 0)
    filled = polars.when(missing).then(tasks * cores).otherwise(requested)
    return table.with_columns(filled.alias("requested_processors"))


def whole(name: str, values: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """Returns a field in whole numbers, as `schedlab.workload.swf.whole_number` has it."""
    down = numpy.floor(values)
    fraction = values != down
    if not fraction.any():
        return values
    nearest = numpy.maximum(numpy.floor(values + 0.5), 0.0 if name == "submit" else 1.0)
    return numpy.where(fraction & (values >= 0), nearest, down)


def _sizes(table: polars.DataFrame) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Returns the processors and the tasks of each job."""
    requested, allocated = (
        table[f"{name}_processors"].to_numpy() for name in ("requested", "allocated")
    )
    processors = numpy.where(requested > 0, requested, allocated)
    if "tasks" not in table.columns:
        return processors, processors
    tasks = table["tasks"].to_numpy()
    return processors, numpy.where(tasks > 0, tasks, processors)


def _memory_per_processor(table: polars.DataFrame, memory_kb: int) -> NDArray[numpy.float64]:
    """Returns field 10: KB for each processor, of what tasks take where the field is empty."""
    given, taken = table["requested_memory"].to_numpy(), table[MEMORY].to_numpy()
    processors, tasks = _sizes(table)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        each = numpy.ceil(taken * memory_kb * tasks / processors)
    return numpy.where((given <= 0) & (taken > 0) & (processors > 0), each, given)


def _lost_columns(table: polars.DataFrame, header: Mapping[str, str]) -> Counter[str]:
    """Returns how many rows have something in each column after the 18 that fields cannot say."""
    processors, tasks = _sizes(table)
    losses: Counter[str] = Counter()
    for name in table.columns:
        if name in FIELDS or name == PREDECESSORS or (name == "phase" and PHASES in header):
            continue
        if name in TEXTS:
            losses[name] += table.filter(polars.col(name) != "").height
            continue
        values = table[name].to_numpy()
        if name == "tasks":  # as many tasks as processors is what 18 fields say, too
            lost = (values > 0) & (values != processors)
        elif name == MOST_PER_NODE:
            lost = (values > 0) & (values < tasks)
        elif name == f"{TASK}core":  # a processor may stand for several cores
            lost = (values > 0) & (processors <= 0)
            lost |= (values > 0) & (numpy.fmod(values * tasks, numpy.maximum(processors, 1)) != 0)
        elif name == MEMORY:
            lost = (values > 0) & (processors <= 0)
        elif name.startswith(TASK) or name == "whole_nodes":
            lost = values > 0
        else:
            lost = values != -1
        losses[name] += int(numpy.count_nonzero(lost))
    return losses
