"""Measured runs: a fresh process in a fresh folder, its CPU time and its peak memory."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = (
    *("job_id", "user", "submit", "start", "end", "state", "tasks", "estimate", "nodes"),
    *("wait", "slowdown", "bounded_slowdown"),
)
"""What jobs.csv must hold at least, so that nothing is saved by writing less."""


class BenchmarkError(Exception):
    """A measured process failed, or did not do what it was measured for."""


class NotFinishedError(BenchmarkError):
    """A measured process took more CPU time than it was given."""


@dataclass
class Figures:
    """CPU seconds (user and system) and peak memory of the runs of one case.

    Attributes:
        seconds: Of each run.
        megabytes: Largest resident set of any run, in 10^6 bytes.
        jobs: Jobs in the workload; 0 where not known.
    """

    seconds: list[float] = field(default_factory=list)
    megabytes: float = 0.0
    jobs: int = 0

    @property
    def least(self) -> float:
        """CPU seconds of the run that was disturbed least."""
        return min(self.seconds)

    @property
    def middle(self) -> float:
        """Median of the CPU seconds."""
        return median(self.seconds)

    @property
    def each(self) -> float:
        """CPU microseconds per job of the run that was disturbed least."""
        return 1e6 * self.least / self.jobs


def run_process(
    command: list[str],
    cwd: str,
    most_seconds: int | None = None,
    more: Mapping[str, str] | None = None,
) -> tuple[float, float]:
    """Runs a command in a folder; returns its CPU seconds and its peak memory in MB.

    Args:
        command: The program's path and its arguments.
        cwd: The folder.
        most_seconds: CPU seconds after which it is ended.
        more: Variables of its environment beyond those that are there.

    Raises:
        NotFinishedError: It was ended.
        BenchmarkError: It failed.
    """
    environment = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}
    environment.update(more or {})
    figures = os.path.join(cwd, "figures")
    launcher = [sys.executable, "-I", "-S", os.path.join(HERE, "spawn.py"), figures]

    def limit() -> None:
        assert most_seconds is not None
        resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds + 5))

    done = subprocess.run(
        [*launcher, *command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=None if most_seconds is None else limit,
    )
    with open(figures, encoding="ascii") as file:
        code, seconds, kilobytes, launcher_kilobytes = file.read().split()
    if int(code) == -signal.SIGXCPU:
        raise NotFinishedError(f"{' '.join(command)}: ended after {most_seconds} CPU seconds")
    if code != "0":
        raise BenchmarkError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    if int(launcher_kilobytes) >= int(kilobytes):
        raise BenchmarkError("the launcher is larger than what it measures")
    return float(seconds), int(kilobytes) * 1_024 / 1e6


def check(out: str) -> int:
    """Returns the number of jobs of a run folder, having looked that every job is in jobs.csv.

    Raises:
        BenchmarkError: The run folder is not whole.
    """
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        run = json.load(file)
    submitted: int = run["counts"]["submitted"]
    rows = 0
    with open(os.path.join(out, "jobs.csv"), "rb") as table:
        missing = set(COLUMNS) - set(table.readline().decode().strip().split(","))
        while chunk := table.read(1 << 20):
            rows += chunk.count(b"\n")
    if missing or rows != submitted or run["status"] != "complete":
        raise BenchmarkError(f"{out}: {rows} rows of {submitted} jobs; columns missing: {missing}")
    return submitted


class Runner:
    """Starts measured runs of schedlab and of the peer.

    Args:
        python: Interpreter that has schedlab, installed as a user would.
        peer_python: Interpreter that has AccaSim.
        scratch: Folder for workloads and output.
    """

    def __init__(self, python: str, peer_python: str, scratch: str) -> None:
        self.python = python
        self.peer_python = peer_python
        self.scratch = scratch

    def ours(
        self,
        trace: str,
        system: str,
        scheduler: str,
        repetitions: int,
        into: Figures | None = None,
        options: dict[str, object] | None = None,
    ) -> Figures:
        """Measures schedlab, each time in a new folder; adds to earlier figures if given."""
        figures = Figures() if into is None else into
        for _ in range(repetitions):
            with self._folder() as cwd:
                out = os.path.join(cwd, "out")
                self._add(figures, self._command(trace, system, scheduler, out, options), cwd)
                figures.jobs = check(out)
        return figures

    def rows(self, trace: str, system: str, scheduler: str) -> bytes:
        """Returns the jobs.csv of a run that is not measured."""
        with self._folder() as cwd:
            out = os.path.join(cwd, "out")
            run_process(self._command(trace, system, scheduler, out, None), cwd)
            with open(os.path.join(out, "jobs.csv"), "rb") as file:
                return file.read()

    def _command(
        self,
        trace: str,
        system: str,
        scheduler: str,
        out: str,
        options: dict[str, object] | None,
    ) -> list[str]:
        script = os.path.join(HERE, "run_schedlab.py")
        more = [f"{name}={value}" for name, value in (options or {}).items()]
        return [self.python, script, trace, system, scheduler, out, *more]

    def peer(
        self, trace: str, system: str, kind: str, repetitions: int, into: Figures | None = None
    ) -> Figures:
        """Measures AccaSim, `kind` being fifo or reject; adds to earlier figures if given."""
        figures = into or Figures()
        script = os.path.join(HERE, "run_accasim.py")
        for _ in range(repetitions):
            with self._folder() as cwd:
                self._add(figures, [self.peer_python, script, trace, system, kind], cwd)
        return figures

    def _add(self, figures: Figures, command: list[str], cwd: str) -> None:
        seconds, megabytes = run_process(command, cwd)
        figures.seconds.append(seconds)
        figures.megabytes = max(figures.megabytes, megabytes)

    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(prefix="run-", dir=self.scratch)


def first_rows(source: str, target: str, rows: int) -> str:
    """Copies the comments and the first jobs of an SWF file; returns the copy's path."""
    with open(source, "rb") as lines, open(target, "wb") as copy:
        left = rows
        for line in lines:
            left -= not line.startswith(b";")
            if left < 0:
                break
            copy.write(line)
    return target


def decompress(source: str, target: str) -> str:
    """Decompresses a .gz file unless that was done before; returns the path of the plain file."""
    import gzip

    if not os.path.exists(target):
        with gzip.open(source) as packed, open(target + ".part", "wb") as plain:
            shutil.copyfileobj(packed, plain)
        os.replace(target + ".part", target)
    return target
