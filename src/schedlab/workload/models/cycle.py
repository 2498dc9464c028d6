"""Cycles of submission: time that passes quickly by day and slowly by night."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from schedlab.durations import DAY, WEEK
from schedlab.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedlab.workload.distributions.special_functions import Array


class Cycle:
    """The slot-weight method: a period in slots of equal length, each worth its weight in points.

    A second of a slot is worth the slot's weight over the mean of all. Gaps between jobs are drawn
    in points; where their sum lies in time is the moment of submission. This is what Lublin and
    Feitelson's program does job by job, paying slot after slot; sums of weights give the same
    without the walk.

    Args:
        weights: Of the slots, from time 0 on; not all 0.
        period_seconds: How long all slots are together.
        name: What messages call the weights.
    """

    def __init__(
        self, weights: Sequence[float] | Array, period_seconds: float = DAY, name: str = "weights"
    ) -> None:
        try:
            self.weights = numpy.array(weights, dtype=numpy.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{name}: must be numbers, not {weights!r}") from None
        good = self.weights.ndim == 1 and self.weights.size and numpy.isfinite(self.weights).all()
        if not good or self.weights.min() < 0 or not self.weights.sum() > 0:
            raise InputError(f"{name}: must be numbers from 0 up, at least one above it")
        self.weights = self.weights / self.weights.mean()
        self.period_seconds = float(period_seconds)
        slot = self.period_seconds / len(self.weights)
        self._moments = numpy.arange(len(self.weights) + 1) * slot
        self._points = numpy.concatenate([[0.0], numpy.cumsum(self.weights)]) * slot
        self._points[-1] = self.period_seconds

    def times(self, points: Array) -> Array:
        """Returns the seconds from time 0 by which N points have passed."""
        periods = numpy.floor(points / self.period_seconds) * self.period_seconds
        return numpy.asarray(periods + numpy.interp(points - periods, self._points, self._moments))

    def points(self, times: Array) -> Array:
        """Returns the points that have passed by a time."""
        periods = numpy.floor(times / self.period_seconds) * self.period_seconds
        return numpy.asarray(periods + numpy.interp(times - periods, self._moments, self._points))


def cycle_of(by_hour: Sequence[float] | None, by_weekday: Sequence[float] | None) -> Cycle | None:
    """Returns the cycle of weights by hour and by weekday; None where neither is given.

    Args:
        by_hour: 24 weights, from midnight; time 0 of the workload is midnight.
        by_weekday: 7 weights, from Monday; time 0 is a Monday.

    Raises:
        InputError: Their number is wrong, or they are not weights.
    """
    for name, given, count in (("by_hour", by_hour, 24), ("by_weekday", by_weekday, 7)):
        if given is not None and (isinstance(given, str) or numpy.shape(given) != (count,)):
            raise InputError(f"{name}: must be {count} numbers, not {given!r}")
    if by_hour is None and by_weekday is None:
        return None
    hours = Cycle([1.0] * 24 if by_hour is None else by_hour, DAY, "by_hour")
    if by_weekday is None:
        return hours
    days = Cycle(by_weekday, WEEK, "by_weekday")
    return Cycle(numpy.outer(days.weights, hours.weights).ravel(), WEEK)
