"""Generated workloads: seeds, distributions, pressure, phases."""

from __future__ import annotations

import numpy as np
import polars
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.models.scsf import naive
from workload.models.scsf.rows import log

import schedlab as sl
from schedlab.errors import InputError
from schedlab.workload.formats import open_reader
from schedlab.workload.models.scsf import Fill, GenerationSettings, WorkloadModel
from schedlab.workload.models.scsf.insertion import Inserter
from schedlab.workload.models.scsf.pressure import Pacer
from schedlab.workload.models.scsf.sampling import paired
from schedlab.workload.swf import FIELDS

CORES = 64
MODEL = WorkloadModel.fit(log(), cores_per_node=4)


def work(table):
    return float((table["requested_processors"] * table["run"]).sum())


def test_same_seed_same_bytes(tmp_path):
    for name, seed in (("a", "alpha"), ("b", "alpha"), ("c", "beta"), ("d", 7), ("e", "7")):
        MODEL.generate(seed, jobs=3000).write(tmp_path / f"{name}.swf")
    content = {name: (tmp_path / f"{name}.swf").read_bytes() for name in "abcde"}
    assert content["a"] == content["b"]
    assert content["a"] != content["c"]
    assert content["d"] == content["e"]


@pytest.mark.parametrize("joint", ["independent", "size", "jobs"])
def test_more_jobs_begin_with_the_same(joint):
    model = WorkloadModel.fit(log(), cores_per_node=4, joint=joint)
    few, many = (model.generate("a", jobs=n).table() for n in (100, 20_000))
    assert few.height == 100
    assert many.height == 20_000
    assert few.equals(many.head(100))


def test_rows_are_complete_and_in_order():
    workload = MODEL.generate("a", jobs=20_000)
    table = workload.table()
    assert table.columns == list(FIELDS)
    assert table["job"].to_list() == list(range(1, 20_001))
    assert table["submit"].is_sorted()
    assert (table["requested_processors"] % 4 == 0).all()
    assert (table["requested_time"] % 60 == 0).all()
    assert (table["wait"] == -1).all()
    assert workload.table().equals(table)  # again from the beginning


@pytest.mark.parametrize("joint", ["independent", "size", "jobs"])
def test_distributions_are_those_of_the_log(joint):
    model = WorkloadModel.fit(log(), cores_per_node=4, joint=joint)
    table = model.generate("a", jobs=60_000).table()
    for name, column in (("cores", "requested_processors"), ("run", "run")):
        assert model.variables[name].distance(table[column].to_numpy()) < 0.01
    assert model.variables["requested"].distance(table["requested_time"].to_numpy()) < 0.01
    gaps = np.diff(table["submit"].to_numpy())
    assert model.variables["interarrival"].distance(gaps) < 0.01
    ranks = table.select(polars.corr("requested_processors", "run", method="spearman")).item()
    if joint == "independent":
        assert abs(ranks) < 0.02
    else:
        real = log().select(polars.corr("requested_processors", "run", method="spearman")).item()
        assert ranks == pytest.approx(real, abs=0.03)


def test_whole_jobs_are_those_of_the_log():
    model = WorkloadModel.fit(log(), cores_per_node=4, joint="jobs")
    table = model.generate("a", jobs=5000).table()
    real = log()
    known = set(
        zip(
            real["requested_processors"],
            real["requested_time"],
            np.ceil(real["run"] / 60) * 60 - 30,
            strict=True,
        )
    )
    drawn = zip(table["requested_processors"], table["requested_time"], table["run"], strict=True)
    assert set(drawn) <= known


def test_run_times():
    tables = {
        word: MODEL.generate("a", jobs=30_000, run_times=word).table()
        for word in ("paired", "distribution", "accuracy")
    }
    over = {word: (t["run"] > t["requested_time"]).mean() for word, t in tables.items()}
    assert over["paired"] < 0.002
    assert over["distribution"] > 0.1
    assert over["accuracy"] < 0.01
    accuracy = tables["accuracy"]["run"] / tables["accuracy"]["requested_time"]
    assert MODEL.variables["accuracy"].distance(accuracy.to_numpy()) < 0.05
    # The same draws otherwise.
    assert tables["paired"]["run"].equals(tables["distribution"]["run"])
    columns = [sorted(tables[word]["requested_time"]) for word in ("paired", "distribution")]
    assert columns[0][:100] == columns[1][:100]


