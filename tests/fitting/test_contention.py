"""Constants come back out of what was measured with them, and only as exact as that was."""

from __future__ import annotations

import numpy
import pytest
from oracles.contention import I5_7500, Constants
from oracles.measurements import SpeedRow, speed_rows

from schedlab.errors import InputError
from schedlab.fitting import ContentionFit, fit_contention
from schedlab.fitting.measured import Speeds

PUBLIC = I5_7500._replace(k=0.6)


def measured(rows: list[SpeedRow]) -> Speeds:
    own, others, n, speed = numpy.array(rows, float).T
    places = tuple(f"speeds.csv:{i + 2}" for i in range(len(rows)))
    return Speeds("speeds.csv", places, own, own + others, n, speed)


def off(fit: ContentionFit, right: Constants) -> dict[str, float]:
    """Returns how far each constant is off, relative."""
    return {name: abs(fit.values[name] / getattr(right, name) - 1) for name in right._fields}


@pytest.mark.parametrize("right", [I5_7500, PUBLIC], ids=["k=1", "k=0.6"])
def test_without_noise_the_published_constants_come_back(right):
    fit = fit_contention(measured(speed_rows(right)))
    assert max(off(fit, right).values()) < 1e-3
    assert fit.undetermined == ()
    assert fit.rms < 1e-6
    assert sum(fit.places.values()) == 192
    assert min(fit.places.values()) > 20


def test_rounded_as_in_a_file_they_still_do():
    rows = [row._replace(speed=round(row.speed, 4)) for row in speed_rows(PUBLIC)]
    fit = fit_contention(measured(rows))
    assert max(off(fit, PUBLIC).values()) < 0.01


def test_another_processor_with_more_cores():
    right = Constants(b=-8e-6, c=70_000, da=2.5, db=1200, dc=30_000, dd=2000, k=0.4)
    fit = fit_contention(measured(speed_rows(right, among=(1, 3, 5, 7))))
    assert max(off(fit, right).values()) < 1e-3


def test_with_2_percent_noise_the_intervals_hold():
    fits = [fit_contention(measured(speed_rows(PUBLIC, noise=0.02, seed=s))) for s in range(5)]
    inside = {
        name: sum(
            abs(fit.values[name] - right) <= fit.constants[name].half_width  # type: ignore[operator]
            for fit in fits
        )
        for name, right in PUBLIC._asdict().items()
    }
    assert min(inside.values()) >= 4  # of 5, with 95 % each
    assert sum(inside.values()) >= 32  # of 35
    for fit in fits:
        assert off(fit, PUBLIC)["b"] < 0.05
        assert off(fit, PUBLIC)["c"] < 0.03
        assert off(fit, PUBLIC)["k"] < 0.03
        assert 0.015 < fit.rms < 0.025


def test_outliers_count_less():
    rows = speed_rows(PUBLIC, noise=0.01)
    for index in range(5, len(rows), 17):  # one in 17: a neighbour that was killed, say
        rows[index] = rows[index]._replace(speed=min(1.0, rows[index].speed * 1.6))
    fit = fit_contention(measured(rows))
    assert fit.outliers >= 8
    assert off(fit, PUBLIC)["b"] < 0.05
    assert off(fit, PUBLIC)["k"] < 0.05


def test_what_is_known_stays():
    fit = fit_contention(measured(speed_rows(PUBLIC)), {"k": 0.6, "c": 32000})
    assert fit.constants["k"].value == 0.6
    assert fit.constants["k"].fixed
    assert fit.constants["k"].half_width is None
    assert max(off(fit, PUBLIC).values()) < 1e-3


def test_without_rows_on_the_slope_b_and_c_are_not_determined():
    rows = [
        row
        for row in speed_rows(PUBLIC)
        if row.rate + row.others < 30_000 or row.rate + row.others > 70_000
    ]
    fit = fit_contention(measured(rows))
    assert {"b", "c"} <= set(fit.undetermined)
    assert "k" not in fit.undetermined
    assert fit.rms < 1e-4  # it fits; other constants would, too


def test_without_rows_on_the_floor_its_constants_are_not_determined():
    rates = range(0, 42_000, 2_500)
    rows = [row for row in speed_rows(PUBLIC, rates=rates) if row.rate + row.others < 40_000]
    rows = [row for row in rows if row.rate >= 18_000 or row.rate + row.others < 32_000]
    fit = fit_contention(measured(rows))
    assert {"da", "db", "dc", "dd", "k"} <= set(fit.undetermined)
    assert not {"b", "c"} & set(fit.undetermined)


def test_one_number_of_others_is_not_enough():
    rows = speed_rows(PUBLIC, among=(3,))
    message = r"n = 3 only, so the constants .* cannot be distinguished"
    with pytest.raises(InputError, match=message):
        fit_contention(measured(rows))
    fit = fit_contention(measured(rows), {"db": 3500, "dd": 3000})
    assert max(off(fit, PUBLIC).values()) < 1e-3


def test_nothing_contends():
    rows = [row._replace(speed=1.0) for row in speed_rows(PUBLIC)]
    with pytest.raises(InputError, match=r"speeds.csv: no task is slower .* no contention to fit"):
        fit_contention(measured(rows))


def test_too_few_rows():
    rows = [row for row in speed_rows(PUBLIC) if row.speed < 0.5][:5]
    with pytest.raises(InputError, match="5 rows with contention for 7 constants"):
        fit_contention(measured(rows))


def test_wrong_constants_to_fix():
    rows = measured(speed_rows(PUBLIC))
    with pytest.raises(InputError, match="there is no constant 'a'; they are b, c, da"):
        fit_contention(rows, {"a": 1.0})
    with pytest.raises(InputError, match="no constants go with what is fixed"):
        fit_contention(rows, {"b": 1.0})


def test_the_same_rows_give_the_same_constants():
    rows = measured(speed_rows(PUBLIC, noise=0.02))
    assert fit_contention(rows).constants == fit_contention(rows).constants
