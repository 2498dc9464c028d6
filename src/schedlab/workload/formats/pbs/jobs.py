"""Jobs of an accounting log, gathered as columns until all are known."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy
import polars

from schedlab.workload.formats.accounting.log_names import Names
from schedlab.workload.formats.accounting.records import Records
from schedlab.workload.formats.accounting.text import MISSING
from schedlab.workload.formats.pbs.records import number_of
from schedlab.workload.formats.sacct.jobs import readable
from schedlab.workload.table import complete, sorted_by_submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from schedlab.workload.formats.pbs.records import Ended

NAMED = {
    "user": "user",
    "group": "group",
    "executable": "job",
    "queue": "queue",
    "account": "account",
}
"""Columns that are numbers of names, and what kind of names those are."""

VALUES = (
    "start", "end", "allocated", "cpu", "used", "chunks", "requested", "gpus", "memory",
    "one_per_node", "whole_nodes", "limit", "status", "array_job", "array_task",
)  # fmt: skip


class JobColumns:
    """Columns of numbers to which jobs are added one by one.

    Attributes:
        not_followed: What jobs wait for that is not a job with a number; known after a table.
    """

    def __init__(self) -> None:
        self._numbers, self._came, self._lines = array("q"), array("d"), array("q")
        self._values = {name: array("d") for name in VALUES}
        self._texts: dict[str, dict[str, int]] = {column: {} for column in NAMED}
        self._named = {column: array("l") for column in NAMED}
        self._after: dict[int, list[str]] = {}
        self.not_followed: list[str] = []
        self._start = 0.0
        self._names = {column: Names(kind) for column, kind in NAMED.items()}
        self._used = 0

    def add(self, number: tuple[int | None, int, int], job: Ended, line: int) -> None:
        """Adds a job.

        Args:
            number: Of the job, or None for a free one; of its array, and in that.
            job: What the log says about it.
            line: Where it was added, for messages.
        """
        if job.predecessors:
            self._after[len(self._numbers)] = job.predecessors
        self._numbers.append(-1 if number[0] is None else number[0])
        self._came.append(job.submit)
        self._lines.append(line)
        request = job.request
        values = (
            job.start, job.end, job.allocated, job.seconds_of_processors, job.memory,
            request.chunks, request.processors, request.gpus, request.memory, request.one_per_node,
            request.whole_nodes, job.limit, job.status, number[1], number[2],
        )  # fmt: skip
        for column, value in zip(self._values.values(), values, strict=True):
            column.append(value)
        for name, column_of in self._named.items():
            texts = self._texts[name]
            text = job.names[name]
            column_of.append(texts.setdefault(text, len(texts)))

    def table(self, skip: Callable[[str, int], None], resources: bool | None) -> polars.DataFrame:
        """Returns all jobs in order of submission.

        Args:
            skip: Gets those that cannot be used, and where they are.
            resources: Whether to say of what tasks jobs are; None: of jobs with GPUs, if there are.
        """
        records = Records(self._numbers, self._came, last_only=False)
        self._start, self._used = records.start, records.used
        count = len(self._numbers)
        value = {name: numpy.array(column) for name, column in self._values.items()}
        came = numpy.array(self._came)
        requested = numpy.where(value["requested"] > 0, value["requested"], MISSING)
        allocated = numpy.where(value["allocated"] > 0, value["allocated"], MISSING)
        processors = numpy.where(allocated > 0, allocated, requested)
        divisor = numpy.where(processors > 0, processors, 1)
        memory_processors = numpy.where(
            requested > 0, requested, numpy.where(allocated > 0, allocated, 1)
        )
        start, end = value["start"], value["end"]
        ran = (start >= 0) & (end >= start)
        columns = {
            "job": records.numbers_of(0, count),
            "submit": came - records.start,
            "wait": numpy.where((start >= came) & (start >= 0), start - came, MISSING),
            "run": numpy.where(ran, end - start, MISSING),
            "allocated_processors": allocated,
            "cpu_time": _share(value["cpu"], divisor),
            "used_memory": _share(value["used"], divisor),
            "requested_processors": requested,
            "requested_time": value["limit"],
            "requested_memory": numpy.where(
                value["memory"] > 0, value["memory"] / memory_processors, MISSING
            ),
            "status": value["status"],
            **self._numbers_of_names(),
        }
        if resources or (resources is None and (value["gpus"] > 0).any()):
            processors = numpy.where(requested > 0, requested, allocated)
            columns |= _shape(value, processors, bool(resources))
        if (value["array_job"] >= 0).any():
            columns |= {name: value[name] for name in ("array_job", "array_task")}
        table = polars.DataFrame(columns)
        if self._after:
            table = table.with_columns(self._predecessors())
        if set(self._texts["executable"]) - {""}:
            names = numpy.array([readable(text) for text in self._texts["executable"]], object)
            chosen = names[numpy.array(self._named["executable"])]
            table = table.with_columns(polars.Series("name", chosen, polars.String))
        keep = numpy.ones(count, dtype=bool)
        for reason, wrong in records.left_out(0, count):
            for row in numpy.flatnonzero(wrong & keep):
                skip(reason, self._lines[row])
            keep &= ~wrong
        return sorted_by_submit(complete(table.filter(polars.Series(keep))))

    def header(self, zone: str, names_in_header: bool) -> dict[str, str]:
        """Returns what the log says of the workload as a whole, by the names of SWF's header."""
        header = {"UnixStartTime": str(int(self._start))} if self._start else {}
        header |= {"TimeZoneString": zone, "MaxRecords": str(self._used)}
        keys = {"queue": "Queue"}
        if names_in_header:
            keys |= {"user": "User", "group": "Group", "account": "Account"}
        for column, key in keys.items():
            if lines := self._names[column].lines():
                header[key] = readable(lines)
        return header

    def _numbers_of_names(self) -> dict[str, NDArray[numpy.float64]]:
        columns = {}
        for column, names in self._names.items():
            texts = self._texts[column]
            for text in texts:
                names.meet(text)
            numbers = names.number()
            if column in ("user", "group", "executable", "queue") or set(texts) - {""}:
                by_text = numpy.array([numbers[text] for text in texts], dtype=float)
                columns[column] = (
                    by_text[numpy.array(self._named[column])] if texts else numpy.empty(0)
                )
        return columns

    def _predecessors(self) -> polars.Series:
        """Returns the jobs that each waits for; those without a number of their own are none."""
        lists: list[list[int]] = [[]] * len(self._numbers)
        for row, jobs in self._after.items():
            numbers = [(found := number_of(job)) and found[0] for job in jobs]
            lists[row] = [number for number in numbers if number is not None]
            self.not_followed += [
                job for job, number in zip(jobs, numbers, strict=True) if number is None
            ]
        return polars.Series("predecessors", lists, polars.List(polars.Int64))


def _share(total: NDArray[numpy.float64], count: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    return numpy.where(total >= 0, total / count, MISSING)


def _shape(
    value: dict[str, NDArray[numpy.float64]],
    processors: NDArray[numpy.float64],
    all_as_tasks: bool,
) -> dict[str, NDArray[numpy.float64]]:
    """Returns of what tasks jobs with GPUs are: one a chunk.

    Others stay processors, so that they are read as in a log without GPUs; or they are a task for
    each.
    """
    with_gpus, chunks = value["gpus"] > 0, numpy.maximum(value["chunks"], 1)
    cores = numpy.maximum(numpy.ceil(processors / chunks), 1)
    return {
        "tasks": numpy.where(with_gpus, chunks, processors if all_as_tasks else MISSING),
        "tasks_per_node": numpy.where(with_gpus & (value["one_per_node"] > 0), 1, MISSING),
        "whole_nodes": value["whole_nodes"],
        "task_core": numpy.where(with_gpus, cores, 1 if all_as_tasks else MISSING),
        "task_gpu": numpy.where(
            with_gpus, numpy.ceil(value["gpus"] / chunks), 0 if all_as_tasks else MISSING
        ),
    }
