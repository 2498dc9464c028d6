"""The job table: rows of any format, as columns.

Readers give it, writers take it, models are made of it. A table is a polars frame. The 18 columns
of the Standard Workload Format are always there, in its order, as floating-point numbers, and -1
says that a value is missing. Columns that SWF has no field for follow, where they are needed:

    tasks, tasks_per_node, whole_nodes   the shape of a job that is more than processors
    task_core, task_gpu, task_mem, ...   what each task takes of a resource type
    predecessors                         numbers of the jobs that must have ended before (a list)
    phase, workflow, anything            numbers that jobs carry as attributes
    name                                 a text
    application                          what the tasks do, a text; "" where they only take time
    needs                                features that nodes must have, a text; "" for none
    licenses                             what it takes of the licenses, a text; "" for none

docs/reference/job-table.md is the page about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

from schedlab.errors import InputError
from schedlab.workload.swf import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schedlab.workload.job import Job

BATCH = 16_384
"""Rows of a table that readers and generators give at a time."""

SHAPE = ("tasks", "tasks_per_node", "whole_nodes")
TASK = "task_"
"""What the names of columns with amounts per task begin with."""

PREDECESSORS, NAME, APPLICATION, NEEDS = "predecessors", "name", "application", "needs"
LICENSES = "licenses"
TEXTS = (NAME, APPLICATION, NEEDS, LICENSES)
"""Columns of texts."""

PHASES = {"fill": 1, "stabilization": 2, "experiment": 3, "drain": 4}
"""What numbers in the column `phase` stand for."""


def complete(table: polars.DataFrame) -> polars.DataFrame:
    """Returns a table with all columns of SWF, in its order, then the others; no value is null.

    Args:
        table: Any columns; those of SWF that it lacks become -1.

    Raises:
        InputError: A column is of no type that a job table can hold.
    """
    rows = table.height
    columns = []
    for field in FIELDS:
        if field in table.columns:
            columns.append(_numbers(table[field]))
        else:
            columns.append(polars.repeat(-1.0, rows, dtype=polars.Float64, eager=True).alias(field))
    for name in table.columns:
        if name == PREDECESSORS:
            columns.append(table[name].cast(polars.List(polars.Int64)).fill_null([]))
        elif name in TEXTS:
            columns.append(_texts(table[name]))
        elif name not in FIELDS:
            if not name.isidentifier():
                raise InputError(f"column {name!r}: must be a name without blanks and dots")
            columns.append(_numbers(table[name]))
    return polars.DataFrame(columns)


def _texts(column: polars.Series) -> polars.Series:
    example = {
        APPLICATION: "allreduce(bytes=128)",
        NEEDS: "a100 & !ib",
        LICENSES: "matlab:2, ansys",
    }.get(column.name)
    if example is not None and column.dtype.is_numeric():
        raise InputError(
            f'column "{column.name}": must be texts, such as {example}, not '
            f"{column.dtype}; call a column of numbers otherwise"
        )
    return column.cast(polars.String).fill_null("")


def _numbers(column: polars.Series) -> polars.Series:
    if column.dtype == polars.Float64 and not column.null_count() and not column.is_nan().any():
        return column
    try:
        return column.cast(polars.Float64).fill_null(-1.0).fill_nan(-1.0)
    except polars.exceptions.PolarsError:
        raise InputError(f'column "{column.name}": must be numbers, not {column.dtype}') from None


def extra_columns(table: polars.DataFrame) -> list[str]:
    """Returns the columns of numbers and lists that SWF has no field for."""
    return [
        name
        for name, kind in table.schema.items()
        if name not in FIELDS and name != NAME and kind != polars.String
    ]


def empty() -> polars.DataFrame:
    """Returns a table without rows."""
    return complete(polars.DataFrame())


def in_batches(table: polars.DataFrame) -> Iterator[polars.DataFrame]:
    """Yields a table part by part."""
    yield from table.iter_slices(BATCH) if table.height else (table,)


def sorted_by_submit(table: polars.DataFrame) -> polars.DataFrame:
    """Returns the rows in order of submission; those of one time stay in their order."""
    return table if table["submit"].is_sorted() else table.sort("submit", maintain_order=True)


def table_of(jobs: Iterable[Job]) -> polars.DataFrame:
    """Returns jobs that Python code describes as a table."""
    rows = []
    for job in jobs:
        row: dict[str, object] = {
            "job": job.id,
            "submit": job.submit,
            "run": job.run,
            "requested_processors": job.processors,
            "requested_time": -1 if job.requested_time is None else job.requested_time,
            "user": job.user,
            **(job.attributes or {}),
        }
        if job.resources is not None:
            row["tasks"] = job.processors
            row["requested_processors"] = job.processors * (job.resources.get("core") or 1)
            row.update({f"{TASK}{kind}": amount for kind, amount in job.resources.items()})
        if job.tasks_per_node is not None:
            row["tasks_per_node"] = job.tasks_per_node
        if job.whole_nodes:
            row["whole_nodes"] = 1
        if job.predecessors:
            row[PREDECESSORS] = list(job.predecessors)
            row["think_time"] = job.think
        if job.application is not None:
            row[APPLICATION] = job.application
        if job.needs is not None:
            row[NEEDS] = job.needs
        if job.licenses is not None:
            row[LICENSES] = job.licenses
        if job.partition is not None:
            raise InputError(
                f'job {job.id}: partition "{job.partition}" is a name, and tables have numbers; '
                'give attributes={"partition": 1}, and the names in the header of the reader'
            )
        rows.append(row)
    kinds: dict[str, polars.DataType] = {
        PREDECESSORS: polars.List(polars.Int64()),
        APPLICATION: polars.String(),
        NEEDS: polars.String(),
        LICENSES: polars.String(),
    }
    schema = {name: kinds.get(name, polars.Float64()) for row in rows for name in row}
    return complete(polars.DataFrame(rows, schema=schema, strict=False))
