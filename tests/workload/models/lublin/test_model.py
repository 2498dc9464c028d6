"""The model draws what its parameters say: moments and shares, computed here from the numbers."""

from __future__ import annotations

import math
from random import Random

import numpy
import polars
import pytest
from oracles import slot_walk
from workload.distances import critical, distance, distance_to

from schedlab.workload.models.lublin import ALL, BATCH_JOBS, INTERACTIVE, LublinFeitelson

JOBS = 200_000
TYPES = {"all": ALL, "batch": BATCH_JOBS, "interactive": INTERACTIVE}

# ULOW, UMED and UHI of m_lublin99.c, which are for 128 processors.
SIZES = {"all": (0.8, 4.5, 7), "batch": (1.2, 5, 7), "interactive": (1, 3, 5.5)}


@pytest.fixture(scope="module")
def drawn():
    """Returns jobs by type, for 128 processors."""
    return {
        name: polars.concat(LublinFeitelson(128, name).tables(JOBS, "moments")) for name in TYPES
    }


def integral(function, low, high, steps=20_000):
    """Simpson's rule."""
    x = numpy.linspace(low, high, 2 * steps + 1)
    weights = numpy.full(2 * steps + 1, 2.0)
    weights[1::2] = 4
    weights[[0, -1]] = 1
    return float((function(x) * weights).sum() * (high - low) / steps / 6)


def density(shape, scale):
    constant = math.lgamma(shape) + shape * math.log(scale)
    return lambda x: numpy.exp((shape - 1) * numpy.log(x) - x / scale - constant)


def moments(density_of_x, limit):
    """Returns mean and deviation of what lies below a limit."""
    inside, first, second = (
        integral(lambda x, p=power: x**p * density_of_x(x), 1e-9, limit) for power in (0, 1, 2)
    )
    mean = first / inside
    return mean, math.sqrt(second / inside - mean**2)


@pytest.mark.parametrize("name", TYPES)
def test_sizes_for_128_processors_are_the_programs(name):
    assert TYPES[name].sizes(128) == pytest.approx(SIZES[name])


@pytest.mark.parametrize("name", TYPES)
def test_shares_of_all_sizes(drawn, name):
    has, (low, medium, high) = TYPES[name], SIZES[name]

    def up_to(exponent):
        """Returns the share of exponents below one: uniform in two parts."""
        if exponent < medium:
            return has.size_low_share * max(exponent - low, 0) / (medium - low)
        part = min(exponent - medium, high - medium) / (high - medium)
        return has.size_low_share + (1 - has.size_low_share) * part

    others = 1 - has.serial_share - has.power_of_two_share
    expected = {1: has.serial_share}
    for size in range(2, 129):
        upper = 99 if size == 128 else math.log2(size + 0.5)
        lower = 0 if size == 2 else math.log2(size - 0.5)
        expected[size] = others * (up_to(upper) - up_to(lower))
        if size & (size - 1) == 0:
            exponent = size.bit_length() - 1
            rounded = up_to(exponent + 0.5) - up_to(exponent - 0.5 if exponent > 1 else 0)
            expected[size] += has.power_of_two_share * rounded
    assert sum(expected.values()) == pytest.approx(1)
    sizes = drawn[name]["allocated_processors"].to_numpy()
    counts = numpy.bincount(sizes.astype(int), minlength=129)
    for size, share in expected.items():
        tolerance = 4.5 * math.sqrt(share * (1 - share) / JOBS) + 1e-5
        assert counts[size] / JOBS == pytest.approx(share, abs=tolerance), size
    assert counts[129:].sum() == 0


@pytest.mark.parametrize("name", TYPES)
def test_run_times_of_serial_jobs(drawn, name):
    has = TYPES[name]
    p = min(max(has.run_share_slope + has.run_share_offset, 0), 1)
    one, two = density(has.run_shape_1, has.run_scale_1), density(has.run_shape_2, has.run_scale_2)
    mean, deviation = moments(lambda x: p * one(x) + (1 - p) * two(x), 12.0)
    # Without the limit, mean and variance of a mixture are in closed form. (The program's
    # comments give p^2 a1 b1^2 + (1-p)^2 a2 b2^2 for the variance, which is wrong: a mixture is
    # not a sum, and the distance of the two means counts.)
    a1, b1, a2, b2 = has.run_shape_1, has.run_scale_1, has.run_shape_2, has.run_scale_2
    free_mean, free_deviation = moments(lambda x: p * one(x) + (1 - p) * two(x), 60.0)
    closed = p * a1 * b1 + (1 - p) * a2 * b2
    second = p * a1 * (a1 + 1) * b1**2 + (1 - p) * a2 * (a2 + 1) * b2**2
    assert free_mean == pytest.approx(closed, rel=1e-6)
    assert free_deviation == pytest.approx(math.sqrt(second - closed**2), rel=1e-6)
    table = drawn[name].filter(polars.col("allocated_processors") == 1)
    # Half a second more stands for the fraction that was dropped.
    logs = numpy.log(table["run"].to_numpy() + 0.5)
    logs = logs[logs > 3]
    inside = integral(lambda x: p * one(x) + (1 - p) * two(x), 3.0, 12.0)
    above = integral(lambda x: x * (p * one(x) + (1 - p) * two(x)), 3.0, 12.0) / inside
    assert logs.mean() == pytest.approx(above, abs=5 * deviation / math.sqrt(len(logs)))
    assert logs.max() <= 12
    assert mean < free_mean


