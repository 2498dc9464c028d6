"""Rows of a dump of sacct as a job table, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
import polars

from schedlab.workload.formats.accounting.text import (
    MISSING,
    Meanings,
    count,
    duration,
    kilobytes,
    minutes,
)
from schedlab.workload.formats.accounting.times import Moments
from schedlab.workload.formats.sacct import columns as texts
from schedlab.workload.table import LICENSES, NAME, NEEDS, complete

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from schedlab.workload.formats.sacct.columns import DumpColumns

    Numbers = NDArray[numpy.float64]


class Jobs:
    """What the texts of a dump mean, for all its rows.

    Args:
        columns: Of the dump.
        moments: What reads its times.
        submit: `submit` or `eligible`: the column that says when a job came.
        names: Numbers of the names, by column of the table and name.
        named: Columns of the dump, by those of the table.
    """

    def __init__(
        self,
        columns: DumpColumns,
        moments: Moments,
        submit: str,
        names: dict[str, dict[str, float]],
        named: dict[str, str],
    ) -> None:
        self._columns, self._moments, self._submit = columns, moments, submit
        self._names, self._named = names, named
        self._meanings: dict[tuple[str, str], Meanings] = {}
        self._steps = [
            columns.place.get(name, -1) for name in ("tresusageintot", "maxrss", "ntasks")
        ]
        self._cpu = columns.place.get("totalcpu", -1)
        self._total_memory, self._task_memory = Meanings(_memory_of_tres), Meanings(_bytes)
        self._tasks, self._cpu_seconds = Meanings(count), Meanings(duration)
        self._rows: list[list[str]] = []
        self.unreadable: dict[str, NDArray[numpy.bool_]] = {}

    def used_memory(self, fields: list[str]) -> float:
        """Returns the KB that a step, or a job without steps, used in all."""
        total, largest, tasks = self._steps
        if total >= 0 and "mem=" in fields[total]:
            return self._total_memory[fields[total]]
        if largest < 0:
            return MISSING
        of_task = self._task_memory[fields[largest]]
        number = self._tasks[fields[tasks]] if tasks >= 0 else 1.0
        # The largest task's memory for each: an upper bound, where sacct does not give the sum.
        return of_task * max(1.0, number) if of_task >= 0 else of_task

    def cpu_seconds(self, fields: list[str]) -> float:
        """Returns the processor time that a step or a job used."""
        return self._cpu_seconds[fields[self._cpu]] if self._cpu >= 0 else MISSING

    def table(
        self, rows: list[list[str]], steps: Numbers, shaped: bool, all_as_tasks: bool
    ) -> tuple[polars.DataFrame, Numbers]:
        """Returns rows of jobs as a table without job numbers, and the moments they came.

        `unreadable` then says, by reason, which rows have a text that nobody can read.

        Args:
            rows: The fields of each.
            steps: What their steps used: KB and seconds of processors, -1 for unknown.
            shaped: Whether the table describes the tasks of jobs with GPUs.
            all_as_tasks: Whether it does so for all jobs.
        """
        self._rows, self.unreadable = rows, {}
        came = self.came()
        start = self._not_before("start", came)
        end = self._not_before("end", start)
        status = self._read("state", texts.state)
        allocated = _first(self._any(count, "alloccpus", "ncpus"), self._tres("alloctres", "cpu"))
        requested = _first(self._read("reqcpus", count), self._tres("reqtres", "cpu"))
        processors = numpy.where(allocated > 0, allocated, requested)
        nodes = self._nodes()
        elapsed = _first(
            self._any(duration, "elapsedraw", "elapsed"),
            numpy.where((start >= 0) & (end >= start), end - start, MISSING),
            least=0,
        )
        never = (elapsed <= 0) & (allocated <= 0) & ((start < 0) | (status == 5))
        if self._columns.first_of("start", "alloccpus", "ncpus", "alloctres") is None:
            never = elapsed < 0
        divisor = numpy.where(processors > 0, processors, 1)
        used, seconds = self._usage(steps)
        table = {
            "wait": numpy.where(~never & (start >= came), start - came, MISSING),
            "run": numpy.where(never | (status == texts.UNFINISHED), MISSING, elapsed),
            "allocated_processors": allocated,
            "cpu_time": numpy.where(~never & (seconds >= 0), seconds / divisor, MISSING),
            "used_memory": numpy.where(~never & (used >= 0), used / divisor, MISSING),
            "requested_processors": requested,
            "requested_time": _first(
                self._read("timelimit", duration), self._read("timelimitraw", minutes)
            ),
            "requested_memory": self._requested_memory(processors, nodes),
            "status": numpy.where(status < 0, MISSING, status),
            **{column: self._named_by(column) for column in self._names},
        }
        if shaped:
            table |= self._shape(processors, nodes, all_as_tasks)
        frame = polars.DataFrame({name: values.astype(float) for name, values in table.items()})
        asked = {"jobname": NAME, "constraints": NEEDS, "licenses": LICENSES}
        for column, name in asked.items():
            if (place := self._columns.place.get(column)) is not None:
                read = readable if name == NAME else texts.constraint
                frame = frame.with_columns(
                    polars.Series(name, [read(row[place]) for row in rows], polars.String)
                )
        return complete(frame), came

    def came(self, rows: list[list[str]] | None = None) -> Numbers:
        """Returns when jobs were submitted, or became eligible if that is what is asked for."""
        if rows is not None:
            self._rows, self.unreadable = rows, {}
        submitted = self._read("submit", self._moments)
        if self._submit == "submit":
            return submitted
        return _first(self._read(self._submit, self._moments), submitted)

    def _not_before(self, column: str, earliest: Numbers) -> Numbers:
        """Returns the moments of a column; of two that a text may be, one that is not too early."""
        moments, later = self._read(column, self._moments), self._moments.later
        place = self._columns.place.get(column)
        if not later or place is None:
            return moments
        more = numpy.array([later.get(row[place].strip(), 0.0) for row in self._rows])
        return numpy.where((moments >= 0) & (moments < earliest), moments + more, moments)

    def _usage(self, steps: Numbers) -> tuple[Numbers, Numbers]:
        """Returns KB and processor seconds of jobs: of the whole or, if it has none, of steps."""
        own = numpy.array([self.used_memory(row) for row in self._rows], dtype=float)
        self._note("MaxRSS or TRESUsageInTot", own)
        seconds = numpy.array([self.cpu_seconds(row) for row in self._rows], dtype=float)
        self._note("TotalCPU", seconds)
        of_steps = numpy.where(steps[:, 1] >= 0, steps[:, 1], seconds)
        return numpy.maximum(own, steps[:, 0]), numpy.where(seconds > 0, seconds, of_steps)

    def _nodes(self) -> Numbers:
        return _first(
            self._any(count, "nnodes", "allocnodes"),
            self._tres("alloctres", "node"),
            self._read("nodelist", texts.nodes_in),
            self._read("reqnodes", count),
            self._tres("reqtres", "node"),
        )

    def _requested_memory(self, processors: Numbers, nodes: Numbers) -> Numbers:
        """Returns KB per processor of what ReqMem says for a core, a node or the whole job."""
        requested = self._read("reqmem", texts.memory)
        kind = self._read("reqmem", texts.memory_is_for)
        known, nodes_known = processors > 0, (nodes > 0) & (processors > 0)
        divisor = numpy.where(known, processors, 1)
        of_core = numpy.where((kind == 1) & (requested > 0), requested, MISSING)
        of_node = numpy.where(
            (kind == 2) & nodes_known & (requested > 0), requested * nodes, MISSING
        )
        of_job = numpy.where((kind == 0) & known & (requested > 0), requested, MISSING)
        tres = numpy.where(known, self._tres("reqtres", "mem"), MISSING)
        whole = _first(of_node, of_job, tres)
        return _first(of_core, numpy.where(whole > 0, whole / divisor, MISSING))

    def _shape(self, processors: Numbers, nodes: Numbers, all_as_tasks: bool) -> dict[str, Numbers]:
        """Returns of what tasks jobs with GPUs are: one a node.

        Others stay processors, so that they are read as in a dump without GPUs; or they are a task
        for each.
        """
        per_node = self._read("reqgres", texts.gres_gpus)
        gpus = _first(
            self._tres("alloctres", "gres/gpu"),
            self._tres("reqtres", "gres/gpu"),
            self._read("allocgres", texts.gres_gpus),
            numpy.where(per_node > 0, per_node * numpy.maximum(nodes, 1), MISSING),
        )
        with_gpus, nodes = gpus > 0, numpy.maximum(nodes, 1)
        cores = numpy.maximum(numpy.ceil(processors / nodes), 1)
        return {
            "tasks": numpy.where(with_gpus, nodes, processors if all_as_tasks else MISSING),
            "tasks_per_node": numpy.where(with_gpus, 1, MISSING),
            "task_core": numpy.where(with_gpus, cores, 1 if all_as_tasks else MISSING),
            "task_gpu": numpy.where(
                with_gpus, numpy.ceil(gpus / nodes), 0 if all_as_tasks else MISSING
            ),
        }

    def _named_by(self, column: str) -> Numbers:
        numbers, place = self._names[column], self._columns.place[self._named[column]]
        return numpy.array([numbers[row[place].strip()] for row in self._rows], dtype=float)

    def _any(self, meaning: Callable[[str], float], *columns: str) -> Numbers:
        return _first(*(self._read(column, meaning) for column in columns), least=0)

    def _tres(self, column: str, name: str) -> Numbers:
        return self._read(column, TRES[name])

    def _read(self, column: str, meaning: Callable[[str], float] | Moments) -> Numbers:
        """Returns the numbers of a column; MISSING for all where the dump has no such column."""
        place = self._columns.place.get(column)
        if place is None:
            return numpy.full(len(self._rows), MISSING)
        meanings = meaning if isinstance(meaning, Moments) else self._meaning(column, meaning)
        values = numpy.array([meanings[row[place]] for row in self._rows], dtype=float)
        self._note(self._columns.titles[place].partition("%")[0], values)
        return values

    def _meaning(self, column: str, meaning: Callable[[str], float]) -> Meanings:
        key = column, meaning.__name__
        if key not in self._meanings:
            self._meanings[key] = Meanings(meaning)
        return self._meanings[key]

    def _note(self, column: str, values: Numbers) -> None:
        wrong = numpy.isnan(values)
        if wrong.any():
            reason = f"unreadable {column}"
            self.unreadable[reason] = wrong | self.unreadable.get(reason, wrong)


def readable(name: str) -> str:
    """Returns a name that was read as Latin-1, which fits any bytes, as the UTF-8 it mostly is."""
    if name.isascii():
        return name
    return name.encode("latin-1").decode("utf-8", "replace")


def _first(*columns: Numbers, least: float = 1e-9) -> Numbers:
    """Returns the first value of each row that is at least this much; MISSING where none is."""
    chosen = columns[-1]
    for values in reversed(columns[:-1]):
        chosen = numpy.where(values >= least, values, chosen)
    return numpy.where(chosen >= least, chosen, numpy.where(numpy.isnan(chosen), chosen, MISSING))


def _bytes(text: str) -> float:
    return kilobytes(text, "B")


def _memory_of_tres(text: str) -> float:
    return texts.tres(text, "mem", "B")


def _of_tres(name: str) -> Callable[[str], float]:
    def amount(text: str) -> float:
        return texts.tres(text, name)

    amount.__name__ = name
    return amount


TRES = {name: _of_tres(name) for name in ("cpu", "mem", "node", "gres/gpu")}
