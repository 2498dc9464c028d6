"""What the commands of pages name, and how they are pasted into a shell."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from same_runs import content

import schedlab as sl
from schedlab.results.json_text import to_json
from schedlab.system.network.presets import PRESETS

MODULE = """
import random
import schedlab as sl

class Log(sl.Reader):
    def jobs(self):
        for number, line in enumerate(self.lines(), 1):
            yield sl.Job(number, submit=3 * number, run=float(line), processors=1 + number % 3)

class Noisy(sl.Scheduler):
    def __init__(self, share=0.5):
        self.share = share
        self.random = random.Random(3)

    def schedule(self, state):
        for job in state.queue.fitting():
            if self.random.random() < self.share or not state.running:
                yield job

class Waiting(sl.AdditionalData):
    publishes = ("waiting",)
    def update(self, state):
        return {"waiting": len(state.queue)}

class Twice(sl.Estimator):
    def estimate(self, job):
        return 2 * (job.requested_time or 10)

def longer(job):
    return job.replace(run=job.run + 7)

def pings(mpi, count: int = 2):
    for _ in range(count):
        yield mpi.barrier()
"""
MACHINE = """
[groups.a]
nodes = 5
resources = { core = 2 }
"""
PLATFORM = """
[processors.cpu]
cores = 2
clock = 2.0
power = { core = 5, shared = 3, idle = 1 }
[node_types.thin]
processors = { cpu = 1 }
[groups.a]
nodes = 6
type = "thin"
"""
WINDOWS = '[[windows]]\nstart = 40\nend = 90\nnodes = "0-2"\n'
QUEUES = """
[[queues]]
name = "short"
priority = 2
when = "estimate < 40"
[[queues]]
name = "rest"
"""
CONDITIONS = """
[[failures]]
between = "exponential(mean=400)"
repair = "exponential(mean=30)"
[price]
file = "price.csv"
"""
ROWS = [
    (i, 4 * i, -1, 20 + i % 9, 1 + i % 4, -1, -1, 2, 30 + i % 20, -1, 1, i % 5) + (-1,) * 6
    for i in range(1, 61)
]


def fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes a folder the current one, with everything that the commands name."""
    for name, text in {
        "mine.py": MODULE,
        "m.toml": MACHINE,
        "m (1).toml": MACHINE,
        "p.toml": PLATFORM,
        "w.toml": WINDOWS,
        "q.toml": QUEUES,
        "c.toml": CONDITIONS,
        "price.csv": "time,price\n0,0.3\n100,0.1\n",
        "net.json": to_json(PRESETS["cielo"]),
        "lines.log": "".join(f"{5 + i % 30}\n" for i in range(60)),
        "rows.csv": "begin,length,cores\n"
        + "".join(f"{2 * i},{9 + i % 7},{1 + i % 3}\n" for i in range(50)),
        "apps.csv": "job,submit,run,requested_processors,application\n"
        + "".join(f"{i},{i},9,4,mine:pings(count={i})\n" for i in range(1, 9)),
    }.items():
        (tmp_path / name).write_text(text)
    for name in ("a.swf", "a b.swf"):
        sl.write_swf(tmp_path / name, ROWS)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "schedlab"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m schedlab "$@"\n')
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path


def shell(text: str, code: int = 0) -> str:
    """Runs a text as if it were pasted into a shell; returns what it says on standard error."""
    done = subprocess.run(
        ["sh", "-c", text], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


def block_of(page: str | Path) -> str:
    """Returns the commands of a page, as they are copied from there."""
    text = Path(page).read_text(encoding="utf-8")
    return html.unescape(re.findall(r"<pre>(schedlab [^<]*)</pre>", text)[0])


def pasted(page: str | Path) -> str:
    """Returns the first command of a page; the last one is that of the page itself."""
    return block_of(page).partition("\nschedlab report")[0]


def assert_same(first: str, again: str) -> None:
    """Checks that two folders hold the same run."""
    assert content(again) == content(first)
    before, after = sl.Result.load(first).run, sl.Result.load(again).run
    for name in ("spec", "options", "rules", "windows", "queues", "conditions", "data", "metrics"):
        assert before[name] == after[name], name
