"""Workloads of plain distributions: one for each attribute of a job."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy

from schedlab import decode
from schedlab.calling import explained
from schedlab.durations import DAY
from schedlab.errors import InputError
from schedlab.toml_text import read_toml
from schedlab.trust import data, handed_over, like
from schedlab.workload.distributions import Distribution, distribution, draw
from schedlab.workload.models.cycle import cycle_of
from schedlab.workload.models.load_factor import checked_load
from schedlab.workload.models.requested_times import RequestedTimes
from schedlab.workload.models.stream import ROWS, Block, Stream
from schedlab.workload.models.stream_model import MOST_PROCESSORS, MOST_SECONDS, StreamModel
from schedlab.workload.random_numbers import generator
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import APPLICATION, NAME, PREDECESSORS, SHAPE, TASK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from schedlab.trust import Origin
    from schedlab.workload.distributions.special_functions import Array

    Spec = str | float | Distribution

REFUSED = {
    "job": "jobs are numbered",
    "submit": "it comes of interarrival",
    "interarrival": "it has its own argument",
    "run": "it has its own argument",
    "processors": "it has its own argument",
    "requested": "it has its own argument",
    "requested_time": "it is requested",
    "requested_processors": "it is processors",
    "allocated_processors": "it is processors",
    PREDECESSORS: "it is not a number",
    NAME: "it is not a number",
    APPLICATION: "it is not a number; schedlab workload assign gives jobs applications",
}
"""Columns that cannot be drawn like any other, and why."""

KEYS = (
    *("interarrival", "run", "processors", "requested", "requested_steps", "machine", "load"),
    *("by_hour", "by_weekday", "resolution", "columns"),
)
"""What a definition file may hold: the arguments of PlainWorkload."""


class PlainWorkload(StreamModel):
    """Jobs whose attributes are drawn independently, each from a distribution of its own.

    Distributions are texts such as `exponential(mean=120)`, numbers or `Distribution` objects.

    Args:
        interarrival: Seconds between submissions.
        run: Run time in seconds.
        processors: Of each job, from 1 up; rounded. None with a column `tasks`.
        requested: Requested times: `none`, `run`, `run*DISTRIBUTION` or `DISTRIBUTION`.
        requested_steps: Seconds to whose next a request is raised, or `common`.
        machine: Processors of the machine, for the header and the load.
        load: Stretch or shorten the gaps between jobs to this offered load of the machine.
        by_hour: 24 weights of the hours of the day, from midnight, which is time 0.
        by_weekday: 7 weights of the days of the week, from Monday, the day of time 0.
        resolution: Submit and run times are whole multiples of N seconds.
        columns: Distributions of further columns of the job table: `user`, `queue`,
            `requested_memory`, `tasks`, `task_gpu`, any name. `NAME*DISTRIBUTION` is a multiple
            of a column before it, or of `run` or `processors`.

    Raises:
        InputError: One of them is wrong.
    """

    @explained
    def __init__(
        self,
        interarrival: Spec,
        run: Spec,
        processors: Spec | None = None,
        requested: str = "none",
        requested_steps: str | Sequence[float] | None = None,
        machine: int | None = None,
        load: float | None = None,
        by_hour: Sequence[float] | None = None,
        by_weekday: Sequence[float] | None = None,
        resolution: float | str = 1.0,
        columns: Mapping[str, Spec] | None = None,
    ) -> None:
        self.load, self.machine = checked_load(load), machine
        if machine is not None:
            whole = isinstance(machine, int) and not isinstance(machine, bool)
            if not whole or not 1 <= machine <= MOST_PROCESSORS:
                raise InputError(f"machine: must be a whole number from 1 up, not {machine!r}")
        elif load is not None:
            raise InputError("load: needs machine, the number of its processors")
        step = decode.duration(resolution, "resolution")
        self.resolution = decode.number(step, "resolution", minimum=1e-6, maximum=DAY)
        given: dict[str, Spec] = dict(columns or {})
        for name in given:
            if not isinstance(name, str) or not name.isidentifier() or name in REFUSED:
                why = REFUSED.get(name, "must be a name without blanks and dots")
                raise InputError(f"column {name!r}: {why}")
        if (processors is None) == ("tasks" not in given):
            raise InputError("processors: give processors or a column tasks, one of them")
        if processors is not None:
            given = {"processors": processors, **given}
        requested_times = RequestedTimes(requested, requested_steps)
        stream = _PlainJobs(
            _named("interarrival", interarrival, of_times=True),
            _named("run", run, of_times=True),
            {name: _DrawnColumn(name, spec, tuple(given)) for name, spec in given.items()},
            requested_times,
            self.resolution,
        )
        stream.cycle = cycle_of(by_hour, by_weekday)
        self.streams = [stream]
        described: dict[str, Spec] = {
            "interarrival": interarrival,
            "run": run,
            **given,
            "requested": str(requested_times),
        }
        further = {
            "by_hour": by_hour,
            "by_weekday": by_weekday,
            "resolution": None if step == 1 else step,
        }
        described.update({name: str(value) for name, value in further.items() if value is not None})
        self._text = ", ".join(f"{name} {spec}" for name, spec in described.items())

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], trust_code: bool = False, **changes: Any
    ) -> PlainWorkload:
        """Returns the workload that a TOML file defines: arguments by name, [columns] last.

        Args:
            path: The file.
            trust_code: Whether code runs that the file names: distributions of your own.
            **changes: Arguments that take precedence over the file's; columns are added to its own.

        Raises:
            InputError: It is not such a file, an argument is wrong, or it names code that is not
                trusted.
        """
        path = os.fsdecode(path)
        arguments = _arguments(path, data("", trust_code))  # messages begin with the path
        columns = {**arguments.pop("columns"), **changes.pop("columns", {})}
        arguments.update(changes)
        if "tasks" in columns:
            arguments.setdefault("processors", None)
        for name in ("interarrival", "run"):
            if name not in arguments:
                raise InputError(f"{path}: {name} is missing")
        try:
            return cls(**arguments, columns=columns)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None

    def __str__(self) -> str:
        return f"plain distributions: {self._text}"


class _DrawnColumn:
    """A column that is drawn, or a drawn multiple of another."""

    def __init__(self, name: str, spec: Spec, others: tuple[str, ...]) -> None:
        self.base: str | None = None
        self.name = name
        before = ("run", *others[: others.index(name)])
        if isinstance(spec, str):
            head, star, rest = (part.strip() for part in spec.partition("*"))
            if head in before:
                self.base, spec = head, like(spec, rest) if star else 1.0
            elif star and head.isidentifier():
                raise InputError(
                    f"{name}: {head!r} is not a column before it; {', '.join(before)} are"
                )
        self.distribution = _named(name, spec)
        counted = (*FIELDS, *SHAPE, "processors")
        self.whole = name in counted or name.startswith(TASK)

    def values(self, uniforms: Array, columns: Mapping[str, Array]) -> Array:
        values = _sampled(self.name, self.distribution, uniforms)
        if self.base is not None:
            values = values * columns[self.base]
        if self.whole:
            values = numpy.floor(values + 0.5)
        return values


class _PlainJobs(Stream):
    """Jobs of plain distributions."""

    def __init__(
        self,
        interarrival: Distribution,
        run: Distribution,
        columns: Mapping[str, _DrawnColumn],
        requested: RequestedTimes,
        resolution: float,
    ) -> None:
        self._interarrival, self._run, self._resolution = interarrival, run, resolution
        self._columns, self._requested = columns, requested

    def blocks(self, seed: str | int) -> Iterator[Block]:
        names = ("interarrival", "run", "requested", *self._columns)
        randoms = {name: generator(seed, f"plain {name}") for name in names}
        while True:
            gaps = _sampled("interarrival", self._interarrival, draw(randoms["interarrival"], ROWS))
            _within("interarrival", gaps, 0, MOST_SECONDS)
            run = _sampled("run", self._run, draw(randoms["run"], ROWS))
            run = numpy.floor(run / self._resolution + 0.5) * self._resolution
            _within("run", run, 0, MOST_SECONDS)
            columns = {"run": run}
            for name, column in self._columns.items():
                columns[name] = column.values(draw(randoms[name], ROWS), columns)
            columns = _with_processors(columns)
            columns["requested_time"] = self._requested.of(run, randoms["requested"])
            _within("requested", columns["requested_time"], -1, MOST_SECONDS)
            yield Block(gaps, {**columns, "status": columns.get("status", numpy.ones(ROWS))})


def _with_processors(columns: dict[str, Array]) -> dict[str, Array]:
    """Returns the columns with those that say how large a job is.

    With amounts per task, processors are tasks of one core each, unless task_core or tasks say
    otherwise.
    """
    if "tasks" in columns or any(name.startswith(TASK) for name in columns):
        tasks = columns["tasks"] if "tasks" in columns else columns.pop("processors")
        _within("tasks", tasks, 1, MOST_PROCESSORS)
        cores = columns.setdefault("task_core", numpy.ones(len(tasks)))
        for name, amounts in columns.items():
            if name.startswith(TASK):
                _within(name, amounts, 0, 2**53)
        columns["tasks"] = tasks
        processors = tasks * numpy.maximum(cores, 1.0)
    else:
        processors = columns.pop("processors")
    _within("processors", processors, 1, MOST_PROCESSORS)
    return {**columns, "allocated_processors": processors, "requested_processors": processors}


def _sampled(name: str, source: Distribution, uniforms: Array) -> Array:
    """Returns what a distribution, perhaps a user's own, makes of uniform numbers."""
    try:
        values = numpy.asarray(source.sample(uniforms), dtype=numpy.float64)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{name} {source}: {type(error).__name__}: {error}") from error
    if values.shape != uniforms.shape:
        raise InputError(
            f"{name} {source}: sample must give {len(uniforms):,} values for as many uniform "
            f"numbers, not an array of shape {values.shape}"
        )
    if not numpy.isfinite(values).all():
        raise InputError(f"{name} {source}: drew a value that is not finite; give it max=...")
    return values


