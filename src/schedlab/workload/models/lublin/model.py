"""Jobs of Lublin and Feitelson's model: sizes, run times and arrivals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy

from schedlab.calling import explained
from schedlab.errors import InputError
from schedlab.workload.distributions import Gamma, draw
from schedlab.workload.distributions.special_functions import incomplete_gamma
from schedlab.workload.models.cycle import Cycle
from schedlab.workload.models.load_factor import checked_load
from schedlab.workload.models.lublin.parameters import QUEUES, TYPES
from schedlab.workload.models.requested_times import RequestedTimes
from schedlab.workload.models.stream import ROWS, Block, Stream
from schedlab.workload.models.stream_model import MOST_PROCESSORS, StreamModel
from schedlab.workload.random_numbers import generator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schedlab.workload.distributions.special_functions import Array
    from schedlab.workload.models.lublin.parameters import Parameters

SLOTS = 48
FIRST_SLOT = 11
"""The slot, counted from 1, at which the program's day begins: 5:00 to 5:30. Its comments say
that it is an hour, but it is used for half hours."""

DRAWS = ("kind", "size", "which gamma", "run", "gap", "requested")
"""What a job needs uniform numbers for."""


class LublinFeitelson(StreamModel):
    """The workload model of Lublin and Feitelson (2003).

    Time 0 is midnight. Jobs have no users: the model knows none.

    Args:
        processors: Of the machine; sizes scale with it.
        type: `all`: one kind of jobs; `batch`, `interactive`: one of the two; `both`: the two,
            merged, distinguished by their queue: 1 and 0.
        load: Stretch or shorten the gaps between jobs to this offered load; None: as the model
            has them.
        requested: Requested times, of which the model has none: `none`, `run`, `run*DISTRIBUTION`
            or `DISTRIBUTION`.
        requested_steps: Seconds to whose next a request is raised, or `common`.
        drops_fractions: Whether fractions of seconds are dropped between jobs, as the archive's
            program does: its jobs fall behind the hours of the day by half a second each.
        batch: Parameters of batch jobs by name, with `both`.
        interactive: Those of interactive jobs, with `both`.
        **parameters: Those of the one type, otherwise.

    Raises:
        InputError: One of them is wrong.
    """

    @explained
    def __init__(
        self,
        processors: int = 128,
        type: str = "all",  # noqa: A002 - the name that users expect
        load: float | None = None,
        requested: str = "none",
        requested_steps: str | Sequence[float] | None = None,
        drops_fractions: bool = False,
        batch: Mapping[str, float] | None = None,
        interactive: Mapping[str, float] | None = None,
        **parameters: float,
    ) -> None:
        whole = isinstance(processors, int) and not isinstance(processors, bool)
        if not whole or not 1 <= processors <= MOST_PROCESSORS:
            raise InputError(f"processors: must be a whole number from 1 up, not {processors!r}")
        if type not in TYPES:
            raise InputError(f"type: must be one of {', '.join(TYPES)}, not {type!r}")
        self.machine, self.type, self.load = processors, type, checked_load(load)
        self.requested = RequestedTimes(requested, requested_steps)
        changes = {"batch": batch, "interactive": interactive}
        self.parameters: dict[str, Parameters] = {}
        for name, default in TYPES[type].items():
            own = changes.pop(name, None) or {}
            where = f"{name}." if type == "both" else ""
            self.parameters[name] = default.changed({**parameters, **own}, where)
        for name, other in changes.items():
            if other:
                raise InputError(f"{name}: there are no such jobs in type {type!r}")
        self.streams = [
            _LublinJobs(name, made, processors, self.requested, drops_fractions)
            for name, made in self.parameters.items()
        ]

    def header(self, jobs: int, seed: str | int) -> dict[str, str]:
        """Returns what an SWF file of it says of itself, and whose model it is."""
        authors = "the model is Uri Lublin's and Dror Feitelson's, JPDC 63(11), 2003"
        return {**super().header(jobs, seed), "Acknowledge": authors}

    def __str__(self) -> str:
        parts = [f"Lublin-Feitelson model, type {self.type}"]
        for name, made in self.parameters.items():
            where = f"{name}." if self.type == "both" else ""
            changed = made.differences(TYPES[self.type][name])
            parts += [f"{where}{key}={value}" for key, value in changed.items()]
        parts += [f"requested {self.requested}"] if self.requested.text != "none" else []
        parts += ["fractions dropped"] if self.streams[0].drops_fractions else []
        return ", ".join(parts)


class _LublinJobs(Stream):
    """Jobs of one type."""

    def __init__(
        self,
        name: str,
        parameters: Parameters,
        processors: int,
        requested: RequestedTimes,
        drops_fractions: bool,
    ) -> None:
        self._name, self._parameters, self._processors = name, parameters, processors
        self._requested, self.drops_fractions = requested, drops_fractions
        self._low, self._medium, self._high = parameters.sizes(processors)
        self.cycle = Cycle(slot_weights(parameters), name="cycle_shape and cycle_scale: half hours")
        has, limit = parameters, parameters.run_log_limit
        self._runs = (
            _gamma(has.run_shape_1, has.run_scale_1, limit, "run_log_limit"),
            _gamma(has.run_shape_2, has.run_scale_2, limit, "run_log_limit"),
        )
        shape = has.gap_shape * has.gap_shape_ratio
        self._gaps = _gamma(shape, has.gap_scale, has.gap_log_limit, "gap_log_limit")

    def blocks(self, seed: str | int) -> Iterator[Block]:
        """Yields jobs; each kind of draw has its own random numbers."""
        randoms = {use: generator(seed, f"lublin {self._name} {use}") for use in DRAWS}
        while True:
            kind, place = draw(randoms["kind"], ROWS), draw(randoms["size"], ROWS)
            sizes = self._sizes(kind, place)
            which, share = draw(randoms["which gamma"], ROWS), draw(randoms["run"], ROWS)
            run = self._run_times(sizes, which, share)
            columns = {
                "run": run,
                "allocated_processors": sizes,
                "requested_processors": sizes,
                "requested_time": self._requested.of(run, randoms["requested"]),
                "status": numpy.ones(ROWS),
                "queue": numpy.full(ROWS, QUEUES[self._name]),
            }
            yield Block(numpy.exp(self._gaps.sample(draw(randoms["gap"], ROWS))), columns)

    def _sizes(self, kind: Array, place: Array) -> Array:
        """Returns processors: 1, or 2 to a power that is uniform in two parts.

        The power is rounded for a job whose size is a power of two; it stays below the largest
        that the machine has room for, which the program does not see to: on 240 processors it
        makes jobs of 256.
        """
        has = self._parameters
        first = has.size_low_share
        with numpy.errstate(all="ignore"):  # where one part has all, the other is not chosen
            exponent = numpy.where(
                place <= first,
                self._low + place / first * (self._medium - self._low),
                self._medium + (place - first) / (1 - first) * (self._high - self._medium),
            )
        rounded = numpy.minimum(numpy.floor(exponent + 0.5), math.floor(self._high + 1e-9))
        of_two = kind <= has.serial_share + has.power_of_two_share
        exponent = numpy.where(of_two, rounded, exponent)
        sizes = numpy.floor(numpy.exp2(exponent) + 0.5)
        return numpy.where(kind <= has.serial_share, 1.0, numpy.minimum(sizes, self._processors))

    def _run_times(self, sizes: Array, which: Array, share: Array) -> Array:
        """Returns run times, whose natural logarithm is from one of two gamma distributions.

        The first has probability p = slope * size + offset, within 0 and 1. The program draws
        again, which of the two included, where the logarithm is beyond the limit. So the
        probabilities are those of what lies within the limit, and no second draw is needed.
        """
        has = self._parameters
        with numpy.errstate(over="ignore"):  # of absurd slopes: any share beyond 1 is 1
            p = numpy.clip(has.run_share_slope * sizes + has.run_share_offset, 0.0, 1.0)
        one, two = p * self._runs[0].inside, (1 - p) * self._runs[1].inside
        first = which * (one + two) <= one
        logs = numpy.empty_like(share)
        logs[first] = self._runs[0].sample(share[first])
        logs[~first] = self._runs[1].sample(share[~first])
        return numpy.floor(numpy.exp(logs))


def slot_weights(parameters: Parameters) -> Array:
    """Returns the weight of each half hour of a day, from midnight on.

    The gamma distribution of jobs over a day is in half hours, and the day begins at FIRST_SLOT:
    slots before it belong to the tail of the day before.
    """
    slots = numpy.arange(FIRST_SLOT, FIRST_SLOT + SLOTS)
    edges = numpy.arange(FIRST_SLOT, FIRST_SLOT + SLOTS + 1, dtype=numpy.float64) - 0.5
    shares = incomplete_gamma(parameters.cycle_shape, edges / parameters.cycle_scale)
    weights = numpy.empty(SLOTS)
    weights[(slots - 1) % SLOTS] = numpy.maximum(numpy.diff(shares), 0.0)
    return weights


def _gamma(shape: float, scale: float, limit: float, name: str) -> Gamma:
    try:
        return Gamma(shape, scale=scale, max=limit)
    except InputError as error:
        raise InputError(f"{name}, for shape {shape:g} and scale {scale:g}: {error}") from None
