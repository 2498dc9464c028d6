"""Distributions made of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy

from schedlab.errors import InputError
from schedlab.workload.distributions.base import Bounds, Distribution, finite
from schedlab.workload.distributions.continuous import Exponential, Gamma
from schedlab.workload.distributions.discrete import pairs_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import ClassVar

    from schedlab.workload.distributions.base import Continuous
    from schedlab.workload.distributions.special_functions import Array


class Mixture(Distribution):
    """One of several distributions, by weights.

    The uniform number of a value says which, and where within its part it lies is the uniform
    number for that one.

    Args:
        components: The distributions.
        weights: Of each.
    """

    parameters: ClassVar[tuple[str, ...]] = ("components", "weights")

    def __init__(self, components: Sequence[Distribution], weights: Sequence[float]) -> None:
        if not components or len(components) != len(weights):
            raise InputError("weights: give one for each of at least one distribution")
        numbers = numpy.array([finite("weights", weight) for weight in weights])
        if numbers.min() < 0 or not numbers.sum() > 0:
            raise InputError("weights: must not be below 0, and one of them above it")
        used = numbers > 0
        self._components = [made for made, use in zip(components, used, strict=True) if use]
        self._weights = numbers[used] / numbers.sum()
        self._up_to = numpy.cumsum(self._weights)
        self._up_to[-1] = 1.0

    def sample(self, uniforms: Array) -> Array:
        which = numpy.searchsorted(self._up_to, uniforms)
        values = numpy.empty_like(uniforms)
        below = 0.0
        for number, component in enumerate(self._components):
            chosen = which == number
            rest = (uniforms[chosen] - below) / (self._up_to[number] - below)
            values[chosen] = component.sample(numpy.clip(rest, 2.0**-54, 1 - 2.0**-53))
            below = self._up_to[number]
        return values

    def cdf(self, values: Array) -> Array:
        shares = [component.cdf(values) for component in self._components]
        return numpy.asarray(self._weights @ numpy.array(shares))

    @property
    def mean(self) -> float | None:
        means = [component.mean for component in self._components]
        known = [mean for mean in means if mean is not None]
        return float(self._weights @ numpy.array(known)) if len(known) == len(means) else None


class HyperExponential(Mixture):
    """One of several exponentials: `hyperexponential(10:0.3, 600:0.7)`, mean:weight of each.

    Args:
        means: With the weight of each; a text as above.
        **bounds: Limits, scale, shift and rounding.
    """

    parameters = ("means",)

    def __init__(
        self, means: str | float | Mapping[float, float], **bounds: Unpack[Bounds]
    ) -> None:
        pairs = pairs_of(means) if isinstance(means, (str, int, float)) else list(means.items())
        components = [Exponential(mean, **bounds) for mean, _ in pairs]
        super().__init__(components, _inside(components, [weight for _, weight in pairs]))


class HyperGamma(Mixture):
    """One of two gamma distributions, the first with probability `share`."""

    parameters = ("shape1", "scale1", "shape2", "scale2", "share")
    value_parameters = ("scale1", "scale2")

    def __init__(
        self,
        shape1: float,
        scale1: float,
        shape2: float,
        scale2: float,
        share: float,
        **bounds: Unpack[Bounds],
    ) -> None:
        if not 0 <= finite("share", share) <= 1:
            raise InputError(f"share: must be from 0 to 1, not {share!r}")
        if "scale" in bounds:
            raise InputError("takes scale1 and scale2, not scale")
        components = []
        for shape, scale in ((shape1, scale1), (shape2, scale2)):
            bounds["scale"] = scale
            components.append(Gamma(shape, **bounds))
        super().__init__(components, _inside(components, [share, 1 - share]))


class Exp(Distribution):
    """e to the power of what another distribution gives: `exp(gamma(10.46, 0.487, max=13))`.

    Args:
        of: The other one; its limits are those of the logarithm.
        round: To whole multiples of this.
    """

    parameters: ClassVar[tuple[str, ...]] = ("of", "round")

    def __init__(self, of: str | float | Distribution, round: float = 0.0) -> None:  # noqa: A002 - as all
        from schedlab.workload.distributions import distribution

        self._of = distribution(of)
        self._round = finite("round", round)
        if self._round < 0:
            raise InputError(f"round: must not be below 0, not {round!r}")

    def sample(self, uniforms: Array) -> Array:
        with numpy.errstate(over="ignore"):
            values = numpy.exp(self._of.sample(uniforms))
        return numpy.floor(values / self._round + 0.5) * self._round if self._round else values

    def cdf(self, values: Array) -> Array:
        with numpy.errstate(divide="ignore"):
            return self._of.cdf(numpy.log(numpy.maximum(values, 0.0)))


def _inside(components: Sequence[Continuous], weights: Sequence[float]) -> list[float]:
    """Returns the weights of distributions of which limits cut off more or less each."""
    pairs = zip(components, weights, strict=True)
    return [component.inside * finite("weights", weight) for component, weight in pairs]
