"""Distributions over single values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Unpack

import numpy

from schedlab.errors import InputError
from schedlab.input_file import read_text
from schedlab.workload.distributions.base import Bounds, BuiltIn, finite, positive

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schedlab.workload.distributions.special_functions import Array

MOST_VALUES = 10_000_000


class Discrete(BuiltIn):
    """Values with weights; limits leave out the values beyond them."""

    def __init__(self, values: Array, weights: Array, bounds: Bounds) -> None:
        super().__init__(bounds)
        order = numpy.argsort(values, kind="stable")
        values, weights = values[order], weights[order]
        final = values * self._scale + self._shift
        inside = (final >= self._min) & (final <= self._max)
        self._values, weights = values[inside], weights[inside]
        total = weights.sum()
        if not total > 0 or not math.isfinite(total):
            raise InputError("min and max: no value of the distribution lies within them")
        self._weights = weights / total
        self._up_to = numpy.cumsum(self._weights)
        self._up_to[-1] = 1.0

    def sample(self, uniforms: Array) -> Array:
        return self._finished(self._values[numpy.searchsorted(self._up_to, uniforms)])

    def cdf(self, values: Array) -> Array:
        final = self._values * self._scale + self._shift
        shares = numpy.concatenate([[0.0], self._up_to])
        return numpy.asarray(shares[numpy.searchsorted(final, values, side="right")])

    @property
    def mean(self) -> float | None:
        return float(self._values @ self._weights) * self._scale + self._shift


class Constant(Discrete):
    """One value, always: `constant(60)`, or just `60`."""

    parameters = value_parameters = ("value",)

    def __init__(self, value: float, **bounds: Unpack[Bounds]) -> None:
        super().__init__(numpy.array([finite("value", value)]), numpy.ones(1), bounds)


class Choice(Discrete):
    """One of a few values, by weights: `choice(1:0.5, 2:0.2, 4:0.3)`.

    Args:
        values: With the weight of each; a text as above, where a value alone has weight 1.
        **bounds: Limits, scale, shift and rounding.
    """

    parameters = ("values",)

    def __init__(
        self, values: str | float | Mapping[float, float], **bounds: Unpack[Bounds]
    ) -> None:
        pairs = pairs_of(values) if isinstance(values, (str, int, float)) else list(values.items())
        for value, weight in pairs:
            finite("values", value)
            if finite(f"weight of {value:g}", weight) < 0:
                raise InputError(f"weight of {value:g}: must not be below 0, not {weight!r}")
        if not sum(weight for _, weight in pairs):
            raise InputError("values: give at least one with a weight above 0")
        numbers = numpy.array(pairs, dtype=numpy.float64)
        super().__init__(numbers[:, 0], numbers[:, 1], bounds)


class Zipf(Discrete):
    """Numbers from 1 to `count`, of which the k-th has weight 1/k^exponent: users, say."""

    parameters = ("exponent", "count")

    def __init__(self, exponent: float, count: float, **bounds: Unpack[Bounds]) -> None:
        number = positive("count", count)
        if number != int(number) or number > MOST_VALUES:
            raise InputError(f"count: must be a whole number up to {MOST_VALUES:,}, not {count!r}")
        if not 0 <= finite("exponent", exponent) <= 50:
            raise InputError(f"exponent: must be from 0 to 50, not {exponent!r}")
        values = numpy.arange(1.0, number + 1)
        super().__init__(values, values ** -float(exponent), bounds)


class Empirical(Discrete):
    """Values that were seen, each as likely: `empirical(3, 5, 5, 9)` or `empirical(file=runs.txt)`.

    Args:
        values: Numbers, or a text with numbers between commas.
        file: A text file with numbers, between blanks or line breaks, instead.
        smooth: Whether values between the sorted ones are drawn, too: their distribution function
            is joined by straight lines.
        **bounds: Limits, scale, shift and rounding.
    """

    parameters = ("values", "file", "smooth")

    def __init__(
        self,
        values: str | float | Iterable[float] | None = None,
        file: str | None = None,
        smooth: bool = False,
        **bounds: Unpack[Bounds],
    ) -> None:
        if (values is None) == (file is None):
            raise InputError("values: give values or a file, one of them")
        if smooth not in (False, True):
            raise InputError(f"smooth: must be True or False, not {smooth!r}")
        where = f"file {file}" if file is not None else "values"
        if file is not None:
            numbers = _numbers_of_file(str(file))
        elif isinstance(values, (str, int, float)):
            numbers = [value for value, _ in pairs_of(values, weights=False)]
        else:
            numbers = [finite("values", value) for value in values or ()]
        if not numbers:
            raise InputError(f"{where}: there are none")
        super().__init__(numpy.array(numbers), numpy.ones(len(numbers)), bounds)
        self._smooth = smooth
        if smooth and len(self._values) < 2:
            raise InputError(f"{where}: smooth needs at least two within min and max")

    def _joints(self) -> Array:
        """Returns the shares of the sorted values when straight lines join them."""
        return numpy.linspace(0.0, 1.0, len(self._values))

    def sample(self, uniforms: Array) -> Array:
        if not self._smooth:
            return super().sample(uniforms)
        return self._finished(numpy.interp(uniforms, self._joints(), self._values))

    def cdf(self, values: Array) -> Array:
        if not self._smooth:
            return super().cdf(values)
        standard = self._standard(numpy.asarray(values, numpy.float64))
        # Of equal values, the last one counts: the function jumps there.
        last = numpy.append(numpy.diff(self._values) > 0, True)
        shares = numpy.interp(standard, self._values[last], self._joints()[last])
        return numpy.where(standard < self._values[0], 0.0, shares)

    @property
    def mean(self) -> float | None:
        if not self._smooth:
            return super().mean
        middles = (self._values[1:] + self._values[:-1]) / 2
        return float(middles.mean()) * self._scale + self._shift


def pairs_of(given: str | float, weights: bool = True) -> list[tuple[float, float]]:
    """Returns the numbers of a text such as "1:0.5, 2:0.2", each with its weight, 1 if none."""
    pairs = []
    for part in str(given).split(","):
        value, colon, weight = part.strip().partition(":")
        try:
            if colon and not weights:
                raise ValueError
            pairs.append((float(value), float(weight) if colon else 1.0))
        except ValueError:
            form = "value:weight" if weights else "numbers"
            raise InputError(f"values: must be {form} between commas, not {part!r}") from None
        finite("values", pairs[-1][0])
    return pairs


def _numbers_of_file(path: str) -> list[float]:
    try:
        content = read_text(path)
    except InputError as error:
        raise InputError(f"file {error}") from None
    numbers = []
    for line, text in enumerate(content.splitlines(), 1):
        for word in text.split():
            try:
                numbers.append(finite("number", float(word)))
            except (ValueError, InputError):
                raise InputError(f"file {path}:{line}: {word[:40]!r} is not a number") from None
    return numbers
