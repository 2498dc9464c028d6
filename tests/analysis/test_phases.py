"""Metrics by phase, per-minute utilization and waits."""

from __future__ import annotations

import numpy as np
import polars
import pytest
from workload.models.scsf.rows import log

import schedlab as sl
from schedlab.analysis.phases import (
    median_wait_by_minute,
    phase_table,
    phase_windows,
    utilization_by_minute,
)
from schedlab.errors import InputError
from schedlab.workload.models.scsf import WorkloadModel

SYSTEM = {"groups": {"n": {"nodes": 16, "resources": {"core": 4}}}}


@pytest.fixture(scope="module")
def run():
    model = WorkloadModel.fit(log(), cores_per_node=4)
    workload = model.generate(
        "a", processors=64, pressure_low=1.0, fill_wait=3600, stabilization=20_000, duration=30_000
    )
    return workload, sl.simulate(workload, system=SYSTEM, scheduler="easy", timeline="csv")


def test_table(run):
    workload, result = run
    table = phase_table(result)
    jobs = result.jobs.collect()
    assert table["phase"].to_list() == ["fill", "stabilization", "experiment"]
    for row in table.iter_rows(named=True):
        assert (row["begin"], row["end"]) == workload.windows[row["phase"]]
        inside = jobs.filter(polars.col("phase") == row["number"])
        assert row["jobs"] == inside.height
        assert row["mean_wait"] == pytest.approx(inside["wait"].mean())
        assert row["median_wait"] == inside["wait"].median()
        spans = np.minimum(jobs["end"], row["end"]) - np.maximum(jobs["start"], row["begin"])
        used = (np.maximum(spans, 0) * jobs["tasks"]).sum()
        assert row["utilization"] == pytest.approx(used / 64 / (row["end"] - row["begin"]))


def test_minutes(run):
    workload, result = run
    end = workload.windows["experiment"].end
    table = utilization_by_minute(result, end)
    assert table.height == end // 60
    assert table["utilization"].max() <= 1.0
    assert table["utilization"][0] > 0  # fill jobs come at once
    waits = median_wait_by_minute(result)
    jobs = result.jobs.collect()
    assert waits["jobs"].sum() == jobs.height
    minute = waits.row(waits.height // 2, named=True)
    inside = jobs.filter(polars.col("submit").is_between(minute["time"], minute["time"] + 59.999))
    assert minute["median_wait"] == inside["wait"].median()


def test_without_an_end(tmp_path):
    model = WorkloadModel.fit(log(), cores_per_node=4)
    workload = model.generate("a", jobs=500, processors=64, stabilization=9000)
    result = sl.simulate(workload, system=SYSTEM, scheduler="easy", timeline="csv")
    last = workload.table()["submit"].max()
    assert phase_windows(result) == {"stabilization": (0, 9000), "experiment": (9000, last)}
    assert phase_table(result)["utilization"][1] > 0


def test_workloads_without_phases():
    result = sl.simulate([sl.Job(1, 0, 5)], system=SYSTEM, timeline="csv")
    with pytest.raises(InputError, match="its workload has no phases"):
        phase_table(result)
