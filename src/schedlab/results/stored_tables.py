"""The tables of a run folder: which columns they have, and what these may hold."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars

from schedlab.errors import InputError
from schedlab.job_states import ENDED
from schedlab.node_lists import PLACEMENT
from schedlab.parquet_probe import probe
from schedlab.regular_file import is_confined, open_regular
from schedlab.results.placements import split_placements
from schedlab.results.run_shape import ADVICE, LATEST_SECONDS
from schedlab.results.stored_columns import (
    ROW,
    StoredColumn,
    check_columns,
    check_rows,
    place_of,
    scan,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedlab.results.stored_columns import Source

ROWS_AT_ONCE = 100_000
"""Of a Parquet file, where nothing says that it is as it was written."""

WHOLE = 2.0**63
"""Beyond all whole numbers of a column: as a double, their largest is this."""

IN_FLIGHT = ("held", "queued", "running")
NODE_STATES = ("off", "sleeping", "booting", "stopping", "down")

_time = StoredColumn("number", -LATEST_SECONDS, LATEST_SECONDS)
_maybe_time = _time._replace(may_be_empty=True)
_seconds = StoredColumn("number", 0.0, LATEST_SECONDS, may_be_empty=True)
_number = StoredColumn("number", may_be_empty=True)
_any_whole = StoredColumn("whole", -WHOLE, WHOLE)
_count = StoredColumn("whole", 0, WHOLE)
_text = StoredColumn("text", may_be_empty=True)
_nodes = _text._replace(form=PLACEMENT)
_amounts = _text._replace(form=r"whole|[^ =]+=\d{1,16}( [^ =]+=\d{1,16})*")

JOBS = {
    **dict.fromkeys(("job_id", "user"), _any_whole),
    "submit": _time,
    **dict.fromkeys(("start", "end"), _maybe_time),
    "state": StoredColumn("text", words=ENDED),
    "tasks": _count,
    "estimate": _time,
    "nodes": _nodes,
    "wait": _seconds,
    **dict.fromkeys(("slowdown", "bounded_slowdown"), _number),
}
"""Columns that every table of jobs has."""

MORE_OF_JOBS = {
    "amounts": _amounts,
    "reason": _text,
    "interruptions": _count._replace(may_be_empty=True),
    "application": _count._replace(may_be_empty=True),
    "lost_seconds": _seconds,
    **dict.fromkeys(("compute", "communication", "file_access"), _seconds),
    **dict.fromkeys(("speed", "energy", "messages", "bytes"), _number),
    **dict.fromkeys(("mean_hops", "hop_bytes", "network_slowdown"), _number),
}

TIMELINE = {
    "time": _time._replace(ascends=True),
    **dict.fromkeys(("queued", "running", "memory_bytes"), _count),
    **dict.fromkeys(("dispatch_nanoseconds", "other_nanoseconds"), _count),
}
MORE_OF_TIMELINE = dict.fromkeys(
    (
        *("clock", "speed", "power", "cap", "price", "carbon", "nodes_off", "nodes_down"),
        *("hottest", "mean_temperature", "cooling", "throttled"),
    ),
    _number,
)

LINKS = {
    "link": _count._replace(ascends=True),
    "kind": StoredColumn("text"),
    **dict.fromkeys(("from", "to"), _count),
    **dict.fromkeys(("from_router", "to_router"), StoredColumn("text")),
    **dict.fromkeys(("bytes_per_second", "bytes", "use"), StoredColumn("number", 0.0)),
}


def columns_of(
    table: str, run: Mapping[str, Any]
) -> tuple[dict[str, StoredColumn], dict[str, StoredColumn]]:
    """Returns the columns that a table of a run must have, and those that it may have.

    Args:
        table: jobs, timeline, states, interruptions or links.
        run: What run.json holds.
    """
    node = StoredColumn("whole", 0, run["system"]["nodes"] - 1)
    if table == "jobs":
        return JOBS, MORE_OF_JOBS
    if table == "timeline":
        capacity = run["system"]["capacity"].items()
        used = {f"{kind}_used": StoredColumn("whole", 0, total) for kind, total in capacity}
        licenses = (run["system"].get("licenses") or {}).items()
        taken = {f"license_{name}": StoredColumn("number", 0, most) for name, most in licenses}
        return TIMELINE | used, MORE_OF_TIMELINE | taken
    if table == "states":
        state = StoredColumn("text", words=NODE_STATES)
        return {"node": node, "state": state, "start": _time, "end": _maybe_time}, {}
    if table == "interruptions":
        seconds = dict.fromkeys(("kept_seconds", "lost_seconds"), _seconds)
        numbers = dict.fromkeys(("job_id", "attempt"), _any_whole)
        times = dict.fromkeys(("start", "end"), _time)
        failed = node._replace(may_be_empty=True)
        return {**numbers, **times, "node": failed, **seconds, "nodes": _nodes}, {}
    return LINKS, {}


def type_of(name: str) -> Any:
    """Returns the type of a column of any table of a run, by its name.

    What is neither text nor a whole number by its name may have fractions, though the first rows
    have none: times, what is published on the data board, what follows jobs.
    """
    for columns in (JOBS, MORE_OF_JOBS, TIMELINE, LINKS):
        if name in columns:
            return columns[name].type
    if name in ("node", "attempt") or name.endswith("_used"):
        return polars.Int64
    return polars.Float64


def scan_table(source: Source, label: str | None = None) -> polars.LazyFrame:
    """Returns a table of a run folder, read lazily; `check_table` says whether it is sound.

    Args:
        source: A CSV or Parquet file, or the content of a CSV file.
        label: What messages call it; None: its path.

    Raises:
        InputError: There is no such file, or it is not a table.
    """
    name = label or str(source)
    try:
        if isinstance(source, str) and source.endswith(".parquet"):
            with open_regular(source) as file:  # by its name it might be another one later
                return polars.scan_parquet(file, glob=False)
        return scan(source, name, type_of)
    except FileNotFoundError:
        table = os.path.splitext(os.path.basename(name))[0]
        raise InputError(f'{name}: was not written; simulate with {table}="csv"') from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from None
    except InputError as error:
        raise InputError(f"{error}; {ADVICE}") from None


def check_table(frame: polars.LazyFrame, table: str, run: Mapping[str, Any], path: str) -> None:
    """Raises InputError for a table that is damaged, or has other jobs than run.json counts.

    Args:
        frame: The table.
        table: Its name, as for `columns_of`.
        run: What run.json holds.
        path: The file.
    """
    try:
        if path.endswith(".parquet") and (is_confined() or "tables" not in run):
            probe(path, ROWS_AT_ONCE, path)
        rows = checked_rows(frame, table, run, path, path)
    except InputError as error:
        raise InputError(f"{error}; {ADVICE}") from None
    counted = {"jobs": sum(run["counts"][state] for state in ENDED)}
    if run["status"] == "complete":  # else it may have stopped within a time point
        counted["timeline"] = run["time"]["time_points"]
    if table == "links":
        counted["links"] = _links_of(run)
    if table in counted and rows != counted[table]:
        what = {"jobs": "jobs that ended", "timeline": "time points", "links": "links"}[table]
        raise InputError(
            f"{path}: has {rows:,} rows, and run.json counts {counted[table]:,} {what}; {ADVICE}"
        )


def _links_of(run: Mapping[str, Any]) -> int:
    """Returns how many links the network of a run has; 0 where it has no network."""
    from schedlab.system.network.network_table import read_network

    network = run["system"].get("network")
    return 0 if network is None else len(read_network(network).links().ends)


def checked_rows(
    frame: polars.LazyFrame,
    table: str,
    run: Mapping[str, Any],
    source: Source,
    label: str,
    *,
    in_flight: bool = False,
) -> int:
    """Returns how many rows a table of a run has, once all of them are known to be sound.

    Args:
        frame: The table.
        table: Its name, as for `columns_of`.
        run: What run.json holds.
        source: Where the table is from.
        label: What messages call that.
        in_flight: Whether its jobs may be queued or running, as in live.json.

    Raises:
        InputError: A column is missing or of another type, or a cell is wrong.
    """
    needed, more = columns_of(table, run)
    columns = {**needed, **more}
    if in_flight:
        columns["state"] = StoredColumn("text", words=(*ENDED, *IN_FLIGHT))
    check_columns(frame, columns, needed, label)
    rows = check_rows(frame, columns, source, label)
    if "nodes" in needed:
        _refuse(_wrong_nodes(frame, run["system"]["nodes"]), label)
    times = [name for name in ("submit", "start", "end") if name in needed]
    for before, after in pairwise(times):
        wrong = frame.with_row_index(ROW).filter(polars.col(after) < polars.col(before))
        what = polars.format("is {}, before its {}, {}", after, polars.lit(before), before)
        _refuse(wrong.select(ROW, polars.lit(after).alias("column"), what.alias("what")), label)
    return rows


def _wrong_nodes(frame: polars.LazyFrame, nodes: int) -> polars.LazyFrame:
    """Returns the rows whose nodes are not those of the machine, ascending."""
    items = split_placements(frame.with_row_index(ROW).select(ROW, "nodes"), "nodes")
    same_job = polars.col(ROW) == polars.col(ROW).shift(1)
    wrong = {
        f"must be below {nodes}": polars.col("last") >= nodes,
        "must ascend": (polars.col("last") < polars.col("first"))
        | (same_job & (polars.col("first") <= polars.col("last").shift(1))),
        "must have a task or more": polars.col("tasks") < 1,
    }
    what = polars.coalesce(
        *(polars.when(bad).then(polars.lit(text)) for text, bad in wrong.items())
    )
    found = items.with_columns(what.alias("what"), polars.lit("nodes").alias("column"))
    return found.filter(polars.col("what").is_not_null()).select(ROW, "column", "what")


def _refuse(wrong: polars.LazyFrame, label: str) -> None:
    """Raises InputError for the first of some rows, if there is one."""
    found = wrong.head(1).collect()
    if found.height:
        row, column, what = found.row(0)
        raise InputError(f"{place_of(label, row)}: column {column}: {what}")
