"""A workload like another one, on any machine: AccaSim's generator (2020, section 7.3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
import polars

from schedlab.calling import explained
from schedlab.durations import HOUR
from schedlab.errors import InputError
from schedlab.system import load_system
from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.models.accasim import (
    AccuracyOfData,
    EmpiricalWork,
    FlopsDuration,
    SizeOfWork,
    SlotWeights,
    UniformRequest,
    UsersOfData,
)
from schedlab.workload.models.accasim.generated_facts import Generated, Tally, Yardstick
from schedlab.workload.models.accasim.original import Original
from schedlab.workload.models.accasim.target_machine import CORE, Machine, limits, serial_cores
from schedlab.workload.random_numbers import generator
from schedlab.workload.reader import Reader
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import TASK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from schedlab.system import System
    from schedlab.workload.models.accasim import (
        Duration,
        Part,
        Request,
        RequestedTime,
        Size,
        Submission,
        Users,
        Work,
    )
    from schedlab.workload.models.accasim.calendar import Numbers

MOST_JOBS = 1_000_000_000


class Waits(NamedTuple):
    """Mean waits in hours, of the data on their machine and of generated jobs on theirs."""

    scheduler: str
    original_hours: float
    generated_hours: float


class _GeneratedJobs(Reader):
    """The jobs of a generator, as a workload to simulate."""

    def __init__(self, made: WorkloadGenerator, jobs: int) -> None:
        super().__init__()
        self._made, self._count = made, jobs

    def tables(self) -> Iterator[polars.DataFrame]:
        return self._made.tables(self._count)


class WorkloadGenerator:
    """Jobs like those of a workload, for a machine that may be another one.

    Submission times follow the day, the week and the year of the data. What jobs compute is
    distributed as in the data. What they ask for, and so how long they run, depends on the machine.
    docs/reference/generators.md describes the method.

    Attributes:
        warnings: What to know of the data, as sentences.
    """

    _start = 0

    @explained
    def __init__(
        self,
        workload: str | os.PathLike[str] | Reader,
        system: str | os.PathLike[str] | dict[str, Any] | System,
        performance: Mapping[str, float],
        request_limits: Mapping[str, Mapping[str, int]],
        *,
        seed: str | int = "1",
        original_system: str | os.PathLike[str] | dict[str, Any] | System | None = None,
        original_performance: Mapping[str, float] | None = None,
        submission: Submission | None = None,
        work: Work | None = None,
        size: Size | None = None,
        request: Request | None = None,
        duration: Duration | None = None,
        requested_time: RequestedTime | None = None,
        users: Users | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Learns from a workload.

        Args:
            workload: File of any format, or a reader.
            system: The machine that jobs are generated for.
            performance: GFLOPS of one unit of each resource type of it that computes, such as
                {"core": 1.667, "gpu": 933}.
            request_limits: What a job may ask for on each node: {"min": {"core": 1, "mem": 256},
                "max": {"core": 8, "mem": 1024}}.
            seed: Any text or number. The same seed gives the same bytes.
            original_system: The machine of the workload; by default `system`.
            original_performance: Its performance; by default `performance`.
            submission: When jobs are submitted; by default `SlotWeights()`.
            work: What they compute; by default `EmpiricalWork()`.
            size: Nodes and cores of jobs; by default `SizeOfWork()`, as in the data. The paper's is
                `LublinSize()`.
            request: What they ask for on a node; by default `UniformRequest()`.
            duration: How long they run; by default `FlopsDuration()`.
            requested_time: What users think of it; by default `AccuracyOfData()`.
            users: Whose they are; by default `UsersOfData()`.
            progress: Called with the number of rows read so far.

        Raises:
            InputError: The workload, the system or an argument cannot be used.
        """
        self.system = load_system(system)
        self.seed = seed
        self.limits = limits(request_limits, self.system)
        self.machine = Machine(self.system, performance)
        self._serial_cores = serial_cores(self.machine, self.limits)
        first_machine = self._original_machine(original_system, original_performance, performance)
        reader = workload if isinstance(workload, Reader) else open_reader(workload)
        self._workload = reader
        self._original_system = self.system if original_system is None else original_system
        original = Original(reader, first_machine, progress)
        self.submission = submission or SlotWeights()
        self.work = work or EmpiricalWork()
        self.size = size or SizeOfWork()
        self.request = request or UniformRequest()
        self.duration = duration or FlopsDuration()
        self.requested_time = requested_time or AccuracyOfData()
        self.users = users or UsersOfData()
        for part in self._parts():
            part.learn(original, self.machine, self.limits)
        self._longest = max(1.0, float(original.run.max()))
        self._yardstick = Yardstick(original)
        self.warnings = original.warnings
        self._zone_header, self._name = original.zone_header, original.name

    def _original_machine(
        self,
        system: str | os.PathLike[str] | dict[str, Any] | System | None,
        performance: Mapping[str, float] | None,
        target: Mapping[str, float],
    ) -> Machine:
        if system is None and performance is None:
            return self.machine
        made = self.system if system is None else load_system(system)
        if performance is None:
            known = made.resource_types
            performance = {kind: gflops for kind, gflops in target.items() if kind in known}
        return Machine(made, performance)

    def _parts(self) -> tuple[Part, ...]:
        return (
            *(self.submission, self.work, self.size, self.request, self.duration),
            *(self.requested_time, self.users),
        )

    def tables(self, jobs: int) -> Iterator[polars.DataFrame]:
        """Yields that many jobs as job tables; the first is submitted at about time 0.

        Raises:
            InputError: There are no N.
        """
        if isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= MOST_JOBS:
            raise InputError(f"jobs: must be a whole number from 1 to {MOST_JOBS:,}, not {jobs}")
        random = {
            purpose: generator(self.seed, f"accasim {purpose}")
            for purpose in ("submission", "work", "size", "request", "requested time", "users")
        }
        number, start, last = 1, None, -numpy.inf
        for moments in self.submission.times(jobs, random["submission"]):
            if (numpy.diff(moments, prepend=last) < 0).any():
                raise InputError(f"{type(self.submission).__name__}: its times do not ascend")
            start, last = int(moments[0]) if start is None else start, moments[-1]
            count = len(moments)
            work = self.work.draw(random["work"].random(count))
            columns = {
                "job": numpy.arange(number, number + count, dtype=numpy.float64),
                "submit": moments - start,
                **self._sized(work, random),
                **self.users.draw(count, random["users"]),
            }
            columns["requested_time"] = self.requested_time.draw(
                columns["run"], random["requested time"]
            )
            self._start = start
            number += count
            # The columns are complete, and to have `complete` look at each would cost a second.
            missing = numpy.full(count, -1.0)
            fields = {field: columns.pop(field, missing) for field in FIELDS}
            yield polars.DataFrame({**fields, **columns})

    def _sized(
        self, work: Numbers, random: dict[str, numpy.random.Generator]
    ) -> dict[str, Numbers]:
        """Returns the columns of what jobs of that much work ask for, and how long they run."""
        ones = numpy.ones(len(work))
        shapes = self.size.shapes(work, random["size"])
        if shapes is not None:
            return self._shaped(work, *shapes, random)
        serial = self.size.serial(work, random["size"])
        nodes = self.size.nodes(ones, ones * self.machine.nodes, random["size"])
        nodes[serial] = 1
        request = self.request.draw(serial, ~serial & (nodes == 1), random["request"])
        most = self.machine.holding(request)
        # No job should run longer than any of the data: it takes more nodes instead. One that asks
        # for no more than a serial job on a node is parallel on two nodes only.
        least = numpy.ceil(work / (self.machine.power(request) * self._longest))
        narrow = request[CORE] <= self._serial_cores
        least = numpy.clip(least, numpy.where(narrow, 2, 1), None)
        least = numpy.minimum(least, most)
        wrong = ~serial & ((nodes < least) | (nodes > most))
        nodes[wrong] = self.size.nodes(least[wrong], most[wrong], random["size"])
        return self._columns(work, nodes, request)

    def _shaped(
        self,
        work: Numbers,
        nodes: Numbers,
        cores: Numbers,
        random: dict[str, numpy.random.Generator],
    ) -> dict[str, Numbers]:
        """Returns the same columns for given nodes and cores; the rest of requests is drawn."""
        serial = (nodes == 1) & (cores <= self._serial_cores)
        drawn = self.request.draw(serial, ~serial & (nodes == 1), random["request"])
        request = {**drawn, CORE: cores}
        # Nodes with what else it asks for may have less cores.
        nowhere = self.machine.holding(request) == 0
        if nowhere.any():
            total = nodes * cores
            cores = numpy.where(nowhere, numpy.minimum(cores, drawn[CORE]), cores)
            nodes = numpy.ceil(total / cores)
            request[CORE] = cores
        least = numpy.ceil(work / (self.machine.power(request) * self._longest))
        nodes = numpy.minimum(numpy.maximum(nodes, least), self.machine.holding(request))
        return self._columns(work, nodes, request)

    def _columns(
        self, work: Numbers, nodes: Numbers, request: dict[str, Numbers]
    ) -> dict[str, Numbers]:
        processors = numpy.ceil(nodes * request[CORE] / self.machine.processor[CORE])
        return {
            "run": self.duration.seconds(work, nodes, request),
            "allocated_processors": processors,
            "requested_processors": processors,
            "tasks": nodes,
            "tasks_per_node": numpy.ones(len(work)),
            **{f"{TASK}{kind}": amounts for kind, amounts in request.items()},
        }

    def waits(self, jobs: int, scheduler: str = "fifo", trust_code: bool = False) -> Waits:
        """Simulates the data on their machine and that many generated jobs on theirs.

        Args:
            jobs: How many, the same ones that `generate` writes.
            scheduler: For both.
            trust_code: Whether code runs that the data name, as for `simulate`.

        Raises:
            InputError: The data cannot be simulated.
        """
        from schedlab.simulation import simulate

        def mean_hours(source: Reader, system: Any) -> float:
            options: dict[str, Any] = {"jobs": "none", "sort": True, "trust_code": trust_code}
            result = simulate(source, system=system, scheduler=scheduler, **options)
            mean: float = result.metrics["wait"]["mean"]
            return mean / HOUR

        return Waits(
            scheduler,
            mean_hours(self._workload._pass(strict=False), self._original_system),
            mean_hours(_GeneratedJobs(self, jobs), self.system),
        )

    def _watched(self, tally: Tally, jobs: int) -> Iterator[polars.DataFrame]:
        for table in self.tables(jobs):
            tally.add(table, self._start)
            yield table

    @property
    def header(self) -> dict[str, str]:
        """What is known of the workload as a whole; its start when the first table is given."""
        return {
            "Version": "2.2",
            "Computer": self.system.name,
            "Note": f"generated by schedlab like {os.path.basename(self._name)}, seed {self.seed}",
            "UnixStartTime": str(self._start),
            **self._zone_header,
            "MaxNodes": str(self.system.nodes),
            "MaxProcs": str(self.system.capacity.get(CORE, 0) // self.machine.processor[CORE]),
        }

    def generate(
        self,
        jobs: int,
        path: str | os.PathLike[str],
        *,
        writer: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Generated:
        """Writes that many jobs to a file and returns what can be said of them.

        Args:
            jobs: How many.
            path: The file; the end of its name says the format.
            writer: Name of the format, else.
            progress: Called with the number of jobs written so far.

        Raises:
            InputError: The file cannot be written.
        """
        tally = Tally(self._yardstick, self.machine, self.limits)
        tables = self._watched(tally, jobs)
        first = next(tables)
        header = {**self.header, "MaxJobs": str(jobs), "MaxRecords": str(jobs)}

        def all_tables() -> Iterator[polars.DataFrame]:
            yield first
            yield from tables

        made = write_tables(path, all_tables(), header, writer, progress)
        return tally.facts(made, jobs)
