"""Workflows: tasks that wait for one another, and how a workload has them as jobs.

The papers' two ways to submit one (ScSF, section 3.2) are `chained`, a job for each task with the
jobs it waits for, and `pilot`, one job within which all tasks run. Files are read by
`schedlab.workload.formats`: WfFormat, Pegasus DAX and ScSF manifests.
"""

from __future__ import annotations

import heapq
import math
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import polars

from schedlab.decode import MAX_SECONDS
from schedlab.errors import InputError
from schedlab.workload.table import NAME, PREDECESSORS, complete

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_CORES = 2**31 - 1
HANDLINGS = ("chained", "pilot")
"""How a workflow becomes jobs."""


class Task(NamedTuple):
    """One task of a workflow.

    Attributes:
        name: Unique within the workflow.
        run: Seconds that it runs.
        cores: How many it takes.
        requested: Seconds that its owner asks for; None: as `as_jobs` says.
        predecessors: Names of the tasks that must have ended before.
        program: What it runs; tasks of one program have the same `executable` as jobs.
        memory: KB that it uses in all; None: not known.
    """

    name: str
    run: float
    cores: int = 1
    requested: float | None = None
    predecessors: tuple[str, ...] = ()
    program: str = ""
    memory: float | None = None


class Workflow:
    """Tasks and the order they must keep; checked when it is made.

    Attributes:
        name: For people.
        tasks: In an order in which each comes after its predecessors; that of the file where it
            is such a one.
        predecessors: For each task the positions of those it waits for, in ascending order.

    Raises:
        InputError: There are no tasks, two have one name, a predecessor is unknown, tasks wait for
            each other in a circle, or a number is none that a task can have.
    """

    def __init__(
        self,
        tasks: Iterable[Task],
        name: str = "workflow",
        source: str | os.PathLike[str] = "",
        places: Sequence[str] | None = None,
    ) -> None:
        """Checks the tasks and brings them in order.

        Args:
            tasks: In any order.
            name: For people.
            source: The file, for messages.
            places: What messages call each task, such as "tasks[3]"; by default that.
        """
        given = list(tasks)
        self.name = name
        source = os.fsdecode(source)
        begin = f"{source}: " if source else ""
        if not given:
            raise InputError(f"{begin}workflow {name!r} has no tasks")
        if places is None:
            places = [f"tasks[{number}]" for number in range(len(given))]
        position: dict[str, int] = {}
        for number, task in enumerate(given):
            where = f"{begin}{places[number]} ({task.name!r})"
            if task.name in position:
                first = places[position[task.name]]
                raise InputError(f"{where}: {first} has the same name; names must be unique")
            position[task.name] = number
            _check(task, where)
        waits_for: list[list[int]] = []
        for number, task in enumerate(given):
            for wanted in task.predecessors:
                if wanted not in position:
                    where = f"{begin}{places[number]} ({task.name!r})"
                    raise InputError(f"{where}: waits for {wanted!r}, which is not a task here")
            waits_for.append(sorted({position[wanted] for wanted in task.predecessors}))
        order = order_of_tasks(waits_for)
        if len(order) < len(given):
            circle = " -> ".join(repr(given[n].name) for n in one_circle(waits_for, order))
            raise InputError(f"{begin}tasks wait for each other in a circle: {circle}")
        new = {number: place for place, number in enumerate(order)}
        self.tasks: tuple[Task, ...] = tuple(given[number] for number in order)
        self.predecessors: tuple[tuple[int, ...], ...] = tuple(
            tuple(sorted(new[wanted] for wanted in waits_for[number])) for number in order
        )

    @staticmethod
    def load(path: str | os.PathLike[str], missing_run: float | None = None) -> Workflow:
        """Returns the workflow of a file: WfFormat, Pegasus DAX or an ScSF manifest.

        Which of them it is, the content says.

        Args:
            path: The file, plain or compressed.
            missing_run: Run time of tasks that have none; None: that is an error.

        Raises:
            InputError: It is none of them, or a wrong one.
        """
        from schedlab.workload.formats.workflows.workflow_file import load_workflow

        return load_workflow(os.fsdecode(path), missing_run)

    @cached_property
    def edges(self) -> int:
        """How many times a task waits for another."""
        return sum(map(len, self.predecessors))

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The level of each task: 0 without predecessors, else one above the highest of theirs."""
        levels: list[int] = []
        for before in self.predecessors:
            levels.append(1 + max((levels[place] for place in before), default=-1))
        return tuple(levels)

    @cached_property
    def width(self) -> int:
        """The most tasks on one level."""
        counts = [0] * (max(self.levels) + 1)
        for level in self.levels:
            counts[level] += 1
        return max(counts)

    @cached_property
    def programs(self) -> dict[str, int]:
        """The programs of the tasks and their numbers, which jobs have as `executable`."""
        names = dict.fromkeys(task.program for task in self.tasks if task.program)
        return {name: number for number, name in enumerate(names, 1)}

    @cached_property
    def work_core_seconds(self) -> float:
        """Cores times seconds of all tasks."""
        return math.fsum(task.cores * task.run for task in self.tasks)

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return self._earliest([_nanoseconds(task.run) for task in self.tasks])

    @property
    def starts(self) -> list[float]:
        """When each task starts, in seconds, if it does so as soon as its predecessors ended."""
        return [start / 1e9 for start, _ in self._spans]

    @cached_property
    def length_seconds(self) -> float:
        """The shortest time in which the workflow can run: the length of its critical path."""
        return max(end for _, end in self._spans) / 1e9

    @cached_property
    def critical_path(self) -> list[str]:
        """Names of the tasks of one longest path, from its first to its last."""
        spans = self._spans
        place = max(range(len(spans)), key=lambda n: (spans[n][1], -n))
        path = [place]
        while self.predecessors[place] and spans[place][0] > 0:
            place = max(self.predecessors[place], key=lambda n: (spans[n][1], -n))
            path.append(place)
        return [self.tasks[place].name for place in reversed(path)]

    @cached_property
    def max_cores(self) -> int:
        """The cores with which it can run in `length_seconds`, each task as early as it can.

        That is the most that are in use at once in this schedule. A task that ends gives its cores
        to those that start at that moment. Tasks that run for no time need their cores, too, so it
        is at least the largest task.
        """
        changes = []
        for task, (start, end) in zip(self.tasks, self._spans, strict=True):
            if end > start:
                changes += [(start, task.cores), (end, -task.cores)]
        changes.sort()  # at one moment those that end come first
        used, most = 0, max(task.cores for task in self.tasks)
        for _, change in changes:
            used += change
            most = max(most, used)
        return most

    def as_jobs(
        self,
        first_job: int = 1,
        submit: float = 0,
        workflow_number: int = 1,
        handling: str = "chained",
        user: float = -1,
        request_factor: float = 1,
    ) -> polars.DataFrame:
        """Returns the workflow as rows of a job table, all submitted at one time.

        Args:
            first_job: The number of the first job; the others follow it.
            submit: When they are submitted, seconds.
            workflow_number: What their column `workflow` says.
            handling: "chained": a job for each task, with `predecessors`; "pilot": one job of
                `max_cores` for `length_seconds`, within which all tasks run.
            user: Number of the owner.
            request_factor: A task that carries no requested time asks for its run time times this.
                A pilot asks for the longest path of what its tasks ask for.

        Raises:
            InputError: There is no such handling, or the factor is not above 0.
        """
        rows = self.job_rows(handling, request_factor)
        return rows.with_columns(
            polars.col("job") + first_job,
            polars.lit(float(submit)).alias("submit"),
            polars.lit(float(user)).alias("user"),
            polars.lit(float(workflow_number)).alias("workflow"),
            polars.col(PREDECESSORS).list.eval(polars.element() + first_job),
        )

    def job_rows(self, handling: str = "chained", request_factor: float = 1) -> polars.DataFrame:
        """Returns the rows of `as_jobs`, with jobs numbered from 0; made once.

        Args:
            handling: "chained" or "pilot".
            request_factor: As for `as_jobs`.

        Raises:
            InputError: There is no such handling, or the factor is not above 0.
        """
        if handling not in HANDLINGS:
            raise InputError(f"workflow handling {handling!r}: must be one of {HANDLINGS}")
        if not 0 < request_factor < math.inf:
            raise InputError(f"request_factor: must be above 0, not {request_factor!r}")
        known: dict[tuple[str, float], polars.DataFrame] = self.__dict__.setdefault("_known", {})
        if (handling, request_factor) not in known:
            make = self._chained if handling == "chained" else self._pilot
            known[handling, request_factor] = make(request_factor)
        return known[handling, request_factor]

    def _chained(self, request_factor: float) -> polars.DataFrame:
        tasks = self.tasks
        return _rows(
            run=[task.run for task in tasks],
            requested_processors=[task.cores for task in tasks],
            requested_time=[_requested(task, request_factor) for task in tasks],
            used_memory=[-1 if task.memory is None else task.memory / task.cores for task in tasks],
            executable=[self.programs.get(task.program, -1) for task in tasks],
            predecessors=self.predecessors,
            name=[task.name for task in tasks],
        )

    def _pilot(self, request_factor: float) -> polars.DataFrame:
        requested = [_nanoseconds(max(0, _requested(task, request_factor))) for task in self.tasks]
        limit = max(end for _, end in self._earliest(requested)) / 1e9
        return _rows(
            run=[self.length_seconds],
            requested_processors=[self.max_cores],
            requested_time=[limit if limit > 0 else -1],
            predecessors=[()],
            name=[self.name],
        )

    def _earliest(self, durations: list[int]) -> list[tuple[int, int]]:
        """Returns start and end of each task, each as early as can be; all in nanoseconds.

        Whole numbers, because sums of fractions along two paths that meet would differ by rounding,
        and tasks would seem to overlap that do not.
        """
        spans: list[tuple[int, int]] = []
        for before, duration in zip(self.predecessors, durations, strict=True):
            start = max((spans[place][1] for place in before), default=0)
            spans.append((start, start + duration))
        return spans

    def __repr__(self) -> str:
        return f"Workflow({self.name!r}: {len(self.tasks)} tasks, {self.edges} edges)"


def _rows(**columns: Iterable[Any]) -> polars.DataFrame:
    """Returns a table of jobs numbered from 0."""
    lists = polars.Series(PREDECESSORS, columns.pop("predecessors"), polars.List(polars.Int64))
    names = polars.Series(NAME, columns.pop("name"), polars.String)
    numbers = [polars.Series(name, v, polars.Float64, strict=False) for name, v in columns.items()]
    job = polars.Series("job", range(len(names)), polars.Float64)
    workflow = polars.zeros(len(names), polars.Float64, eager=True).alias("workflow")
    return complete(polars.DataFrame([job, *numbers, lists, workflow, names]))


def _requested(task: Task, factor: float) -> float:
    """Returns the seconds that a task asks for; -1 where that would be none."""
    requested = task.run * factor if task.requested is None else task.requested
    return requested if requested > 0 else -1


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)


def _check(task: Task, where: str) -> None:
    _number(task.run, f"{where}: run time", 0, MAX_SECONDS)
    if task.requested is not None:
        _number(task.requested, f"{where}: requested time", 0, MAX_SECONDS)
    if task.memory is not None:
        _number(task.memory, f"{where}: memory", 0, 2.0**60)
    cores = task.cores
    if not isinstance(cores, int) or isinstance(cores, bool) or not 1 <= cores <= MOST_CORES:
        raise InputError(f"{where}: cores must be a whole number above 0, not {cores!r}")


def _number(value: object, what: str, least: float, most: float) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not least <= value <= most:  # type: ignore[operator]
        raise InputError(f"{what} must be a number from {least:g} to {most:g}, not {value!r}")


def order_of_tasks(waits_for: list[list[int]]) -> list[int]:
    """Returns the tasks such that each is after its predecessors, else in the given order.

    Tasks in or after a circle are missing.
    """
    followers: list[list[int]] = [[] for _ in waits_for]
    open_ends = [len(before) for before in waits_for]
    for number, before in enumerate(waits_for):
        for wanted in before:
            followers[wanted].append(number)
    ready = [number for number, count in enumerate(open_ends) if count == 0]  # sorted: a heap
    order = []
    while ready:
        number = heapq.heappop(ready)
        order.append(number)
        for follower in followers[number]:
            open_ends[follower] -= 1
            if open_ends[follower] == 0:
                heapq.heappush(ready, follower)
    return order


def one_circle(waits_for: list[list[int]], order: list[int]) -> list[int]:
    """Returns one circle among the tasks that no order could take up, its first task twice."""
    left = set(range(len(waits_for))) - set(order)
    path, seen = [min(left)], {min(left): 0}
    while True:
        # Whatever is left waits for something that is left.
        wanted = next(n for n in waits_for[path[-1]] if n in left)
        if wanted in seen:
            circle = [*path[seen[wanted] :], wanted]
            return circle[::-1]
        seen[wanted] = len(path)
        path.append(wanted)
