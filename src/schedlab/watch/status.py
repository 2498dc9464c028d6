"""What there is to ask about a run, answered as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars

from schedlab.analysis.amounts import node_capacities
from schedlab.clock import Clock
from schedlab.errors import InputError
from schedlab.watch.job_facts import job_facts
from schedlab.watch.live import LiveRun
from schedlab.watch.metrics import metrics_at
from schedlab.watch.moment import Moment, occupancy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedlab.watch.view import RunView


def split_queries(words: Sequence[str]) -> list[tuple[str, int | None]]:
    """Returns the queries in a list of words, each with the job it is about, if any.

    Raises:
        InputError: A word is not a query, or `job` has no number.
    """
    queries: list[tuple[str, int | None]] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "job":
            number = left.pop(0) if left else ""
            try:
                queries.append(("job", int(number)))
            except ValueError:
                raise InputError(
                    f"job {number}: give the number of a job, such as job 17"
                ) from None
        elif word in QUERIES:
            queries.append((word, None))
        else:
            raise InputError(f"{word}: is not a query; there are {', '.join(QUERIES)} and job ID")
    return queries


def moment_of(view: RunView, at: str | None = None) -> Moment:
    """Returns how a run stands now, at its end, or at a time given as text.

    Raises:
        InputError: The text is not a time, or the run has none that late or early.
    """
    if at is None:
        return view.now() if isinstance(view, LiveRun) else view.at(view.last)
    clock = Clock.of_run(view.run)
    time = clock.parse(at)
    if not view.first <= time <= view.last:
        so_far = " so far" if view.is_live else ""
        raise InputError(
            f"{at}: the run goes from {view.first:,.0f} s ({clock.text(view.first)}) "
            f"to {view.last:,.0f} s ({clock.text(view.last)}){so_far}; "
            f"that is {time:,.0f} s ({clock.text(time)})"
        )
    return view.at(time)


def answers(view: RunView, moment: Moment, queries: Sequence[tuple[str, int | None]]) -> Any:
    """Returns the answers by query; jobs asked for are under `job`, by number.

    Raises:
        InputError: There is no such job.
    """
    answers_by_query: dict[str, Any] = {}
    for name, number in queries:
        if number is None:
            answers_by_query[name] = QUERIES[name](view, moment)
        else:
            answers_by_query.setdefault("job", {})[str(number)] = _job(view, moment, number)
    return answers_by_query


def _job(view: RunView, moment: Moment, number: int) -> dict[str, Any]:
    row = view.job(number)
    if row is None:
        ids = view.jobs()["job_id"].to_list()
        known = f"{len(ids):,} jobs from {min(ids)} to {max(ids)}" if ids else "no job"
        so_far = " so far" if view.is_live else ""
        raise InputError(f"{view.path}: has no job {number}; it has {known}{so_far}")
    return job_facts(row, view.run, moment.time)


def _clock(view: RunView, moment: Moment) -> dict[str, Any]:
    clock = Clock.of_run(view.run)
    date = clock.date(moment.time)
    live = view if isinstance(view, LiveRun) else None
    share = (moment.time - view.first) / ((view.last - view.first) or 1.0)
    return {
        "state": "live" if live else "finished",
        "mode": live.mode if live else view.run["status"],
        "time": moment.time,
        "date": date.strftime("%Y-%m-%d %H:%M:%S") if date else None,
        "zone": clock.zone_name if date else None,
        "first_submit": view.first,
        "last": view.last,
        "share": live.share_read if live else share,
        "speed": live.speed if live else None,
        "scheduler": view.run["scheduler"],
        "allocator": view.run["allocator"],
        "system": view.run["system"]["name"],
    }


def _queue(view: RunView, moment: Moment) -> dict[str, Any]:
    waiting = moment.queue.select(
        "job_id",
        "user",
        "tasks",
        "submit",
        "estimate",
        (moment.time - polars.col("submit")).alias("waits"),
    )
    return {
        "queued": moment.counts["queued"],
        "held": moment.counts["held"],
        "jobs": waiting.to_dicts(),
    }


def _running(view: RunView, moment: Moment) -> dict[str, Any]:
    jobs = moment.running.select(
        "job_id",
        "user",
        "tasks",
        "start",
        (moment.time - polars.col("start")).alias("runs"),
        (polars.col("start") + polars.col("estimate")).alias("expected_end"),
        "nodes",
    )
    return {
        "running": moment.counts["running"],
        "jobs": jobs.sort("start", "job_id").to_dicts(),
    }


def _resources(view: RunView, moment: Moment) -> dict[str, Any]:
    return {
        kind: {"used": moment.used[kind], "capacity": total, "share": moment.used[kind] / total}
        for kind, total in view.run["system"]["capacity"].items()
        if total
    }


def _nodes(view: RunView, moment: Moment) -> dict[str, Any]:
    kinds = list(view.run["system"]["capacity"])
    held = occupancy(moment.running, view.run)
    by_node = held.group_by("node").agg("job_id", *(polars.col(kind).sum() for kind in kinds))
    machine = node_capacities(view.run).join(by_node, on="node", how="left", suffix="_used")
    used = [polars.col(f"{kind}_used").fill_null(0) for kind in kinds]
    table = machine.with_columns(*used, polars.col("job_id").fill_null([])).sort("node")
    busy = polars.col("job_id").list.len() > 0
    groups = table.group_by("group", maintain_order=True).agg(
        polars.len().alias("nodes"),
        busy.sum().alias("busy"),
        *(polars.col(kind).sum() for kind in kinds),
        *(polars.col(f"{kind}_used").sum() for kind in kinds),
    )
    return {
        "nodes": table.height,
        "busy": int(groups["busy"].sum()),
        "groups": {
            row["group"]: {
                "nodes": row["nodes"],
                "busy": row["busy"],
                "used": {kind: row[f"{kind}_used"] for kind in kinds},
                "capacity": {kind: row[kind] for kind in kinds},
            }
            for row in groups.iter_rows(named=True)
        },
        "busy_nodes": [
            {
                "node": row["node"],
                "group": row["group"],
                "used": {kind: row[f"{kind}_used"] for kind in kinds},
                "capacity": {kind: row[kind] for kind in kinds},
                "jobs": row["job_id"],
            }
            for row in table.filter(busy).iter_rows(named=True)
        ],
    }


def _metrics(view: RunView, moment: Moment) -> dict[str, Any]:
    if moment.time >= view.last:
        metrics: dict[str, Any] = view.run["metrics"]
        return metrics
    return metrics_at(view, moment.time)


QUERIES: dict[str, Callable[[RunView, Moment], dict[str, Any]]] = {
    "clock": _clock,
    "jobs": lambda view, moment: dict(moment.counts),
    "queue": _queue,
    "running": _running,
    "resources": _resources,
    "nodes": _nodes,
    "machine": lambda view, moment: dict(moment.numbers),
    "cpu": lambda view, moment: dict(view.run["simulator"]),
    "metrics": _metrics,
}
"""What can be asked; and `job ID`. CPU time is of the run so far, whatever the moment."""
