"""Arguments of the model: the same seed gives the same jobs, and wrong ones are named."""

from __future__ import annotations

import re
import time
from dataclasses import fields

import numpy
import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import schedlab as sl
from schedlab.errors import InputError
from schedlab.workload.models.lublin import ALL, LublinFeitelson, Parameters

SUBMIT, RUN, SIZE = (
    [245.0, 310.0, 799.0, 888.0, 11165.0],
    [17311.0, 20519.0, 12380.0, 469.0, 154.0],
    [1.0, 32.0, 5.0, 8.0, 1.0],
)
WRONG = [
    ({"processors": 0}, "processors: must be a whole number from 1 up"),
    ({"processors": 2.5}, "processors: must be a whole number from 1 up"),
    ({"processors": True}, "processors: must be a whole number from 1 up"),
    ({"type": "none"}, "type: must be one of all, batch, interactive, both"),
    ({"load": 0}, "load: must be a number above 0"),
    ({"load": float("nan")}, "load: must be a number above 0"),
    ({"load": "high"}, "load: must be a number above 0"),
    ({"serial_shar": 0.3}, 'unknown parameter "serial_shar"; did you mean "serial_share"?'),
    ({"serial_share": 1.5}, "serial_share: must be from 0 to 1"),
    ({"serial_share": "0.5"}, "serial_share: must be a number"),
    ({"serial_share": 0.5, "power_of_two_share": 0.6}, "must be at most 1 together, not 1.1"),
    ({"run_shape_1": 0}, "run_shape_1: must be from 0.001"),
    ({"gap_scale": float("inf")}, "gap_scale: must be a number"),
    ({"run_log_limit": 30}, "run_log_limit: must be above 0 and at most 22"),
    (
        {"run_log_limit": 0.0001},
        "run_log_limit, for shape 4.2 and scale 0.94: min and max: not even",
    ),
    ({"size_medium": 9.0}, "size_low, size_medium, size_high: must go up"),
    ({"size_high": 8.0}, "size_low, size_medium, size_high: must go up"),
    ({"batch": {"serial_share": 0.3}}, "batch: there are no such jobs in type 'all'"),
    ({"type": "both", "batch": {"serial_share": 2}}, "batch.serial_share: must be from 0 to 1"),
    ({"requested": "often"}, "requested: must be none, run, run"),
    ({"requested": "run*uniform(3, 1)"}, "low: must be below high"),
    ({"requested_steps": [60]}, "requested_steps: needs a requested time"),
    ({"requested": "run", "requested_steps": [0]}, "requested_steps: must be seconds above 0"),
    (
        {"requested": "run", "requested_steps": "often"},
        "requested_steps: must be seconds or common",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InputError, match=re.escape(message)):
        LublinFeitelson(**arguments)


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True, None])
def test_wrong_numbers_of_jobs(jobs):
    with pytest.raises(InputError, match="jobs: must be a whole number from 1 up"):
        LublinFeitelson(8).tables(jobs, 1)


@given(
    name=st.sampled_from([field.name for field in fields(Parameters)]),
    value=st.one_of(st.floats(), st.integers(-5, 40)),
    processors=st.integers(1, 5000),
)
@examples(150)
def test_any_parameter_gives_jobs_or_is_named(name, value, processors):
    try:
        table = next(LublinFeitelson(processors, **{name: value}).tables(50, 1))
    except InputError as error:
        named = ("size_low, size_medium, size_high", "submitted after", "log_limit, for shape")
        assert any(word in str(error) for word in (name, *named))  # noqa: PT017
    else:
        assert table.height == 50
        assert table["run"].min() >= 1
        assert table["allocated_processors"].min() >= 1
        assert table["allocated_processors"].max() <= processors
        assert table["submit"].is_sorted()


def test_a_seed_is_a_workload():
    model = sl.LublinFeitelson(256)
    table = next(model.tables(5, "alpha"))
    assert table.equals(next(model.tables(5, "alpha")))
    assert not table.equals(next(model.tables(5, "beta")))
    assert next(model.tables(5, 7)).equals(next(model.tables(5, "7")))
    # The same on every machine and in every version: pinned.
    assert table["submit"].to_list() == SUBMIT
    assert table["run"].to_list() == RUN
    assert table["allocated_processors"].to_list() == SIZE


