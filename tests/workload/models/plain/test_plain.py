"""Workloads of plain distributions."""

from __future__ import annotations

import re
import time

import numpy
import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.distances import critical, distance_to

import schedlab as sl
from schedlab.errors import InputError
from schedlab.testing import check_reader
from schedlab.workload.formats import open_reader

GAPS, RUN, SIZES = "exponential(mean=120)", "gamma(2, 900, min=1)", "choice(1:0.3, 2:0.2, 4:0.5)"


def plain(**arguments):
    return sl.PlainWorkload(**{"interarrival": GAPS, "run": RUN, "processors": SIZES} | arguments)


def drawn(jobs=5000, seed=1, **arguments):
    return polars.concat(plain(**arguments).tables(jobs, seed))


def test_attributes_have_their_distributions():
    # PPT, section 2.1: exponential inter-arrival times, normal sizes, another for the run times.
    table = drawn(50_000, processors="normal(mean=16, deviation=4, min=1)", resolution=1e-6)
    limit = critical(50_000)
    gaps = numpy.diff(table["submit"].to_numpy())
    assert distance_to(gaps, sl.distribution(GAPS).cdf) < limit
    assert distance_to(table["run"].to_numpy(), sl.distribution(RUN).cdf) < limit
    sizes = table["requested_processors"].to_numpy()
    assert (sizes == sizes.round()).all()
    assert sizes.mean() == pytest.approx(16, abs=0.1)
    assert sizes.std() == pytest.approx(4, abs=0.1)
    assert table["allocated_processors"].equals(table["requested_processors"], check_names=False)
    for column in ("requested_time", "user", "queue"):
        assert set(table[column]) == {-1}


def test_times_are_whole_seconds_unless_asked_otherwise():
    table = drawn()
    assert (table["submit"] % 1 == 0).all()
    assert (table["run"] % 1 == 0).all()
    finer = drawn(resolution=0.25)
    assert (finer["submit"] * 4 % 1 == 0).all()
    assert (finer["submit"] % 1 != 0).any()


def test_the_same_seed_and_any_number_of_jobs():
    many = drawn(100_000)
    assert many.equals(drawn(100_000))
    for jobs in (1, 8192, 65_537):
        assert drawn(jobs).equals(many.head(jobs))
    assert not drawn(10, seed=2).equals(many.head(10))
    # Pinned: the same on every machine.
    assert many["submit"].head(4).to_list() == [117, 147, 352, 690]
    assert many["run"].head(4).to_list() == [1299, 597, 2372, 2103]


def test_one_distribution_leaves_the_others_alone():
    one, other = drawn(), drawn(run="constant(5)", columns={"user": "zipf(1, 9)"})
    assert one["submit"].equals(other["submit"])
    assert one["allocated_processors"].equals(other["allocated_processors"])


def test_requested_times():
    table = drawn(requested="run*uniform(1, 3)")
    ratio = table["requested_time"] / table["run"]
    assert ratio.min() >= 1
    assert ratio.max() <= 3.5
    assert set(drawn(requested="7200")["requested_time"]) == {7200}


def test_further_columns():
    table = drawn(
        columns={
            "user": "zipf(1.1, 20)",
            "requested_memory": "processors*uniform(100, 200)",
            "power": "normal(100, 10)",
            "twice": "power*2",
        }
    )
    assert set(table["user"]) <= set(range(1, 21))
    per_processor = table["requested_memory"] / table["allocated_processors"]
    assert per_processor.min() >= 99
    assert per_processor.max() <= 201
    assert (table["twice"] == 2 * table["power"]).all()
    assert (table["power"] % 1 != 0).any()


def test_amounts_per_task():
    table = drawn(columns={"task_gpu": "choice(0:0.5, 2:0.5)", "task_mem": "constant(4)"})
    assert table["tasks"].equals(table["requested_processors"], check_names=False)
    assert set(table["task_core"]) == {1}
    assert set(table["task_gpu"]) == {0, 2}
    wide = drawn(processors=None, columns={"tasks": "choice(1, 2)", "task_core": "constant(8)"})
    assert (wide["requested_processors"] == 8 * wide["tasks"]).all()


