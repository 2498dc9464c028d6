"""Empirical distributions: figure 3 of the paper, and the naive version of everything."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.models.scsf import naive

from schedlab.errors import InputError
from schedlab.workload.models.scsf import EmpiricalDistribution

SIZES = st.sampled_from([1.0, 60.0, 8.0, 0.001, 2.5])
VALUES = st.lists(st.floats(0, 1e5).map(lambda v: round(v, 3)), min_size=1, max_size=60)


def test_figure_3():
    """Bins up to 10, 20 and 30 with 30, 50 and 20 % of the values; 0.91 maps to 25."""
    values = [5] * 3 + [12, 14, 16, 18, 20] + [21, 30]
    made = EmpiricalDistribution.of(values, 10)
    table = made.table()
    assert table["up_to"].to_list() == [10, 20, 30]
    assert table["share"].to_list() == [0.3, 0.5, 0.2]
    assert table["probability_from"].to_list() == [0, 0.3, 0.8]
    assert table["probability_to"].to_list() == [0.3, 0.8, 1.0]
    assert table["value"].to_list() == [5, 15, 25]
    assert made.sample(np.array([0.0, 0.29, 0.3, 0.79, 0.8, 0.91])).tolist() == [
        5,
        5,
        15,
        15,
        25,
        25,
    ]
    upper = EmpiricalDistribution.of(values, 10, "upper")
    assert upper.sample(np.array([0.91])).tolist() == [30]


def test_zero_is_a_bin_of_its_own():
    made = EmpiricalDistribution.of([0, 0, 0.5, 1], 1)
    assert made.values.tolist() == [0, 0.5]
    assert made.table()["above"].to_list() == [0, 0]


def test_edges_belong_to_the_bin_below_in_spite_of_rounding():
    made = EmpiricalDistribution.of([0.007, 0.3, 0.57], 0.001, "upper")
    assert made.bins.tolist() == [7, 300, 570]


@examples(150)
@given(VALUES, SIZES, st.sampled_from(["middle", "upper"]), st.lists(st.floats(0, 0.999999)))
def test_equals_the_naive_one(values, size, value, numbers):
    made = EmpiricalDistribution.of(values, size, value)
    slow = naive.NaiveDistribution(values, size, value)
    expected = [v for _, _, v in slow.ranges]
    assert made.values.tolist() == pytest.approx(expected)
    for number in numbers:
        ends = made.cumulative_counts / made.total
        if np.abs(ends - number).min() > 1e-12:  # at an edge, rounding may go either way
            assert made.sample(np.array([number]))[0] == pytest.approx(slow.sample(number))


@examples(100)
@given(VALUES, VALUES, SIZES)
def test_distance_equals_the_naive_one(ones, others, size):
    made = EmpiricalDistribution.of(ones, size)
    assert made.distance(np.array(others)) == pytest.approx(naive.distance(ones, others, size))


def test_what_it_produces_is_distributed_as_it_is():
    random = np.random.default_rng(3)
    made = EmpiricalDistribution.of(random.gamma(2, 500, 20_000), 60)
    assert made.distance(made.sample(random.random(100_000))) < 0.01
    assert made.mean == pytest.approx(1000, rel=0.02)
    assert made.quantile(0.5) == pytest.approx(839, abs=60)
    assert made.quantile(0) == 30
    assert made.quantile(1) == made.values[-1]


def test_up_to():
    made = EmpiricalDistribution.of([1, 5, 9], 1, "upper")
    assert made.up_to(5).values.tolist() == [1, 5]
    assert made.up_to(0.5) is None


@pytest.mark.parametrize("values", [[], [-1, 2], [float("nan")], [float("inf")]])
def test_wrong_values(values):
    with pytest.raises(InputError, match="needs values"):
        EmpiricalDistribution.of(values, 1)


@pytest.mark.parametrize(("size", "value"), [(0, "middle"), (-1, "upper"), (1, "lower")])
def test_wrong_bins(size, value):
    with pytest.raises(InputError):
        EmpiricalDistribution.of([1], size, value)
