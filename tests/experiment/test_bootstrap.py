"""The block bootstrap against a naive twin, and the sentences that are made of it."""

from __future__ import annotations

import math
import statistics

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from schedlab.durations import WEEK
from schedlab.experiment.bootstrap import (
    FEWEST_BLOCKS,
    BlockBootstrap,
    blocks_of,
)
from schedlab.experiment.differences import sentence


def naive(bootstrap, baseline, other):
    """Draws the rows of whole blocks, in plain Python, and returns every draw's two numbers."""
    rows = {block: [] for block in range(bootstrap.blocks)}
    for block, before, after in zip(bootstrap.block_of.tolist(), baseline, other, strict=True):
        if not (math.isnan(before) or math.isnan(after)):
            rows[block].append((before, after))
    differences, changes = [], []
    for matrix in bootstrap.times_drawn():
        for times in matrix.tolist():
            drawn = [row for block, n in enumerate(times) for row in rows[block] * n]
            if not drawn:
                continue
            before = math.fsum(row[0] for row in drawn) / len(drawn)
            after = math.fsum(row[1] for row in drawn) / len(drawn)
            differences.append(after - before)
            if before:
                changes.append(after / before - 1)
            else:
                changes.append(math.inf if after else 0.0)
    return differences, changes


def percentile(values, share):
    """The quantile by linear interpolation between the two nearest values."""
    values = sorted(values)
    place = share * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


VALUES = st.one_of(st.just(math.nan), st.integers(0, 50).map(float))
JOBS = st.lists(st.tuples(st.integers(0, 60 * 86_400), VALUES, VALUES), min_size=1, max_size=60)


@given(JOBS, st.integers(0, 5))
@examples(60)
def test_estimates_equal_those_of_a_naive_bootstrap(jobs, seed):
    submit, baseline, other = (numpy.array(column, float) for column in zip(*jobs, strict=True))
    bootstrap = BlockBootstrap(submit, draws=40, seed=seed)
    found = bootstrap.estimate(baseline, other)
    ran = [(b, o) for b, o in zip(baseline, other, strict=True) if not math.isnan(b + o)]
    assert found.jobs == len(ran)
    if not ran:
        assert found[1:] == (None,) * 8
        return
    before, after = (statistics.fmean(column) for column in zip(*ran, strict=True))
    assert found.baseline_mean == pytest.approx(before)
    assert found.mean == pytest.approx(after)
    assert found.difference == pytest.approx(after - before)
    assert (found.change is None) == (before == 0)
    differences, changes = naive(bootstrap, baseline, other)
    used = {
        block for block, b, o in zip(bootstrap.block_of, baseline, other, strict=True) if b + o >= 0
    }
    if len(used) < 2:
        assert found.difference_low is found.difference_high is found.change_low is None
        return
    assert found.difference_low == pytest.approx(percentile(differences, 0.025), abs=1e-9)
    assert found.difference_high == pytest.approx(percentile(differences, 0.975), abs=1e-9)
    if before:
        ends = [percentile(changes, share) for share in (0.025, 0.975)]
        if not all(map(math.isfinite, ends)):
            ends = [None, None]
        assert found.change_low == pytest.approx(ends[0], abs=1e-9)
        assert found.change_high == pytest.approx(ends[1], abs=1e-9)


@pytest.mark.parametrize(
    ("elsewhere", "text"),
    [
        (1.0, "no clear difference between easy and fifo on mean wait: -24 s [-74, 1]"),
        (0.0, "no clear difference between easy and fifo on mean wait: -50 % [-50, 0]"),
    ],
)
def test_draws_in_which_nobody_waits_under_the_baseline_count(elsewhere, text):
    # All waiting is in one of 20 weeks, and a third of the draws is without it.
    baseline, other = numpy.zeros(20), numpy.full(20, elsewhere)
    baseline[0], other[0] = 1000, 500
    found = BlockBootstrap(numpy.arange(20.0) * WEEK).estimate(baseline, other)
    assert sentence(row(**found._asdict()), LABELS) == text


