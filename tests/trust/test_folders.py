"""Files that lie about: none is run because a command is started beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from trust.doors import ROWS, SYSTEM
from trust.gadgets import CANARY

import schedlab as sl


@pytest.fixture
def littered(tmp_path) -> Path:
    """A folder with a trace, and with modules that Python might take for its own."""
    for name in ("sitecustomize", "usercustomize", "json", "random", "polars", "difflib", "typer"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / CANARY)!r}, 'w')\n")
    sl.write_swf(tmp_path / "w.swf", ROWS)
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_workers_of_experiments_start_as_python_does(littered):
    """Where the current folder is on the path, as in notebooks, it comes after Python's start."""
    code = f"""
import sys, os
import polars, random, json, difflib  # as a notebook has them by the time that data is opened
sys.path.insert(0, "")
import schedlab as sl
made = sl.Experiment("x", workloads="w.swf", systems={{"m": {SYSTEM!r}}}, schedulers="fifo").run()
assert made.failures == [], made.failures
"""
    done = run(littered, "-P", "-c", code)
    assert done.returncode == 0, done.stderr
    assert not os.path.exists(littered / CANARY)


def test_settings_of_matplotlib_in_the_folder_are_not_read(littered):
    pytest.importorskip("matplotlib")
    (littered / "matplotlibrc").write_text("backend: module://canary\nfont.size: 99\nbad line\n")
    code = """
import os, schedlab.analysis.style as style
before = os.getcwd()
style.require_matplotlib()
import matplotlib
assert os.getcwd() == before
assert matplotlib.rcParams["font.size"] != 99, matplotlib.rcParams["font.size"]
assert "canary" not in str(dict.__getitem__(matplotlib.rcParams, "backend"))
"""
    done = run(littered, "-P", "-c", code)
    assert (done.returncode, done.stderr) == (0, "")
    assert not os.path.exists(littered / CANARY)
