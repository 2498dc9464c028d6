"""What a format has no place for is reported, column by column."""

import polars
import pytest

from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import complete

ROWS = complete(
    polars.DataFrame(
        {
            "job": [1, 2],
            "submit": [0, 0],
            "wait": [0, 0],
            "run": [60, 60],
            "allocated_processors": [4, 4],
            "requested_processors": [4, 4],
            "requested_time": [120, 120],
            "used_memory": [512, -1],
            "requested_memory": [1000, -1],
            "cpu_time": [50, -1],
            "status": [1, 1],
            "user": [1, 1],
            "tasks": [2, 2],
            "tasks_per_node": [1, 1],
            "task_core": [2, 2],
            "task_gpu": [1, 0],
            "whole_nodes": [0, 1],
            "color": [7, -1],
        }
    )
)


@pytest.mark.parametrize("form", ["manifest", "wfformat", "dax"])
def test_of_a_workflow(tmp_path, form):
    losses = write_tables(tmp_path / "a.json", [ROWS], name=form).losses
    lost = {"cpu_time": 1, "requested_memory": 1, "color": 1, "tasks": 2, "task_gpu": 2}
    assert losses.items() >= lost.items()
    assert losses["used_memory"] == (1 if form == "manifest" else 0)
    assert "workflow" not in losses
    assert "submit time" not in losses


@pytest.mark.parametrize("form", ["sacct", "pbs"])
def test_of_jobs_without_gpus_in_an_accounting_log(tmp_path, form):
    path = tmp_path / f"a.{form}"
    losses = write_tables(path, [ROWS], {"UnixStartTime": "1000000000"}).losses
    assert losses == {"color": 1, "tasks": 1, "whole_nodes": 1}
    again = polars.concat(open_reader(path).tables())
    shape = ["tasks", "tasks_per_node", "task_core", "task_gpu"]
    assert again.select(shape).row(0) == ROWS.select(shape).row(0)  # the others are lost


@pytest.mark.parametrize("form", ["sacct", "pbs"])
def test_of_fractions_of_gpus(tmp_path, form):
    rows = ROWS.head(1).with_columns(task_gpu=0.3)
    losses = write_tables(tmp_path / f"a.{form}", [rows], {"UnixStartTime": "1000000000"}).losses
    assert losses["fractions of GPUs"] == 1


@pytest.mark.parametrize("form", ["sacct", "pbs"])
def test_of_many_plain_rows(tmp_path, form):
    # polars evaluates a predicate without columns once per thread on a frame of some size.
    rows = polars.concat([ROWS.select(FIELDS).head(1)] * 20_000)
    losses = write_tables(tmp_path / f"a.{form}", [rows], {"UnixStartTime": "1000000000"}).losses
    assert not losses