def test_run_times_grow_with_size(drawn):
    # The first gamma, of short jobs, has probability -0.0054 n + 0.78, and nothing above n = 144.
    table = drawn["all"]
    logs = [
        numpy.log(table.filter(polars.col("allocated_processors") == size)["run"] + 0.5).mean()
        for size in (1, 32, 128)
    ]
    for size, log in zip((1, 32, 128), logs, strict=True):
        p = -0.0054 * size + 0.78
        assert log == pytest.approx(p * 4.2 * 0.94 + (1 - p) * 312 * 0.03, abs=0.1)
    large = polars.concat(LublinFeitelson(256).tables(JOBS, 1)).filter(
        polars.col("allocated_processors") >= 145
    )
    assert numpy.log(large["run"]).mean() == pytest.approx(312 * 0.03, abs=0.02)


@pytest.mark.parametrize("name", TYPES)
def test_gaps(name):
    has = TYPES[name]
    block = next(LublinFeitelson(128, name).streams[0].blocks(1))
    shape = has.gap_shape * has.gap_shape_ratio
    gamma = density(shape, has.gap_scale)
    mean, deviation = moments(gamma, 13.0)
    logs = numpy.log(block.gaps)
    assert logs.mean() == pytest.approx(mean, abs=5 * deviation / math.sqrt(len(logs)))
    assert logs.std() == pytest.approx(deviation, rel=0.05)
    whole = integral(gamma, 1e-9, 13.0)
    places = numpy.linspace(0.5, 13, 60)
    shares = numpy.array([integral(gamma, 1e-9, place, 2000) / whole for place in places])
    seen = numpy.searchsorted(numpy.sort(logs), places) / len(logs)
    assert numpy.abs(shares - seen).max() < critical(len(logs))


def test_shares_of_hours(drawn):
    # Half hour i of the day, from 1, has cdf(i + 1/2) - cdf(i - 1/2) of gamma(8.1737, 3.9631),
    # where the half hours 1 to 10 are 49 to 58.
    gamma = density(8.1737, 3.9631)
    shares = numpy.array(
        [integral(gamma, i - 0.5, i + 0.5, 50) for i in (*range(49, 59), *range(11, 49))]
    )
    hours = drawn["all"]["submit"].to_numpy() % 86_400 // 1800
    seen = numpy.bincount(hours.astype(int), minlength=48) / JOBS
    assert seen == pytest.approx(shares / shares.sum(), abs=0.004)
    assert 26 <= numpy.argmax(seen) <= 29  # 13:00 to 15:00


@pytest.mark.parametrize("name", ["all", "batch"])
def test_equal_in_distribution_to_one_job_at_a_time(name):
    has, random = TYPES[name], Random(5)
    table = polars.concat(LublinFeitelson(256, name).tables(60_000, "naive"))
    low, medium, high = has.sizes(256)
    sizes, runs, gaps = [], [], []
    for _ in range(15_000):
        sizes.append(
            slot_walk.size(
                random,
                has.serial_share,
                has.power_of_two_share,
                low,
                medium,
                high,
                has.size_low_share,
            )
        )
        runs.append(
            slot_walk.run_time(
                random, sizes[-1], has.run_shape_1, has.run_scale_1, has.run_shape_2,
                has.run_scale_2, has.run_share_slope, has.run_share_offset,
            )
        )  # fmt: skip
        gaps.append(slot_walk.gap(random, has.gap_shape * has.gap_shape_ratio, has.gap_scale))
    limit = critical(15_000, 60_000)
    assert distance(table["allocated_processors"], numpy.array(sizes)) < limit
    assert distance(table["run"], numpy.array(runs)) < limit
    drawn = next(LublinFeitelson(256, name).streams[0].blocks("naive")).gaps
    assert distance(drawn, numpy.array(gaps)) < critical(15_000, len(drawn))


def test_both_types_are_merged_in_order():
    table = polars.concat(LublinFeitelson(128, "both").tables(JOBS, 3))
    assert table["submit"].is_sorted()
    assert table["job"].to_list() == list(range(1, JOBS + 1))
    for queue, name in ((0, "interactive"), (1, "batch")):
        part = table.filter(polars.col("queue") == queue)
        alone = polars.concat(LublinFeitelson(128, name).tables(part.height, 3))
        columns = ["submit", "run", "allocated_processors", "queue"]
        assert part.select(columns).equals(alone.select(columns))


def test_machines_of_any_size():
    for processors in (1, 2, 3, 5, 8, 45, 240, 100_000):
        for name in ("all", "batch", "interactive"):
            table = next(LublinFeitelson(processors, name).tables(5000, 1))
            sizes = table["allocated_processors"]
            assert 1 <= sizes.min() <= sizes.max() <= processors
            if processors > 2:
                assert sizes.max() > 1
    # UMED of a machine of 8: what the program's comments propose.
    assert ALL.sizes(8) == (0.8, 1.5, 3)
    # Powers of two stay such on a machine that is none.
    sizes = next(LublinFeitelson(240, power_of_two_share=0.756).tables(20_000, 1))
    assert set(sizes["allocated_processors"]) <= {1, 2, 4, 8, 16, 32, 64, 128}


def test_hours_against_the_cycle():
    table = polars.concat(LublinFeitelson(128).tables(JOBS, 8))
    cycle = LublinFeitelson(128).streams[0].cycle
    # Undoing the cycle leaves arrivals that know no hours.
    points = cycle.points(table["submit"].to_numpy()) % 86_400
    assert distance_to(points, lambda x: x / 86_400) < 0.02
