"""Files that hold one workflow: which kind each is, as job tables, and from job tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars

from schedlab import decode
from schedlab.errors import InputError
from schedlab.workload.formats.json_files.document import parse_json, positive
from schedlab.workload.reader import Reader
from schedlab.workload.table import NAME, PREDECESSORS, TEXTS, in_batches
from schedlab.workload.workflow import Task, Workflow
from schedlab.workload.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterator


def load_workflow(path: str, missing_run: float | None = None) -> Workflow:
    """Returns the workflow of a file; what it is, its content says.

    Args:
        path: The file.
        missing_run: Run time of tasks that have none; None: that is an error.

    Raises:
        InputError: It is not a workflow, or a wrong one.
    """
    return workflow_of(Reader(path).whole_content(), path, missing_run)


def workflow_of(content: bytes, path: str, missing_run: float | None = None) -> Workflow:
    """Returns the workflow that the content of a file describes.

    Args:
        content: XML or JSON.
        path: What messages call it.
        missing_run: Run time of tasks that have none; None: that is an error.
    """
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        from schedlab.workload.formats.workflows.dax import dax_workflow

        return dax_workflow(content, path, missing_run)
    document = parse_json(content, path)
    if isinstance(document, dict) and "workflow" in document:
        from schedlab.workload.formats.workflows.wfformat import wfformat_workflow

        return wfformat_workflow(document, path, missing_run)
    if isinstance(document, dict) and "tasks" in document:
        from schedlab.workload.formats.workflows.manifest import manifest_workflow

        return manifest_workflow(document, path, missing_run)
    raise InputError(
        f"{path}: is not a workflow: neither WfFormat ('workflow'), nor an ScSF manifest "
        "('tasks'), nor a Pegasus DAX (XML)"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


class WorkflowReader(Reader):
    """A workflow as a workload: its jobs are submitted at 0."""

    def __init__(
        self,
        path: str,
        handling: str = "chained",
        request_factor: float = 1,
        missing_run: float | None = None,
    ) -> None:
        """Reads the file later.

        Args:
            path: The file.
            handling: "chained" or "pilot", see `Workflow.as_jobs`.
            request_factor: As there.
            missing_run: Run time of tasks that have none; None: that is an error.
        """
        super().__init__(path)
        self._handling = handling
        self._request_factor = positive("request_factor", request_factor)
        self._missing_run = (
            None
            if missing_run is None
            else positive("missing_run", decode.duration(missing_run, "missing_run"))
        )
        self._header: dict[str, str] = {}

    def tables(self) -> Iterator[polars.DataFrame]:
        assert self.path is not None
        workflow = workflow_of(self.whole_content(), self.path, self._missing_run)
        self._header = {"Note": f"workflow {workflow.name}"}
        if self._handling == "chained" and workflow.programs:
            # As SWF has the names of queues and partitions.
            lines = (f"{number} {_one_line(name)}" for name, number in workflow.programs.items())
            self._header["Executable"] = "\n".join(lines)
        jobs = workflow.as_jobs(handling=self._handling, request_factor=float(self._request_factor))
        yield from in_batches(jobs)

    @property
    def header(self) -> dict[str, str]:
        return dict(self._header)


class WorkflowWriter(Writer):
    """Rows with predecessors as one workflow, which is held in memory until it is whole.

    Attributes:
        holds: Columns that the format has a place for.
    """

    holds: frozenset[str] = frozenset(
        ("job", "submit", "run", "requested_processors", "requested_time", "executable")
    ) | {"used_memory", PREDECESSORS, NAME}

    def begin(self, columns: list[str]) -> None:
        self._tables: list[polars.DataFrame] = []

    def add(self, table: polars.DataFrame) -> None:
        self._tables.append(table)

    def end(self) -> None:
        table = polars.concat(self._tables)
        note = self.header.get("Note", "").partition("\n")[0]
        name = note.removeprefix("workflow ") if note.startswith("workflow ") else "workflow"
        self._count_losses(table)
        programs: dict[str, str] = {}
        for line in self.header.get("Executable", "").splitlines():
            number, _, program = line.partition(" ")
            programs[number] = program.strip()
        self.file.write(self.document(workflow_of_table(table, name, self.path, programs)))

    def document(self, workflow: Workflow) -> bytes:
        """Returns the content of the file."""
        raise NotImplementedError

    def _count_losses(self, table: polars.DataFrame) -> None:
        lost = {
            "submit time": polars.col("submit") > 0,
            "allocated_processors": (polars.col("allocated_processors") > 0)
            & (polars.col("requested_processors") > 0)
            & (polars.col("allocated_processors") != polars.col("requested_processors")),
            "think_time": polars.col("think_time") > 0,
        }
        for column in table.columns:
            if column == "workflow":  # read again, all jobs are of workflow 1
                lost[column] = ~polars.col(column).is_in([-1.0, 1.0])
            elif column == "preceding_job":  # counts where the table has no other predecessors
                lost[column] = (polars.col(column) > 0) & (PREDECESSORS in table.columns)
            elif column not in self.holds and column not in lost:
                lost[column] = polars.col(column) != ("" if column in TEXTS else -1)
        for what, where in lost.items():
            if count := table.filter(where).height:
                self.losses[what] += count


def workflow_of_table(
    table: polars.DataFrame, name: str, path: str, programs: dict[str, str]
) -> Workflow:
    """Returns the jobs of a table as tasks that wait for their predecessors.

    Predecessors are those of the column of that name, else the preceding job of SWF.

    Args:
        table: The jobs.
        name: Of the workflow.
        path: What messages call it.
        programs: Names of programs by the numbers in the column `executable`.

    Raises:
        InputError: A job has no run time or no processors, or they make no workflow.
    """
    numbers = [int(job) for job in table["job"].to_list()]
    names = table[NAME].to_list() if NAME in table.columns else [""] * len(numbers)
    if "" in names or len(set(names)) < len(names):
        names = [f"job{number}" for number in numbers]
    name_of = dict(zip(numbers, names, strict=True))
    cores = table.select(
        polars.when(polars.col("requested_processors") > 0)
        .then(polars.col("requested_processors"))
        .otherwise(polars.col("allocated_processors"))
    ).to_series()
    rows = table.select("run", "requested_time", "executable", "used_memory").rows()
    tasks, places = [], []
    for number, before, count, row in zip(
        numbers, _predecessors(table), cores.to_list(), rows, strict=True
    ):
        run, requested, executable, memory = row
        where = f"{path}: job {number}"
        if run < 0 or count < 1:
            what = "run time" if run < 0 else "processors"
            raise InputError(f"{where}: has no {what}, which a task of a workflow must have")
        for wanted in before:
            if wanted not in name_of:
                raise InputError(f"{where}: waits for job {wanted}, which is not in the workload")
        tasks.append(
            Task(
                name_of[number],
                run,
                int(count),
                requested if requested > 0 else None,
                tuple(name_of[wanted] for wanted in before),
                programs.get(f"{executable:g}", f"program{executable:g}")
                if executable >= 0
                else "",
                memory * count if memory >= 0 else None,
            )
        )
        places.append(f"job {number}")
    return Workflow(tasks, name, path, places)


def _predecessors(table: polars.DataFrame) -> list[list[int]]:
    if PREDECESSORS in table.columns:
        given: list[list[int]] = table[PREDECESSORS].to_list()
        return given
    return [[int(job)] if job > 0 else [] for job in table["preceding_job"].to_list()]
