"""Runs the tests of an area against its mutants, in forks of a process that collected them."""

from __future__ import annotations

import atexit
import hashlib
import json
import mmap
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

from . import report
from .areas import Area
from .operators import Mutant
from .schemata import MOST

NOBODY = -1
MOST_BYTES = 8 << 30


class Sweep:
    """A plugin of pytest: in place of a run of the tests, one run for each mutant."""

    def __init__(
        self, mutants: dict[int, Mutant], chosen: list[int], results: Path, most_seconds: float
    ) -> None:
        """Takes over what to run, for how long each, and where results go."""
        self.mutants = mutants
        self.chosen = chosen
        self.results = results
        self.most_seconds = most_seconds
        path = Path(os.environ["SCHEDLAB_MUTANTS"])
        path.write_bytes(struct.pack("i", NOBODY) + bytes(MOST))
        with path.open("r+b") as file:
            self.board = mmap.mmap(file.fileno(), 0)
        atexit.register(path.unlink)

    def is_mutated(self) -> bool:
        """Whether the engine that the tests use writes on the board."""
        import schedlab

        self.board[4:] = bytes(MOST)
        system = {"groups": {"all": {"nodes": 1, "resources": {"core": 1}}}}
        schedlab.Simulation([schedlab.Job(1, 0, 1)], system=system, scheduler="easy").run()
        return any(self.board[4:])

    def put_in_force(self, number: int) -> None:
        """Puts a mutant in force, in this process and in all that use the board."""
        self.board[:4] = struct.pack("i", number)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Runs the tests once as they are, then those concerned for each mutant."""
        items = session.items
        if not self.is_mutated():
            raise pytest.UsageError("the tests use an engine without mutants")
        reached = self.record(items)
        with self.results.open("a") as out:
            for count, number in enumerate(self.chosen, 1):
                mutant = self.mutants[number]
                row = {"number": number, "mutant": str(mutant)} | self.try_out(number, reached)
                out.write(json.dumps(row) + "\n")
                out.flush()
                equivalent = report.reason(mutant) if row["outcome"] == "survived" else None
                note = f"equivalent: {equivalent}" if equivalent else row["by"]
                print(
                    f"{count}/{len(self.chosen)} {row['outcome']:9} {mutant}  [{note}]", flush=True
                )
        return True

    def record(self, items: list[pytest.Item]) -> dict[int, list[tuple[float, pytest.Item]]]:
        """Returns for each mutant the tests that come by it, with their seconds, quickest first.

        What is known of a test is kept in a file, until the test's own file is another one.
        """
        self.put_in_force(NOBODY)
        kept = self.results.with_name(self.results.name.split(".")[0] + ".reached.json")
        known = json.loads(kept.read_text()) if kept.exists() else {}
        keys = [f"{item.nodeid} {_checksum(item.path)}" for item in items]

        def run_unknown(say: Callable[[Any], None]) -> None:
            for key, item in zip(keys, items, strict=True):
                if key not in known:
                    self.board[4:] = bytes(MOST)
                    seconds, failed = _run(item)
                    here = [n for n, passed in enumerate(self.board[4:]) if passed]
                    say([key, seconds, failed, here])

        known |= {key: rest for key, *rest in _in_a_fork(run_unknown, None)[0]}
        kept.write_text(json.dumps(known))
        reached: dict[int, list[tuple[float, pytest.Item]]] = {}
        for key, item in zip(keys, items, strict=True):
            seconds, failed, here = known.get(key, (0.0, True, []))
            if failed:
                print(f"fails without a mutant, and is left out: {item.nodeid}", flush=True)
                continue
            for number in here:
                reached.setdefault(number, []).append((seconds, item))
        for tests in reached.values():
            tests.sort(key=lambda test: test[0])
        return reached

    def try_out(
        self, number: int, reached: dict[int, list[tuple[float, pytest.Item]]]
    ) -> dict[str, str]:
        """Returns what became of a mutant, and by which test."""
        tests = []
        seconds = 0.0
        for test in reached.get(number, []):
            seconds += test[0]
            if tests and seconds > self.most_seconds:
                break
            tests.append(test)
        if not tests:
            return {"outcome": "unreached", "by": "no test"}
        self.put_in_force(number)

        def run_until_seen(say: Callable[[Any], None]) -> None:
            for seconds, item in tests:
                _limit_cpu(3 + 5 * seconds)
                if _run(item)[1]:
                    say(item.nodeid)
                    return
            say("")

        lines, signalled = _in_a_fork(run_until_seen, 60 + 60 * sum(test[0] for test in tests))
        self.put_in_force(NOBODY)
        if lines and lines[0]:
            return {"outcome": "killed", "by": lines[0]}
        if lines:
            return {"outcome": "survived", "by": f"{len(tests)} of {len(reached[number])} tests"}
        late = signalled in (signal.SIGXCPU, signal.SIGKILL)
        return {"outcome": "timeout" if late else "killed", "by": f"signal {signalled}"}


@cache
def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _run(item: pytest.Item) -> tuple[float, bool]:
    """Runs a test; returns its seconds of CPU and whether it failed."""
    before = time.process_time()
    reports = runtestprotocol(item, nextitem=None, log=False)
    return time.process_time() - before, any(one.failed for one in reports)


def _limit_cpu(seconds: float) -> None:
    """Ends this process once it has used that much more CPU time: a loop without an end."""
    soft = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


def _in_a_fork(
    work: Callable[[Callable[[Any], None]], None], wall_seconds: float | None
) -> tuple[list[Any], int]:
    """Returns what `work` said in a process of its own, and the signal that ended it or 0."""
    sys.stdout.flush()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.setsid()
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            work(lambda result: os.write(write, json.dumps(result).encode() + b"\n") and None)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        lines = _lines_until(pipe, child, wall_seconds)
    _, status = os.waitpid(child, 0)
    return lines, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def _lines_until(pipe: Any, child: int, wall_seconds: float | None) -> list[Any]:
    """Returns what a child says; one that waits for ever is killed, with all that it started."""

    def too_late(*_: object) -> None:
        os.killpg(child, signal.SIGKILL)

    if wall_seconds is not None:
        signal.signal(signal.SIGALRM, too_late)
        signal.alarm(int(wall_seconds))
    lines = [json.loads(line) for line in pipe]
    signal.alarm(0)
    return lines


def sweep(
    root: Path,
    area: Area,
    mutants: dict[int, Mutant],
    chosen: list[int],
    results: Path,
    *,
    examples: int,
    most_seconds: float,
) -> None:
    """Tries the chosen mutants out and adds a line for each to the results."""
    # What a run draws does not depend on the run before, and failures are not made smaller.
    settings.register_profile(
        "mutants",
        deadline=None,
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
    )
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    os.chdir(root)
    options = ["-q", "-s", "-W", "ignore", "-m", "not whole_trace"]
    for plugin in ("cacheprovider", "faulthandler", "xdist"):
        options += ["-p", f"no:{plugin}"]
    pytest.main([*options, *area.tests], plugins=[Sweep(mutants, chosen, results, most_seconds)])
