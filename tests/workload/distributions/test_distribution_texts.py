"""Distributions as texts: what is wrong with one is said with its name and field."""

from __future__ import annotations

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

from schedlab.errors import InputError
from schedlab.workload.distributions import DISTRIBUTIONS, distribution

WRONG = {
    "gama(1)": 'unknown distribution "gama"; did you mean "gamma"?',
    "gamma(": "the closing bracket is missing",
    "gamma(shape=x)": "shape must be a number, not x",
    "gamma()": "shape missing; gamma takes shape, scale",
    "gamma(1e-9)": "shape: must be from 0.001",
    "gamma(-1)": "shape: must be above 0",
    "gamma(1, 0)": "scale: must be above 0",
    "uniform(3, 1)": "low: must be below high",
    "uniform(1)": "high is missing",
    "loguniform(0, 1)": "low: must be above 0",
    "triangular(0, 9, 5)": "mode: must lie between",
    "choice()": "values missing",
    "choice(1:a)": "must be value:weight",
    "choice(1:-1)": "weight of 1: must not be below 0",
    "choice(1:0)": "at least one with a weight above 0",
    "choice(1, 2, min=5)": "no value of the distribution lies within",
    "empirical(1:2)": "must be numbers",
    "empirical()": "give values or a file",
    "empirical(1, smooth=True)": "at least two",
    "empirical(1, 2, smooth=maybe)": "smooth must be True or False",
    "empirical(file=/no/such/file)": "no such file",
    "exponential(mean=0)": "mean: must be above 0",
    "exponential(mean=inf)": "mean: must be a number",
    "exponential(1, 2)": "2 values without a name",
    "exponential(mean=1, 3)": "3 needs a name",
    "exponential(mean=1, mean=2)": "mean is given twice",
    "exponential(mean=1, min=5, max=3)": "min: must not be above max",
    "exponential(mean=1, min=nan)": "min: must be a number",
    "exponential(mean=1e300)": "mean: must be between -1e+30 and 1e+30",
    "exponential(mean=1e-300)": "mean: must be at least 1e-30",
    "exponential(mean=1, round=-1)": "round: must not be below 0",
    "normal(1, 2, q=3)": "normal takes mean, deviation, min, max, scale, shift and round, not q",
    "lognormal(7, 1, min=1e12)": "not even 1e-09 of the distribution",
    "exp(bad(3))": 'unknown distribution "bad"',
    "exp(3, round=-1)": "round: must not be below 0",
    "zipf(1, 2.5)": "count: must be a whole number",
    "zipf(99, 5)": "exponent: must be from 0 to 50",
    "hypergamma(1, 1, 1, 1, 2)": "share: must be from 0 to 1",
    "hypergamma(1, 1, 1, 1, 0.5, scale=3)": "not scale",
    "hyperexponential(0:1)": "mean: must be above 0",
    "nan": "value: must be a number",
    "no.such.module:Class": "no module",
    "schedlab:Job(1)": "write arguments as name=value",
    "fractions:Fraction": "which is not a schedlab.Distribution",
    "": "unknown distribution",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_texts(text):
    with pytest.raises(InputError) as error:
        distribution(text)
    assert WRONG[text] in str(error.value)


@pytest.mark.parametrize("given_", [None, True, [1], object()])
def test_things_that_are_no_distribution(given_):
    with pytest.raises(InputError, match="a distribution is a text, a number or a Distribution"):
        distribution(given_)


@given(
    name=st.sampled_from(sorted(DISTRIBUTIONS)),
    inside=st.text("0123456789.-+e,:=()minaxshpcl'\" ", max_size=30),
)
@examples(400)
def test_any_text_gives_a_distribution_or_says_what_is_wrong(name, inside):
    text = f"{name}({inside})"
    try:
        answer = str(distribution(text))
    except InputError as error:
        answer = str(error)
    assert answer == text or name in answer


NUMBERS = st.sampled_from(
    [
        "0",
        "1",
        "-1",
        "0.5",
        "3",
        "20",
        "700",
        "1e-300",
        "1e-9",
        "1e15",
        "1e300",
        "nan",
        "inf",
        "-inf",
    ]
)
UNIFORMS = numpy.concatenate([[2.0**-54], numpy.linspace(0.01, 0.99, 9), [1 - 2.0**-53]])


@pytest.mark.filterwarnings("error")
@given(
    name=st.sampled_from(sorted(set(DISTRIBUTIONS) - {"exp"})),
    own=st.lists(NUMBERS, min_size=5, max_size=5),
    more=st.dictionaries(st.sampled_from(["min", "max", "scale", "shift", "round"]), NUMBERS),
)
@examples(400)
def test_any_numbers_give_values_or_are_refused(name, own, more):
    count = 2 if name in ("choice", "hyperexponential") else len(DISTRIBUTIONS[name].parameters)
    arguments = own[:count] + [f"{key}={value}" for key, value in more.items()]
    try:
        made = distribution(f"{name}({', '.join(arguments)})")
    except InputError:
        return
    values = made.sample(UNIFORMS)
    assert not numpy.isnan(values).any()
    assert (numpy.diff(made.cdf(numpy.sort(values))) >= -1e-9).all()
    assert values.min() >= float(more.get("min", "-inf"))
    assert values.max() <= float(more.get("max", "inf"))
