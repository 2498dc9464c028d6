"""Facts of a workload file: what is in it, and what of it would matter in a simulation.

One pass over the rows of any format, a table at a time. What medians and the search for repeated
job numbers need is kept as arrays: 32 bytes per row (job number, submission, run time, requested
time), 32 MB per million. Everything else is counted while reading.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter
from typing import TYPE_CHECKING

import numpy

from schedlab.durations import DAY
from schedlab.errors import InputError
from schedlab.workload.amounts import amounts, processors
from schedlab.workload.formats import open_reader
from schedlab.workload.header import date_text, leading_number, time_zone, unix_start
from schedlab.workload.inspect_dependencies import DependencyTally
from schedlab.workload.inspect_shapes import ShapeTally
from schedlab.workload.local_time import (
    jobs_by_hour,
    jobs_by_month,
    jobs_by_weekday,
    local_seconds,
)
from schedlab.workload.predecessor_warnings import UNHEEDED, predecessor_warnings
from schedlab.workload.statistics import spread

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import polars
    from numpy.typing import NDArray

    Column = NDArray[numpy.float64]


def inspect_workload(
    path: str | os.PathLike[str],
    progress: Callable[[int, float | None], None] | None = None,
    reader: str | None = None,
) -> dict[str, Any]:
    """Returns the facts of a workload file as nested dicts of plain values, ready for JSON.

    Args:
        path: The file, of any format that schedlab reads.
        progress: Called with the rows read so far and the share of the file they are, if known.
        reader: Name of what reads it; None: what the file is.

    Raises:
        InputError: The file cannot be read, or has lines but none that is a row.
    """
    opened = open_reader(path, reader)
    tally: _Tally | None = None
    for table in opened.tables():
        if not table.height:
            continue
        if tally is None:
            tally = _Tally(opened.header)
        tally.add(table)
        if progress is not None:
            progress(tally.rows, opened.share_read)
    skipped = opened.skipped
    lines = sum(rows["rows"] for rows in skipped.values())
    if tally is None and lines:
        reasons = "; ".join(
            f"{rows['rows']:,} {reason}, first in line {rows['first_line']:,}"
            for reason, rows in skipped.items()
        )
        raise InputError(f"{opened.path}: none of its {lines:,} lines is a job: {reasons}")
    tally = tally or _Tally({})
    tally.header = opened.header
    first_lines = [rows["first_line"] for rows in skipped.values()]
    assert opened.path is not None
    facts = {
        "path": opened.path,
        "reader": str(opened),
        "bytes": os.stat(opened.path).st_size,
        "header": tally.header,
        "rows": tally.rows,
        "malformed": {"lines": lines, "first_line": min(first_lines) if first_lines else None},
        "skipped": skipped,
        **tally.facts(),
        "sorted_by_simulations": not opened.in_submit_order,
        "notices": opened.notices,
    }
    facts["warnings"] = [
        *_warnings(facts),
        *_dependency_warnings(facts),
        *facts["notices"],
    ]
    return facts


COLUMNS = (
    *("job", "submit", "run", "requested_time", "requested_processors", "allocated_processors"),
    *("user", "group", "queue", "partition", "requested_memory", "used_memory", "preceding_job"),
)
"""Fields of SWF that are inspected."""


MOST_SHOWN = 8
"""Jobs of a circle that a warning names."""


class _Tally:
    """Counts and compact columns of the rows seen so far."""

    def __init__(self, header: dict[str, str]) -> None:
        self.header = header
        self.start = unix_start(header)
        self.zone, self.zone_name = time_zone(header)
        self.rows = 0
        self.counts: Counter[str] = Counter()
        self.shapes = ShapeTally()
        self.dependencies = DependencyTally()
        self.hours = numpy.zeros(24, dtype=numpy.int64)
        self.weekdays = numpy.zeros(7, dtype=numpy.int64)
        self.months = numpy.zeros(12, dtype=numpy.int64)
        self.processors: dict[str, Counter[int]] = {"requested": Counter(), "allocated": Counter()}
        self.seen: dict[str, set[int]] = {
            "user": set(),
            "group": set(),
            "queue": set(),
            "partition": set(),
        }
        self.job_numbers, self.submissions = array("d"), array("d")
        self.run_times, self.requested_times = array("d"), array("d")
        self.first = self.last = self.previous = self.latest = float("nan")
        self.farthest_back = 0.0
        self.preceding: set[int] = set()  # two of them are enough to see that they differ
        self.work = 0.0

    def add(self, table: polars.DataFrame) -> None:
        """Takes a table of at least one row."""
        field = {name: table[name].to_numpy() for name in COLUMNS}
        submit, run, requested = field["submit"], field["run"], field["requested_time"]
        self.rows += len(submit)
        self._add_times(submit)
        for kept, column in (
            (self.job_numbers, field["job"]),
            (self.submissions, submit),
            (self.run_times, run),
            (self.requested_times, requested),
        ):
            kept.frombytes(column.tobytes())
        for name, seen in self.seen.items():
            seen.update(map(int, numpy.unique(field[name][field[name] >= 0])))
        if len(self.preceding) < 2:
            named = field["preceding_job"]
            self.preceding.update(map(int, numpy.unique(named[named > 0])[:2]))
        requested_processors, given = field["requested_processors"], field["allocated_processors"]
        for name, column in (("requested", requested_processors), ("allocated", given)):
            values, counts = numpy.unique(column[column > 0], return_counts=True)
            self.processors[name].update(dict(zip(map(int, values), map(int, counts), strict=True)))
        resources = amounts(table)
        self.shapes.add(table, resources)
        self.dependencies.add(table)
        # What a log says was given counts before what was asked for; tasks of cores before both.
        taken = resources["core"]
        tasks = table["task_core"].to_numpy() if "task_core" in table.columns else -1.0
        taken = numpy.where((given > 0) & ~(tasks > 0), given, taken)
        usable = (taken > 0) & (run >= 0)
        self.work += float((run * taken)[usable].sum())
        most = leading_number(self.header.get("MaxProcs")) or float("inf")
        for name, chosen in {
            "no_submit_time": submit < 0,
            "no_processors": taken <= 0,
            "more_than_machine": processors(table) > most,
            "no_run_time": run < 0,
            "zero_run_time": run == 0,
            "no_requested_time": requested <= 0,
            "exceeded": (requested > 0) & (run > requested),
            "requested_memory": field["requested_memory"] > 0,
            "used_memory": field["used_memory"] > 0,
            "preceding": field["preceding_job"] > 0,
        }.items():
            self.counts[name] += int(numpy.count_nonzero(chosen))

    def _add_times(self, submit: Column) -> None:
        with_previous = numpy.concatenate(([self.previous], submit))
        # Comparisons with the "not a number" before the first row are false.
        self.counts["unsorted"] += int(numpy.count_nonzero(numpy.diff(with_previous) < 0))
        self.previous = float(submit[-1])
        latest = numpy.fmax.accumulate(numpy.concatenate(([self.latest], submit)))
        self.farthest_back = max(self.farthest_back, float((latest[1:] - submit).max()))
        self.latest = float(latest[-1])
        self.first = float(numpy.fmin(self.first, submit.min()))
        self.last = float(numpy.fmax(self.last, submit.max()))
        local = submit if self.start is None else local_seconds(submit + self.start, self.zone)
        self.hours += jobs_by_hour(local)
        self.weekdays += jobs_by_weekday(local)
        self.months += jobs_by_month(local)

    def facts(self) -> dict[str, Any]:
        """Returns what the rows say together."""
        counts, rows = self.counts, self.rows
        run, requested = numpy.frombuffer(self.run_times), numpy.frombuffer(self.requested_times)
        both = (run >= 0) & (requested > 0)
        span = self.last - self.first if rows else 0.0
        names = numpy.unique(numpy.frombuffer(self.job_numbers))
        return {
            "unsorted_rows": counts["unsorted"],
            "unsorted_seconds": _plain(self.farthest_back),
            "duplicate_job_numbers": rows - len(names),
            "submit": {
                "first": _plain(self.first) if rows else None,
                "last": _plain(self.last) if rows else None,
                "span_seconds": _plain(span),
                **self._dates(),
            },
            "jobs_per_day": rows / (span / DAY) if span > 0 else None,
            "interarrival": self._interarrival(),
            "jobs_by_hour": [int(jobs) for jobs in self.hours],
            # Without a date of time 0 nobody knows which day it was.
            "jobs_by_weekday": None if self.start is None else [int(n) for n in self.weekdays],
            "jobs_by_month": None if self.start is None else [int(n) for n in self.months],
            **{f"{name}s": len(seen) for name, seen in self.seen.items()},
            "processors": {
                name: _processor_facts(sizes, rows) for name, sizes in self.processors.items()
            },
            "run_time": {**_spread(run[run >= 0], rows), "zero_rows": counts["zero_run_time"]},
            "requested_time": {
                **_spread(requested[requested > 0], rows),
                "exceeded_rows": counts["exceeded"],
                "exceeded_share": _share(counts["exceeded"], int(numpy.count_nonzero(both))),
                "run_over_requested_median": _median(run[both] / requested[both]),
            },
            "memory": {
                "requested_share": _share(counts["requested_memory"], rows),
                "used_share": _share(counts["used_memory"], rows),
            },
            "rows_with_preceding_job": counts["preceding"],
            "one_preceding_job": min(self.preceding) if len(self.preceding) == 1 else None,
            "offered_load": self._load(span),
            "rows_without": {
                name: counts[f"no_{name}"]
                for name in ("submit_time", "processors", "run_time", "requested_time")
            },
            "rows_larger_than_machine": counts["more_than_machine"],
            "unheeded_predecessors": self.dependencies.facts(
                numpy.frombuffer(self.job_numbers), numpy.frombuffer(self.submissions)
            ),
            **self.shapes.facts(),
        }

    def _interarrival(self) -> dict[str, Any]:
        submit = numpy.frombuffer(self.submissions)
        gaps = numpy.diff(numpy.sort(submit[submit >= 0]))
        facts = spread(gaps)
        mean, deviation = facts["mean"], facts["deviation"]
        return {
            **{key: facts[key] for key in ("min", "median", "mean", "p90", "max")},
            "variation": deviation / mean if mean and deviation is not None else None,
            "zero_share": _share(int(numpy.count_nonzero(gaps == 0)), len(gaps)),
        }

    def _dates(self) -> dict[str, Any]:
        if self.start is None or not self.rows:
            return {"first_date": None, "last_date": None, "time_zone": None}
        first, last = (
            date_text(self.start + moment, self.zone) for moment in (self.first, self.last)
        )
        return {"first_date": first, "last_date": last, "time_zone": self.zone_name}

    def _load(self, span: float) -> dict[str, Any] | None:
        for field in ("MaxProcs", "MaxNodes"):
            most = leading_number(self.header.get(field))
            if most and span > 0:
                return {"load": self.work / (most * span), "processors": most, "field": field}
        return None


def _processor_facts(sizes: Counter[int], rows: int) -> dict[str, Any]:
    jobs = sizes.total()
    values = numpy.array(sorted(sizes), dtype=numpy.float64)
    weights = numpy.array([sizes[size] for size in sorted(sizes)], dtype=numpy.int64)
    powers = sum(count for size, count in sizes.items() if size & (size - 1) == 0)
    middle = numpy.searchsorted(numpy.cumsum(weights), jobs / 2) if jobs else 0
    return {
        "given_share": _share(jobs, rows),
        "min": min(sizes, default=None),
        "median": _plain(float(values[middle])) if jobs else None,
        "mean": float((values * weights).sum() / jobs) if jobs else None,
        "max": max(sizes, default=None),
        "serial_share": _share(sizes[1], jobs),
        "power_of_two_share": _share(powers, jobs),
    }


def _spread(values: Column, rows: int) -> dict[str, Any]:
    some = len(values) > 0
    return {
        "given_share": _share(len(values), rows),
        "min": _plain(float(values.min())) if some else None,
        "median": _median(values),
        "mean": float(values.mean()) if some else None,
        "max": _plain(float(values.max())) if some else None,
    }


def _median(values: Column) -> float | None:
    return _plain(float(numpy.median(values))) if len(values) else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _plain(number: float) -> float:
    return int(number) if number.is_integer() else number


def _reason(reason: str) -> str:
    few = reason.startswith("not ") and reason.endswith(" numbers")
    return f"without {reason.removeprefix('not ')}" if few else f"({reason})"


def _warnings(facts: dict[str, Any]) -> list[str]:
    """Returns what would matter in a simulation, with the option that decides about it."""
    without = facts["rows_without"]
    share = facts["requested_time"]["exceeded_share"] or 0
    back = facts["unsorted_seconds"]
    same = ""
    if facts["one_preceding_job"] is not None and facts["rows_with_preceding_job"] > 1:
        same = f", all after job {facts['one_preceding_job']}, as a filler would have it"
    found = [
        *(
            (rows["rows"], "line", f"{_reason(reason)}: skipped, or refused by --strict")
            for reason, rows in facts["skipped"].items()
        ),
        (
            0 if facts["sorted_by_simulations"] else facts["unsorted_rows"],
            "row",
            f"submitted before the row above: run with --sort (by up to {back:,.9g} s)",
        ),
        (facts["duplicate_job_numbers"], "row", "with the job number of an earlier one: skipped"),
        (without["submit_time"], "row", "without submit time: skipped"),
        (without["processors"], "row", "without processors: skipped"),
        (without["run_time"], "row", "without run time: skipped, or see --unusable"),
        (facts["run_time"]["zero_rows"], "row", "with run time 0: kept, or see --zero-run"),
        (
            without["requested_time"],
            "row",
            "without requested time: the run time stands in, or see --missing-estimate",
        ),
        (
            facts["requested_time"]["exceeded_rows"],
            "row",
            f"({share:.1%}) with a run time above the requested one: cut by --enforce-limits only",
        ),
        (facts["rows_larger_than_machine"], "row", "with more processors than MaxProcs"),
        (
            facts["rows_with_preceding_job"],
            "row",
            f"after a preceding job{same}: ignored, or see --dependencies",
        ),
    ]
    warnings = [f"{n:,} {what}{'s' * (n > 1)} {text}" for n, what, text in found if n]
    return warnings if facts["rows"] else ["no rows", *warnings]


def _dependency_warnings(facts: dict[str, Any]) -> list[str]:
    """Returns which predecessors hold no job in a simulation that honours them."""
    found = facts["unheeded_predecessors"]
    if facts["one_preceding_job"] is not None and facts["rows_with_preceding_job"] > 1:
        return []  # a filler means nothing
    texts = predecessor_warnings(
        {
            why: (first["number"], first["job"], first["predecessor"])
            for why in UNHEEDED
            if (first := found[why]) is not None
        }
    )
    if found["never_in_turn"]:
        circle = [str(job) for job in found["circle"]]
        shown = circle if len(circle) <= MOST_SHOWN else [*circle[:MOST_SHOWN], "..."]
        texts.append(
            f"{found['never_in_turn']:,} jobs wait for each other in a circle, or for jobs that "
            f"do: {' -> '.join(shown)}"
        )
    return texts
