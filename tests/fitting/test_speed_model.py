"""The vectorised model is the oracle's, and its derivatives are right."""

from __future__ import annotations

import numpy
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import contention
from oracles.platform_cases import constants as some_constants

from schedlab.fitting.speed_model import NAMES, Rates, derivatives, speeds, valid

CORES = 8
tasks = st.tuples(st.floats(0, 60_000), st.floats(0, 300_000), st.integers(0, CORES - 1))


def as_rates(rows) -> Rates:
    own, others, n = numpy.array(rows, float).T
    return Rates(own, own + others, n)


def test_names_are_those_of_the_oracle():
    assert contention.Constants._fields == NAMES


@examples(80)
@given(some_constants(CORES), st.lists(tasks, min_size=1, max_size=20))
def test_speeds_are_the_oracle_s(constants, rows):
    rates = as_rates(rows)
    found, _ = speeds(numpy.array(constants), rates)
    right = [
        contention.speed(contention.Constants(*constants), own, total, int(n))
        for own, total, n in zip(*rates, strict=True)
    ]
    assert found == pytest.approx(right, abs=1e-12)
    many, _ = speeds(numpy.array([constants, constants]), rates)
    assert (many == found).all()
    assert valid(numpy.array(constants), CORES - 1)


@examples(80)
@given(some_constants(CORES), st.lists(tasks, min_size=1, max_size=20))
def test_derivatives_are_those_of_the_speeds(constants, rows):
    rates = as_rates(rows)
    here = numpy.array(constants)
    slopes = derivatives(here, rates)
    _, place = speeds(here, rates)
    for index in range(len(NAMES)):
        step = 1e-6 * max(abs(here[index]), 1e-9 if index == 0 else 1e-3)
        up, down = here.copy(), here.copy()
        up[index] += step
        down[index] -= step
        (above, place_above), (below, place_below) = speeds(up, rates), speeds(down, rates)
        smooth = (place == place_above) & (place == place_below)  # not across an edge
        # In what a step of the constant itself does to a speed, which is at most about 1.
        scale = step / 1e-6
        numeric = (above - below) / (2 * step) * scale
        assert numeric[smooth] == pytest.approx(slopes[smooth, index] * scale, abs=1e-4, rel=1e-3)
