"""IRMaSim's JSON workloads: jobs as tasks with instructions and memory traffic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from schedlab.errors import InputError
from schedlab.workload.formats.json_files.document import positive
from schedlab.workload.formats.json_files.job_list import (
    JobListReader,
    JobListWriter,
    Skipped,
    number,
    plain,
    profile_of,
)
from schedlab.workload.header import leading_number

if TYPE_CHECKING:
    from typing import Any

CLOCK_GHZ = 3.4
"""The clock of the nodes in IRMaSim's paper (Intel Core i5-7500)."""

KB_PER_MB = 1024

COLUMNS = {"req_ops": "instructions", "ipc": "ipc", "mem_vol": "memory_volume"}
"""Columns of what each task does, by the names of IRMaSim's fields."""


class IrmasimReader(JobListReader):
    """Jobs of an IRMaSim workload.

    The run time is that of a task alone on a core: req_ops / (ipc x clock x 1e9 x flops per cycle).
    """

    TAKEN: tuple[str, ...] = (
        *("subtime", "res", "nodes", "ntasks", "ntasks_per_node", "profile", "dependencies"),
        *("req_ops", "ipc", "req_time", "mem", "mem_vol", "extra_data"),
    )
    ADDED = ("tasks", "tasks_per_node", "task_core", *COLUMNS.values())

    def __init__(
        self,
        path: str,
        clock: float | None = None,
        flops_per_cycle: float = 1,
        memory: str = "requested",
    ) -> None:
        """Reads the file later.

        Args:
            path: The file.
            clock: Of the cores, in GHz; None: jobs run as long as their field `run` says, which our
                writer leaves, else as on cores of 3.4 GHz.
            flops_per_cycle: The `dpflops_per_cycle` of IRMaSim's processors.
            memory: "requested": on a machine with memory, tasks take the `mem` that they ask for;
                "none": it is ignored, as by IRMaSim itself.
        """
        super().__init__(path)
        if memory not in ("requested", "none"):
            raise InputError(f"memory: must be requested or none, not {memory!r}")
        self.enforces_memory = memory == "requested"
        self._takes_run = clock is None
        if not self._takes_run:
            self.TAKEN = (*self.TAKEN, "run")
        clock_ghz = CLOCK_GHZ if clock is None else positive("clock", clock)
        self._speed = clock_ghz * 1e9 * positive("flops_per_cycle", flops_per_cycle)

    def row(self, job: dict[str, Any]) -> dict[str, float]:
        facts = {**profile_of(self, job), **job} if "profile" in job else job
        row = _shape(job)
        for field, column in COLUMNS.items():
            if facts.get(field) is not None:
                row[column] = number(facts, field, 0)
        if facts.get("req_time") is not None:
            row["requested_time"] = number(facts, "req_time")
        if facts.get("mem") is not None:
            # In MB for each task, which has a core; SWF counts KB for each processor.
            row["requested_memory"] = number(facts, "mem", 0) * KB_PER_MB
        operations = number(facts, "req_ops", 0)
        per_cycle = number(facts, "ipc", 0)
        if per_cycle == 0:
            raise Skipped("ipc is 0")
        if not (self._takes_run and "run" in job):
            row["run"] = operations / (per_cycle * self._speed)
        return row


def _shape(job: dict[str, Any]) -> dict[str, float]:
    """Returns tasks and processors, as IRMaSim completes what a job leaves out."""
    given = {
        field: _whole(job, field)
        for field in ("res", "nodes", "ntasks", "ntasks_per_node")
        if job.get(field) is not None
    }
    if "res" in given:
        if len(given) > 1:
            raise Skipped("res and nodes, ntasks or ntasks_per_node")
        given = {"nodes": 1, "ntasks": given["res"]}
    if "ntasks" not in given and "nodes" not in given:
        raise Skipped("no res, ntasks or nodes")
    per_node = given.get("ntasks_per_node", 1)
    tasks = given.get("ntasks", given.get("nodes", 0) * per_node)
    nodes = given.get("nodes", math.ceil(tasks / per_node))
    if "nodes" in given and "ntasks" in given:
        if "ntasks_per_node" in given and math.ceil(tasks / per_node) != nodes:
            raise Skipped("nodes, ntasks and ntasks_per_node do not go together")
        per_node = math.ceil(tasks / nodes)
    if tasks != nodes * per_node:  # not as many on every node
        shape = {"tasks": tasks, "tasks_per_node": per_node, "task_core": 1}
    else:
        # As many on each node as it asks for: for us that is one large task on each of them.
        shape = {"tasks": nodes, "task_core": per_node}
        if nodes > 1:
            shape["tasks_per_node"] = 1
    return {**shape, "requested_processors": tasks}


