"""The scripts in examples run and leave what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import schedlab as sl
from schedlab.workload import synthetic, write_swf

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_accasim_case_study(tmp_path):
    trace = tmp_path / "trace.swf"
    write_swf(trace, synthetic.synthetic_rows(300, 1), synthetic.header_lines(300, 1))
    script = EXAMPLES / "accasim_case_study.py"
    done = subprocess.run(
        [sys.executable, script, trace, "--out", tmp_path / "study", "--repeat", "2"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    comparison = sl.Comparison.load(tmp_path / "study")
    assert len(comparison.metrics) == 16
    for label in comparison.labels.values():
        assert f"\n{label:18}" in done.stdout  # a row of table 2
    for number in ("10-slowdown", "11-queue-size", "12-cpu-time", "13-scalability"):
        assert (tmp_path / "study" / f"figure-{number}.svg").stat().st_size > 5_000
    page = (tmp_path / "study" / "report.html").read_text(encoding="utf-8")
    assert page.count("<figure>") == 15


def test_accasim_case_study_without_the_trace(tmp_path):
    script = EXAMPLES / "accasim_case_study.py"
    done = subprocess.run(
        [sys.executable, script, tmp_path / "none.swf"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "none.swf" in done.stderr
    assert "Traceback" not in done.stderr
