"""Distributions: their samples have the distribution functions and means that they state."""

from __future__ import annotations

import math

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.distances import critical, distance_to

from schedlab.workload.distributions import (
    Choice,
    Distribution,
    Empirical,
    Exponential,
    Gamma,
    Mixture,
    Normal,
    distribution,
    draw,
)
from schedlab.workload.random_numbers import generator

UNIFORMS = draw(generator(1, "test of distributions"), 60_000)

CONTINUOUS = {  # with the distribution function in the words of a textbook
    "uniform(1, 3)": lambda x: (x - 1) / 2,
    "uniform(min=1, max=3)": lambda x: (x - 1) / 2,
    "loguniform(1, 1000)": lambda x: math.log(x) / math.log(1000),
    "triangular(0, 10, 40)": lambda x: x * x / 400 if x < 10 else 1 - (40 - x) ** 2 / 1200,
    "triangular(0, 0, 40)": lambda x: 1 - (40 - x) ** 2 / 1600,
    "exponential(mean=120)": lambda x: 1 - math.exp(-x / 120),
    "exponential(mean=120, shift=60)": lambda x: 1 - math.exp(-(x - 60) / 120),
    "normal(mean=16, deviation=4)": lambda x: math.erfc((16 - x) / 4 / math.sqrt(2)) / 2,
    "lognormal(mean=7, deviation=1.2)": lambda x: (
        math.erfc((7 - math.log(x)) / 1.2 / math.sqrt(2)) / 2
    ),
    "gamma(shape=3, scale=2)": lambda x: 1 - math.exp(-x / 2) * (1 + x / 2 + x * x / 8),
    "weibull(shape=0.7, scale=3600)": lambda x: 1 - math.exp(-((x / 3600) ** 0.7)),
    "pareto(shape=2.5, scale=60)": lambda x: 1 - (60 / x) ** 2.5,
    "hyperexponential(10:0.3, 600:0.7)": lambda x: (
        0.3 * (1 - math.exp(-x / 10)) + 0.7 * (1 - math.exp(-x / 600))
    ),
    "hypergamma(1, 2, 2, 3, 0.4)": lambda x: (
        0.4 * (1 - math.exp(-x / 2)) + 0.6 * (1 - math.exp(-x / 3) * (1 + x / 3))
    ),
    "exp(exponential(mean=0.5))": lambda x: 1 - x**-2.0,
    "empirical(1, 2, 4, smooth=True)": lambda x: (x - 1) / 2 if x < 2 else 0.5 + (x - 2) / 4,
}

MEANS = {
    "uniform(1, 3)": 2,
    "loguniform(1, 1000)": 999 / math.log(1000),
    "triangular(0, 10, 40)": 50 / 3,
    "exponential(mean=120, shift=60)": 180,
    "normal(mean=16, deviation=4)": 16,
    "lognormal(mean=7, deviation=1.2)": math.exp(7.72),
    "gamma(shape=3, scale=2)": 6,
    "weibull(shape=0.7, scale=3600)": 3600 * math.gamma(1 + 1 / 0.7),
    "pareto(shape=2.5, scale=60)": 100,
    "pareto(shape=1)": None,
    "pareto(shape=0.5)": None,
    "hyperexponential(10:0.3, 600:0.7)": 423,
    "hypergamma(1, 2, 2, 3, 0.4)": 4.4,
    "exp(exponential(mean=0.5))": None,
    "empirical(1, 2, 4)": 7 / 3,
    "empirical(1, 2, 4, smooth=True)": 2.25,
    "choice(1:0.5, 2:0.2, 4:0.3)": 2.1,
    "choice(1:1, 2:1, 4:2, max=3)": 1.5,
    "zipf(1, 3)": 3 / (1 + 1 / 2 + 1 / 3),
    "constant(5, scale=2, shift=1)": 11,
    "60": 60,
}

LIMITED = (
    "exponential(mean=120, min=10, max=200)",
    "normal(mean=16, deviation=4, min=14)",
    "lognormal(mean=7.5, deviation=1.2, min=1, max=86400)",
    "gamma(shape=4.2, scale=0.94, min=3, max=5)",
    "weibull(shape=0.7, scale=3600, max=3600)",
    "pareto(shape=1, scale=60, max=1000)",
    "pareto(shape=0.5, scale=60, min=100, max=1000)",
    "triangular(0, 10, 60, min=5, max=20)",
    "uniform(1, 9, min=2, max=4)",
    "loguniform(1, 9, max=4, scale=2)",
    "hyperexponential(10:0.3, 600:0.7, max=500)",
    "hypergamma(4.2, 0.94, 312, 0.03, 0.7, max=10)",
)


@pytest.mark.parametrize("text", CONTINUOUS)
def test_samples_have_the_textbooks_distribution_function(text):
    made, cdf = distribution(text), numpy.vectorize(CONTINUOUS[text])
    sample = made.sample(UNIFORMS)
    assert distance_to(sample, cdf) < critical(len(UNIFORMS))
    assert made.cdf(sample) == pytest.approx(cdf(sample), abs=1e-9)


@pytest.mark.parametrize("text", MEANS)
def test_means(text):
    mean = distribution(text).mean
    assert mean == (None if MEANS[text] is None else pytest.approx(MEANS[text], rel=1e-9))


