"""The engine, run on the platforms and jobs of the naive simulator of sockets."""

from __future__ import annotations

import csv
import math
import os
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from conftest import expand_nodes

import schedlab
from schedlab import Job, _engine

from . import contention
from .platform_cases import Case
from .platform_simulator import SECOND, JobRecord, PlatformJob

WATTS = ("core", "shared", "idle")


@dataclass(frozen=True)
class EngineRun:
    """What the engine gave.

    Attributes:
        jobs: By id.
        energy: Joules by what they went to.
        power: (nanoseconds, watts from then on) at every time point.
        nodes: Joules of each node.
        core_seconds: Seconds of active cores, of all nodes.
    """

    jobs: dict[int, JobRecord]
    energy: dict[str, float]
    power: list[tuple[int, float]]
    nodes: list[float]
    core_seconds: float


class Slowed(schedlab.Scheduler):
    """FIFO on nodes that all go at a lower frequency step, from the first job on."""

    def __init__(self, nodes: int, step: int) -> None:
        self._nodes, self._step, self._is_set = nodes, step, False

    def schedule(self, state):
        if not self._is_set:
            self._is_set = True
            yield schedlab.SetClock(list(range(self._nodes)), self._step)
        for job in state.queue:
            if not state.machine.fits(job):
                return
            yield job


def system_table(case: Case) -> dict[str, Any]:
    """Returns the machine of a case as a system file describes it."""
    processors = {}
    for index, kind in enumerate(case.platform["processors"]):
        (_, *watts), *steps = kind["steps"]
        processors[f"p{index}"] = {
            "cores": kind["cores"],
            "clock": kind["clock"],
            "flops_per_cycle": kind["operations_per_second"] / 1e9 / kind["clock"],
            "power": dict(zip(WATTS, watts, strict=True)),
            "steps": [
                {"clock": clock, **dict(zip(WATTS, lower, strict=True))} for clock, *lower in steps
            ],
        }
        if kind["contention"] is not None:
            named = contention.Constants(*kind["contention"])._asdict()
            processors[f"p{index}"]["contention"] = named
    node_types, groups = {}, {}
    for index, (group, nodes) in enumerate(zip(case.platform["groups"], case.nodes, strict=True)):
        sockets: dict[str, int] = {}
        for kind in group["sockets"]:
            sockets[f"p{kind}"] = sockets.get(f"p{kind}", 0) + 1
        node_types[f"t{index}"] = {"processors": sockets, "power": {"base": group["base"]}}
        groups[f"g{index}"] = {"nodes": nodes, "type": f"t{index}"}
    return {"processors": processors, "node_types": node_types, "groups": groups}


def engine_run(case: Case) -> EngineRun:
    """Simulates a case with FIFO and first-fit."""
    scheduler: Any = Slowed(sum(case.nodes), case.step) if case.step else "fifo"
    simulation = schedlab.Simulation(
        [_job(job) for job in case.jobs],
        system=system_table(case),
        scheduler=scheduler,
        allocator="first-fit",
    )
    engine = simulation.engine
    assert simulation.facts == ["speed", "energy"]
    with tempfile.TemporaryDirectory() as folder:
        jobs, timeline = os.path.join(folder, "jobs.csv"), os.path.join(folder, "timeline.csv")
        recorders = (
            _engine.CsvJobs(jobs, ["core"], simulation.kept, facts=simulation.facts),
            _engine.CsvTimeline(timeline, ["core"], engine.published),
        )
        engine.record_jobs(recorders[0])
        engine.record_timeline(recorders[1])
        while engine.step():
            pass
        for recorder in recorders:
            recorder.close()
        records = {int(row["job_id"]): _record(row) for row in _rows(jobs)}
        power = [(_nanoseconds(row["time"]), float(row["power"])) for row in _rows(timeline)]
    nodes = engine.nodes()
    return EngineRun(
        records,
        engine.metrics()["energy"],
        power,
        [row[1] for row in nodes],
        math.fsum(row[3] for row in nodes),
    )


def _job(job: PlatformJob) -> Job:
    attributes = {"memory_volume": job.memory_volume}
    if job.instructions is not None:
        attributes.update(instructions=job.instructions, ipc=job.ipc)
    return Job(
        id=job.id,
        submit=job.submit / SECOND,
        run=job.run / SECOND,
        processors=job.tasks,
        resources={"core": job.cores},
        whole_nodes=job.whole_nodes,
        attributes=attributes,
    )


def _record(row: dict[str, str]) -> JobRecord:
    assert row["state"] == "completed"
    return JobRecord(
        _nanoseconds(row["start"]),
        _nanoseconds(row["end"]),
        tuple(expand_nodes(row["nodes"])),
        float(row["energy"]),
        float(row["speed"] or 1),
    )


def _rows(path: str) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def _nanoseconds(seconds: str) -> int:
    return int(Decimal(seconds) * SECOND)
