"""A processor type from measurements: constants, what is wrong with them, and the system file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schedlab.errors import InputError
from schedlab.fitting.contention import ContentionFit, Estimate, fit_contention
from schedlab.fitting.measured import Powers, read_measured
from schedlab.fitting.power import IDLE_FRACTION, PowerFit, fit_power

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_FLOOR = 0.95
"""Of a task without memory traffic: below this the constants slow what does not contend."""

MOST_CORES = 4096


@dataclass(frozen=True)
class ProcessorFit:
    """What measurements say of a processor type.

    Attributes:
        name: Of the type.
        cores: How many it has.
        clock: Nominal, in GHz; None where it is not known.
        contention: None where nothing of it was measured.
        powers: By clock, the highest first; empty where no power was measured.
        power_rows: The measured powers.
    """

    name: str
    cores: int
    clock: float | None
    contention: ContentionFit | None
    powers: list[PowerFit]
    power_rows: Powers | None

    @property
    def refused(self) -> list[str]:
        """Why a system file would not take the constants; empty where it does."""
        found = []
        if self.contention is not None:
            c, dc, dd = (self.contention.values[name] for name in ("c", "dc", "dd"))
            last = self.cores - 1
            if dc - last * dd <= 0:
                found.append(
                    f"dc - (cores - 1) dd = {dc - last * dd:.4g}: the constants hold for less than "
                    f"{self.cores} cores; measure with more tasks, or see --cores"
                )
            if c < 0:
                found.append(f"c = {c:.4g} is below 0")
        for power in self.powers:
            for what, watts in (("core", power.core), ("shared", power.shared)):
                if watts < 0:
                    at = f" at {power.clock:g} GHz" if power.clock is not None else ""
                    found.append(f"power.{what}{at} = {watts:.4g} W is below 0")
        return found

    @property
    def notes(self) -> list[str]:
        """What a reader of the constants should know."""
        return [*self._contention_notes(), *self._power_notes()]

    def _contention_notes(self) -> list[str]:
        fit, found = self.contention, []
        if fit is None:
            return []
        if fit.undetermined:
            found.append(
                f"the measurements do not determine {', '.join(fit.undetermined)}: other values "
                "fit as well; measure more on the "
                + ("slope" if {"b", "c"} & set(fit.undetermined) else "floor")
                + ", or fix what you know"
            )
        most = int(fit.measured.others.max())
        if most < self.cores - 1:
            found.append(
                f"measured with up to {most} others; beyond, up to {self.cores - 1}, the constants "
                "extrapolate"
            )
        if fit.outliers:
            found.append(f"{fit.outliers} rows are so far off that they counted less")
        least = self.least_floor
        if least is not None and least < LEAST_FLOOR:
            found.append(
                f"d(0, {self.cores - 1}) = {least:.2f}: a task without memory traffic would be "
                "slowed beside the most others"
            )
        return found

    def _power_notes(self) -> list[str]:
        assumed = [power for power in self.powers if not power.idle_measured]
        if not assumed:
            return []
        return [
            f"idle power was not measured: {IDLE_FRACTION:g} of shared is an assumption of "
            "IRMaSim's code; measure with active = 0"
        ]

    @property
    def least_floor(self) -> float | None:
        """The floor of a task without memory traffic, beside as many others as there are cores."""
        if self.contention is None or self.refused:
            return None
        import numpy

        far = numpy.array([1e18])  # all the way down the slope
        return float(self.contention.speed(numpy.zeros(1), far, self.cores - 1)[0])

    def facts(self) -> dict[str, Any]:
        """Returns everything as plain values."""
        fit = self.contention
        return {
            "name": self.name,
            "cores": self.cores,
            "clock": self.clock,
            "contention": fit
            and {
                "constants": {name: _plain(one) for name, one in fit.constants.items()},
                "rows": len(fit.fitted),
                **fit.places,
                "rms": fit.rms,
                "worst": fit.worst,
                "worst_row": fit.measured.places[fit.worst_row],
                "outliers": fit.outliers,
            },
            "power": [dict(vars(power)) for power in self.powers],
            "refused": self.refused,
            "notes": self.notes,
        }

    def toml(self) -> str:
        """Returns the part of a system file that describes the processor type."""
        from schedlab.fitting.system_text import processor_text

        return processor_text(self)

    def plot(self, file: str | os.PathLike[str] | None = None) -> Figure:
        """Returns a figure of the measurements and the fit, and writes it if a file is named."""
        import schedlab

        return schedlab.plot("processor-fit", self, file)


def fit_processor(
    paths: Sequence[str | os.PathLike[str]],
    cores: int,
    *,
    name: str = "measured",
    clock: float | None = None,
    fixed: Mapping[str, float] | None = None,
    columns: Mapping[str, str] | None = None,
) -> ProcessorFit:
    """Returns the constants of a processor type from CSV files of measurements.

    Args:
        paths: The files; see docs/reference/fitting.md for their columns.
        cores: Of the processor.
        name: Of the type.
        clock: Nominal, in GHz; without, the highest that power was measured at.
        fixed: Constants of contention that are known, such as {"k": 0.6}.
        columns: Titles of columns that are not called by their own names.

    Raises:
        InputError: Something is wrong with the files, or they do not determine the constants.
    """
    if isinstance(cores, bool) or not 1 <= cores <= MOST_CORES:
        raise InputError(f"cores: must be from 1 to {MOST_CORES}, not {cores!r}")
    if clock is not None and not 0 < clock < float("inf"):
        raise InputError(f"clock: must be above 0 GHz, not {clock!r}")
    if not paths:
        raise InputError("no file of measurements is given")
    measured = read_measured(paths, cores, columns)
    if fixed and measured.speeds is None:
        raise InputError("fix: there are no measurements of contention")
    powers = fit_power(measured.powers) if measured.powers is not None else []
    highest = powers[0].clock if powers else None
    if clock is not None and highest is not None and clock != highest:
        raise InputError(
            f"clock: {clock:g} GHz, but the highest that power was measured at is {highest:g}"
        )
    return ProcessorFit(
        name,
        cores,
        clock if clock is not None else highest,
        fit_contention(measured.speeds, fixed) if measured.speeds is not None else None,
        powers,
        measured.powers,
    )


def _plain(estimate: Estimate) -> dict[str, Any]:
    return dict(vars(estimate))
