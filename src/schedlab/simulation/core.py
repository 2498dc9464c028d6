"""A workload, a system and a dispatcher, simulated: all at once or step by step.

Longer than other files: it is one class, whose methods are what users call.
"""

from __future__ import annotations

import os
from time import perf_counter

from schedlab import _engine, decode
from schedlab.calling import explained
from schedlab.dispatch.allocators import allocator_named
from schedlab.dispatch.allocators import for_engine as allocator_for_engine
from schedlab.dispatch.schedulers import for_engine, scheduler_named
from schedlab.errors import InputError
from schedlab.simulation import reading
from schedlab.simulation.decisions import Deciding
from schedlab.simulation.parts import (
    checked_conditions,
    checked_data,
    checked_preemption,
    checked_queues,
    checked_windows,
    empty_text,
    engine_facts,
    kept_attributes,
    label,
    long_queue_warnings,
    names_of_parts,
    needed_attributes,
    network_for_engine,
    origin_of_jobs,
    own_estimator,
    own_factory,
    platform_for_engine,
    preemption_for_engine,
    refuse_own_allocator,
)
from schedlab.simulation.spec.value import RunSpec
from schedlab.system import load_system
from schedlab.system.partitions import PartitionNumbers
from schedlab.trust import PERSON
from schedlab.workload.applications import Texts
from schedlab.workload.licenses import Licenses
from schedlab.workload.needs import Needs

TYPE_CHECKING = False  # `typing` costs 8 ms at start-up; type checkers read this as True.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    import polars

    from schedlab.conditions import Conditions
    from schedlab.dispatch import Allocator, BuiltInAllocator, Discipline, Scheduler
    from schedlab.dispatch.additional_data import AdditionalData
    from schedlab.dispatch.estimators import Estimator
    from schedlab.simulation.applications import ApplicationCatalogue
    from schedlab.system import System
    from schedlab.system.queues import Queue
    from schedlab.system.windows import Window
    from schedlab.trust import Origin
    from schedlab.workload import Job, Reader
    from schedlab.workload.compression import InputFile
    from schedlab.workload.job_factory import JobFactory
    from schedlab.workload.table_input import TableInput

    Frame = polars.DataFrame | polars.LazyFrame
    Workload = str | os.PathLike[str] | Iterable[Job | list[Job]] | Reader | Frame
    SystemSource = str | os.PathLike[str] | dict[str, Any] | System
    ConditionsSource = str | os.PathLike[str] | dict[str, Any] | Conditions

SLICE_SECONDS = 0.03
"""About how long the engine works before Ctrl-C and progress are looked at."""

MOST_TIME_POINTS = 1_000_000
"""In one go; applications take breaks of their own, and would let it grow without end."""


