"""The engine, run on the oracles' jobs."""

from __future__ import annotations

from conftest import expand_nodes

import schedlab

from .model import Job, Machine, Record

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


def engine_records(jobs: list[Job], machine: Machine, types: tuple[str, ...], **choices: object):
    """Simulates the oracle's jobs with the engine and returns its records in the oracle's form."""
    import csv

    groups = {
        f"n{i}": {"nodes": 1, "resources": dict(zip(types, amounts, strict=True))}
        for i, amounts in enumerate(machine.capacity)
    }
    system = {"processor": {types[0]: 1}, "groups": groups}
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
        )
        for job in jobs
    ]
    result = schedlab.simulate(ours, system=system, **choices)
    records = {}
    with open(f"{result.path}/jobs.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["state"] == "rejected":
                records[int(row["job_id"])] = Record(None, None, "rejected", ())
                continue
            start, end = (round(float(row[key]) * SECOND) for key in ("start", "end"))
            nodes = tuple(expand_nodes(row["nodes"]))
            records[int(row["job_id"])] = Record(start, end, row["state"], nodes)
    return records
