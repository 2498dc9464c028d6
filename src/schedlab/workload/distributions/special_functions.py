"""The normal and the gamma distribution in numpy alone: distribution functions and their inverses.

Each value is computed from its own argument by a fixed number of steps, so it does not depend on
what else is in the array.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[numpy.float64]

SMALLEST_SHARE = 2.0**-54
"""What a drawn 0 counts as; the least above it that numpy draws is 2^-53."""

# Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
# Statistics 37 (1988), PPND16: three ratios of polynomials, highest power first.
_CENTRE = (
    (
        *(2509.0809287301226727, 33430.575583588128105, 67265.770927008700853),
        *(45921.953931549871457, 13731.693765509461125, 1971.5909503065514427),
        *(133.14166789178437745, 3.387132872796366608),
    ),
    (
        *(5226.495278852854561, 28729.085735721942674, 39307.89580009271061),
        *(21213.794301586595867, 5394.1960214247511077, 687.1870074920579083),
        *(42.313330701600911252, 1.0),
    ),
)
_SIDE = (
    (
        *(7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177),
        *(1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055),
        *(4.6303378461565452959, 1.42343711074968357734),
    ),
    (
        *(1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966),
        *(0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494),
        *(2.05319162663775882187, 1.0),
    ),
)
_TAIL = (
    (
        *(2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386),
        *(0.026532189526576123093, 0.29656057182850489123, 1.7848265399172913358),
        *(5.4637849111641143699, 6.6579046435011037772),
    ),
    (
        *(2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5),
        *(7.868691311456132591e-4, 0.0148753612908506148525, 0.13692988092273580531),
        *(0.59983220655588793769, 1.0),
    ),
)


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], at: Array) -> Array:
    above, below = (numpy.polyval(numpy.array(part), at) for part in coefficients)
    return numpy.asarray(above / below)


def normal_quantile(shares: Array) -> Array:
    """Returns the values below which these shares (within 0 and 1) of a standard normal lie."""
    centred = shares - 0.5
    values = numpy.empty_like(centred)
    middle = numpy.abs(centred) <= 0.425
    values[middle] = centred[middle] * _ratio(_CENTRE, 0.180625 - centred[middle] ** 2)
    outer = shares[~middle]
    depth = numpy.sqrt(-numpy.log(numpy.minimum(outer, 1 - outer)))
    far = numpy.where(
        depth <= 5,
        _ratio(_SIDE, numpy.minimum(depth, 5) - 1.6),
        _ratio(_TAIL, numpy.maximum(depth, 5) - 5),
    )
    values[~middle] = numpy.copysign(far, outer - 0.5)
    return values


_erfc: Any = numpy.frompyfunc(math.erfc, 1, 1)


def normal_cdf(values: Array) -> Array:
    """Returns the share of a standard normal at or below each value."""
    return numpy.asarray(_erfc(-values / math.sqrt(2)) / 2, dtype=numpy.float64)


def incomplete_gamma(shape: float, values: Array) -> Array:
    """Returns the share of gamma(shape), of scale 1, at or below each value.

    By the series x^a e^-x / Gamma(a + 1) * (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...), in which all
    terms are positive. What lies beyond the highest quantile that can be drawn is 1.
    """
    highest = _highest(shape)
    inside = numpy.clip(values, 0.0, highest)
    total = numpy.ones_like(inside)
    term = numpy.ones_like(inside)
    for step in range(1, _terms(shape, highest)):
        term *= inside
        term /= shape + step
        total += term
    with numpy.errstate(divide="ignore"):
        front = shape * numpy.log(inside) - inside - math.lgamma(shape + 1)
    shares = numpy.minimum(total * numpy.exp(front), 1.0)
    return numpy.asarray(numpy.where(values >= highest, 1.0, shares))


def _highest(shape: float) -> float:
    """Returns a value above all but 1e-17 of gamma(shape): Wilson and Hilferty's, and some."""
    return float(shape * (1 + 9 / (3 * math.sqrt(shape))) ** 3 if shape > 1 else 60.0)


def _terms(shape: float, highest: float) -> int:
    """Returns how many terms of the series matter at the highest value."""
    term, total, count = 1.0, 1.0, 1
    while term > 1e-17 * total:
        term *= highest / (shape + count)
        total += term
        count += 1
    return count


class GammaQuantile:
    """The inverse of `incomplete_gamma` for one shape: by a table of it and a series at each entry.

    With t = ln x, the inverse function's Taylor series in w = (u - u0) / (x0 f(x0)) is

        t0 + w - G w^2/2 + (2G^2 - G') w^3/6 + (7GG' - G'' - 6G^3) w^4/24 + ...

    where f is the density, G = a - x0 and G' = G'' = -x0. The entries are so dense that what is
    returned is within 1e-7 of the value for shares from 1e-6 to 1 - 1e-6. Further up, shares can
    hardly be distinguished from 1, and the values lose digits.
    """

    ENTRIES = 4_096

    _logs: Array
    _shares: Array
    _between: Array
    _coefficients: Array

    def __init__(self, shape: float) -> None:
        highest = _highest(shape)
        # P(x) <= x^a / Gamma(a + 1), so this is below all that can be drawn.
        lowest = (math.log(SMALLEST_SHARE) + math.lgamma(shape + 1)) / shape
        logs = numpy.linspace(max(lowest, -700.0), math.log(highest), self.ENTRIES)
        evenly = numpy.log(numpy.linspace(highest / self.ENTRIES, highest, self.ENTRIES))
        self._logs = numpy.unique(numpy.concatenate([logs, evenly[evenly > logs[0]]]))
        values = numpy.exp(self._logs)
        self._shares = numpy.maximum.accumulate(incomplete_gamma(shape, values))
        density = numpy.exp(shape * self._logs - values - math.lgamma(shape))  # of t
        bend = shape - values
        with numpy.errstate(divide="ignore", invalid="ignore", over="ignore"):
            self._coefficients = numpy.nan_to_num(
                numpy.array(
                    [
                        (values * (1 - 7 * bend) - 6 * bend**3) / (24 * density**4),
                        (2 * bend**2 + values) / (6 * density**3),
                        -bend / (2 * density**2),
                        1 / density,
                    ]
                ),
                posinf=0.0,
                neginf=0.0,
            )
        self._between = (self._shares[1:] + self._shares[:-1]) / 2

    def __call__(self, shares: Array) -> Array:
        """Returns the values below which these shares (within 0 and 1) of the distribution lie."""
        entry = numpy.searchsorted(self._between, shares)
        fourth, third, second, first = self._coefficients[:, entry]
        step = shares - self._shares[entry]
        change = step * (first + step * (second + step * (third + step * fourth)))
        # Where nothing but rounding errors distinguishes shares, the next entries are the limits.
        entries = len(self._logs) - 1
        below = self._logs[numpy.maximum(entry - 1, 0)]
        above = self._logs[numpy.minimum(entry + 1, entries)]
        return numpy.asarray(numpy.exp(numpy.clip(self._logs[entry] + change, below, above)))


@lru_cache(maxsize=64)
def gamma_quantile(shape: float) -> GammaQuantile:
    """Returns the inverse distribution function of gamma(shape), of scale 1."""
    return GammaQuantile(shape)
