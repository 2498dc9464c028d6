"""The slot-weight method by sums is the walk from slot to slot."""

from __future__ import annotations

import numpy
import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles import slot_walk

from schedlab.durations import DAY
from schedlab.errors import InputError
from schedlab.workload.models.cycle import Cycle, cycle_of
from schedlab.workload.models.lublin import ALL, LublinFeitelson
from schedlab.workload.models.lublin.model import slot_weights

weights = st.lists(st.floats(0.01, 100), min_size=48, max_size=48)
gaps = st.lists(st.floats(1e-3, 4e5), min_size=1, max_size=60)


@given(weights=weights, gaps=gaps)
@examples(150)
def test_sums_are_the_walk(weights, gaps):
    walked = slot_walk.arrivals(gaps, weights)
    assert Cycle(weights).times(numpy.cumsum(gaps)) == pytest.approx(walked, rel=1e-9, abs=1e-6)


@given(weights=weights, times=st.lists(st.floats(0, 1e8), min_size=1, max_size=20))
@examples(100)
def test_points_and_times_are_inverse(weights, times):
    cycle, times = Cycle(weights), numpy.array(times)
    assert cycle.times(cycle.points(times)) == pytest.approx(times, rel=1e-9, abs=1e-5)


@pytest.mark.parametrize("drops", [False, True])
def test_a_whole_workload_is_the_walk(drops):
    model = LublinFeitelson(256, drops_fractions=drops)
    table = polars.concat(model.tables(20_000, "walk"))
    blocks = model.streams[0].blocks("walk")
    gaps = numpy.concatenate([next(blocks).gaps for _ in range(3)])[:20_000]
    walked = slot_walk.arrivals(gaps.tolist(), slot_weights(ALL).tolist())
    expected = slot_walk.dropped(walked) if drops else numpy.floor(walked)
    # A moment within rounding errors of a full second may fall on its other side.
    differences = numpy.abs(table["submit"].to_numpy() - expected)
    assert differences.max() <= (5 if drops else 1)
    assert (differences > 0).mean() < 1e-3 or drops
    if drops:
        late = numpy.array(walked) - table["submit"].to_numpy()
        assert late[-1] / 20_000 == pytest.approx(0.5, abs=0.02)


def test_no_cycle_by_equal_weights():
    times = numpy.array([0.0, 1, 1799, 86_399, 86_401, 1e7])
    assert Cycle([3.0] * 48).times(times) == pytest.approx(times)


def test_hours_and_weekdays():
    cycle = cycle_of([0] * 8 + [1] * 10 + [0] * 6, [1, 1, 1, 1, 1, 0, 0])
    times = cycle.times(numpy.linspace(0, 8 * 7 * DAY, 10_000))[1:-1]
    hours, days = times % DAY / 3600, times // DAY % 7
    assert hours.min() >= 8
    assert hours.max() <= 18
    assert set(days) == {0, 1, 2, 3, 4}
    assert cycle_of(None, None) is None
    assert cycle_of(None, [1] * 7).times(numpy.array([5.0])) == pytest.approx([5])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1] * 23, None), "by_hour: must be 24 numbers"),
        (("x" * 24, None), "by_hour: must be 24 numbers"),
        (([0] * 24, None), "by_hour: must be numbers from 0 up"),
        (([-1] + [1] * 23, None), "by_hour: must be numbers from 0 up"),
        (([float("nan")] * 24, None), "by_hour: must be numbers from 0 up"),
        ((["a"] * 24, None), "by_hour: must be numbers"),
        ((None, [1] * 8), "by_weekday: must be 7 numbers"),
    ],
)
def test_wrong_weights(arguments, message):
    with pytest.raises(InputError, match=message):
        cycle_of(*arguments)
