"""IRMaSim's JSON: tasks and nodes, instructions and run times, profiles or not."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

import schedlab
from schedlab.errors import InputError
from schedlab.workload.formats import format_to_read, open_reader, write_tables
from schedlab.workload.swf import FIELDS
from schedlab.workload.table import complete

WORK = {"req_ops": 6.8e9, "ipc": 2, "req_time": 10, "mem": 50, "mem_vol": 19}


def write(tmp_path: Path, *jobs: dict, **more: object) -> Path:
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"jobs": list(jobs), **more}))
    return path


def read(path: Path, reader: str | None = None) -> tuple[polars.DataFrame, dict]:
    opened = open_reader(path, reader)
    return polars.concat(opened.tables()), opened.skipped


def test_a_job_with_a_profile(tmp_path: Path) -> None:
    job = {"id": "job57218", "subtime": 2.5, "res": 4, "profile": "t", "req_energy": 7}
    path = write(tmp_path, job, profiles={"t": WORK}, nb_res=60)
    assert format_to_read(str(path)) == "irmasim"
    table, skipped = read(path)
    assert not skipped
    row = {name: value for name, value in table.row(0, named=True).items() if value != -1}
    assert row == {
        "job": 1,
        "name": "job57218",
        "submit": 2.5,
        "run": 1.0,  # 6.8e9 / (2 x 3.4e9)
        "requested_time": 10,
        "requested_processors": 4,
        "requested_memory": 50 * 1024,
        "tasks": 1,  # all on one node
        "task_core": 4,
        "instructions": 6.8e9,
        "ipc": 2,
        "memory_volume": 19,
        "req_energy": 7,
    }


def test_what_a_job_says_goes_before_its_profile(tmp_path: Path) -> None:
    job = {"id": 3, "subtime": 0, "res": 1, "profile": "t", "ipc": 1}
    table, _ = read(write(tmp_path, job, profiles={"t": WORK}))
    assert table["run"].to_list() == [2.0]


def test_clock_and_operations_per_cycle(tmp_path: Path) -> None:
    path = write(tmp_path, {"id": 3, "subtime": 0, "res": 1, **WORK})
    assert read(path, "irmasim(clock=1.7)")[0]["run"].to_list() == [2.0]
    assert read(path, "irmasim(clock=1.7, flops_per_cycle=4)")[0]["run"].to_list() == [0.5]
    with pytest.raises(InputError, match="clock: must be a number above 0, not 0"):
        read(path, "irmasim(clock=0)")


@pytest.mark.parametrize(
    ("shape", "tasks", "per_node", "cores"),
    [
        ({"res": 4}, 1, -1, 4),
        ({"ntasks": 6}, 6, 1, 1),
        ({"ntasks": 6, "ntasks_per_node": 4}, 6, 4, 1),
        ({"nodes": 3}, 3, 1, 1),
        ({"nodes": 3, "ntasks_per_node": 2}, 3, 1, 2),
        ({"nodes": 1, "ntasks": 4}, 1, -1, 4),
        ({"nodes": 2, "ntasks": 6}, 2, 1, 3),
        ({"ntasks": 6, "ntasks_per_node": 3}, 2, 1, 3),
        ({"nodes": 2, "ntasks": 5}, 5, 3, 1),
        ({"nodes": 2, "ntasks": 5, "ntasks_per_node": 4}, 5, 3, 1),
    ],
)
def test_tasks_and_nodes(
    tmp_path: Path, shape: dict, tasks: int, per_node: int, cores: int
) -> None:
    table, skipped = read(write(tmp_path, {"subtime": 0, **shape, **WORK}))
    assert not skipped
    assert table["tasks"].to_list() == [tasks]
    assert table["tasks_per_node"].to_list() == [per_node]
    assert table["task_core"].to_list() == [cores]
    assert table["requested_processors"].to_list() == [tasks * cores]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"res": 4, "nodes": 1}, "res and nodes, ntasks or ntasks_per_node"),
        ({}, "no res, ntasks or nodes"),
        ({"ntasks_per_node": 2}, "no res, ntasks or nodes"),
        ({"res": 1.5}, "res is not a whole number"),
        ({"res": 0}, "res below 1"),
        (
            {"nodes": 2, "ntasks": 5, "ntasks_per_node": 1},
            "nodes, ntasks and ntasks_per_node do not go together",
        ),
        ({"res": 1, "ipc": 0}, "ipc is 0"),
        ({"res": 1, "ipc": None}, "no ipc"),
        ({"res": 1, "req_ops": "many"}, "req_ops is not a number"),
        ({"res": 1, "mem": -3}, "mem below 0"),
        ({"res": 1, "profile": "x"}, "profile is not defined"),
    ],
)
def test_jobs_that_cannot_be_used_are_counted(tmp_path: Path, change: dict, reason: str) -> None:
    good = {"id": 1, "subtime": 0, "res": 1, **WORK}
    table, skipped = read(write(tmp_path, good, {"id": 2, "subtime": 0, **WORK, **change}))
    assert table["job"].to_list() == [1]
    assert skipped == {reason: {"rows": 1, "first_line": 1}}


def test_a_job_on_one_node_is_simulated_on_one_node(tmp_path: Path) -> None:
    jobs = [{"id": n, "subtime": 0, "res": 3, **WORK} for n in (1, 2, 3)]
    machine = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
    schedlab.simulate(str(write(tmp_path, *jobs)), system=machine, out=tmp_path / "out")
    table = polars.read_csv(tmp_path / "out" / "jobs.csv")
    assert table["start"].to_list() == [0, 0, 1]  # two fit, though 8 cores hold 2 x 3 + 2
    assert {"instructions", "ipc", "memory_volume"} <= set(table.columns)


def test_rows_come_back_in_all_fields(tmp_path: Path) -> None:
    rows = [
        [1, 0, 5, 60.3, 4, 30.5, 100, 4, 120, 300, 1, 2, 3, 4, 5, 6, -1, -1],
        [2, 1.25, -1, -1, -1, -1, -1, -1, -1, -1, 5, -1, -1, -1, -1, -1, 1, 10],
        [3, 2, 0, 0, 8, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [4, 9, -1, 7, 30, -1, -1, 30, -1, 1024, -1, -1, -1, -1, -1, -1, -1, -1],
    ]
    table = complete(polars.DataFrame(rows, list(FIELDS), orient="row"))
    header = {"MaxProcs": "128", "MaxNodes": "16"}
    write_tables(tmp_path / "w.json", [table], header, "irmasim")
    assert format_to_read(str(tmp_path / "w.json")) == "irmasim"
    reader = open_reader(tmp_path / "w.json")
    again = polars.concat(reader.tables())
    assert again.select(FIELDS).equals(table)
    assert reader.header == header
    assert again["tasks"].to_list() == [1, 1, 1, 30]  # up to eight processors are on a node
    assert again["tasks_per_node"].to_list() == [-1, -1, -1, 8]
    on_slower_cores = read(tmp_path / "w.json", "irmasim(clock=1.7)")[0]["run"].to_list()
    assert on_slower_cores == pytest.approx([120.6, 0, 0, 14])


def test_what_tasks_do_comes_back(tmp_path: Path) -> None:
    jobs = [
        {"id": 1, "subtime": 0, "ntasks": 6, "ntasks_per_node": 2, **WORK},
        {"id": 2, "subtime": 1, "res": 3, **WORK, "mem_vol": 0.5},
        {"id": 3, "subtime": 1, "ntasks": 5, "ntasks_per_node": 3, **WORK},
        {"id": 4, "subtime": 1, "ntasks": 3, **WORK},
    ]
    table, _ = read(write(tmp_path, *jobs))
    written = write_tables(tmp_path / "again.json", [table], name="irmasim(cores_per_node=2)")
    assert not written.losses
    again, _ = read(tmp_path / "again.json")
    assert again.select(table.columns).equals(table)


def test_what_it_cannot_hold_is_reported(tmp_path: Path) -> None:
    jobs = [schedlab.Job(1, 0, 60, 4, resources={"core": 2, "gpu": 1})]
    from schedlab.workload.table import table_of

    table = table_of(jobs)
    written = write_tables(tmp_path / "w.json", [table], name="irmasim")
    assert written.losses == {"cores per task": 1}
    again, _ = read(tmp_path / "w.json")
    assert again["requested_processors"].to_list() == [8]
    assert again["task_gpu"].to_list() == [1]
