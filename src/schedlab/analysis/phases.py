"""Metrics of a run by phase: what fill, stabilization and drain would otherwise blur."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

from schedlab.analysis.curves import curves
from schedlab.durations import MINUTE
from schedlab.results.part_of_run import phase_windows
from schedlab.workload.table import PHASES

if TYPE_CHECKING:
    from schedlab.results import Result

__all__ = [
    "median_wait_by_minute",
    "phase_table",
    "phase_windows",
    "share_in_use",
    "utilization_by_minute",
]


def phase_table(result: Result) -> polars.DataFrame:
    """Returns a row per phase: its window, jobs, waits, bounded slowdown, and utilization.

    Jobs are those that were submitted in the phase; utilization is the share of the processors'
    time in use between its begin and its end, whoever used it.

    Raises:
        InputError: The workload has no phases, or the run has no table of jobs or timeline.
    """
    windows = phase_windows(result)
    jobs = result.jobs.select("submit", "wait", "bounded_slowdown").collect()
    use = share_in_use(result)
    rows = []
    for name, (begin, end) in windows.items():
        inside = jobs.filter(polars.col("submit").is_between(begin, end, closed="left"))
        share = curves(use, begin, end, 1, ["share"])["share"][0] if end > begin else None
        rows.append(
            {
                "phase": name,
                "number": PHASES.get(name),
                "begin": begin,
                "end": end,
                "jobs": inside.height,
                "mean_wait": inside["wait"].mean(),
                "median_wait": inside["wait"].median(),
                "mean_bounded_slowdown": inside["bounded_slowdown"].mean(),
                "utilization": share,
            }
        )
    return polars.DataFrame(rows, infer_schema_length=None)


def share_in_use(result: Result) -> polars.DataFrame:
    """Returns the share of the processors in use over time, as columns time and share.

    Of the first resource that a processor of the machine takes, which is `core` for most.
    """
    system = result.run["system"]
    kind = next(kind for kind, amount in system["processor"].items() if amount)
    used = polars.col(f"{kind}_used") / system["capacity"][kind]
    return result.timeline.select("time", used.alias("share")).collect()


def utilization_by_minute(result: Result, last: float) -> polars.DataFrame:
    """Returns the mean utilization of each minute up to a time (ScSF, figures 8 to 11).

    Args:
        result: With a timeline.
        last: Seconds since time 0, up to which.
    """
    minutes = max(1, int(last // MINUTE))
    table = curves(share_in_use(result), 0, minutes * MINUTE, minutes, ["share"])
    return table.select("time", polars.col("share").alias("utilization"))


def median_wait_by_minute(result: Result) -> polars.DataFrame:
    """Returns the median wait of the jobs submitted in each minute that has any (figure 12)."""
    return (
        result.jobs.filter(polars.col("wait").is_not_null())
        .group_by((polars.col("submit") // MINUTE * MINUTE).alias("time"))
        .agg(polars.col("wait").median().alias("median_wait"), polars.len().alias("jobs"))
        .sort("time")
        .collect()
    )
