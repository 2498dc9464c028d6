"""Pegasus DAX: workflows as XML, as its generators and its planner before version 5 write them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from schedlab.errors import InputError
from schedlab.workload.formats.workflows.workflow_file import WorkflowReader, WorkflowWriter
from schedlab.workload.workflow import Task, Workflow

if TYPE_CHECKING:
    from typing import NoReturn

JOBS = ("job", "dax", "dag")
"""Elements that are tasks: programs, and workflows within the workflow."""

KB_PER_MB = 1024
DEEPEST = 100


class DaxReader(WorkflowReader):
    """The tasks of a DAX as jobs."""


def dax_workflow(content: bytes, path: str, missing_run: float | None) -> Workflow:
    """Returns the workflow of a DAX.

    A task's run time is the attribute `runtime`, else the profile pegasus `runtime` (seconds); its
    cores are the profile pegasus `cores`, else the attribute `numcores`, else 1; memory is the
    profile pegasus `memory` (MB), the requested time globus `maxwalltime` (minutes).

    Args:
        content: The XML.
        path: What messages call it.
        missing_run: Run time of tasks that have none; None: that is an error.

    Raises:
        InputError: It is not XML, not a DAX, or a wrong one; the message says where.
    """
    return _Parser(path, missing_run).workflow(content)


class _Job:
    """A task as its element describes it."""

    def __init__(self, attributes: dict[str, str], line: int) -> None:
        self.attributes, self.line = attributes, line
        self.profiles: dict[tuple[str, str], str] = {}
        self.parents: list[str] = []


class _Parser:
    """Takes a DAX element by element; a document type, which DAX never has, is refused.

    So there are no entities of a file's own, and none that would be fetched or blown up.
    """

    def __init__(self, path: str, missing_run: float | None) -> None:
        self.path, self.missing_run = path, missing_run
        self.jobs: dict[str, _Job] = {}
        self.edges: list[tuple[str, str, int]] = []
        self.name = "workflow"
        self.inside: list[str] = []
        self.job: _Job | None = None
        self.child = ""
        self.profile: tuple[str, str] | None = None
        self.text: list[str] = []

    def workflow(self, content: bytes) -> Workflow:
        self.expat = parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.text.append
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise InputError(f"{self.path}:{error.lineno}: is not XML: {reason}") from None
        except (LookupError, ValueError) as error:  # of Python's codecs, which expat asks
            raise InputError(
                f"{self.path}: its encoding cannot be read: {error}; save it as UTF-8"
            ) from None
        for child, parent, line in self.edges:
            if child not in self.jobs:
                self._fail(line, f"child {child!r} is not a job of this workflow")
            self.jobs[child].parents.append(parent)
        tasks = [self._task(name, job) for name, job in self.jobs.items()]
        places = [f"line {job.line}" for job in self.jobs.values()]
        return Workflow(tasks, self.name, self.path, places)

    def _fail(self, line: int, what: str) -> NoReturn:
        raise InputError(f"{self.path}:{line}: {what}")

    def _refuse_doctype(self, *_: object) -> NoReturn:
        self._fail(self.expat.CurrentLineNumber, "must have no document type (<!DOCTYPE>)")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]
        line = self.expat.CurrentLineNumber
        if not self.inside and name != "adag":
            self._fail(line, f"is not a DAX: its root is <{name}>, not <adag>")
        if len(self.inside) > DEEPEST:
            self._fail(line, "elements within each other too deep")
        self.inside.append(name)
        self.text.clear()
        if name == "adag":
            self.name = attributes.get("name") or self.name
        elif name in JOBS and self.inside[-2] == "adag":
            identifier = self._need(attributes, "id", name)
            if identifier in self.jobs:
                self._fail(line, f"job {identifier!r}: line {self.jobs[identifier].line} has it")
            self.job = self.jobs[identifier] = _Job(attributes, line)
        elif name == "profile":
            self.profile = attributes.get("namespace", ""), attributes.get("key", "")
        elif name == "child":
            self.child = self._need(attributes, "ref", name)
        elif name == "parent" and self.inside[-2] == "child":
            self.edges.append((self.child, self._need(attributes, "ref", name), line))

    def _end(self, name: str) -> None:
        name = self.inside.pop()
        if name == "profile" and self.job is not None and self.profile is not None:
            self.job.profiles[self.profile] = "".join(self.text).strip()
        if name in JOBS:
            self.job = None
        self.text.clear()

    def _need(self, attributes: dict[str, str], key: str, element: str) -> str:
        if key not in attributes:
            self._fail(self.expat.CurrentLineNumber, f"<{element}> must have the attribute {key}")
        return attributes[key]

    def _task(self, name: str, job: _Job) -> Task:
        run = self._number(job, name, "runtime", ("pegasus", "runtime"))
        if run is None:
            run = self.missing_run
        if run is None:
            self._fail(
                job.line,
                f"job {name!r} has no runtime; give tasks without run time one with the reader's "
                "argument missing_run, such as dax(missing_run=60)",
            )
        cores = self._number(job, name, None, ("pegasus", "cores"))
        if cores is None:
            cores = self._number(job, name, "numcores", ("", ""))
        memory = self._number(job, name, None, ("pegasus", "memory"))
        minutes = self._number(job, name, None, ("globus", "maxwalltime"))
        return Task(
            name,
            run,
            1 if cores is None else max(1, math.ceil(cores)),
            None if minutes is None else minutes * 60,
            tuple(job.parents),
            job.attributes.get("name", ""),
            None if memory is None else memory * KB_PER_MB,
        )

    def _number(
        self, job: _Job, name: str, attribute: str | None, profile: tuple[str, str]
    ) -> float | None:
        """Returns the number of an attribute, else of a profile; None where there is neither."""
        text = job.attributes.get(attribute) if attribute else None
        what = attribute if text is not None else f"{profile[0]} {profile[1]}"
        if text is None:
            text = job.profiles.get(profile)
        if text is None:
            return None
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not 0 <= number < math.inf:
            self._fail(job.line, f"job {name!r}: {what} must be a number from 0, not {text!r}")
        return number


class DaxWriter(WorkflowWriter):
    """A workflow as DAX 3.6."""

    def document(self, workflow: Workflow) -> bytes:
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.6" '
            f"name={self._quoted(workflow.name)}>",
        ]
        for task in workflow.tasks:
            lines += self._job(task)
        for task, before in zip(workflow.tasks, workflow.predecessors, strict=True):
            if before:
                lines.append(f"  <child ref={self._quoted(task.name)}>")
                names = (workflow.tasks[place].name for place in before)
                lines += [f"    <parent ref={self._quoted(name)}/>" for name in names]
                lines.append("  </child>")
        return "\n".join([*lines, "</adag>", ""]).encode(errors="backslashreplace")

    def _job(self, task: Task) -> list[str]:
        profiles = [("pegasus", "cores", str(task.cores))]
        if task.memory is not None:
            profiles.append(("pegasus", "memory", repr(task.memory / KB_PER_MB)))
        if task.requested is not None:
            minutes = math.ceil(task.requested / 60)
            profiles.append(("globus", "maxwalltime", str(minutes)))
            if minutes * 60 != task.requested:
                self.losses["seconds of the requested time"] += 1
        name = self._quoted(task.program or task.name)
        return [
            f'  <job id={self._quoted(task.name)} name={name} runtime="{task.run!r}">',
            *(
                f'    <profile namespace="{space}" key="{key}">{escape(value)}</profile>'
                for space, key, value in profiles
            ),
            "  </job>",
        ]

    def _quoted(self, text: str) -> str:
        if any(letter < " " for letter in text):
            raise InputError(f"{self.path}: {text!r}: has a character that XML cannot hold")
        return quoteattr(text)
