"""The tables of an experiment: a row per run, and mean and deviation per group of repetitions."""

from __future__ import annotations

from typing import Any

import numpy
import polars

from schedlab.job_states import ENDED
from schedlab.results.measures import MEASURES

PLACE = ("run", "workload", "system", "dispatcher", "scheduler", "allocator", "repetition", "seed")
"""Columns that say which run a row is of."""

GROUP = ("workload", "system", "dispatcher", "scheduler", "allocator")
STATISTICS = ("mean", "median", "p95", "max")
SPREAD = ("wait", "slowdown", "bounded_slowdown", "turnaround")
STATES = ("submitted", *ENDED)

_WHOLE = {
    "repetition": polars.Int64,
    "seed": polars.UInt64,
    "queue_max": polars.Int64,
    "peak_memory_bytes": polars.Int64,
    "time_points": polars.Int64,
    **{f"jobs_{state}": polars.Int64 for state in STATES},
}


def metrics_row(
    place: dict[str, Any], run: dict[str, Any], statistics: dict[str, Any]
) -> dict[str, Any]:
    """Returns the row of a run in metrics.csv; nothing in it depends on how long anything took.

    Args:
        place: PLACE by name.
        run: What run.json holds.
        statistics: Of the timeline.
    """
    metrics, counts = run["metrics"], run["counts"]
    row = dict(place)
    row.update({f"jobs_{state}": counts[state] for state in STATES})
    for name in SPREAD:
        values = metrics[name] or {}
        row.update({f"{name}_{one}": _number(values.get(one)) for one in STATISTICS})
    row.update({f"utilization_{kind}": _number(u) for kind, u in metrics["utilization"].items()})
    shares = metrics.get("licenses", {})
    row.update({f"license_{name}": _number(share) for name, share in shares.items()})
    row["makespan"] = _number(metrics["makespan"])
    row["throughput_per_hour"] = _number(metrics["throughput_per_hour"])
    row.update({name: statistics[name] for name in ("queue_mean", "queue_max")})
    measured = {measure.name: measure.value(run) for measure in MEASURES}
    row.update({name: value for name, value in measured.items() if value is not None})
    return row


def timing_row(
    place: dict[str, Any], run: dict[str, Any], statistics: dict[str, Any]
) -> dict[str, Any]:
    """Returns the row of a run in timing.csv: what it took to simulate it."""
    simulator, points = run["simulator"], run["time"]["time_points"]
    dispatch = simulator["dispatch_seconds"]
    each = None if dispatch is None or not points else dispatch / points * 1e6
    return {
        **place,
        "cpu_seconds": _number(simulator["cpu_seconds"]),
        "wall_seconds": _number(simulator["wall_seconds"]),
        "dispatch_seconds": _number(dispatch),
        "peak_memory_bytes": simulator["peak_memory_bytes"],
        "mean_memory_bytes": statistics["mean_memory_bytes"],
        "time_points": points,
        "dispatch_microseconds": each,
        "other_microseconds": statistics["other_microseconds"],
    }


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def table(rows: list[dict[str, Any]]) -> polars.DataFrame:
    """Returns rows as a frame; a column that only some have is null in the others."""
    names = dict.fromkeys(name for row in rows for name in row) or dict.fromkeys(PLACE)
    # Those of another resource type may come late: they go beside the others of their kind.
    used = [name for name in names if name.startswith("utilization_")]
    order: list[str] = []
    for name in names:
        if name not in used:
            order.append(name)
        elif name == used[0]:
            order += used
    return polars.DataFrame(rows, {name: column_type(name) for name in order})


def column_type(name: str) -> Any:
    """Returns the type of a column, which an empty file does not say."""
    if name in PLACE and name not in _WHOLE:
        return polars.String
    return _WHOLE.get(name, polars.Float64)


def summary_of(rows: polars.DataFrame) -> polars.DataFrame:
    """Returns mean and sample deviation of each number, a row per group, in the order of `rows`.

    Columns keep their names for the mean; the deviation is NAME_deviation, null for one run.
    """
    numbers = [name for name in rows.columns if name not in PLACE]
    groups = rows.partition_by(GROUP, maintain_order=True, as_dict=True)
    summaries = []
    for key, group in groups.items():
        row: dict[str, Any] = {**dict(zip(GROUP, key, strict=True)), "runs": group.height}
        for name in numbers:
            values = group[name].drop_nulls().cast(polars.Float64).to_numpy()
            row[name], row[f"{name}_deviation"] = _mean_and_deviation(values)
        summaries.append(row)
    names = [*GROUP, "runs", *(f"{name}{end}" for name in numbers for end in ("", "_deviation"))]
    return polars.DataFrame(summaries, {name: summary_type(name) for name in names})


def _mean_and_deviation(values: numpy.ndarray[Any, Any]) -> tuple[float | None, float | None]:
    if not len(values):
        return None, None
    if (values == values[0]).all():  # exactly, where a sum would be rounded
        return float(values[0]), 0.0 if len(values) > 1 else None
    return float(values.mean()), float(values.std(ddof=1))


def summary_type(name: str) -> Any:
    """Returns the type of a column of the summary."""
    if name in GROUP:
        return polars.String
    return polars.Int64 if name == "runs" else polars.Float64
