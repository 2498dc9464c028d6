"""Manifests of workflows as ScSF has them: figure 4 of its paper, and its public code."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.workload.formats.json_files.document import Field, one_a_line
from schedlab.workload.formats.workflows.workflow_file import WorkflowReader, WorkflowWriter
from schedlab.workload.workflow import MOST_CORES, Task, Workflow

if TYPE_CHECKING:
    from typing import Any

WORD = re.compile(r'"([^"]*)"|([^\s"]+)')


class ManifestReader(WorkflowReader):
    """The tasks of a manifest as jobs."""


def manifest_workflow(document: Any, path: str, missing_run: float | None) -> Workflow:
    """Returns the workflow of a manifest.

    Two forms are read: that of the paper's figure 4 (`id`, `cmd`, `cores`, `rtime`, `deps`), and
    that of ScSF's code (`number_of_cores`, `runtime_sim`, `runtime_limit`, and the dependencies in
    the text `dot_dag`). Times are seconds. The paper's text calls figure 4's 360 and 1440 ten and
    forty minutes; the figure is taken at its word.

    Args:
        document: What the JSON holds.
        path: What messages call it.
        missing_run: Run time of tasks that have none; None: that is an error.

    Raises:
        InputError: Something is missing or wrong; the message names the field.
    """
    root = Field(document, path)
    tasks, places = [], []
    before = _edges(root)
    for task in root["tasks"].items():
        name = (task.get("id") or task["id"]).text()
        run = task.get("rtime", "runtime_sim", "runtime_limit")
        if run is None and missing_run is None:
            raise InputError(
                f"{path}: {task.place}.rtime: is missing; give tasks without run time one with the "
                "reader's argument missing_run, such as manifest(missing_run=60)"
            )
        cores = task.get("cores", "number_of_cores")
        limit = task.get("limit", "runtime_limit")
        command = task.get("cmd", "execution_cmd")
        after = task.get("deps")
        names = [] if after is None else [item.text() for item in after.items()]
        tasks.append(
            Task(
                name,
                run.number(0, MAX_SECONDS) if run else float(missing_run or 0),
                1 if cores is None else cores.whole(1, MOST_CORES),
                None if limit is None else limit.number(0, MAX_SECONDS),
                tuple(names + before.pop(name, [])),
                "" if command is None else command.text(),
            )
        )
        places.append(task.place)
    if before:
        child = next(iter(before))
        raise root["dot_dag"].error(f"must name tasks alone; {child!r} is none")
    title = root.get("name")
    return Workflow(tasks, title.text() if title else "workflow", path, places)


def _edges(root: Field) -> dict[str, list[str]]:
    """Returns the predecessors of each task that the graph in the text `dot_dag` gives."""
    before: dict[str, list[str]] = {}
    graph = root.get("dot_dag")
    if graph is not None:
        inside = graph.text().partition("{")[2].rpartition("}")[0]
        for statement in re.split(r"[;\n]", inside):
            words = [quoted or plain for quoted, plain in WORD.findall(statement)]
            names = words[::2]
            if set(words[1::2]) - {"->"} or (words and len(words) % 2 == 0):
                raise graph.error(f"must be a graph such as {{a -> b;}}; {statement.strip()!r}")
            for parent, child in pairwise(names):
                before.setdefault(child, []).append(parent)
    return before


class ManifestWriter(WorkflowWriter):
    """A workflow as a manifest of figure 4, with `limit` for what is asked for."""

    holds = WorkflowWriter.holds - {"used_memory"}

    def document(self, workflow: Workflow) -> bytes:
        tasks = []
        for task in workflow.tasks:
            entry: dict[str, object] = {"id": task.name}
            if task.program:
                entry["cmd"] = task.program
            entry["cores"] = task.cores
            entry["rtime"] = task.run
            if task.requested is not None:
                entry["limit"] = task.requested
            if task.predecessors:
                entry["deps"] = list(task.predecessors)
            tasks.append(entry)
        return one_a_line({"name": workflow.name}, "tasks", tasks)
