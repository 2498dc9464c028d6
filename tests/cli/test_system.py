"""`schedlab system show` and `convert`, and where warnings about a machine appear."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schedlab.cli import app
from schedlab.system import load_system

I5 = """name = "i5 cluster"
[processors.i5-7500]
cores = 4
clock = 3.4
memory_bandwidth = 38400
power = { core = 6.14, shared = 5.59, idle = 0.28 }
contention = { b = -1.85e-5, c = 32000, da = 1.75, db = 3500, dc = 45000, dd = 3000, k = 0.6 }
steps = [ { clock = 2.5, core = 3.51, shared = 3.20, idle = 0.16 } ]
[node_types.compute]
processors = { i5-7500 = 1 }
resources = { mem = 8388608 }
transitions = { off = { down_seconds = 30, down_power = 60, up_seconds = 120, up_power = 90 } }
[groups.compute]
nodes = 15
type = "compute"
rack = 5
"""
ACCASIM = '{"groups": {"g0": {"core": 4}, "g1": {"core": 8}}, "resources": {"g0": 2, "g1": 1}}'
WARNING = "schedlab: warning: processors.i5-7500.contention: beside 7 others"


@pytest.fixture
def machine(tmp_path: Path) -> str:
    path = tmp_path / "i5.toml"
    path.write_text(I5)
    return str(path)


@pytest.fixture
def doubtful(tmp_path: Path) -> str:
    path = tmp_path / "doubtful.toml"
    path.write_text(I5.replace("cores = 4", "cores = 8"))
    return str(path)


def invoke(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "80"})
    return result.exit_code, result.stdout, result.stderr


def test_shows_a_platform(machine: str) -> None:
    code, shown, errors = invoke("system", "show", machine)
    assert (code, errors) == (0, "")
    for text in (
        "1 x i5-7500",
        "125,829,120",
        "4.20 W idle, 452.25 W at full load",
        "38.4",
        "17.24",
        "-1.85e-05",
        "off",
    ):
        assert text in shown
    assert max(map(len, shown.splitlines())) <= 90  # the summary alone may be longer than 80
    assert "…" not in shown


def test_shows_a_machine_of_amounts_alone(tmp_path: Path) -> None:
    path = tmp_path / "seth.json"
    path.write_text(ACCASIM)
    code, shown, _ = invoke("system", "show", str(path))
    assert code == 0
    rows = [line.split() for line in shown.splitlines()]
    assert ["g0", "2", "8"] in rows
    assert ["together", "3", "16"] in rows
    assert "W" not in shown


def test_shows_partitions(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(
        "[groups.g]\nnodes = 5\nresources = { core = 2 }\n"
        '[partitions.debug]\nnodes = "1-2"\nmax_time = "1h"\n[partitions.all]\nmax_tasks = 7\n'
    )
    code, shown, _ = invoke("system", "show", str(path))
    rows = [line.split() for line in shown.splitlines()]
    assert code == 0
    assert ["debug", "2", "3,600", "-", "-"] in rows
    assert ["all", "5", "-", "-", "7"] in rows


def test_json_is_json_and_nothing_else(machine: str) -> None:
    command = [sys.executable, "-m", "schedlab", "system", "show", machine, "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    facts = json.loads(ended.stdout)
    assert facts["full_watts"] == pytest.approx(452.25)
    assert facts["groups"][0]["racks"] == 3
    assert facts["node_types"][0]["states"]["off"]["up_seconds"] == 120
    assert facts["processors"][0]["clocks"][1] == {
        "clock": 2.5,
        "idle_watts": 0.16,
        "full_watts": pytest.approx(17.24),
    }


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_convert_writes_the_same_machine(machine: str, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"out.{ending}"
    code, shown, _ = invoke("system", "convert", machine, str(target))
    assert (code, shown) == (0, f"{target}: 15 nodes in 1 group\n")
    assert load_system(target) == load_system(machine)
    other = tmp_path / "seth.config"
    other.write_text(ACCASIM)
    code, _, errors = invoke("system", "convert", str(other), str(target), "--quiet")
    assert code == 2
    assert "is there already; --force" in errors
    assert load_system(target) == load_system(machine)
    given = ("system", "convert", str(other), str(target), "--quiet", "--force")
    assert invoke(*given) == (0, "", "")
    assert load_system(target) == load_system(other)


def test_wrong_use_is_said(machine: str, tmp_path: Path) -> None:
    code, _, errors = invoke("system", "convert", machine, str(tmp_path / "out.yaml"))
    assert code == 2
    assert "out.yaml: must end in .toml or .json" in errors
    bad = tmp_path / "bad.toml"
    bad.write_text(I5.replace("clock = 3.4", "clock = 0"))
    code, _, errors = invoke("system", "show", str(bad))
    assert code == 2
    assert errors.endswith("bad.toml: processors.i5-7500.clock: must be above 0 (is 0)\n")
    code, shown, _ = invoke("system")
    assert code == 2
    assert "convert" in shown


def test_warnings_are_printed_and_kept(doubtful: str, tmp_path: Path) -> None:
    assert invoke("system", "show", doubtful)[2].startswith(WARNING)
    jobs = tmp_path / "jobs.swf"
    jobs.write_text("1 0 -1 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n")
    out = tmp_path / "run"
    code, _, errors = invoke("run", str(jobs), "--system", doubtful, "--out", str(out))
    assert code == 0
    assert WARNING in errors
    kept = json.loads((out / "run.json").read_text())["warnings"]
    assert [f"schedlab: warning: {text}" for text in kept] == errors.splitlines()[-1:]
    assert WARNING not in invoke("run", str(jobs), "--system", doubtful, "--quiet")[2]
    command = ["compare", str(jobs), "--system", doubtful, "--schedulers", "fifo,easy"]
    errors = invoke(*command, "--out", str(tmp_path / "both"), "--no-report")[2]
    assert errors.count(WARNING) == 1
