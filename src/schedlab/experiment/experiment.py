"""Experiments: every combination of workloads, systems and dispatchers, some times each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import schedlab
from schedlab.analysis.style import require_matplotlib
from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.experiment.arguments import (
    as_list,
    default_name,
    input_description,
    inputs_of,
    jobs_of,
    labels_of,
    shared_data,
    shared_of,
    workload_description,
)
from schedlab.experiment.comparison import Comparison, find_dispatcher
from schedlab.experiment.folder import ExperimentFolder
from schedlab.experiment.objects import pickled
from schedlab.experiment.plan import Dispatcher, PlannedRun, planned_runs
from schedlab.experiment.processes import Progress, Workers, usable_cores
from schedlab.experiment.table_files import are_current, write_tables
from schedlab.naming import parse_call
from schedlab.options import check_choice
from schedlab.simulation import Simulation
from schedlab.simulation.identity import engine_checksum, parts
from schedlab.simulation.spec.data import OBJECT, form_of
from schedlab.trust import Origin, data

if TYPE_CHECKING:
    from schedlab.dispatch import Allocator, BuiltInAllocator, Discipline, Scheduler

    SchedulerLike = str | Scheduler | Discipline
    AllocatorLike = str | Allocator | BuiltInAllocator


REPORT = "report.html"


class Experiment:
    """Simulations of every combination of what is given, in parallel, each in its own process.

    A run that is in the folder already, whole and with the same inputs, is not repeated.

    Args:
        out: Folder for everything: runs, tables, report.
        workloads: As for `simulate`; one, several, or a dict by name.
        systems: Likewise.
        schedulers: Names or objects; each is combined with each of the allocators.
        allocators: Names or objects.
        repeat: How often each combination runs; repetition r has the seed `seed + r - 1`.
        seed: Of the first repetition.
        processes: How many runs at a time; None: as many as there are cores.
        jobs: "parquet", "csv" or "none", as the runs' files are kept.
        timeline: Likewise.
        baseline: Name of the dispatcher that differences.csv compares with; None: the first.
        reader: Name of the reader of workload files; None: SWF.
        trust_code: Whether code runs that files name, as for `simulate`.
        **options: All others of `simulate`: windows, queues, conditions, data, estimate,
            job_factory, rules, and the options of docs/reference/options.md.

    Raises:
        InputError: Something given is wrong.
    """

    @explained
    def __init__(
        self,
        out: str | os.PathLike[str],
        *,
        workloads: Any,
        systems: Any,
        schedulers: SchedulerLike | Iterable[SchedulerLike] = (),
        allocators: AllocatorLike | Iterable[AllocatorLike] = "first-fit",
        repeat: int = 1,
        seed: int = 0,
        processes: int | None = None,
        jobs: str = "parquet",
        timeline: str = "parquet",
        baseline: str | None = None,
        reader: str | None = None,
        trust_code: bool = False,
        **options: Any,
    ) -> None:
        self.path = os.fsdecode(out)
        for name, count in (("repeat", repeat), ("processes", processes)):
            whole = isinstance(count, int) and not isinstance(count, bool) and count >= 1
            if not (whole or (name == "processes" and count is None)):
                raise InputError(f"{name}: must be a whole number from 1 up, not {count!r}")
        for name, kept in (("jobs", jobs), ("timeline", timeline)):
            check_choice(name, kept)
        self.repeat, self.seed, self.baseline = repeat, seed, baseline
        self.processes = processes or usable_cores()
        self._shared = shared_of(options, reader, {"jobs": jobs, "timeline": timeline}, trust_code)
        self._reader = reader
        for last in (seed, seed + repeat - 1 if isinstance(seed, int) else seed):
            self._shared.spec.replace(seed=last)  # says what is wrong with it
        self._workloads = inputs_of(
            "workload", workloads, lambda given: parts.workload_part(given, reader)
        )
        self._systems = inputs_of("system", systems, parts.system_part)
        self._dispatchers: list[Dispatcher] = []
        for scheduler in as_list(schedulers):
            for allocator in as_list(allocators):
                self.add(scheduler, allocator)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        out: str | os.PathLike[str],
        processes: int | None = None,
        trust_code: bool = False,
    ) -> Experiment:
        """Returns the experiment that an experiment.json describes, to be made in another folder.

        Args:
            path: The file. Relative paths in it begin from the current folder.
            out: Folder for everything.
            processes: How many runs at a time; None: as many as there are cores.
            trust_code: Whether code runs that the file names.

        Raises:
            InputError: A part of it was a Python object, which no file holds; or as for `__init__`.
        """
        from schedlab.experiment.repeating import repeated

        return repeated(os.fsdecode(path), os.fsdecode(out), processes, trust_code)

    @explained
    def add(
        self,
        scheduler: SchedulerLike,
        allocator: AllocatorLike = "first-fit",
        name: str | None = None,
    ) -> None:
        """Adds a single dispatcher.

        Args:
            scheduler: A name or an object.
            allocator: Likewise.
            name: What to call it; None: its scheduler and allocator.

        Raises:
            InputError: It is not known, or the name is taken.
        """
        first, second = parts.scheduler_part(scheduler), parts.allocator_part(allocator)
        if name is not None and not (isinstance(name, str) and name.strip() and name.isprintable()):
            raise InputError(f"name: must be a text of one line, not {name!r}")
        chosen = name or default_name(first.text, second.text)
        if any(one.name == chosen for one in self._dispatchers):
            raise InputError(
                f"dispatcher {chosen!r} is there already; leave it out, or give it another name: "
                "add(..., name=...)"
            )
        self._dispatchers.append(Dispatcher(chosen, first, second))

    def runs(self) -> list[PlannedRun]:
        """Returns what is going to run, in that order."""
        return planned_runs(
            self._workloads, self._systems, self._dispatchers, self._shared, self.repeat, self.seed
        )

    @explained
    def run(
        self,
        progress: Callable[[Progress], None] | None = None,
        force: bool = False,
        report: bool = False,
    ) -> Comparison:
        """Makes all runs that are not done yet, writes the tables, and returns the comparison.

        Args:
            progress: Called some ten times a second.
            force: Repeat what is done, too.
            report: Write report.html into the folder, too, with all plots that the runs have
                tables for; unless no run came through.

        Raises:
            InputError: Something given is wrong, or the folder holds something else.
            KeyboardInterrupt: After Ctrl-C; whole runs and their tables are in the folder, and the
                same experiment resumes from there.
        """
        if report:
            require_matplotlib()
        if not self._dispatchers:
            raise InputError("schedulers: give at least one, or add() a dispatcher")
        description = self._description()
        runs = self.runs()
        self._check(runs)
        inputs = [one.part.text for one in (*self._workloads, *self._systems)]
        with ExperimentFolder(self.path, inputs, self._applications()) as folder:
            done = [run for run in runs if folder.is_done(run) and not force]
            whole = done == runs and all(map(folder.is_finished, runs))
            if not whole or not are_current(folder, runs, description):
                self._make(folder, runs, done, description, progress)
        comparison = Comparison.load(self.path)
        if report and len(comparison.metrics):
            given = () if self._reader is None else (parse_call(self._reader, "reader")[0],)
            page, trusted = os.path.join(self.path, REPORT), self._shared.trust_code
            schedlab.write_report(comparison, page, trust_code=trusted, _given=given)
        return comparison

    def _make(
        self,
        folder: ExperimentFolder,
        runs: list[PlannedRun],
        done: list[PlannedRun],
        description: dict[str, Any],
        show: Callable[[Progress], None] | None,
    ) -> None:
        """Makes the runs that are not done, and the tables."""
        names = {run.name for run in done}
        missing = [run for run in runs if run.name not in names]
        unfinished = [run for run in done if not folder.is_finished(run)]
        stamps = {path: _stamp(path) for path in self._files()}
        progress = Progress(len(runs), len(done) - len(unfinished))

        def finish(run: PlannedRun) -> None:
            for path, stamp in stamps.items():
                if _stamp(path) != stamp:
                    folder.discard(run)  # whatever it read, its key is not that of the file
                    raise InputError(f"{path}: changed while the experiment ran; run it again")
            folder.finish(run, self._shared.formats)

        workers = Workers(self.processes, folder.run_path, folder.begin, finish)
        folder.write_description({**description, "status": "running", "tables": None})
        for run in missing:
            if run.key is None:  # what is there may be of other code
                folder.discard(run)
        try:
            workers.run(unfinished, missing, progress, show)
        finally:
            failed = {failure.name for failure in progress.failures}
            for run in missing:  # some may have ended while they were being interrupted
                if run.name not in failed and folder.is_done(run) and not folder.is_finished(run):
                    finish(run)
            progress.writes_tables = True
            if show is not None:
                show(progress)
            write_tables(folder, runs, description, progress.failures)

    def _files(self) -> list[str]:
        """Returns the files that each run reads anew: workloads, systems, modules of policies."""
        inputs = [one.part for one in (*self._workloads, *self._systems)]
        policies = [part for one in self._dispatchers for part in one[1:]]
        modules = [
            path
            for part in (*inputs, *policies, *self._shared.parts.values())
            for path in part.files
        ]
        paths = [*(part.text for part in inputs), *modules]
        return [path for path in paths if os.path.exists(path)]

    def _applications(self) -> Origin:
        """Returns where applications come from that run folders name: of files, or of the person.

        Those are the person's that are named by jobs from Python.
        """
        jobs = [job for one in self._workloads for job in jobs_of(one.part.given)]
        names = {parse_call(job.application, "application")[0] for job in jobs if job.application}
        return data(self.path, self._shared.trust_code, names)

    def _check(self, runs: list[PlannedRun]) -> None:
        """Raises InputError for what no run can do with, before any starts."""
        first = [run for run in runs if run.repetition == 1]  # the others have the same parts
        for run in first:
            if objects := run.objects:
                pickled(objects)
        for run in first:
            Simulation(**run.spec.arguments(), trust_code=self._shared.trust_code)

    def _description(self) -> dict[str, Any]:
        """Returns what experiment.json says of what was asked."""
        dispatchers = [
            {
                "name": one.name,
                "label": label,
                "scheduler": one.scheduler.text,
                "allocator": one.allocator.text,
                **_objects(one),
            }
            for one, label in zip(self._dispatchers, labels_of(self._dispatchers), strict=True)
        ]
        shared = self._shared
        estimate = shared.parts["estimate"]
        everything = [
            *((one.name, part) for one in self._dispatchers for part in one[1:]),
            *((one.name, one.part) for one in (*self._workloads, *self._systems)),
            *shared.parts.items(),
        ]
        return {
            "schedlab": schedlab.__version__,
            "engine": engine_checksum(),
            "workloads": [workload_description(one, self._reader) for one in self._workloads],
            "systems": [input_description(one) for one in self._systems],
            "dispatchers": dispatchers,
            "baseline": find_dispatcher(self.baseline, dispatchers),
            "repeat": self.repeat,
            "seed": self.seed,
            "rules": shared.spec.rules,
            "options": {
                **shared.spec.options,
                "estimate": None if estimate.given is None else estimate.text,
            },
            "windows": shared.parts["windows"].identity,
            "queues": shared.parts["queues"].identity,
            "conditions": shared.parts["conditions"].text or None,
            "data": shared.parts["data"].text,
            "job_factory": shared.parts["job_factory"].text or None,
            "spec": shared_data(shared.spec),
            **shared.formats,
            "notes": [
                f"{name}: runs are never reused: {part.unknown}"
                for name, part in everything
                if part.unknown
            ],
            "runs": [run.description for run in self.runs()],
        }


def _objects(dispatcher: Dispatcher) -> dict[str, Any]:
    """Returns which parts of a dispatcher are Python objects, where some are."""
    parts = (("scheduler", dispatcher.scheduler), ("allocator", dispatcher.allocator))
    names = [name for name, part in parts if form_of(name, part.given)[0] == OBJECT]
    return {"objects": names} if names else {}


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
