"""The engine, run on the oracles' jobs, and beside the oracles."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType

from conftest import expand_nodes

import schedlab

from .model import Job, Machine, Record, Window
from .node_lists import Ordered
from .simulator import simulate

TYPES = ("core", "mem", "gpu")
"""What the oracles' machines and requests count, as many of them as there are."""

SECOND = 10
"""The oracles count tenths of a second, so that fractions are exact in both."""

ORDERS = {
    "fifo": "submit",
    "sjf": "shortest",
    "ljf": "longest",
    "smallest": "smallest",
    "largest": "largest",
    "shortest-nodehours": "fewest-node-hours",
    "longest-nodehours": "most-node-hours",
    "shortest-corehours": "fewest-core-hours",
    "longest-corehours": "most-core-hours",
}
DISCIPLINES = {
    "blocking": schedlab.Blocking,
    "greedy": schedlab.Greedy,
    "easy": schedlab.Easy,
    "conservative": schedlab.Conservative,
}
ALLOCATORS = ("first-fit", "best-fit", "worst-fit", "random")


def seconds(ticks: int) -> float:
    return ticks // SECOND if ticks % SECOND == 0 else ticks / SECOND


def scaled(job: Job) -> Job:
    """Returns the job with its whole seconds counted in ticks."""
    return replace(
        job, submit=job.submit * SECOND, run=job.run * SECOND, estimate=job.estimate * SECOND
    )


def scaled_windows(windows: tuple[Window, ...]) -> tuple[Window, ...]:
    """Returns the windows with their whole seconds counted in ticks."""
    return tuple(Window(w.start * SECOND, w.end * SECOND, w.nodes, w.admits) for w in windows)


def engine_windows(windows: tuple[Window, ...]) -> list[schedlab.Window]:
    """Returns the oracles' windows, in ticks, as the engine takes them."""
    return [
        schedlab.Window(
            seconds(window.start),
            seconds(int(window.end)),
            ", ".join(map(str, sorted(window.nodes))),
            " or ".join(f"id == {job}" for job in sorted(window.admits)) or None,
        )
        for window in windows
    ]


def _name(nodes: frozenset[int]) -> str:
    return "p" + "_".join(map(str, sorted(nodes)))


def partition_of(job: Job) -> str | None:
    """Returns the names of the partitions whose nodes are those of the job."""
    if job.choices:
        return ",".join(map(_name, job.choices))
    return None if job.nodes is None else _name(job.nodes)


def licenses_of(job: Job) -> str | None:
    """Returns the licenses of the job as a text; None for none."""
    named = [f"l{i}:{amount}" for i, amount in enumerate(job.licenses) if amount]
    return ", ".join(named) or None


def partitions_of(
    jobs: Iterable[Job], preempt: Mapping[str, object] = MappingProxyType({})
) -> dict[str, dict[str, object]]:
    """Returns the partitions that the jobs are in, as a system file has them.

    Those in `preempt` take room from running jobs of others.
    """
    sets = {nodes for job in jobs for nodes in (*job.choices, job.nodes) if nodes is not None}
    return {
        _name(nodes): {
            "nodes": ", ".join(map(str, sorted(nodes))),
            **({"preempt": preempt[_name(nodes)]} if _name(nodes) in preempt else {}),
        }
        for nodes in sorted(sets, key=_name)
    }


def engine_input(
    jobs: list[Job],
    machine: Machine,
    types: tuple[str, ...],
    preempt: Mapping[str, object] = MappingProxyType({}),
) -> tuple[list[schedlab.Job], dict[str, object]]:
    """Returns the oracle's jobs and machine as the engine takes them."""
    alike = [(amounts, len(list(nodes))) for amounts, nodes in groupby(machine.capacity)]
    groups = {
        f"n{i}": {"nodes": count, "resources": dict(zip(types, amounts, strict=True))}
        for i, (amounts, count) in enumerate(alike)
    }
    system = {
        "processor": {types[0]: 1},
        "groups": groups,
        "partitions": partitions_of(jobs, preempt),
        "licenses": {f"l{i}": amount for i, amount in enumerate(machine.licenses)},
    }
    ours = [
        schedlab.Job(
            id=job.id,
            submit=seconds(job.submit),
            run=seconds(job.run),
            processors=job.tasks,
            requested_time=seconds(job.estimate),
            user=job.user,
            resources=dict(zip(types, job.request, strict=False)),
            tasks_per_node=job.tasks_per_node,
            whole_nodes=job.whole_nodes,
            predecessors=job.predecessors,
            think=seconds(job.think),
            partition=partition_of(job),
            licenses=licenses_of(job),
        )
        for job in jobs
    ]
    return ours, system


def engine_result(jobs: list[Job], machine: Machine, types: tuple[str, ...], **choices: object):
    """Simulates the oracle's jobs with the engine and returns the result."""
    ours, system = engine_input(jobs, machine, types)
    return schedlab.simulate(ours, system=system, **choices)


def engine_records(jobs: list[Job], machine: Machine, types: tuple[str, ...], **choices: object):
    """Simulates the oracle's jobs with the engine and returns its records in the oracle's form."""
    return records_of(engine_result(jobs, machine, types, **choices))


def records_of(result: schedlab.Result) -> dict[int, Record]:
    """Returns the rows of jobs.csv in the oracle's form."""
    records = {}
    for row in rows_of(result, "jobs"):
        if row["state"] == "rejected":
            records[int(row["job_id"])] = Record(None, None, "rejected", ())
            continue
        start, end = (round(float(row[key]) * SECOND) for key in ("start", "end"))
        nodes = tuple(expand_nodes(row["nodes"]))
        records[int(row["job_id"])] = Record(start, end, row["state"], nodes)
    return records


def rows_of(result: schedlab.Result, name: str) -> list[dict[str, str]]:
    """Returns the rows of a CSV file of a run, such as jobs, as text."""
    with open(f"{result.path}/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def both(
    jobs: list[Job],
    machine: Machine,
    *,
    order: str,
    discipline: str,
    allocator: str | Ordered = "first-fit",
    depth: int | None = None,
    reservations: int | None = 1,
    events: str = "time",
    enforce_limits: bool = False,
    seed: int = 0,
    windows: tuple[Window, ...] = (),
) -> tuple[dict[int, Record], dict[int, Record]]:
    """Returns the records of the oracle and of the engine, which should be equal.

    Disciplines that have no depth or no reservations are left without.
    """
    arguments = {} if discipline == "blocking" else {"depth": depth}
    if discipline == "easy":
        arguments["reservations"] = reservations
    expected = simulate(
        jobs,
        machine,
        order=order,
        discipline=discipline,
        allocator=allocator,
        **arguments,
        events="single" if events == "event" else "time",
        enforce_limits=enforce_limits,
        seed=seed,
        second=SECOND,
        windows=windows,
    )
    actual = engine_records(
        jobs,
        machine,
        TYPES[: len(machine.capacity[0])],
        scheduler=DISCIPLINES[discipline](ORDERS[order], **arguments),
        allocator=str(allocator),
        dispatch_per=events,
        enforce_limits=enforce_limits,
        seed=seed,
        windows=engine_windows(windows),
    )
    return expected, actual
