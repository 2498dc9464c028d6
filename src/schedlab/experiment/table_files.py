"""Writes the tables of an experiment, from whatever runs are done."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import polars

from schedlab.experiment.differences import SCHEMA, difference_table
from schedlab.experiment.folder import ExperimentFolder, read_description
from schedlab.experiment.metrics_tables import PLACE, metrics_row, summary_of, table, timing_row
from schedlab.experiment.plan import PlannedRun
from schedlab.experiment.processes import Failure
from schedlab.experiment.side_by_side import side_by_side
from schedlab.results import Result
from schedlab.results.json_text import to_json
from schedlab.results.notices import doubts
from schedlab.results.tables_check import table_facts
from schedlab.simulation.identity.source_checksums import checksum_of
from schedlab.whole_file import whole_file

FILES = ("metrics.csv", "timing.csv", "summary.csv", "differences.csv", "jobs.parquet")


def write_tables(
    folder: ExperimentFolder,
    runs: list[PlannedRun],
    description: dict[str, Any],
    failures: Iterable[Failure],
) -> None:
    """Writes all tables and experiment.json; nothing depends on the order in which runs ended."""
    statistics = {run.name: _statistics(folder, run) for run in runs}
    done = sorted((run for run in runs if statistics[run.name] is not None), key=_order(runs))
    results = {run.name: folder.result(run) for run in done}
    rows: dict[str, list[dict[str, Any]]] = {"metrics": [], "timing": []}
    for run in done:
        place = {"run": run.name, **{name: getattr(run, name) for name in PLACE[1:]}}
        facts, known = results[run.name].run, statistics[run.name]
        assert known is not None
        rows["metrics"].append(metrics_row(place, facts, known))
        rows["timing"].append(timing_row(place, facts, known))
    metrics = table(rows["metrics"])
    _write_csv(folder, "metrics.csv", metrics)
    _write_csv(folder, "timing.csv", table(rows["timing"]))
    _write_csv(folder, "summary.csv", summary_of(metrics))
    _write_jobs(folder, done, results, description)
    failure_rows = [one._asdict() for one in failures]
    for one in failure_rows:
        one["run"] = one.pop("name")
    # An earlier run may stand in for one that failed.
    whole = len(done) == len(runs) and not failure_rows
    folder.write_description(
        {
            **description,
            "notes": [*description["notes"], *_skipped(done, results), *_doubts(done, results)],
            "status": "complete" if whole else "partial",
            "done": len(done),
            "failures": sorted(failure_rows, key=lambda one: str(one["run"])),
            "tables": _tables_checksum(folder, runs, description),
            "files": _facts(folder),
        }
    )


def _facts(folder: ExperimentFolder) -> dict[str, dict[str, Any]]:
    """Returns size and checksum of each table, as they are."""
    paths = {name: os.path.join(folder.path, name) for name in FILES}
    return {name: table_facts(path) for name, path in paths.items() if os.path.exists(path)}


def _skipped(done: list[PlannedRun], results: dict[str, Result]) -> list[str]:
    """Returns what was not read of the workloads, each reported once."""
    notes: dict[str, None] = {}
    for run in done:
        workload = results[run.name].run["workload"]
        for reason, rows in workload["skipped"].items():
            of = f"{rows['rows']:,} of {workload['rows']:,} rows"
            notes[f"{run.workload}: {of} skipped: {reason}"] = None
    return list(notes)


def _doubts(done: list[PlannedRun], results: dict[str, Result]) -> list[str]:
    """Returns what is doubtful in runs, and why jobs were rejected; alike of several, once."""
    notes: dict[str, None] = {}
    for run in done:
        for text in doubts(results[run.name].run):
            notes[f"{run.workload} on {run.system}: {text}"] = None
    return list(notes)


def are_current(
    folder: ExperimentFolder, runs: list[PlannedRun], description: dict[str, Any]
) -> bool:
    """Returns whether the tables that are there are those of these runs."""
    known = _tables_checksum(folder, runs, description)
    written = read_description(folder.path) if known is not None else {}
    return known is not None and written.get("tables") == known and not written.get("failures")


def _statistics(folder: ExperimentFolder, run: PlannedRun) -> dict[str, Any] | None:
    """Returns what is known of a run that is done; None for another."""
    marker = folder.marker(run.name) or {}
    there = os.path.exists(os.path.join(folder.run_path(run.name), "run.json"))
    same = there and marker.get("key") == run.key
    return marker.get("statistics") if same else None


def _order(runs: list[PlannedRun]) -> Any:
    """Returns the key of the tables' order: input, dispatcher, repetition."""
    places: dict[tuple[str, ...], int] = {}
    for run in runs:
        places.setdefault((run.workload, run.system, run.dispatcher), len(places))
    return lambda run: (places[run.workload, run.system, run.dispatcher], run.repetition)


def _write_jobs(
    folder: ExperimentFolder,
    done: list[PlannedRun],
    results: dict[str, Result],
    description: dict[str, Any],
) -> None:
    """Writes jobs.parquet and differences.csv."""
    if description["jobs"] == "none":
        path = os.path.join(folder.path, "jobs.parquet")
        if os.path.exists(path):
            os.unlink(path)
        _write_csv(folder, "differences.csv", polars.DataFrame(schema=SCHEMA))
        return
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for run in done:
        key = (run.workload, run.system, run.dispatcher)
        groups.setdefault(key, []).append(results[run.name])
    jobs = side_by_side([(*key, found) for key, found in groups.items()])
    _write(folder, "jobs.parquet", jobs.write_parquet)
    table = difference_table(jobs, groups, description["baseline"])
    _write_csv(folder, "differences.csv", table)


def _write_csv(folder: ExperimentFolder, name: str, frame: polars.DataFrame) -> None:
    _write(folder, name, frame.write_csv)


def _write(folder: ExperimentFolder, name: str, write: Callable[[str], object]) -> None:
    with whole_file(os.path.join(folder.path, name)) as partial:
        write(partial)


def _tables_checksum(
    folder: ExperimentFolder, runs: list[PlannedRun], description: dict[str, Any]
) -> str | None:
    """Returns what changes with the runs that the tables are made of; None if a table is missing.

    Looks at files without reading them.
    """
    if description["jobs"] == "none":
        needed: tuple[str, ...] = FILES[:-1]
    else:
        needed = FILES
    if not all(os.path.exists(os.path.join(folder.path, name)) for name in needed):
        return None
    seen: list[Any] = []
    for run in runs:
        try:
            status = os.stat(os.path.join(folder.run_path(run.name), "run.json"))
        except FileNotFoundError:
            continue
        seen.append([run.name, run.key, status.st_size, status.st_mtime_ns])
    return checksum_of(to_json([seen, description]).encode())
