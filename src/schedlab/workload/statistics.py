"""Statistics of workloads: what is compared to say whether one is like another.

Plain functions of numpy arrays, none of which simulates. Values are seconds, cores or whatever the
caller has; arrays hold only values that are given, so no -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy

from schedlab.durations import HOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Numbers = NDArray[numpy.float64]

MOST_PERIODS = 2_000_000
"""Of which sums over time are made: 228 years of hours. A single absurd time in a log must not
make an array of billions."""

SESSION_GAP_SECONDS = float(HOUR)
"""A user who submits nothing for longer has ended a session."""


def ks_distance(
    first: ArrayLike,
    second: ArrayLike,
    bin: float | Sequence[float] | None = None,  # noqa: A002 - what everybody calls it
    closed: Literal["right", "left"] = "right",
) -> float:
    """Returns the two-sample Kolmogorov-Smirnov distance: the largest gap between two CDFs.

    It is exact, even where values are equal: gaps are taken after each distinct value, and counted
    in whole numbers.

    Args:
        first: Values, in any order.
        second: Others.
        bin: Puts both sides into bins before: their width, bins being multiples of it; or their
            edges, in ascending order, where what lies outside is in the bin beside it.
        closed: Which edge belongs to a bin. With "right", 60 is in the bin from 0 to 60, so that
            values which a model rounded up to its bins' upper edges stay in their bins.

    Returns:
        0 to 1; nan where a side is empty.
    """
    a, b = (_binned(numpy.asarray(side, numpy.float64), bin, closed) for side in (first, second))
    if not len(a) or not len(b):
        return float("nan")
    a, b = numpy.sort(a), numpy.sort(b)
    # The gap can only change at a value, so it is enough to look after those of either side.
    largest = 0
    for points in (a, b):
        below_a = numpy.searchsorted(a, points, side="right")
        below_b = numpy.searchsorted(b, points, side="right")
        largest = max(largest, int(numpy.abs(below_a * len(b) - below_b * len(a)).max()))
    return largest / (len(a) * len(b))


def _binned(
    values: Numbers, bins: float | Sequence[float] | None, closed: Literal["right", "left"]
) -> Numbers:
    if bins is None:
        return values
    if isinstance(bins, (int, float)):
        quotient = values / bins
        rounded: Numbers = numpy.ceil(quotient) if closed == "right" else numpy.floor(quotient)
        return rounded
    edges = numpy.asarray(bins, numpy.float64)
    places = numpy.searchsorted(edges, values, side="left" if closed == "right" else "right")
    return numpy.clip(places, 1, len(edges) - 1).astype(numpy.float64)


def spread(values: ArrayLike) -> dict[str, float | None]:
    """Returns how many values there are, mean, deviation, least, quantiles and most.

    Quantiles lie linearly between values; without values all but the count are None.
    """
    array = numpy.asarray(values, numpy.float64)
    names = ("min", "p10", "p25", "median", "p75", "p90", "p99", "max")
    if not len(array):
        return {"count": 0, "mean": None, "deviation": None, **dict.fromkeys(names)}
    quantiles = numpy.quantile(array, (0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1))
    mean, deviation = float(array.mean()), float(array.std())
    values_by_name = dict(zip(names, map(float, quantiles), strict=True))
    return {"count": len(array), "mean": mean, "deviation": deviation, **values_by_name}


def shares(counts: ArrayLike) -> Numbers:
    """Returns counts as parts of their sum; all 0 where there is nothing."""
    array = numpy.asarray(counts, numpy.float64)
    total = array.sum()
    return array / total if total else array


def largest_deviation(first: ArrayLike, second: ArrayLike) -> float:
    """Returns by how much two histograms' shares differ at most, as a share (0.02: 2 points)."""
    return float(numpy.abs(shares(first) - shares(second)).max())


def autocorrelation(values: ArrayLike, lags: int) -> Numbers:
    """Returns the correlation of a series with itself 0 to `lags` places later.

    The usual estimate: the mean and the variance are those of the whole series, so it is between
    -1 and 1 and shrinks where few pairs are left.

    Args:
        values: The series.
        lags: The last lag; at most one less than there are values.

    Returns:
        One number for each lag from 0 on; no number where the series is constant or too short.
    """
    array = numpy.asarray(values, numpy.float64)
    count = len(array)
    lags = min(lags, count - 1)
    if lags < 1:
        return numpy.zeros(0)
    centred = array - array.mean()
    variance = float(centred @ centred)
    # What is left of a constant by rounding is not a variance.
    if variance <= 1e-20 * count * max(1e-300, float(numpy.abs(array).max()) ** 2):
        return numpy.zeros(0)
    size = 1 << (2 * count - 1).bit_length()  # twice the length: the transform must not wrap round
    spectrum = numpy.fft.rfft(centred, size)
    products = numpy.fft.irfft(spectrum * spectrum.conj(), size)[: lags + 1]
    return products / variance


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float | None:
    """Returns Spearman's correlation of ranks; None for fewer than two pairs or a constant side.

    Ranks, because run times and sizes span decades: a few giants would decide alone.
    """
    a, b = _ranks(first), _ranks(second)
    if len(a) < 2:
        return None
    a, b = a - a.mean(), b - b.mean()
    scale = float(numpy.sqrt(float(a @ a) * float(b @ b)))
    return float(a @ b) / scale if scale else None


