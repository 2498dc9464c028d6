"""What is kept of a workload to compare it: a few columns, in order of submission."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy
import polars

from schedlab.errors import InputError
from schedlab.workload.amounts import amounts
from schedlab.workload.formats import COMPRESSIONS, open_reader
from schedlab.workload.formats.tables.frame import FrameReader
from schedlab.workload.reader import Reader
from schedlab.workload.table import complete

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]

WorkloadLike = str | os.PathLike[str] | Reader | polars.DataFrame | polars.LazyFrame
"""A file, a reader, or a job table."""

Progress = Callable[[str, int, float | None], None]
"""Called with a label, the rows read so far, and the share of the file they are, if known."""


@dataclass(frozen=True)
class WorkloadColumns:
    """A workload's columns; -1 where a value is missing.

    Attributes:
        label: Name in tables and plots.
        source: What was given: where the jobs can be read again.
        header: What the file says of the workload as a whole.
        rows: Of the file, whatever their values.
        skipped: Lines that are not rows, by reason.
        unsorted: Rows that were submitted before the row above.
        submit: Seconds; rows without are left out, and the rest is in this order.
        run: Seconds.
        requested: Seconds.
        memory: KB per processor, requested or else used.
        user: A number.
        amounts: What each job takes of each resource, all its tasks together; `core` is there.
    """

    label: str
    source: Reader
    header: Mapping[str, str]
    rows: int
    skipped: Mapping[str, Mapping[str, int]]
    unsorted: int
    submit: Numbers
    run: Numbers
    requested: Numbers
    memory: Numbers
    user: Numbers
    amounts: Mapping[str, Numbers]

    @property
    def jobs(self) -> int:
        """How many jobs there are."""
        return len(self.submit)

    @property
    def cores(self) -> Numbers:
        """Cores of each job, or -1."""
        return self.amounts["core"]

    def work(self, performance: Mapping[str, float] | None = None) -> Numbers:
        """Returns core-seconds of each job, or GFLOP where performance is known; or -1.

        Args:
            performance: GFLOP a second of one unit of each resource, such as {"core": 3.3}. The
                work of a job is its run time times the dot product of these and what it takes.
        """
        rate = numpy.zeros(self.jobs)
        for kind, speed in (performance or {"core": 1.0}).items():
            rate += numpy.maximum(self.amounts.get(kind, numpy.zeros(self.jobs)), 0.0) * speed
        known = (self.run >= 0) & (self.cores > 0)
        return numpy.where(known, self.run * rate, -1.0)


def read_columns(
    workload: WorkloadLike,
    label: str,
    reader: str | None = None,
    cores_per_processor: float = 1.0,
    progress: Progress | None = None,
) -> WorkloadColumns:
    """Reads a workload once and returns its columns: 56 bytes for each row.

    Args:
        workload: A file, a reader, or a job table.
        label: Name in tables and plots.
        reader: Name of what reads a file; None: what the file is.
        cores_per_processor: What the machine counts as one processor of the log.
        progress: Called after each part.

    Raises:
        InputError: It cannot be read.
    """
    source = source_of(workload, reader)
    parts: list[dict[str, Numbers]] = []
    rows = 0
    for table in source.tables():
        parts.append(_kept(table, cores_per_processor))
        rows += table.height
        if progress is not None:
            progress(label, rows, source.share_read)
    # Not every part of a user's own reader has to name the same resources.
    names = dict.fromkeys(name for part in parts for name in part)
    kept = {name: _joined(parts, name) for name in names or _kept(complete(polars.DataFrame()), 1)}
    submit = kept["submit"]
    unsorted = int(numpy.count_nonzero(numpy.diff(submit) < 0))
    order = numpy.argsort(submit, kind="stable") if unsorted else slice(None)
    kept = {name: column[order] for name, column in kept.items()}
    known = kept["submit"] >= 0
    if not known.all():
        kept = {name: column[known] for name, column in kept.items()}
    fields: dict[str, Any] = {name: kept.pop(name) for name in FIELDS}
    return WorkloadColumns(
        label, source, source.header, rows, dict(source.skipped), unsorted, **fields, amounts=kept
    )


FIELDS = ("submit", "run", "requested", "memory", "user")


def _kept(table: polars.DataFrame, cores_per_processor: float) -> dict[str, Numbers]:
    memory = numpy.where(
        table["requested_memory"] > 0, table["requested_memory"], table["used_memory"]
    )
    return {
        "submit": table["submit"].to_numpy(),
        "run": table["run"].to_numpy(),
        "requested": table["requested_time"].to_numpy(),
        "memory": memory,
        "user": table["user"].to_numpy(),
        **amounts(table, cores_per_processor),
    }


def _joined(parts: list[dict[str, Numbers]], name: str) -> Numbers:
    return numpy.concatenate(
        [part.get(name, numpy.zeros(len(part["submit"]))) for part in parts] or [numpy.zeros(0)]
    )


def source_of(workload: WorkloadLike, reader: str | None = None) -> Reader:
    """Returns what reads a workload.

    Raises: InputError: It is not a workload.
    """
    if isinstance(workload, (polars.DataFrame, polars.LazyFrame)):
        return FrameReader(workload)
    if isinstance(workload, Reader):
        return workload
    if isinstance(workload, (str, os.PathLike)):
        return open_reader(workload, reader)
    raise _no_workload(workload)


def _no_workload(given: object) -> InputError:
    return InputError(
        f"a workload to compare is a path, a Reader or a polars DataFrame, not {given!r:.80}"
    )


def labels_of(workloads: list[WorkloadLike], given: list[str] | None = None) -> list[str]:
    """Returns a short name for each workload; no two are the same.

    Args:
        workloads: What is compared.
        given: Names to use instead.

    Raises:
        InputError: There are not as many names as workloads, two are the same, or something is not
            a workload.
    """
    if given is not None:
        if len(given) != len(workloads) or len(set(given)) != len(given) or not all(given):
            raise InputError(
                f"names: must be {len(workloads)} different texts, one for each workload, "
                f"not {given}"
            )
        return list(given)
    labels: list[str] = []
    for workload in workloads:
        name = _name(workload)
        again = 2
        label = name
        while label in labels:
            label, again = f"{name} ({again})", again + 1
        labels.append(label)
    return labels


def _name(workload: WorkloadLike) -> str:
    if isinstance(workload, (polars.DataFrame, polars.LazyFrame)):
        return "jobs"
    if isinstance(workload, Reader):
        path = workload.path or type(workload).__name__
    elif isinstance(workload, (str, os.PathLike)):
        path = os.fsdecode(workload)
    else:
        raise _no_workload(workload)
    base = os.path.basename(path)
    for compression in COMPRESSIONS:
        base = base.removesuffix(compression)
    return base.removesuffix(".swf") or path
