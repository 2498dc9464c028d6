"""Models of logs: what is counted, what is left out, and which bins."""

from __future__ import annotations

import numpy as np
import polars
import pytest
from workload.models.scsf.rows import log

import schedlab as sl
from schedlab.errors import InputError
from schedlab.workload.formats import write_tables
from schedlab.workload.models.scsf import EmpiricalDistribution, WorkloadModel
from schedlab.workload.table import complete


def test_variables_are_those_of_the_rows():
    table = log()
    model = sl.WorkloadModel.fit(table, cores_per_node=4)
    run, requested = table["run"].to_numpy(), table["requested_time"].to_numpy()
    expected = {
        "interarrival": (np.diff(table["submit"].to_numpy()), 1, "upper"),
        "cores": (table["requested_processors"].to_numpy(), 4, "upper"),
        "requested": (requested, 60, "upper"),
        "run": (run, 60, "middle"),
        "accuracy": (run / requested, 0.001, "middle"),
        "wait": (table["wait"].to_numpy(), 60, "middle"),
    }
    assert set(model.variables) == set(expected)
    for name, (values, size, value) in expected.items():
        made, right = model.variables[name], EmpiricalDistribution.of(values, size, value)
        assert made.bins.tolist() == right.bins.tolist(), name
        assert made.counts.tolist() == right.counts.tolist(), name
        assert (made.bin_size, made.value) == (size, value)


def test_tables_in_parts_give_the_same_model(tmp_path):
    table = log(3000)
    whole = WorkloadModel.fit(table, joint="jobs", arrivals="weekly")
    parts = WorkloadModel.fit(iter(table.iter_slices(70)), joint="jobs", arrivals="weekly")
    whole.save(tmp_path / "whole"), parts.save(tmp_path / "parts")
    texts = [(tmp_path / name).read_text().splitlines() for name in ("whole", "parts")]
    assert [line for line in texts[0] if "source" not in line] == [
        line for line in texts[1] if "source" not in line
    ]


def test_rows_without_something_are_left_out_and_counted():
    table = log(10).with_columns(
        run=polars.Series([-1.0, 5, 5, 5, 5, 5, 5, 5, 5, 5]),
        requested_time=polars.Series([60.0, -1, 0, 60, 60, 60, 60, 60, 60, 60]),
        requested_processors=polars.Series([1.0, 1, 1, -1, -1, 1, 1, 1, 1, 1]),
        allocated_processors=polars.Series([1.0, 1, 1, -1, 8, 1, 1, 1, 1, 1]),
        submit=polars.Series([0.0, 1, 2, 3, 4, -1, 6, 7, 8, 9]),
    )
    model = WorkloadModel.fit(table)
    assert model.source["rows"] == 10
    assert model.source["dropped"] == {
        "no submit time": 1,
        "no run time": 1,
        "no processors": 1,
        "no requested time": 2,
    }
    assert model.variables["cores"].total == 5
    assert 8 in model.variables["cores"].values  # allocated, where nothing is requested


def test_requested_times_may_be_missing():
    table = log(100).with_columns(requested_time=polars.lit(-1.0))
    with pytest.raises(InputError, match=r"100 rows: no requested time.*missing_requested=run"):
        WorkloadModel.fit(table)
    model = WorkloadModel.fit(table, missing_requested="run")
    assert model.variables["accuracy"].upper_edges.tolist() == [1.0]


def test_waits_may_be_missing():
    model = WorkloadModel.fit(log(100).with_columns(wait=polars.lit(-1.0)))
    assert "wait" not in model.variables


def test_cores_of_a_node_come_from_the_header(tmp_path):
    path = tmp_path / "log.swf"
    write_tables(path, [log(50)], {"MaxProcs": "64", "MaxNodes": "16", "Computer": "a machine"})
    model = WorkloadModel.fit(path)
    assert model.node_cores == 4
    assert model.source["header"]["Computer"] == "a machine"
    assert model.source["name"] == "log.swf"
    assert WorkloadModel.fit(path, cores_per_node=8).node_cores == 8
    write_tables(path, [log(50)], {"MaxProcs": "64"})
    assert WorkloadModel.fit(path).node_cores == 1


def test_unsorted_logs():
    table = log(500)
    mixed = table.sample(fraction=1, shuffle=True, seed=1)
    one, other = (WorkloadModel.fit(t).variables["interarrival"] for t in (table, mixed))
    assert one.bins.tolist() == other.bins.tolist()
    assert one.counts.tolist() == other.counts.tolist()


def test_classes_of_sizes():
    model = WorkloadModel.fit(log(), cores_per_node=4, joint="size")
    assert [one.largest for one in model.classes] == [4, 8, 16, 32, 64]
    assert sum(one.run.total for one in model.classes) == 2000
    means = [one.run.mean for one in model.classes]
    assert means == sorted(means)  # in this log, large jobs run longer


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"joint": "all"}, "joint: must be one of independent, size, jobs, not 'all'"),
        ({"arrivals": "daily"}, "arrivals: must be one of"),
        ({"bins": {"walltime": 3}}, "bins: unknown variable 'walltime'; known: interarrival"),
        ({"bins": {"run": 0}}, "run: the size of a bin must be above 0"),
        ({"bins": {"run": "60"}}, "run: the size of a bin must be a number"),
        ({"values": {"run": "lower"}}, "run: a bin stands for its middle or upper"),
        ({"cores_per_node": 0}, "cores: the size of a bin must be above 0"),
        ({"missing_requested": "skip"}, "missing_requested: must be drop or run"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(InputError, match=message):
        WorkloadModel.fit(log(20), **options)


@pytest.mark.parametrize("rows", [0, 1])
def test_too_few_rows(rows):
    with pytest.raises(InputError, match="at least two jobs"):
        WorkloadModel.fit(log(20).head(rows))


def test_wrong_sources(tmp_path):
    with pytest.raises(InputError, match="not of int"):
        WorkloadModel.fit(7)
    with pytest.raises(InputError, match=r"none\.swf"):
        WorkloadModel.fit(tmp_path / "none.swf")


def test_all_jobs_at_once():
    table = complete(
        polars.DataFrame({"submit": [5.0] * 3, "run": [1.0] * 3}).with_columns(
            requested_processors=1.0, requested_time=60.0
        )
    )
    model = WorkloadModel.fit(table)
    generated = model.generate("a", jobs=10).table()
    assert generated["submit"].to_list() == [0.0] * 10
    for options in ({}, {"jobs": 5, "processors": 8, "pressure_low": 1.0}):
        with pytest.raises(InputError, match="time never passes"):
            model.generate("a", **options)


def test_sizes_of_shared_nodes_stay(tmp_path):
    header = {"MaxProcs": "64", "MaxNodes": "16"}
    whole, shared = log(), log().with_columns(polars.col("requested_processors") + 1)
    for table, cores in ((whole, 4), (shared, 1)):
        write_tables(tmp_path / "log.parquet", [table], header)
        model = WorkloadModel.fit(tmp_path / "log.parquet")
        assert model.node_cores == cores
        assert "rounded_up" not in model.source
        drawn = model.generate("a", jobs=2000).table()["requested_processors"]
        assert set(drawn) <= set(table["requested_processors"])
    assert WorkloadModel.fit(shared, cores_per_node=4).source["rounded_up"] == shared.height
