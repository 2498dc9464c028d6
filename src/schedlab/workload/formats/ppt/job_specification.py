"""Jobs as the Performance Prediction Toolkit describes them: with applications and arguments.

Its columns are job_id, job_size, submit_time, request_time, app_name, app_args, run_time,
queue_name and sched_args. CSV and Parquet files with these names are read without further words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars

from schedlab.errors import InputError
from schedlab.workload.formats.tables.column_map import Source, source_of
from schedlab.workload.table import APPLICATION, PREDECESSORS, TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REQUIRED = frozenset(("job_id", "job_size", "submit_time", "app_name"))
"""Columns by which such a table is known; the others may be missing."""

COLUMNS = {
    "job": "job_id",
    "requested_processors": "job_size",
    "submit": "submit_time",
    "requested_time": "request_time",
    "run": "run_time",
    "queue": "queue_name",
}
"""Our columns, and theirs that hold the same."""

SCHED_ARGS = "sched_args"
PRIORITY = "priority"
"""What a number that stands alone in `sched_args` is."""

_PAIR = r"[A-Za-z_]\w*\s*=\s*[^\s,;=]+"
_PAIRS = re.compile(rf"\s*{_PAIR}(?:[\s,;]+{_PAIR})*[\s,;]*")
_NUMBER = r"^\s*([+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*$"


def is_specification(columns: Iterable[str]) -> bool:
    """Returns whether a table with these columns is such a one."""
    return REQUIRED.issubset(columns)


def scheduling_names(path: str | None, frames: Iterable[polars.DataFrame]) -> list[str]:
    """Returns the names that `sched_args` gives values to, in order of first appearance.

    Args:
        path: Of the file, for messages.
        frames: Its rows.

    Raises:
        InputError: A text has no such form.
    """
    names: dict[str, None] = {}
    for frame in frames:
        for text in frame[SCHED_ARGS].cast(polars.String).unique(maintain_order=True).drop_nulls():
            if re.match(_NUMBER, text):
                names[PRIORITY] = None
            elif _PAIRS.fullmatch(text):
                names.update(dict.fromkeys(re.findall(r"(\w+)\s*=", text)))
            elif text.strip():
                raise InputError(
                    f"{path}: {SCHED_ARGS} {text!r}: must be numbers by name, as "
                    "priority=5, share=0.2, or a priority alone"
                )
    for name in names:
        if name in COLUMNS or name in TEXTS or name == PREDECESSORS:
            raise InputError(f"{path}: {SCHED_ARGS} gives {name}, which has a column of its own")
    return [*names]


def specification_sources(
    types: Mapping[str, polars.DataType], zone: str, arguments: Iterable[str]
) -> dict[str, Source]:
    """Returns what each of our columns is made of.

    Args:
        types: The columns of the file.
        zone: Time zone of moments that give none.
        arguments: What `scheduling_names` found.
    """
    sources = {
        ours: source_of(theirs, ours, types, zone)
        for ours, theirs in COLUMNS.items()
        if theirs in types
    }
    named = polars.col("app_name").cast(polars.String).str.strip_chars()
    given = named.is_not_null() & (named != "")
    # An application says itself how long it takes: what the job asked for stands in for a record.
    requested = sources["requested_time"].expression if "requested_time" in sources else None
    instead = polars.lit(0.0) if requested is None else polars.coalesce(requested, polars.lit(0.0))
    if "run" in sources:
        missing = given & polars.col("run_time").is_null()
        recorded = sources["run"].expression
        sources["run"] = Source(
            polars.when(missing).then(instead).otherwise(recorded), ("run_time",)
        )
    else:
        sources["run"] = Source(polars.when(given).then(instead), ("app_name",))
    text = named
    if "app_args" in types:
        inner = polars.col("app_args").cast(polars.String).str.strip_chars()
        called = polars.concat_str(named, polars.lit("("), inner, polars.lit(")"))
        text = polars.when(inner.is_null() | (inner == "")).then(named).otherwise(called)
    sources[APPLICATION] = Source(polars.when(given).then(text), ("app_name",))
    for name in arguments:
        sources[name] = _argument(name)
    return sources


def _argument(name: str) -> Source:
    text = polars.col(SCHED_ARGS).cast(polars.String)
    value = text.str.extract(rf"(?:^|[\s,;]){name}\s*=\s*([^\s,;=]+)")
    if name == PRIORITY:
        value = polars.coalesce(text.str.extract(_NUMBER), value)
    number = value.cast(polars.Float64, strict=False)
    return Source(polars.when(value.is_null()).then(-1.0).otherwise(number), (SCHED_ARGS,))
