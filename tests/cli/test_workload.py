"""`schedlab workload inspect`: the facts on the screen and as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import shared_file
from typer.testing import CliRunner

from schedlab.cli import app
from schedlab.workload import write_swf
from schedlab.workload.models.synthetic import header_lines, synthetic_rows


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "demo.swf"
    write_swf(path, synthetic_rows(500), header_lines(500, 1))
    return str(path)


def test_shows_the_facts(trace: str) -> None:
    result = CliRunner().invoke(app, ["workload", "inspect", trace])
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    for text in ("schedlab demo machine", "2024-01-01", "offered load", "of MaxProcs 1,024", "█"):
        assert text in result.stdout


def test_json_is_json_and_nothing_else(trace: str) -> None:
    command = [sys.executable, "-m", "schedlab", "workload", "inspect", trace, "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    facts = json.loads(ended.stdout)
    assert facts["rows"] == 500
    assert facts["header"]["MaxProcs"] == "1024"


def test_shows_warnings_and_a_file_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "odd.swf"
    path.write_text("1 5 -1 0 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\nnot a row\n")
    shown = CliRunner().invoke(app, ["workload", "inspect", str(path)]).stdout
    assert "1 row with run time 0: kept, or see --zero-run" in shown
    assert "1 line without 18 numbers" in shown
    path.write_text("; Version: 2\n")
    result = CliRunner().invoke(app, ["workload", "inspect", str(path)])
    assert result.exit_code == 0
    assert "no rows" in result.stdout


def test_screen_without_unicode(trace: str) -> None:
    command = [sys.executable, "-m", "schedlab", "workload", "inspect", trace]
    ended = subprocess.run(
        command,
        capture_output=True,
        timeout=60,
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "%%" in ended.stdout.decode("ascii")


@pytest.mark.parametrize("arguments", [["absent.swf"], ["/"], [], ["--bars", "x"]])
def test_wrong_use(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["workload", "inspect", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith("schedlab: error: ")
    assert result.stderr.count("\n") == 1


def test_group_alone_shows_its_help() -> None:
    result = CliRunner().invoke(app, ["workload"])
    assert result.exit_code == 2
    assert "inspect" in result.stdout


def test_real_trace() -> None:
    trace = shared_file("traces", "SDSC-SP2-1998-5Ksample.swf.gz")
    result = CliRunner().invoke(app, ["workload", "inspect", str(trace), "--json"])
    facts = json.loads(result.stdout)
    assert facts["rows"] == 4961
    assert facts["submit"]["first_date"] == "1998-04-24 18:11:04"
    assert facts["rows_without"]["run_time"] == 355
