"""Statistics of workloads, against what is obviously right."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from schedlab.workload.statistics import (
    MOST_PERIODS,
    SESSION_GAP_SECONDS,
    autocorrelation,
    ks_distance,
    largest_deviation,
    rank_correlation,
    series_facts,
    shares,
    spread,
    sums_per_period,
    user_activity,
)

FEW = st.lists(st.integers(-3, 6), min_size=1, max_size=30)
ANY = st.lists(st.floats(-1e6, 1e6) | st.integers(0, 3).map(float), min_size=1, max_size=40)


def naive_ks(first: list[float], second: list[float]) -> Fraction:
    """The largest gap between the shares of values up to x, over all x that occur."""
    return max(
        abs(
            Fraction(sum(v <= x for v in first), len(first))
            - Fraction(sum(v <= x for v in second), len(second))
        )
        for x in [*first, *second]
    )


@examples(200)
@given(FEW | ANY, FEW | ANY)
def test_ks_distance_is_exact(first: list[float], second: list[float]) -> None:
    assert ks_distance(first, second) == float(naive_ks(first, second))
    assert ks_distance(second, first) == ks_distance(first, second)
    assert ks_distance(first, first) == 0


@examples(100)
@given(FEW, FEW, st.sampled_from([1, 2, 2.5, 7]), st.sampled_from(["right", "left"]))
def test_ks_distance_of_bins(
    first: list[int], second: list[int], width: float, closed: str
) -> None:
    rounded = math.ceil if closed == "right" else math.floor
    a, b = ([rounded(value / width) for value in side] for side in (first, second))
    distance = ks_distance(first, second, bin=width, closed=closed)  # type: ignore[arg-type]
    assert distance == float(naive_ks(a, b))
    assert distance <= ks_distance(first, second)


@examples(100)
@given(FEW, FEW, st.sets(st.integers(-4, 7), min_size=2).map(sorted))
def test_ks_distance_of_edges(first: list[int], second: list[int], edges: list[int]) -> None:
    def place(value: int) -> int:
        return min(max(sum(edge < value for edge in edges), 1), len(edges) - 1)

    a, b = ([place(value) for value in side] for side in (first, second))
    assert ks_distance(first, second, bin=edges) == float(naive_ks(a, b))


def test_values_rounded_up_to_edges_stay_in_their_bins() -> None:
    values = numpy.array([1, 59, 60, 61, 3600])
    upper, middle = numpy.ceil(values / 60) * 60, numpy.ceil(values / 60) * 60 - 30
    assert ks_distance(values, upper) > 0
    assert ks_distance(values, upper, bin=60) == ks_distance(values, middle, bin=60) == 0
    assert ks_distance(values, upper, bin=60, closed="left") > 0


def test_ks_distance_of_nothing_is_no_number() -> None:
    assert math.isnan(ks_distance([], [1.0]))


def test_ks_distance_is_the_largest_gap_between_the_shares_up_to_any_value() -> None:
    random = numpy.random.default_rng(3)
    for size in (1, 10, 1000):
        a, b = random.integers(0, 50, size), random.integers(0, 60, 2 * size)
        gaps = [abs((a <= value).mean() - (b <= value).mean()) for value in range(60)]
        assert ks_distance(a, b) == pytest.approx(max(gaps), abs=1e-12)


def naive_autocorrelation(values: list[float], lags: int) -> list[float]:
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values)
    pairs = lambda lag: zip(values, values[lag:], strict=False)  # noqa: E731
    return [sum((a - mean) * (b - mean) for a, b in pairs(lag)) / variance for lag in range(lags)]


@examples(100)
@given(st.lists(st.integers(0, 100), min_size=2, max_size=60), st.integers(1, 70))
def test_autocorrelation(values: list[float], lags: int) -> None:
    found = autocorrelation(values, lags)
    if len(set(values)) == 1:
        assert len(found) == 0
        return
    count = min(lags + 1, len(values))
    assert found == pytest.approx(naive_autocorrelation(values, count), abs=1e-9)


def test_autocorrelation_of_a_cycle_peaks_at_its_length() -> None:
    hours = numpy.arange(24 * 60)
    found = autocorrelation(10 + numpy.sin(2 * numpy.pi * hours / 24), 40)
    assert 12 + int(numpy.argmax(found[12:])) == 24
    assert len(autocorrelation([0.1] * 1000, 5)) == len(autocorrelation([1.0], 5)) == 0


def naive_ranks(values: list[float]) -> list[float]:
    ordered = sorted(values)
    last = lambda value: len(ordered) - 1 - ordered[::-1].index(value)  # noqa: E731
    return [(ordered.index(value) + last(value)) / 2 for value in values]


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_rank_correlation(pairs: list[tuple[int, int]]) -> None:
    a, b = [float(pair[0]) for pair in pairs], [float(pair[1]) for pair in pairs]
    found = rank_correlation(a, b)
    if len(set(a)) < 2 or len(set(b)) < 2:
        assert found is None
    else:
        known = numpy.corrcoef(naive_ranks(a), naive_ranks(b))[0, 1]
        assert found == pytest.approx(known, abs=1e-9)


@examples(100)
@given(st.lists(st.tuples(st.floats(-1e4, 1e4), st.integers(0, 9)), min_size=1, max_size=30))
def test_sums_per_period(jobs: list[tuple[float, int]]) -> None:
    times, work = [job[0] for job in jobs], [job[1] for job in jobs]
    sums = sums_per_period(times, work, 3600, whole=False)
    assert sums.sum() == sum(work)
    for period, amount in enumerate(sums):
        assert amount == sum(w for t, w in jobs if math.floor((t - min(times)) / 3600) == period)
    whole = sums_per_period(times, work, 3600)
    assert list(whole) == list(sums if len(sums) == 1 else sums[:-1])
    assert sums_per_period(times, None, 3600, whole=False).sum() == len(times)


def test_one_absurd_time_makes_no_array_of_billions() -> None:
    assert len(sums_per_period([0, 1e17], None, 3600)) == 0
    assert len(sums_per_period([0, MOST_PERIODS - 0.5], None, 1)) == MOST_PERIODS - 1
    assert len(sums_per_period([], None, 3600)) == 0


def test_shares_and_their_deviation() -> None:
    assert list(shares([1, 3])) == [0.25, 0.75]
    assert list(shares([0, 0])) == [0, 0]
    assert largest_deviation([1, 3, 0], [2, 1, 1]) == pytest.approx(0.5)


def test_spread() -> None:
    facts = spread(range(101))
    assert facts["count"] == 101
    assert (facts["min"], facts["p10"], facts["median"], facts["p90"]) == (0, 10, 50, 90)
    assert facts["mean"] == 50
    assert spread([])["mean"] is None


def test_series_facts() -> None:
    series = [1.0, 1, 1, 1, 3, 3, 3, 3] * 10
    facts = series_facts(series, (1, 8, 1000))
    assert (facts["periods"], facts["mean"], facts["deviation"]) == (80, 2, 1)
    assert facts["variation"] == 0.5
    assert facts["autocorrelation"]["8"] == pytest.approx(0.9)
    assert facts["autocorrelation"]["1000"] is None
    assert facts["correlation_lag"] == 2
    assert series_facts([])["mean"] is None
    assert series_facts(range(7), (1,))["autocorrelation"]["1"] is None
    assert series_facts(range(8), (1,))["autocorrelation"]["1"] == pytest.approx(0.625)


def naive_activity(jobs: list[tuple[int, float, int]]) -> tuple[list[int], int, Fraction | None]:
    counts: dict[int, int] = {}
    latest: dict[int, tuple[float, int]] = {}
    sessions = repeated = pairs = 0
    for user, submit, kind in jobs:
        counts[user] = counts.get(user, 0) + 1
        if user in latest:
            pairs += 1
            repeated += latest[user][1] == kind
        sessions += user not in latest or submit - latest[user][0] > SESSION_GAP_SECONDS
        latest[user] = (submit, kind)
    ranks = sorted(counts.values(), reverse=True)
    return ranks, sessions, Fraction(repeated, pairs) if pairs else None


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9000), st.integers(0, 2)), max_size=40))
def test_user_activity(jobs: list[tuple[int, float, int]]) -> None:
    jobs = sorted(jobs, key=lambda job: job[1])
    ranks, sessions, repeated = naive_activity(jobs)
    users, submit, kind = zip(*jobs, strict=True) if jobs else ((), (), ())
    found = user_activity(users, submit, kind)
    assert found["jobs_by_rank"] == ranks
    assert found["sessions"]["count"] == found["sessions"]["jobs"]["count"] == sessions
    assert found["repeated_share"] == (None if repeated is None else float(repeated))
    assert found["top_shares"]["1"] == (ranks[0] / len(jobs) if jobs else None)
    assert found["top_shares"]["10"] == (1.0 if jobs else None)
