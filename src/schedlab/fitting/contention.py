"""Constants of memory contention from measured speeds, by regression as in IRMaSim's paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

from schedlab.errors import InputError
from schedlab.fitting.least_squares import huber_weights, minimise
from schedlab.fitting.speed_model import NAMES, PLACES, PLATEAU, Rates, derivatives, speeds, valid
from schedlab.fitting.uncertainty import half_widths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schedlab.fitting.measured import Speeds

    Numbers = NDArray[numpy.float64]

TRIED, REFINED = 4000, 16
"""Random sets of constants, and the best of them from which a local search begins."""

COARSE_BEND, LEAST_BEND, DEVIATIONS = 0.1, 1e-6, 2.5
"""Relative errors beyond which a row counts less: at first, at least, and in deviations later."""

NEAR, ROUNDING = 1e-3, 1e-7
"""Relative: constants that are the same, and errors that are none."""

LEAST_SLOWDOWN = 0.03
"""Below this nothing contends."""


@dataclass(frozen=True)
class Estimate:
    """One constant.

    Attributes:
        value: What fits best, or what it was fixed at.
        half_width: Of its interval of 95 % confidence; None where it is fixed or not determined.
        fixed: Whether it was given.
        determined: Whether the measurements say what it is; else other values fit as well.
    """

    value: float
    half_width: float | None
    fixed: bool
    determined: bool


@dataclass(frozen=True)
class ContentionFit:
    """What the measurements of contention say.

    Attributes:
        constants: By name: b, c, da, db, dc, dd, k.
        measured: The rows that were fitted.
        fitted: Speed that the constants give for each row.
        places: How many rows are on the plateau, the slope and the floor.
        rms: Root of the mean square of the relative errors.
        worst: The largest relative error.
        worst_row: Its place among the rows.
        outliers: Rows so far off that they counted less.
    """

    constants: dict[str, Estimate]
    measured: Speeds
    fitted: Numbers
    places: dict[str, int]
    rms: float
    worst: float
    worst_row: int
    outliers: int

    @property
    def values(self) -> dict[str, float]:
        """The constants as numbers."""
        return {name: estimate.value for name, estimate in self.constants.items()}

    @property
    def undetermined(self) -> tuple[str, ...]:
        """The constants that the measurements do not say."""
        return tuple(name for name, one in self.constants.items() if not one.determined)

    def speed(self, own: Numbers, total: Numbers, others: int) -> Numbers:
        """Returns the speed of tasks of some rates, by these constants."""
        among = numpy.full_like(total, others)
        rates = Rates(numpy.broadcast_to(own, total.shape), total, among)
        return speeds(numpy.array(list(self.values.values())), rates)[0]


def fit_contention(measured: Speeds, fixed: Mapping[str, float] | None = None) -> ContentionFit:
    """Returns the constants that fit measured speeds best.

    Relative errors count, and large ones less than by their squares. The search begins at random
    places, always the same ones, so that the same rows give the same constants.

    Args:
        measured: The rows.
        fixed: Constants that are known.

    Raises:
        InputError: Nothing contends, or the rows do not determine the constants.
    """
    fixed = dict(fixed or {})
    for name in fixed:
        if name not in NAMES:
            raise InputError(f"fix: there is no constant {name!r}; they are {', '.join(NAMES)}")
    free = numpy.array([name not in fixed for name in NAMES])
    _require_enough(measured, fixed, int(free.sum()))
    search = _ConstantSearch(measured, fixed, free)
    best, rivals = search.best()
    fitted, place = speeds(best, search.rates)
    errors = fitted / measured.speed - 1
    bend = search.bend(best)
    weights = huber_weights(numpy.log(fitted / measured.speed), bend)
    slopes = derivatives(best, search.rates) / fitted[:, None]
    halves = half_widths(
        slopes[:, free],
        weights,
        numpy.log(fitted / measured.speed),
        _scales(best)[free],
        informative=place != PLATEAU,
    )
    scales, free_halves = _scales(best), iter(halves)
    constants = {}
    for index, (name, value) in enumerate(zip(NAMES, best, strict=True)):
        if name in fixed:
            constants[name] = Estimate(float(value), None, fixed=True, determined=True)
            continue
        half = next(free_halves)
        if half is not None and len(rivals):
            apart = numpy.abs(rivals[:, index] - value).max()
            if apart > max(2 * half, NEAR * scales[index]):
                half = None
        constants[name] = Estimate(float(value), half, fixed=False, determined=half is not None)
    worst = int(numpy.argmax(numpy.abs(errors)))
    return ContentionFit(
        constants,
        measured,
        fitted,
        {name: int((place == index).sum()) for index, name in enumerate(PLACES)},
        float(numpy.sqrt(numpy.mean(errors**2))),
        float(abs(errors[worst])),
        worst,
        int((weights < 0.5).sum()),
    )


def _require_enough(measured: Speeds, fixed: dict[str, float], unknown: int) -> None:
    source = measured.source
    slowed = (measured.speed < 1 - LEAST_SLOWDOWN) & (measured.others > 0)
    if not slowed.any():
        raise InputError(
            f"{source}: no task is slower beside others than alone by {LEAST_SLOWDOWN:.0%}; "
            "there is no contention to fit: leave it out of the system file, or measure higher "
            "rates"
        )
    if slowed.sum() < unknown:
        raise InputError(
            f"{source}: {int(slowed.sum())} rows with contention for {unknown} constants; measure "
            "more, or fix some constants that you know"
        )
    among = numpy.unique(measured.others[slowed])
    if len(among) == 1 and not {"db", "dd"} <= fixed.keys():
        raise InputError(
            f"{source}: contention was measured for n = {among[0]:.0f} only, so the constants that "
            "depend on n (da, db, dc, dd) cannot be distinguished; measure with other numbers of "
            "tasks, or fix db and dd"
        )


def _scales(constants: Numbers) -> Numbers:
    """Returns for each constant how far off it would not be known at all."""
    b, c, da, db, dc, dd, k = numpy.abs(constants)
    return numpy.array([b, c, max(da, 1), max(db, c / 10), dc, max(dd, c / 10), k])


class _ConstantSearch:
    """Looks for the constants with the least loss."""

    def __init__(
        self, measured: Speeds, fixed: dict[str, float], free: NDArray[numpy.bool_]
    ) -> None:
        self.rates = Rates(measured.own, measured.total, measured.others)
        self._logarithms = numpy.log(measured.speed)
        self._fixed, self._free = fixed, free
        self._most_others = float(measured.others.max())

    def best(self) -> tuple[Numbers, Numbers]:
        """Returns the best constants that were found, and others that fit the rows as well."""
        found = [self._refined(start, COARSE_BEND) for start in self._starts()]
        best = min(found, key=lambda pair: pair[1])[0]
        for _ in range(3):  # outliers count less the better the rest fits
            best, _ = self._refined(best, self.bend(best))
        bend = self.bend(best)
        best, least = self._refined(best, bend)
        # The loss is half of the squares: within 3.84 / 2 variances of the least one nothing says
        # that constants are worse (the 95 % quantile of chi-square).
        noise = max((bend / DEVIATIONS) ** 2 * 3.84 / 2, len(self._logarithms) * ROUNDING**2)
        coarse = min(loss for _, loss in found)
        near = [start for start, loss in found if loss <= 1.5 * coarse + noise]
        again = [self._refined(start, bend) for start in near]
        rivals = [constants for constants, loss in again if loss <= least + noise]
        return best, numpy.array(rivals).reshape(len(rivals), len(NAMES))

    def bend(self, constants: Numbers) -> float:
        """Returns the error beyond which rows count less, from how far off most of them are."""
        fitted, place = speeds(constants, self.rates)
        errors = (numpy.log(fitted) - self._logarithms)[place != PLATEAU]
        # The median of absolute errors is 0.6745 deviations of a normal distribution.
        deviation = float(numpy.median(numpy.abs(errors))) / 0.6745 if len(errors) else 0.0
        return max(DEVIATIONS * deviation, LEAST_BEND)

    def _refined(self, start: Numbers, bend: float) -> tuple[Numbers, float]:
        def whole(part: Numbers) -> Numbers:
            constants = start.copy()
            constants[self._free] = part
            return constants

        def residuals(part: Numbers) -> Numbers | None:
            constants = whole(part)
            if not valid(constants, self._most_others):
                return None
            return numpy.log(speeds(constants, self.rates)[0]) - self._logarithms

        def jacobian(part: Numbers) -> Numbers:
            constants = whole(part)
            slopes = derivatives(constants, self.rates)
            return (slopes / speeds(constants, self.rates)[0][:, None])[:, self._free]

        part, loss = minimise(start[self._free], residuals, jacobian, bend)
        return whole(part), loss

    def _starts(self) -> list[Numbers]:
        """Returns the best of many random sets of constants."""
        random = numpy.random.default_rng(1)
        tried = self._drawn(random.random((TRIED, len(NAMES))))
        for index, name in enumerate(NAMES):
            if name in self._fixed:
                tried[:, index] = self._fixed[name]
        tried = tried[valid(tried, self._most_others).astype(bool)]
        if not len(tried):
            raise InputError(
                "fix: no constants go with what is fixed; b must be below 0, c, k and dc - n dd "
                "above 0"
            )
        few = slice(None, None, max(1, len(self._logarithms) // 300))
        rates = Rates(*(column[few] for column in self.rates))
        losses = numpy.concatenate(
            [
                numpy.abs(numpy.log(speeds(block, rates)[0]) - self._logarithms[few]).sum(axis=1)
                for block in numpy.array_split(tried, 16)
                if len(block)
            ]
        )
        return list(tried[numpy.argsort(losses, kind="stable")[:REFINED]])

    def _drawn(self, random: Numbers) -> Numbers:
        """Returns constants from numbers between 0 and 1, over all that is conceivable."""
        highest = float(self.rates.total.max())
        own = float(self.rates.own.max()) or highest
        last = max(self._most_others, 2.0)
        u = random.T
        # The floor's constants follow from where it begins, and how wide it falls, for one other
        # task and for the most.
        begins = own * (1.4 * u[2] - 0.4), own * (1.4 * u[3] - 0.4)
        widths = own * 0.05 * 60 ** u[4], own * 0.05 * 60 ** u[5]
        db = (begins[0] - begins[1]) / (last - 1)
        dd = (widths[0] - widths[1]) / (last - 1)
        apart = numpy.where(db == 0, 1.0, db)
        return numpy.stack(
            [
                -(0.1 * 40 ** u[0]) / highest,
                highest * u[1],
                1 + begins[0] / apart,
                db,
                widths[0] + dd,
                dd,
                0.2 * 10 ** u[6],
            ],
            axis=1,
        )