def _within(name: str, values: Array, least: float, most: float) -> None:
    """Raises InputError unless all values can be what they are for."""
    low, high = values.min(), values.max()
    if low < least:
        raise InputError(
            f"{name}: drew {low:g}, but must be from {least:g} up; give its distribution min=..."
        )
    if high > most:
        raise InputError(
            f"{name}: drew {high:g}, but at most {most:g} can be; give its distribution max=..."
        )


def _named(name: str, spec: Spec, *, of_times: bool = False) -> Distribution:
    try:
        return distribution(spec, of_times=of_times)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _arguments(path: str, origin: Origin) -> dict[str, Any]:
    """Returns the arguments that a definition file holds."""
    content = read_toml(path)
    for key in content:
        if key not in KEYS:
            raise InputError(f'{path}: unknown key "{key}"; known: {", ".join(KEYS)}')
    if not isinstance(content.get("columns", {}), dict):
        raise InputError(f"{path}: columns: must be a table of distributions by column")
    columns = {name: _of_file(spec, origin) for name, spec in content.pop("columns", {}).items()}
    content = {name: _of_file(spec, origin) for name, spec in content.items()}
    return {**content, "columns": columns}


def _of_file(spec: Any, origin: Origin) -> Any:
    """Returns an argument of a file; a text stays known as one."""
    return handed_over(spec, origin) if isinstance(spec, str) else spec
