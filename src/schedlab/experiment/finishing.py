"""After a run: its files in the format to keep, and what the timeline says about it in numbers."""

from __future__ import annotations

import os
from typing import Any

import numpy
import polars

from schedlab.results import Result
from schedlab.results.json_text import to_json
from schedlab.results.result import to_parquet
from schedlab.results.run_shape import ADVICE, checked_run
from schedlab.results.stored_json import read_table
from schedlab.results.tables_check import table_facts
from schedlab.whole_file import whole_file, write_text


def finish_run(folder: str, formats: dict[str, str], sound: tuple[str, ...] = ()) -> dict[str, Any]:
    """Brings the files of a complete run to their formats and returns statistics of its timeline.

    However often it is interrupted, the next call continues: a CSV file is removed only when the
    Parquet file is whole and run.json names it.

    Args:
        folder: Of the run.
        formats: By the name of the table: parquet, csv or none.
        sound: Tables that need no look at each cell.
    """
    converted = [name for name, kept in formats.items() if kept == "parquet"]
    sources = {name: os.path.join(folder, f"{name}.csv") for name in converted}
    sources = {name: source for name, source in sources.items() if os.path.exists(source)}
    for name, source in sources.items():
        target = os.path.join(folder, f"{name}.parquet")
        with whole_file(target) as partial:
            to_parquet(source, partial)
    if sources:
        _rename_files(folder, [f"{name}.parquet" for name in sources])
    for source in sources.values():
        os.unlink(source)
    return timeline_statistics(Result.load(folder, _sound=sound))


def _rename_files(folder: str, files: list[str]) -> None:
    """Lets run.json name these files instead of those with another ending."""
    path = os.path.join(folder, "run.json")
    run = checked_run(read_table(path, "the file of a run", ADVICE), path)
    instead = {os.path.splitext(name)[0]: name for name in files}
    run["files"] = [instead.get(os.path.splitext(name)[0], name) for name in run["files"]]
    if "tables" in run:  # not in runs of earlier versions
        known = {name: facts for name, facts in run["tables"].items() if name in run["files"]}
        made = {name: table_facts(os.path.join(folder, name)) for name in files}
        run["tables"] = {name: {**known, **made}[name] for name in run["files"]}
    write_text(path, to_json(run) + "\n")


def timeline_statistics(result: Result) -> dict[str, Any]:
    """Returns numbers of a run's timeline; all None where it has none.

    Returns:
        `queue_mean` (over time), `queue_max`, `mean_memory_bytes` and `other_microseconds` (both
        over time points).
    """
    names = ("queue_mean", "queue_max", "mean_memory_bytes", "other_microseconds")
    if not any(name.startswith("timeline.") for name in result.run["files"]):
        return dict.fromkeys(names)
    columns = ("time", "queued", "memory_bytes", "other_nanoseconds")
    frame = result.timeline.select(polars.col(columns).cast(polars.Float64)).collect()
    if frame.is_empty():
        return dict.fromkeys(names)
    time, queued, memory, other = (frame[name].to_numpy() for name in columns)
    seconds = time[-1] - time[0]  # a state holds until the next time point
    # Not numpy.dot: its threads turn for longer than all of this takes, and its sums follow them.
    mean = float((queued[:-1] * numpy.diff(time)).sum() / seconds) if seconds > 0 else None
    values = (mean, int(queued.max()), float(memory.mean()), float(other.mean()) / 1000)
    return dict(zip(names, values, strict=True))
