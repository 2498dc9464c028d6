"""Paired differences between dispatchers, as a table and as sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import polars

from schedlab.experiment.bootstrap import BlockBootstrap, DifferenceEstimate

COLUMNS = ("wait", "slowdown", "bounded_slowdown", "turnaround")
"""Columns of jobs that are compared; wait and turnaround are seconds."""

SCHEMA: dict[str, Any] = {
    **dict.fromkeys(("workload", "system", "baseline", "dispatcher", "column"), polars.String),
    "jobs": polars.Int64,
    **dict.fromkeys(DifferenceEstimate._fields[1:], polars.Float64),
    "blocks": polars.Int64,
    "block_seconds": polars.Float64,
    "draws": polars.Int64,
}


def difference_table(
    jobs: polars.DataFrame,
    groups: Iterable[tuple[str, str, str]],
    baseline: str,
    columns: tuple[str, ...] = COLUMNS,
) -> polars.DataFrame:
    """Returns how each dispatcher differs from the baseline, a row for each input and column.

    Args:
        jobs: The table of `side_by_side`.
        groups: Workload, system and dispatcher of what has results.
        baseline: The dispatcher that the others are compared with.
        columns: Of COLUMNS.
    """
    rows: list[dict[str, Any]] = []
    dispatchers: dict[tuple[str, str], list[str]] = {}
    for workload, system, dispatcher in groups:
        dispatchers.setdefault((workload, system), []).append(dispatcher)
    for (workload, system), names in dispatchers.items():
        others = [name for name in names if name != baseline] if baseline in names else []
        here = jobs.filter((jobs["workload"] == workload) & (jobs["system"] == system))
        bootstrap = BlockBootstrap(here["submit"].to_numpy())
        for dispatcher in others:
            for column in columns:
                pair = [here[f"{column}:{name}"] for name in (baseline, dispatcher)]
                values = [one.fill_null(float("nan")).to_numpy() for one in pair]
                estimate = bootstrap.estimate(*values)
                rows.append(
                    {
                        "workload": workload,
                        "system": system,
                        "baseline": baseline,
                        "dispatcher": dispatcher,
                        "column": column,
                        **estimate._asdict(),
                        "blocks": bootstrap.blocks,
                        "block_seconds": bootstrap.block_seconds,
                        "draws": bootstrap.draws,
                    }
                )
    return polars.DataFrame(rows, SCHEMA)


def sentence(row: dict[str, Any], labels: dict[str, str]) -> str:
    """Returns a row of the table as people say it.

    Args:
        row: By column.
        labels: What to call dispatchers, by name.
    """
    one = labels.get(row["dispatcher"], row["dispatcher"])
    base = labels.get(row["baseline"], row["baseline"])
    what = f"mean {row['column'].replace('_', ' ')}"
    if not row["jobs"]:
        return f"no job ran under both {one} and {base}"
    unbounded = row["change_low"] is None and row["difference_low"] is not None
    if row["change"] is not None and not unbounded:
        numbers = [row[name] for name in ("change", "change_low", "change_high")]
        values: list[Any] = [None if x is None else 100 * x for x in numbers]
        unit = " %"
    else:
        values = [row[name] for name in ("difference", "difference_low", "difference_high")]
        unit = " s" if row["column"] in ("wait", "turnaround") else ""
    middle, low, high = values
    zero = "" if row["change"] is not None or not middle else f" (that of {base} is 0)"
    if low is None or high is None:
        few = "one job" if row["jobs"] == 1 else "too few jobs for an interval"
        if not middle:
            return f"{one} and {base} have the same {what} ({few})"
        return (
            f"{one} {_verb(middle)} {base} on {what} by {_text(middle, middle)}{unit} ({few}){zero}"
        )
    if low == middle == high == 0:
        return f"{one} and {base} have the same {what}"
    if low <= 0 <= high:
        span = f"{_text(middle, low, high, signed=True)}{unit} {_span(low, high, signed=True)}"
        return f"no clear difference between {one} and {base} on {what}: {span}{zero}"
    ends = sorted((abs(low), abs(high)))
    return (
        f"{one} {_verb(middle)} {base} on {what} by "
        f"{_text(middle, low, high)}{unit} {_span(*ends)}{zero}"
    )


def _verb(change: float) -> str:
    return "beats" if change < 0 else "loses to"


def _text(value: float, *ends: float, signed: bool = False) -> str:
    """Returns a number with as many decimals as its interval deserves."""
    largest = max(map(abs, ends))
    decimals = 0 if largest >= 10 else 1
    if 0 < largest < 0.1:
        decimals = min(9, -math.floor(math.log10(largest)))
    rounded = round(value if signed else abs(value), decimals) + 0.0  # no -0
    return f"{rounded:,.{decimals}f}"


def _span(low: float, high: float, signed: bool = False) -> str:
    texts = [_text(end, low, high, signed=signed) for end in (low, high)]
    return f"[{texts[0]}, {texts[1]}]"
