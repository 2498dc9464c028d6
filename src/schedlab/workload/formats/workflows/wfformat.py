"""WfFormat, the JSON of WfCommons, versions 1.0 to 1.6; written as 1.5."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.workload.formats.json_files.document import Field
from schedlab.workload.formats.workflows.workflow_file import WorkflowReader, WorkflowWriter
from schedlab.workload.header import unix_start
from schedlab.workload.workflow import MOST_CORES, Task, Workflow

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

IDENTIFIER = re.compile(r"[0-9a-zA-Z_.\-]+")
"""What WfFormat allows as the id of a task."""

REQUESTED = "requestedTimeInSeconds"
"""Our own field for what WfFormat has no place for; the schema allows further fields."""


class WfFormatReader(WorkflowReader):
    """The tasks of a WfFormat file as jobs."""


def wfformat_workflow(document: Any, path: str, missing_run: float | None) -> Workflow:
    """Returns the workflow of a WfFormat document.

    From 1.5 on, structure (`specification`) and measured times (`execution`) stand apart and tasks
    are named by `id`. Before, each task has all in one, is named by `name` (or `id`), the list is
    called `tasks` or, up to 1.2, `jobs`, and run times are `runtime` up to 1.3. A task waits for
    its `parents` and for the tasks that name it among their `children`.

    Args:
        document: What the JSON holds.
        path: What messages call it.
        missing_run: Run time of tasks that have none; None: that is an error.

    Raises:
        InputError: Something is missing or wrong; the message names the field.
    """
    root = Field(document, path)
    workflow = root["workflow"]
    title = root.get("name")
    specification = workflow.get("specification")
    if specification is not None:
        tasks = list(specification["tasks"].items())
        execution = workflow.get("execution")
        measured = _by_identifier(execution["tasks"].items()) if execution else {}
        names = list(_by_identifier(tasks))
        facts = [measured.pop(name, None) for name in names]
        if measured:
            stray = next(iter(measured.values()))["id"]
            raise stray.error("must be a task of workflow.specification.tasks")
        known = {name: name for name in names}
    else:
        tasks = list((workflow.get("tasks", "jobs") or workflow["specification"]).items())
        names = _old_names(tasks)
        facts = list(tasks)
        known = {}
        for task, name in zip(tasks, names, strict=True):
            for field in (task.get("name"), task.get("id")):
                if field is not None:
                    known.setdefault(field.text(), name)
    before = _edges(tasks, names, known)
    made = [
        _task(task, fact, name, tuple(before[name]), missing_run)
        for task, fact, name in zip(tasks, facts, names, strict=True)
    ]
    places = [task.place for task in tasks]
    return Workflow(made, title.text() if title else "workflow", path, places)


def _by_identifier(tasks: Iterable[Field]) -> dict[str, Field]:
    """Returns tasks by their ids, of which each must be there once."""
    known: dict[str, Field] = {}
    for task in tasks:
        identifier = task["id"]
        if identifier.text() in known:
            raise identifier.error("must be given once")
        known[identifier.text()] = task
    return known


def _old_names(tasks: list[Field]) -> list[str]:
    """Returns what tasks before 1.5 are called: names, or ids where these distinguish more."""
    names = [(task.get("name", "id") or task["name"]).text() for task in tasks]
    if len(set(names)) < len(names) and all("id" in task for task in tasks):
        return [task["id"].text() for task in tasks]
    return names


def _edges(tasks: list[Field], names: list[str], known: dict[str, str]) -> dict[str, list[str]]:
    """Returns the predecessors of each task; dependencies may stand at either end, or at both."""
    before: dict[str, dict[str, None]] = {name: {} for name in names}
    for task, name in zip(tasks, names, strict=True):
        for key in ("parents", "children"):
            listed = task.get(key)
            for other in [] if listed is None else listed.items():
                if other.text() not in known:
                    raise other.error("must be a task of this workflow")
                far = known[other.text()]
                child, parent = (name, far) if key == "parents" else (far, name)
                before[child][parent] = None
    return {name: list(parents) for name, parents in before.items()}


def _task(
    task: Field, fact: Field | None, name: str, before: tuple[str, ...], missing_run: float | None
) -> Task:
    run = fact.get("runtimeInSeconds", "runtime") if fact else None
    if run is None and missing_run is None:
        raise InputError(
            f"{task.path}: {(fact or task).place} ({name!r}): has no runtimeInSeconds; give tasks "
            "without run time one with the reader's argument missing_run, such as "
            "wfformat(missing_run=60)"
        )
    cores = fact.get("coreCount", "cores") if fact else None
    limit = fact.get(REQUESTED) if fact else None
    bytes_used = fact.get("memoryInBytes") if fact else None
    kilobytes = fact.get("memory") if fact else None
    command = fact.get("command") if fact else None
    program = (command.get("program") if command else None) or task.get("category", "name")
    memory = None
    if bytes_used is not None:
        memory = bytes_used.number(0) / 1024
    elif kilobytes is not None:
        memory = kilobytes.number(0)
    return Task(
        name,
        run.number(0, MAX_SECONDS) if run else float(missing_run or 0),
        1 if cores is None else max(1, math.ceil(cores.number(0, MOST_CORES))),
        None if limit is None else limit.number(0, MAX_SECONDS),
        before,
        program.text() if program else "",
        memory,
    )


class WfFormatWriter(WorkflowWriter):
    """A workflow as WfFormat 1.5.

    Its makespan is the length of the critical path, because the file is about tasks, not about a
    schedule; it is executed at the header's UnixStartTime, else at time 0.
    """

    def document(self, workflow: Workflow) -> bytes:
        names = [task.name for task in workflow.tasks]
        if not all(map(IDENTIFIER.fullmatch, names)):
            names = [f"task{number}" for number in range(1, len(names) + 1)]
        followers: list[list[int]] = [[] for _ in names]
        for place, before in enumerate(workflow.predecessors):
            for parent in before:
                followers[parent].append(place)
        specified, executed = [], []
        for place, task in enumerate(workflow.tasks):
            specified.append(
                {
                    "name": task.program or task.name,
                    "id": names[place],
                    "parents": [names[parent] for parent in workflow.predecessors[place]],
                    "children": [names[child] for child in followers[place]],
                }
            )
            executed.append(_executed(task, names[place]))
        start = datetime.fromtimestamp(unix_start(self.header) or 0, UTC)
        whole = {
            "name": workflow.name,
            "schemaVersion": "1.5",
            "workflow": {
                "specification": {"tasks": specified, "files": []},
                "execution": {
                    "makespanInSeconds": workflow.length_seconds,
                    "executedAt": start.isoformat(),
                    "tasks": executed,
                },
            },
        }
        return (json.dumps(whole, indent=1) + "\n").encode()


def _executed(task: Task, name: str) -> dict[str, object]:
    facts: dict[str, object] = {
        "id": name,
        "runtimeInSeconds": task.run,
        "coreCount": task.cores,
    }
    if task.program:
        facts["command"] = {"program": task.program}
    if task.memory is not None:
        facts["memoryInBytes"] = task.memory * 1024
    if task.requested is not None:
        facts[REQUESTED] = task.requested
    return facts
