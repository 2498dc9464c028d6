"""The example of ScSF's figures runs and leaves what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PIL import Image
from workload.model.rows import log

from schedlab.workload.formats import write_tables

SCRIPT = Path(__file__).parents[2] / "examples" / "scsf_workloads.py"


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)


def test_figures_and_tables(tmp_path):
    trace, out = tmp_path / "log.swf", tmp_path / "out"
    write_tables(trace, [log(1500)], {"MaxProcs": "64", "MaxNodes": "16"})
    done = run(
        trace, "--nodes", "16", "--cores", "4", "--out", out, "--seeds", "1", "--wait", "3"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name in ("figure-7-likeness", "figures-8-to-12-utilization", "figure-12-waits"):
        with Image.open(out / f"{name}.png") as picture:
            assert picture.width >= 900
            assert len(picture.convert("RGB").getcolors(1 << 24)) > 50
    assert (out / "log.model.json").exists()
    assert (out / "tuned.json").exists()
    for line in ("KS distance", "whole jobs", "figure 12b", "wished for: 3.00 h"):
        assert line in done.stdout


def test_without_the_trace(tmp_path):
    done = run(tmp_path / "none.swf", "--nodes", "2", "--cores", "4", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
