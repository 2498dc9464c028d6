"""The script that makes AccaSim's eight workloads runs and leaves what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from schedlab.workload import write_swf
from schedlab.workload.models import synthetic

SCRIPT = Path(__file__).parents[2] / "examples" / "accasim_workloads.py"


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)


def test_four_workloads_and_two_figures_of_a_trace(tmp_path):
    trace = tmp_path / "trace.swf"
    write_swf(trace, synthetic.synthetic_rows(3000, 1), synthetic.header_lines(3000, 1))
    out = tmp_path / "study"
    done = run(trace, "--machine", "RICC", "--scale", "0.02", "--out", out)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.split("GFLOP KS\n")[1].split("\n")
    for row, jobs in zip(rows, (1, 2, 4, 10), strict=False):
        label, hour, weekday, month, distance = row.split()
        assert (label, month) == (f"{jobs}k", "-")
        assert float(hour) < 6
        assert float(weekday) < 6
        assert float(distance) < 0.05
        lines = (out / f"ricc-{jobs}k.swf").read_text().splitlines()
        assert sum(not line.startswith(";") for line in lines) == jobs * 1000
    for name in ("figure-15-ricc-submissions", "figure-17-ricc-gflop"):
        for end in ("svg", "png"):
            assert (out / f"{name}.{end}").stat().st_size > 20_000


def test_without_the_trace(tmp_path):
    done = run(tmp_path / "none.swf", "--out", tmp_path / "study")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "none.swf" in done.stderr
    assert "Traceback" not in done.stderr
