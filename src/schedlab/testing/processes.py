"""A policy in other processes, where Python hashes texts in another way."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from schedlab.testing.recording import folder, record
from schedlab.testing.report import PROCESSES
from schedlab.testing.scenarios import scenario
from schedlab.testing.time_limit import restart, seconds_for_processes, time_limit

if TYPE_CHECKING:
    from schedlab.testing.runs import Runs

HASH_SEEDS = ("1", "2")

CHILD = (
    *("-P", "-c"),
    "import sys; sys.path[:] = sys.argv[1:]; from schedlab.testing.processes import main; main()",
)
"""An interpreter that looks for modules where its arguments say, and nowhere before that."""


def check_processes(tried: list[Runs]) -> None:
    """Tries the last of the built-in scenarios in two processes.

    Raises:
        ConformanceError: They differ.
    """
    runs = next((runs for runs in reversed(tried) if runs.scenario.seed is not None), None)
    if runs is None or not runs.subject.own:
        return
    report = runs.report
    try:
        parts = pickle.dumps(runs.parts())
    except Exception as error:
        report.note(f"not tried in another process: {type(error).__name__}: {error}")
        return
    limit = seconds_for_processes()
    given = pickle.dumps((runs.scenario.name, runs.scenario.seed, parts, limit))
    results = []
    for hash_seed in HASH_SEEDS:
        restart()
        done = subprocess.run(
            [sys.executable, *CHILD, *(entry or os.getcwd() for entry in sys.path)],
            input=given,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=False,
        )
        if done.returncode == 3:
            report.note(f"not tried in another process: {done.stderr.decode().strip()}")
            return
        if done.returncode:
            raise runs.broken(PROCESSES, done.stderr.decode()[-1000:])
        results.append(done.stdout)
    if results[0] != results[1]:
        rows = [result.decode().splitlines() for result in results]
        one, two = next(pair for pair in zip(*rows, strict=False) if pair[0] != pair[1])
        raise runs.broken(
            PROCESSES,
            "the first row of jobs.csv that differs between PYTHONHASHSEED=1 and 2 (is the order "
            f"of a set used anywhere?):\n{one}\n{two}",
        )
    report.add(PROCESSES)


def _too_slow(found: str, _: BaseException) -> SystemExit:
    return SystemExit(found)


def main() -> None:
    """Runs a scenario as standard input says, and writes its rows to standard output."""
    name, seed, pickled, limit = pickle.load(sys.stdin.buffer)
    try:
        parts: dict[str, Any] = pickle.loads(pickled)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(3)
    with folder() as place, nullcontext() if limit is None else time_limit(limit, _too_slow):
        simulation = scenario(name, seed).simulation(**parts)
        print(record(simulation, os.path.join(place, "jobs.csv")), end="")