def _whole(job: dict[str, Any], field: str) -> float:
    value = number(job, field, 1)
    if not value.is_integer():
        raise Skipped(f"{field} is not a whole number")
    return value


class IrmasimWriter(JobListWriter):
    """Jobs as IRMaSim reads them, each with its own instructions."""

    FORMAT = "irmasim"

    def __init__(
        self,
        path: str,
        header: dict[str, str] | None = None,
        clock: float = CLOCK_GHZ,
        cores_per_node: int | None = None,
    ) -> None:
        """Writes the file later.

        Args:
            path: The file.
            header: As for every writer.
            clock: A job without instructions gets those that take its run time on a core of N
                GHz at one instruction a cycle.
            cores_per_node: IRMaSim must know how many tasks of a job share a node. Jobs of plain
                processors fill nodes of N cores; None: MaxProcs / MaxNodes of the header,
                else 1.
        """
        super().__init__(path, header)
        self._speed = positive("clock", clock) * 1e9
        self._largest = 1.0
        if cores_per_node is None:
            processors = leading_number(self.header.get("MaxProcs")) or 1
            nodes = leading_number(self.header.get("MaxNodes")) or processors
            cores_per_node = max(1, processors // nodes)
        self._cores_per_node = math.floor(positive("cores_per_node", cores_per_node)) or 1

    def job(self, row: dict[str, Any]) -> dict[str, Any]:
        run, requested = row.pop("run"), row.pop("requested_time")
        memory = row.pop("requested_memory")
        operations, per_cycle = row.pop("instructions", -1), row.pop("ipc", -1)
        if operations < 0 or per_cycle <= 0:
            operations, per_cycle = max(run, 0) * self._speed, 1
        job = {
            "subtime": row.pop("submit"),
            **self._shape(row),
            "req_ops": operations,
            "ipc": per_cycle,
            "req_time": requested if requested > 0 else max(run, 0),
            "mem": max(memory, 0) / KB_PER_MB,
            "mem_vol": max(row.pop("memory_volume", 0), 0),
            "run": run,
        }
        # A field is said again where IRMaSim's own would bring back something else.
        if requested <= 0:
            job["requested_time"] = requested
        if memory <= 0:
            job["requested_memory"] = memory
        return {field: plain(value) for field, value in job.items()}

    def _shape(self, row: dict[str, Any]) -> dict[str, float]:
        """Returns how many tasks there are, and how many of them on a node."""
        tasks, cores = row.pop("tasks", -1), row.pop("task_core", -1)
        per_node, requested = row.pop("tasks_per_node", -1), row.pop("requested_processors")
        processors = requested if requested > 0 else max(row["allocated_processors"], 1)
        self._largest = max(self._largest, processors)
        again = {} if requested > 0 else {"requested_processors": requested}
        if tasks == 1 and cores >= 1:
            return {"res": cores, **again}
        if tasks > 1 and per_node == 1 and cores >= 1:
            return {"nodes": tasks, "ntasks_per_node": cores, **again}
        if tasks < 1:
            if processors <= self._cores_per_node:
                return {"res": processors, **again}
            tasks, per_node = processors, self._cores_per_node
        elif cores > 1:
            self.losses["cores per task"] += 1
            again["requested_processors"] = requested
        return {"ntasks": tasks, "ntasks_per_node": max(per_node, 1), **again}

    def last_members(self) -> dict[str, Any]:
        processors = leading_number(self.header.get("MaxProcs"))
        return {"nb_res": processors or plain(self._largest), "profiles": {}}
