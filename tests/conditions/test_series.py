"""Series of numbers over time, against the oracle, and the files they come from."""

from __future__ import annotations

import pickle

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracles.conditions import engine_value, mean_of, value_at

from schedlab.conditions import Series
from schedlab.conditions.series_file import read_series, series_of
from schedlab.errors import InputError

WHOLE = st.integers(-2_000, 5_000)


@st.composite
def all_series(draw):
    """Times and values that are exact as doubles, so that the oracle's numbers are the same."""
    times = sorted(draw(st.sets(WHOLE, min_size=1, max_size=6)))
    values = [draw(st.integers(-50, 50)) for _ in times]
    span = times[-1] - times[0]
    every = draw(st.none() | st.integers(span + 40, span + 4_000) | st.just(span + 1))
    if every is not None and every < 20:  # the oracle looks at every period
        every = 20
    return [time / 4 for time in times], values, None if every is None else every / 4


@examples(300)
@given(all_series(), WHOLE, st.integers(0, 9_000))
def test_values_and_means_are_those_of_the_oracle(given_series, start, length):
    times, values, every = given_series
    series = Series(times, values, every)
    start, end = start / 4, (start + length) / 4
    assert series.at(start) == value_at(times, values, every, start)
    if length:
        expected = float(mean_of(times, values, every, start, end))
        assert series.mean(start, end) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    else:
        assert series.mean(start, end) == series.at(start)


def test_times_may_have_units():
    assert Series([0, "1h30m"], [1, 2], every="1d") == Series([0, 5400], [1, 2], every=86400)


@examples(300)
@given(all_series(), st.lists(st.integers(0, 20_000), min_size=1, max_size=8))
def test_the_engine_gets_the_same_function(given_series, moments):
    series = Series(*given_series)
    engine_series = series.for_engine()
    times, _, period = engine_series
    assert times == sorted(set(times))
    assert all(isinstance(time, float) for time in times)
    if period:
        assert times[0] == 0
        assert times[-1] < period
    for time in moments:
        assert engine_value(engine_series, time / 4) == series.at(time / 4)


def test_before_the_first_time_the_first_value_holds():
    series = Series([10, 20], [1, 2])
    assert [series.at(time) for time in (-5, 9.9, 10, 19.9, 20, 1e6)] == [1, 1, 1, 1, 2, 2]
    day = Series([0, 28_800, 72_000], [0.1, 0.3, 0.1], every=86_400)
    assert day.at(-3_600) == day.at(86_400 - 3_600) == day.at(10 * 86_400 + 3_600) == 0.1
    assert day.mean(0, 10 * 86_400) == pytest.approx((0.1 * 12 + 0.3 * 12) / 24)
    with pytest.raises(InputError, match=r"mean: the end \(1\) is before the start \(2\)"):
        day.mean(2, 1)


def test_a_time_just_before_a_period_is_in_it():
    engine_series = Series([-1e-20, 5], [1, 2], every=60).for_engine()
    assert engine_series == ([0.0, 5.0], [1.0, 2.0], 60.0)


def test_equality_hash_pickle_and_plain_data():
    one = Series([0, 5], [1, 2], 10, source="a.csv")
    assert one == Series((0.0, 5.0), (1.0, 2.0), 10.0, source="b.csv")
    assert hash(one) == hash(Series([0, 5], [1, 2], 10))
    assert one != Series([0, 5], [1, 2])
    assert one != Series([0, 5], [1, 2], 10, dated=True)
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert again.source == "a.csv"
    assert series_of(one.to_dict(), "price", "price") == one
    assert one.to_dict() == {
        "times": [0, 5],
        "values": [1, 2],
        "every": 10,
        "source": "a.csv",
    }
    assert Series.constant(7).to_dict() == 7
    assert series_of(7, "price", "price") == Series.constant(7)
    assert one.described()["checksum"] == Series([0, 5], [1, 2]).described()["checksum"]
    assert one.described()["checksum"] != Series([0, 6], [1, 2]).described()["checksum"]
    with pytest.raises(AttributeError, match="frozen"):
        one.every = 5
    assert repr(Series.constant(7)) == "Series([0.0], [7.0])"
    assert repr(one) == "<Series: 2 steps of a.csv>"


def read(tmp_path, content, **options):
    path = tmp_path / "p.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_series(path, "price.", "price", negative=True, **options)


@examples(60)
@given(all_series())
def test_a_file_gives_what_was_written(tmp_path_factory, given_series):
    times, values, every = given_series
    if len(times) == 1:
        return
    rows = "".join(f"{t},{v}\n" for t, v in zip(times, values, strict=True))
    made = read(tmp_path_factory.mktemp("series"), "time,price\n" + rows, every=every)
    assert made == Series(times, values, every)


def test_ways_to_write_a_file(tmp_path):
    expected = Series([0, 3600.5], [0.25, -1])
    for content in (
        "time,price\n0,0.25\n3600.5,-1\n",
        "time,price\r\n0,0.25\r\n3600.5,-1\r\n\r\n",
        " time , price \n 0 , 0.25 \n3600.5,-1",
        "\ufefftime,price\n0,.25\n3.6005e3,-1e0\n\n\n",
    ):
        assert read(tmp_path, content) == expected
    assert read_series("p.csv", "", "price", negative=True, folder=str(tmp_path)) == expected


def test_dates_are_moved_to_the_clock_of_the_workload(tmp_path):
    dates = "date,price\n1970-01-02,1\n1970-01-02T06:00,2\n1970-01-02T13:00+01:00,3\n"
    series = read(tmp_path, dates)
    assert series.dated
    assert series.times == (86_400, 108_000, 129_600)
    moved = series.on_clock(80_000)
    assert moved.times == (6_400, 28_000, 49_600)
    assert not moved.dated
    assert moved.on_clock(5) is moved
    for start_time, message in ((0, "need a system with start_time"), (10**11, "126 years")):
        with pytest.raises(InputError, match=message):
            series.on_clock(start_time)


def test_long_files_are_read_whole(tmp_path, monkeypatch):
    rows = "".join(f"{time},{time % 7}\n" for time in range(50_000))
    assert len(read(tmp_path, "time,price\n" + rows)) == 50_000
    monkeypatch.setattr("schedlab.conditions.series_file.MAX_ROWS", 49_999)
    with pytest.raises(InputError, match=r"p\.csv: has more than 49999 rows"):
        read(tmp_path, "time,price\n" + rows)
