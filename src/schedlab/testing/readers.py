"""Conformance of readers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError
from schedlab.simulation import Simulation
from schedlab.testing.recording import folder
from schedlab.testing.report import (
    FORKS,
    NO_ERROR,
    SAVES,
    ConformanceError,
    Report,
    limited,
    name_of,
)
from schedlab.testing.time_limit import LIMIT_SECONDS
from schedlab.workload import Job
from schedlab.workload.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from schedlab.simulation.core import SystemSource

LOOK_AHEAD = 10_000
"""Jobs that a reader may have made before the first one is taken from it."""
SIMULATED = 2_000
"""Forks and state files are tried on N jobs."""

JOBS = "gives jobs, or lists of jobs"
SUBMIT = "jobs come in order of submission"
IDS = "no two jobs have the same id"
TWICE = "a second reading gives the same jobs"
FRESH = "a fresh reader gives the same jobs"
STREAM = f"no more than {LOOK_AHEAD:,} jobs are made ahead"
BAD = "bad input raises InputError, which names it"


def check_reader(
    reader: Callable[[], Any],
    *,
    bad: Iterable[str | os.PathLike[str] | Callable[[], Any]] = (),
    system: SystemSource | None = None,
    limit_seconds: float = LIMIT_SECONDS,
) -> Report:
    """Returns a report if a reader does what every reader must.

    Args:
        reader: Makes a `Reader`, or any other iterable of jobs that can be read again.
        bad: Files that must be refused, read by the reader's class; or functions that make a
            reader of bad input.
        system: A machine for its jobs; None: one is made up on which each of them has room.
        limit_seconds: Longest time between two findings; code that takes longer never returns.

    Raises:
        ConformanceError: A rule is broken.
    """
    check = _Check(reader)
    with limited(check.label, limit_seconds):
        made = check._made()
        if isinstance(made, Reader) and made.gives_tables:
            from schedlab.testing.table_readers import check_table_reader

            return check_table_reader(reader, check.label, bad, system)
        return check.run(bad, system)


class _Check:
    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make
        self.label = f"check_reader({name_of(make)})"
        self.report = Report(self.label)

    def run(
        self, bad: Iterable[str | os.PathLike[str] | Callable[[], Any]], system: SystemSource | None
    ) -> Report:
        made = self._made()
        jobs = self._read(made)
        self._check_jobs(jobs)
        for rule, again in ((TWICE, made), (FRESH, self._made())):
            self._check_equal(rule, jobs, self._read(again))
        self._check_stream(len(jobs))
        if jobs:
            self._check_simulation(jobs, system or _machine(jobs))
        for item in bad:
            self._check_bad(item, type(made))
        return self.report

    def broken(self, rule: str, found: str) -> ConformanceError:
        code = "reader = ...  # as given\nfor job in reader.jobs():\n    print(job)"
        return ConformanceError(self.label, rule, found, code=code)

    def _made(self) -> Any:
        try:
            return self.make()
        except Exception as error:
            raise self.broken(NO_ERROR, f"{type(error).__name__}: {error}") from error

    def _read(self, made: Any) -> list[Job]:
        try:
            jobs = list(_stream(made))
        except Exception as error:
            raise self.broken(NO_ERROR, f"{type(error).__name__}: {error}") from error
        wrong = [job for job in jobs if not isinstance(job, Job)]
        if wrong:
            raise self.broken(JOBS, f"gives {wrong[0]!r}")
        self.report.add(NO_ERROR, JOBS)
        return jobs

    def _check_jobs(self, jobs: list[Job]) -> None:
        for before, job in pairwise(jobs):
            if job.submit < before.submit:
                raise self.broken(
                    SUBMIT,
                    f"job {job.id}, submitted at {job.submit}, comes after job {before.id}, "
                    f"submitted at {before.submit}",
                )
        seen: set[int] = set()
        for job in jobs:
            if job.id in seen:
                raise self.broken(IDS, f"job {job.id} comes twice")
            seen.add(job.id)
        self.report.add(SUBMIT, IDS)

    def _check_equal(self, rule: str, jobs: list[Job], others: list[Job]) -> None:
        if len(jobs) != len(others):
            raise self.broken(rule, f"first {len(jobs):,} jobs, then {len(others):,}")
        for job, other in zip(jobs, others, strict=True):
            if job != other:
                raise self.broken(rule, f"first {job!r}, then {other!r}")
        self.report.add(rule)

    def _check_stream(self, jobs: int) -> None:
        with _counted_jobs() as made:
            stream = _stream(self._made())
            next(stream, None)
            ahead = len(made)
            del stream
        if ahead > LOOK_AHEAD:
            raise self.broken(STREAM, f"{ahead:,} of {jobs:,} were, before the first was taken")
        if jobs <= LOOK_AHEAD:
            self.report.note(
                f"{ahead:,} of {jobs:,} jobs are made before the first is taken; whether it reads "
                f"as a stream shows on a workload of more than {LOOK_AHEAD:,}"
            )
        else:
            self.report.add(STREAM)

    def _check_simulation(self, jobs: list[Job], system: SystemSource) -> None:
        """A simulation that reads from it can be forked, saved and loaded."""
        last = min(SIMULATED, len(jobs)) - 1
        middle, end = jobs[last // 2].submit, jobs[last].submit

        def rows(simulation: Simulation, name: str) -> str:
            simulation.record_jobs(os.path.join(place, name))
            simulation.run(until=end)
            with open(os.path.join(place, name), encoding="utf-8") as file:
                return file.read()

        with folder() as place:
            simulation = Simulation(self._made(), system=system, scheduler="fcfs-bf")
            simulation.run(until=middle)
            state = os.path.join(place, "state")
            ways: dict[str, Callable[[], Simulation]] = {
                FORKS: lambda: simulation.fork(),
                SAVES: lambda: self._loaded(simulation, state),
            }
            for rule, go_on in ways.items():
                try:
                    found = rows(go_on(), "other.csv")
                except Exception as error:
                    text = f"at {middle:g} s: {type(error).__name__}: {error}"
                    raise self.broken(rule, text) from error
                expected = Simulation(jobs, system=system, scheduler="fcfs-bf")
                expected.run(until=middle)
                if rows(expected, "expected.csv") != found:
                    raise self.broken(rule, f"at {middle:g} s: it continues with other jobs")
                self.report.add(rule)

    def _loaded(self, simulation: Simulation, path: str) -> Simulation:
        simulation.fork().save(path)
        return Simulation.load(path, workload=self._made())

    def _check_bad(
        self, item: str | os.PathLike[str] | Callable[[], Any], kind: Callable[[Any], Any]
    ) -> None:
        path = None if callable(item) else os.fsdecode(item)
        try:
            made = item() if callable(item) else kind(path)
            if isinstance(made, Reader):
                made.strict = True  # rows that it skips are errors then
            for _ in _stream(made):
                pass
        except InputError as error:
            if path is not None and os.path.basename(path) not in str(error):
                raise self.broken(BAD, f"{path}: the message does not name it: {error}") from error
            self.report.add(BAD)
        except Exception as error:
            raise self.broken(BAD, f"{path or item}: {type(error).__name__}: {error}") from error
        else:
            raise self.broken(BAD, f"{path or item}: is read without an error")


def _stream(made: Any) -> Iterator[Job]:
    """Returns the jobs one by one, those of lists too."""
    for item in made.jobs() if isinstance(made, Reader) else made:
        if isinstance(item, (list, tuple)):
            yield from item
        else:
            yield item


@contextmanager
def _counted_jobs() -> Iterator[list[None]]:
    """Gives a list that grows with each job that is made meanwhile."""
    made: list[None] = []
    original = Job.__init__

    def counting(self: Job, *arguments: Any, **named: Any) -> None:
        made.append(None)
        original(self, *arguments, **named)

    Job.__init__ = counting  # type: ignore[method-assign]
    try:
        yield made
    finally:
        Job.__init__ = original  # type: ignore[method-assign]


def _machine(jobs: list[Job]) -> dict[str, Any]:
    """Returns a machine on which each of the jobs has room when it is alone."""
    nodes, resources = 2, {"core": 1}
    for job in jobs:
        per_node = job.tasks_per_node or job.processors
        nodes = max(nodes, -(-job.processors // per_node))
        for kind, amount in (job.resources or {"core": 1}).items():
            resources[kind] = max(resources.get(kind, 0), amount * per_node)
    return {"groups": {"node": {"nodes": nodes, "resources": resources}}}
