"""Runs side by side."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import polars

from schedlab.analysis.curves import curves
from schedlab.dashboard.runs import calendar_of, changed_options
from schedlab.errors import InputError
from schedlab.results import Result

if TYPE_CHECKING:
    from schedlab.dashboard.guard import Folder

MOST_RUNS = 2_000
MOST_DRAWN = 12
"""Runs that plots can distinguish."""

BINS = 400
POINTS = 200
"""Of a distribution."""

METRICS: tuple[tuple[str, str, str | None], ...] = (
    ("mean wait", "s", "min"),
    ("median wait", "s", "min"),
    ("95th wait", "s", "min"),
    ("max wait", "s", "min"),
    ("mean bounded slowdown", "", "min"),
    ("95th bounded slowdown", "", "min"),
    ("mean turnaround", "s", "min"),
    ("utilization", "%", "max"),
    ("makespan", "s", "min"),
    ("jobs per hour", "", "max"),
    ("jobs", "", None),
    ("rejected", "", "min"),
    ("killed", "", "min"),
    ("CPU time", "cpu", "min"),
)
"""Columns of the table: name, unit, and whether the least or the most is best."""


def comparison(folder: Folder, names: list[str]) -> dict[str, Any]:
    """Returns the metrics of runs, a row each, and which of them plots will show."""
    if not 1 <= len(names) <= MOST_RUNS:
        raise InputError(f"compare: choose 2 to {MOST_RUNS:,} finished runs, not {len(names):,}")
    rows, unreadable = [], []
    for name in dict.fromkeys(names):
        try:
            run = _load(*_stamp(folder, name))
            rows.append({"name": name, **_facts(run)})
        except InputError as error:
            unreadable.append({"name": name, "error": folder.without_root(str(error))})
    columns = [{"name": name, "unit": unit, "best": best} for name, unit, best in METRICS]
    return {
        "columns": columns,
        "rows": rows,
        "unreadable": unreadable,
        "drawn": [row["name"] for row in rows[:MOST_DRAWN]],
    }


def _stamp(folder: Folder, name: str) -> tuple[str, int]:
    path = folder.existing(name)
    try:
        return path, os.stat(os.path.join(path, "run.json")).st_mtime_ns
    except OSError:
        raise InputError(f"{name}: is not a finished run") from None


@lru_cache(maxsize=4_096)
def _load(path: str, changed: int) -> dict[str, Any]:
    return Result.load(path).run


def _facts(run: dict[str, Any]) -> dict[str, Any]:
    metrics, counts = run["metrics"], run["counts"]
    wait, slowdown = metrics["wait"] or {}, metrics["bounded_slowdown"] or {}
    values = (
        *(wait.get(key) for key in ("mean", "median", "p95", "max")),
        *(slowdown.get(key) for key in ("mean", "p95")),
        (metrics["turnaround"] or {}).get("mean"),
        next(iter(metrics["utilization"].values()), None),
        metrics["makespan"],
        metrics["throughput_per_hour"],
        *(counts[key] for key in ("submitted", "rejected", "killed")),
        run["simulator"]["cpu_seconds"],
    )
    return {
        "dispatcher": f"{run['scheduler']} + {run['allocator']}",
        "system": run["system"]["name"],
        "workload": os.path.basename(run["workload"]["path"] or "jobs from Python"),
        "inputs": [_identity(run[part]) for part in ("workload", "system")],
        "options": changed_options(run) or None,
        "status": run["status"],
        "values": list(values),
    }


def _identity(part: dict[str, Any]) -> str:
    """Returns what is the same for runs of one workload, or of one system."""
    return str(part.get("checksum") or part.get("path") or part.get("name"))


def distributions(folder: Folder, name: str) -> dict[str, Any]:
    """Returns what plots show of one of the runs: waits, slowdowns, curves."""
    return _distributions(*_stamp(folder, name))


@lru_cache(maxsize=256)
def _distributions(path: str, changed: int) -> dict[str, Any]:
    result = Result.load(path)
    jobs = result.jobs.select("wait", "bounded_slowdown").drop_nulls().collect()
    shares = np.linspace(0, 1, POINTS + 1)
    data: dict[str, Any] = {"share": shares.tolist(), "wait": [], "slowdown": None, "curves": None}
    if jobs.height:
        data["wait"] = _quantiles(jobs["wait"], shares)
        boxes = (0.05, 0.25, 0.5, 0.75, 0.95)
        box = _quantiles(jobs["bounded_slowdown"], np.array(boxes))
        mean = jobs["bounded_slowdown"].mean()
        data["slowdown"] = {"box": box, "mean": mean}
    run = result.run
    first = float(run["time"]["first_submit"] or 0.0)
    last = float(run["time"]["now"])
    if any(file.startswith("timeline.") for file in run["files"]) and last > first:
        frame = curves(result.timeline, first, last, BINS, ["queued", "running"])
        data["curves"] = {name: frame[name].to_list() for name in ("time", "queued", "running")}
    data["calendar"] = calendar_of(run)
    return data


def _quantiles(values: polars.Series, shares: np.ndarray[Any, Any]) -> list[float]:
    found: list[float] = np.quantile(values.to_numpy(), shares, method="inverted_cdf").tolist()
    return found


def differences(folder: Folder, one: str, other: str, limit: int) -> dict[str, Any]:
    """Returns how the waits of the jobs of two runs differ, job by job."""
    return _differences(*_stamp(folder, one), *_stamp(folder, other), limit)


@lru_cache(maxsize=32)
def _differences(one: str, at_one: int, other: str, at_other: int, limit: int) -> dict[str, Any]:
    columns = ("job_id", "user", "tasks", "submit", "wait")
    result = Result.load(one)
    both = (
        result.jobs.select(columns)
        .join(Result.load(other).jobs.select("job_id", other="wait"), on="job_id")
        .drop_nulls(["wait", "other"])
        .with_columns((polars.col("other") - polars.col("wait")).alias("difference"))
        .collect()
    )
    if both.is_empty():
        raise InputError("compare: the two runs have no job in common that ran in both")
    difference = both["difference"]
    shares = np.linspace(0, 1, POINTS + 1)
    largest = both.sort(difference.abs().alias("size"), descending=True).head(limit)
    return {
        "jobs": both.height,
        "shorter": int((difference < 0).sum()),
        "longer": int((difference > 0).sum()),
        "same": int((difference == 0).sum()),
        "mean": difference.mean(),
        "share": shares.tolist(),
        "difference": _quantiles(difference, shares),
        "largest": [list(row) for row in largest.iter_rows()],
        "columns": largest.columns,
        "calendar": calendar_of(result.run),
    }
