"""Continuous distributions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Unpack

import numpy

from schedlab.errors import InputError
from schedlab.workload.distributions.base import Bounds, Continuous, finite, positive
from schedlab.workload.distributions.special_functions import (
    gamma_quantile,
    incomplete_gamma,
    normal_cdf,
    normal_quantile,
)

if TYPE_CHECKING:
    from schedlab.workload.distributions.special_functions import Array

SHAPES = (1e-3, 1e6)
"""Shapes of the gamma distribution that `gamma_quantile` was tried with."""


class Uniform(Continuous):
    """Any value between two, each as likely: `uniform(1, 3)`."""

    parameters = value_parameters = ("low", "high")

    def __init__(
        self, low: float | None = None, high: float | None = None, **bounds: Unpack[Bounds]
    ) -> None:
        self._low, self._high = _range(low, high, bounds)
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        return self._low + shares * (self._high - self._low)

    def _cdf(self, values: Array) -> Array:
        return numpy.clip((values - self._low) / (self._high - self._low), 0.0, 1.0)

    def _partial_mean(self, value: float) -> float:
        value = min(max(value, self._low), self._high)
        return (value**2 - self._low**2) / (2 * (self._high - self._low))


class LogUniform(Continuous):
    """Any value between two, whose logarithm is uniform: `loguniform(1, 86400)`."""

    parameters = value_parameters = ("low", "high")

    def __init__(
        self, low: float | None = None, high: float | None = None, **bounds: Unpack[Bounds]
    ) -> None:
        self._low, self._high = _range(low, high, bounds)
        positive("low", self._low)
        self._logs = math.log(self._high / self._low)
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        return self._low * numpy.exp(shares * self._logs)

    def _cdf(self, values: Array) -> Array:
        inside = numpy.clip(values, self._low, self._high)
        return numpy.asarray(numpy.log(inside / self._low) / self._logs)

    def _partial_mean(self, value: float) -> float:
        return (min(max(value, self._low), self._high) - self._low) / self._logs


class Triangular(Continuous):
    """Between two values, most often near a third: `triangular(0, 10, 60)`."""

    parameters = value_parameters = ("low", "mode", "high")

    def __init__(
        self,
        low: float | None = None,
        mode: float | None = None,
        high: float | None = None,
        **bounds: Unpack[Bounds],
    ) -> None:
        self._low, self._high = _range(low, high, bounds)
        self._mode = finite("mode", mode)
        if not self._low <= self._mode <= self._high:
            raise InputError(f"mode: must lie between low and high, not be {mode!r}")
        self._width = self._high - self._low
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        left, right = self._mode - self._low, self._high - self._mode
        return numpy.where(
            shares * self._width < left,
            self._low + numpy.sqrt(shares * self._width * left),
            self._high - numpy.sqrt((1 - shares) * self._width * right),
        )

    def _cdf(self, values: Array) -> Array:
        inside = numpy.clip(values, self._low, self._high)
        left, right = self._mode - self._low, self._high - self._mode
        with numpy.errstate(over="ignore"):  # on the side that is not taken
            rising = (inside - self._low) ** 2 / (self._width * (left or 1.0))
            falling = 1 - (self._high - inside) ** 2 / (self._width * (right or 1.0))
        return numpy.where(inside < self._mode, rising, falling)

    def _partial_mean(self, value: float) -> float:
        value = min(max(value, self._low), self._high)
        left, right = self._mode - self._low, self._high - self._mode
        # On a side that begins at s with density 2 (x - s) / (width * side), the integral of
        # x f(x) from s is x^2 (2x/3 - s) + s^3/3, over width * side.
        low, high = self._low, self._high
        to = min(value, self._mode)
        total = (to**2 * (2 * to / 3 - low) + low**3 / 3) / (self._width * left) if left else 0.0
        if value > self._mode:

            def falling(x: float) -> float:
                return x**2 * (high - 2 * x / 3) / (self._width * right)

            total += falling(value) - falling(self._mode)
        return total


class Exponential(Continuous):
    """Waits without memory: `exponential(mean=120)`."""

    parameters = value_parameters = ("mean",)

    def __init__(self, mean: float, **bounds: Unpack[Bounds]) -> None:
        self._mean = positive("mean", mean)
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        return -self._mean * numpy.log1p(-shares)

    def _cdf(self, values: Array) -> Array:
        return -numpy.expm1(-numpy.maximum(values, 0.0) / self._mean)

    def _partial_mean(self, value: float) -> float:
        x = max(value, 0.0) / self._mean
        return self._mean if x == math.inf else self._mean * (1 - (1 + x) * math.exp(-x))


class Normal(Continuous):
    """The bell curve: `normal(mean=16, deviation=4, min=1)`."""

    parameters = value_parameters = ("mean", "deviation")

    def __init__(self, mean: float, deviation: float, **bounds: Unpack[Bounds]) -> None:
        self._mean, self._deviation = finite("mean", mean), positive("deviation", deviation)
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        return self._mean + self._deviation * normal_quantile(shares)

    def _cdf(self, values: Array) -> Array:
        return normal_cdf((values - self._mean) / self._deviation)

    def _partial_mean(self, value: float) -> float:
        z = (value - self._mean) / self._deviation
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return self._mean * _normal_share(z) - self._deviation * density


class LogNormal(Continuous):
    """Values whose natural logarithm is normal: `lognormal(mean=7.5, deviation=1.2)`.

    Mean and deviation are those of the logarithm.
    """

    parameters = ("mean", "deviation")

    def __init__(self, mean: float, deviation: float, **bounds: Unpack[Bounds]) -> None:
        self._mean, self._deviation = finite("mean", mean), positive("deviation", deviation)
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        with numpy.errstate(over="ignore"):
            return numpy.exp(self._mean + self._deviation * normal_quantile(shares))

    def _cdf(self, values: Array) -> Array:
        with numpy.errstate(divide="ignore"):
            logs = numpy.log(numpy.maximum(values, 0.0))
        return normal_cdf((logs - self._mean) / self._deviation)

    def _partial_mean(self, value: float) -> float:
        if value <= 0:
            return 0.0
        try:
            whole = math.exp(self._mean + self._deviation**2 / 2)
        except OverflowError:
            return math.inf
        z = (math.log(value) - self._mean) / self._deviation if value < math.inf else math.inf
        return whole * _normal_share(z - self._deviation)


class Gamma(Continuous):
    """`gamma(shape=4.2, scale=0.94)`, whose mean is shape times scale."""

    parameters = ("shape", "scale")
    value_parameters = ("scale",)

    def __init__(self, shape: float, **bounds: Unpack[Bounds]) -> None:
        self._shape = positive("shape", shape)
        if not SHAPES[0] <= self._shape <= SHAPES[1]:
            raise InputError(f"shape: must be from {SHAPES[0]:g} to {SHAPES[1]:g}, not {shape!r}")
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        return gamma_quantile(self._shape)(shares)

    def _cdf(self, values: Array) -> Array:
        return incomplete_gamma(self._shape, values)

    def _partial_mean(self, value: float) -> float:
        return self._shape * float(incomplete_gamma(self._shape + 1, numpy.array([value]))[0])


class Weibull(Continuous):
    """`weibull(shape=0.7, scale=3600)`; shapes below 1 have the longer tail."""

    parameters = ("shape", "scale")
    value_parameters = ("scale",)

    def __init__(self, shape: float, **bounds: Unpack[Bounds]) -> None:
        self._shape = positive("shape", shape)
        if not 0.01 <= self._shape <= 1000:
            raise InputError(f"shape: must be from 0.01 to 1000, not {shape!r}")
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        return numpy.asarray((-numpy.log1p(-shares)) ** (1 / self._shape))

    def _cdf(self, values: Array) -> Array:
        with numpy.errstate(over="ignore"):
            return -numpy.expm1(-(numpy.maximum(values, 0.0) ** self._shape))

    def _partial_mean(self, value: float) -> float:
        # The integral of x f(x) is Gamma(1 + 1/k) P(1 + 1/k, x^k).
        more = 1 + 1 / self._shape
        with numpy.errstate(over="ignore"):
            powered = numpy.array([max(value, 0.0)]) ** self._shape
        return math.gamma(more) * float(incomplete_gamma(more, powered)[0])


class Pareto(Continuous):
    """A power law: more than x with probability (scale/x)^shape: `pareto(shape=1.5, scale=60)`."""

    parameters = ("shape", "scale")
    value_parameters = ("scale",)

    def __init__(self, shape: float, **bounds: Unpack[Bounds]) -> None:
        self._shape = positive("shape", shape)
        super().__init__(bounds)

    def _quantile(self, shares: Array) -> Array:
        with numpy.errstate(over="ignore"):
            return numpy.exp(-numpy.log1p(-shares) / self._shape)

    def _cdf(self, values: Array) -> Array:
        return -numpy.expm1(-self._shape * numpy.log(numpy.maximum(values, 1.0)))

    def _partial_mean(self, value: float) -> float:
        value = max(value, 1.0)
        if self._shape == 1:
            return math.log(value)
        if value == math.inf:
            return self._shape / (self._shape - 1) if self._shape > 1 else math.inf
        return self._shape / (self._shape - 1) * -math.expm1((1 - self._shape) * math.log(value))


def _normal_share(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def _range(low: float | None, high: float | None, bounds: Bounds) -> tuple[float, float]:
    """Returns both ends of a distribution that has two; min and max will do for them."""
    if low is None and "min" in bounds:
        low = bounds.pop("min")
    if high is None and "max" in bounds:
        high = bounds.pop("max")
    for name, end in (("low", low), ("high", high)):
        if end is None:
            raise InputError(f"{name} is missing")
    ends = finite("low", low), finite("high", high)
    if not ends[0] < ends[1]:
        raise InputError(f"low: must be below high; they are {low!r} and {high!r}")
    positive("high - low", ends[1] - ends[0])
    return ends
