"""What distributions share: limits, scale and rounding; and the base of one of your own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, TypedDict

import numpy

from schedlab.errors import InputError
from schedlab.finite import is_finite
from schedlab.workload.distributions.special_functions import SMALLEST_SHARE

if TYPE_CHECKING:
    from typing import Any

    from schedlab.workload.distributions.special_functions import Array


class Bounds(TypedDict, total=False):
    """What every built-in distribution takes beside its own parameters.

    min, max: Limits of the values. Nothing is piled up at them; what lies within them is drawn
    more often instead. scale, shift: The value is multiplied, then added to; limits hold for what
    comes out. round: To whole multiples of this.
    """

    min: float
    max: float
    scale: float
    shift: float
    round: float


BOUNDS = ("min", "max", "scale", "shift", "round")
MOST = 1e30
"""Of any parameter, and the least of one that must be above 0 is its inverse: beyond what jobs can
be, and sums and products of such stay far from the limits of floating-point numbers."""

LEAST_INSIDE = 1e-9
"""What must lie between min and max of a distribution: less could not be drawn faithfully."""


def draw(random: numpy.random.Generator, count: int) -> Array:
    """Returns N uniform numbers above 0 and below 1."""
    return numpy.maximum(random.random(count), SMALLEST_SHARE)


class Distribution:
    """Base of a distribution of your own: it defines `sample`.

    Each value is made of one uniform number, so that the same seed gives the same values however
    many are asked for at a time.
    """

    text: str | None = None
    """What `distribution` made this of."""

    value_parameters: ClassVar[tuple[str, ...]] = ()
    """Names of parameters that are values, and so times where times are drawn."""

    def sample(self, uniforms: Array) -> Array:
        """Returns a value for each uniform number, all of which lie above 0 and below 1."""
        raise NotImplementedError(f"{type(self).__name__} must define sample(uniforms)")

    def cdf(self, values: Array) -> Array:
        """Returns the probability of a value at or below each of these, before any rounding."""
        raise NotImplementedError(f"{type(self).__name__} does not define cdf(values)")

    @property
    def mean(self) -> float | None:
        """The mean before any rounding; None where there is none or nobody knows it."""
        return None

    def __str__(self) -> str:
        if self.text is not None:
            return self.text
        return f"{type(self).__module__}:{type(self).__qualname__}"


class BuiltIn(Distribution):
    """A distribution with limits, scale, shift and rounding.

    Attributes:
        parameters: Names of its own parameters, in the order in which they may be given.
    """

    parameters: ClassVar[tuple[str, ...]] = ()

    def __init__(self, bounds: Bounds) -> None:
        for name, value in bounds.items():
            if name not in BOUNDS:
                raise InputError(f"takes {', '.join((*self.parameters, *BOUNDS))}, not {name}")
            if not (name in ("min", "max") and value in (math.inf, -math.inf)):
                finite(name, value)
        self._scale, self._shift = bounds.get("scale", 1.0), bounds.get("shift", 0.0)
        self._min, self._max = bounds.get("min", -math.inf), bounds.get("max", math.inf)
        self._round = bounds.get("round", 0.0)
        positive("scale", self._scale)
        if self._round:
            if self._round < 0:
                raise InputError(f"round: must not be below 0, not {self._round!r}")
            positive("round", self._round)
        if self._min > self._max:
            raise InputError(f"min: must not be above max; they are {self._min} and {self._max}")

    def _standard(self, values: Any) -> Any:
        """Returns values as they were before scale and shift."""
        return (values - self._shift) / self._scale

    def _finished(self, standard: Array) -> Array:
        with numpy.errstate(over="ignore"):  # a heavy tail may draw infinity
            values = standard * self._scale + self._shift
            if self._round:
                values = numpy.floor(values / self._round + 0.5) * self._round
        if self._round or self._min > -math.inf or self._max < math.inf:
            values = numpy.clip(values, self._min, self._max)  # the last digit may be beyond
        return numpy.asarray(values)


class Continuous(BuiltIn):
    """A distribution by its inverse function, limited by drawing from a part of it only.

    A kind of it defines `_quantile`, `_cdf` and `_partial_mean` of the values before scale and
    shift.
    """

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        limits = numpy.array([self._standard(self._min), self._standard(self._max)])
        below, above = (float(share) for share in self._cdf(limits))
        self._below, self._inside = below, above - below
        if self._inside < LEAST_INSIDE:
            raise InputError(
                f"min and max: not even {LEAST_INSIDE:g} of the distribution lies within them"
            )

    def _quantile(self, shares: Array) -> Array:
        raise NotImplementedError

    def _cdf(self, values: Array) -> Array:
        raise NotImplementedError

    def _partial_mean(self, value: float) -> float:
        """Returns the integral of x f(x) up to a value; infinity where it has no bound."""
        raise NotImplementedError

    @property
    def inside(self) -> float:
        """The share of the distribution that lies within its limits."""
        return self._inside

    def sample(self, uniforms: Array) -> Array:
        shares = uniforms
        if self._inside < 1:
            shares = numpy.clip(
                self._below + uniforms * self._inside, SMALLEST_SHARE, 1 - 2 * SMALLEST_SHARE
            )
        return self._finished(self._quantile(shares))

    def cdf(self, values: Array) -> Array:
        whole = self._cdf(numpy.asarray(self._standard(numpy.asarray(values, numpy.float64))))
        return numpy.clip((whole - self._below) / self._inside, 0.0, 1.0)

    @property
    def mean(self) -> float | None:
        low, high = self._standard(self._min), self._standard(self._max)
        inside = self._partial_mean(high) - self._partial_mean(low)
        if not math.isfinite(inside):
            return None
        return inside / self._inside * self._scale + self._shift


def finite(name: str, value: object) -> float:
    """Returns a parameter as a number.

    Raises:
        InputError: It is none, or not finite.
    """
    number = isinstance(value, (int, float, numpy.number)) and not isinstance(value, bool)
    if not number or not is_finite(value):
        raise InputError(f"{name}: must be a number, not {value!r}")
    if abs(value) > MOST:  # type: ignore[arg-type]
        raise InputError(f"{name}: must be between -{MOST:g} and {MOST:g}, not {value!r}")
    return float(value)  # type: ignore[arg-type]


def positive(name: str, value: object) -> float:
    """Returns a parameter as a number above 0.

    Raises:
        InputError: It is none, or not above 0.
    """
    number = finite(name, value)
    if number <= 0:
        raise InputError(f"{name}: must be above 0, not {value!r}")
    if number < 1 / MOST:
        raise InputError(f"{name}: must be at least {1 / MOST:g}, not {value!r}")
    return number