@given(st.lists(st.floats(0, 1e9), max_size=80))
def test_blocks_are_consecutive_and_none_is_empty(submit):
    block_of, length = blocks_of(numpy.array(submit))
    assert length <= WEEK
    assert sorted(set(block_of.tolist())) == list(range(len(set(block_of.tolist()))))
    for one, two in zip(sorted(submit), sorted(submit)[1:], strict=False):
        assert block_of[submit.index(one)] <= block_of[submit.index(two)]
    many = len(set(block_of.tolist()))
    assert many >= FEWEST_BLOCKS or length <= 1 or not submit
    first = min(submit, default=0)
    for time, block in zip(submit, block_of.tolist(), strict=True):
        same = [other for other, its in zip(submit, block_of.tolist(), strict=True) if its == block]
        assert all((other - first) // length == (time - first) // length for other in same)


def test_a_week_where_there_are_enough_of_them():
    block_of, length = blocks_of(numpy.arange(0, 30 * WEEK, 3600.0))
    assert length == WEEK
    assert block_of.max() == 29
    _, half = blocks_of(numpy.arange(0, 15 * WEEK, 3600.0))
    assert half == WEEK / 2


def test_the_interval_covers_the_truth_where_jobs_hang_together():
    """Blocks of jobs that share their wait: single jobs give an interval that is too narrow."""
    generator = numpy.random.default_rng(1)
    covered = {"block": 0, "single": 0}
    for _ in range(100):
        submit = numpy.repeat(numpy.arange(40.0) * WEEK, 50)
        shared = numpy.repeat(generator.normal(100, 40, 40), 50)
        baseline = shared + generator.normal(0, 5, 2000)
        other = baseline + numpy.repeat(generator.normal(10, 30, 40), 50)
        for name, times in (("block", submit), ("single", numpy.arange(2000.0))):
            length = WEEK if name == "block" else 1.0
            found = BlockBootstrap(times, length, draws=300).estimate(baseline, other)
            covered[name] += found.difference_low <= 10 <= found.difference_high
    assert covered["block"] >= 88
    assert covered["single"] <= 50


def test_draws_in_parts_are_as_many(monkeypatch):
    submit = numpy.arange(100.0) * WEEK
    monkeypatch.setattr("schedlab.experiment.bootstrap.CELLS_AT_A_TIME", 1000)
    matrices = BlockBootstrap(submit, draws=25).times_drawn()
    assert [len(matrix) for matrix in matrices] == [10, 10, 5]
    assert all((matrix.sum(axis=1) == 100).all() for matrix in matrices)


LABELS = {"fifo+first-fit": "fifo", "easy+first-fit": "easy"}


def row(**given):
    numbers = dict.fromkeys(
        ("difference", "difference_low", "difference_high", "change", "change_low", "change_high")
    )
    return {
        **{"baseline": "fifo+first-fit", "dispatcher": "easy+first-fit", "column": "wait"},
        **{"jobs": 100, **numbers, **given},
    }


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"change": -0.412, "change_low": -0.441, "change_high": -0.378},
            "easy beats fifo on mean wait by 41 % [38, 44]",
        ),
        (
            {"change": 3.1, "change_low": 2.04, "change_high": 4.26, "column": "bounded_slowdown"},
            "easy loses to fifo on mean bounded slowdown by 310 % [204, 426]",
        ),
        (
            {"change": -0.004, "change_low": -0.006, "change_high": -0.002},
            "easy beats fifo on mean wait by 0.4 % [0.2, 0.6]",
        ),
        (
            {"change": -4e-6, "change_low": -6e-6, "change_high": -2e-6},
            "easy beats fifo on mean wait by 0.0004 % [0.0002, 0.0006]",
        ),
        (
            {"change": -0.03, "change_low": -0.08, "change_high": 0.02},
            "no clear difference between easy and fifo on mean wait: -3.0 % [-8.0, 2.0]",
        ),
        (
            {"change": 0.0, "change_low": 0.0, "change_high": 0.0},
            "easy and fifo have the same mean wait",
        ),
        (
            {"difference": 12.5, "difference_low": 11.0, "difference_high": 14.0},
            "easy loses to fifo on mean wait by 12 s [11, 14] (that of fifo is 0)",
        ),
        (
            {"difference": 0.0, "difference_low": 0.0, "difference_high": 0.0},
            "easy and fifo have the same mean wait",
        ),
        ({"change": -0.5, "jobs": 1}, "easy beats fifo on mean wait by 50 % (one job)"),
        (
            {"change": -0.5, "jobs": 2},
            "easy beats fifo on mean wait by 50 % (too few jobs for an interval)",
        ),
        ({"jobs": 0}, "no job ran under both easy and fifo"),
    ],
)
def test_sentences(given, text):
    assert sentence(row(**given), LABELS) == text
