"""What the files of an experiment hold, checked where they are read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import polars

from schedlab.errors import InputError
from schedlab.experiment.differences import COLUMNS, SCHEMA
from schedlab.experiment.metrics_tables import GROUP, PLACE, column_type, summary_type
from schedlab.experiment.side_by_side import KEYS
from schedlab.options import CHOICES
from schedlab.parquet_probe import probe
from schedlab.regular_file import open_regular
from schedlab.results.shapes import (
    fields,
    list_of,
    maybe,
    number,
    plain,
    table_of,
    text,
    whole,
    word,
)
from schedlab.results.stored_columns import (
    StoredColumn,
    check_columns,
    check_rows,
    read_header,
    scan,
)
from schedlab.results.stored_tables import ROWS_AT_ONCE
from schedlab.results.tables_check import refuse_other

ADVICE = "restore it, or run the experiment again"
"""What to do about a damaged file of an experiment."""

WHOLE = 2.0**63
SEED = whole(0, 2**64 - 1)

_INPUT = fields({"name": text, "path": maybe(text)}, {"reader": text})

_RUN = fields(
    {
        **dict.fromkeys(("name", "workload", "system", "dispatcher"), text),
        **dict.fromkeys(("scheduler", "allocator"), text),
        "repetition": whole(1),
        "seed": SEED,
        "key": maybe(text),
    }
)

DESCRIPTION = fields(
    {
        **dict.fromkeys(("schedlab", "engine", "baseline"), text),
        **dict.fromkeys(("workloads", "systems"), list_of(_INPUT, least=1)),
        "dispatchers": list_of(
            fields(
                dict.fromkeys(("name", "label", "scheduler", "allocator"), text),
                {"objects": list_of(word("scheduler", "allocator"))},
            ),
            least=1,
        ),
        "repeat": whole(1),
        "seed": SEED,
        "rules": maybe(text),
        "options": table_of(plain),
        **dict.fromkeys(("jobs", "timeline"), word(*CHOICES["jobs"])),
        "notes": list_of(text),
        "runs": list_of(_RUN),
        "status": word("running", "complete", "partial"),
        "tables": maybe(text),
    },
    {
        "spec": fields({}),
        "done": whole(),
        "failures": list_of(fields({"run": text, "reason": text})),
        "files": table_of(fields({"bytes": whole(), "checksum": text})),  # not of earlier versions
    },
)
"""The shape of experiment.json."""

MARKER = fields(
    {"key": maybe(text)},
    {
        "statistics": fields(
            dict.fromkeys(
                ("queue_mean", "queue_max", "mean_memory_bytes", "other_microseconds"),
                maybe(number()),
            )
        ),
        "applications": table_of(table_of(text)),
        "next": maybe(text),
        "before": maybe(list_of(whole())),
    },
)
"""The shape of experiment-run.json."""


def check_description(description: dict[str, Any]) -> None:
    """Raises InputError, with the field, for what is not the content of an experiment.json."""
    DESCRIPTION(description, "")
    if description["tables"] is not None and "failures" not in description:
        raise InputError("failures: is missing")
    names = [one["name"] for one in description["dispatchers"]]
    word(*names)(description["baseline"], "baseline")
    for place, run in enumerate(description["runs"]):
        check_run_name(run["name"], f"runs[{place}].name")


def check_run_name(name: str, path: str) -> None:
    """Raises InputError for the name of a run that is not a folder below that of all runs."""
    parts = name.split("/")
    wrong = any(part in ("", ".", "..") or "\0" in part or os.sep in part for part in parts)
    if wrong or len(name) > 4096:
        raise InputError(f"{path}: must be the name of a folder in runs (is {name[:60]!r})")


def columns_of(
    table: str, description: Mapping[str, Any], names: list[str]
) -> dict[str, StoredColumn]:
    """Returns what the columns of a table may hold, by name.

    Args:
        table: metrics, timing, summary or differences.
        description: What experiment.json holds.
        names: Of the columns that are there.
    """
    dispatchers = tuple(one["name"] for one in description["dispatchers"])
    known = {
        "workload": tuple(one["name"] for one in description["workloads"]),
        "system": tuple(one["name"] for one in description["systems"]),
        **dict.fromkeys(("dispatcher", "baseline"), dispatchers),
        "run": tuple(one["name"] for one in description["runs"]),
        "column": COLUMNS,
    }
    found = {}
    for name in names:
        kind = type_of(table, name)
        if kind == polars.String:
            found[name] = StoredColumn(
                "text", words=known.get(name, ()), may_be_empty=name not in known
            )
        elif kind == polars.UInt64:
            found[name] = StoredColumn("unsigned", 0, 2.0**64)
        elif kind == polars.Int64:
            empty = name not in ("repetition", "runs", "jobs", "blocks", "draws")
            found[name] = StoredColumn("whole", 0, WHOLE, may_be_empty=empty)
        else:
            found[name] = StoredColumn("number", may_be_empty=name != "block_seconds")
    return found


def type_of(table: str, name: str) -> Any:
    """Returns the type of a column of a table, by its name."""
    if table == "differences":
        return SCHEMA.get(name, polars.Float64)
    return summary_type(name) if table == "summary" else column_type(name)


NEEDED = {
    "metrics": PLACE,
    "timing": PLACE,
    "summary": (*GROUP, "runs"),
    "differences": tuple(SCHEMA),
}
"""Columns that tables must have."""


def read_csv(folder: str, table: str, description: Mapping[str, Any]) -> polars.DataFrame:
    """Returns a table of an experiment.

    Raises:
        InputError: There is no such file, or it is damaged; with the line.
    """
    path = os.path.join(folder, f"{table}.csv")
    try:
        _refuse_other(path, description)
        names = read_header(path, path)
        frame = scan(path, path, lambda name: type_of(table, name), names)
        columns = columns_of(table, description, names)
        check_columns(frame, columns, NEEDED[table], path)
        check_rows(frame, columns, path, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; {ADVICE}") from None
    except InputError as error:
        raise InputError(f"{error}; {ADVICE}") from None
    return frame.collect()


def _refuse_other(path: str, description: Mapping[str, Any]) -> None:
    """Raises InputError for a table that was changed since the experiment wrote it."""
    facts = description.get("files", {}).get(os.path.basename(path))
    if facts is not None and os.path.exists(path):
        refuse_other(path, facts, "experiment.json")


def scan_jobs(folder: str, description: Mapping[str, Any]) -> polars.LazyFrame:
    """Returns the jobs of all dispatchers beside each other, read lazily.

    Raises:
        InputError: There is no such file, or it is damaged.
    """
    path = os.path.join(folder, "jobs.parquet")
    try:
        open_regular(path).close()
    except FileNotFoundError:
        raise InputError(
            f'{path}: was not written; run the experiment with jobs="parquet"'
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; {ADVICE}") from None
    _refuse_other(path, description)
    frame = polars.scan_parquet(path, glob=False)
    try:
        probe(path, ROWS_AT_ONCE, path)
        check_columns(frame, {}, KEYS, path)
        names = frame.collect_schema().names()
        known = columns_of("metrics", description, ["workload", "system"])
        known["submit"] = StoredColumn("number")
        known |= dict.fromkeys(("job_id", "user", "tasks"), StoredColumn("whole", -WHOLE, WHOLE))
        known |= {
            name: StoredColumn("number", may_be_empty=True) for name in names if name not in KEYS
        }
        check_columns(frame, known, KEYS, path)
        check_rows(frame, known, path, path)
    except InputError as error:
        raise InputError(f"{error}; {ADVICE}") from None
    return frame
