"""What a generated workload is to be: how long, for which machine, how busy, in which phases."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from schedlab import decode
from schedlab.durations import HOUR
from schedlab.errors import InputError
from schedlab.finite import is_finite
from schedlab.workload.models.scsf.sampling import RUN_TIMES

if TYPE_CHECKING:
    from schedlab.system import System
    from schedlab.workload.models.scsf.insertion import Insertion

VERSION = 1
KIND = "schedlab_generation_settings"
STABILIZATION_SECONDS, DURATION_SECONDS = 24 * HOUR, 72 * HOUR
"""Lengths of the paper's stabilization and experiment phases (its figure 6)."""


@dataclass(frozen=True)
class GenerationSettings:
    """How to generate a workload of a model (ScSF, section 3.4).

    A workload is a fill phase, if `fill_wait` is above 0; a stabilization phase; the experiment
    phase; and a drain phase. The paper submits nothing in the last one, it only simulates on until
    all jobs have ended; `drain` is for those who want arrivals to continue meanwhile.

    Times may be given as texts such as "72h"; the attributes are seconds.

    Attributes:
        jobs: End the workload with N regular jobs, beside those of fill and workflows.
        duration: Seconds of the experiment phase; None: 72 h, or as long as `jobs` take.
        stabilization: Seconds before it; None: 24 h with pressure or fill, else 0.
        drain: Seconds after it.
        processors: Of the machine; pressure and fill need them, and larger jobs are not drawn.
        pressure_low: Job pressure is kept at least here; None: no pressure mechanism.
        pressure_high: From here on jobs are discarded; None: 0.1 above `pressure_low`.
        fill_wait: Seconds that jobs wait behind the backlog of the fill phase, first come,
            first served; 0: no fill phase.
        fill_residual: Seconds that running work has still to go, which the backlog covers, too (see
            `Fill`); None: calculated of the model; 0: none, as in the paper.
        fill_interval: Seconds between fill jobs.
        fill_processors: Size of a fill job; None: calculated, see `Fill`.
        most_work: Jobs that would take the whole machine longer than N seconds are not drawn;
            None: all are. The paper leaves out rare, very large jobs when it makes the model; on a
            small machine one of them is hours of pressure, during which all others are discarded.
        run_times: Where run times come from, unless whole jobs are drawn: "paired": from their
            distribution, each put to a requested time that covers it, as far as there is one;
            "distribution": from it, whatever the requested time; "accuracy": accuracy times
            requested time.
        insertions: What else is submitted in the experiment phase, such as workflows.
    """

    jobs: int | None = None
    duration: float | None = None
    stabilization: float | None = None
    drain: float = 0
    processors: int | None = None
    pressure_low: float | None = None
    pressure_high: float | None = None
    fill_wait: float = 0
    fill_residual: float | None = None
    fill_interval: float = 10
    fill_processors: int | None = None
    most_work: float | None = None
    run_times: str = "paired"
    insertions: tuple[Insertion, ...] = ()

    def __post_init__(self) -> None:
        """Raises InputError where something does not fit together."""
        for name in TIMES:
            object.__setattr__(self, name, decode.duration(getattr(self, name), name))
        for name in NUMBERS:
            number = getattr(self, name)
            if number is None and _DEFAULTS[name] is None:
                continue
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                raise InputError(f"{name}: must be a number, not {number!r}")
            positive = name in POSITIVE
            if not is_finite(number) or number < 0 or (positive and number == 0):
                bound = "above 0" if positive else "0 or more"
                raise InputError(f"{name}: must be {bound}, not {number!r}")
            if name in WHOLE and number != int(number):
                raise InputError(f"{name}: must be a whole number, not {number!r}")
        if self.run_times not in RUN_TIMES:
            words = ", ".join(RUN_TIMES)
            raise InputError(f"run_times: must be one of {words}, not {self.run_times!r}")
        if self.pressure_low is None and self.pressure_high is not None:
            raise InputError("pressure_high: needs pressure_low beside it")
        low, high = self.pressure
        if high < low:
            raise InputError(f"pressure: its high end, {high:g}, is below its low end, {low:g}")
        for name in ("pressure_low", "fill_wait", "most_work"):
            if getattr(self, name) and self.processors is None:
                raise InputError(f"{name}: needs the processors of the machine (--system)")
        if self.jobs is not None and (self.duration is not None or self.drain):
            raise InputError("jobs: goes without duration and drain; either ends the workload")

    def replaced(self, **options: Any) -> GenerationSettings:
        """Returns settings with some of them changed; raises InputError."""
        for name in options:
            if name not in _DEFAULTS:
                known = ", ".join(_DEFAULTS)
                raise InputError(
                    f"{name}: is not a setting of a generated workload; known: {known}"
                )
        return replace(self, **options)

    @property
    def pressure(self) -> tuple[float, float]:
        """Between what job pressure is kept; from 0 to infinity without the mechanism."""
        if self.pressure_low is None:
            return 0.0, math.inf
        high = self.pressure_high
        return self.pressure_low, self.pressure_low + 0.1 if high is None else high

    @property
    def stabilization_seconds(self) -> float:
        """Length of the stabilization phase."""
        if self.stabilization is not None:
            return self.stabilization
        return STABILIZATION_SECONDS if self.pressure_low is not None or self.fill_wait else 0

    @property
    def experiment_seconds(self) -> float:
        """Length of the experiment phase; infinity where a number of jobs ends it."""
        if self.jobs is not None:
            return math.inf
        return DURATION_SECONDS if self.duration is None else self.duration

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what is not a default to a JSON file, which `load` and `--settings` take.

        Raises:
            InputError: There are insertions, which a file cannot hold.
        """
        from schedlab.whole_file import write_text

        if self.insertions:
            raise InputError("insertions: cannot be saved; give them to generate()")
        given = {name: number for name, number in asdict(self).items() if number != _DEFAULTS[name]}
        write_text(os.fsdecode(path), json.dumps({KIND: VERSION, **given}, indent=2) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GenerationSettings:
        """Returns the settings of a file.

        Raises:
            InputError: It is none, or a setting is wrong.
        """
        from schedlab.workload.models.scsf.model_files import read_json

        name = os.fsdecode(path)
        given = read_json(name, KIND, VERSION)
        try:
            if "insertions" in given:
                raise InputError("insertions: cannot be in a file")
            return cls().replaced(**given)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None


def machine_processors(system: System) -> int:
    """Returns how many processors of a workload the nodes of a machine hold."""
    request = {kind: amount for kind, amount in system.processor.items() if amount}
    return sum(
        group.nodes * min(group.resources.get(kind, 0) // need for kind, need in request.items())
        for group in system.groups
    )


_DEFAULTS = {one.name: one.default for one in fields(GenerationSettings)}
NUMBERS = tuple(name for name in _DEFAULTS if name not in ("run_times", "insertions"))
POSITIVE = (
    *("jobs", "duration", "processors", "pressure_low", "pressure_high"),
    *("fill_interval", "fill_processors", "most_work"),
)
WHOLE = ("jobs", "processors", "fill_processors")
TIMES = (
    *("duration", "stabilization", "drain", "fill_wait", "fill_residual", "fill_interval"),
    "most_work",
)
