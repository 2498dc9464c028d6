"""The example of ScSF's figures runs and leaves what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

import polars
import pytest
from PIL import Image
from workload.models.scsf.rows import log

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
    for line in ("KS distance", "whole jobs", "figure 12b", "wanted: 3.00 h"):
        assert line in done.stdout
    assert done.stdout.count("mean wait (h) of the jobs submitted in 4 hours") == 2
    assert "before the experiment" in done.stdout


def test_course_of_waits(monkeypatch):
    """By hand: means of all jobs, of the lowest and of the highest seed, without those of fill."""
    monkeypatch.syspath_prepend(SCRIPT.parent)
    from scsf_figures import HOUR, course_of_waits

    results, by_hand = [], {}
    for seed in (1, 2, 3):
        rows = [
            {"submit": 0.7 * HOUR * n, "wait": HOUR * (n * seed % 7), "phase": n % 4}
            for n in range(25)
        ]
        results.append(SimpleNamespace(jobs=polars.LazyFrame(rows)))
        for row in rows:
            if row["phase"] > 1:
                begin = row["submit"] // (4 * HOUR) * 4
                by_hand.setdefault(begin, {}).setdefault(seed, []).append(row["wait"] / HOUR)
    expected = [
        (
            begin,
            fmean(wait for waits in seeds.values() for wait in waits),
            min(map(fmean, seeds.values())),
            max(map(fmean, seeds.values())),
        )
        for begin, seeds in sorted(by_hand.items())
    ]
    assert len(expected) == 5
    for row, by in zip(course_of_waits(results).iter_rows(), expected, strict=True):
        assert row == pytest.approx(by)


def test_without_the_trace(tmp_path):
    done = run(tmp_path / "none.swf", "--nodes", "2", "--cores", "4", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
