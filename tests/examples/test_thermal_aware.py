"""examples/thermal_aware.py: what its allocator takes, and that it runs on the trace."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import schedlab as sl

SCRIPT = Path(__file__).parents[2] / "examples" / "thermal_aware.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("thermal_aware", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def places(example, jobs):
    result = sl.simulate(
        jobs,
        system=example.seth(60),
        conditions={"thermal": example.MODEL},
        allocator=example.LeastHeat(),
    )
    return [row["nodes"] for row in result.jobs.collect().sort("job_id").to_dicts()]


def test_least_heat_goes_to_the_ends_of_racks_far_from_others(example):
    jobs = [sl.Job(number, number, 600, 2) for number in range(1, 7)]
    assert places(example, jobs) == ["0*2", "20*2", "40*2", "19*2", "39*2", "59*2"]
    assert places(example, [sl.Job(1, 0, 600, 12)]) == ["0*2 19-20*2 39-40*2 59*2"]


def test_jobs_that_do_not_fit_wait(example):
    jobs = [sl.Job(1, 0, 600, 119), sl.Job(2, 1, 60, 2), sl.Job(3, 2, 60, 1)]
    assert len(places(example, jobs)) == 3


def test_on_the_trace(trace, tmp_path):
    path = trace("HPC2N-2002-2.2-cln.swf.gz")
    command = [sys.executable, SCRIPT, path, "--days", "10", "--out", tmp_path, "--nodes", "160"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line}
    throttled = {
        name: float(rows[name][2].replace(",", ""))
        for name in ("first-fit", "worst-fit", "random", "coolest", "least-heat")
    }
    assert 0 < throttled["least-heat"] < 0.9 * throttled["first-fit"]
    assert throttled["coolest"] < throttled["first-fit"]
    assert (tmp_path / "nodes.png").stat().st_size > 20_000


def test_without_the_trace(tmp_path):
    command = [sys.executable, SCRIPT, tmp_path / "none.swf", "--out", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
