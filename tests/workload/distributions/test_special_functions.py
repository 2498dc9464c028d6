"""The normal and the gamma distribution against closed forms and Python's own."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from schedlab.workload.distributions.special_functions import (
    SMALLEST_SHARE,
    gamma_quantile,
    incomplete_gamma,
    normal_cdf,
    normal_quantile,
)

SHARES = numpy.unique(
    numpy.concatenate(
        [
            2.0 ** -numpy.arange(54, 1, -1),
            numpy.linspace(0.001, 0.999, 999),
            1 - 2.0 ** -numpy.arange(2, 54),
        ]
    )
)


def test_normal_quantile_is_that_of_the_standard_library():
    normal = NormalDist()
    expected = [normal.inv_cdf(float(share)) for share in SHARES]
    assert normal_quantile(SHARES) == pytest.approx(expected, rel=1e-13, abs=1e-14)


def test_normal_cdf_is_that_of_the_standard_library():
    values = numpy.linspace(-9, 9, 501)
    assert normal_cdf(values) == pytest.approx([NormalDist().cdf(value) for value in values])
    assert normal_cdf(numpy.array([-math.inf, math.inf])).tolist() == [0, 1]


@pytest.mark.parametrize("shape", [1, 2, 5, 30])
def test_incomplete_gamma_of_a_whole_shape(shape):
    # P(n, x) = 1 - e^-x (1 + x + ... + x^(n-1)/(n-1)!)
    values = numpy.linspace(0.01, 4 * shape + 10, 200)
    expected = [
        1 - sum(math.exp(k * math.log(x) - x - math.lgamma(k + 1)) for k in range(shape))
        for x in values
    ]
    assert incomplete_gamma(shape, values) == pytest.approx(expected, abs=1e-13)


def test_incomplete_gamma_of_a_half_is_the_error_function():
    values = numpy.linspace(0, 20, 300)
    expected = [math.erf(math.sqrt(value)) for value in values]
    assert incomplete_gamma(0.5, values) == pytest.approx(expected, abs=1e-14)


@given(
    shape=st.floats(1e-3, 1e4),
    values=st.lists(st.floats(0, 1e6), min_size=1, max_size=20),
)
@examples(100)
def test_incomplete_gamma_rises_from_0_to_1_and_keeps_its_recurrence(shape, values):
    values = numpy.sort(numpy.array([0.0, *values, math.inf]))
    shares = incomplete_gamma(shape, values)
    assert (shares[0], shares[-1]) == (0, 1)
    assert (numpy.diff(shares) >= -1e-11).all()
    # P(a + 1, x) = P(a, x) - x^a e^-x / Gamma(a + 1)
    inner = values[1:-1]
    inner = inner[inner > 0]
    step = numpy.exp(shape * numpy.log(inner) - inner - math.lgamma(shape + 1))
    expected = incomplete_gamma(shape, inner) - step
    assert incomplete_gamma(shape + 1, inner) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("shape", [1e-3, 0.05, 0.5, 1, 2.5, 4.2, 10.46, 312, 639.1, 1e4])
def test_gamma_quantile_is_the_inverse(shape):
    quantile = gamma_quantile(shape)
    shares = SHARES[(SHARES > 1e-6) & (SHARES < 1 - 1e-6)]
    values = quantile(shares)
    seen = values > 1e-290  # what is smaller cannot be determined from 0
    assert incomplete_gamma(shape, values[seen]) == pytest.approx(shares[seen], rel=1e-7, abs=1e-12)
    assert (numpy.diff(quantile(SHARES[(SHARES > 1e-12) & (SHARES < 1 - 1e-9)])) >= 0).all()
    ends = quantile(numpy.array([SMALLEST_SHARE, 1 - 2.0**-53]))
    assert numpy.isfinite(ends).all()


def test_gamma_quantile_of_shape_1_is_exponential():
    shares = numpy.linspace(0.001, 0.999, 777)
    assert gamma_quantile(1.0)(shares) == pytest.approx(-numpy.log1p(-shares), rel=1e-9)


def test_values_do_not_depend_on_their_neighbours():
    shares = numpy.random.default_rng(3).random(1000)
    whole = gamma_quantile(4.2)(shares)
    alone = [float(gamma_quantile(4.2)(shares[[place]])[0]) for place in range(0, 1000, 37)]
    assert alone == pytest.approx(whole[::37].tolist(), rel=1e-15)


def test_against_scipy():
    special = pytest.importorskip("scipy.special")
    shares = SHARES[(SHARES > 1e-6) & (SHARES < 1 - 1e-6)]
    for shape in (0.3, 4.2, 312.0):
        values = special.gammaincinv(shape, shares)
        assert gamma_quantile(shape)(shares) == pytest.approx(values, rel=1e-7)
