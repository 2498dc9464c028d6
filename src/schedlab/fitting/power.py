"""Power of a processor by active cores: a straight line for each clock (the paper's equation 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

from schedlab.errors import InputError
from schedlab.fitting.uncertainty import student_95

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schedlab.fitting.measured import Powers

    Numbers = NDArray[numpy.float64]

IDLE_FRACTION = 0.05
"""Of the shared power: what IRMaSim's public code takes for an idle processor."""


@dataclass(frozen=True)
class PowerFit:
    """What a processor draws at one clock: core n + shared watts with n active cores, else idle.

    Attributes:
        clock: GHz, None where it was not given.
        core: Watts of each active core.
        shared: Watts of what active cores share.
        idle: Watts without active cores: the mean of the rows, or IDLE_FRACTION of shared.
        core_half_width: Of the interval of 95 % confidence; None where two counts leave no error.
        shared_half_width: Likewise.
        idle_measured: Whether some rows have no active core.
        rows: How many were fitted.
        rms: Root of the mean square of the errors, in watts.
        r_squared: Share of the variance that the line explains; None where there is none.
    """

    clock: float | None
    core: float
    shared: float
    idle: float
    core_half_width: float | None
    shared_half_width: float | None
    idle_measured: bool
    rows: int
    rms: float
    r_squared: float | None

    def power(self, active: Numbers) -> Numbers:
        """Returns the watts with N active cores."""
        return numpy.where(active > 0, self.core * active + self.shared, self.idle)


def fit_power(measured: Powers) -> list[PowerFit]:
    """Returns a fit for each clock, the highest first.

    Raises:
        InputError: A clock has too few rows.
    """
    clocks = numpy.unique(measured.clock)[::-1]
    if numpy.isnan(clocks).any():
        return [_fit_clock(measured.source, None, measured.active, measured.power)]
    return [
        _fit_clock(
            measured.source,
            float(clock),
            measured.active[measured.clock == clock],
            measured.power[measured.clock == clock],
        )
        for clock in clocks
    ]


def _fit_clock(source: str, clock: float | None, active: Numbers, power: Numbers) -> PowerFit:
    running = active > 0
    n, watts = active[running], power[running]
    if len(numpy.unique(n)) < 2:
        at = f" at {clock:g} GHz" if clock is not None else ""
        raise InputError(
            f"{source}: power{at} was measured with {len(numpy.unique(n))} number of active cores; "
            "a line needs two of them, such as 1 and all"
        )
    design = numpy.stack([n, numpy.ones_like(n)], axis=1)
    core, shared = (float(value) for value in numpy.linalg.lstsq(design, watts, rcond=None)[0])
    errors = design @ [core, shared] - watts
    squares, variance = float((errors**2).sum()), float(((watts - watts.mean()) ** 2).sum())
    freedom = len(n) - 2
    core_half = shared_half = None
    if freedom > 0:
        inverse = numpy.linalg.inv(design.T @ design)
        factor = student_95(freedom) * (squares / freedom) ** 0.5
        core_half, shared_half = (float(factor * inverse[i, i] ** 0.5) for i in (0, 1))
    resting = power[~running]
    return PowerFit(
        clock,
        core,
        shared,
        float(resting.mean()) if len(resting) else IDLE_FRACTION * shared,
        core_half,
        shared_half,
        bool(len(resting)),
        len(power),
        (squares / len(n)) ** 0.5,
        1 - squares / variance if variance > 0 else None,
    )
