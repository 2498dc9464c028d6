"""Two watchers of one run, each of which steps it."""

from __future__ import annotations

import subprocess
import sys
from time import monotonic, sleep

import pytest

from schedlab.watch import LiveRun, open_run, state_of

PAUSED = """
import sys
import schedlab as sl
jobs = [sl.Job(n, submit=10 * n, run=5) for n in range(100)]
machine = {"groups": {"node": {"nodes": 2, "resources": {"core": 4}}}}
sl.simulate(jobs, system=machine, out=sys.argv[1], pause=True)
"""


@pytest.fixture
def run(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", PAUSED, str(tmp_path / "run")])
    deadline = monotonic() + 20
    while not (tmp_path / "run").exists() or state_of(str(tmp_path / "run")) != "live":
        assert monotonic() < deadline
        sleep(0.02)
    yield str(tmp_path / "run")
    process.kill()
    process.wait()


def time_points(live: LiveRun) -> int:
    """Returns how far the run is by its last moment."""
    live.refresh()
    return int(live.run["time"]["time_points"])


def test_steps_of_both_count(run):
    one, other = open_run(run), open_run(run)
    assert isinstance(one, LiveRun)
    assert isinstance(other, LiveRun)
    expected = time_points(one)
    for watcher in (one, other, one, other):
        time_points(watcher)
        watcher.control("pause", steps=3)
        expected += 3
        deadline = monotonic() + 20
        while time_points(one) < expected or time_points(other) < expected:
            assert monotonic() < deadline, (time_points(one), expected)
            sleep(0.05)
        assert time_points(one) == expected
