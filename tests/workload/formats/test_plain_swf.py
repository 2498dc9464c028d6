"""What all writers of SWF give by default: files that a strict parser reads; what is lost."""

from __future__ import annotations

import subprocess
import sys

import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workload.formats.strict_swf import strict_rows
from workload.models.scsf.rows import log

import schedlab as sl
from schedlab.errors import LossWarning
from schedlab.workload.formats import exact_writer, open_reader, write_tables
from schedlab.workload.formats.swf.plain import whole
from schedlab.workload.models.scsf import WorkloadModel, workflows
from schedlab.workload.swf import FIELDS, whole_number
from schedlab.workload.table import complete
from schedlab.workload.workflow import Task, Workflow

pytestmark = pytest.mark.filterwarnings("ignore::schedlab.errors.LossWarning")

SECONDS = st.one_of(st.just(-1.0), st.integers(0, 10**6).map(float), st.floats(0, 1e6))
COUNTS = st.sampled_from([-1.0, 1.0, 2.0, 8.0])
TABLES = st.lists(
    st.fixed_dictionaries(
        {
            "submit": st.floats(0, 1e6),
            "wait": SECONDS,
            "run": SECONDS,
            "cpu_time": SECONDS,
            "requested_time": SECONDS,
            "used_memory": SECONDS,
            "requested_processors": st.sampled_from([1.0, 2.0, 8.0]),
            "tasks": COUNTS,
            "tasks_per_node": COUNTS,
            "task_core": COUNTS,
            "task_mem": COUNTS,
            "task_gpu": COUNTS,
            "whole_nodes": st.sampled_from([-1.0, 1.0]),
            "color": SECONDS,
            "predecessors": st.lists(st.integers(1, 9), max_size=3),
            "name": st.sampled_from(["", "a job"]),
        }
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(TABLES)
def test_every_table_becomes_18_whole_numbers(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("plain")
    rows = sorted(rows, key=lambda row: row["submit"])
    kinds = {"predecessors": polars.List(polars.Int64), "name": polars.String}
    schema = {name: kinds.get(name, polars.Float64) for name in rows[0]}
    frame = polars.DataFrame(rows, schema=schema)
    table = complete(frame.with_columns(job=polars.int_range(1, len(rows) + 1)))
    made = write_tables(folder / "a.swf", [table])
    read = strict_rows(folder / "a.swf")
    assert len(read) == len(rows)
    place = {name: number for number, name in enumerate(FIELDS)}
    for given_, got in zip(rows, read, strict=True):
        run, requested = got[place["run"]], got[place["requested_time"]]
        assert (run > 0) == (given_["run"] > 0)
        assert (run < 0) == (given_["run"] < 0)
        if 0 <= given_["run"] <= given_["requested_time"]:
            assert run <= requested  # what a request covered, it covers
        for name in ("submit", "wait", "run", "requested_time", "cpu_time", "used_memory"):
            assert abs(got[place[name]] - given_[name]) <= 1
            assert got[place[name]] == whole_number(name, given_[name])
        if len(given_["predecessors"]) == 1:
            assert got[place["preceding_job"]] == given_["predecessors"][0]
        if given_["task_mem"] > 0:
            assert got[place["requested_memory"]] > 0
    assert made.losses["task_gpu"] == sum(row["task_gpu"] > 0 for row in rows)
    assert made.losses["whole_nodes"] == sum(row["whole_nodes"] > 0 for row in rows)
    assert made.losses["predecessors"] == sum(len(row["predecessors"]) > 1 for row in rows)
    assert made.losses["color"] == sum(row["color"] != -1 for row in rows)
    assert made.losses["name"] == sum(row["name"] != "" for row in rows)
    exact = write_tables(folder / "b.swf", [table], name=exact_writer("b.swf"))
    assert set(exact.losses) <= {"name"}
    again = polars.concat(open_reader(folder / "b.swf").tables())
    assert again["predecessors"].to_list() == table["predecessors"].to_list()
    assert again["task_gpu"].equals(table["task_gpu"])


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(FIELDS), st.floats(-1e9, 1e9, allow_subnormal=False))
def test_both_ways_to_round_are_one(field, number):
    column = polars.Series([number], dtype=polars.Float64).to_numpy()
    assert whole(field, column)[0] == whole_number(field, number)


def test_memory_is_in_field_10(tmp_path):
    table = complete(
        polars.DataFrame(
            {"job": [1, 2], "submit": [0, 0], "run": [9, 9], "requested_processors": [8, 8]}
            | {"tasks": [2, 2], "task_core": [4, 4], "task_mem": [10, -1]}
        )
    )
    for unit, expected in (("KB", 3), ("MB", 2560), ("GB", 2_621_440)):
        write_tables(tmp_path / "a.swf", [table], name=f"swf(memory_unit={unit})")
        assert [row[9] for row in strict_rows(tmp_path / "a.swf")] == [expected, -1]
    with pytest.raises(sl.InputError, match="must be one of KB, MB, GB"):
        write_tables(tmp_path / "a.swf", [table], name="swf(memory_unit=TB)")
    with pytest.raises(sl.InputError, match="must be true or false"):
        write_tables(tmp_path / "a.swf", [table], name="swf(exact=perhaps)")


@pytest.mark.filterwarnings("default::schedlab.errors.LossWarning")
def test_python_code_is_warned(tmp_path):
    with pytest.warns(LossWarning, match="fractions of 1 jobs"):
        sl.write_swf(tmp_path / "a.swf", [(1, 0.4, -1, 0.2, 1, *[-1] * 13)])
    assert strict_rows(tmp_path / "a.swf") == [[1, 0, -1, 1, 1, *[-1] * 13]]
    table = complete(polars.DataFrame({"job": [1], "submit": [0], "run": [1], "task_gpu": [2]}))
    with pytest.warns(LossWarning, match=r"task_gpu of 1 jobs; the writer swf\(exact=true\)"):
        write_tables(tmp_path / "a.swf", [table])


def test_generators_in_python(tmp_path):
    model = WorkloadModel.fit(log(), cores_per_node=4)
    fork = Workflow([Task("a", 1.5), Task("b", 2.5), Task("c", 3, predecessors=("a", "b"))])
    made = model.generate(
        "a", duration=20_000, processors=64, pressure_low=1.0,
        insertions=workflows("share:0.2", [(1, fork)]),
    ).write(tmp_path / "m.swf")  # fmt: skip
    assert len(strict_rows(tmp_path / "m.swf")) == made.rows
    assert made.losses["predecessors"] > 0
    assert made.losses["fractions"] > 0
    assert "phase" not in made.losses  # the header has the times of all phases
    sl.LublinFeitelson(64, "both").write(tmp_path / "l.swf", 300)
    assert len(strict_rows(tmp_path / "l.swf")) == 300
    system = {"processor": {"core": 2}, "groups": {
        "n": {"nodes": 8, "resources": {"core": 4, "mem": 1000}},
        "g": {"nodes": 8, "resources": {"core": 4, "mem": 1000, "gpu": 2}},
    }}  # fmt: skip
    limits = {"min": {"core": 1, "mem": 10, "gpu": 0}, "max": {"core": 4, "mem": 900, "gpu": 2}}
    facts = sl.WorkloadGenerator(
        tmp_path / "l.swf", system, {"core": 3.3, "gpu": 933}, limits
    ).generate(400, tmp_path / "g.swf")
    rows = strict_rows(tmp_path / "g.swf")
    assert all(row[9] > 0 and row[3] >= 0 for row in rows)
    assert facts.losses["task_gpu"] > 0
    assert any("--exact" in note for note in facts.notes)


def schedlab(folder, *arguments):
    command = [sys.executable, "-m", "schedlab", "workload", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    return done.stderr


def test_commands(tmp_path):
    table = log(300).with_columns(polars.col("run") + 0.25, task_gpu=polars.lit(1.0))
    source = "all.swf"
    write_tables(tmp_path / source, [table], {"MaxProcs": "64"}, exact_writer(source))
    for command in (
        ("convert", source, "new.swf"),
        ("clean", source, "new.swf"),
        ("anonymise", source, "new.swf"),
    ):
        printed = schedlab(tmp_path, *command, "--force")
        count = len(strict_rows(tmp_path / "new.swf"))
        assert count > 200  # cleaning takes some
        assert f"lost task_gpu of {count} jobs" in printed
        assert f"lost fractions of {count} jobs" in printed
        assert "--exact" in printed
        assert "lost" not in schedlab(tmp_path, *command, "--exact", "--force")
        again = polars.concat(open_reader(tmp_path / "new.swf").tables())
        assert set(again["run"]) <= set(table["run"])
        assert set(again["task_gpu"]) == {1.0}
        assert again.height == count


def test_lines_with_fractions_are_cleaned_to_whole_numbers(tmp_path):
    lines = "; Note: \xe9 as it is\n1 0 -1 10 1 2.50 -1 1 9 -1 1 1 1 1 1 1 -1 -1 more\n"
    lines += "  2  5 -1 10 1 2 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n"
    (tmp_path / "a.swf").write_text(lines, encoding="utf-8")
    made = sl.clean(tmp_path / "a.swf").write(tmp_path / "b.swf")
    assert made.losses == {"fractions": 1}
    assert [row[5] for row in strict_rows(tmp_path / "b.swf")] == [3, 2]
    text = (tmp_path / "b.swf").read_text(encoding="utf-8")
    assert "; Note: \xe9 as it is\n" in text
    assert "  2  5 -1 10 1 2" in text  # a plain line stays as it is


def test_exact_is_for_swf(tmp_path):
    write_tables(tmp_path / "a.swf", [log(20)])
    command = [sys.executable, "-m", "schedlab", "workload", "convert", "a.swf", "a.parquet"]
    done = subprocess.run(
        [*command, "--exact"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "a.parquet: exact is for SWF" in done.stderr
    assert exact_writer("x.swf.gz", "swf(memory_unit=MB)") == "swf(memory_unit=MB, exact=true)"
