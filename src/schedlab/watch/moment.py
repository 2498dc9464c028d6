"""How a run stands at one time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import polars

from schedlab.analysis.amounts import amounts_per_task, node_capacities
from schedlab.analysis.spans import node_spans
from schedlab.job_states import ENDED


class Moment(NamedTuple):
    """What monitors show of a run.

    Attributes:
        time: In the workload's own clock.
        counts: Jobs by state, as run.json has them.
        used: What is in use of each resource type.
        running: The running jobs, with the columns of jobs.csv.
        queue: The queued jobs, likewise; of a live run in the queue's order, and only the first
            thousand; of a replay in order of submission, those that wait for others included.
        numbers: What is known of the machine itself, by the names of the timeline's columns: power
            and so on, and `energy`, the joules so far. Nothing where the run has none of it.
    """

    time: float
    counts: dict[str, int]
    used: dict[str, int]
    running: polars.DataFrame
    queue: polars.DataFrame
    numbers: Mapping[str, float] = MappingProxyType({})

    @property
    def done(self) -> int:
        """Jobs that will not change any more."""
        return sum(self.counts[state] for state in ENDED)


def occupancy(jobs: polars.DataFrame, run: dict[str, Any]) -> polars.DataFrame:
    """Returns who holds what where: a row per job and node.

    Args:
        jobs: Running jobs, with the columns of jobs.csv.
        run: What run.json holds.

    Returns:
        Columns node, job_id, tasks, and for each resource type the amount held there; sorted by
        node, then job.
    """
    types = list(run["system"]["capacity"])
    each = amounts_per_task(jobs, run).with_columns(jobs["job_id"])
    pieces = (
        node_spans(jobs)
        .join(each.with_row_index("job").cast({"job": polars.Int64}), on="job")
        .with_columns(polars.int_ranges("first", polars.col("last") + 1).alias("node"))
        .explode("node")
    )
    capacity = node_capacities(run)
    joined = pieces.join(capacity, on="node", how="left", suffix="_of_node")
    held = [
        (polars.col(kind) * polars.col("tasks")).fill_null(polars.col(f"{kind}_of_node"))
        for kind in types
    ]
    return joined.select("node", "job_id", "tasks", *held).sort("node", "job_id")
