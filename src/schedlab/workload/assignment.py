"""Applications for the jobs of a trace: mixes by size of job, and foreground jobs among them."""

from __future__ import annotations

import math
import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy
import polars

from schedlab.durations import HOUR
from schedlab.errors import InputError
from schedlab.finite import is_finite
from schedlab.naming import parse_call
from schedlab.workload.formats import SUFFIXES, WRITERS, open_reader, open_writer, suffix_of
from schedlab.workload.random_numbers import generator
from schedlab.workload.table import APPLICATION, complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

HOLDING = frozenset(("csv", "parquet", "ppt", "batsim", "irmasim"))
"""Formats that have a place for applications."""

FOREGROUND = "foreground"


class Rule(NamedTuple):
    """A mix of applications for the jobs of a class of sizes.

    Attributes:
        mix: Weights by application; they count relative to each other.
        least: Processors of the smallest job that it is for.
        most: Of the largest one; None: there is none.
    """

    mix: dict[str, float]
    least: int = 1
    most: int | None = None

    @property
    def label(self) -> str:
        """The class, such as `1-64`, `65-` or `any`."""
        if self.least == 1 and self.most is None:
            return "any"
        if self.most == self.least:
            return str(self.least)
        return f"{self.least}-{'' if self.most is None else self.most}"


class Foreground(NamedTuple):
    """New jobs of one application, submitted at random moments of the trace.

    Attributes:
        application: What they run.
        jobs: How many.
        processors: Of each.
        seconds: Requested time of each, and the run time that is recorded.
    """

    application: str
    jobs: int = 10
    processors: int = 1
    seconds: float = float(HOUR)


class Count(NamedTuple):
    """Jobs of one class with one application; `application` is "" for those without."""

    label: str
    application: str
    jobs: int
    processors: int


class Assigned(NamedTuple):
    """What was done: rows written, jobs by class and application, rows skipped."""

    rows: int
    counts: list[Count]
    skipped: dict[str, dict[str, int]]


class Assignment:
    """Which jobs run which applications; the same for the same seed, however tables are cut.

    Args:
        rules: The first whose class has a job's size holds for it. Jobs of none stay as they are.
        share: Of the jobs for which a rule holds, how many get an application; others stay as they
            are.
        foreground: Jobs to add; None: none.
        seed: Any text or whole number.
        check: Called with each application and size that come together; may raise InputError.

    Raises:
        InputError: A rule, the share or the foreground is wrong.
    """

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        share: float = 1.0,
        foreground: Foreground | None = None,
        seed: str | int = 0,
        check: Callable[[str, int], None] | None = None,
    ) -> None:
        self.rules, self.share = tuple(rules), share
        self.foreground, self.seed, self._check = foreground, seed, check
        if not self.rules and foreground is None:
            raise InputError("assign: give applications for the jobs, or a foreground application")
        if not 0.0 <= share <= 1.0:
            raise InputError(f"share: must be from 0 to 1, not {share:g}")
        for rule in self.rules:
            _check_rule(rule)
        if foreground is not None:
            _check_foreground(foreground)
        self._together: Counter[tuple[str, str]] = Counter()
        self._processors: Counter[tuple[str, str]] = Counter()
        self._checked: set[tuple[str, int]] = set()

    def tables(
        self, tables: Iterable[polars.DataFrame], again: Iterable[polars.DataFrame] = ()
    ) -> Iterator[polars.DataFrame]:
        """Yields the tables of a trace with applications.

        Args:
            tables: The trace.
            again: The same once more, which is read first where there are foreground jobs.
        """
        numbers = generator(self.seed, "applications")
        waiting = self._foreground_rows(again)
        for table in tables:
            made = self._assigned(complete(table), numbers)
            if waiting is not None:
                made, waiting = _merged(made, waiting)
            yield made

    @property
    def counts(self) -> list[Count]:
        """Jobs so far by class and application, classes in order of the rules."""
        order = {rule.label: place for place, rule in enumerate(self.rules)}
        order[FOREGROUND] = -1
        keys = sorted(
            self._together,
            key=lambda key: (order.get(key[0], len(order)), not key[1], -self._together[key], key),
        )
        return [Count(*key, self._together[key], self._processors[key]) for key in keys]

    def _assigned(
        self, table: polars.DataFrame, numbers: numpy.random.Generator
    ) -> polars.DataFrame:
        drawn = numbers.random((table.height, 2))
        sizes = _sizes(table)
        before = table[APPLICATION].to_list() if APPLICATION in table.columns else None
        texts = numpy.array(before or [""] * table.height, dtype=object)
        labels = numpy.full(table.height, "other sizes", dtype=object)
        free = sizes >= 1
        for rule in self.rules:
            most = math.inf if rule.most is None else rule.most
            inside = free & (sizes >= rule.least) & (sizes <= most)
            labels[inside] = rule.label
            free &= ~inside
            chosen = inside & (drawn[:, 0] < self.share)
            names = numpy.array([*rule.mix], dtype=object)
            bounds = numpy.cumsum([*rule.mix.values()]) / sum(rule.mix.values())
            places = numpy.searchsorted(bounds, drawn[chosen, 1], side="right")
            texts[chosen] = names[numpy.minimum(places, len(names) - 1)]
        made = table.with_columns(polars.Series(APPLICATION, texts.tolist(), polars.String))
        self._count(labels.tolist(), texts.tolist(), sizes.astype(int).tolist())
        return made

    def _count(self, labels: list[str], texts: list[str], sizes: list[int]) -> None:
        for (label, text, size), jobs in Counter(zip(labels, texts, sizes, strict=True)).items():
            self._together[label, text] += jobs
            self._processors[label, text] += jobs * max(0, size)
            if text and self._check is not None and (text, size) not in self._checked:
                self._check(text, size)
                self._checked.add((text, size))

    def _foreground_rows(self, tables: Iterable[polars.DataFrame]) -> polars.DataFrame | None:
        """Returns the jobs to add, in order of submission."""
        given = self.foreground
        if given is None:
            return None
        first, last, largest = math.inf, -math.inf, 0.0
        for table in tables:
            submits = table["submit"].filter(table["submit"] >= 0)
            if len(submits):
                first, last = min(first, submits.min()), max(last, submits.max())  # type: ignore[type-var, assignment]
                largest = max(largest, table["job"].max())  # type: ignore[type-var, assignment]
        if not is_finite(first):
            raise InputError("foreground: there are no jobs among which to submit it")
        drawn = generator(self.seed, FOREGROUND).random(given.jobs)
        moments = numpy.sort(numpy.floor(first + drawn * (last - first)))
        rows = polars.DataFrame(
            {
                "job": largest + 1 + numpy.arange(given.jobs),
                "submit": numpy.maximum(moments, first),
                "run": numpy.full(given.jobs, float(given.seconds)),
                "requested_processors": numpy.full(given.jobs, float(given.processors)),
                "requested_time": numpy.full(given.jobs, float(given.seconds)),
                APPLICATION: [given.application] * given.jobs,
            }
        )
        labels, texts = [FOREGROUND] * given.jobs, [given.application] * given.jobs
        self._count(labels, texts, [given.processors] * given.jobs)
        return complete(rows)