def _ranks(values: ArrayLike) -> Numbers:
    """Returns the place of each value; equal ones share the middle of theirs."""
    _, index, counts = numpy.unique(
        numpy.asarray(values, numpy.float64), return_inverse=True, return_counts=True
    )
    last = numpy.cumsum(counts)
    middles: Numbers = (last - (counts - 1) / 2.0)[index]
    return middles


def sums_per_period(
    times: ArrayLike, amounts: ArrayLike | None, period: float, whole: bool = True
) -> Numbers:
    """Returns what falls into each period of time, counted from the earliest of the times.

    Args:
        times: Of submission, in any order.
        amounts: What each one brings, such as core-seconds; None: 1 each.
        period: Length in seconds.
        whole: Leave out the last period, which is not over; but never the only one.

    Returns:
        A sum for each period; none where there are no times, or more periods than MOST_PERIODS.
    """
    array = numpy.asarray(times, numpy.float64)
    if not len(array):
        return numpy.zeros(0)
    places = numpy.floor((array - array.min()) / period)
    if not places.max() < MOST_PERIODS:
        return numpy.zeros(0)
    weights = None if amounts is None else numpy.asarray(amounts, numpy.float64)
    sums = numpy.bincount(places.astype(numpy.int64), weights).astype(numpy.float64)
    return sums[:-1] if whole and len(sums) > 1 else sums


def series_facts(values: ArrayLike, lags: Sequence[int] = ()) -> dict[str, Any]:
    """Returns mean, deviation, their ratio, some autocorrelations, and how long they last.

    Args:
        values: A series, such as the load of each day.
        lags: Whose autocorrelation is wanted; None for those that the series is too short for: of
            fewer than `4 * (lag + 1)` values it would say little.

    Returns:
        `correlation_lag` is the first lag at which the autocorrelation is below 1/e.
    """
    array = numpy.asarray(values, numpy.float64)
    mean = float(array.mean()) if len(array) else None
    deviation = float(array.std()) if len(array) else None
    correlations = autocorrelation(array, len(array) - 1)
    low = numpy.flatnonzero(correlations < numpy.exp(-1))
    return {
        "periods": len(array),
        "mean": mean,
        "deviation": deviation,
        "variation": deviation / mean if mean and deviation is not None else None,
        "max": float(array.max()) if len(array) else None,
        "autocorrelation": {
            str(lag): float(correlations[lag])
            if lag < len(correlations) and len(array) >= 4 * (lag + 1)
            else None
            for lag in lags
        },
        "correlation_lag": int(low[0]) if len(low) else None,
    }


def user_activity(users: ArrayLike, submit: ArrayLike, *kinds: ArrayLike) -> dict[str, Any]:
    """Returns who submitted how much, in which sessions, and how often the same again.

    Args:
        users: A number for each job, jobs in order of submission.
        submit: When each was submitted.
        kinds: What makes two jobs of a user the same, such as cores and requested time.

    Returns:
        `jobs_by_rank`, the most active user first; `top_shares` of 1, 5 and 10 users; `sessions`:
        how many, and `spread` of the jobs in one; `repeated_share`: of the jobs that have an
        earlier one of their user, the part that equals the latest of them.
    """
    names, times = numpy.asarray(users), numpy.asarray(submit, numpy.float64)
    jobs = len(names)
    by_rank = numpy.sort(numpy.unique(names, return_counts=True)[1])[::-1]
    reached = numpy.cumsum(by_rank)
    order = numpy.argsort(names, kind="stable")  # a user's jobs together, still by submission
    names, times = names[order], times[order]
    follows = names[1:] == names[:-1]
    same = follows.copy()
    for kind in kinds:
        column = numpy.asarray(kind)[order]
        same &= column[1:] == column[:-1]
    begins = numpy.flatnonzero(
        numpy.concatenate(
            ([True] * min(1, jobs), ~follows | (numpy.diff(times) > SESSION_GAP_SECONDS))
        )
    )
    pairs = int(numpy.count_nonzero(follows))
    return {
        "users": len(by_rank),
        "jobs_by_rank": [int(count) for count in by_rank],
        "top_shares": {
            str(top): float(reached[min(top, len(reached)) - 1]) / jobs if jobs else None
            for top in (1, 5, 10)
        },
        "sessions": {
            "count": len(begins),
            "jobs": spread(numpy.diff(numpy.append(begins, jobs))),
        },
        "repeated_share": int(numpy.count_nonzero(same)) / pairs if pairs else None,
    }
