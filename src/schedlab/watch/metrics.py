"""Metrics of the jobs that had ended by some time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars

from schedlab.analysis.amounts import amounts_per_task
from schedlab.durations import HOUR
from schedlab.results.summary import summary_of
from schedlab.watch.moment import occupancy

if TYPE_CHECKING:
    from schedlab.watch.view import RunView


def metrics_at(view: RunView, time: float) -> dict[str, Any]:
    """Returns what run.json calls `metrics`, had the run ended at this time; exact."""
    ended = view.jobs().filter(
        polars.col("start").is_not_null() & (polars.col("end") <= time).fill_null(False)
    )
    ended = ended.with_columns((polars.col("end") - polars.col("submit")).alias("turnaround"))
    last = ended["end"].max()
    makespan = float(last) - view.first if isinstance(last, float) else 0.0
    capacity = view.run["system"]["capacity"]
    held = _held_seconds(ended, view.run)
    return {
        **{
            name: summary_of(ended[name])
            for name in ("wait", "slowdown", "bounded_slowdown", "turnaround")
        },
        "utilization": {
            kind: held[kind] / (total * makespan) if total and makespan else 0.0
            for kind, total in capacity.items()
        },
        "makespan": makespan,
        "throughput_per_hour": ended.height * HOUR / makespan if makespan else 0.0,
    }


def _held_seconds(jobs: polars.DataFrame, run: dict[str, Any]) -> dict[str, float]:
    """Returns what the jobs held of each resource type, times how long."""
    kinds = list(run["system"]["capacity"])
    seconds = jobs["end"] - jobs["start"]
    each = amounts_per_task(jobs, run)
    held = {kind: float((each[kind] * jobs["tasks"] * seconds).sum()) for kind in kinds}
    whole = jobs.filter(each[kinds[0]].is_null())
    if not whole.is_empty():  # what those took depends on their nodes
        taken = occupancy(whole, run).join(
            whole.select("job_id", (polars.col("end") - polars.col("start")).alias("seconds")),
            on="job_id",
        )
        for kind in kinds:
            held[kind] += float((taken[kind] * taken["seconds"]).sum())
    return held
