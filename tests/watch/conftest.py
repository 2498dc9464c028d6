"""Live runs are real processes, ended by their number."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from unittest import mock

import pytest

import schedlab as sl
from schedlab.watch import LiveRun, open_run, state_of
from schedlab.workload import write_swf
from schedlab.workload.models import synthetic

SECONDS = 20.0
"""To wait for what takes a tenth of a second; more only where a machine is very busy."""

MACHINE = {
    "name": "machine",
    "start_time": synthetic.START,
    "groups": {"node": {"nodes": 64, "resources": {"core": 16, "mem": 64}}},
    "processor": {"core": 1},
}


def wait_for(what, seconds: float = SECONDS):
    """Waits until something is true, and returns what it was."""
    deadline = monotonic() + seconds
    while not (found := what()):
        assert monotonic() < deadline, "it did not happen"
        sleep(0.005)
    return found


class Process:
    """A simulation in a process of its own, which begins paused."""

    def __init__(self, folder: Path, jobs: int, *more: str) -> None:
        self.path = str(folder / "run")
        self.workload, self.system = str(folder / "workload.swf"), str(folder / "system.json")
        write_swf(self.workload, synthetic.synthetic_rows(jobs, 1), synthetic.header_lines(jobs, 1))
        Path(self.system).write_text(json.dumps(MACHINE), encoding="utf-8")
        command = [sys.executable, "-m", "schedlab", "run", self.workload, "--system", self.system]
        command += ["--scheduler", "easy", "--out", self.path, "--pause", "--quiet", *more]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: self.process.poll() is not None or state_of(self.path) == "live")

    def open(self) -> LiveRun:
        with mock.patch("schedlab.watch.folder.SECONDS_TO_ANSWER", SECONDS):
            view = open_run(self.path)
        assert isinstance(view, LiveRun)
        return view

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """Lets it continue to its end."""
        self.open().control("run")
        assert self.process.wait(SECONDS) == 0


@pytest.fixture
def start(tmp_path):
    """Returns a function that starts a live run of N jobs."""
    started = []

    def begin(jobs: int = 300, *more: str) -> Process:
        folder = tmp_path / f"live{len(started)}"
        folder.mkdir()
        started.append(Process(folder, jobs, *more))
        return started[-1]

    yield begin
    for process in started:
        if process.process.poll() is None:
            process.kill()
        process.process.stderr.close()


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> str:
    """A finished run of 300 jobs, with a timeline."""
    folder = tmp_path_factory.mktemp("finished")
    workload = str(folder / "workload.swf")
    write_swf(workload, synthetic.synthetic_rows(300, 1), synthetic.header_lines(300, 1))
    sl.simulate(workload, system=MACHINE, scheduler="easy", out=str(folder / "run"), timeline="csv")
    return str(folder / "run")