@examples(100)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.data())
def test_pairing_gives_one_of_the_orders_that_cover(run, data):
    requested = data.draw(st.lists(st.integers(1, 8), min_size=len(run), max_size=len(run)))
    uniforms = np.array(
        data.draw(st.lists(st.floats(0, 0.999), min_size=len(run), max_size=len(run)))
    )
    order = paired(np.array(requested, float), np.array(run, float), uniforms).tolist()
    assert sorted(order) == sorted(requested)
    possible = naive.pairings(requested, run)
    if possible:
        assert tuple(order) in possible


def test_pairings_are_equally_likely():
    random = np.random.default_rng(5)
    requested, run = np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 2, 3])
    seen = [tuple(paired(requested, run, random.random(4)).tolist()) for _ in range(8000)]
    possible = naive.pairings(requested.tolist(), run.tolist())
    for order in possible:
        assert seen.count(order) / 8000 == pytest.approx(1 / len(possible), abs=0.02)


@examples(150)
@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=40),
    st.lists(st.integers(1, 900), min_size=1, max_size=60),
    st.integers(50, 800),
    st.sampled_from([(1.0, 1.1), (0.5, 0.5), (2.0, 3.0), (0.9, 1.0)]),
)
def test_pressure_equals_the_paper_s_loop(gaps, works, end, bounds):
    arrivals = np.cumsum(gaps).astype(float).tolist()
    low, high = (bound * 10 for bound in bounds)
    pacer = Pacer(iter(arrivals), end, low, high, Inserter((), "a", 0, end, None))
    submits = []
    for first in range(0, len(works), 7):  # in blocks
        submits += pacer.submits([float(w) for w in works[first : first + 7]])[0]
    expected = naive.paced(arrivals, works, end, 10, *bounds)
    assert submits == expected[: len(submits)]
    assert len(submits) == len(expected)


def test_pressure_is_kept():
    table = MODEL.generate(
        "a", duration=200_000, stabilization=0, processors=CORES, pressure_low=1.0
    ).table()
    amounts = np.cumsum((table["requested_processors"] * table["run"]).to_numpy())
    submit = table["submit"].to_numpy()
    last_of_time = np.append(np.diff(submit) > 0, True) & (submit > 0)
    pressure = amounts[last_of_time] / (CORES * submit[last_of_time])
    assert pressure.min() >= 1.0
    largest = (table["requested_processors"] * table["run"]).max()
    over = amounts[last_of_time] - 1.1 * CORES * submit[last_of_time]
    assert over.max() <= largest  # a job may carry it across, and no second one follows
    assert pressure[-1] < 1.25


def test_discarded_jobs_leave_the_distributions_alone():
    workload = MODEL.generate("a", jobs=20_000, processors=16, pressure_low=0.1)
    table = workload.table()
    assert workload.discarded > 20_000
    plain = MODEL.generate("a", jobs=20_000, processors=16).table()
    assert table["run"].equals(plain["run"])


def test_phases_and_drain():
    workload = MODEL.generate(
        "a",
        processors=CORES,
        pressure_low=1.0,
        fill_wait=3600,
        fill_residual=0,
        stabilization=7200,
        duration=14_400,
        drain=3600,
    )
    assert workload.fill == Fill(CORES, 3600, 0, 10, None, 4)
    filled = workload.fill.duration_seconds
    assert workload.windows == {
        "fill": (0, filled),
        "stabilization": (filled, filled + 7200),
        "experiment": (filled + 7200, filled + 21_600),
        "drain": (filled + 21_600, filled + 25_200),
    }
    table = workload.table()
    assert table.columns == [*FIELDS, "phase"]
    assert table["submit"].is_sorted()
    assert table["job"].to_list() == list(range(1, table.height + 1))
    for number, (begin, end) in enumerate(workload.windows.values(), 1):
        inside = table.filter(polars.col("submit").is_between(begin, end, closed="left"))
        assert set(inside["phase"]) == {number}
    assert workload.header["Phases"].startswith(f"fill 0 {filled:g}, stabilization {filled:g} ")