def assign(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    assignment: Assignment,
    reader: str | None = None,
    writer: str | None = None,
    strict: bool = False,
    progress: Callable[[int, float | None], None] | None = None,
) -> Assigned:
    """Writes a workload with applications and returns what was done.

    Args:
        source: Any workload file.
        target: File to write, of a format that holds applications.
        assignment: Who gets what.
        reader: Format to read; None: what the file is.
        writer: Format to write; None: what the end of the target's name says.
        strict: Whether a row that cannot be read is an error.
        progress: Called with the number of rows written so far and the share of the file.

    Raises:
        InputError: The source cannot be read, or the target cannot hold applications.
    """
    source, target = os.fsdecode(source), os.fsdecode(target)
    if os.path.exists(source) and os.path.exists(target) and os.path.samefile(source, target):
        raise InputError(f"{target}: is the workload itself; give another name for the new one")
    name = parse_call(writer or SUFFIXES.get(suffix_of(target), ""), "writer")[0]
    if name in WRITERS and name not in HOLDING:
        raise InputError(
            f"{target}: {name} has no place for applications; write to a name that ends in .csv, "
            ".parquet or .json"
        )
    opened = open_reader(source, reader)
    opened.strict = strict
    again = opened._pass(strict=False)  # so that rows are counted as skipped once
    tables = assignment.tables(opened.tables(), again.tables() if assignment.foreground else ())
    first = next(tables)  # so that the header is known
    made = open_writer(target, writer, opened.header)
    with made:
        made.write(first)
        for table in tables:
            made.write(table)
            if progress is not None:
                progress(made.rows, opened.share_read)
    return Assigned(made.rows, assignment.counts, opened.skipped)


def _sizes(table: polars.DataFrame) -> numpy.ndarray:
    """Returns how many processes each job has."""
    size = polars.col("requested_processors")
    size = polars.when(size > 0).then(size).otherwise(polars.col("allocated_processors"))
    if "tasks" in table.columns:
        size = polars.when(polars.col("tasks") > 0).then(polars.col("tasks")).otherwise(size)
    return table.select(size.alias("size"))["size"].to_numpy()


def _merged(
    table: polars.DataFrame, waiting: polars.DataFrame
) -> tuple[polars.DataFrame, polars.DataFrame]:
    """Returns the table with the jobs whose time has come, and those that wait still.

    A job comes before the first row that is not submitted earlier.
    """
    latest = numpy.maximum.accumulate(table["submit"].to_numpy())
    places = numpy.searchsorted(latest, waiting["submit"].to_numpy(), side="left")
    now = places < table.height
    if not now.any():
        return table, waiting
    new = complete(polars.concat([table.clear(), waiting.filter(now)], how="diagonal"))
    order = numpy.concatenate([2 * numpy.arange(table.height) + 1, 2 * places[now]])
    place = "\0place"
    both = polars.concat([table, new.select(table.columns)])
    both = both.with_columns(polars.Series(place, order)).sort(place, maintain_order=True)
    return both.drop(place), waiting.filter(~now)


def _check_rule(rule: Rule) -> None:
    if rule.least < 1 or (rule.most is not None and rule.most < rule.least):
        raise InputError(f"sizes {rule.label}: must be from 1 processor on, as 1-64 or 65-")
    if not rule.mix:
        raise InputError(f"sizes {rule.label}: no application is given")
    for text, weight in rule.mix.items():
        if not (is_finite(weight) and weight >= 0):
            raise InputError(f"{text}={weight}: a weight must be a number from 0 on")
    if not sum(rule.mix.values()) > 0:
        raise InputError(f"sizes {rule.label}: one of the weights must be above 0")


def _check_foreground(given: Foreground) -> None:
    if given.jobs < 1 or given.processors < 1:
        raise InputError("foreground: must have at least one job, of at least one processor")
    if not (is_finite(given.seconds) and given.seconds > 0):
        raise InputError(f"foreground: its time must be above 0 s, not {given.seconds:g}")
