"""`schedlab workload model`, `generate model` and `tune` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys

import polars
import pytest
from workload.models.scsf.rows import log

from schedlab.workload.formats import open_reader, write_tables
from schedlab.workload.models.scsf import WorkloadModel

GENERATE = ("generate", "model", "model.json", "--out", "x.swf")
SYSTEM = 'name = "m"\n[groups.n]\nnodes = 16\nresources = { core = 4 }\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns a folder with a log, its model and a machine."""
    path = tmp_path_factory.mktemp("commands")
    write_tables(path / "log.swf", [log()], {"MaxProcs": "64", "MaxNodes": "16"})
    (path / "m.toml").write_text(SYSTEM)
    WorkloadModel.fit(path / "log.swf").save(path / "model.json")
    return path


def schedlab(folder, *arguments, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "schedlab", "workload", *arguments],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def test_model(folder):
    printed = schedlab(
        folder, "model", "log.swf", "--out", "made.json", "--joint", "size", "--arrivals", "weekly",
        "--bins", "run=30, wait=600", "--values", "run=upper", "--cores-per-node", "8",
    )  # fmt: skip
    assert printed.startswith(
        "made.json: model of 2,000 of 2,000 jobs, times by size, weekly arrivals\n"
    )
    assert "interarrival" in printed
    made = WorkloadModel.load(folder / "made.json")
    assert (made.variables["run"].bin_size, made.variables["run"].value) == (30, "upper")
    assert made.variables["wait"].bin_size == 600
    assert made.node_cores == 8
    assert len(made.classes) == 4


def test_generate(folder):
    printed = schedlab(
        folder, "generate", "model", "model.json", "--out", "new.swf", "--seed", "alpha",
        "--system", "m.toml", "--pressure", "1.0..1.2", "--fill-wait", "1h", "--duration", "10h",
        "--stabilization", "2h", "--drain", "30m", "--most-work", "20m", "--exact",
    )  # fmt: skip
    assert [line.split()[0] for line in printed.splitlines()[1:]] == [
        "fill", "stabilization", "experiment", "drain"
    ]  # fmt: skip
    reader = open_reader(folder / "new.swf")
    table = polars.concat(reader.tables())
    assert set(table["phase"]) == {1, 2, 3, 4}
    assert "job pressure between 1 and 1.2" in reader.header["Note"]
    regular = table.filter(polars.col("phase") > 1)
    assert (regular["run"] * regular["requested_processors"]).max() <= 64 * 1200


def test_generate_with_workflows_and_settings(folder):
    (folder / "wide.json").write_text(
        '{"tasks": [{"id": "a", "cores": 8, "rtime": 60},'
        ' {"id": "b", "cores": 4, "rtime": 60, "deps": ["a"]}]}'
    )
    (folder / "settings.json").write_text(
        '{"schedlab_generation_settings": 1, "processors": 64, "pressure_low": 0.5}'
    )
    schedlab(
        folder, "generate", "model", "model.json", "--out", "w.swf", "--settings", "settings.json",
        "--duration", "2h", "--workflows", "period:3600", "--manifest", "1:wide.json", "--exact",
    )  # fmt: skip
    table = polars.concat(open_reader(folder / "w.swf").tables())
    assert table.filter(polars.col("workflow") > 0).height == 4
    schedlab(
        folder, "generate", "model", "model.json", "--out", "p.swf", "--duration", "2h",
        "--workflows", "period:3600", "--manifest", "1:wide.json", "--handling", "pilot", "--exact",
    )  # fmt: skip
    table = polars.concat(open_reader(folder / "p.swf").tables())
    assert table.filter(polars.col("workflow") > 0)["requested_processors"].to_list() == [8, 8]


def test_periods_and_manifests_as_people_write_them(folder):
    for name, period, manifest in (
        ("s", "period:3600", "1:wide.json"),
        ("h", "period:1h", "wide.json"),
    ):
        schedlab(
            folder, "generate", "model", "model.json", "--out", f"{name}.swf", "--duration", "3h",
            "--workflows", period, "--manifest", manifest,
        )  # fmt: skip
    assert (folder / "s.swf").read_bytes() == (folder / "h.swf").read_bytes()


def test_tune_and_what_comes_of_it(folder):
    printed = schedlab(
        folder, "tune", "model.json", "--system", "m.toml", "--wait", "1h", "--seeds", "3",
        "--stabilization", "8h", "--duration", "12h", "--tolerance", "0.2", "--out", "tuned.json",
    )  # fmt: skip
    assert printed.startswith("wanted: a mean wait of 1 h\n")
    assert "medians over 3 seeds" in printed
    tuned = json.loads((folder / "tuned.json").read_text())
    assert tuned["processors"] == 64
    schedlab(
        folder, "generate", "model", "model.json", "--settings", "tuned.json", "--out", "t.swf",
        "--seed", "0",
    )  # fmt: skip
    header = next(open_reader(folder / "t.swf").tables())
    assert header.height > 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model", "none.swf", "--out", "x"], "none.swf"),
        (["model", "log.swf", "--out", "x", "--bins", "run"], "--bins 'run': must be NAME=VALUE"),
        (["model", "log.swf", "--out", "x", "--bins", "run=a"], "--bins run=a: must be a number"),
        (["model", "log.swf", "--out", "x", "--bins", "run=1,run=2"], "--bins: run is given twice"),
        (["model", "log.swf", "--out", "x", "--joint", "all"], "joint: must be one of"),
        (["generate", "model", "none", "--out", "x.swf"], "none: no such file"),
        (["generate", "model", "model.json", "--out", "x.zip"], "x.zip: its name does not say"),
        ([*GENERATE, "--duration", "x"], "--duration 'x'"),
        ([*GENERATE, "--pressure", "a"], "--pressure 'a'"),
        ([*GENERATE, "--pressure", "1"], "pressure_low: n"),
        ([*GENERATE, "--manifest", "m"], "needs --workflow"),
        (
            [*GENERATE, "--workflows", "period:60",
             "--manifest", "0.4:"],
            "--manifest '0.4:': must be FILE, or WEIGHT:FILE",
        ),
        (["tune", "model.json", "--system", "none.toml"], "none.toml: no such file"),
        (["tune", "model.json", "--system", "m.toml", "--wait", "soon"], "--wait 'soon'"),
    ],
)  # fmt: skip
def test_wrong_use(folder, arguments, message):
    assert message in schedlab(folder, *arguments, code=2)