class Simulation(Deciding):
    """A simulation that can be stepped, stopped, forked and asked.

    Args:
        workload: Path of a workload file (SWF, Parquet, CSV, ...; see docs/reference/formats.md),
            an iterable of `Job` in submit order, a `Reader`, or a polars frame with the columns of
            a job table.
        system: Path of a system file, its content as a dict, or a `System`.
        scheduler: Name such as "easy" or "easy(order=shortest, depth=100)", or an object.
        allocator: Name such as "first-fit", or an object.
        windows: Maintenance and advance reservations: `Window` objects, or a file of them.
        queues: Queues with priorities: `Queue` objects, or a file of them.
        conditions: What happens to the machine, such as failures and power caps: path of a file,
            its content as a dict, or `Conditions`. None: nothing.
        data: Additional data: objects of classes derived from `AdditionalData`, or their names.
        estimate: What the scheduler knows of run times: "requested", "exact", "history", or an
            `Estimator` of your own, as an object or as "package.module:Class".
        reader: Name of the reader of a workload file, perhaps with arguments, or
            `package.module:Class`; None: what the file is.
        job_factory: A function, or `package.module:name`, that is called with each `Job` of the
            workload and returns what to simulate instead: a job, or None to leave it out.
        rules: "accasim", "alea" or "pyss": read the trace as that simulator does.
        trust_code: Whether code runs that files name, such as applications of jobs; see
            docs/reference/trust.md. Names that are passed here are yours, and run in any case.
        **options: Choices by name, as in docs/reference/options.md; they take
            precedence over `rules`.

    Raises:
        InputError: Something given is wrong.
    """

    @explained
    def __init__(
        self,
        workload: Workload,
        *,
        system: SystemSource,
        scheduler: str | Scheduler | Discipline = "fifo",
        allocator: str | Allocator | BuiltInAllocator = "first-fit",
        windows: str | os.PathLike[str] | Iterable[Window] = (),
        queues: str | os.PathLike[str] | Iterable[Queue] = (),
        conditions: ConditionsSource | None = None,
        data: Iterable[AdditionalData | str] = (),
        estimate: str | Estimator | None = None,
        reader: str | None = None,
        job_factory: str | JobFactory | None = None,
        rules: str | None = None,
        trust_code: bool = False,
        _spec: RunSpec | None = None,  # as it was asked for, where files were read beforehand
        _saved: dict[str, Any] | None = None,  # what a state file holds beside the run
        _origin: Origin = PERSON,  # of names of parts; a state file's are not the person's
        **options: Any,
    ) -> None:
        given = RunSpec.of_call(locals(), options)
        self.spec, self.origin, self.rules = _spec or given, _origin, rules
        of_jobs = origin_of_jobs(workload, trust_code)
        self.estimator = own_estimator(estimate, _origin)
        self.options = given.resolved_options()
        self._recorder: _engine.CsvJobs | None = None
        self._slice = 16  # time points that take about SLICE_SECONDS, found by trying
        self.paused = False  # by a user who watches the run
        self.system = load_system(system)
        self.system_path = self.spec.system if isinstance(self.spec.system, str) else None
        self.scheduler = scheduler_named(scheduler, _origin)
        self.allocator = allocator_named(allocator, _origin)
        self.data = checked_data(given.data, self.system, _origin)
        self.call_parts(names_of_parts(self, scheduler, allocator, estimate))
        self.windows, engine_windows = checked_windows(given.windows, self.system)
        self.queues = checked_queues(given.queues)
        self.preemption = checked_preemption(self.system, self.queues, self.allocator)
        self.conditions, self._engine_conditions = checked_conditions(
            conditions,
            self.system,
            self.options["seed"],
            getattr(self.scheduler, "interrupts_jobs", False),
            self.preemption,
        )
        self.facts = engine_facts(self.system, self._engine_conditions, self.options)
        self.input: InputFile | TableInput | None = None
        self.reader: Reader | None = None
        self.job_factory, self.job_factory_name = own_factory(job_factory, _origin)
        self.applications = Texts(_saved["applications"] if _saved else ())
        lists = _saved["partition_lists"] if _saved else ()
        self.partitions = PartitionNumbers(self.system, lists)
        self.needs = Needs(self.system, _saved["needs"] if _saved else ())
        self.licenses = Licenses(self.system, _saved["licenses"] if _saved else ())
        network = network_for_engine(self.system, self.options, self.applications, _origin, of_jobs)
        self.catalogue: ApplicationCatalogue | None = network.get("catalogue") if network else None
        self.swf_attributes = _saved["swf_attributes"] if _saved else needed_attributes(self)
        types = self.system.resource_types
        processor = [self.system.processor.get(kind, 0) for kind in types]
        opened = reading.named(workload, reader)
        source = reading.open_source(self, opened, processor, options)
        self._comments = source.comments  # those before the rows: the names are among them
        self.name_warnings: list[str] = []
        queues_for_engine = reading.queues_for_engine(self, self._comments)
        dependencies = self.options["dependencies"] != "ignore" and source.dependencies
        kept = kept_attributes(self, source)
        self.kept = [name for name in kept if name not in self.facts]  # a column is there once
        self.engine = _engine.Simulation(
            types=types,
            groups=[
                (group.name, group.nodes, [group.resources.get(kind, 0) for kind in types])
                for group in self.system.groups
            ],
            processor=processor,
            partitions=reading.partitions_for_engine(self, self._comments),
            preemption=preemption_for_engine(self.preemption),
            partition_lists=self.partitions,
            # Before the source becomes another one's:
            needs=reading.explained_for_engine(self, source, self.needs),
            licenses=list(self.system.licenses.items()),
            asked_licenses=reading.explained_for_engine(self, source, self.licenses),
            source=reading.changed_source(self, source, processor),
            dispatcher=self._dispatcher(),
            estimate=self.options["estimate"] if self.estimator is None else self.estimator,
            data=list(self.data),
            enforce_limits=self.options["enforce_limits"],
            event_by_event=self.options["dispatch_per"] == "event",
            dependencies=dependencies,
            refuse_impossible=self.options["impossible"] == "stop",
            windows=engine_windows[0],
            window_nodes=engine_windows[1],
            window_rules=[self.numbered(rule) for rule in engine_windows[2]],
            queues=queues_for_engine[0],
            queue_field=queues_for_engine[1],
            platform=platform_for_engine(self.system),
            conditions=self._engine_conditions,
            network=network,
        )

    def call_parts(self, names: dict[str, Any]) -> None:
        """Sets what results call the parts: of a saved run, as it was at its beginning."""
        self.names = names
        if self.estimator is not None:
            self.options["estimate"] = names["estimator"]

    def _dispatcher(self) -> dict[str, Any]:
        engine_scheduler = for_engine(self.scheduler, self.origin)
        if isinstance(engine_scheduler["order"], str):
            engine_scheduler["order"] = self.numbered(engine_scheduler["order"])
        return {
            **engine_scheduler,
            **allocator_for_engine(self.allocator, self.system),
            "seed": self.options["seed"],
        }

    def _refuse_interrupting(self) -> None:
        """Raises InputError for a scheduler that ends running jobs, where attempts are not kept."""
        attempts = None if self._engine_conditions is None else self._engine_conditions["failures"]
        kept = attempts is not None and attempts["by_scheduler"]
        if getattr(self.scheduler, "interrupts_jobs", False) and not kept:
            raise InputError(
                f"scheduler: {self.scheduler} ends running jobs (interrupts_jobs), and the "
                "simulation was begun with one that does not; begin it with one that does"
            )

    def numbered(self, expression: str) -> str:
        """Returns an expression as the engine takes it, with numbers in place of names."""
        if not reading.mentions_names(expression):
            return expression
        names = reading.names_of(self, self._comments)
        self.name_warnings += names.compared_with_numbers(expression)
        return names.numbered(expression)

    def run(
        self,
        until: float | str | None = None,
        progress: Callable[[Simulation], None] | None = None,
    ) -> None:
        """Continues until nothing is left to happen, or past no time point after `until`.

        Args:
            until: A time in the workload's own clock: seconds, or a text such as "1h30m".
            progress: Called some thirty times a second.
        """
        while self.advance(until):
            if progress is not None:
                progress(self)
        if self._recorder is not None:
            self._recorder.sync()

    def advance(self, until: float | str | None = None) -> bool:
        """Continues for a few hundredths of a second, not past `until`; False if it stopped."""
        before = perf_counter()
        more = self.engine.advance(self._slice, decode.duration(until, "until"))
        if more and perf_counter() - before < SLICE_SECONDS:
            self._slice = min(2 * self._slice, MOST_TIME_POINTS)
        elif more and self._slice > 1:
            self._slice //= 2
        return more

    def stop(self) -> None:
        """Ends it here: `stop` of its additional data is called, as at the end, and only once."""
        self.engine.stop()

    def fork(
        self,
        scheduler: str | Scheduler | Discipline | None = None,
        allocator: str | Allocator | BuiltInAllocator | None = None,
    ) -> Simulation:
        """Returns a second simulation that resumes from this moment on its own, unrecorded.

        Args:
            scheduler: Decides there from now on; None: the same as here.
            allocator: Likewise.
        """
        copy = object.__new__(Simulation)
        copy.__dict__.update(self.__dict__)
        copy._recorder = None
        copy.engine = self.engine.fork()  # opens a compressed workload anew, and reads up to here
        own_scheduler, own_allocator, own_estimator, *data = copy.engine.policies()
        copy.scheduler = self.scheduler if own_scheduler is None else own_scheduler
        copy.allocator = self.allocator if own_allocator is None else own_allocator
        copy.estimator, copy.data = own_estimator, tuple(data)
        if own_scheduler is not None and scheduler is None:
            engine_scheduler: dict[str, Any] = for_engine(copy.scheduler, self.origin)
            if callable(engine_scheduler["order"]):  # perhaps a method of the policy
                copy.engine.replace_order(
                    engine_scheduler["order"], engine_scheduler["order_changes"]
                )
        if scheduler is not None or allocator is not None:
            copy.origin = self.origin if scheduler is None else PERSON
            decides = copy.scheduler if scheduler is None else scheduler
            places = copy.allocator if allocator is None else allocator
            copy.scheduler = scheduler_named(decides, PERSON)
            copy.allocator = allocator_named(places, PERSON)
            copy._refuse_interrupting()
            if self.preemption:
                refuse_own_allocator(copy.allocator)
            copy.engine.set_dispatcher(copy._dispatcher())
            for kind, given in (("scheduler", scheduler), ("allocator", allocator)):
                if given is not None:
                    copy.names = {**copy.names, kind: label(given, getattr(copy, kind))}
                    copy.spec = copy.spec.replace(**{kind: given})
        return copy

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state to a file, from which `load` continues, even in another process.

        Raises:
            SimulationError: A policy has a state that is not plain data, and no `get_state`.
        """
        from schedlab.simulation.saving import save

        save(self, os.fsdecode(path))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        workload: Workload | None = None,
        scheduler: str | Scheduler | Discipline | None = None,
        allocator: str | Allocator | BuiltInAllocator | None = None,
        estimate: str | Estimator | None = None,
        data: Iterable[AdditionalData | str] | None = None,
        job_factory: str | JobFactory | None = None,
        trust_code: bool = False,
    ) -> Simulation:
        """Returns the simulation that was saved to a file; it continues as if it had never stopped.

        Args:
            path: The file.
            workload: Where it was before; jobs that came from Python code are given again.
            scheduler: The policy that was saved, where it cannot be made again of its name: an
                object or a name, as for `Simulation`.
            allocator: Likewise.
            estimate: Likewise.
            data: Likewise.
            job_factory: Likewise.
            trust_code: Whether code runs that the file names, such as a scheduler of your own.

        Raises:
            InputError: The file is damaged, of another version, or does not go with what is given.
            UntrustedCodeError: It names code, and that is not trusted.
        """
        from schedlab.simulation.saving import load

        simulation, _ = load(
            os.fsdecode(path),
            workload=workload,
            scheduler=scheduler,
            allocator=allocator,
            estimate=estimate,
            data=data,
            job_factory=job_factory,
            trust_code=trust_code,
        )
        return simulation

    def record_jobs(self, path: str | os.PathLike[str]) -> None:
        """Lets the jobs that end from now on be written to a CSV file, whole after each `run`."""
        types = self.system.resource_types
        name = os.fsdecode(path)
        name = os.path.realpath(name) if os.path.islink(name) else name
        self._recorder = _engine.CsvJobs(name, types, self.kept, facts=self.facts)
        self.engine.record_jobs(self._recorder)

    def set_speed(self, job: int, speed: float) -> None:
        """Lets a running job go through the rest of its work at another speed (1 is normal)."""
        self.engine.set_speed(job, speed)

    def jobs_in(self, state: str) -> list[int]:
        """Returns the ids of the jobs that are held, queued (in queue order) or running."""
        return self.engine.jobs_in(state)

    def refuse_empty(self) -> None:
        """Raises InputError if a workload file held no job: it is most likely another file."""
        if (source := self.reader or self.input) and not self.counts["submitted"]:
            raise InputError(f"{source.path or source}: {empty_text(self.workload_report())}")

    def workload_report(self) -> dict[str, Any]:
        """Returns what was found in the workload: rows, bytes, checksum, comments, rows skipped."""
        report = self.engine.workload_report()
        if self.reader is not None and self.input is not None:
            return self.input.with_file_facts(report)  # type: ignore[union-attr]
        return report

    @property
    def warnings(self) -> list[str]:
        """What looks unlike what was meant, as far as the workload has been read."""
        of_machine = self.system.warnings if self.system.platform else ()
        of_rows = reading.reading_warnings(self)
        return [*of_machine, *self.name_warnings, *of_rows, *long_queue_warnings(self)]

    @property
    def now(self) -> float:
        """Time of the last time point, in the workload's own clock."""
        return self.engine.now

    @property
    def start_time(self) -> int | None:
        """Unix time of the workload's time 0, by the system or the trace; None: not known."""
        from schedlab.workload.header import unix_start

        return self.system.start_time or unix_start(self.header)

    @property
    def header(self) -> dict[str, str]:
        """What the header of the trace says so far, by field; a reader's, in its words."""
        from schedlab.workload.header import header_fields

        return header_fields(self.engine.workload_report()["comments"])

    @property
    def counts(self) -> dict[str, int]:
        """Number of jobs by state, and of all submitted."""
        return self.engine.counts()

    @property
    def metrics(self) -> dict[str, Any]:
        """Metrics of the jobs that ended so far."""
        return self.engine.metrics()

    @property
    def share_read(self) -> float | None:
        """Share of the workload file that has been read; None for other workloads."""
        return self.input.share_read(self.engine.bytes_read) if self.input else None
