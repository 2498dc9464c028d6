"""Slurm's accounting, as `sacct -P` dumps it, as job tables.

docs/reference/sacct.md says which command gives a complete dump, and what becomes of it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import polars

from schedlab.errors import InputError
from schedlab.workload.formats.accounting.text import MISSING, word_of
from schedlab.workload.formats.accounting.times import zone_of
from schedlab.workload.formats.sacct.columns import DumpColumns, identity
from schedlab.workload.formats.sacct.survey import Survey
from schedlab.workload.reader import Reader
from schedlab.workload.table import in_batches, sorted_by_submit

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from schedlab.workload.formats.accounting.times import Moments
    from schedlab.workload.formats.sacct.columns import Identity
    from schedlab.workload.formats.sacct.jobs import Jobs

    Row = tuple[list[str], str, Identity | None]

ROWS = 8192
"""Rows that become a table together: few enough that their texts are little memory."""


class SacctReader(Reader):
    """Jobs of a dump that `sacct -P` or `sacct -p` wrote, in order of submission.

    The file is read twice: first for what must be known of the whole (its first moment, the
    names, records that others supersede), then for the jobs. A dump in order of submission is a
    stream: some 20 bytes a job are kept. Else all jobs are in memory, to be sorted.

    Args:
        path: The file; a name that ends in .gz, .bz2 or .xz is decompressed.
        zone: Time zone of its times, which sacct writes without one; None: UTC, and a notice says
            so if there are such times.
        submit: `Submit` or `Eligible`: when a job came.
        queue: `QOS` or `Partition`: what is the job's queue.
        requeued: What becomes of a job that ran several times: each run a job (`all`), or the last
            one only (`last`).
        resources: Whether tables say of what tasks jobs are; None: of jobs with GPUs, if there are.
        names: Whether the header gives the names of users, groups and accounts.

    Raises:
        InputError: An argument is none of these.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        zone: str | None = None,
        submit: str = "Submit",
        queue: str = "QOS",
        requeued: str = "all",
        resources: bool | None = None,
        names: bool = False,
    ) -> None:
        super().__init__(path)
        submit = word_of("sacct", "submit", submit, ("submit", "eligible"))
        queue = word_of("sacct", "queue", queue, ("qos", "partition"))
        requeued = word_of("sacct", "requeued", requeued, ("all", "last"))
        self._zone_name, self._zone = zone or "UTC", zone_of(zone, "reader sacct")
        self._submit, self._queue, self._requeued = submit, queue, requeued
        self._resources, self._names_in_header = resources, names
        self._header: dict[str, str] = {}
        self._moments: Moments | None = None

    @property
    def header(self) -> dict[str, str]:
        return dict(self._header)

    @property
    def notices(self) -> list[str]:
        return self._moments.notices("sacct") if self._moments else []

    def tables(self) -> Iterator[polars.DataFrame]:
        known = Survey(self)
        self._header, self._moments = known.header(), known.moments
        self.numbered_names = tuple(known.names)
        if known.records.in_order:
            yield from self._read(known)
        else:
            yield from in_batches(sorted_by_submit(polars.concat(self._read(known))))

    def _read(self, known: Survey) -> Iterator[polars.DataFrame]:
        """Yields the jobs in the order of the file; at least one table."""
        batch, current = _Batch(), ""
        for fields, text, found in self._rows(known.columns, self.skip):
            if found is None:
                if text == current:  # it follows its job; others are known from the survey
                    self._add_step(known.jobs, fields, batch.used[-1])
                continue
            if len(batch.rows) == ROWS:
                yield self._table(known, batch)
                batch = _Batch(batch.at + ROWS)
            current = text
            batch.rows.append(fields)
            batch.used.append(list(known.strays.get(text, (MISSING, MISSING))))
            batch.whose.append(found)
            batch.lines.append(self.line)
        if batch.rows or not batch.at:
            yield self._table(known, batch)

    def _add_step(self, jobs: Jobs, fields: list[str], used: list[float]) -> None:
        memory, seconds = jobs.used_memory(fields), jobs.cpu_seconds(fields)
        if memory != memory or seconds != seconds:
            self.skip("unreadable step")
            return
        used[0] = max(used[0], memory)
        used[1] = max(used[1], 0.0) + seconds if seconds >= 0 else used[1]

    def _table(self, known: Survey, batch: _Batch) -> polars.DataFrame:
        """Returns the table of some rows of jobs, without those that cannot be used."""
        count = len(batch.rows)
        steps = numpy.array(batch.used, dtype=float).reshape(-1, 2)
        table, came = known.jobs.table(batch.rows, steps, known.shaped, bool(self._resources))
        keep = numpy.ones(count, dtype=bool)
        reasons = [*known.jobs.unreadable.items(), *known.records.left_out(batch.at, count)]
        for reason, wrong in reasons:
            for row in numpy.flatnonzero(wrong & keep):
                self.skip(reason, batch.lines[row])
            keep &= ~wrong
        columns = {
            "job": known.records.numbers_of(batch.at, count),
            "submit": came - known.records.start,
        }
        if known.arrays:
            columns["array_job"] = numpy.array([who.array_job for who in batch.whose], float)
            columns["array_task"] = numpy.array([who.array_task for who in batch.whose], float)
        table = table.with_columns(polars.Series(name, col) for name, col in columns.items())
        return table.filter(polars.Series(keep))

    def _rows(self, columns: DumpColumns, wrong: Callable[[str], object]) -> Iterator[Row]:
        """Yields fields, JobID and whose job it is, of each row; None where it is a step."""
        lines = self.lines("latin-1")  # which every byte is; names are put right later
        next(lines, None)
        identifier, raw = columns.id, columns.raw
        for line in lines:
            line = line.rstrip("\r\n")
            if not line:
                continue
            fields = columns.split(line)
            if fields is None:
                wrong(f"not {len(columns.names)} fields")
                continue
            text = fields[identifier].strip()
            job, point, _ = text.partition(".")
            if point:
                yield fields, job, None
                continue
            found = identity(text, fields[raw] if raw is not None else None)
            if found is not None:
                yield fields, text, found
            elif not columns.is_first_line(line):
                wrong("no job number")
            elif not columns.same(line):
                raise InputError(
                    f"{self.path}:{self.line}: begins a dump with other columns; give each dump "
                    "a file, or make all with the same -o"
                )

    def _columns(self) -> DumpColumns:
        """Returns what the first line says, and that it is enough."""
        lines = self.lines("latin-1")
        line = next(lines, "").removeprefix("ï»¿").rstrip("\r\n")
        lines.close()  # type: ignore[attr-defined]
        columns = DumpColumns(line, str(self.path))
        for needed in {"submit", self._submit}:
            if needed not in columns.place and (needed == self._submit or self._submit == "submit"):
                raise InputError(
                    f"{self.path}: has no column {needed.capitalize()}; ask sacct for it with -o"
                )
        return columns


class _Batch:
    """Rows of jobs that become a table: fields, what steps used, identities and lines.

    Args:
        at: How many rows of jobs come before them.
    """

    def __init__(self, at: int = 0) -> None:
        self.at = at
        self.rows: list[list[str]] = []
        self.used: list[list[float]] = []
        self.whose: list[Identity] = []
        self.lines: list[int] = []