def test_default_phases():
    assert list(MODEL.generate("a").windows.items()) == [("experiment", (0, 259_200))]
    given = GenerationSettings(processors=CORES, pressure_low=1)
    assert MODEL.generate("a", given).windows == {
        "stabilization": (0, 86_400),
        "experiment": (86_400, 345_600),
    }
    assert given.pressure == (1, 1.1)


def test_a_file_of_it_has_phases_and_can_be_simulated(tmp_path):
    workload = MODEL.generate("a", duration=20_000, stabilization=9000, processors=CORES)
    path = tmp_path / "new.swf.gz"
    assert workload.write(path, "swf(exact=true)").rows == workload.table().height
    reader = open_reader(path)
    assert polars.concat(reader.tables()).select(workload.columns).equals(workload.table())
    assert reader.header["Phases"] == workload.header["Phases"]
    system = {"groups": {"n": {"nodes": 16, "resources": {"core": 4}}}}
    results = [sl.simulate(source, system=system, scheduler="easy") for source in (path, workload)]
    assert sl.compare_schedules(*results).identical
    assert set(results[0].jobs.collect()["phase"]) == {2, 3}


def test_smaller_machines_get_smaller_jobs():
    for joint in ("independent", "jobs"):
        model = WorkloadModel.fit(log(), cores_per_node=4, joint=joint)
        assert (
            model.generate("a", jobs=3000, processors=16).table()["requested_processors"].max()
            == 16
        )
    with pytest.raises(InputError, match="smallest jobs of the model have 4 processors"):
        MODEL.generate("a", processors=3)


def test_most_work():
    table = MODEL.generate("a", jobs=5000, processors=CORES, most_work=60).table()
    assert table.height == 5000
    assert (table["requested_processors"] * table["run"]).max() <= 60 * CORES
    with pytest.raises(InputError, match="most_work: no job takes at most"):
        MODEL.generate("a", jobs=5, processors=CORES, most_work=0.001).table()


def test_no_work_no_pressure():
    table = log(50).with_columns(run=polars.lit(0.0))
    model = WorkloadModel.fit(table)
    with pytest.raises(InputError, match="can never be reached"):
        model.generate("a", processors=4, pressure_low=1.0)
    assert model.generate("a", jobs=10).table()["run"].to_list() == [0.0] * 10


def test_nothing_submitted_is_an_empty_workload(tmp_path):
    workload = MODEL.generate("a", duration=1)
    assert workload.table().height == 0
    workload.write(tmp_path / "none.swf")
    assert sum(table.height for table in open_reader(tmp_path / "none.swf").tables()) == 0


def test_weekly_arrivals_follow_the_hours():
    random = np.random.default_rng(2)
    hours = np.arange(24 * 7 * 30)
    busy = np.where((hours % 24 >= 8) & (hours % 24 < 18), 12, 1)
    submit = np.sort((np.repeat(hours, busy) + random.random(busy.sum())) * 3600)
    table = polars.DataFrame({"submit": np.floor(submit)}).with_columns(
        run=60.0, requested_time=60.0, requested_processors=1.0
    )
    shares = {}
    for arrivals in ("independent", "weekly"):
        model = WorkloadModel.fit(table, arrivals=arrivals)
        drawn = model.generate("a", jobs=40_000).table()["submit"].to_numpy() // 3600 % 24
        shares[arrivals] = np.mean((drawn >= 8) & (drawn < 18))
        span = model.generate("a", jobs=table.height).table()["submit"].max()
        assert span == pytest.approx(hours[-1] * 3600, rel=0.05)
    assert shares["independent"] == pytest.approx(10 / 24, abs=0.03)
    assert shares["weekly"] == pytest.approx(120 / 134, abs=0.02)
    assert model.generate("a").header["UnixStartTime"] == "345600"


def test_unknown_options():
    with pytest.raises(InputError, match="presure: is not a setting"):
        MODEL.generate("a", presure=1)
