"""The fill phase: its derivation holds, and a machine is full and busy as long as it says."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from workload.models.scsf.rows import log

import schedlab as sl
from schedlab.analysis.curves import curves
from schedlab.errors import InputError
from schedlab.workload.models.scsf import Fill, WorkloadModel
from schedlab.workload.models.scsf.sampling import residual_seconds
from schedlab.workload.table import complete


@examples(200)
@given(
    st.integers(1, 5000),
    st.integers(60, 200_000),
    st.integers(0, 50_000),
    st.sampled_from([1, 10, 30.5]),
    st.sampled_from([1, 8, 24]),
)
def test_derivation(processors, wait, residual, interval, node):
    fill = Fill(processors, wait, residual, interval, None, node)
    table = fill.table()
    sizes, submits = table["requested_processors"].to_numpy(), table["submit"].to_numpy()
    assert sizes.sum() == processors  # the machine is full, and no job waits
    assert (sizes[:-1] == fill.size).all()
    assert fill.size % node == 0 or fill.size == processors
    left = submits + fill.run_seconds - fill.duration_seconds
    assert left.min() >= -interval  # each runs until the phase ends
    backlog = (sizes @ left) / processors
    # Exact except for the last job, which may be smaller, and for whole seconds.
    assert backlog == pytest.approx(wait + residual, abs=fill.duration_seconds / fill.jobs + 1)
    assert fill.duration_seconds <= wait + residual + interval


def test_the_paper_s_machine():
    """Edison: 133,824 cores, four hours, a fill job every 10 s."""
    fill = Fill(133_824, 4 * 3600)
    assert (fill.size, fill.jobs) == (93, 1439)
    assert fill.duration_seconds == pytest.approx(4 * 3600, rel=0.001)
    assert Fill(133_824, 4 * 3600, node_processors=24).size == 96


def test_simulated():
    """The machine fills on a slope, stays full, and empties on the same slope."""
    fill = Fill(64, 3600, 0, 10, None, 4)
    table = complete(fill.table()).with_columns(job=np.arange(1.0, fill.jobs + 1))
    path_system = {"groups": {"n": {"nodes": 16, "resources": {"core": 4}}}}
    jobs = [
        sl.Job(int(row["job"]), row["submit"], row["run"], int(row["requested_processors"]))
        for row in table.iter_rows(named=True)
    ]
    result = sl.simulate(jobs, system=path_system, scheduler="fifo", timeline="csv")
    assert result.metrics["wait"]["max"] == 0
    end = -(-(fill.run_seconds + fill.duration_seconds) // 10) * 10
    used = curves(result.timeline, 0, end, int(end // 10), ["core_used"])["core_used"].to_numpy()
    full = int(fill.duration_seconds // 10)
    assert (np.diff(used[:full]) == 4).all()
    assert (used[full : int(fill.run_seconds // 10)] == 64).all()
    assert np.abs(np.diff(used)).max() <= 4  # no drop larger than a fill job


def test_residual_is_that_of_the_jobs():
    table = log(4000)
    model = WorkloadModel.fit(table, cores_per_node=4, joint="jobs")
    cores, run = table["requested_processors"].to_numpy(), table["run"].to_numpy()
    exact = (cores * run * run).sum() / (2 * (cores * run).sum())
    assert residual_seconds(model, "paired", None, None) == pytest.approx(exact, rel=0.1)
    workload = model.generate("a", processors=64, fill_wait=3600)
    assert workload.fill.residual_seconds == residual_seconds(model, "paired", 64, None)
    assert (
        model.generate("b", processors=64, fill_wait=60, fill_residual=5).fill.backlog_seconds == 65
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"processors": 0}, "processors must be above 0"),
        ({"wait_seconds": 0}, "wait_seconds must be above 0"),
        ({"wait_seconds": float("nan")}, "wait_seconds must be above 0"),
        ({"residual_seconds": -1}, "residual_seconds must be 0 or more"),
        ({"interval_seconds": 0}, "interval_seconds must be above 0"),
        ({"job_processors": 65}, "job_processors must be from 1 to the 64"),
        ({"job_processors": 1, "interval_seconds": 600}, "take longer to fill the machine than"),
        ({"processors": 10**8, "job_processors": 1, "interval_seconds": 1e-9}, "at most 1,000,000"),
    ],
)
def test_wrong_fills(options, message):
    with pytest.raises(InputError, match=message):
        Fill(**{"processors": 64, "wait_seconds": 3600, **options})
