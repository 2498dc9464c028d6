"""Power by active cores: the line, its errors, and what was not measured."""

from __future__ import annotations

import numpy
import pytest
from oracles.contention import I5_7500_POWER
from oracles.measurements import power_rows

from schedlab.errors import InputError
from schedlab.fitting import fit_power
from schedlab.fitting.measured import Powers
from schedlab.fitting.uncertainty import student_95


def measured(rows) -> Powers:
    clock, active, power = numpy.array(rows, float).T
    return Powers("power.csv", active, power, clock)


def test_the_paper_s_table_comes_back():
    fits = fit_power(measured(power_rows(I5_7500_POWER)))
    assert [fit.clock for fit in fits] == [3.4, 2.5, 1.7]
    for fit in fits:
        core, shared = I5_7500_POWER[fit.clock]
        assert (fit.core, fit.shared) == pytest.approx((core, shared))
        assert fit.idle == pytest.approx(0.05 * shared)
        assert fit.idle_measured
        assert fit.r_squared == pytest.approx(1)
        assert fit.power(numpy.array([0.0, 4.0])) == pytest.approx(
            [0.05 * shared, 4 * core + shared]
        )


def test_intervals_hold_with_noise():
    inside = total = 0
    for seed in range(40):
        for fit in fit_power(measured(power_rows(I5_7500_POWER, noise=0.02, seed=seed))):
            core, shared = I5_7500_POWER[fit.clock]
            inside += abs(fit.core - core) <= fit.core_half_width
            inside += abs(fit.shared - shared) <= fit.shared_half_width
            total += 2
    assert 0.9 < inside / total <= 1


def test_without_clocks_there_is_one_line():
    rows = [(float("nan"), n, 10.0 + 2 * n) for n in (1, 2)]
    (fit,) = fit_power(measured(rows))
    assert fit.clock is None
    assert (fit.core, fit.shared) == pytest.approx((2, 10))
    assert (fit.core_half_width, fit.shared_half_width) == (None, None)
    assert fit.idle == pytest.approx(0.5)
    assert not fit.idle_measured


def test_one_number_of_cores_is_no_line():
    with pytest.raises(InputError, match=r"power.csv: power at 2.5 GHz was measured with 1 number"):
        fit_power(measured([(2.5, 4, 17.0), (2.5, 0, 0.2)]))


@pytest.mark.parametrize(
    ("freedom", "factor"), [(3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)]
)
def test_factors_of_student_s_t(freedom, factor):
    assert student_95(freedom) == pytest.approx(factor, rel=0.01)
