"""What a page shows of a run at one moment, small enough to be sent five times a second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars

from schedlab.analysis.amounts import amounts_per_task
from schedlab.watch.machine_now import machine_words
from schedlab.watch.moment import occupancy

if TYPE_CHECKING:
    from schedlab.watch import Moment

MOST_ROWS = 100
"""Of the tables beside the node map; how many there are in all is reported."""

MOST_NODES = 5_000
"""Up to here a page gets every job with its nodes; beyond, sums over cells of several nodes."""

MOST_CHARACTERS = 60_000
"""Of all nodes of all running jobs, likewise."""


def moment_data(moment: Moment, run: dict[str, Any]) -> dict[str, Any]:
    """Returns a moment as plain data: time, counts, use, running and queued jobs, the node map."""
    running, queue = moment.running, moment.queue
    return {
        "time": moment.time,
        "counts": moment.counts,
        "used": moment.used,
        "machine": machine_words(moment.numbers),
        "running": {
            "total": moment.counts["running"],
            "rows": _rows(running.head(MOST_ROWS), "start"),
        },
        "queue": {"total": moment.counts["queued"], "rows": _rows(queue.head(MOST_ROWS), "submit")},
        "map": node_map(running, run),
    }


def _rows(jobs: polars.DataFrame, since: str) -> list[list[Any]]:
    """Returns id, user, tasks, since when and estimate of each job."""
    columns = ("job_id", "user", "tasks", since, "estimate")
    return [list(row) for row in jobs.select(columns).iter_rows()]


def node_map(running: polars.DataFrame, run: dict[str, Any]) -> dict[str, Any]:
    """Returns who holds what where.

    Small machines: `jobs`, each with id, nodes as in jobs.csv, and what a task takes of each
    resource type (null: everything). Large ones: `cells` of `nodes_per_cell` nodes, each with its
    number, the job that holds most of the first type in it, and the amount held of each type.
    """
    nodes = int(run["system"]["nodes"])
    text = int(running["nodes"].str.len_bytes().sum() or 0) if running.height else 0
    if nodes <= MOST_NODES and text <= MOST_CHARACTERS and running.height <= MOST_NODES:
        each = amounts_per_task(running, run).rows()
        jobs = zip(running["job_id"], running["nodes"], each, strict=True)
        return {"jobs": [[job, places, _amounts(amounts)] for job, places, amounts in jobs]}
    size = -(-nodes // MOST_NODES)
    types = list(run["system"]["capacity"])
    held = (
        occupancy(running, run)
        .group_by(polars.col("node") // size, "job_id")
        .agg(polars.col(types).sum())
    )
    cells = (
        held.sort(types[0], "job_id", descending=[True, False])
        .group_by("node", maintain_order=True)
        .agg(polars.col("job_id").first(), polars.col(types).sum())
        .sort("node")
    )
    return {"nodes_per_cell": size, "cells": [list(row) for row in cells.iter_rows()]}


def _amounts(amounts: tuple[int | None, ...]) -> list[int] | None:
    return None if None in amounts else list(amounts)  # type: ignore[arg-type]