@pytest.mark.parametrize("type_", ["all", "both"])
def test_the_first_jobs_do_not_depend_on_how_many_follow(type_):
    model = LublinFeitelson(64, type_)
    many = polars.concat(model.tables(150_000, 1))
    for jobs in (1, 8191, 8193, 65_536, 65_537, 140_000):
        assert polars.concat(model.tables(jobs, 1)).equals(many.head(jobs))


def test_changing_one_part_leaves_the_others():
    plain = next(LublinFeitelson(64).tables(1000, 1))
    other = next(LublinFeitelson(64, gap_scale=0.6, requested="run*uniform(1, 5)").tables(1000, 1))
    assert plain.select("run", "allocated_processors").equals(
        other.select("run", "allocated_processors")
    )
    assert not plain["submit"].equals(other["submit"])


def test_columns_and_header():
    model = LublinFeitelson(64, "both", requested="run", batch={"serial_share": 0.25})
    table = next(model.tables(100, 1))
    assert table["requested_processors"].equals(table["allocated_processors"], check_names=False)
    assert set(table["status"]) == {1}
    assert set(table["user"]) == {-1}
    assert table["requested_time"].equals(table["run"], check_names=False)
    header = model.header(100, "a\nb")
    assert header["MaxProcs"] == "64"
    assert header["MaxJobs"] == "100"
    for part in ("type both", "batch.serial_share=0.25", "requested run", "seed a b"):
        assert part in header["Note"]
    assert set(next(LublinFeitelson(64).tables(9, 1))["requested_time"]) == {-1}
    assert set(next(LublinFeitelson(64).tables(9, 1))["queue"]) == {-1}


def test_requested_times():
    def requested(how, steps=None):
        table = next(LublinFeitelson(64, requested=how, requested_steps=steps).tables(3000, 1))
        return table["run"].to_numpy(), table["requested_time"].to_numpy()

    run, times = requested("run*uniform(1, 5)")
    assert (times >= run).all()
    assert (times <= 5 * run + 1).all()
    assert (times / run).mean() == pytest.approx(3, abs=0.2)
    run, times = requested("run", [60, 3600])
    assert set(times[run <= 60]) == {60}
    assert set(times[(run > 60) & (run <= 3600)]) == {3600}
    assert (times[run > 3600] == run[run > 3600]).all()
    run, times = requested("constant(86400)")
    assert set(times) == {86_400}
    run, times = requested("run", "common")
    assert set(times[run <= 300]) == {300}


@pytest.mark.parametrize("type_", ["all", "both", "batch", "interactive"])
@pytest.mark.parametrize("load", [0.05, 0.9, 3.0])
def test_load(type_, load):
    table = polars.concat(LublinFeitelson(256, type_, load=load).tables(5000, 2))
    work = (table["run"] * table["allocated_processors"]).sum()
    span = table["submit"][-1] - table["submit"][0]
    assert work / (256 * span) == pytest.approx(load, rel=2e-3)
    assert table["submit"].is_sorted()


def test_load_keeps_the_hours():
    shares = []
    for load in (None, 0.3):
        table = polars.concat(LublinFeitelson(256, load=load).tables(100_000, 2))
        hours = table["submit"].to_numpy() % 86_400 // 3600
        shares.append(numpy.bincount(hours.astype(int), minlength=24) / table.height)
    assert shares[0] == pytest.approx(shares[1], abs=0.006)


def test_load_of_one_job():
    with pytest.raises(InputError, match="load: needs at least two jobs"):
        next(LublinFeitelson(8, load=0.5).tables(1, 1))


def test_too_many_years():
    with pytest.raises(InputError, match="would be submitted after"):
        next(LublinFeitelson(8, gap_shape=40, gap_log_limit=22).tables(5000, 1))


def test_500_000_jobs_in_under_3_seconds():
    start = time.process_time()
    rows = sum(table.height for table in LublinFeitelson(256).tables(500_000, 1))
    assert rows == 500_000
    assert time.process_time() - start < 3


def test_defaults_are_the_published_ones():
    assert ALL.changed({}) == ALL
    assert (ALL.gap_shape, ALL.gap_scale, ALL.gap_shape_ratio) == (10.2303, 0.4871, 1.0225)
