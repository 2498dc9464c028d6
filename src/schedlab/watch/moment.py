"""How a run stands at one time."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars

from schedlab.analysis.spans import node_spans


class Moment(NamedTuple):
    """What monitors show of a run.

    Attributes:
        time: In the workload's own clock.
        counts: Jobs by state, as run.json has them.
        used: What is in use of each resource type.
        running: The running jobs, with the columns of jobs.csv.
        queue: The queued jobs, likewise; of a live run in the queue's order, and only the first
            thousand; of a replay in order of submission, those that wait for others included.
    """

    time: float
    counts: dict[str, int]
    used: dict[str, int]
    running: polars.DataFrame
    queue: polars.DataFrame

    @property
    def done(self) -> int:
        """Jobs that will not change any more."""
        return sum(self.counts[state] for state in ("completed", "killed", "failed", "rejected"))


def amounts_per_task(jobs: polars.DataFrame, run: dict[str, Any]) -> polars.DataFrame:
    """Returns what each task of each job takes, a column per resource type.

    Jobs that take whole nodes have null there: it depends on the node.
    """
    system = run["system"]
    types = list(system["capacity"])
    if "amounts" not in jobs.columns:
        text = polars.Series("amounts", [None] * jobs.height, dtype=polars.String)
    else:
        text = jobs["amounts"]
    given = text.fill_null("")
    plain, whole = given == "", given == "whole"
    columns = []
    for kind in types:
        told = given.str.extract(rf"(?:^| ){_escaped(kind)}=(\d+)").cast(polars.Int64).fill_null(0)
        processor = int(system["processor"].get(kind, 0))
        usual = polars.Series([processor]).new_from_index(0, jobs.height)
        none = polars.Series([None], dtype=polars.Int64).new_from_index(0, jobs.height)
        columns.append(none.zip_with(whole, usual.zip_with(plain, told)).alias(kind))
    return polars.DataFrame(columns)


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


def node_capacities(run: dict[str, Any]) -> polars.DataFrame:
    """Returns the nodes of the machine: columns node, group, and the amount of each resource."""
    system = run["system"]
    types = list(system["capacity"])
    parts, first = [], 0
    for name, group in system["groups"].items():
        count = int(group["nodes"])
        columns: dict[str, Any] = {"node": polars.int_range(first, first + count, eager=True)}
        columns["group"] = [name] * count
        for kind in types:
            columns[kind] = [int(group["resources"].get(kind, 0))] * count
        parts.append(polars.DataFrame(columns))
        first += count
    return polars.concat(parts)


def _escaped(kind: str) -> str:
    import re

    return re.escape(kind)