def test_hours_and_days():
    table = drawn(20_000, by_hour=[0] * 8 + [1] * 8 + [2] * 2 + [0] * 6, by_weekday=[1] * 6 + [0])
    submit = table["submit"].to_numpy()
    hours = numpy.bincount((submit % 86_400 // 3600).astype(int), minlength=24) / 20_000
    assert hours[:8].sum() == hours[18:].sum() == 0
    assert hours[16:18].sum() == pytest.approx(4 / 12, abs=0.02)
    assert 6 not in submit // 86_400 % 7


@pytest.mark.parametrize("load", [0.1, 0.8])
def test_load(load):
    table = drawn(machine=64, load=load, by_hour=[1] * 12 + [3] * 12)
    work = (table["run"] * table["allocated_processors"]).sum()
    span = table["submit"][-1] - table["submit"][0]
    assert work / (64 * span) == pytest.approx(load, rel=2e-3)


def test_writing_and_simulating(tmp_path):
    facts = plain(machine=64, load=0.7, requested="run").write(tmp_path / "w.swf.gz", 2000, "x")
    assert facts.jobs == 2000
    assert facts.load == pytest.approx(0.7, rel=1e-2)
    assert "2,000 jobs over" in str(facts)
    reader = open_reader(tmp_path / "w.swf.gz")
    table = polars.concat(reader.tables())
    assert table.equals(drawn(2000, "x", machine=64, load=0.7, requested="run"))
    assert reader.header["MaxProcs"] == "64"
    assert "interarrival exponential(mean=120)" in reader.header["Note"]
    system = {"groups": {"n": {"nodes": 64, "resources": {"core": 1}}}}
    result = sl.simulate(str(tmp_path / "w.swf.gz"), system=system, scheduler="easy")
    assert result.run["counts"]["completed"] == 2000


def test_simulating_without_a_file(tmp_path):
    system = {"groups": {"n": {"nodes": 64, "resources": {"core": 1}}}}
    model = plain(machine=64, load=0.7, requested="run")
    model.write(tmp_path / "w.swf", 2000, "x")
    results = [
        sl.simulate(workload, system=system, scheduler="easy")
        for workload in (str(tmp_path / "w.swf"), model.reader(2000, "x"))
    ]
    assert results[0].metrics == results[1].metrics
    assert results[0].run["workload"]["checksum"] == results[1].run["workload"]["checksum"]
    assert "2,000 jobs of plain distributions" in results[1].run["workload"]["reader"]
    check_reader(lambda: model.reader(300, 1), system=system)


def test_500_000_jobs_in_under_3_seconds():
    start = time.process_time()
    drawn(500_000, requested="run*uniform(1, 3)", columns={"user": "zipf(1.1, 200)"})
    assert time.process_time() - start < 3


WRONG = [
    ({"interarrival": "expo(3)"}, 'interarrival: unknown distribution "expo"'),
    ({"run": "gamma(0)"}, "run: distribution 'gamma(0)': shape: must be above 0"),
    ({"processors": None}, "processors: give processors or a column tasks"),
    ({"columns": {"tasks": 2}}, "processors: give processors or a column tasks"),
    ({"machine": 0}, "machine: must be a whole number from 1 up"),
    ({"load": 0.5}, "load: needs machine"),
    ({"load": -1, "machine": 5}, "load: must be a number above 0"),
    ({"resolution": 0}, "resolution: must be at least 1e-06"),
    ({"by_hour": [1, 2]}, "by_hour: must be 24 numbers"),
    ({"columns": {"submit": 3}}, "column 'submit': it comes of interarrival"),
    ({"columns": {"processors": 3}}, "column 'processors': it has its own argument"),
    ({"by_hour": 5}, "by_hour: must be 24 numbers"),
    ({"by_weekday": [[1] * 7]}, "by_weekday: must be 7 numbers"),
    ({"columns": {"a b": 3}}, "column 'a b': must be a name"),
    ({"columns": {"name": 3}}, "column 'name': it is not a number"),
    (
        {"columns": {"x": "y*uniform(1, 2)"}},
        "x: 'y' is not a column before it; run, processors are",
    ),
    ({"columns": {"x": "run*"}}, 'x: unknown distribution ""'),
    ({"requested": "always"}, "requested: must be none, run"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InputError, match=re.escape(message)):
        plain(**arguments)


DRAWN_WRONG = [
    ({"processors": "normal(1, 5)"}, "processors: drew -", "give its distribution min="),
    ({"run": "normal(1, 5)"}, "run: drew -", "must be from 0 up"),
    ({"interarrival": "normal(1, 5)"}, "interarrival: drew -", "must be from 0 up"),
    ({"run": "pareto(0.05)"}, "run: drew", "give its distribution max="),
    ({"run": "pareto(0.001)"}, "run pareto(0.001): drew a value that is not finite", "max="),
    ({"requested": "normal(1, 5)"}, "requested 'normal(1, 5)': drew -", "limit it"),
    ({"columns": {"task_gpu": "normal(0, 5)"}}, "task_gpu: drew -", "must be from 0 up"),
    ({"interarrival": "constant(3e9)"}, "would be submitted after", "fewer jobs"),
    ({"interarrival": "0", "load": 1.0, "machine": 4}, "load: needs at least two jobs", "gaps"),
]


@pytest.mark.parametrize(("arguments", "message", "advice"), DRAWN_WRONG)
def test_what_is_drawn_must_be_a_job(arguments, message, advice):
    with pytest.raises(InputError, match=re.escape(message)) as error:
        drawn(20, **arguments)
    assert advice in str(error.value)


@pytest.mark.parametrize("seed", [None, 1.5, True, b"x", "\udcff"])
def test_wrong_seeds(seed):
    with pytest.raises(InputError, match="seed: must be a text or a whole number"):
        drawn(5, seed)


class Short(sl.Distribution):
    """A user's own, with a mistake."""

    def sample(self, uniforms):
        return uniforms[:3]


class Broken(sl.Distribution):
    def sample(self, uniforms):
        raise ZeroDivisionError("oh")


def test_mistakes_of_own_distributions():
    with pytest.raises(InputError, match=r"sample must give 8,192 values .* shape \(3,\)"):
        drawn(5, run=Short())
    with pytest.raises(InputError, match=r"run .*:Broken: ZeroDivisionError: oh"):
        drawn(5, run=Broken())


@given(
    jobs=st.integers(1, 300),
    mean=st.floats(0.001, 1e5),
    deviation=st.floats(0.01, 3),
    most=st.integers(1, 64),
)
@examples(50)
def test_any_parameters_give_jobs(jobs, mean, deviation, most):
    table = drawn(
        jobs,
        interarrival=f"exponential({mean!r})",
        run=f"lognormal(5, {deviation!r}, max=1e6)",
        processors=f"uniform(1, {most + 0.4!r})",
    )
    assert table.height == jobs
    assert table["job"].to_list() == list(range(1, jobs + 1))
    assert table["submit"].is_sorted()
    assert table["allocated_processors"].max() <= most
