"""Conformance of readers that give job tables, and of writers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import polars

from schedlab.errors import InputError
from schedlab.simulation import Simulation
from schedlab.testing.recording import folder
from schedlab.testing.report import (
    FORKS,
    NO_ERROR,
    SAVES,
    ConformanceError,
    Report,
    limited,
    name_of,
)
from schedlab.testing.time_limit import LIMIT_SECONDS
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import APPLICATION, BATCH, NAME, PREDECESSORS, complete
from schedlab.workload.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab.simulation.core import SystemSource
    from schedlab.workload.reader import Reader

COLUMNS = "tables are complete and all have the same columns"
BATCHES = f"no table has more than {BATCH:,} rows"
TWICE = "a second reading gives the same tables"
BAD = "bad input raises InputError, which names it"
WRITES = "writes every table"
ROWS = "counts the rows"
SAME = "the same tables give the same bytes"
WHOLE = "the file appears when it is whole, and not when writing fails"
BACK = "what is read again is what was written"


def check_table_reader(
    make: Callable[[], Reader],
    label: str,
    bad: Iterable[str | os.PathLike[str] | Callable[[], Any]],
    system: SystemSource | None,
) -> Report:
    """Returns a report if a reader that defines `tables` does what it must.

    Raises:
        ConformanceError: A rule is broken.
    """
    report = Report(label)

    def broken(rule: str, found: str) -> ConformanceError:
        code = "reader = ...  # as given\nfor table in reader.tables():\n    print(table)"
        return ConformanceError(label, rule, found, code=code)

    def read(reader: Reader) -> list[polars.DataFrame]:
        try:
            return list(reader.tables())
        except Exception as error:
            raise broken(NO_ERROR, f"{type(error).__name__}: {error}") from error

    reader = make()
    tables = read(reader)
    report.add(NO_ERROR)
    if not tables:
        raise broken(COLUMNS, "gives no table; one without rows says which columns there are")
    for table in tables:
        try:
            whole = complete(table)
        except InputError as error:
            raise broken(COLUMNS, str(error)) from error
        if whole.schema != table.schema or table.columns != tables[0].columns:
            raise broken(
                COLUMNS, f"{table.schema}; schedlab.workload.table.complete makes it whole"
            )
        if table.height > BATCH:
            raise broken(BATCHES, f"one has {table.height:,}")
    report.add(COLUMNS, BATCHES)
    for again in (reader, make()):
        if not polars.concat(read(again)).equals(polars.concat(tables)):
            raise broken(TWICE, "other rows")
        report.add(TWICE)
    _check_simulation(make, polars.concat(tables), system, report, broken)
    for item in bad:
        _check_bad(item, type(reader), report, broken)
    return report


def _check_simulation(
    make: Callable[[], Reader],
    table: polars.DataFrame,
    system: SystemSource | None,
    report: Report,
    broken: Callable[[str, str], ConformanceError],
) -> None:
    """A simulation that reads from it can be forked, saved and loaded."""
    system = system or _machine(table)

    def ends(simulation: Simulation) -> tuple[dict[str, int], float]:
        simulation.run()
        return simulation.counts, simulation.now

    with folder() as place:
        state = os.path.join(place, "state")
        try:
            simulation = Simulation(make(), system=system, scheduler="fcfs-bf")
            for _ in range(3):
                simulation.step()
            fork = simulation.fork()
            simulation.save(state)
            loaded = Simulation.load(state, workload=make())
            expected = ends(simulation)
            for rule, other in ((FORKS, fork), (SAVES, loaded)):
                if ends(other) != expected:
                    raise broken(rule, "it continues with other jobs")
                report.add(rule)
        except InputError as error:
            raise broken(NO_ERROR, f"simulated: {error}") from error


def _check_bad(
    item: str | os.PathLike[str] | Callable[[], Any],
    kind: Callable[[Any], Any],
    report: Report,
    broken: Callable[[str, str], ConformanceError],
) -> None:
    path = None if callable(item) else os.fsdecode(item)
    try:
        made = item() if callable(item) else kind(path)
        made.strict = True  # rows that it skips are errors then
        for _ in made.tables():
            pass
    except InputError as error:
        if path is not None and os.path.basename(path) not in str(error):
            raise broken(BAD, f"{path}: the message does not name it: {error}") from error
        report.add(BAD)
    except Exception as error:
        raise broken(BAD, f"{path or item}: {type(error).__name__}: {error}") from error
    else:
        raise broken(BAD, f"{path or item}: is read without an error")


def _machine(table: polars.DataFrame) -> dict[str, Any]:
    """Returns a machine on which each of the rows has room when it is alone."""
    sizes = table.select(
        polars.max_horizontal("requested_processors", "allocated_processors").max()
    ).item()
    resources = {"core": max(1, int(sizes or 1))}
    tasks = max(1, int(table["tasks"].max() or 1)) if "tasks" in table.columns else 1  # type: ignore[arg-type]
    for name in table.columns:
        if name.startswith("task_"):
            most = int(table[name].max() or 0)  # type: ignore[arg-type]
            kind = name.removeprefix("task_")
            resources[kind] = max(resources.get(kind, 1), most * tasks, 1)
    return {"groups": {"node": {"nodes": max(2, tasks), "resources": resources}}}


def samples() -> dict[str, polars.DataFrame]:
    """Returns tables that every writer must take."""
    plain = {
        "job": [1.0, 2.0, 3.0],
        "submit": [0.0, 10.0, 10.0],
        "wait": [5.0, -1.0, 0.0],
        "run": [100.0, 0.0, 3600.0],
        "allocated_processors": [4.0, 1.0, -1.0],
        "requested_processors": [4.0, 2.0, 1.0],
        "requested_time": [200.0, -1.0, 7200.0],
        "requested_memory": [1024.0, -1.0, 0.0],
        "status": [1.0, 0.0, 5.0],
        "user": [1.0, 2.0, 1.0],
        "queue": [0.0, 1.0, 2.0],
    }
    more = {
        "tasks": [2.0, -1.0, 1.0],
        "task_core": [2.0, -1.0, 1.0],
        "task_gpu": [1.0, -1.0, 0.0],
        "phase": [1.0, 3.0, 3.0],
        PREDECESSORS: [[], [1], [1, 2]],
        APPLICATION: ["allreduce(bytes=8)", "", "stencil-2d(bytes=64k, iterations=10)"],
        NAME: ["first", "", "übung, \"quoted\" 'text' | \\ ;"],
    }
    return {
        "no rows": complete(polars.DataFrame()),
        "plain rows": complete(polars.DataFrame(plain)),
        "all columns": complete(polars.DataFrame({**plain, **more})),
    }


def check_writer(
    writer: Callable[[str, dict[str, str]], Writer],
    *,
    suffix: str,
    reader: Callable[[str], Reader] | None = None,
    same: Iterable[str] = FIELDS,
    limit_seconds: float = LIMIT_SECONDS,
) -> Report:
    """Returns a report if a writer does what every writer must.

    Args:
        writer: Makes a `Writer` of a path and a header; its class does.
        suffix: What the names of its files end in, such as ".swf".
        reader: Makes what reads such a file again; None: that is not tried.
        same: The columns that must come back, of jobs that the format can hold.
        limit_seconds: Longest time between two findings; code that takes longer never returns.

    Raises:
        ConformanceError: A rule is broken.
    """
    label = f"check_writer({name_of(writer)})"
    with limited(label, limit_seconds):
        return _checked_writer(writer, suffix, reader, same, label)


def _checked_writer(
    writer: Callable[[str, dict[str, str]], Writer],
    suffix: str,
    reader: Callable[[str], Reader] | None,
    same: Iterable[str],
    label: str,
) -> Report:
    report = Report(label)
    header = {"UnixStartTime": "1700000000", "MaxProcs": "64", "Note": "one\ntwo"}

    def broken(rule: str, found: str) -> ConformanceError:
        return ConformanceError(label, rule, found)

    with folder() as place:
        for name, table in samples().items():
            path, again = (os.path.join(place, f"{n}{suffix}") for n in ("first", "second"))
            for target in (path, again):
                try:
                    with writer(target, dict(header)) as made:
                        for part in table.iter_slices(2) if table.height else [table]:
                            made.write(part)
                except Exception as error:
                    raise broken(WRITES, f"{name}: {type(error).__name__}: {error}") from error
                if made.rows != table.height:
                    raise broken(ROWS, f"{name}: {made.rows} of {table.height}")
            report.add(WRITES, ROWS)
            with open(path, "rb") as first, open(again, "rb") as second:
                if first.read() != second.read():
                    raise broken(SAME, name)
            report.add(SAME)
            if reader is not None:
                columns = [column for column in same if column in table.columns]
                back = polars.concat(reader(path).tables()).select(columns)
                if not back.equals(table.select(columns)):
                    raise broken(BACK, f"{name}: {back} instead of {table.select(columns)}")
                report.add(BACK)
        lost = os.path.join(place, f"lost{suffix}")
        try:
            with writer(lost, dict(header)) as made:
                made.write(samples()["plain rows"])
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            left = [name for name in os.listdir(place) if name.startswith("lost")]
            if left:
                raise broken(WHOLE, f"left behind: {', '.join(left)}") from None
        report.add(WHOLE)
    return report