@pytest.mark.parametrize("text", LIMITED)
def test_limits_cut_off_without_heaps(text):
    made = distribution(text)
    name, _, rest = text.partition("(")
    own = [part for part in rest[:-1].split(", ") if part[:3] not in ("min", "max")]
    plain = distribution(f"{name}({', '.join(own)})")
    sample = made.sample(UNIFORMS)
    low, high = (sample.min(), sample.max())
    # What is drawn is the whole distribution, given that it lies within the limits.
    at, below = plain.cdf(numpy.array([high, low]))
    inside = lambda x: (plain.cdf(x) - below) / (at - below)  # noqa: E731
    assert distance_to(sample, inside) < critical(len(UNIFORMS)) + 2e-3
    assert distance_to(sample, made.cdf) < critical(len(UNIFORMS))
    deviation = sample.std() / math.sqrt(len(sample))
    assert made.mean == pytest.approx(sample.mean(), abs=5 * deviation)


def test_discrete_shares():
    sample = distribution("choice(1:0.5, 2:0.2, 4:0.3)").sample(UNIFORMS)
    shares = [float((sample == value).mean()) for value in (1, 2, 4)]
    assert shares == pytest.approx([0.5, 0.2, 0.3], abs=0.01)
    zipf = distribution("zipf(1.2, 40)").sample(UNIFORMS)
    assert set(zipf) == set(range(1, 41))
    assert (zipf == 2).mean() / (zipf == 1).mean() == pytest.approx(2**-1.2, rel=0.05)
    made = distribution("empirical(3, 5, 5, 9)")
    assert made.cdf(numpy.array([2, 3, 4, 5, 8, 9])).tolist() == [0, 0.25, 0.25, 0.75, 0.75, 1]


def test_rounding_and_limits_of_what_comes_out():
    made = distribution("normal(mean=16, deviation=8, min=1, max=20, round=4)")
    sample = made.sample(UNIFORMS)
    assert set(sample) == {1, 4, 8, 12, 16, 20}
    assert distribution("exponential(mean=2, scale=60, round=60)").sample(UNIFORMS).max() % 60 == 0


def test_python_classes():
    assert Exponential(120).mean == 120
    assert Gamma(2, scale=3).mean == 6
    assert Choice({1: 1, 3: 1}).mean == 2
    assert Empirical([1, 2, 6]).mean == 3
    both = Mixture([Normal(10, 1), Exponential(2)], [3, 1])
    assert both.mean == 8
    assert distance_to(both.sample(UNIFORMS), both.cdf) < critical(len(UNIFORMS))


def test_of_a_file(tmp_path):
    (tmp_path / "runs.txt").write_text("10 20\n30\n")
    assert distribution(f"empirical(file={tmp_path / 'runs.txt'})").mean == 20


class Twice(Distribution):
    """A user's own."""

    def __init__(self, of=1.0):
        self.of = of

    def sample(self, uniforms):
        return 2 * self.of * uniforms


def test_own_class():
    made = distribution(f"{__name__}:Twice(of=3)")
    assert isinstance(made, Distribution)
    assert str(made) == f"{__name__}:Twice(of=3)"
    assert made.mean is None
    assert made.sample(numpy.array([0.5])).tolist() == [3]
    assert distribution(made) is made


@given(
    kind=st.sampled_from(["normal", "lognormal", "gamma", "weibull", "pareto"]),
    one=st.floats(0.05, 20),
    two=st.floats(0.05, 20),
    ends=st.tuples(st.floats(0.01, 0.9), st.floats(0.01, 0.9)),
)
@examples(150)
def test_limits_hold_for_any_parameters(kind, one, two, ends):
    plain = distribution(f"{kind}({one!r}, {two!r})")
    low, high = (float(v) for v in plain.sample(numpy.sort(numpy.array(ends))))
    if not high > low or not math.isfinite(high):
        return
    inside = float(numpy.diff(plain.cdf(numpy.array([low, high])))[0])
    if inside < 1e-6:
        return
    made = distribution(f"{kind}({one!r}, {two!r}, min={low!r}, max={high!r})")
    sample = made.sample(UNIFORMS[:500])
    assert low <= sample.min()
    assert sample.max() <= high
    assert low <= made.mean * (1 + 1e-6)
    assert made.mean <= high * (1 + 1e-6)
    assert distance_to(sample, made.cdf) < critical(500) + 1e-6


def test_against_scipy():
    stats = pytest.importorskip("scipy.stats")
    values = numpy.array([0.1, 1.0, 3.0, 10.0])
    for text, other in (
        ("gamma(4.2, 0.94)", stats.gamma(4.2, scale=0.94)),
        ("weibull(0.7, 3)", stats.weibull_min(0.7, scale=3)),
        ("lognormal(1, 0.5)", stats.lognorm(0.5, scale=math.e)),
        ("pareto(1.5, 0.5)", stats.pareto(1.5, scale=0.5)),
    ):
        made = distribution(text)
        assert made.cdf(values) == pytest.approx(other.cdf(values), abs=1e-12)
        assert made.mean == pytest.approx(other.mean())
